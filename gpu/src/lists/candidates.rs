//! The data of candidates besides their positions.
//!
//! Candidates of several shards are sorted: a kernel counts the candidates of each shard, another one adds up these numbers, and
//! a third one sorts the candidates.

use kogge_board::merge::Filter;

use crate::arguments::{CountShards, ScanShards, SortByShard, with_filter};
use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::levels::Level;
use crate::runner::{Retry, Runner};

/// Bytes of a candidate besides its position: its multiplicity, and the slot that it took.
pub(super) const CANDIDATE: u64 = 16 + 4;

/// Bytes of a candidate that is sorted by shard: its shard, and its place.
pub(super) const SORTING: u64 = 4 + 4;

/// The data of the candidates besides their positions.
pub(super) struct Candidates<I: Interface> {
    pub(super) multiplicities: Buffer<I, [u32; 4]>,
    /// The slots that they have taken.
    pub(super) taken: Buffer<I, u32>,
    pub(super) sorting: Option<Sorting<I>>,
    /// What the kernel that appends candidates gets if they are not sorted.
    pub(super) unsorted: Buffer<I, u32>,
}

/// The candidates sorted by shard.
pub(super) struct Sorting<I: Interface> {
    /// The shard of each candidate.
    shards: Buffer<I, u32>,
    /// A word for each shard, then the candidates.
    pub(super) sorted: Buffer<I, u32>,
}

impl<I: Interface> Candidates<I> {
    /// Makes room for `len` candidates of one shard. All multiplicities are zero, as before and after each insertion.
    async fn new(runner: &mut Runner<I>, len: usize) -> Result<Self, Failure> {
        let multiplicities: Buffer<I, [u32; 4]> = runner.list_buffer("candidate_multiplicities", len).await?;
        runner.interface.clear(multiplicities.raw(), multiplicities.bytes())?;
        Ok(Self {
            multiplicities,
            taken: runner.list_buffer("taken", len).await?,
            sorting: None,
            unsorted: runner.list_buffer("sorted", 1).await?,
        })
    }

    /// Makes room for `len` candidates of `shards` shards, unless there is enough.
    pub(super) async fn provide(
        candidates: &mut Option<Self>,
        runner: &mut Runner<I>,
        len: usize,
        shards: usize,
    ) -> Result<(), Retry> {
        let spare = candidates.take().filter(|spare| spare.taken.len() >= len);
        let made = async {
            let mut candidates = match spare {
                Some(spare) => spare,
                None => Self::new(runner, len).await?,
            };
            candidates.sort_by(runner, shards).await?;
            Ok(candidates)
        };
        let made = made.await;
        *candidates = Some(made.map_err(|failure| runner.failed("to make room for positions", failure))?);
        Ok(())
    }

    /// Makes room for sorting the candidates by shard, if there are several shards.
    async fn sort_by(&mut self, runner: &mut Runner<I>, shards: usize) -> Result<(), Failure> {
        let (len, all) = (self.taken.len(), self.taken.len() + shards);
        self.sorting = match self.sorting.take() {
            _ if shards < 2 => None,
            Some(sorting) if sorting.sorted.len() >= all => Some(sorting),
            _ => Some(Sorting {
                shards: runner.list_buffer("candidate_shards", len).await?,
                sorted: runner.list_buffer("sorted", all).await?,
            }),
        };
        Ok(())
    }
}

impl<I: Interface> Sorting<I> {
    /// Sorts the first `len` of these candidates that are kept by shard, and counts them for each root.
    pub(super) async fn sort(
        &self,
        runner: &mut Runner<I>,
        candidates: &Level<I>,
        len: usize,
        shards: usize,
        filter: Filter,
        kept_counts: &Buffer<I, u32>,
    ) -> Result<(), Retry> {
        let Self { shards: candidate_shards, sorted: new_sorted } = self;
        let (end, shard_count) = (len as u32, shards as u32);
        runner.clear("the numbers of candidates", new_sorted, shards)?;
        let count = with_filter!(filter => CountShards {
            positions: &candidates.positions,
            roots: &candidates.roots,
            kept_counts,
            candidate_shards,
            new_sorted,
            end,
            shard_count,
        });
        // SAFETY: there are as many candidates, whose roots have a number if not all are kept; each candidate has a shard, and each
        // shard a word.
        unsafe { runner.launch(len, count) }.await?;
        // SAFETY: the kernel accesses only the words of the shards.
        unsafe { runner.launch(1, ScanShards { new_sorted, shard_count }) }.await?;
        // SAFETY: behind the words of the shards there is room for all candidates.
        unsafe { runner.launch(len, SortByShard { candidate_shards, new_sorted, end, shard_count }) }.await
    }
}
