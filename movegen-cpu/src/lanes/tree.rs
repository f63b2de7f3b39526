//! Counting a tree by batches of positions.
//!
//! A level holds a batch of positions, plane by plane. Its moves go to a queue, which is processed one register of
//! lanes after another; the moves of a register may belong to different positions. Each move is made and its successor
//! goes to the next level's batch; with two plies left, the replies to a move are only counted. Most moves of the last
//! two plies are not even queued ([`super::closed_form_values`]).

use kogge_board::{Quad48, Rules};

use super::batch::{Batch, Queue};
use super::categories::{Numbers, ROOT};
use super::code::Code;
use super::frame::Frame;
use super::planes::{PackedMove, Planes};
use crate::watched::Report;

/// The number of positions that a level collects before it is expanded; they fit in the first-level cache.
const BATCH: usize = 256;

/// The level above which a thread reports the leaves of its batches: such a batch takes tens of milliseconds.
const REPORTING: usize = 2;

/// The roots of trees to count, in any format.
pub(crate) trait Source {
    fn len(&self) -> usize;

    fn planes(&self, index: usize) -> Planes<u64>;
}

impl Source for [[u64; 4]] {
    fn len(&self) -> usize {
        self.len()
    }

    fn planes(&self, index: usize) -> Planes<u64> {
        Planes(self[index])
    }
}

/// Packed positions under common rules.
impl Source for (&Rules, &[Quad48]) {
    fn len(&self) -> usize {
        self.1.len()
    }

    fn planes(&self, index: usize) -> Planes<u64> {
        Planes::from_frame(&Frame::of(self.0, &self.1[index]))
    }
}

/// The scratch memory of one thread: a batch per level and a queue. The scratch memory keeps its capacity, so no node
/// allocates memory; a level holds at most [`BATCH`] positions plus the successors of one register of lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    levels: Vec<Batch>,
    queue: Queue,
    /// The numbers of the children's parents, if leaves are counted for each parent.
    origins: Vec<u32>,
    below: Vec<u64>,
}

impl Tree {
    /// Writes the number of leaves `depth` plies below each position to `leaves`; `None` if a count does not fit in 64 bits,
    /// or if the caller asks to stop.
    pub(crate) fn perft(
        &mut self,
        code: &Code,
        positions: &(impl Source + ?Sized),
        depth: u32,
        leaves: &mut [u64],
        report: &Report,
    ) -> Option<()> {
        if depth > 3 {
            for index in 0..positions.len() {
                leaves[index] = self.count(code, &positions.planes(index), depth, report)?;
            }
            return Some(());
        }
        report.go_on()?;
        if self.levels.len() < 2 {
            self.levels.resize(2, Batch::default());
        }
        let mut start = 0;
        while start < positions.len() {
            let end = positions.len().min(start + BATCH);
            let (below, above) = self.levels.split_at_mut(1);
            let batch = &mut above[0];
            batch.restart(BATCH);
            for index in start..end {
                batch.push(&positions.planes(index), 1);
            }
            let leaves = &mut leaves[start..end];
            match depth {
                0 => leaves.fill(1),
                1 => code.last_ply(batch, leaves),
                2 => {
                    code.last_two_plies(batch, &mut self.queue, Some(leaves));
                }
                _ => {
                    leaves.fill(0);
                    while batch.next < batch.len {
                        let children = &mut below[0];
                        children.restart(BATCH);
                        let moves = code.expand_register(batch, children, &mut self.queue);
                        self.origins.clear();
                        self.origins.extend(self.queue.moves[..moves].iter().map(|played| played >> PackedMove::BITS));
                        self.below.resize(children.len, 0);
                        code.last_two_plies(children, &mut self.queue, Some(&mut self.below));
                        for index in 0..moves {
                            leaves[self.origins[index] as usize] += self.below[index];
                        }
                    }
                }
            }
            start = end;
        }
        report.counted(leaves.iter().sum());
        Some(())
    }

    /// Writes the leaves `depth` plies below each position by kind; `None` if a number does not fit in 64 bits, or if the
    /// caller asks to stop.
    pub(crate) fn categories(
        &mut self,
        code: &Code,
        positions: &(impl Source + ?Sized),
        depth: u32,
        found: &mut [Numbers],
        report: &Report,
    ) -> Option<()> {
        // The number of a level is its distance in plies from the last level.
        let Some(top) = depth.checked_sub(1).map(|plies| plies as usize) else {
            found.fill(ROOT);
            return Some(());
        };
        if self.levels.len() <= top {
            self.levels.resize(top + 1, Batch::default());
        }
        let together = if top == 0 { BATCH } else { 1 };
        for (number, found) in found.chunks_mut(together).enumerate() {
            self.levels[top].restart(together);
            for index in 0..found.len() {
                self.levels[top].push(&positions.planes(number * together + index), 1);
            }
            if top == 0 {
                code.last_ply_by_kind(&self.levels[0], &mut self.queue, Some(found));
            } else {
                let mut totals = Numbers::default();
                self.descend_by_kind(code, top, &mut totals, report)?;
                found.fill(totals);
            }
        }
        Some(())
    }

    /// Adds the leaves below all positions of a level to the totals, by kind.
    fn descend_by_kind(&mut self, code: &Code, level: usize, totals: &mut Numbers, report: &Report) -> Option<()> {
        if level == 0 {
            let numbers = code.last_ply_by_kind(&self.levels[0], &mut self.queue, None);
            for (total, number) in totals.iter_mut().zip(numbers) {
                *total = total.checked_add(number)?;
            }
            report.counted(numbers[0]);
            return report.go_on();
        }
        while self.levels[level].next < self.levels[level].len {
            self.expand_level(code, level);
            self.descend_by_kind(code, level - 1, totals, report)?;
        }
        Some(())
    }

    /// Fills the next level with successors of a level.
    fn expand_level(&mut self, code: &Code, level: usize) {
        let (below, above) = self.levels.split_at_mut(level);
        let (parents, children) = (&mut above[0], &mut below[level - 1]);
        children.restart(BATCH);
        while parents.next < parents.len && children.len < BATCH {
            code.expand_register(parents, children, &mut self.queue);
        }
    }

    /// Counts the leaves `depth` plies (at least two) below a position; `None` if the count does not fit in 64 bits.
    fn count(&mut self, code: &Code, root: &Planes<u64>, depth: u32, report: &Report) -> Option<u64> {
        // The number of a level is its distance in plies from the last two plies.
        let top = depth as usize - 2;
        if self.levels.len() <= top {
            self.levels.resize(top + 1, Batch::default());
        }
        self.levels[top].restart(1);
        self.levels[top].push(root, 1);
        self.descend(code, top, report)
    }

    fn descend(&mut self, code: &Code, level: usize, report: &Report) -> Option<u64> {
        if level == 0 {
            return Some(code.last_two_plies(&self.levels[0], &mut self.queue, None));
        }
        let mut total = 0_u64;
        while self.levels[level].next < self.levels[level].len {
            self.expand_level(code, level);
            let leaves = self.descend(code, level - 1, report)?;
            total = total.checked_add(leaves)?;
            if level == REPORTING {
                report.counted(leaves);
                report.go_on()?;
            }
        }
        Some(total)
    }
}
