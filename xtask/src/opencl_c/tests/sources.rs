//! A source with its whole text, and sources that are refused.

use super::{super::print, source};

#[test]
fn a_whole_source() {
    let text = print(
        "//! All of it.
//! In two lines.

override CLOSED_FORM_GROUP: u32;
// An ordinary comment.

/// The kinds.
const KINDS: u32 = 9u;
const UNUSED: u32 = 1u;
const ALL_BITS: u64 = 0xfffffffflu;
const TEMPO: i32 = -4;

// Another.

/// Two of them.
struct Both {
    one: u64,
    /// The kind.
    kind: u32,
}

struct Scalars { first: u32, end: u32 }
@group(0) @binding(0) var<uniform> scalars: Scalars;
@group(0) @binding(1) var<storage, read> given: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> to: array<u32>;
var<workgroup> sums: array<u32, KINDS * CLOSED_FORM_GROUP>;
var<workgroup> sum: u32;
var<private> own: u32;

fn unused() {}

/// Mixes.
///
/// Twice.
fn mix(both: Both) -> u32 {
    own += 1u;
    return u32(both.one & ALL_BITS) + both.kind + u32(i32(both.kind) * TEMPO);
}

/// Runs.
@compute @workgroup_size(CLOSED_FORM_GROUP)
fn run(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    if lane < scalars.end {
        sums[lane * KINDS] = mix(Both(1lu, given[workgroup.x].w));
        sum = sums[lane];
        to[lane] = sum;
        return;
    }
}
",
        &["run"],
    )
    .unwrap();
    assert_eq!(
        text,
        "// All of it.
// In two lines.

// The kinds.
#define KINDS 9u
#define ALL_BITS 0xfffffffful
#define TEMPO (-4)

// Two of them.
typedef struct {
    ulong one;
    // The kind.
    uint kind;
} Both;

// Mixes.
//
// Twice.
INLINE uint mix_(Both both, uint *own) {
    *own += 1u;
    return (uint) (both.one & ALL_BITS) + both.kind + (uint) ((int) both.kind * TEMPO);
}

// Runs.
__kernel CLOSED_FORM_KERNEL void run(__global const uint4 *restrict given, __global uint *restrict to, uint end) {
    __local uint sums[9u * CLOSED_FORM_GROUP];
    __local uint sum[1];
    uint own[1] = {0};
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    if (lane < end) {
        sums[lane * KINDS] = mix_((Both){1ul, given[workgroup.x].w}, own);
        *sum = sums[lane];
        to[lane] = *sum;
    }
}
"
    );
}

#[test]
fn what_is_not_supported_is_refused() {
    for (wgsl, error) in [
        (
            "let v = vec2(a, b); output[0] = v[a];",
            "In `f`, indexing a vector or an array by a variable is not supported; use",
        ),
        (
            "var v = vec2(a, b); v[a] = 1u;",
            "In `f`, indexing a vector by a variable is not supported; name its components.",
        ),
        ("var v = array(a, b); output[v[0]] = 1u;", "In `f`, an array as a value or in a struct is not supported; use"),
        ("let p = &output[a]; *p = 1u;", "In `f`, a pointer with a name is not supported; name its value"),
        ("output[0] = u32(f32(a));", "In `f`, the type Scalar { kind: Float, width: 4 } is not supported; use u32"),
        ("output[0] = arrayLength(&input);", "In `f`, the expression ArrayLength("),
        ("output[0] = firstLeadingBit(a);", "In `f`, the function FirstLeadingBit is not supported; write it with"),
        ("storageBarrier();", "In `f`, the statement ControlBarrier("),
        ("loop { if c { break; } continuing { output[0] = 1u; output[1] = 1u; } }", "In `f`, a `continuing` block of"),
        ("loop { continuing { break if c; } }", "In `f`, `break if` is not supported; use `if` with `break`."),
        (
            "output[0] = countTrailingZeros(a) + u32(reverseBits(u64(a)));",
            "In `f`, the function ReverseBits for this type is",
        ),
        (
            "output[0] = vec2<u32>(vec2(a) == vec2(b)).x;",
            "In `f`, a conversion of a vector of bool is not supported; use",
        ),
        (
            "let e = atomicCompareExchangeWeak(&queued, a, b);",
            "In `f`, an atomic comparison in work-group memory is not",
        ),
        ("let s = scalars; output[0] = s.end;", "In `f`, the uniform as a whole is not supported; use its members."),
    ] {
        let found = print(&source(wgsl), &["run"]).expect_err(wgsl).to_string();
        assert!(found.starts_with(error), "{found}");
    }
    let errors = [
        ("@compute @workgroup_size(8) fn run() {}", "In `run`, a work-group of this size is not supported; use one"),
        (
            "override GROUP = 8u; @compute @workgroup_size(GROUP) fn run() {}",
            "In `run`, a work-group of this size is not",
        ),
        ("override GROUP: u32; @compute @workgroup_size(GROUP) fn ran() {}", "The module has no kernel `run`."),
        ("fn run() { return 1; }", "error: "),
    ];
    for (wgsl, error) in errors {
        let found = print(wgsl, &["run"]).expect_err(wgsl).to_string();
        assert!(found.starts_with(error), "{found}");
    }
}
