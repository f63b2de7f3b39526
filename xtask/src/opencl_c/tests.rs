//! Small sources with the text that they become.

mod sources;

use super::print;

/// Buffers and variables for functions.
const GLOBALS: &str = "override GROUP: u32;
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

/// Returns a source with a function of some statements.
fn source(wgsl: &str) -> String {
    format!("{GLOBALS}fn f(a: u32, b: u32, c: bool) {{ {wgsl} }} {KERNEL}")
}

/// Returns the function `f` in C.
#[track_caller]
fn function(wgsl: &str) -> String {
    let text = print(&format!("{GLOBALS}{wgsl}{KERNEL}"), &["run"]).unwrap_or_else(|error| panic!("{error}"));
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
var x: u32; if c { x = 1u; } else { x = 2u; } output[0] = x;
=>
uint x;
if (c) {
    x = 1u;
} else {
    x = 2u;
}
output[0] = x;
--
var x: u32; if c { x = 1u; } output[0] = x;
=>
uint x = 0u;
if (c) {
    x = 1u;
}
output[0] = x;
--
var x: u32; loop { if c { x += 1u; } var y: u32; y += x; if y == a { break; } }
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
var p: Pair; p.first = a; var q = Pair(); q = p; output[q.first] = 1u;
=>
Pair p = {0};
p.first = a;
Pair q = p;
output[q.first] = 1u;
",
    );
}

#[test]
fn names_do_not_hide_what_is_used() {
    check(
        "let pure = pure(a); let int = b + 1u; let input = int * 3u; output[pure] = input;
=>
const uint pure_1 = pure(a, input);
const uint int_ = b + 1u;
const uint input_1 = int_ * 3u;
output[pure_1] = input_1;
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

/// Reads stay before the statements that change what they read; others move to where they are used.
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
const bool value = c && output[a] == 1u;
const uint result = clear(output);
const uint result_1 = marked(value, result, output);
x += result_1;
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
--
if c && clear() == 1u { output[1] = 1u; }
=>
bool condition;
if (c) {
    const uint result = clear(output);
    condition = result == 1u;
} else {
    condition = false;
}
if (condition) {
    output[1] = 1u;
}
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
switch a { case 1u: { output[0] = 1u; } case 2u, 3u: { if c { output[0] = 4u; return; } output[1] = 1u; } default: {} } output[0] = 0u;
=>
switch (a) {
    case 1u: {
        output[0] = 1u;
        break;
    }
    case 2u:
    case 3u: {
        if (c) {
            output[0] = 4u;
            return;
        }
        output[1] = 1u;
        break;
    }
    default:
        break;
}
output[0] = 0u;
--
if c { output[0] = 1u; } else if a == b { output[0] = 2u; } else { output[0] = 3u; return; }
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
        "INLINE void f(
    uint a,
    uint b,
    bool c,
    __global uint *restrict output,
    __global uint *restrict slots,
    __global uint (*restrict words)[4],
    __local uint *queue,
    __local uint *queued,
    uint *moves,
    uint end
) {
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
            "u32(all(vec2(a, b) == vec2(1u, 100000u)) || any(vec2(a) < vec2(b)))",
            "(uint) (all((uint2)(a, b) == (uint2)(1u, 0x186a0u)) || any((uint2)(a) < (uint2)(b)))",
        ),
        (
            "min(max(a, b), clamp(a, 1u, 2u)) + countOneBits(a) + countLeadingZeros(b)",
            "min(max(a, b), clamp(a, 1u, 2u)) + popcount(a) + clz(b)",
        ),
        ("countTrailingZeros(a) + reverseBits(b)", "count_trailing_zeros(a) + reverse_bits(b)"),
        ("bitcast<vec2<u32>>(-vec2<i32>(1, i32(b))).yx.x", "as_uint2(-(int2)(1, (int) b)).yx.x"),
        ("Pair(a, b).second + KINDS * GROUP", "((Pair){a, b}).second + KINDS * GROUP"),
    ] {
        assert_eq!(body(&format!("output[0] = {wgsl};")), format!("output[0] = {c};\n"));
    }
}

#[test]
fn long_lines_are_wrapped() {
    let sum = (1..40).map(|number| format!("input[{number}]")).collect::<Vec<_>>().join(" + ");
    for line in body(&format!("output[a] = select({sum}, pure(a & b), c && a == 1000000u);")).lines() {
        assert!(line.len() <= 116, "{line}");
    }
    let call =
        body("output[0] = select(pure(a & b), a, pure(a * 1000000u) == pure(b * 1000000u) && pure(b) == pure(a + b));");
    assert_eq!(
        call,
        "output[0] = pure(a * 0xf4240u, input) == pure(b * 0xf4240u, input) && pure(b, input) == pure(a + b, input)
    ? a : pure(a & b, input);
"
    );
}
