//! Memory that threads reuse.

use std::sync::{Mutex, PoisonError};

use super::super::shard::{Candidate, Shard};
use crate::lanes::batch::{Batch, Queue};
use crate::lanes::categories::Numbers;
use crate::lanes::tree::Tree;

/// Memory that tasks use one after the other.
#[derive(Default)]
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub(super) fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn give_back(&self, used: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(used);
    }
}

/// The scratch memory that a thread keeps from task to task.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) parents: Batch,
    pub(super) children: Batch,
    pub(super) queue: Queue,
    pub(super) candidates: Vec<Candidate>,
    pub(super) strays: Vec<Candidate>,
    pub(super) multiplicities: Vec<u128>,
    /// For each parent, the number of its successors that pass the filter.
    pub(super) kept_of: Vec<u32>,
}

/// The scratch memory of a thread that counts trees.
#[derive(Default)]
pub(super) struct TreeScratch<B> {
    pub(super) tree: Tree,
    pub(super) positions: Vec<[u64; 4]>,
    pub(super) below: Vec<B>,
    pub(super) expansion: Scratch,
    /// The merged successors of one task.
    pub(super) table: Shard,
}

/// The scratch memory of all threads that count trees.
#[derive(Default)]
pub(super) struct ScratchBelow {
    pub(super) leaves: Pool<TreeScratch<u64>>,
    pub(super) kinds: Pool<TreeScratch<Numbers>>,
}
