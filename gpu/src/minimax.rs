//! Minimax on a device.
//!
//! The host walks the tree part by part, as in counting. All successors are made in generation order, so that the
//! successors of a position are adjacent. Leaves are evaluated in place; with quiescence, the searches begin at the
//! leaves' parents. Then the values of each level are backed up into the level above, and the next part overwrites the
//! level below. Only the values of the roots leave the device.

use kogge_board::minimax::{FIFTY_MOVES, QUIESCENCE_PLIES};
use kogge_board::{BackendError, Leaves, Pace, Quad48, Rules, Score, Watch, check_depth};

use crate::arguments::{BackUp, Evaluate, Quiesce};
use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::levels::{MOST_QUIESCENCE_CAPACITY, QUIESCENCE_NODES};
use crate::parts::Part;
use crate::runner::{Retry, Runner};
use crate::session::Session;
use crate::settings::GpuSettings;
use crate::watching::{Span, Watching};

/// The number of plies above the leaves that a quiescence search includes: a search of a single leaf could not use the
/// values of other leaves as bounds.
const PLIES_WITH_QUIESCENCE: u32 = 1;

/// The number of leaves that are evaluated in one launch. Drivers regard a kernel that runs for seconds as hanging.
const LEAVES: usize = 1 << 24;

const fn plies_searched(leaves: Leaves) -> u32 {
    match leaves {
        Leaves::Static => 0,
        Leaves::Quiescent => PLIES_WITH_QUIESCENCE,
    }
}

/// Whether the fifty-move rule may end the game within the tree of a position.
pub(crate) fn is_near_fifty_moves(rules: &Rules, position: &Quad48, depth: u32) -> bool {
    let plies = u32::from(position.state().halfmove_clock()) + depth + QUIESCENCE_PLIES;
    rules.halfmove_clock && plies >= u32::from(FIFTY_MOVES)
}

/// The memory of quiescence searches besides the levels' buffers.
struct Quiescence<I: Interface> {
    nodes: Buffer<I, [u64; 8]>,
    states: Buffer<I, [u32; 2]>,
    /// The number of moves that fit in the memory of each search.
    capacity: usize,
}

/// What a device keeps between searches.
pub(crate) struct Minimax<I: Interface> {
    /// After the first search.
    quiescence: Option<Quiescence<I>>,
    /// The positions of a part without quiescence.
    pace: Pace,
}

impl<I: Interface> Minimax<I> {
    pub(crate) const fn new(pace: Pace) -> Self {
        Self { quiescence: None, pace }
    }

    /// Makes the memory of quiescence searches, in its initial size.
    async fn quiescence(&mut self, runner: &mut Runner<I>) -> Result<Quiescence<I>, BackendError> {
        let GpuSettings { quiescence_lanes: lanes, quiescence_capacity: capacity, .. } = runner.settings;
        if let Some(quiescence) = self.quiescence.take() {
            return Ok(Quiescence { capacity, ..quiescence });
        }
        let interface = &mut runner.interface;
        let made = async {
            let nodes = Buffer::new(interface, "nodes", lanes * QUIESCENCE_NODES).await?;
            Ok(Quiescence { nodes, states: Buffer::new(interface, "states", lanes).await?, capacity })
        };
        made.await.map_err(|failure| runner.error("to make room for quiescence searches", failure))
    }

    /// Finds the values of positions, `depth` plies deep. The fifty-move rule must be out of reach, because the kernels
    /// do not know it.
    pub(crate) async fn search(
        &mut self,
        session: &mut Session<I>,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>, BackendError> {
        let quiescence = self.quiescence(&mut session.runner).await?;
        let quiescence = self.quiescence.insert(quiescence);
        check_depth(depth)?;
        let mut scores = Vec::with_capacity(positions.len());
        let mut watching = Watching::new(watch, &mut self.pace);
        let share = |done: usize| done as f64 / positions.len() as f64;
        let levels = depth.saturating_sub(plies_searched(leaves)) as usize + 1;
        let search = async |session: &mut Session<I>, batch: &[Quad48]| {
            watching.batch = [scores.len(), scores.len() + batch.len()].map(share);
            session.upload(rules, batch).await?;
            let mut search = Search { session, quiescence, leaves, watching: &mut watching };
            search.descend(0, batch.len(), depth, Span::WHOLE).await?;
            scores.extend(search.values(batch.len()).await?.into_iter().map(Score::from_value));
            Ok(())
        };
        session.in_batches(|_| levels, positions, search).await?;
        Ok(scores)
    }
}

/// A search of a batch.
struct Search<'a, 'b, 'w, I: Interface> {
    session: &'a mut Session<I>,
    quiescence: &'a mut Quiescence<I>,
    leaves: Leaves,
    watching: &'b mut Watching<'w>,
}

impl<I: Interface> Search<'_, '_, '_, I> {
    /// Finds the values of a level's first `len` positions. Minimax does not need the roots, so their buffer holds the
    /// values.
    async fn descend(&mut self, level: usize, len: usize, depth: u32, span: Span) -> Result<(), Retry> {
        let searched = plies_searched(self.leaves);
        if depth <= searched {
            match self.leaves {
                Leaves::Static => self.evaluate(level, len).await?,
                Leaves::Quiescent => self.quiesce(level, len, depth, span).await?,
            }
            return self.part_done(len, span);
        }
        let mut cut = self.session.cut(level, len, 0).await?;
        let sizes = self.session.sizes();
        let most = sizes.moves.min(sizes.positions);
        loop {
            // A search with quiescence can be stopped between its launches.
            let in_parts = depth - 1 <= searched && self.leaves == Leaves::Static;
            let most = if in_parts { self.watching.part_size(most) } else { most };
            let Some(part) = cut.next(most) else { return Ok(()) };
            let done = span.part(part.positions.start, part.positions.end, len);
            self.session.expand_part(level, &part).await?;
            // Positions without moves have values, too.
            if part.moves > 0 {
                Box::pin(self.descend(level + 1, part.moves, depth - 1, done)).await?;
            }
            self.back_up(level, &part).await?;
        }
    }

    /// Notes the end of a part of the searched positions. Reports the progress several times a second.
    fn part_done(&mut self, len: usize, done: Span) -> Result<(), Retry> {
        self.watching.counted += len as u128;
        let is_due = match self.leaves {
            Leaves::Static => self.watching.part_done(self.session.sizes().positions),
            Leaves::Quiescent => self.watching.is_due(),
        };
        if is_due { Ok(self.watching.report(0, done.end)?) } else { Ok(()) }
    }

    /// Evaluates a level's first `len` positions, and recognises mate and stalemate.
    async fn evaluate(&mut self, level: usize, len: usize) -> Result<(), Retry> {
        let (runner, buffers) = self.session.work(level + 1, len, 0)?;
        let here = &buffers.levels[level];
        for first in (0..len).step_by(LEAVES) {
            let end = len.min(first + LEAVES);
            let arguments = Evaluate {
                positions: &here.positions,
                lines: &buffers.lines,
                values: &here.roots,
                first: first as u32,
                end: end as u32,
            };
            // SAFETY: `work` has checked that the level holds the positions and their values.
            unsafe { runner.launch(end - first, arguments) }.await?;
        }
        Ok(())
    }

    /// Finds the values of a level's first `len` positions with quiescence at the leaves. The positions are `depth`
    /// plies, at most [`PLIES_WITH_QUIESCENCE`], above their leaves.
    async fn quiesce(&mut self, level: usize, len: usize, depth: u32, span: Span) -> Result<(), Retry> {
        let moves = self.session.sizes().moves;
        let (runner, buffers) = self.session.work(level + 1, len, 0)?;
        let (here, Quiescence { nodes, states, capacity }) = (&buffers.levels[level], &*self.quiescence);
        let lanes = states.len().min(moves / capacity).min(len);
        if lanes == 0 && len > 0 {
            return Err(Retry::OutOfMemory);
        }
        runner.clear("the number of positions taken", &buffers.item_count, 2)?;
        runner.clear("the searches", states, lanes)?;
        let mut is_running = len > 0;
        while is_running {
            let arguments = Quiesce {
                positions: &here.positions,
                lines: &buffers.lines,
                new_items: &buffers.items,
                new_item_count: &buffers.item_count,
                totals: &buffers.totals,
                values: &here.roots,
                nodes,
                states,
                end: len as u32,
                capacity: *capacity as u32,
                depth: depth.min(PLIES_WITH_QUIESCENCE),
                lanes: lanes as u32,
                steps: runner.settings.quiescence_steps,
            };
            // SAFETY: `work` has checked that the level holds the positions and their values. Each lane has a state,
            // nodes and moves; the nodes suffice for a depth of one.
            unsafe { runner.launch(lanes, arguments) }.await?;
            let counts = runner.read("whether searches are running", &buffers.item_count, 0, 2).await?;
            is_running = counts.last() != Some(&0);
            runner.write("the number of positions taken", &buffers.item_count, &[counts[0], 0])?;
            if self.watching.is_due() {
                self.watching.report(0, span.part(0, (counts[0] as usize).min(len), len).end)?;
            }
        }
        Ok(())
    }

    async fn back_up(&mut self, level: usize, part: &Part) -> Result<(), Retry> {
        let (runner, buffers) = self.session.work(level + 2, part.positions.end, part.moves)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let arguments = BackUp {
            positions: &here.positions,
            counts: &here.counts,
            offsets: &here.offsets,
            bases: &here.bases,
            successor_values: &next.roots,
            values: &here.roots,
            first: part.positions.start as u32,
            end: part.positions.end as u32,
        };
        // SAFETY: `work` has checked that the level holds the positions, and the next level their successors.
        unsafe { runner.launch(part.positions.len(), arguments) }.await
    }

    /// Returns the values of the first `len` roots. If a search ran out of room for moves, makes room for the moves of
    /// any position and asks for a retry.
    async fn values(&mut self, len: usize) -> Result<Vec<i32>, Retry> {
        let (runner, buffers) = self.session.work(1, len, 0)?;
        if runner.read("the overflow", &buffers.totals, 0, 1).await? != [[0, 0]] {
            runner.clear("the overflow", &buffers.totals, 1)?;
            if self.quiescence.capacity >= MOST_QUIESCENCE_CAPACITY {
                return Err(runner.wrong("it found more moves than positions can have.".to_owned()));
            }
            self.quiescence.capacity = MOST_QUIESCENCE_CAPACITY;
            return Err(Retry::Overflow);
        }
        let values = runner.read("the values", &buffers.levels[0].roots, 0, len).await?;
        Ok(values.into_iter().map(|value| value as i32).collect())
    }
}
