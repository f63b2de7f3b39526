//! The hash table of a list's shard.

use crate::buffer::Buffer;
use crate::interface::Interface;

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
