//! Sums over the entries of a ply, weighted by multiplicity.

use kogge_board::merge::Filter;
use kogge_board::{BackendError, Categories};

use super::numbers::{low_halves, product, sums_of, wide_sum, words};
use super::{Leaves, Lists, PATHS, Ply, Weights};
use crate::arguments::WeightedSums;
use crate::interface::{Failure, Interface};
use crate::runner::Retry;
use crate::session::Session;
use crate::settings::{REACHED_ONCE, WEIGHTED_SUMS_GROUP, WEIGHTED_SUMS_GROUPS};

/// The number of entries in the self-test of sums: several for each work-item of a group, and several groups.
const SELF_TEST_ENTRIES: usize = 3000;

/// Bytes for the self-test's lists, far more than they need.
const SELF_TEST_MEMORY: u64 = 1 << 28;

impl<I: Interface> Lists<I> {
    pub(crate) fn clear_sums(&self, session: &mut Session<I>) -> Result<(), Retry> {
        session.runner.clear("the sums", &self.sums, self.sums.len())
    }

    /// Adds the paths from the first `len` selected parents to their successors, which level 0 has counted, to a sum of their own.
    pub(crate) async fn add_paths_from(&self, session: &mut Session<I>, len: usize) -> Result<(), Retry> {
        self.add_kind(session, Weights::Selected, len, Leaves::Below(1), self.kinds).await
    }

    /// Adds the paths to the first `len` successors, which lie in one shard, to a sum of their own.
    pub(crate) async fn add_paths(&self, session: &mut Session<I>, len: usize) -> Result<(), Retry> {
        let weights = Weights::Entries(Ply::Successors, 0);
        self.add_kind(session, weights, len, Leaves::Below(0), self.kinds + 1).await
    }

    /// Adds to the sums the leaves of the first `len` roots, weighted by multiplicities. Nothing waits for it, and the sums cannot
    /// overflow.
    pub(crate) async fn add_weighted(
        &self,
        session: &mut Session<I>,
        weights: Weights,
        len: usize,
        leaves: Leaves,
    ) -> Result<(), Retry> {
        self.add_kind(session, weights, len, leaves, 0).await
    }

    /// Adds to the sums the leaves of each kind below the first `len` roots, weighted by multiplicities. Nothing waits for it.
    pub(crate) async fn add_by_kind(
        &self,
        session: &mut Session<I>,
        weights: Weights,
        len: usize,
    ) -> Result<(), Retry> {
        for kind in 0..Categories::COUNT {
            // The leaves of each kind are totals, at any depth.
            self.add_kind(session, weights, len, Leaves::Below(2), kind).await?;
        }
        Ok(())
    }

    async fn add_kind(
        &self,
        session: &mut Session<I>,
        weights: Weights,
        len: usize,
        leaves: Leaves,
        kind: usize,
    ) -> Result<(), Retry> {
        let stride = session.sizes().roots_by_kind() as u32;
        let level = if matches!(leaves, Leaves::Below(0) | Leaves::ReachedOnce) { 0 } else { len };
        let (runner, buffers) = session.work(1, level, 0)?;
        let selection = self.selection.as_ref();
        let found = match weights {
            Weights::Entries(ply, first) => self
                .shard(ply, &(first..first + len as u64))
                .map(|(shard, within)| (&shard.multiplicities, within.start)),
            Weights::Selected => selection.map(|selection| (&selection.multiplicities, 0)),
        };
        let (depth, counts) = match leaves {
            Leaves::Below(depth) => (depth, Some(&buffers.levels[0].counts)),
            Leaves::ReachedOnce => (REACHED_ONCE, Some(&buffers.levels[0].counts)),
            Leaves::Kept => (1, selection.map(|selection| &selection.kept_counts)),
        };
        let Some(((root_multiplicities, first), counts)) = found.zip(counts) else { return Err(runner.unasked()) };
        let arguments = WeightedSums {
            root_multiplicities,
            counts,
            known_totals: &buffers.totals,
            sums: &self.sums,
            first: first as u32,
            end: len as u32,
            depth,
            kind: kind as u32,
            stride,
        };
        // SAFETY: there are as many multiplicities; level 0, the totals and the numbers of kept successors have as many roots, or
        // are not read at depth 0; each group has a sum.
        unsafe { runner.launch(len, arguments) }.await
    }

    /// Returns the sum of all sums of each of the first kinds, in 256 bits.
    async fn wide_sums(&self, session: &mut Session<I>, kinds: usize) -> Result<Vec<[u32; 8]>, Retry> {
        let sums = session.runner.read("the sums", &self.sums, 0, sums_of(kinds)).await?;
        Self::add_up(session, &sums)
    }

    /// Adds up these sums of each kind, in 256 bits. Asks for a retry if their header is set, because a queue overflowed.
    pub(super) fn add_up(session: &mut Session<I>, sums: &[[u32; 8]]) -> Result<Vec<[u32; 8]>, Retry> {
        let Some((header, sums)) = sums.split_first() else { return Ok(Vec::new()) };
        session.check_overflow(header[0])?;
        Ok(sums.chunks(WEIGHTED_SUMS_GROUPS).map(|sums| wide_sum(sums.iter().copied())).collect())
    }

    /// Waits for all sums and returns those of the first kinds, or `None` if one exceeds 128 bits. Asks for a retry if a queue overflowed.
    pub(crate) async fn sums<const KINDS: usize>(
        &self,
        session: &mut Session<I>,
    ) -> Result<Option<[u128; KINDS]>, Retry> {
        Ok(low_halves(&self.wide_sums(session, KINDS).await?))
    }

    /// Also returns the sums of the paths from the parents of a run, and to their successors. See [`Lists::sums`].
    pub(crate) async fn sums_and_paths<const KINDS: usize>(
        &self,
        session: &mut Session<I>,
    ) -> Result<Option<([u128; KINDS], [u128; 2])>, Retry> {
        let wide = self.wide_sums(session, self.kinds + PATHS).await?;
        let (kinds, paths) = wide.split_at(self.kinds);
        Ok(low_halves(kinds).zip(low_halves(paths)))
    }

    /// Checks the kernel `weighted_sums` with multiplicities and leaves of all sizes, which counts would take too long to
    /// reach.
    ///
    /// # Errors
    /// [`BackendError::WrongAnswer`] if a sum is wrong, or if the device fails.
    pub(crate) async fn self_test(session: &mut Session<I>) -> Result<(), BackendError> {
        let tested = async {
            session.prepare(2).await?;
            let mut lists = Self::new(session, SELF_TEST_MEMORY, 1).await?;
            session.prepare(2).await?;
            let entries = SELF_TEST_ENTRIES.min(session.sizes().roots);
            lists.reserve(session, entries as u64, Filter::All).await?;
            lists.check_sums(session, entries).await
        };
        let tested = tested.await;
        session.end_merge();
        tested.map_err(|error| match error {
            Retry::Error(error) => error,
            Retry::OutOfMemory | Retry::Overflow => {
                session.runner.error("testing its sums of leaves", Failure::OutOfMemory)
            }
        })
    }

    async fn check_sums(&mut self, session: &mut Session<I>, entries: usize) -> Result<(), Retry> {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let mut multiplicities: Vec<u128> =
            (0..entries).map(|_| (u128::from(next()) << 64 | u128::from(next())) >> (next() % 128)).collect();
        // Several are one, or one and more in a higher word.
        for (index, multiplicity) in multiplicities.iter_mut().enumerate().step_by(7) {
            *multiplicity = if index % 2 == 0 { 1 } else { 1 << (32 * (1 + index / 2 % 3)) | 1 };
        }
        let mut totals: Vec<u64> = (0..entries).map(|_| next() >> (next() % 64)).collect();
        // Several are as great as possible, so that their sum has the highest word.
        for (multiplicity, total) in multiplicities.iter_mut().zip(&mut totals).skip(1).step_by(100) {
            (*multiplicity, *total) = (u128::MAX, u64::MAX);
        }
        // The first work-item begins with these two, and its sum then carries into words of ones only.
        for (index, multiplicity) in [(0, u128::MAX), (WEIGHTED_SUMS_GROUP, 1)] {
            if let Some(first) = multiplicities.get_mut(index) {
                *first = multiplicity;
            }
        }
        let counts: Vec<u32> = (0..entries).map(|_| next() as u32).collect();
        let (runner, buffers) = session.work(1, entries, 0)?;
        let shard = self.successors.as_mut().and_then(|list| list.shards.first_mut());
        let shard = shard.ok_or_else(|| runner.unasked())?;
        shard.len = entries as u64;
        runner.write("multiplicities", &shard.multiplicities, &multiplicities.iter().map(words).collect::<Vec<_>>())?;
        let halves = totals.iter().map(|&total| [total as u32, (total >> 32) as u32]);
        runner.write("totals", &buffers.totals, &[[0, 0]].into_iter().chain(halves).collect::<Vec<_>>())?;
        runner.write("counts", &buffers.levels[0].counts, &counts)?;
        for asked in [Leaves::Below(0), Leaves::Below(1), Leaves::Below(2), Leaves::ReachedOnce] {
            let leaves = |root: usize, multiplicity: u128| match asked {
                Leaves::ReachedOnce => (multiplicity == 1).into(),
                Leaves::Below(0) => 1,
                Leaves::Below(1) => counts[root].into(),
                _ => totals[root],
            };
            // One sum leaves out the first entry, so that sums begin elsewhere too.
            for first in 0..2 {
                let weighted = multiplicities[first..].iter().enumerate();
                let expected =
                    wide_sum(weighted.map(|(root, &multiplicity)| product(multiplicity, leaves(root, multiplicity))));
                let len = entries - first;
                let weights = Weights::Entries(Ply::Successors, first as u64);
                self.clear_sums(session)?;
                // Sums are added to earlier sums.
                self.add_weighted(session, weights, len, asked).await?;
                let once = self.wide_sums(session, 1).await?;
                self.add_weighted(session, weights, len, asked).await?;
                let twice = self.wide_sums(session, 1).await?;
                if once != [expected] || twice != [wide_sum([expected; 2])] {
                    let reason = format!("it summed {len} products of multiplicities and leaves wrong ({asked:?}).");
                    return Err(session.runner.wrong(reason));
                }
            }
        }
        Ok(())
    }
}
