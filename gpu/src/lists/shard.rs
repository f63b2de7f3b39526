//! The part of a ply's entries that fits in the device's largest buffer, and its hash table.

use kogge_board::Planes32;

use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::kernels::Part;
use crate::runner::Runner;

/// The bytes of a position in a list.
pub(super) const POSITION: u64 = size_of::<Planes32>() as u64;

/// The number of parts of a position in a list.
pub(super) const PARTS: usize = size_of::<Planes32>() / size_of::<Part>();

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

    /// The number of entries for which there are buffers.
    pub(super) fn room(&self) -> u64 {
        (self.positions.len() / PARTS) as u64
    }
}

/// The words of `merge_state`.
pub(super) const LEN: usize = 0;
pub(super) const FRESH: usize = 1;
pub(super) const FULL: usize = 2;
pub(super) const OVERFLOW: usize = 3;
pub(super) const STATE: usize = 4;

/// The hash table of a shard, and the state of its list.
pub(super) struct Table<I: Interface> {
    pub(super) slots: Buffer<I, u32>,
    /// The number of slots that are used.
    pub(super) len: usize,
    /// The maximum number of candidates of an insertion. There are more free slots than that.
    pub(super) candidates: usize,
    pub(super) state: Buffer<I, u32>,
}

/// The slots of the table of a run for an insertion of `candidates` candidates. The table holds only these candidates, and at least
/// one slot is free even if they all differ; mostly less than half of them differ. A small table stays in a large GPU's cache.
pub(super) const fn slots_of(candidates: usize) -> usize {
    candidates / 4 * 5 + candidates % 4 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_stays_free() {
        assert!((0..100).all(|candidates| slots_of(candidates) > candidates));
        assert!((0..100).is_sorted_by_key(slots_of));
    }
}
