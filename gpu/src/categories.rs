//! Counting the last ply by the kinds of moves.
//!
//! The walk is the same as in [`counting`](crate::counting), but without the closed form of the last two plies: the positions one
//! ply above the leaves are made. For each of these positions, a kernel counts the moves that can only be ordinary moves or
//! captures; the other moves become items, and a second kernel makes them to see whether they check and mate.

use kogge_board::{BackendError, Categories, Quad48, Rules};

use crate::MOST_MOVES;
use crate::arguments::{ClassifyItems, ClassifyMoves};
use crate::expansion::{Expansion, ExpansionPart};
use crate::interface::Interface;
use crate::runner::Retry;
use crate::session::Session;
use crate::watching::{Span, Watching};

/// The maximum number of positions of a part. A fast GPU takes about 15 ms for a part of this size.
const MOST_TOGETHER: usize = 1 << 26;

/// The average capacity for the items of a position. Few moves become items.
const ITEMS_PER_POSITION: usize = 16;

/// Counts the leaves `depth` plies below each position, by the kinds of moves that lead to them.
pub(crate) async fn categories<I: Interface>(
    session: &mut Session<I>,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    mut watching: Watching<'_>,
) -> Result<Vec<Categories>, BackendError> {
    if depth == 0 {
        return Ok(vec![Categories::ROOT; positions.len()]);
    }
    session.begin();
    let mut found: Vec<Categories> = Vec::with_capacity(positions.len());
    let share = |done: usize| done as f64 / positions.len() as f64;
    let count = async |session: &mut Session<I>, batch: &[Quad48]| {
        let mut here = Vec::with_capacity(batch.len());
        for roots in batch.chunks(session.sizes().roots_by_kind()) {
            let done = found.len() + here.len();
            watching.batch = [done, done + roots.len()].map(share);
            session.upload(rules, roots).await?;
            let mut walk = KindsWalk { session: &mut *session, watching: Some(&mut watching) };
            walk.count(roots.len(), depth).await?;
            let mut categories = categories_of(session, roots.len()).await?;
            watching.counted += categories.iter().map(|each| each.nodes).sum::<u128>();
            here.append(&mut categories);
        }
        // A retry begins the batch again.
        found.append(&mut here);
        Ok(())
    };
    session.in_batches(|_| depth as usize, positions, count).await?;
    Ok(found)
}

/// A walk down the tree of a batch, which counts the leaves by kind.
pub(crate) struct KindsWalk<'a, 'w, I: Interface> {
    pub(crate) session: &'a mut Session<I>,
    pub(crate) watching: Option<&'a mut Watching<'w>>,
}

impl<I: Interface> KindsWalk<'_, '_, I> {
    /// Sets the totals to the leaves `depth` plies, at least one, below `len` roots, by kind.
    pub(crate) async fn count(&mut self, len: usize, depth: u32) -> Result<(), Retry> {
        self.session.clear_totals(self.session.sizes().roots)?;
        self.descend(0, len, depth, Span::WHOLE).await
    }

    /// Adds the leaves below the first `len` positions of a level to the totals. Reports progress through `span`; the number of
    /// leaves is not known yet.
    async fn descend(&mut self, level: usize, len: usize, depth: u32, span: Span) -> Result<(), Retry> {
        if depth <= 1 {
            return self.classify(level, len, span).await;
        }
        let mut expansion = Expansion::of(len);
        let mut done = 0;
        while let Some(ExpansionPart { successors, end }) = expansion.next(self.session, level, usize::MAX).await? {
            Box::pin(self.descend(level + 1, successors, depth - 1, span.part(done, end, len))).await?;
            done = end;
        }
        Ok(())
    }

    /// Adds the moves of the first `len` positions of a level to the totals. Reports between parts.
    async fn classify(&mut self, level: usize, len: usize, span: Span) -> Result<(), Retry> {
        let Self { session, watching } = self;
        // After an overflow, the buffer has room for all moves of every position.
        let items_each = if session.has_overflowed() { MOST_MOVES as usize } else { ITEMS_PER_POSITION };
        let sizes = session.sizes();
        let (capacity, stride) = (sizes.moves / items_each, sizes.roots_by_kind() as u32);
        let mut first = 0;
        while first < len {
            let part = watching.as_ref().map_or(capacity, |watching| watching.part_size(MOST_TOGETHER));
            let end = len.min(first + capacity.min(part).max(1));
            let (runner, buffers) = session.work(level + 1, end, 0)?;
            runner.clear("the number of moves", &buffers.item_count, 1)?;
            let here = &buffers.levels[level];
            let item_capacity = buffers.items.len() as u32;
            let arguments = ClassifyMoves {
                positions: &here.positions,
                roots: &here.roots,
                lines: &buffers.lines,
                new_items: &buffers.items,
                new_item_count: &buffers.item_count,
                totals: &buffers.totals,
                first: first as u32,
                end: end as u32,
                item_capacity,
                stride,
            };
            // SAFETY: `work` has checked that the positions fit; the kernel writes no more items than fit. There are at most
            // `roots_by_kind` roots, so each has its totals.
            unsafe { runner.launch(end - first, arguments) }.await?;
            let arguments = ClassifyItems {
                positions: &here.positions,
                roots: &here.roots,
                lines: &buffers.lines,
                items: &buffers.items,
                item_count: &buffers.item_count,
                totals: &buffers.totals,
                item_capacity,
                stride,
            };
            // SAFETY: the kernel reads no item beyond the buffer; the items' parents are positions of the level, and each root has
            // its totals.
            unsafe { runner.launch(end - first, arguments) }.await?;
            if let Some(watching) = watching
                && watching.launched(end - first, part)
            {
                runner.wait().await?;
                if watching.part_done(MOST_TOGETHER) {
                    watching.report(0, span.part(0, end, len).end)?;
                }
            }
            first = end;
        }
        Ok(())
    }
}

async fn categories_of<I: Interface>(session: &mut Session<I>, len: usize) -> Result<Vec<Categories>, Retry> {
    let stride = session.sizes().roots_by_kind();
    let (runner, buffers) = session.work(1, len, 0)?;
    let header = runner.read("the totals", &buffers.totals, 0, 1).await?;
    let mut found = vec![[0; Categories::COUNT]; len];
    for kind in 0..Categories::COUNT {
        let totals = runner.read("the totals", &buffers.totals, 1 + kind * stride, len).await?;
        for (numbers, [low, high]) in found.iter_mut().zip(totals) {
            numbers[kind] = u128::from(high) << 32 | u128::from(low);
        }
    }
    session.check_overflow(header.first().map_or(0, |header| header[0]))?;
    Ok(found.into_iter().map(Categories::from_array).collect())
}
