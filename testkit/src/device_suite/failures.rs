//! Options that do not fit the device, and memory and queues that are too small.

use std::time::Instant;

use kogge_board::{Backend, BackendError, Fen, Quad48, Rules, unwatched};
use kogge_gpu::Parameter::{
    ClosedFormGroupSize, ClosedFormTurns, CountGroupSize, CountGroups, GroupSize, Moves, Positions, QueuedPerLane,
};
use kogge_gpu::{Gpu, GpuOptions};

use super::{TestDevice, cpu, first_device, with_backend};

fn open<D: TestDevice>(options: &GpuOptions) -> Option<Result<Gpu<D>, BackendError>> {
    first_device::<D>().map(|device| Gpu::untuned(&device, options))
}

fn within(memory: u64) -> GpuOptions {
    GpuOptions { memory: Some(memory), ..GpuOptions::default() }
}

fn quad(fen: &str) -> Quad48 {
    let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    Quad48::from(&fen.position)
}

/// Opens a device with an index that no device has.
pub fn missing_device<D: TestDevice>() {
    let Ok(devices) = D::list() else { return };
    let error = Gpu::<D>::open(devices.len(), &GpuOptions::default()).err().expect("devices are counted from 0");
    assert!(error.to_string().contains(&format!("no device {}", devices.len())), "{error}");
}

/// Opens a device with options of the host and of the backend that do not fit. Each option comes with a word that the
/// error must contain.
pub fn unfit_options<D: TestDevice>(others: Vec<(GpuOptions, &str)>) {
    let values = [
        ((GroupSize, 1), "work-group"),
        ((GroupSize, 1 << 20), "work-group"),
        ((ClosedFormGroupSize, 1), "work-group"),
        ((ClosedFormTurns, 17), "positions"),
        ((CountGroupSize, 1 << 20), "work-group"),
        ((CountGroups, 0), "count replies"),
        ((QueuedPerLane, 0), "queue"),
        ((QueuedPerLane, 65), "queue"),
        ((Positions, 0), "positions"),
        ((Moves, 0), "moves"),
        ((Moves, usize::MAX), "moves"),
    ];
    for (options, word) in values.map(|(value, word)| (GpuOptions::of([value]), word)).into_iter().chain(others) {
        let Some(result) = open::<D>(&options) else { return };
        let error = result.err().unwrap_or_else(|| panic!("{options:?}"));
        assert!(matches!(&error, BackendError::Unavailable { .. }) && error.to_string().contains(word), "{error}");
    }
}

/// Counts with 64 MiB of memory.
pub fn little_memory<D: TestDevice>() {
    let Some(backend) = open::<D>(&within(64 << 20)) else { return };
    let start = Quad48::from(&Fen::start().position);
    assert_eq!(backend.unwrap().perft(&Rules::STANDARD, &[start], 5, &mut unwatched), Ok(vec![4_865_609]));
}

/// Opens a device with less memory than one level needs.
pub fn too_little_memory<D: TestDevice>() {
    let Some(result) = open::<D>(&within(1 << 20)) else { return };
    let error = result.err().expect("no level fits");
    assert!(matches!(&error, BackendError::OutOfMemory { .. }) && error.to_string().contains("1048576"), "{error}");
}

/// Counts at a depth where levels of the usual sizes do not fit in memory, so the levels must get smaller.
pub fn great_depth<D: TestDevice>() {
    let Some(backend) = open::<D>(&within(512 << 20)) else { return };
    let mut backend = backend.unwrap();
    let stalemate = quad("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let start = Quad48::from(&Fen::start().position);
    assert_eq!(backend.perft(&Rules::STANDARD, &[stalemate], 300, &mut unwatched), Ok(vec![0]));
    assert_eq!(backend.perft(&Rules::STANDARD, &[start], 4, &mut unwatched), Ok(vec![197_281]));
    let error = backend.perft(&Rules::STANDARD, &[start], 1 << 20, &mut unwatched).unwrap_err();
    assert!(matches!(&error, BackendError::OutOfMemory { .. }), "{error}");
}

/// Counts positions with few moves in closed form, whose other moves overflow the queue: these positions are counted again
/// in another way, and later positions as usual.
pub fn more_moves_than_room<D: TestDevice>() {
    let sizes = [(GroupSize, 8), (ClosedFormGroupSize, 4), (CountGroupSize, 4)];
    let mut options = GpuOptions { profile: true, ..GpuOptions::of(sizes) };
    options.values.extend([(QueuedPerLane, 1), (Positions, 1), (Moves, 1)]);
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

/// Counts positions with more successors than the next level can hold, so that fewer positions are expanded in one launch.
pub fn more_successors_than_room<D: TestDevice>(split: &[GpuOptions]) {
    for options in split {
        with_backend::<D>(&options.clone().with(Positions, 1 << 14), |backend| {
            let start = Quad48::from(&Fen::start().position);
            assert_eq!(backend.perft(&Rules::STANDARD, &[start], 5, &mut unwatched), Ok(vec![4_865_609]));
        });
    }
}
