//! Breadth-first counting.
//!
//! A device holds one buffer of positions for each level of the tree. The positions of a level are expanded part by
//! part; each part becomes the next level, and its tree is counted before the next part is expanded. The last plies are
//! counted in closed form, without making their positions. Thus the host walks the tree depth first, in parts as large
//! as the buffers allow, and memory does not grow with the tree.
//!
//! If memory runs out, the buffers are halved and the batch starts again. A total is valid only when it includes all
//! leaves below its root.

use kogge_board::{BackendError, Quad48, Rules, Successors};

use crate::MOST_MOVES;
use crate::expansion::{Expansion, ExpansionPart};
use crate::interface::Interface;
use crate::runner::Retry;
use crate::session::Session;
use crate::variants::MOST_LAST_PLIES;
use crate::watching::{Span, Watching};

/// Counts the leaves `depth` plies below each position.
pub(crate) async fn perft<I: Interface>(
    session: &mut Session<I>,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    mut watching: Watching<'_>,
) -> Result<Vec<u128>, BackendError> {
    match depth {
        0 => return Ok(vec![1; positions.len()]),
        1 => return Ok(count(session, rules, positions).await?.into_iter().map(u128::from).collect()),
        _ => session.begin(),
    }
    let mut totals = Vec::with_capacity(positions.len());
    let share = |done: usize| done as f64 / positions.len() as f64;
    let levels = move |session: &Session<I>| session.levels(depth);
    let count = async |session: &mut Session<I>, batch: &[Quad48]| {
        session.upload(rules, batch).await?;
        let mut sums = vec![0; batch.len()];
        let collect = async |session: &mut Session<I>| {
            let more = session.take_totals(batch.len()).await?;
            sums.iter_mut().zip(&more).for_each(|(sum, &more)| *sum += u128::from(more));
            Ok(more.into_iter().map(u128::from).sum())
        };
        watching.batch = [totals.len(), totals.len() + batch.len()].map(share);
        let mut walk = Walk::new(session, collect, Some(&mut watching));
        walk.descend(0, batch.len(), depth, Span::WHOLE).await?;
        walk.collect().await?;
        watching.counted += sums.iter().sum::<u128>();
        totals.append(&mut sums);
        Ok(())
    };
    session.in_batches(levels, positions, count).await?;
    Ok(totals)
}

async fn count<I: Interface>(
    session: &mut Session<I>,
    rules: &Rules,
    positions: &[Quad48],
) -> Result<Vec<u32>, BackendError> {
    let mut counts = Vec::with_capacity(positions.len());
    let count = async |session: &mut Session<I>, batch: &[Quad48]| {
        session.upload(rules, batch).await?;
        session.count_level(0, batch.len()).await?;
        counts.append(&mut session.counts(batch.len()).await?);
        Ok(())
    };
    session.in_batches(|_| 1, positions, count).await?;
    Ok(counts)
}

/// Expands each position, in generation order.
pub(crate) async fn expand<I: Interface>(
    session: &mut Session<I>,
    rules: &Rules,
    positions: &[Quad48],
) -> Result<Successors, BackendError> {
    let mut all = Successors { positions: Vec::new(), ends: Vec::with_capacity(positions.len()) };
    let expand = async |session: &mut Session<I>, batch: &[Quad48]| {
        let mut successors = Vec::new();
        session.upload(rules, batch).await?;
        let cut = session.cut(0, batch.len(), 0).await?;
        let counts = session.counts(batch.len()).await?;
        let sizes = session.sizes();
        for part in cut.all(sizes.moves.min(sizes.successors)) {
            session.read_successors(rules, &part, &mut successors).await?;
        }
        let mut end = all.positions.len();
        all.positions.append(&mut successors);
        all.ends.extend(counts.into_iter().map(|count| {
            end += count as usize;
            end
        }));
        Ok(())
    };
    session.in_batches(|_| 1, positions, expand).await?;
    Ok(all)
}

/// A walk down the tree of a batch.
pub(crate) struct Walk<'a, 'w, I: Interface, C> {
    session: &'a mut Session<I>,
    /// Reads the totals from the device, clears them there, adds them to the collected leaves, and returns the leaves.
    collect: C,
    /// An upper bound of all totals on the device.
    pending: u64,
    /// The leaves that were collected.
    leaves: u128,
    watching: Option<&'a mut Watching<'w>>,
}

impl<'a, 'w, I: Interface, C: AsyncFnMut(&mut Session<I>) -> Result<u128, Retry>> Walk<'a, 'w, I, C> {
    pub(crate) fn new(session: &'a mut Session<I>, collect: C, watching: Option<&'a mut Watching<'w>>) -> Self {
        Self { session, collect, pending: 0, leaves: 0, watching }
    }

    /// Counts the leaves `depth` plies, at least two, below the first `len` positions of a level. Afterwards, some totals may be
    /// on the device still: [`Walk::collect`] takes them.
    pub(crate) async fn descend(&mut self, level: usize, len: usize, depth: u32, span: Span) -> Result<(), Retry> {
        if depth > 1 && depth <= self.session.last_plies() {
            return self.count_leaves(level, len, depth, span).await;
        }
        let most = self.session.sizes().positions;
        if depth > 2 {
            // The leaves below the successors of the last level are one part.
            let is_last = depth - 1 <= self.session.last_plies().max(2);
            let mut expansion = Expansion::of(len);
            let mut done = 0;
            loop {
                let aim = if is_last { self.part_size(most) } else { most };
                let next = expansion.next(self.session, level, aim).await?;
                let Some(ExpansionPart { successors, end }) = next else { return Ok(()) };
                let part = span.part(done, end, len);
                Box::pin(self.descend(level + 1, successors, depth - 1, part)).await?;
                done = end;
            }
        }
        for part in self.session.cut(level, len, 0).await?.all(self.session.sizes().moves) {
            self.make_room(part.moves as u64 * u64::from(MOST_MOVES)).await?;
            self.session.count_part(level, &part).await?;
            self.part_done(span.part(0, part.positions.end, len)).await?;
        }
        Ok(())
    }

    /// Counts the leaves below the first `len` positions of a level without making positions, in parts so small that no
    /// total overflows and that a watched count can be stopped.
    async fn count_leaves(&mut self, level: usize, len: usize, depth: u32, span: Span) -> Result<(), Retry> {
        let most = u64::from(MOST_MOVES).pow(depth.min(MOST_LAST_PLIES));
        let limit = self.session.runner.settings.most_total;
        let most_together = usize::try_from(limit / most).unwrap_or(usize::MAX).max(1);
        let mut start = 0;
        while start < len {
            let step = self.part_size(most_together);
            let end = len.min(start.saturating_add(step));
            self.make_room(most.saturating_mul((end - start) as u64)).await?;
            self.session.count_leaves(level, start..end, depth).await?;
            // Parts of full size are so short that they need not be timed.
            let full = self.session.sizes().positions;
            if self.watching.is_some() && (end < len || self.part_size(full) < full) {
                // Wait for this part before the next one is queued; otherwise the time of the next part would include
                // this one.
                self.session.runner.wait().await?;
            }
            self.part_done(span.part(0, end, len)).await?;
            start = end;
        }
        Ok(())
    }

    /// Returns the number of positions of a part: `most`, unless the count is watched.
    fn part_size(&self, most: usize) -> usize {
        self.watching.as_ref().map_or(most, |watching| watching.part_size(most))
    }

    /// Notes the end of a part of the leaves. Reports the progress to the end of the span several times a second.
    async fn part_done(&mut self, done: Span) -> Result<(), Retry> {
        let most = self.session.sizes().positions;
        if !self.watching.as_mut().is_some_and(|watching| watching.part_done(most)) {
            return Ok(());
        }
        self.collect().await?;
        match &mut self.watching {
            Some(watching) => Ok(watching.report(self.leaves, done.end)?),
            None => Ok(()),
        }
    }

    /// Makes sure that each total on the device can grow by `leaves`.
    async fn make_room(&mut self, leaves: u64) -> Result<(), Retry> {
        if leaves > self.session.runner.settings.most_total.saturating_sub(self.pending) {
            self.collect().await?;
        }
        self.pending = self.pending.saturating_add(leaves);
        Ok(())
    }

    /// Takes all totals from the device.
    pub(crate) async fn collect(&mut self) -> Result<(), Retry> {
        self.pending = 0;
        // Leaves weighted by multiplicity may exceed 128 bits; `collect` detects that, and this sum is used only for
        // reports.
        let leaves = (self.collect)(self.session).await?;
        self.leaves = self.leaves.saturating_add(leaves);
        Ok(())
    }
}
