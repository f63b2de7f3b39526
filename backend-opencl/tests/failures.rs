//! What goes wrong, and what is said then.

mod support;

use kogge_backend_opencl::{OpenCl, Options, Traversal, devices};
use kogge_board::{Backend, BackendError, Fen, Quad48, Rules};
use kogge_movegen_cpu::Cpu;
use support::first_device;

fn open(options: &Options) -> Option<Result<OpenCl, BackendError>> {
    first_device().map(|device| OpenCl::on(&device, options))
}

#[test]
fn a_compiler_that_fails_is_heard() {
    let options = Options { compiler: "-D flip=reverse".into(), ..Options::default() };
    let Some(result) = open(&options) else { return };
    // Two functions of one name.
    let error = result.err().expect("the source cannot be compiled").to_string();
    assert!(error.contains("cannot be compiled") && error.contains("redefinition of 'reverse'"), "{error}");
}

#[test]
fn a_device_that_counts_wrong_is_not_used() {
    // Sliders no longer slide.
    let options = Options { compiler: "-D while=if".into(), ..Options::default() };
    let Some(result) = open(&options) else { return };
    let error = result.err().expect("the self-test finds wrong counts");
    assert!(matches!(&error, BackendError::WrongAnswer { .. }), "{error}");
}

#[test]
fn a_device_that_is_not_there() {
    let Ok(devices) = devices() else { return };
    let error = OpenCl::open(devices.len(), &Options::default()).err().expect("devices are counted from 0");
    assert!(error.to_string().contains(&format!("no device {}", devices.len())), "{error}");
}

#[test]
fn options_that_do_not_fit() {
    for (options, word) in [
        (Options { work_group_size: Some(1), ..Options::default() }, "work-group"),
        (Options { work_group_size: Some(1 << 20), ..Options::default() }, "work-group"),
        (Options { groups_per_unit: Some(0), ..Options::default() }, "compute unit"),
        (Options { traversal: Some(Traversal::DepthFirst(1)), ..Options::default() }, "plies"),
        (Options { traversal: Some(Traversal::DepthFirst(7)), ..Options::default() }, "plies"),
        (Options { positions: Some(0), ..Options::default() }, "positions"),
        (Options { moves: Some(usize::MAX), ..Options::default() }, "moves"),
    ] {
        let Some(result) = open(&options) else { return };
        let error = result.err().unwrap_or_else(|| panic!("{options:?}"));
        assert!(matches!(&error, BackendError::Unavailable { .. }) && error.to_string().contains(word), "{error}");
    }
}

#[test]
fn little_memory_does() {
    let options = Options { memory: Some(64 << 20), ..Options::default() };
    let Some(backend) = open(&options) else { return };
    let start = Quad48::from(&Fen::start().position);
    assert_eq!(backend.unwrap().perft(&Rules::STANDARD, &[start], 5), Ok(vec![4_865_609]));
}

#[test]
fn too_little_memory_is_an_error() {
    let options = Options { memory: Some(1 << 20), ..Options::default() };
    let Some(result) = open(&options) else { return };
    let error = result.err().expect("no level fits");
    assert!(matches!(&error, BackendError::OutOfMemory { .. }) && error.to_string().contains("1048576"), "{error}");
}

/// Deeper than memory has room for at the usual sizes: the levels get smaller.
#[test]
fn great_depth() {
    let options = Options { memory: Some(512 << 20), ..Options::default() };
    let Some(backend) = open(&options) else { return };
    let stalemate: Fen = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
    let start = Quad48::from(&Fen::start().position);
    let mut backend = backend.unwrap();
    assert_eq!(backend.perft(&Rules::STANDARD, &[Quad48::from(&stalemate.position)], 300), Ok(vec![0]));
    assert_eq!(backend.perft(&Rules::STANDARD, &[start], 4), Ok(vec![197_281]));
    let error = backend.perft(&Rules::STANDARD, &[start], 1 << 20).unwrap_err();
    assert!(matches!(&error, BackendError::OutOfMemory { .. }), "{error}");
}

/// Positions of which hardly a move qualifies for the closed form, more of them than there is room for: they are counted
/// again in another way, and positions after them as usual.
#[test]
fn more_moves_than_there_is_room_for() {
    let options = Options {
        work_group_size: Some(8),
        replies_group_size: Some(4),
        count_group_size: Some(4),
        queued_per_lane: Some(1),
        positions: Some(1),
        moves: Some(1),
        profile: true,
        ..Options::default()
    };
    let Some(backend) = open(&options) else { return };
    let mut backend = backend.unwrap();
    let crowd: Fen = "nnnnnnnn/PPPPPPPP/8/8/8/8/k7/6K1 w - - 0 1".parse().unwrap();
    let crowd = [Quad48::from(&crowd.position); 300];
    let start = [Quad48::from(&Fen::start().position)];
    let mut cpu = Cpu::new(None).unwrap();
    for (positions, again) in [(&crowd[..], true), (&start[..], false)] {
        let expected = cpu.perft(&Rules::STANDARD, positions, 2);
        assert_eq!(backend.perft(&Rules::STANDARD, positions, 2), expected);
        let kernels = backend.profile().unwrap();
        assert_eq!(kernels.iter().any(|kernel| kernel.name == "moves"), again, "{kernels:?}");
    }
}
