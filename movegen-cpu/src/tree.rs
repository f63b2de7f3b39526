//! Counting a tree by batches of positions.
//!
//! A level holds a batch of positions, plane by plane. Its moves go to a queue, and the queue is
//! worked off a register of lanes at a time, whatever position each move belongs to: made into the
//! next level's batch, or, where two plies are left, only counted. Most of the last two plies is not
//! even queued ([`crate::replies`]).

use kogge_board::{Quad48, Rules};

use crate::code::Code;
use crate::count::count_frame;
use crate::frame::Frame;
use crate::planes::{Planes, Step, make};
use crate::steps::{Sink, all_steps, replies_or_steps};
use crate::word::{MOST_LANES, Word};

/// Positions that a level collects before it is expanded: small enough for the first-level cache.
const BATCH: usize = 256;

/// Moves that are queued before they are worked off.
const QUEUE: usize = 1024;

/// Positions, plane by plane; [`MOST_LANES`] more words than positions, so that registers can be
/// loaded at the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    planes: [Vec<u64>; 4],
    /// How many positions there are.
    len: usize,
    /// How many of them have been expanded.
    next: usize,
}

impl Batch {
    /// Empties the batch and makes room for so many positions.
    pub(crate) fn restart(&mut self, positions: usize) {
        (self.len, self.next) = (0, 0);
        self.reserve(positions);
    }

    /// Makes room for so many positions.
    fn reserve(&mut self, positions: usize) {
        for plane in &mut self.planes {
            if plane.len() < positions + MOST_LANES {
                plane.resize(positions + MOST_LANES, 0);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn load<W: Word>(&self, index: usize) -> Planes<W> {
        let [a, b, c, own] = &self.planes;
        Planes([W::load(&a[index..]), W::load(&b[index..]), W::load(&c[index..]), W::load(&own[index..])])
    }

    /// How many positions there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether all positions have been expanded.
    pub(crate) fn is_expanded(&self) -> bool {
        self.next >= self.len
    }

    /// One position.
    pub(crate) fn position(&self, index: usize) -> [u64; 4] {
        [self.planes[0][index], self.planes[1][index], self.planes[2][index], self.planes[3][index]]
    }

    /// The fourth planes of the positions from `index` on become these, lane by lane.
    #[inline(always)]
    pub(crate) fn set_own<W: Word>(&mut self, index: usize, own: W) {
        let mut boards = [0; MOST_LANES];
        own.store(&mut boards);
        self.planes[3][index..index + W::LANES].copy_from_slice(&boards[..W::LANES]);
    }

    /// Appends the first `lanes` lanes; there is room ([`Batch::reserve`]).
    #[inline(always)]
    pub(crate) fn push<W: Word>(&mut self, planes: &Planes<W>, lanes: usize) {
        for plane in 0..4 {
            let mut boards = [0; MOST_LANES];
            planes.0[plane].store(&mut boards);
            self.planes[plane][self.len..self.len + W::LANES].copy_from_slice(&boards[..W::LANES]);
        }
        self.len += lanes;
    }
}

/// Moves of a batch's positions: the position's number in the batch, and the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    moves: Vec<u32>,
    /// The number of the position in lane 0.
    first: u32,
    /// Which lanes hold positions.
    live: u32,
}

impl Queue {
    /// The number of the position that a queued move belongs to.
    pub(crate) fn origin(&self, index: usize) -> usize {
        (self.moves[index] >> Step::BITS) as usize
    }

    /// Queues the moves of some lanes to all their targets; `from` is given lane and target.
    #[inline(always)]
    fn push(&mut self, mut lanes: u32, boards: &[u64; MOST_LANES], pattern: u32, from: impl Fn(usize, u32) -> u32) {
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let position = (self.first + lane) << Step::BITS;
            let mut targets = boards[lane as usize];
            while targets != 0 {
                let to = targets.trailing_zeros();
                targets &= targets - 1;
                self.moves.push(position | pattern | from(lane as usize, to) | to << 6);
            }
        }
    }

    /// Fills the last register up with copies of its first move; says how many moves there were.
    fn pad(&mut self, lanes: usize) -> usize {
        let len = self.moves.len();
        let rest = len % lanes;
        if rest != 0 {
            self.moves.resize(len + lanes - rest, self.moves[len - rest]);
        }
        len
    }
}

impl<W: Word> Sink<W> for Queue {
    #[inline(always)]
    fn piece(&mut self, from: W, targets: W, pattern: u32) {
        let lanes = targets.nonzero_lanes() & self.live;
        if lanes != 0 {
            let (mut sources, mut boards) = ([0; MOST_LANES], [0; MOST_LANES]);
            from.store(&mut sources);
            targets.store(&mut boards);
            self.push(lanes, &boards, pattern, |lane, _| sources[lane].trailing_zeros());
        }
    }

    #[inline(always)]
    fn shifted(&mut self, targets: W, distance: i32, pattern: u32) {
        let lanes = targets.nonzero_lanes() & self.live;
        if lanes != 0 {
            let mut boards = [0; MOST_LANES];
            targets.store(&mut boards);
            self.push(lanes, &boards, pattern, |_, to| to.wrapping_sub(distance.cast_unsigned()) & 63);
        }
    }
}

/// Positions that trees are counted below, however they are kept.
pub(crate) trait Source {
    /// How many there are.
    fn len(&self) -> usize;

    /// The planes of one.
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

/// Packed positions of one tree.
impl Source for (&Rules, &[Quad48]) {
    fn len(&self) -> usize {
        self.1.len()
    }

    fn planes(&self, index: usize) -> Planes<u64> {
        Planes::from_frame(&Frame::of(self.0, &self.1[index]))
    }
}

/// Scratch memory of one thread: a batch per level and a queue. It keeps its capacity, so that no node
/// allocates; a level holds at most [`BATCH`] positions and those that a register of lanes adds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    levels: Vec<Batch>,
    queue: Queue,
    /// For a batch that is counted position by position: where its positions come from, and the leaves
    /// below each.
    origins: Vec<u32>,
    below: Vec<u64>,
}

impl Tree {
    /// Leaves `depth` plies below each position, to `leaves`; `None` if one does not fit in 64 bits.
    pub(crate) fn count_each(
        &mut self,
        code: &Code,
        positions: &(impl Source + ?Sized),
        depth: u32,
        leaves: &mut [u64],
    ) -> Option<()> {
        if depth > 3 {
            for index in 0..positions.len() {
                leaves[index] = self.count(code, &positions.planes(index), depth)?;
            }
            return Some(());
        }
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
                        self.origins.extend(self.queue.moves[..moves].iter().map(|played| played >> Step::BITS));
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
        Some(())
    }

    /// Leaves `depth` plies (at least two) below a position; `None` if they do not fit in 64 bits.
    fn count(&mut self, code: &Code, root: &Planes<u64>, depth: u32) -> Option<u64> {
        // Levels are numbered by the plies above the last two.
        let top = depth as usize - 2;
        if self.levels.len() <= top {
            self.levels.resize(top + 1, Batch::default());
        }
        self.levels[top].restart(1);
        self.levels[top].push(root, 1);
        self.descend(code, top)
    }

    /// Leaves below all positions of a level.
    fn descend(&mut self, code: &Code, level: usize) -> Option<u64> {
        if level == 0 {
            return Some(code.last_two_plies(&self.levels[0], &mut self.queue, None));
        }
        let mut total = 0_u64;
        while self.levels[level].next < self.levels[level].len {
            let (below, above) = self.levels.split_at_mut(level);
            let (parents, children) = (&mut above[0], &mut below[level - 1]);
            children.restart(BATCH);
            while parents.next < parents.len && children.len < BATCH {
                code.expand_register(parents, children, &mut self.queue);
            }
            total = total.checked_add(self.descend(code, level - 1)?)?;
        }
        Some(total)
    }
}

/// Makes the successors of a level's next register of positions: a few hundred each at most. Leaves
/// their moves in the queue, in the order of the successors, and says how many there are.
#[inline(always)]
pub(crate) fn expand_register<W: Word>(parents: &mut Batch, children: &mut Batch, queue: &mut Queue) -> usize {
    let lanes = (parents.len - parents.next).min(W::LANES);
    queue.moves.clear();
    (queue.first, queue.live) = (parents.next as u32, (1 << lanes) - 1);
    all_steps(&parents.load::<W>(parents.next).to_frame(), queue);
    parents.next += lanes;
    children.reserve(children.len + queue.moves.len());
    let moves = queue.pad(W::LANES);
    let mut next = 0;
    while next < moves {
        let register = &queue.moves[next..next + W::LANES];
        let successors = make::<W, false>(&gather(parents, register), steps(register));
        children.push(&successors, (moves - next).min(W::LANES));
        next += W::LANES;
    }
    moves
}

/// The positions that moves belong to.
#[inline(always)]
fn gather<W: Word>(batch: &Batch, moves: &[u32]) -> Planes<W> {
    let mut boards = [[0; MOST_LANES]; 4];
    for lane in 0..W::LANES {
        let position = (moves[lane] >> Step::BITS) as usize;
        for plane in 0..4 {
            boards[plane][lane] = batch.planes[plane][position];
        }
    }
    Planes([W::load(&boards[0]), W::load(&boards[1]), W::load(&boards[2]), W::load(&boards[3])])
}

/// The steps of moves.
#[inline(always)]
fn steps<W: Word>(moves: &[u32]) -> W {
    let mut steps = [0; MOST_LANES];
    for lane in 0..W::LANES {
        steps[lane] = u64::from(moves[lane]) & ((1 << Step::BITS) - 1);
    }
    W::load(&steps)
}

/// Legal moves of each position of a batch.
#[inline(always)]
pub(crate) fn last_ply<W: Word>(batch: &Batch, leaves: &mut [u64]) {
    let mut next = 0;
    while next < batch.len {
        let mut counts = [0; MOST_LANES];
        count_frame(&batch.load::<W>(next).to_frame()).store(&mut counts);
        let lanes = (batch.len - next).min(W::LANES);
        leaves[next..next + lanes].copy_from_slice(&counts[..lanes]);
        next += W::LANES;
    }
}

/// Leaves two plies below all positions of a batch, and below each, if asked for.
///
/// A batch has at most a few thousand positions, each with less than 2^20 leaves: 64 bits suffice.
#[inline(always)]
pub(crate) fn last_two_plies<W: Word>(batch: &Batch, queue: &mut Queue, mut each: Option<&mut [u64]>) -> u64 {
    let mut total = W::splat(0);
    let mut next = 0;
    while next < batch.len {
        queue.moves.clear();
        while next < batch.len && queue.moves.len() < QUEUE {
            let lanes = (batch.len - next).min(W::LANES);
            (queue.first, queue.live) = (next as u32, (1 << lanes) - 1);
            let closed = replies_or_steps(&batch.load::<W>(next).to_frame(), queue);
            if let Some(leaves) = &mut each {
                let mut sums = [0; MOST_LANES];
                closed.store(&mut sums);
                leaves[next..next + lanes].copy_from_slice(&sums[..lanes]);
            }
            total = total.add(first_lanes(closed, lanes));
            next += lanes;
        }
        let moves = queue.pad(W::LANES);
        let mut next = 0;
        while next < moves {
            let register = &queue.moves[next..next + W::LANES];
            let replies = count_frame(&make::<W, true>(&gather(batch, register), steps(register)).to_frame());
            if let Some(leaves) = &mut each {
                let mut sums = [0; MOST_LANES];
                replies.store(&mut sums);
                for lane in 0..(moves - next).min(W::LANES) {
                    leaves[(register[lane] >> Step::BITS) as usize] += sums[lane];
                }
            }
            total = total.add(first_lanes(replies, moves - next));
            next += W::LANES;
        }
    }
    let mut sums = [0; MOST_LANES];
    total.store(&mut sums);
    sums.iter().sum()
}

/// The numbers in the first lanes, the others zero.
#[inline(always)]
fn first_lanes<W: Word>(numbers: W, lanes: usize) -> W {
    if lanes >= W::LANES {
        return numbers;
    }
    let mut live = [0; MOST_LANES];
    live[..lanes].fill(!0);
    numbers & W::load(&live)
}
