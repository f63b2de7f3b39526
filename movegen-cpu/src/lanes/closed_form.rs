//! All moves of a position, set-wise: the replies to most moves are counted in closed form, and the other moves go to a
//! queue.

use kogge_board::bits::RANK_8;

use super::closed_form_values::{Replies, weighted};
use super::count::THIRD_RANK;
use super::fill::{NORTH, NORTH_EAST, NORTH_WEST, Slides, king_attacks, knight_attacks, pawn_attacks_up, step};
use super::frame::{ANTIDIAGONAL, Castling, DIAGONAL, FILE, Frame, Limits, RANK, en_passant_captors};
use super::planes::{
    BISHOP, CASTLING, DOUBLE_PUSH, EN_PASSANT, KING, KNIGHT, PAWN, PLAIN, PackedMove, QUEEN, ROOK,
    may_be_captured_en_passant,
};
use super::vector::Lanes;

/// Receives moves, lane by lane.
pub(crate) trait Sink<L> {
    /// Receives the moves of one piece in each lane to all these targets.
    fn piece(&mut self, from: L, targets: L, pattern: u32);

    /// Receives moves of the same distance: from `target - distance` to each target.
    fn shifted(&mut self, targets: L, distance: i32, pattern: u32);
}

/// Sends all legal moves to the sink.
#[inline(always)]
pub(crate) fn all_moves<L: Lanes>(frame: &Frame<L>, sink: &mut impl Sink<L>) {
    let slides = Slides::new(frame.empty);
    let limits = Limits::of(frame, &slides);
    Moves { frame, slides: &slides, limits: &limits, sink, tally: None }.run();
}

/// Counts the replies to all moves that qualify for the closed form; the other moves go to the sink.
#[inline(always)]
pub(crate) fn closed_form<L: Lanes>(frame: &Frame<L>, sink: &mut impl Sink<L>) -> L {
    let slides = Slides::new(frame.empty);
    let replies = Replies::of(frame, &slides);
    let limits = Limits::against(frame, &slides, &replies.hostile);
    let mut moves = Moves { frame, slides: &slides, limits: &limits, sink, tally: Some(Tally::new(&replies)) };
    moves.run();
    match &moves.tally {
        Some(tally) => tally.total(),
        None => L::splat(0),
    }
}

/// The moves that have qualified so far.
struct Tally<'a, L> {
    replies: &'a Replies<L>,
    /// The number of moves.
    moves: L,
    /// The number of captures.
    captures: L,
    /// The sum of the values of the squares that the moves leave.
    left: L,
    /// The number of moves to each square, as bit planes; up to sixteen pieces can reach one square.
    targets: [L; 5],
}

impl<'a, L: Lanes> Tally<'a, L> {
    #[inline(always)]
    fn new(replies: &'a Replies<L>) -> Self {
        let zero = L::splat(0);
        Self { replies, moves: zero, captures: zero, left: zero, targets: [zero; 5] }
    }

    #[inline(always)]
    fn add_targets(&mut self, targets: L) {
        let mut carry = targets;
        for index in 0..5 {
            let plane = self.targets[index];
            self.targets[index] = plane ^ carry;
            carry = plane & carry;
        }
    }

    /// Adds moves of one piece.
    #[inline(always)]
    fn piece(&mut self, from: L, targets: L, their: L) {
        let count = targets.popcount();
        self.moves = self.moves.add(count);
        self.captures = self.captures.add((targets & their).popcount());
        self.left = self.left.add(self.replies.sum(from).mul(count));
        self.add_targets(targets);
    }

    /// Adds moves of the same distance, one per piece.
    #[inline(always)]
    fn shifted(&mut self, from: L, targets: L) {
        self.moves = self.moves.add(targets.popcount());
        self.left = self.left.add(self.replies.sum(from));
        self.add_targets(targets);
    }

    /// Returns the number of replies to all moves.
    #[inline(always)]
    fn total(&self) -> L {
        let [t0, t1, t2, t3, t4] = self.targets;
        let mut sums = [self.replies.sum(t0), self.replies.sum(t1), L::splat(0), L::splat(0), L::splat(0)];
        if (t2 | t3 | t4).any() {
            (sums[2], sums[3], sums[4]) = (self.replies.sum(t2), self.replies.sum(t3), self.replies.sum(t4));
        }
        let arrived = weighted(&sums);
        let seven = self.captures.shift::<3>().sub(self.captures);
        self.replies.base.mul(self.moves).add(self.left).add(seven).sub(arrived)
    }
}

struct Moves<'a, L, S> {
    frame: &'a Frame<L>,
    slides: &'a Slides<L>,
    limits: &'a Limits<L>,
    sink: &'a mut S,
    tally: Option<Tally<'a, L>>,
}

impl<L: Lanes, S: Sink<L>> Moves<'_, L, S> {
    #[inline(always)]
    fn run(&mut self) {
        self.knights();
        self.sliders::<BISHOP>();
        self.sliders::<ROOK>();
        self.sliders::<QUEEN>();
        self.pawns();
        self.king();
    }

    /// Handles the moves of one piece. Moves to `simple` qualify unless the piece must not leave `from`.
    #[inline(always)]
    fn piece(&mut self, from: L, targets: L, simple: L, forbidden: L, code: u32) {
        let mut rest = targets;
        if let Some(tally) = &mut self.tally {
            let simple = simple.without(forbidden.nonzero() | tally.replies.not_to);
            tally.piece(from, simple, self.frame.their);
            rest = rest.without(simple);
        }
        self.sink.piece(from, rest, PackedMove::pattern(code, PLAIN));
    }

    #[inline(always)]
    fn knights(&mut self) {
        let allowed = self.limits.evasion.without(self.frame.own);
        // A pinned knight never moves.
        let mut knights = (self.frame.knights & self.frame.own).without(self.limits.pinned);
        while knights.any() {
            let from = knights.lowest();
            knights = knights ^ from;
            let attacks = knight_attacks(from);
            let targets = attacks & allowed;
            let (mut simple, mut forbidden) = (targets, L::splat(0));
            if let Some(Tally { replies, .. }) = self.tally {
                simple = targets.without(replies.not_to_knight);
                forbidden = from & replies.not_from | attacks & replies.once;
            }
            self.piece(from, targets, simple, forbidden, KNIGHT);
        }
    }

    #[inline(always)]
    fn sliders<const CODE: u32>(&mut self) {
        let &Frame { own, bishops_queens, rooks_queens, .. } = self.frame;
        let mut sliders = own
            & match CODE {
                BISHOP => bishops_queens.without(rooks_queens),
                ROOK => rooks_queens.without(bishops_queens),
                _ => rooks_queens & bishops_queens,
            };
        let allowed = self.limits.evasion.without(own);
        while sliders.any() {
            let from = sliders.lowest();
            sliders = sliders ^ from;
            let zero = L::splat(0);
            let attacks =
                self.slides.attacks(if CODE == BISHOP { zero } else { from }, if CODE == ROOK { zero } else { from });
            let axes = [
                attacks.north | attacks.south,
                attacks.east | attacks.west,
                attacks.north_east | attacks.south_west,
                attacks.north_west | attacks.south_east,
            ];
            let used = match CODE {
                BISHOP => DIAGONAL..ANTIDIAGONAL + 1,
                ROOK => FILE..RANK + 1,
                _ => FILE..ANTIDIAGONAL + 1,
            };
            let (mut all, mut targets, mut simple) = (zero, zero, zero);
            for axis in used {
                let on_axis = axes[axis];
                all = all | on_axis;
                let reached = on_axis & allowed & self.limits.free(from, axis).nonzero();
                targets = targets | reached;
                if let Some(Tally { replies, .. }) = self.tally {
                    simple = simple | reached.without((from & replies.not_along[axis]).nonzero());
                }
            }
            let mut forbidden = zero;
            if let Some(tally) = &mut self.tally {
                let replies = tally.replies;
                if CODE != BISHOP {
                    simple = simple.without(replies.not_to_orthogonal);
                }
                if CODE != ROOK {
                    simple = simple.without(replies.not_to_diagonal);
                }
                forbidden = from & replies.not_from | all & replies.once;
                if CODE != ROOK {
                    // If the mover captures a pawn that could have captured it, this pawn's capture was subtracted
                    // twice: with the pawn's own moves and with the square that the mover leaves.
                    let mutual = simple.without(replies.not_to | forbidden.nonzero())
                        & self.frame.pawns
                        & self.frame.their
                        & pawn_attacks_up(from & replies.pawn_captures);
                    tally.left = tally.left.add(mutual.popcount());
                }
            }
            self.piece(from, targets, simple, forbidden, CODE);
        }
    }

    #[inline(always)]
    fn pawns(&mut self) {
        let &Frame { own, their, empty, pawns, .. } = self.frame;
        let limits = self.limits;
        let (own_pawns, their_pawns) = (pawns & own, pawns & their);
        let last = L::splat(RANK_8);
        let single = step::<NORTH, L>(limits.free(own_pawns, FILE)) & empty;
        let double = step::<NORTH, L>(single & L::splat(THIRD_RANK)) & empty & limits.evasion;
        let mut single = single & limits.evasion;
        let captures = their & limits.evasion;
        let mut east = step::<NORTH_EAST, L>(limits.free(own_pawns, DIAGONAL)) & captures;
        let mut west = step::<NORTH_WEST, L>(limits.free(own_pawns, ANTIDIAGONAL)) & captures;

        // Double pushes that an en-passant capture may answer.
        let passing = may_be_captured_en_passant(double, their_pawns);
        self.sink.shifted(passing, 16, PackedMove::pattern(PAWN, DOUBLE_PUSH));
        let mut double = double ^ passing;

        if ((single | east | west) & last).any() {
            for code in [QUEEN, ROOK, BISHOP, KNIGHT] {
                let pattern = PackedMove::pattern(code, PLAIN);
                self.sink.shifted(single & last, 8, pattern);
                self.sink.shifted(east & last, 9, pattern);
                self.sink.shifted(west & last, 7, pattern);
            }
            (single, east, west) = (single.without(last), east.without(last), west.without(last));
        }
        if let Some(tally) = &mut self.tally {
            let replies = tally.replies;
            let not_from = replies.not_from | replies.not_from_pawn;
            let not_to = replies.not_to | replies.not_to_pawn;
            let not_push = not_from | replies.not_along[FILE];
            let simple = single.without(not_to | not_push.shift::<8>());
            tally.shifted(simple.shift::<-8>(), simple);
            single = single ^ simple;
            let simple = double.without(not_to | not_push.shift::<16>());
            tally.shifted(simple.shift::<-16>(), simple);
            double = double ^ simple;
            macro_rules! captures {
                ($($set:ident $axis:ident $distance:literal),*) => {$(
                    let not_from = not_from | replies.not_along[$axis];
                    let simple = $set.without(not_to | not_from.shift::<$distance>());
                    tally.shifted(simple.shift::<{ -$distance }>(), simple);
                    tally.captures = tally.captures.add(simple.popcount());
                    // A pawn captured by a pawn could have captured that pawn: this capture was subtracted twice, as for
                    // sliders.
                    tally.left = tally.left.add((simple & their_pawns).popcount());
                    $set = $set ^ simple;
                )*};
            }
            captures!(east DIAGONAL 9, west ANTIDIAGONAL 7);
        }
        self.sink.shifted(single, 8, PackedMove::pattern(PAWN, PLAIN));
        self.sink.shifted(double, 16, PackedMove::pattern(PAWN, PLAIN));
        self.sink.shifted(east, 9, PackedMove::pattern(PAWN, PLAIN));
        self.sink.shifted(west, 7, PackedMove::pattern(PAWN, PLAIN));

        if self.frame.en_passant.any() {
            let [west, east] = en_passant_captors(self.frame);
            self.sink.shifted(west.shift::<7>(), 7, PackedMove::pattern(PAWN, EN_PASSANT));
            self.sink.shifted(east.shift::<9>(), 9, PackedMove::pattern(PAWN, EN_PASSANT));
        }
    }

    #[inline(always)]
    fn king(&mut self) {
        let &Frame { own, .. } = self.frame;
        let king = self.frame.kings & own;
        let targets = king_attacks(king).without(own | self.limits.danger);
        let (mut simple, mut forbidden) = (targets, L::splat(0));
        if let Some(Tally { replies, .. }) = self.tally {
            simple = targets.without(replies.not_king);
            forbidden = king & (replies.not_from | replies.not_king | replies.not_along[FILE]) | self.limits.check;
        }
        self.piece(king, targets, simple, forbidden, KING);
        if (self.frame.castling_rooks & own).any() {
            for side in 0..2 {
                let castling = Castling::new(self.frame, side);
                let legal = castling.is_legal(self.frame, self.limits);
                self.sink.piece(king, castling.king_to & legal, PackedMove::pattern(KING, CASTLING));
            }
        }
    }
}
