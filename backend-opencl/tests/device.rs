//! The device suite on the first OpenCL device, and tests of features that only OpenCL has: compiler options and
//! variants.

use kogge_backend_opencl::{GpuOptions, OpenCl, OpenClDevice};
use kogge_board::placements::{ALL_MEN, placement, themes};
use kogge_board::{Backend, BackendError, unwatched};
use kogge_gpu::Parameter::{ClosedFormTurns, Sliders};
use kogge_gpu::{Mutation, Variants};
use kogge_testkit::conformance::by_rules;
use kogge_testkit::device_suite::{cpu, first_device, tiny, with_backend};
use kogge_testkit::mutants::SelfTest::{Counting, Merging};
use kogge_testkit::mutants::{self, Mutant};

fn fill() -> GpuOptions {
    GpuOptions::of([(Sliders, 0)])
}

fn carry() -> GpuOptions {
    GpuOptions::of([(Sliders, 1)])
}

fn magic() -> GpuOptions {
    with(Variants { magic: true, ..Variants::default() })
}

fn boards48() -> GpuOptions {
    with(Variants { boards48: true, ..Variants::default() })
}

fn depth_first() -> GpuOptions {
    plies_depth_first(3)
}

fn with(variants: Variants) -> GpuOptions {
    GpuOptions { variants, ..GpuOptions::default() }
}

/// Returns options with which a work-item counts several positions in closed form.
fn in_turns(options: GpuOptions) -> GpuOptions {
    options.with(ClosedFormTurns, 3)
}

/// Returns every 16th error, or all if the environment variable `KOGGE_ALL_ERRORS` is set: PoCL takes about five seconds for each.
/// wgpu's suite makes all errors in the same source.
fn some(mutants: &[Mutant]) -> Vec<Mutant> {
    let step = if std::env::var_os("KOGGE_ALL_ERRORS").is_some() { 1 } else { 16 };
    mutants.iter().step_by(step).copied().collect()
}

/// Errors in the prelude, and in the function by hand.
#[rustfmt::skip]
const PRELUDE: &[Mutant] = &[
    Mutant::new(Counting, "bytes are not reversed", "    return (rotate(word, 8u) & 0x00ff00ffu) | (rotate(word, 24u) & 0xff00ff00u);", "    return word;"),
    Mutant::new(Counting, "bits of bytes are reversed in pairs", "    word = (word >> 1 & 0x55555555u) | (word & 0x55555555u) << 1;\n", ""),
    Mutant::new(Counting, "squares of half a board are counted", "return (uint) popcount(board);", "return popcount((uint) board);"),
    Mutant::new(Merging, "a slot that is taken stays empty", "atomic_cmpxchg(word, expected, value);", "*word;"),
];

/// Errors in the kernel that counts depth first.
const DEPTH_FIRST: &[Mutant] =
    &[Mutant::new(Counting, "marks of castling rooks get lost", "ply & 1 ? their_rooks : own_rooks", "own_rooks")];

fn plies_depth_first(plies: u32) -> GpuOptions {
    with(Variants { depth_first: Some(plies), ..Variants::default() })
}

kogge_testkit::device_suite! {
    device: OpenClDevice,
    conformance: [fill, carry, magic, boards48, depth_first],
    forms: [carry(), boards48()],
    split: [tiny(fill()), tiny(boards48())],
    nonsense: [fill(), carry(), magic()],
    unfit: [(plies_depth_first(1), "plies"), (plies_depth_first(7), "plies")],
    tuned: [
        (carry(), "carry sliders, 32-byte positions, breadth-first, two plies in closed form"),
        (fill(), "fill sliders, 32-byte positions, breadth-first, two plies in closed form"),
    ],
    mutants: [
        (in_turns(carry()), &some(mutants::MUTANTS)),
        (in_turns(carry()), &some(mutants::CARRY)),
        (in_turns(fill()), &some(mutants::FILL)),
        (carry(), PRELUDE),
        (plies_depth_first(4), DEPTH_FIRST),
    ],
}

/// The counts are so deep that moves of every kind are unmade, by both sides.
#[test]
fn depth_first_below_random_placements() {
    let mut cpu = cpu();
    let placements = (0..3000).map(|seed| placement(seed, &themes::MIXED, ALL_MEN));
    let mut counted = 0;
    with_backend::<OpenClDevice>(&plies_depth_first(4), |backend| {
        for (rules, mut positions) in by_rules(placements) {
            let leaves = cpu.perft(&rules, &positions, 3, &mut unwatched).unwrap();
            assert_eq!(backend.perft(&rules, &positions, 3, &mut unwatched).unwrap(), leaves, "{rules:?}");
            let mut small = leaves.iter().map(|&leaves| leaves < 2000);
            positions.retain(|_| small.next() == Some(true));
            counted += positions.len();
            for depth in [4, 5] {
                assert_eq!(
                    backend.perft(&rules, &positions, depth, &mut unwatched),
                    cpu.perft(&rules, &positions, depth, &mut unwatched),
                    "{rules:?}"
                );
                positions.truncate(1);
            }
        }
        assert!(counted > 300, "only {counted} positions are that small");
    });
}

#[test]
fn the_compiler_log_is_part_of_the_error() {
    let Some(device) = first_device::<OpenClDevice>() else { return };
    let options = GpuOptions { compiler: "-D flip=reverse".into(), ..GpuOptions::default() };
    // Two functions get one name.
    let error = OpenCl::untuned(&device, &options).err().expect("the source cannot be compiled").to_string();
    assert!(error.contains("cannot be compiled") && error.contains("redefinition of 'reverse'"), "{error}");
}

#[test]
fn kernels_that_cannot_be_printed_are_an_error() {
    let Some(device) = first_device::<OpenClDevice>() else { return };
    for (from, to, reason) in [
        ("return packed_move & 63u;", "return;", "error: "),
        (
            "return packed_move & 63u;",
            "return firstLeadingBit(packed_move);",
            "In `from_of`, the function FirstLeadingBit",
        ),
    ] {
        let options = GpuOptions { mutation: Some(Mutation { from, to }), ..GpuOptions::default() };
        let error = OpenCl::untuned(&device, &options).err().expect("the WGSL cannot be printed").to_string();
        assert!(error.contains("cannot be printed in OpenCL C") && error.contains(reason), "{error}");
    }
}

#[test]
fn a_device_that_counts_wrong_is_not_used() {
    let Some(device) = first_device::<OpenClDevice>() else { return };
    // Sliders move one square only.
    let options = GpuOptions { compiler: "-D while=if".into(), ..GpuOptions::default() };
    let error = OpenCl::untuned(&device, &options).err().expect("the self-test finds wrong counts");
    assert!(matches!(&error, BackendError::WrongAnswer { .. }), "{error}");
}
