//! Small sources with the text that they become.

use super::print;

/// Buffers and variables for functions.
const GLOBALS: &str = "const GROUP = 8u;
struct Pair { first: u32, second: u32 }
struct Scalars { start: u32, end: u32 }
@group(0) @binding(0) var<uniform> scalars: Scalars;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> words: array<array<atomic<u32>, 4>>;
var<workgroup> queue: array<u32, GROUP>;
var<workgroup> queued: atomic<u32>;
var<private> moves: u32;
fn pure(a: u32) -> u32 { return a + input[a]; }
fn next(a: ptr<function, u32>) -> u32 { *a += 1u; return *a; }
fn clear() -> u32 { output[0] = 0u; return 1u; }
fn word(a: u32) -> u32 { return output[a]; }
fn marked(c: bool, a: u32) -> u32 { output[a] = u32(c); return a; }
const KINDS: u32 = 9u;
";

const KERNEL: &str = "@compute @workgroup_size(GROUP) fn run() { f(1u, 2u, true); }";

const PARAMETERS: [&str; 6] = ["input", "output", "slots", "words", "start", "end"];

/// Returns a source with a function of some statements.
fn source(wgsl: &str) -> String {
    format!("{GLOBALS}fn f(a: u32, b: u32, c: bool) {{ {wgsl} }} {KERNEL}")
}

/// Returns the function `f` in C.
#[track_caller]
fn function(wgsl: &str) -> String {
    let text = print(&format!("{GLOBALS}{wgsl}{KERNEL}"), &[("run", PARAMETERS.into())]);
    let text = text.unwrap_or_else(|error| panic!("{error}"));
    let start = text.find(" f(").expect("the function is printed");
    let text = &text[text[..start].rfind('\n').map_or(0, |at| at + 1)..];
    text[..text.find("\n}\n").expect("the function ends") + 3].to_owned()
}

/// Returns the statements of a function with the arguments `a`, `b` and `c`.
#[track_caller]
fn body(wgsl: &str) -> String {
    let text = function(&format!("fn f(a: u32, b: u32, c: bool) {{ {wgsl} }}"));
    let body = text.split_once(") {\n").expect("the function has a body").1;
    body.strip_suffix("}\n").expect("the body ends").lines().map(|line| format!("{}\n", &line[4..])).collect()
}

/// Checks functions with some statements and their text in C, `wgsl`, `=>`, `c`, with `--` between them.
#[track_caller]
fn check(cases: &str) {
    for case in cases.split("--\n") {
        let (wgsl, c) = case.split_once("\n=>\n").expect("a case has an arrow");
        assert_eq!(body(wgsl), c);
    }
}

#[test]
fn variables_are_declared_where_they_are_set() {
    check(
        "var x = a; if c { var y = x; y += b; output[y] = x; }
=>
uint x = a;
if (c) {
    uint y = x;
    y += b;
    output[y] = x;
}
--
var x = 0u; loop { if c { x += 1u; } var y: u32; y += x; if y == a { break; } }
=>
uint x = 0u;
for (;;) {
    if (c) {
        x += 1u;
    }
    uint y = 0u;
    y += x;
    if (y == a) {
        break;
    }
}
--
var p = Pair(); p.first = a; if c { var q = 1u; output[q] = 1u; } var q = Pair(); q = p; output[q.first] = 1u;
=>
Pair p = {0};
p.first = a;
if (c) {
    uint q = 1u;
    output[q] = 1u;
}
Pair q = {0};
q = p;
output[q.first] = 1u;
",
    );
}

#[test]
fn names_do_not_hide_what_is_used() {
    check(
        "let int = b + 1u; let input = int * input[a]; output[b] = input;
=>
const uint int_ = b + 1u;
const uint input_1 = int_ * input[a];
output[b] = input_1;
--
if c { let x = a + b; output[x] = x; } else { let x = a * b; output[x] = x; }
=>
if (c) {
    const uint x = a + b;
    output[x] = x;
} else {
    const uint x = a * b;
    output[x] = x;
}
",
    );
}

/// Reads stay before the statements that may change what they read; others move to where they are used.
#[test]
fn reads_do_not_move_across_writes() {
    check(
        "var x = a; output[0] = x + next(&x) + x;
=>
uint x = a;
const uint value = x;
const uint result = next(&x);
output[0] = value + result + x;
--
let old = output[a]; output[b] = old; var x = output[1] + clear() + input[0]; output[0] = x;
=>
const uint old = output[a];
output[b] = old;
const uint value = output[1];
const uint result = clear(output);
uint x = value + result + input[0];
output[0] = x;
--
var x = b; x += marked(c && output[a] == 1u, clear());
=>
uint x = b;
const uint value = x;
const bool value_1 = c && output[a] == 1u;
const uint result = clear(output);
const uint result_1 = marked(value_1, result, output);
x = value + result_1;
--
output[0] = word(a) + word(b); output[1] = clear(); if clear() == 1u { return; } output[2] = 2u;
=>
output[0] = word(a, output) + word(b, output);
output[1] = clear(output);
const uint result = clear(output);
if (result == 1u) {
    return;
}
output[2] = 2u;
",
    );
}

#[test]
fn logical_operators_are_put_back() {
    check(
        "if c && a < b || output[0] == 1u && !(a == 1u) { output[0] = 1u; } let d = c || (a < b && c); output[1] = u32(d);
=>
if ((c && a < b) || (output[0] == 1u && !(a == 1u))) {
    output[0] = 1u;
}
const bool d = c || (a < b && c);
output[1] = (uint) d;
",
    );
}

#[test]
fn branches_and_loops() {
    check(
        "for (var i = 0u; i < a; i++) { output[i] = i; } for (var i = b; i < a; i += 2u) { if c { continue; } output[i] = b; }
=>
for (uint i = 0u; i < a; i += 1u) {
    output[i] = i;
}
for (uint i = b; i < a; i += 2u) {
    if (c) {
        continue;
    }
    output[i] = b;
}
--
var i = a; for (; i < b; i++) { output[i] = 1u; } output[0] = i; var x = 0u; while x < b { x += 2u; }
=>
uint i = a;
for (; i < b; i += 1u) {
    output[i] = 1u;
}
output[0] = i;
uint x = 0u;
while (x < b) {
    x += 2u;
}
--
if c { output[0] = 1u; } else if a == b { output[0] = 2u; } else { output[0] = 3u; }
=>
if (c) {
    output[0] = 1u;
} else if (a == b) {
    output[0] = 2u;
} else {
    output[0] = 3u;
}
",
    );
}

#[test]
fn memory_of_devices() {
    let wgsl = "fn deep() { atomicAdd(&words[1][2], scalars.end); } fn f(a: u32, b: u32, c: bool) {
        deep(); atomicStore(&queued, 0u); workgroupBarrier(); let at = atomicAdd(&queued, 1u); queue[at] = a; moves += 1u;
        let e = atomicCompareExchangeWeak(&slots[a], 0u, b); if e.exchanged { atomicStore(&slots[b], e.old_value); }
        output[0] = atomicLoad(&slots[1]) + atomicMax(&slots[0], b) + atomicLoad(&queued);
    }";
    assert_eq!(
        function(wgsl),
        "INLINE void f(uint a, uint b, bool c, __global uint *restrict output, __global uint *restrict slots, \
         __global uint (*restrict words)[4], __local uint *queue, __local uint *queued, uint *moves, uint end) {
    deep(words, end);
    *queued = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint at = atomic_add(queued, 1u);
    queue[at] = a;
    *moves += 1u;
    const Exchange e = compare_exchange(&slots[a], 0u, b);
    if (e.exchanged) {
        slots[b] = e.old_value;
    }
    const uint value = load_atomic(&slots[1]);
    const uint result = atomic_max(&slots[0], b);
    output[0] = value + result + *queued;
}
"
    );
}

#[test]
fn expressions_have_the_parentheses_that_a_reader_needs() {
    for (wgsl, c) in [
        ("a + b * 3u - (a - b)", "a + b * 3u - (a - b)"),
        ("(a + b) << 2u", "(a + b) << 2u"),
        ("(a & b) | (a ^ (b >> 1u)) | ~(a | b)", "(a & b) | (a ^ (b >> 1u)) | ~(a | b)"),
        ("a | (b | 4u)", "a | b | 4u"),
        ("u32((a & 1u) == 0u)", "(uint) ((a & 1u) == 0u)"),
        ("select(a, b + 1u, c)", "c ? b + 1u : a"),
        ("u32(u64(a) * 0x123456789lu >> 32u)", "(uint) (((ulong) a * 0x123456789ul) >> 32u)"),
        ("u32(-(-i32(a)) + -7)", "(uint) (-(-(int) a) + -7)"),
        (
            "u32(all(vec2(a, b) == vec2(1u, 100000u)) || all(vec2(a) < vec2(b)))",
            "(uint) (all((uint2)(a, b) == (uint2)(1u, 0x186a0u)) || all((uint2)(a) < (uint2)(b)))",
        ),
        (
            "min(max(a, b), clamp(a, 1u, 2u)) + countOneBits(a) + countLeadingZeros(b) + reverseBits(b)",
            "min(max(a, b), clamp(a, 1u, 2u)) + popcount(a) + clz(b) + reverse_bits(b)",
        ),
        ("bitcast<vec2<u32>>(-vec2<i32>(1, i32(b))).yx.x", "as_uint2(-(int2)(1, (int) b)).yx.x"),
        ("Pair(a, b).second + KINDS * a + KINDS * GROUP", "((Pair){a, b}).second + KINDS * a + 72u"),
    ] {
        assert_eq!(body(&format!("output[0] = {wgsl};")), format!("output[0] = {c};\n"));
    }
}

#[test]
fn a_whole_source() {
    let text = print(
        "const CLOSED_FORM_GROUP = 64u;
const KINDS: u32 = 9u;
const ALL_BITS: u64 = 0xfffffffflu;
const TEMPO: i32 = -4;

struct Both { one: u64, kind: u32 }
struct Place {
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
}
struct Scalars { first: u32, end: u32 }
@group(0) @binding(0) var<uniform> scalars: Scalars;
@group(0) @binding(1) var<storage, read> given: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> to: array<u32>;
@group(0) @binding(3) var<storage, read_write> more: array<u32>;
var<workgroup> sums: array<u32, KINDS * CLOSED_FORM_GROUP>;
var<workgroup> sum: u32;
var<private> own: u32;

fn half(both: Both) -> u32 {
    own += 1u;
    return u32(both.one & ALL_BITS) + both.kind + u32(i32(both.kind) * TEMPO);
}

@compute @workgroup_size(CLOSED_FORM_GROUP)
fn run(id: Place) {
    let more = scalars.end;
    if id.lane < more {
        sums[id.lane * KINDS] = half(Both(1lu, given[id.workgroup.x].w));
        sum = sums[id.lane];
        to[id.lane] = sum;
    }
}

@compute @workgroup_size(1)
fn other() {}
",
        &[("run", vec!["to", "given", "more", "end"])],
    );
    assert_eq!(
        text.unwrap(),
        "#define CLOSED_FORM_GROUP 64u
#define KINDS 9u
#define ALL_BITS 0xfffffffful
#define TEMPO (-4)
typedef struct {
    ulong one;
    uint kind;
} Both;
typedef struct {
    uint lane;
    uint3 workgroup;
    uint3 workgroups;
} Place;
INLINE uint half_(Both both, uint *own) {
    *own += 1u;
    return (uint) (both.one & ALL_BITS) + both.kind + (uint) ((int) both.kind * TEMPO);
}
__kernel void run(__global uint *restrict to, __global const uint4 *restrict given, __global uint *restrict more, uint end) {
    __local uint sums[576];
    __local uint sum[1];
    uint own[1] = {0};
    const Place id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)), \
         (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint more_1 = end;
    if (id.lane < more_1) {
        sums[id.lane * KINDS] = half_((Both){1ul, given[id.workgroup.x].w}, own);
        *sum = sums[id.lane];
        to[id.lane] = *sum;
    }
}
"
    );
}

#[test]
fn what_is_not_supported_is_refused() {
    for (wgsl, error) in [
        ("let v = vec2(a, b); output[0] = v[a];", "the expression Access {"),
        ("var v = vec2(a, b); v[a] = 1u;", "the pointer Access {"),
        ("var v = array(a, b); output[v[0]] = 1u;", "an array as a value or in a struct is not supported; use"),
        ("let p = &output[a]; *p = 1u;", "a pointer with a name is not supported; name its value"),
        ("output[0] = u32(f32(a));", "the type Scalar { kind: Float, width: 4 } is not supported; use u32"),
        ("output[0] = arrayLength(&input);", "the expression ArrayLength("),
        (
            "output[0] = firstLeadingBit(a);",
            "the function FirstLeadingBit for this type is not supported; write it with",
        ),
        ("output[0] = u32(reverseBits(u64(a)));", "the function ReverseBits for this type is"),
        ("output[0] = atomicAnd(&slots[0], a);", "the atomic function And is not supported; add it to the writer."),
        ("storageBarrier();", "the statement ControlBarrier("),
        ("switch a { default: {} }", "the statement Switch {"),
        ("var x: u32; if c { x = 1u; } output[0] = x;", "a variable without a first value is not supported; write it"),
        ("if c && clear() == 1u { output[1] = 1u; }", "`&&` or `||` with a statement on its right side is not"),
        ("loop { if c { break; } continuing { output[0] = 1u; output[1] = 1u; } }", "a `continuing` block of"),
        ("while clear() == 1u { }", "the condition of a loop that needs statements is not supported; test it in the"),
        ("loop { continuing { break if c; } }", "the statement Loop {"),
        ("output[0] = vec2<u32>(vec2(a) == vec2(b)).x;", "the expression As {"),
        ("output[0] = select(vec2(a), vec2(b), vec2(c)).x;", "the expression Select {"),
        ("let s = scalars; output[0] = s.end;", "the uniform as a whole is not supported; use its members."),
    ] {
        let found = print(&source(wgsl), &[("run", PARAMETERS.into())]).expect_err(wgsl);
        assert!(found.starts_with(&format!("In `f`, {error}")), "{found}");
    }
    for (wgsl, error) in [
        ("override GROUP: u32; fn f() -> u32 { return GROUP; }", "In `f`, the expression Override("),
        (
            "override GROUP: u32; var<workgroup> a: array<u32, GROUP>; fn f() -> u32 { return a[0]; }",
            "In `f`, an override is",
        ),
        ("fn f() {}", "The module has no kernel `run`."),
        ("@compute @workgroup_size(8) fn run() {}", "In `run`, `a` is no buffer and no scalar."),
        (
            "@group(0) @binding(1) var<storage, read_write> a: array<u32>;
             @group(0) @binding(2) var<storage, read_write> b: array<u32>;
             @compute @workgroup_size(8) fn run() { b[0] = a[1]; }",
            "In `run`, `b` is used, which is none of its parameters.",
        ),
        ("fn run() { return 1; }", "error: "),
    ] {
        let found = print(wgsl, &[("run", vec!["a"])]).expect_err(wgsl);
        assert!(found.starts_with(error), "{found}");
    }
}
