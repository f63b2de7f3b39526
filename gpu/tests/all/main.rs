//! The GPU host over the twin. A single program compiles the host once, and its tests share the cores.

mod awaiting;
mod conformance;
mod failures;
mod merging;
mod minimax;
mod queues;
mod tuning;
mod watching;

use kogge_board::merge::{Filter, Merge, MergeError, WeightedPosition};
use kogge_board::{Fen, Quad48, known};
use kogge_gpu::{Gpu, GpuOptions};
use kogge_testkit::twin::TwinDevice;

/// Reads a FEN or the name of a standard position.
fn fen(text: &str) -> Fen {
    known::root(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Opens a device without the self-tests of counting.
fn open(device: &TwinDevice, options: &GpuOptions) -> Gpu<TwinDevice> {
    Gpu::untested(device, options).unwrap_or_else(|error| panic!("{error}"))
}

fn entry(root: &Fen, multiplicity: u128) -> WeightedPosition {
    WeightedPosition { position: Quad48::from(&root.position), multiplicity }
}

/// Begins a merge with one position.
fn begin(merge: &mut dyn Merge, entry: WeightedPosition) -> Result<(), MergeError> {
    merge.reserve(1, Filter::All)?;
    merge.add(&[entry])
}

/// Makes the next ply, in a list with this capacity, and returns the number of its paths.
fn next_ply(merge: &mut dyn Merge, capacity: u64) -> Result<u128, MergeError> {
    merge.descend(false)?;
    merge.reserve(capacity, Filter::All)?;
    merge.expand(0..merge.parents())
}
