//! The part of a ply's entries that fits in the device's largest buffer.

use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::kernels::Part;
use crate::runner::Runner;

/// Some of the entries of a ply, by hashes of their diagrams. A kernel cannot access more than the largest buffer.
pub(super) struct Shard<I: Interface> {
    pub(super) positions: Buffer<I, Part>,
    pub(super) multiplicities: Buffer<I, [u32; 4]>,
    pub(super) room: u64,
    /// The number of entries, as far as the host knows.
    pub(super) len: u64,
}

impl<I: Interface> Shard<I> {
    pub(super) async fn new(runner: &mut Runner<I>, room: u64, parts: usize) -> Result<Self, Failure> {
        let positions = runner.list_buffer("entries", room as usize * parts).await?;
        let multiplicities = runner.list_buffer("multiplicities", room as usize).await?;
        Ok(Self { positions, multiplicities, room, len: 0 })
    }
}
