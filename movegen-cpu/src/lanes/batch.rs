//! Batches of positions and the queue of their moves, processed register by register.

use super::closed_form::{Sink, all_moves, closed_form};
use super::count::count_frame;
use super::frame::en_passant_captors;
use super::planes::{PackedMove, Planes, make};
use super::vector::{Lanes, MOST_LANES};

/// The number of queued moves after which the queue is processed.
const QUEUE: usize = 1024;

/// Positions, plane by plane, with [`MOST_LANES`] spare words at the end that keep every load of a register in bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    planes: [Vec<u64>; 4],
    /// The number of positions.
    pub(super) len: usize,
    /// The number of positions that have been expanded already.
    pub(super) next: usize,
}

impl Batch {
    /// Empties the batch and makes room for `positions` positions.
    pub(crate) fn restart(&mut self, positions: usize) {
        (self.len, self.next) = (0, 0);
        self.reserve(positions);
    }

    fn reserve(&mut self, positions: usize) {
        for plane in &mut self.planes {
            if plane.len() < positions + MOST_LANES {
                plane.resize(positions + MOST_LANES, 0);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn load<L: Lanes>(&self, index: usize) -> Planes<L> {
        let [a, b, c, own] = &self.planes;
        Planes([L::load(&a[index..]), L::load(&b[index..]), L::load(&c[index..]), L::load(&own[index..])])
    }

    pub(crate) fn is_expanded(&self) -> bool {
        self.next >= self.len
    }

    pub(crate) fn position(&self, index: usize) -> [u64; 4] {
        [self.planes[0][index], self.planes[1][index], self.planes[2][index], self.planes[3][index]]
    }

    /// Replaces the fourth planes of the positions from `index` on, lane by lane.
    #[inline(always)]
    pub(crate) fn set_own<L: Lanes>(&mut self, index: usize, own: L) {
        let mut boards = [0; MOST_LANES];
        own.store(&mut boards);
        self.planes[3][index..index + L::LANES].copy_from_slice(&boards[..L::LANES]);
    }

    /// Appends the first `lanes` lanes; [`Batch::reserve`] must have made room.
    #[inline(always)]
    pub(crate) fn push<L: Lanes>(&mut self, planes: &Planes<L>, lanes: usize) {
        for plane in 0..4 {
            let mut boards = [0; MOST_LANES];
            planes.0[plane].store(&mut boards);
            self.planes[plane][self.len..self.len + L::LANES].copy_from_slice(&boards[..L::LANES]);
        }
        self.len += lanes;
    }
}

/// Queued moves of a batch's positions: the position's number in the batch, and the packed move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    pub(super) moves: Vec<u32>,
    /// The number of the position in lane 0.
    first: u32,
    /// The lanes that hold positions, one bit per lane.
    live: u32,
}

impl Queue {
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.moves.len() >= QUEUE
    }

    /// Prepares the queue for the moves of the register of positions that begins at `first`. Returns the number of positions.
    #[inline(always)]
    pub(super) fn take_from<L: Lanes>(&mut self, batch: &Batch, first: usize) -> usize {
        let lanes = (batch.len - first).min(L::LANES);
        (self.first, self.live) = (first as u32, (1 << lanes) - 1);
        lanes
    }

    /// Returns a register of moves that begins at `first`, and the positions that the moves belong to.
    #[inline(always)]
    pub(super) fn register<L: Lanes>(&self, batch: &Batch, first: usize) -> (Planes<L>, L) {
        let register = &self.moves[first..first + L::LANES];
        (gather(batch, register), packed_moves(register))
    }

    /// Returns the number of the position that a queued move belongs to.
    pub(crate) fn origin(&self, index: usize) -> usize {
        (self.moves[index] >> PackedMove::BITS) as usize
    }

    /// Queues the moves of some lanes to all their targets; `from` returns the square that the move leaves, for a lane and
    /// a target.
    #[inline(always)]
    fn push(&mut self, mut lanes: u32, boards: &[u64; MOST_LANES], pattern: u32, from: impl Fn(usize, u32) -> u32) {
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let position = (self.first + lane) << PackedMove::BITS;
            let mut targets = boards[lane as usize];
            while targets != 0 {
                let to = targets.trailing_zeros();
                targets &= targets - 1;
                self.moves.push(position | pattern | from(lane as usize, to) | to << 6);
            }
        }
    }

    /// Fills the last register with copies of its first move. Returns the number of moves, not counting the copies.
    pub(super) fn pad(&mut self, lanes: usize) -> usize {
        let len = self.moves.len();
        let rest = len % lanes;
        if rest != 0 {
            self.moves.resize(len + lanes - rest, self.moves[len - rest]);
        }
        len
    }
}

impl<L: Lanes> Sink<L> for Queue {
    #[inline(always)]
    fn piece(&mut self, from: L, targets: L, pattern: u32) {
        let lanes = targets.nonzero_lanes() & self.live;
        if lanes != 0 {
            let (mut sources, mut boards) = ([0; MOST_LANES], [0; MOST_LANES]);
            from.store(&mut sources);
            targets.store(&mut boards);
            self.push(lanes, &boards, pattern, |lane, _| sources[lane].trailing_zeros());
        }
    }

    #[inline(always)]
    fn shifted(&mut self, targets: L, distance: i32, pattern: u32) {
        let lanes = targets.nonzero_lanes() & self.live;
        if lanes != 0 {
            let mut boards = [0; MOST_LANES];
            targets.store(&mut boards);
            self.push(lanes, &boards, pattern, |_, to| to.wrapping_sub(distance.cast_unsigned()) & 63);
        }
    }
}

/// Makes the successors of the next register of positions of a batch, at most a few hundred for each position. The queue
/// then holds the moves in the order of the successors; returns the number of successors.
#[inline(always)]
pub(crate) fn expand_register<L: Lanes>(parents: &mut Batch, children: &mut Batch, queue: &mut Queue) -> usize {
    queue.moves.clear();
    let lanes = queue.take_from::<L>(parents, parents.next);
    all_moves(&parents.load::<L>(parents.next).to_frame(), queue);
    parents.next += lanes;
    children.reserve(children.len + queue.moves.len());
    let moves = queue.pad(L::LANES);
    let mut next = 0;
    while next < moves {
        let (origins, packed_moves) = queue.register::<L>(parents, next);
        let successors = make::<L, false>(&origins, packed_moves);
        children.push(&successors, (moves - next).min(L::LANES));
        next += L::LANES;
    }
    moves
}

/// Removes the en-passant squares where no capture is legal, so that equal positions have equal planes.
#[inline(always)]
pub(crate) fn make_canonical<L: Lanes>(batch: &mut Batch) {
    let mut next = 0;
    while next < batch.len {
        let mut planes = batch.load::<L>(next);
        let frame = planes.to_frame();
        if frame.en_passant.any() {
            let [west, east] = en_passant_captors(&frame);
            planes.0[3] = planes.0[3].without(frame.en_passant.without((west | east).nonzero()));
            batch.set_own(next, planes.0[3]);
        }
        next += L::LANES;
    }
}

/// Gathers the positions that the moves belong to.
#[inline(always)]
fn gather<L: Lanes>(batch: &Batch, moves: &[u32]) -> Planes<L> {
    let mut boards = [[0; MOST_LANES]; 4];
    for lane in 0..L::LANES {
        let position = (moves[lane] >> PackedMove::BITS) as usize;
        for plane in 0..4 {
            boards[plane][lane] = batch.planes[plane][position];
        }
    }
    Planes([L::load(&boards[0]), L::load(&boards[1]), L::load(&boards[2]), L::load(&boards[3])])
}

#[inline(always)]
fn packed_moves<L: Lanes>(moves: &[u32]) -> L {
    let mut packed_moves = [0; MOST_LANES];
    for lane in 0..L::LANES {
        packed_moves[lane] = u64::from(moves[lane]) & ((1 << PackedMove::BITS) - 1);
    }
    L::load(&packed_moves)
}

#[inline(always)]
pub(crate) fn last_ply<L: Lanes>(batch: &Batch, leaves: &mut [u64]) {
    let mut next = 0;
    while next < batch.len {
        let mut counts = [0; MOST_LANES];
        count_frame(&batch.load::<L>(next).to_frame()).store(&mut counts);
        let lanes = (batch.len - next).min(L::LANES);
        leaves[next..next + lanes].copy_from_slice(&counts[..lanes]);
        next += L::LANES;
    }
}

/// Counts the leaves two plies below all positions of a batch, and also below each position if `each` is given.
///
/// A batch has at most a few thousand positions, each with fewer than 2^20 leaves, so 64 bits suffice.
#[inline(always)]
pub(crate) fn last_two_plies<L: Lanes>(batch: &Batch, queue: &mut Queue, mut each: Option<&mut [u64]>) -> u64 {
    let mut total = L::splat(0);
    let mut next = 0;
    while next < batch.len {
        queue.moves.clear();
        while next < batch.len && !queue.is_full() {
            let lanes = queue.take_from::<L>(batch, next);
            let closed = closed_form(&batch.load::<L>(next).to_frame(), queue);
            if let Some(leaves) = &mut each {
                let mut sums = [0; MOST_LANES];
                closed.store(&mut sums);
                leaves[next..next + lanes].copy_from_slice(&sums[..lanes]);
            }
            total = total.add(first_lanes(closed, lanes));
            next += lanes;
        }
        let moves = queue.pad(L::LANES);
        let mut next = 0;
        while next < moves {
            let (parents, packed_moves) = queue.register::<L>(batch, next);
            let replies = count_frame(&make::<L, true>(&parents, packed_moves).to_frame());
            if let Some(leaves) = &mut each {
                let mut sums = [0; MOST_LANES];
                replies.store(&mut sums);
                for lane in 0..(moves - next).min(L::LANES) {
                    leaves[queue.origin(next + lane)] += sums[lane];
                }
            }
            total = total.add(first_lanes(replies, moves - next));
            next += L::LANES;
        }
    }
    let mut sums = [0; MOST_LANES];
    total.store(&mut sums);
    sums.iter().sum()
}

/// Keeps the numbers in the first lanes and clears the other lanes.
#[inline(always)]
pub(super) fn first_lanes<L: Lanes>(numbers: L, lanes: usize) -> L {
    if lanes >= L::LANES {
        return numbers;
    }
    let mut live = [0; MOST_LANES];
    live[..lanes].fill(!0);
    numbers & L::load(&live)
}
