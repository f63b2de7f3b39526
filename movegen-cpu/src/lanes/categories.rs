//! The kinds of moves of a batch of positions.
//!
//! Captures, castlings and promotions are popcounts of move sets. A knight, a slider or a pawn gives check from the squares from
//! which it attacks the king, and another piece gives check if the mover stood between it and the king. So only moves that may
//! check are made, to find the checking pieces and to see whether it is mate.
//!
//! A move to such a square gives check even though the piece also leaves a square: a slider that could see the king across the
//! square it left would have attacked the king already. Pawns that promote are the exception, so all promotions are made.

use kogge_board::Categories;

use super::batch::{Batch, Queue, first_lanes};
use super::closed_form::{Sink, all_moves};
use super::count::count_frame;
use super::fill::{Slides, knight_attacks, pawn_attacks_down};
use super::frame::Frame;
use super::planes::{BISHOP, CASTLING, EN_PASSANT, KNIGHT, PAWN, PackedMove, Planes, QUEEN, ROOK, make};
use super::vector::{Lanes, MOST_LANES};

/// The numbers of moves of each kind, in the order of [`Categories`].
pub(crate) type Numbers = [u64; Categories::COUNT];

/// The single leaf that no move leads to.
pub(crate) const ROOT: Numbers = [1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The numbers that popcounts give: all moves, captures, en passant, castlings, promotions.
const BY_POPCOUNT: usize = 5;
const NODES: usize = 0;
const CAPTURES: usize = 1;
const EN_PASSANTS: usize = 2;
const CASTLES: usize = 3;
const PROMOTIONS: usize = 4;

/// Counts moves by kind, and sends moves that may check to another sink.
struct Classifier<'a, L, S> {
    sink: &'a mut S,
    /// The pieces of the other side.
    their: L,
    /// Pieces of the side to move that stand between one of its sliders and the enemy king.
    discoverers: L,
    /// The squares from which each piece attacks the king.
    orthogonal: L,
    diagonal: L,
    knight: L,
    pawn: L,
    counts: [L; BY_POPCOUNT],
}

impl<'a, L: Lanes, S: Sink<L>> Classifier<'a, L, S> {
    #[inline(always)]
    fn new(frame: &Frame<L>, sink: &'a mut S) -> Self {
        let &Frame { own, their, .. } = frame;
        let king = frame.kings & their;
        let slides = Slides::new(frame.empty);
        let sight = slides.attacks(king, king);
        let attacks = slides.attacks(frame.rooks_queens & own, frame.bishops_queens & own);
        let [file, rank, diagonal, antidiagonal] = attacks.meeting(&sight);
        Self {
            sink,
            their,
            discoverers: (file | rank | diagonal | antidiagonal) & own,
            orthogonal: sight.orthogonal(),
            diagonal: sight.diagonal(),
            knight: knight_attacks(king),
            pawn: pawn_attacks_down(king),
            counts: [L::splat(0); BY_POPCOUNT],
        }
    }

    #[inline(always)]
    fn count(&mut self, kind: usize, targets: L) {
        self.counts[kind] = self.counts[kind].add(targets.popcount());
    }
}

impl<L: Lanes, S: Sink<L>> Sink<L> for Classifier<'_, L, S> {
    #[inline(always)]
    fn piece(&mut self, from: L, targets: L, pattern: u32) {
        self.count(NODES, targets);
        if PackedMove::kind(pattern) == CASTLING {
            self.count(CASTLES, targets);
            self.sink.piece(from, targets, pattern);
            return;
        }
        self.count(CAPTURES, targets & self.their);
        let checking = match PackedMove::code(pattern) {
            KNIGHT => self.knight,
            BISHOP => self.diagonal,
            ROOK => self.orthogonal,
            QUEEN => self.orthogonal | self.diagonal,
            _ => L::splat(0),
        };
        self.sink.piece(from, targets & (checking | (from & self.discoverers).nonzero()), pattern);
    }

    #[inline(always)]
    fn shifted(&mut self, targets: L, distance: i32, pattern: u32) {
        self.count(NODES, targets);
        if PackedMove::kind(pattern) == EN_PASSANT {
            self.count(EN_PASSANTS, targets);
            self.count(CAPTURES, targets);
            self.sink.shifted(targets, distance, pattern);
            return;
        }
        self.count(CAPTURES, targets & self.their);
        if PackedMove::code(pattern) != PAWN {
            self.count(PROMOTIONS, targets);
            self.sink.shifted(targets, distance, pattern);
            return;
        }
        let discovering = match distance {
            7 => self.discoverers.shift::<7>(),
            8 => self.discoverers.shift::<8>(),
            9 => self.discoverers.shift::<9>(),
            _ => self.discoverers.shift::<16>(),
        };
        self.sink.shifted(targets & (self.pawn | discovering), distance, pattern);
    }
}

/// Returns the numbers of moves of each kind of all positions of a batch, and of each position if `each` is given.
///
/// A batch has at most a few thousand positions with a few hundred moves each, so 64 bits suffice.
#[inline(always)]
pub(crate) fn last_ply_by_kind<L: Lanes>(
    batch: &Batch,
    queue: &mut Queue,
    mut each: Option<&mut [Numbers]>,
) -> Numbers {
    let mut totals = [L::splat(0); Categories::COUNT];
    let mut next = 0;
    while next < batch.len {
        let begin = next;
        queue.moves.clear();
        while next < batch.len && !queue.is_full() {
            let lanes = queue.take_from::<L>(batch, next);
            let frame = batch.load::<L>(next).to_frame();
            let mut classifier = Classifier::new(&frame, queue);
            all_moves(&frame, &mut classifier);
            let counts = classifier.counts;
            for kind in 0..BY_POPCOUNT {
                totals[kind] = totals[kind].add(first_lanes(counts[kind], lanes));
            }
            if let Some(each) = &mut each {
                for kind in 0..BY_POPCOUNT {
                    let numbers = stored(counts[kind]);
                    for lane in 0..lanes {
                        each[next + lane][kind] = numbers[lane];
                    }
                }
            }
            next += lanes;
        }
        if let Some(each) = &mut each {
            for numbers in &mut each[begin..next] {
                numbers[BY_POPCOUNT..].fill(0);
            }
        }
        let moves = queue.pad(L::LANES);
        let mut first = 0;
        while first < moves {
            let (parents, packed_moves) = queue.register::<L>(batch, first);
            let checks = checks_of(&parents, packed_moves);
            let lanes = (moves - first).min(L::LANES);
            if checks[0].any() {
                for kind in 0..checks.len() {
                    let at = BY_POPCOUNT + kind;
                    totals[at] = totals[at].add(first_lanes(checks[kind], lanes));
                    if let Some(each) = &mut each {
                        let numbers = stored(checks[kind]);
                        for lane in 0..lanes {
                            each[queue.origin(first + lane)][at] += numbers[lane];
                        }
                    }
                }
            }
            first += L::LANES;
        }
    }
    let mut sums = [0; Categories::COUNT];
    for kind in 0..sums.len() {
        sums[kind] = stored(totals[kind]).iter().sum();
    }
    sums
}

/// Makes a move in each lane and returns 1 where it gives check, discovered check, double check and mate.
#[inline(always)]
fn checks_of<L: Lanes>(parents: &Planes<L>, packed_moves: L) -> [L; 4] {
    let [zero, one] = [L::splat(0), L::splat(1)];
    let successor = make::<L, true>(parents, packed_moves).to_frame();
    let king = successor.kings & successor.own;
    let checkers = successor.attackers(king, successor.empty, successor.their);
    let is_check = checkers.nonzero();
    if !is_check.any() {
        return [zero; 4];
    }
    let is_double = (checkers ^ checkers.lowest()).nonzero();
    // After castling, only the rook can give check, and the rook has moved.
    let to = L::bit(packed_moves.shift::<-6>() & L::splat(63)).flip();
    let is_castling = !(packed_moves.shift::<-15>() ^ L::splat(CASTLING.into())).nonzero();
    let by_mover = (checkers & to).nonzero() | is_castling;
    let is_mate = is_check.without(count_frame(&successor).nonzero());
    [is_check & one, is_check.without(is_double | by_mover) & one, is_double & one, is_mate & one]
}

#[inline(always)]
fn stored<L: Lanes>(numbers: L) -> [u64; MOST_LANES] {
    let mut stored = [0; MOST_LANES];
    numbers.store(&mut stored);
    stored
}
