//! Breadth-first counting.
//!
//! A device holds one buffer of positions for each level of the tree. The positions of a level are expanded part by
//! part; each part becomes the next level, and its tree is counted before the next part is expanded. The last plies are
//! counted in closed form, without making their positions. Thus the host walks the tree depth first, in parts as large
//! as the buffers allow, and memory does not grow with the tree.
//!
//! If memory runs out, the buffers are halved and the batch starts again. A total is used only when it includes all
//! leaves below its root.

use kogge_board::{BackendError, Quad48, Rules, Successors};

use crate::families::Families;
use crate::interface::Interface;
use crate::parts::{bases, parts};
use crate::runner::Halt;
use crate::session::Session;
use crate::{MOST_LAST_PLIES, MOST_MOVES};

impl<I: Interface> Session<I> {
    /// Counts the leaves `depth` plies below each position.
    ///
    /// # Errors
    /// If the device fails, or if a count does not fit in 64 bits.
    pub(crate) async fn perft(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
    ) -> Result<Vec<u64>, BackendError> {
        self.overflowed = false;
        match depth {
            0 => return Ok(vec![1; positions.len()]),
            1 => return Ok(self.count(rules, positions).await?.into_iter().map(u64::from).collect()),
            _ => {}
        }
        let mut totals = Vec::with_capacity(positions.len());
        let levels = move |session: &Self| session.levels(depth);
        self.in_batches(levels, positions, async |session, batch| {
            session.upload(rules, batch).await?;
            let mut sums = vec![0_u64; batch.len()];
            let collect = async |session: &mut Self| {
                let more = session.take_totals(batch.len()).await?;
                Ok(add(&mut sums, &more)?)
            };
            Walk::new(session, collect).count(batch.len(), depth).await?;
            totals.append(&mut sums);
            Ok(())
        })
        .await?;
        Ok(totals)
    }

    /// The number of levels, in a tree of this depth, whose positions are made.
    pub(crate) fn levels(&self, depth: u32) -> usize {
        depth.saturating_sub(self.last_plies().max(2)) as usize + 1
    }

    /// Counts the legal moves of each position.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) async fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        let mut counts = Vec::with_capacity(positions.len());
        self.in_batches(
            |_| 1,
            positions,
            async |session, batch| {
                session.upload(rules, batch).await?;
                session.count_level(0, batch.len()).await?;
                counts.append(&mut session.counts(batch.len()).await?);
                Ok(())
            },
        )
        .await?;
        Ok(counts)
    }

    /// Makes the successors of each position, in generation order.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) async fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        let mut all = Successors { positions: Vec::new(), ends: Vec::with_capacity(positions.len()) };
        self.in_batches(
            |_| 1,
            positions,
            async |session, batch| {
                let mut successors = Vec::new();
                session.upload(rules, batch).await?;
                let sums = session.count_level(0, batch.len()).await?;
                let counts = session.counts(batch.len()).await?;
                let sizes = session.sizes;
                session.set_bases(0, &bases(&sums))?;
                for part in parts(&sums, batch.len(), sizes.block, sizes.moves.min(sizes.successors)) {
                    session.read_successors(rules, &part, &mut successors).await?;
                }
                let mut end = all.positions.len();
                all.positions.append(&mut successors);
                all.ends.extend(counts.into_iter().map(|count| {
                    end += count as usize;
                    end
                }));
                Ok(())
            },
        )
        .await?;
        Ok(all)
    }
}

/// Adds each total to its sum.
fn add(sums: &mut [u64], totals: &[u64]) -> Result<(), BackendError> {
    sums.iter_mut().zip(totals).try_for_each(|(sum, &more)| {
        *sum = sum.checked_add(more).ok_or(BackendError::Overflow)?;
        Ok(())
    })
}

/// A walk down the tree of a batch.
pub(crate) struct Walk<'a, I: Interface, C> {
    session: &'a mut Session<I>,
    /// Reads the totals from the device, clears them there, and adds them.
    collect: C,
    /// An upper bound of all totals on the device.
    pending: u64,
}

impl<'a, I: Interface, C: AsyncFnMut(&mut Session<I>) -> Result<(), Halt>> Walk<'a, I, C> {
    pub(crate) fn new(session: &'a mut Session<I>, collect: C) -> Self {
        Self { session, collect, pending: 0 }
    }

    /// Counts the leaves `depth` plies, at least two, below `len` roots, and collects all totals.
    pub(crate) async fn count(&mut self, len: usize, depth: u32) -> Result<(), Halt> {
        self.descend(0, len, depth).await?;
        self.collect().await
    }

    /// Counts the leaves `depth` plies, at least two, below the first `len` positions of a level.
    async fn descend(&mut self, level: usize, len: usize, depth: u32) -> Result<(), Halt> {
        if depth > 1 && depth <= self.session.last_plies() {
            return self.count_leaves(level, len, depth).await;
        }
        if depth > 2 {
            let mut families = Families::of(len);
            while let Some(successors) = families.next(self.session, level).await? {
                Box::pin(self.descend(level + 1, successors, depth - 1)).await?;
            }
            return Ok(());
        }
        let sums = self.session.count_level(level, len).await?;
        let sizes = self.session.sizes;
        self.session.set_bases(level, &bases(&sums))?;
        for part in parts(&sums, len, sizes.block, sizes.moves) {
            self.make_room(part.moves as u64 * u64::from(MOST_MOVES)).await?;
            self.session.count_part(level, &part).await?;
        }
        Ok(())
    }

    /// Counts the leaves below the first `len` positions of a level without making positions, in parts so small that no
    /// total overflows.
    async fn count_leaves(&mut self, level: usize, len: usize, depth: u32) -> Result<(), Halt> {
        let most = u64::from(MOST_MOVES).pow(depth.min(MOST_LAST_PLIES));
        let limit = self.session.runner.settings.most_total;
        let step = usize::try_from(limit / most).unwrap_or(usize::MAX).max(1);
        let mut start = 0;
        while start < len {
            let end = len.min(start.saturating_add(step));
            self.make_room(most.saturating_mul((end - start) as u64)).await?;
            self.session.count_leaves(level, start..end, depth).await?;
            start = end;
        }
        Ok(())
    }

    /// Makes sure that each total on the device has room for `leaves` more.
    async fn make_room(&mut self, leaves: u64) -> Result<(), Halt> {
        if leaves > self.session.runner.settings.most_total.saturating_sub(self.pending) {
            self.collect().await?;
        }
        self.pending = self.pending.saturating_add(leaves);
        Ok(())
    }

    async fn collect(&mut self) -> Result<(), Halt> {
        self.pending = 0;
        (self.collect)(self.session).await
    }
}
