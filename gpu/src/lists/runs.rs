//! Counts leaves in runs. A run is some consecutive parents, in the order of the other side's pieces, whose successors are merged with each
//! other alone, in a list of their own.

use std::ops::Range;

use kogge_board::merge::{Filter, MergeError};

use super::hashed::HashedList;
use super::insert::Inserter;
use super::leaves::add_leaves;
use super::list::List;
use super::selection::Selection;
use super::shard::{POSITION, slots_of};
use super::sums::Sums;
use crate::arguments::LoadOrdered;
use crate::expansion::{Expansion, ExpansionPart};
use crate::interface::Interface;
use crate::levels::Sizes;
use crate::runner::Retry;
use crate::session::Session;

/// The share of its capacity that a run should fill.
const FILLED: f64 = 0.85;

/// Bytes of a successor in the list of a run, which is not in the table any more.
pub(super) const RUN_ENTRY: u64 = POSITION + 16;

pub(super) fn table_bytes(sizes: &Sizes, entries: u64) -> u64 {
    4 * slots_of(candidates_of(sizes, entries)) as u64
}

/// Returns the maximum number of candidates of an insertion into a run: its capacity, or what fits in a level.
pub(super) fn candidates_of(sizes: &Sizes, entries: u64) -> usize {
    let wanted = usize::try_from(entries).unwrap_or(usize::MAX);
    wanted.clamp(sizes.least_positions().min(sizes.positions), sizes.positions)
}

/// The outcome of merging the successors of a run.
enum RunOutcome {
    /// All successors are in the list: the number of distinct ones.
    All(u64),
    /// The successors do not fit in the list.
    Full,
    /// A multiplicity exceeds 128 bits, and therefore the sum of the leaves does, too.
    Overflow,
}

/// The runs of a list.
pub(crate) struct Runs<'a, I: Interface> {
    pub(super) session: &'a mut Session<I>,
    /// The list, in order.
    pub(super) parents: &'a List<I>,
    /// The multiplicities of the parents in level 0.
    pub(super) selection: &'a Selection<I>,
    /// The list of a run's successors.
    pub(super) run: &'a mut HashedList<I>,
    /// The capacity of this list.
    pub(super) capacity: u64,
    pub(super) inserter: Inserter<'a, I>,
    pub(super) sums: &'a Sums<I>,
    /// The average number of moves of the positions in the most recent run.
    pub(super) moves: &'a mut f64,
}

impl<I: Interface> Runs<'_, I> {
    /// Counts the weighted leaves below these parents in runs of about as many successors: in all if `KINDS` is one, else by kind.
    /// The result is `None` if a sum does not fit in 128 bits.
    pub(crate) async fn count<const KINDS: usize>(
        &mut self,
        parents: &Range<u64>,
        depth: u32,
    ) -> Result<Option<[u128; KINDS]>, Retry> {
        let mut all = [0_u128; KINDS];
        let mut rest = parents.clone();
        let capacity = self.capacity as f64;
        // The number of distinct successors per parent, at first as if all successors were different.
        let mut each = *self.moves;
        while !rest.is_empty() {
            let len = (FILLED * capacity / each) as u64;
            let run = rest.start..rest.end.min(rest.start + len.max(1));
            let merged = match self.merge(&run).await? {
                RunOutcome::All(len) => len,
                RunOutcome::Overflow => return Ok(None),
                RunOutcome::Full if run.end - run.start > 1 => {
                    // A larger share of the successors is distinct than in the earlier runs.
                    each = (2.0 * each).max(capacity / (run.end - run.start) as f64);
                    continue;
                }
                RunOutcome::Full => return Err(Retry::OutOfMemory),
            };
            let Self { session, run: HashedList { list, .. }, sums, .. } = &mut *self;
            if merged > 0 {
                // The list of a run has one shard.
                let all = list.batch(&session.runner, &(0..merged), usize::MAX)?;
                sums.add_paths(session, &all.weights(), 0).await?;
            }
            add_leaves(session, list, sums, 0..merged, depth - 1, KINDS).await?;
            let Some((more, [to_merged, paths])) = sums.read_with_paths::<KINDS>(session).await? else {
                return Ok(None);
            };
            if paths != to_merged {
                let reason = format!("{paths} paths became {to_merged} when it merged a run.");
                return Err(session.runner.wrong(reason));
            }
            for (sum, more) in all.iter_mut().zip(more) {
                let Some(added) = sum.checked_add(more) else { return Ok(None) };
                *sum = added;
            }
            each = merged as f64 / (run.end - run.start) as f64;
            rest.start = run.end;
        }
        Ok(Some(all))
    }

    /// Merges the successors of these parents, and begins new sums with the number of paths to these successors.
    async fn merge(&mut self, parents: &Range<u64>) -> Result<RunOutcome, Retry> {
        self.run.clear(&mut self.session.runner)?;
        self.sums.clear(&mut self.session.runner)?;
        let mut rest = parents.clone();
        while !rest.is_empty() {
            let batch = rest.start..rest.end.min(rest.start + self.session.sizes().roots as u64);
            self.load(batch.clone()).await?;
            let Self { session, selection, run, inserter, sums, moves, .. } = &mut *self;
            let weights = selection.weights((batch.end - batch.start) as usize);
            let most = run.most_candidates(inserter.candidates.as_ref());
            let mut expansion = Expansion::to_merge(Filter::All, weights.len, most);
            let mut found = 0;
            while let Some(ExpansionPart { successors, .. }) = expansion.next(session, 0, usize::MAX).await? {
                inserter.insert(session, run, 1, successors, &weights).await?;
                found += successors;
            }
            **moves = (found as f64 / weights.len as f64).max(1.0);
            sums.add_paths(session, &weights, 1).await?;
            rest.start = batch.end;
        }
        match self.run.inserted(self.session, self.sums).await {
            Ok((len, [])) => Ok(RunOutcome::All(len)),
            Err(MergeError::Overflow) => Ok(RunOutcome::Overflow),
            Err(MergeError::Backend(error)) => Err(error.into()),
            Err(MergeError::Full | MergeError::MixedTurns) => Ok(RunOutcome::Full),
        }
    }

    /// Loads the parents at these places of their order into level 0, each a root of its own, with their multiplicities.
    async fn load(&mut self, places: Range<u64>) -> Result<(), Retry> {
        let Self { session, parents, selection, .. } = self;
        let len = (places.end - places.start) as usize;
        let (runner, buffers) = session.work(1, len, 0)?;
        let order = parents.order.as_ref().filter(|order| {
            order.len == parents.len() && places.end <= order.len && len <= selection.multiplicities.len()
        });
        let order = order.ok_or_else(|| runner.unasked())?;
        let [starts, ends] = [places.start, places.end].map(|place| order.cut(place));
        let parts: Vec<_> = starts.into_iter().zip(ends).collect();
        // Shards take turns, so that entries with the same pieces of the other side stay together. The entries that a shard has
        // left come last.
        let common = parts.iter().map(|(start, end)| end - start).min().unwrap_or(0);
        let mut last = common * parts.len() as u64;
        for (index, ((shard, numbers), (start, end))) in
            parents.shards.iter().zip(&order.numbers).zip(&parts).enumerate()
        {
            let len = end - start;
            let arguments = LoadOrdered {
                entries: &shard.positions,
                root_multiplicities: &shard.multiplicities,
                order: numbers,
                successors: &buffers.levels[0].positions,
                successor_roots: &buffers.levels[0].roots,
                selected_multiplicities: &selection.multiplicities,
                first: *start as u32,
                end: len as u32,
                shard_index: index as u32,
                shard_count: parts.len() as u32,
                turns: common as u32,
                at: last as u32,
            };
            // SAFETY: the order has these places and holds numbers of the shard's entries. No two entries get the same place
            // in level 0, which like the multiplicities has room for as many as all shards have.
            unsafe { runner.launch(len as usize, arguments) }.await?;
            last += len - common;
        }
        Ok(())
    }
}
