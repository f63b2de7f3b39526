//! Options that do not fit the device, and memory and queues that are too small.

use std::time::Instant;

use kogge_board::{Backend, BackendError, Fen, Quad48, Rules, unwatched};
use kogge_gpu::{Gpu, HostOptions};

use super::{Options, Tested, cpu, first_device, host_options, with_backend};

fn open<D: Tested>(options: &Options<D>) -> Option<Result<Gpu<D>, BackendError>> {
    first_device::<D>().map(|device| Gpu::untuned(&device, options))
}

fn quad(fen: &str) -> Quad48 {
    let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    Quad48::from(&fen.position)
}

/// Opens a device with an index that no device has.
pub fn missing_device<D: Tested>() {
    let Ok(devices) = D::list() else { return };
    let error = Gpu::<D>::open(devices.len(), &Options::<D>::default()).err().expect("devices are counted from 0");
    assert!(error.to_string().contains(&format!("no device {}", devices.len())), "{error}");
}

/// Opens a device with options of the host and of the backend that do not fit. Each comes with a word that the error must
/// contain.
pub fn unfit_options<D: Tested>(others: Vec<(Options<D>, &str)>) {
    type Change = (fn(&mut HostOptions), &'static str);
    let changes: [Change; 11] = [
        (|host| host.group_size = Some(1), "work-group"),
        (|host| host.group_size = Some(1 << 20), "work-group"),
        (|host| host.closed_form_group_size = Some(1), "work-group"),
        (|host| host.closed_form_turns = Some(17), "positions"),
        (|host| host.count_group_size = Some(1 << 20), "work-group"),
        (|host| host.count_groups = Some(0), "count replies"),
        (|host| host.queued_per_lane = Some(0), "queue"),
        (|host| host.queued_per_lane = Some(65), "queue"),
        (|host| host.positions = Some(0), "positions"),
        (|host| host.moves = Some(0), "moves"),
        (|host| host.moves = Some(usize::MAX), "moves"),
    ];
    let changed = changes.into_iter().map(|(change, word)| (host_options(change), word));
    for (options, word) in changed.chain(others) {
        let Some(result) = open::<D>(&options) else { return };
        let error = result.err().unwrap_or_else(|| panic!("{options:?}"));
        assert!(matches!(&error, BackendError::Unavailable { .. }) && error.to_string().contains(word), "{error}");
    }
}

/// Counts in 64 MiB.
pub fn little_memory<D: Tested>() {
    let Some(backend) = open::<D>(&host_options(|host| host.memory = Some(64 << 20))) else { return };
    let start = Quad48::from(&Fen::start().position);
    assert_eq!(backend.unwrap().perft(&Rules::STANDARD, &[start], 5, &mut unwatched), Ok(vec![4_865_609]));
}

/// Opens a device with less memory than one level takes.
pub fn too_little_memory<D: Tested>() {
    let Some(result) = open::<D>(&host_options(|host| host.memory = Some(1 << 20))) else { return };
    let error = result.err().expect("no level fits");
    assert!(matches!(&error, BackendError::OutOfMemory { .. }) && error.to_string().contains("1048576"), "{error}");
}

/// Counts so deep that levels of the usual sizes do not fit in memory: the levels get smaller.
pub fn great_depth<D: Tested>() {
    let Some(backend) = open::<D>(&host_options(|host| host.memory = Some(512 << 20))) else { return };
    let mut backend = backend.unwrap();
    let stalemate = quad("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let start = Quad48::from(&Fen::start().position);
    assert_eq!(backend.perft(&Rules::STANDARD, &[stalemate], 300, &mut unwatched), Ok(vec![0]));
    assert_eq!(backend.perft(&Rules::STANDARD, &[start], 4, &mut unwatched), Ok(vec![197_281]));
    let error = backend.perft(&Rules::STANDARD, &[start], 1 << 20, &mut unwatched).unwrap_err();
    assert!(matches!(&error, BackendError::OutOfMemory { .. }), "{error}");
}

/// Counts positions with few moves in closed form, whose other moves overflow the queue: these positions are counted again
/// in another way, later positions as usual.
pub fn more_moves_than_room<D: Tested>() {
    let options = host_options(|host| {
        host.group_size = Some(8);
        host.closed_form_group_size = Some(4);
        host.count_group_size = Some(4);
        host.queued_per_lane = Some(1);
        host.positions = Some(1);
        host.moves = Some(1);
        host.profile = true;
    });
    let Some(backend) = open::<D>(&options) else { return };
    let mut backend = backend.unwrap();
    let mut cpu = cpu();
    let promotions = [quad("nnnnnnnn/PPPPPPPP/8/8/8/8/k7/6K1 w - - 0 1"); 300];
    // Most moves are checks or captures next to the king.
    let queens = [quad("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"); 1000];
    let start = [Quad48::from(&Fen::start().position)];
    let batches = [(&promotions[..], true), (&start[..], false), (&queens[..1], false), (&queens[..], true)];
    for (positions, again) in batches {
        let expected = cpu.perft(&Rules::STANDARD, positions, 2, &mut unwatched);
        let begun = Instant::now();
        assert_eq!(backend.perft(&Rules::STANDARD, positions, 2, &mut unwatched), expected);
        let (kernels, took) = (backend.profile(), begun.elapsed().as_nanos() as u64);
        let in_kernels = kernels.iter().map(|kernel| kernel.nanoseconds).sum::<u64>();
        assert!(0 < in_kernels && in_kernels <= took, "{in_kernels} of {took} ns: {kernels:?}");
        assert_eq!(kernels.iter().any(|kernel| kernel.name == "write_moves"), again, "{kernels:?}");
    }
}

/// Counts positions with more successors than the next level has room for: fewer positions are expanded at a time.
pub fn more_successors_than_room<D: Tested>(split: &[Options<D>]) {
    for options in split {
        let mut options = options.clone();
        options.as_mut().positions = Some(1 << 14);
        with_backend::<D>(&options, |backend| {
            let start = Quad48::from(&Fen::start().position);
            assert_eq!(backend.perft(&Rules::STANDARD, &[start], 5, &mut unwatched), Ok(vec![4_865_609]));
        });
    }
}
