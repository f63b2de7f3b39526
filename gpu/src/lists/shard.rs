//! The part of a ply's entries that fits in the device's largest buffer.

use kogge_board::Planes32;

use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::kernels::Part;
use crate::runner::Runner;

/// The bytes of a position in a list.
pub(super) const POSITION: u64 = size_of::<Planes32>() as u64;

/// The number of parts of a position in a list.
pub(super) const PARTS: usize = size_of::<Planes32>() / size_of::<Part>();

/// Returns the position of these parts.
pub(super) fn planes_of(parts: &[Part]) -> Planes32 {
    match *parts {
        [[bit1, bit2], [bit4, own]] => Planes32 { codes: [bit1, bit2, bit4], own },
        _ => Planes32::default(),
    }
}

/// Some of the entries of a ply, by hashes of their diagrams. A kernel cannot access more than the largest buffer.
pub(super) struct Shard<I: Interface> {
    pub(super) positions: Buffer<I, Part>,
    pub(super) multiplicities: Buffer<I, [u32; 4]>,
    pub(super) capacity: u64,
    /// The number of entries, as far as the host knows.
    pub(super) len: u64,
}

impl<I: Interface> Shard<I> {
    pub(super) async fn new(runner: &mut Runner<I>, capacity: u64) -> Result<Self, Failure> {
        let positions = runner.list_buffer("entries", capacity as usize * PARTS).await?;
        let multiplicities = runner.list_buffer("multiplicities", capacity as usize).await?;
        Ok(Self { positions, multiplicities, capacity, len: 0 })
    }
}
