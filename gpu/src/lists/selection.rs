//! The buffers of an expansion that does not keep all successors.

use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::runner::Runner;

/// Bytes for each root: its multiplicity and the number of its kept successors.
pub(super) const SELECTION: u64 = 16 + 4;

/// The buffers of an expansion that does not keep all successors.
pub(super) struct Selection<I: Interface> {
    /// The multiplicities of the selected parents.
    pub(super) multiplicities: Buffer<I, [u32; 4]>,
    /// The number of selected parents.
    pub(super) count: Buffer<I, u32>,
    /// The number of each parent's kept successors.
    pub(super) kept_counts: Buffer<I, u32>,
    /// The share of the last parents that were selected.
    pub(super) density: f64,
}

impl<I: Interface> Selection<I> {
    pub(super) async fn new(runner: &mut Runner<I>, roots: usize) -> Result<Self, Failure> {
        Ok(Self {
            multiplicities: runner.list_buffer("selected_multiplicities", roots).await?,
            count: runner.list_buffer("selected_count", 1).await?,
            kept_counts: runner.list_buffer("kept_counts", roots).await?,
            density: 1.0,
        })
    }
}
