//! Two plies in closed form: how many replies the other side has after a move, without making it.
//!
//! Take a position with the side to move called *own* and the other, that replies, *their*. Let
//! `base` be the number of replies if own passed. A move of own from f to t that leaves alone what
//! limits their moves changes that number by `value(f) - value(t)`, where `value` is known for all
//! squares at once: five bit planes, computed set-wise ([`Replies::value`]). Summed over a whole set
//! of targets this takes a few popcounts, and the positions in between never exist.
//!
//! # The value of a square
//!
//! `value(x)` counts the replies that are there because own has nothing on x:
//!
//! * for each of their sliders that reaches x: the squares it sees beyond x. A piece put there hides
//!   them; a piece taken away reveals them. (x itself is reached either way: a quiet move becomes a
//!   capture.)
//! * their pawn pushes onto or over x;
//! * less their pawns that attack x, since a piece put there can be captured. To keep values
//!   positive, 2 less this number is counted; the 2 cancels in the difference.
//! * if their piece stands on x, its own moves, and 7 less the number of their other pieces that
//!   defend it: captured, it moves no more, but the captor can be captured. The 7 is given back per
//!   capture.
//!
//! # Which moves qualify
//!
//! Their moves are limited by attacks on squares where their king may want to go (the *zone*: free
//! squares next to it, its castling path, and its own square), by pins, and by what stands in the way
//! of castling. Each condition below is a claim that a move outside the named squares leaves these
//! alone. They are stated where they are computed, numbered K1 to K9. `tests/claims` attacks each of
//! them, and each term of the values, with positions made to violate it, in every variant; for each it
//! holds the smallest position found that is miscounted without it. Moves that do not qualify, and all
//! promotions, castlings, en-passant captures and double pushes that allow one, are counted one by one.

use kogge_board::bits::{NOT_FILE_A, NOT_FILE_H, RANK_1};

use crate::count::total;
use crate::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, Rays, SOUTH, SOUTH_EAST, SOUTH_WEST, Slides, WEST, king_attacks,
    knight_attacks, knight_leaps, landing, pawn_attacks_down, pawn_attacks_up, step,
};
use crate::frame::{ANTIDIAGONAL, Castling, DIAGONAL, FILE, Frame, Limits, RANK};
use crate::word::{Word, and_each};

/// Their rank 7: where their pawns start.
const THEIR_SECOND_RANK: u64 = 0xff << 48;
/// Our rank 2: where their pawns are about to promote.
const THEIR_SEVENTH_RANK: u64 = 0xff << 8;
/// Where their pawns pass on a double push.
const THEIR_THIRD_RANK: u64 = 0xff << 40;

/// What is known of the replies before any move is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replies<W> {
    /// The number of replies if own passed.
    pub(crate) base: W,
    /// The values of all squares, as bit planes of weight 1, 2, 4, 8, 16.
    pub(crate) value: [W; 5],
    /// Their sliders' attacks, pinned or not.
    pub(crate) hostile: Rays<W>,
    /// Squares that no piece may leave.
    pub(crate) not_from: W,
    /// Squares where no piece may land.
    pub(crate) not_to: W,
    /// Zone squares that exactly one own piece (other than pawns and king) attacks.
    pub(crate) once: W,
    /// Squares where a knight may not land.
    pub(crate) not_to_knight: W,
    /// Squares where a piece that slides along files and ranks may not land.
    pub(crate) not_to_orthogonal: W,
    /// Squares where a piece that slides along diagonals may not land.
    pub(crate) not_to_diagonal: W,
    /// Squares that a pawn may not leave.
    pub(crate) not_from_pawn: W,
    /// Squares where a pawn may not land.
    pub(crate) not_to_pawn: W,
    /// Squares that the king may neither leave nor land on.
    pub(crate) not_king: W,
    /// Squares from which no move along an axis qualifies: file, rank, diagonal, antidiagonal.
    pub(crate) not_along: [W; 4],
    /// Squares that their pawns attack and may capture on.
    pub(crate) pawn_captures: W,
}

/// Adds two boards to bit planes.
#[inline(always)]
fn increment_twice<W: Word, const N: usize>(planes: &mut [W; N], a: W, b: W) {
    let mut carry = majority(planes[0], a, b);
    planes[0] = planes[0] ^ a ^ b;
    for index in 1..N {
        (planes[index], carry) = (planes[index] ^ carry, planes[index] & carry);
    }
}

/// The bits set in at least two of three boards.
#[inline(always)]
fn majority<W: Word>(a: W, b: W, c: W) -> W {
    a & b | (a | b) & c
}

/// For one direction: to the number of each square in `on`, adds how many squares a slider there (or
/// passing there) sees beyond it, up to seven.
macro_rules! add_sight {
    ($value:ident, $direction:ident, $on:expr, $empty:expr, $not_their:expr) => {{
        let enter = $empty & W::splat(landing($direction));
        let see1 = ($not_their & W::splat(landing($direction))).shift::<{ -$direction }>();
        let see2 = (enter & see1).shift::<{ -$direction }>();
        let see3 = (enter & see2).shift::<{ -$direction }>();
        let see4 = (enter & see3).shift::<{ -$direction }>();
        let see5 = (enter & see4).shift::<{ -$direction }>();
        let see6 = (enter & see5).shift::<{ -$direction }>();
        let see7 = (enter & see6).shift::<{ -$direction }>();
        // Whoever sees n squares sees all fewer: the binary digits of a thermometer.
        let ones = (see1 ^ see2 ^ see3) ^ (see4 ^ see5 ^ see6) ^ see7;
        let (ones, twos, fours) = (ones & $on, (see2 ^ see4 ^ see6) & $on, see4 & $on);
        let [v0, v1, v2, v3, v4] = $value;
        let carry1 = v0 & ones;
        let carry2 = majority(v1, twos, carry1);
        let carry3 = majority(v2, fours, carry2);
        $value = [v0 ^ ones, v1 ^ twos ^ carry1, v2 ^ fours ^ carry2, v3 ^ carry3, v4 ^ (v3 & carry3)];
    }};
}

impl<W: Word> Replies<W> {
    /// Analyses a position; own is to move.
    #[inline(always)]
    pub(crate) fn of(frame: &Frame<W>, slides: &Slides<W>) -> Self {
        let &Frame { own, their, empty, .. } = frame;
        let zero = W::splat(0);
        let not_their = !their;
        let their_king = frame.kings & their;
        let their_pawns = frame.pawns & their;
        let their_knights = frame.knights & their;
        let (rooks_queens, bishops_queens) = (frame.rooks_queens & own, frame.bishops_queens & own);

        // Own attacks. Each direction and the knights together count as one attacker of a square:
        // never more than there are.
        let by_sliders = slides.attacks(rooks_queens, bishops_queens);
        let by_knights = knight_attacks(frame.knights & own);
        let firmly = pawn_attacks_up(frame.pawns & own) | king_attacks(frame.kings & own);
        let (mut once, mut twice, mut thrice) = (by_knights, zero, zero);
        let attacks = by_sliders.all();
        for index in 0..8 {
            thrice = thrice | twice & attacks[index];
            twice = twice | once & attacks[index];
            once = once | attacks[index];
        }
        let danger = once | firmly;

        // The zone. While nothing on `way` changes, castling stays possible or impossible.
        let near_king = king_attacks(their_king).without(their_king);
        let (mut castling_path, mut way, mut castlings) = (zero, zero, None);
        if (frame.castling_rooks & their).any() {
            let turned = frame.turned();
            let both = [Castling::new(&turned, 0), Castling::new(&turned, 1)];
            castling_path = (both[0].king_path | both[1].king_path).flip();
            way = (both[0].way | both[1].way).flip();
            castlings = Some((turned, both));
        }
        let zone = near_king & not_their | castling_path | their_king;

        // Squares that pawns or the king attack are attacked whatever other pieces do (their own
        // moves have conditions K7 and K8). Of the rest:
        let loose = zone.without(firmly);
        let only_once = loose & once.without(twice);
        let at_most_twice = loose & once.without(thrice);
        let free = loose.without(once);

        // K1. A piece that lands on an empty square between an own slider and a zone square takes an attack from it.
        // Together with the mover's own that may be the last two, so squares attacked twice count.
        let seen_from_attacked = slides.attacks(at_most_twice, at_most_twice);
        let blocks = union(by_sliders.meeting(&seen_from_attacked)) & empty;
        // K2. A piece that leaves the line between an own slider and a free zone square, where it is
        // the only one, discovers an attack. Their king's square is always free: own is to move.
        let seen_from_free = slides.attacks(free, free);
        let discovers = union(by_sliders.meeting(&seen_from_free));
        // K3. A slider that lands where it sees a free zone square attacks it.
        let not_to_orthogonal = seen_from_free.orthogonal();
        let not_to_diagonal = seen_from_free.diagonal();

        // K4. Pins. If the second piece on a ray from their king is an own slider, it pins the first (whose
        // that is, is not asked): nothing may come, go or be captured on the way to it. If the third is
        // one, it may pin as soon as one of the two before it leaves; whatever comes or is captured there
        // still leaves two.
        let sight1 = slides.attacks(their_king, their_king);
        let sight2 = slides.rays(&sight1.and(!empty));
        let sight3 = slides.rays(&sight2.and(!empty));
        let sliders = Rays::from_axes([rooks_queens, rooks_queens, bishops_queens, bishops_queens]);
        let (mut pins, mut pins_soon) = (zero, zero);
        let (rays1, rays2, rays3, sliders) = (sight1.all(), sight2.all(), sight3.all(), sliders.all());
        for index in 0..8 {
            let second = (rays2[index] & sliders[index]).nonzero();
            let third = (rays3[index] & sliders[index]).nonzero();
            let way = rays1[index] | rays2[index];
            pins = pins | way & second;
            pins_soon = pins_soon | way & third;
        }
        // A slider that lands beyond the first piece of a ray pins it.
        let not_to_orthogonal = not_to_orthogonal | sight2.orthogonal();
        let not_to_diagonal = not_to_diagonal | sight2.diagonal();

        // Their moves if own passes.
        let pinned_on = and_each(by_sliders.meeting(&sight1), their);
        let pinned = union(pinned_on);
        let limits = Limits { danger, pinned_on, pinned, evasion: !zero, check: zero };
        let their_free = Rays::from_axes([
            limits.free(frame.rooks_queens & their, FILE),
            limits.free(frame.rooks_queens & their, RANK),
            limits.free(frame.bishops_queens & their, DIAGONAL),
            limits.free(frame.bishops_queens & their, ANTIDIAGONAL),
        ]);
        let reached = slides.rays(&their_free);
        let mut base = near_king.without(their | danger).popcount();
        let mut value = [zero; 5];
        macro_rules! slide {
            ($($field:ident $direction:ident),*) => {$(
                base = base.add((reached.$field & not_their).popcount());
                add_sight!(value, $direction, reached.$field & not_their | their_free.$field, empty, not_their);
            )*};
        }
        slide!(north NORTH, south SOUTH, east EAST, west WEST,
            north_east NORTH_EAST, north_west NORTH_WEST, south_east SOUTH_EAST, south_west SOUTH_WEST);

        // Knights: their leaps, and the number of each one's leaps as the value of its square, where
        // nothing has been added so far.
        let leaps = knight_leaps(their_knights.without(pinned));
        let free_leaps = and_each(leaps, not_their);
        base = base.add(total(free_leaps));
        let [l0, l1, l2, l3] = sum_of_eight(knights_return(free_leaps));
        let [v0, v1, v2, v3, v4] = value;
        value = [v0 | l0, v1 | l1, v2 | l2, v3 | l3, v4];
        let by_sliders = sum_of_eight(and_each(reached.all(), their));
        let by_knights = sum_of_eight(and_each(leaps, their));
        let carry1 = by_sliders[0] & by_knights[0];
        let carry2 = majority(by_sliders[1], by_knights[1], carry1);
        let carry3 = majority(by_sliders[2], by_knights[2], carry2);
        let defended = [
            by_sliders[0] ^ by_knights[0],
            by_sliders[1] ^ by_knights[1] ^ carry1,
            by_sliders[2] ^ by_knights[2] ^ carry2,
        ];
        let overdefended = by_sliders[3] | by_knights[3] | carry3;
        // A queen's mobility and seven more need more than five planes: leave out 20 and up.
        let crowded = value[4] & (value[3] | value[2]) & their;

        // Pawns. They move down: a push from x lands on x - 8.
        let pushers = limits.free(their_pawns, FILE);
        let push = step::<SOUTH, W>(pushers) & empty;
        let double = step::<SOUTH, W>(push & W::splat(THEIR_THIRD_RANK)) & empty;
        let east_captors = limits.free(their_pawns, ANTIDIAGONAL);
        let west_captors = limits.free(their_pawns, DIAGONAL);
        let attacked_east = step::<SOUTH_EAST, W>(east_captors);
        let attacked_west = step::<SOUTH_WEST, W>(west_captors);
        let (captured_east, captured_west) = (attacked_east & own, attacked_west & own);
        base = base.add(total([push, double, captured_east, captured_west]));
        let promoting = (push | captured_east | captured_west) & W::splat(RANK_1);
        if promoting.any() {
            let promotions = total(and_each([push, captured_east, captured_west], W::splat(RANK_1)));
            base = base.add(promotions).add(promotions.shift::<1>());
        }
        if let Some((turned, both)) = castlings {
            let limits = Limits {
                danger: danger.flip(),
                pinned_on: [zero, pinned_on[RANK].flip(), zero, zero],
                pinned: zero,
                evasion: !zero,
                check: zero,
            };
            base = base.sub(both[0].is_legal(&turned, &limits)).sub(both[1].is_legal(&turned, &limits));
        }
        // Landing on a push's square, or on the square before a double push's, takes that push.
        increment_twice(&mut value, push | double, double.shift::<8>());
        increment_twice(&mut value, !attacked_east, !attacked_west);
        // Leaving the square before a pawn frees its push, and the double push if the next is empty;
        // leaving the square after frees the double push if the first is empty.
        let before = step::<SOUTH, W>(pushers);
        let before_start = step::<SOUTH, W>(pushers & W::splat(THEIR_SECOND_RANK));
        let frees_push = before & own;
        let frees_double = before_start & own & empty.shift::<8>() | step::<SOUTH, W>(before_start & empty) & own;
        increment_twice(&mut value, frees_push, frees_double);
        // A captured pawn's own moves: pushes and captures.
        let can_push = pushers & empty.shift::<8>();
        let can_double = can_push & W::splat(THEIR_SECOND_RANK) & empty.shift::<16>();
        let own_not_a = own & W::splat(NOT_FILE_A);
        let own_not_h = own & W::splat(NOT_FILE_H);
        increment_twice(&mut value, can_push, can_double);
        increment_twice(&mut value, east_captors & own_not_a.shift::<7>(), west_captors & own_not_h.shift::<9>());
        // Seven less the number of defenders.
        let [d0, d1, d2] = [their.without(defended[0]), their.without(defended[1]), their.without(defended[2])];
        let [v0, v1, v2, v3, v4] = value;
        let carry1 = v0 & d0;
        let carry2 = majority(v1, d1, carry1);
        let carry3 = majority(v2, d2, carry2);
        let value = [v0 ^ d0, v1 ^ d1 ^ carry1, v2 ^ d2 ^ carry2, v3 ^ carry3, v4 ^ (v3 & carry3)];

        // K5. On their promotion rank a push or capture counts fourfold, and so do the moves of a pawn
        // about to promote: nothing may land, leave or be captured there.
        let promotion_squares = (their_pawns.shift::<-8>() | attacked_east | attacked_west) & W::splat(RANK_1);
        let about_to_promote = their_pawns & W::splat(THEIR_SEVENTH_RANK);
        // K6. A man of theirs next to their king, once captured, leaves it a square to go to, if nothing
        // defends the captor. (Own men next to it are such squares already: the king may capture them, or
        // go there when they have left.) A rook that may castle takes the right with it.
        let guarded = near_king & their | frame.castling_rooks & their;
        let untouchable = way | pins | promotion_squares;
        let not_to = untouchable | blocks | guarded | about_to_promote | crowded | overdefended;
        let not_from = untouchable | pins_soon | discovers;

        // K9. A move along a line on which their slider (or pawn, on a file) sees the piece changes
        // what it sees at both ends at once.
        let not_along = [
            reached.north | reached.south | frees_push | frees_double,
            reached.east | reached.west,
            reached.north_east | reached.south_west,
            reached.north_west | reached.south_east,
        ];
        let not_along = and_each(not_along, own);

        // Pinned sliders give check all the same.
        let hostile = if (pinned & (frame.rooks_queens | frame.bishops_queens)).any() {
            slides.attacks(frame.rooks_queens & their, frame.bishops_queens & their)
        } else {
            reached
        };
        Self {
            base,
            value,
            hostile,
            not_from,
            not_to,
            once: only_once,
            not_to_knight: knight_attacks(free),
            not_to_orthogonal,
            not_to_diagonal,
            // K7. A pawn that attacks a zone square may not leave; one may not come to attack a free one.
            not_from_pawn: pawn_attacks_down(zone),
            not_to_pawn: pawn_attacks_down(free),
            // K8. The king may neither leave nor come next to a zone square.
            not_king: king_attacks(zone),
            not_along,
            pawn_captures: attacked_east | attacked_west,
        }
    }

    /// The sum of the values of a set of squares.
    #[inline(always)]
    pub(crate) fn sum(&self, squares: W) -> W {
        let [v0, v1, v2, v3, v4] = and_each(self.value, squares);
        weighted(&[v0.popcount(), v1.popcount(), v2.popcount(), v3.popcount(), v4.popcount()])
    }
}

/// Numbers of weight 1, 2, 4, 8, 16, added up.
#[inline(always)]
pub(crate) fn weighted<W: Word>(&[n0, n1, n2, n3, n4]: &[W; 5]) -> W {
    n0.add(n1.shift::<1>()).add(n2.shift::<2>()).add(n3.shift::<3>()).add(n4.shift::<4>())
}

#[inline(always)]
fn union<W: Word>([a, b, c, d]: [W; 4]) -> W {
    (a | b) | (c | d)
}

/// The number of boards, of eight, that have each square: four bit planes.
#[inline(always)]
fn sum_of_eight<W: Word>([a, b, c, d, e, f, g, h]: [W; 8]) -> [W; 4] {
    let (sum1, carry1) = (a ^ b ^ c, majority(a, b, c));
    let (sum2, carry2) = (d ^ e ^ f, majority(d, e, f));
    let (sum3, carry3) = (sum1 ^ sum2 ^ g, majority(sum1, sum2, g));
    let (ones, carry4) = (sum3 ^ h, sum3 & h);
    let (sum4, carry5) = (carry1 ^ carry2 ^ carry3, majority(carry1, carry2, carry3));
    let (twos, carry6) = (sum4 ^ carry4, sum4 & carry4);
    [ones, twos, carry5 ^ carry6, carry5 & carry6]
}

/// The leaps of [`knight_leaps`], taken back.
#[inline(always)]
fn knights_return<W: Word>([a, b, c, d, e, f, g, h]: [W; 8]) -> [W; 8] {
    [
        a.shift::<-17>(),
        b.shift::<-15>(),
        c.shift::<-10>(),
        d.shift::<-6>(),
        e.shift::<6>(),
        f.shift::<10>(),
        g.shift::<15>(),
        h.shift::<17>(),
    ]
}
