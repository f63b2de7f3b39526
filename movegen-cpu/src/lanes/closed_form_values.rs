//! Two plies in closed form: the number of replies to a move, without making the move.
//!
//! Call the side to move *own* and the side that replies *their*. Let `base` be the number of replies if own
//! passed. A move of own from f to t that does not touch the limits of their moves changes this number by
//! `value(f) - value(t)`. The values of all squares are computed at once, set-wise, as five bit planes
//! ([`Replies::value`]). A few popcounts sum the values of a whole set of targets; no move is made.
//!
//! # The value of a square
//!
//! `value(x)` counts the replies that exist because no own piece is on x:
//!
//! * for each of their sliders that reaches x: the squares it sees beyond x. An own piece that lands on x hides
//!   them; one that leaves x reveals them. (The slider reaches x in any case: a quiet move becomes a capture.)
//! * their pawn pushes onto or over x;
//! * minus the number of their pawns that attack x and can capture a piece that lands there. To keep values
//!   positive, 2 minus this number is counted; the 2 cancels in the difference.
//! * if their piece stands on x: its own moves, and 7 minus the number of their other pieces that defend it. A
//!   captured piece no longer moves, but its defenders can capture the captor. Each capture adds the 7 again.
//!
//! # Which moves qualify
//!
//! Three things limit their moves: attacks on the *zone* (free squares next to their king, its castling path,
//! and its own square), pins, and pieces on squares that their castling needs empty. Conditions K1 to K9,
//! stated where they are computed, name the squares where a move may touch these limits. `tests/claims` attacks
//! each condition, and each term of the values, in every variant with positions made to violate it; for each it
//! has the smallest position found that is miscounted without it. Moves that do not qualify, and all promotions,
//! castlings, en-passant captures and double pushes that allow one, are counted one by one.

use kogge_board::bits::{NOT_FILE_A, NOT_FILE_H, RANK_1};

use super::count::total;
use super::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, Rays, SOUTH, SOUTH_EAST, SOUTH_WEST, Slides, WEST, king_attacks,
    knight_attacks, knight_leaps, landing, pawn_attacks_down, pawn_attacks_up, step,
};
use super::frame::{ANTIDIAGONAL, Castling, DIAGONAL, FILE, Frame, Limits, RANK};
use super::vector::{Lanes, and_each};

/// Rank 7, where their pawns start.
const THEIR_SECOND_RANK: u64 = 0xff << 48;
/// Rank 2, where their pawns are about to promote.
const THEIR_SEVENTH_RANK: u64 = 0xff << 8;
/// Rank 6, which their pawns pass on a double push.
const THEIR_THIRD_RANK: u64 = 0xff << 40;

/// The data about the replies that does not depend on the move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replies<L> {
    /// The number of replies if own passed.
    pub(crate) base: L,
    /// The values of all squares, as bit planes of weight 1, 2, 4, 8, 16.
    pub(crate) value: [L; 5],
    /// Their sliders' attacks, pinned or not.
    pub(crate) hostile: Rays<L>,
    /// Squares that no piece may leave.
    pub(crate) not_from: L,
    /// Squares where no piece may land.
    pub(crate) not_to: L,
    /// Zone squares that exactly one own piece (other than pawns and king) attacks.
    pub(crate) once: L,
    /// Squares where a knight may not land.
    pub(crate) not_to_knight: L,
    /// Squares where a piece that slides along files and ranks may not land.
    pub(crate) not_to_orthogonal: L,
    /// Squares where a piece that slides along diagonals may not land.
    pub(crate) not_to_diagonal: L,
    /// Squares that a pawn may not leave.
    pub(crate) not_from_pawn: L,
    /// Squares where a pawn may not land.
    pub(crate) not_to_pawn: L,
    /// Squares that the king may neither leave nor land on.
    pub(crate) not_king: L,
    /// For each axis (file, rank, diagonal, antidiagonal), the squares from which no move along it qualifies.
    pub(crate) not_along: [L; 4],
    /// Squares where their pawns may capture.
    pub(crate) pawn_captures: L,
}

/// Adds two boards to bit planes.
#[inline(always)]
fn increment_twice<L: Lanes, const N: usize>(planes: &mut [L; N], a: L, b: L) {
    let mut carry = majority(planes[0], a, b);
    planes[0] = planes[0] ^ a ^ b;
    for index in 1..N {
        (planes[index], carry) = (planes[index] ^ carry, planes[index] & carry);
    }
}

/// Returns the bits set in at least two of three boards.
#[inline(always)]
fn majority<L: Lanes>(a: L, b: L, c: L) -> L {
    a & b | (a | b) & c
}

/// Adds, for one direction, the number of squares (up to seven) that a slider sees beyond each square in `on` to that
/// square's value.
macro_rules! add_sight {
    ($value:ident, $direction:ident, $on:expr, $empty:expr, $not_their:expr) => {{
        let enter = $empty & L::splat(landing($direction));
        let see1 = ($not_their & L::splat(landing($direction))).shift::<{ -$direction }>();
        let see2 = (enter & see1).shift::<{ -$direction }>();
        let see3 = (enter & see2).shift::<{ -$direction }>();
        let see4 = (enter & see3).shift::<{ -$direction }>();
        let see5 = (enter & see4).shift::<{ -$direction }>();
        let see6 = (enter & see5).shift::<{ -$direction }>();
        let see7 = (enter & see6).shift::<{ -$direction }>();
        // `see1` to `see7` are a thermometer code of the number; these are its binary digits.
        let ones = (see1 ^ see2 ^ see3) ^ (see4 ^ see5 ^ see6) ^ see7;
        let (ones, twos, fours) = (ones & $on, (see2 ^ see4 ^ see6) & $on, see4 & $on);
        let [v0, v1, v2, v3, v4] = $value;
        let carry1 = v0 & ones;
        let carry2 = majority(v1, twos, carry1);
        let carry3 = majority(v2, fours, carry2);
        $value = [v0 ^ ones, v1 ^ twos ^ carry1, v2 ^ fours ^ carry2, v3 ^ carry3, v4 ^ (v3 & carry3)];
    }};
}

impl<L: Lanes> Replies<L> {
    /// Analyses a position with own to move.
    #[inline(always)]
    pub(crate) fn of(frame: &Frame<L>, slides: &Slides<L>) -> Self {
        let &Frame { own, their, empty, .. } = frame;
        let zero = L::splat(0);
        let not_their = !their;
        let their_king = frame.kings & their;
        let their_pawns = frame.pawns & their;
        let their_knights = frame.knights & their;
        let (rooks_queens, bishops_queens) = (frame.rooks_queens & own, frame.bishops_queens & own);

        // Own attacks. Each direction counts as one attacker of a square, and all knights together as one: never more than
        // there are.
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
            let flipped = frame.flipped();
            let both = [Castling::new(&flipped, 0), Castling::new(&flipped, 1)];
            castling_path = (both[0].king_path | both[1].king_path).flip();
            way = (both[0].way | both[1].way).flip();
            castlings = Some((flipped, both));
        }
        let zone = near_king & not_their | castling_path | their_king;

        // Squares attacked by pawns or the king stay attacked when other pieces move (K7 and K8 cover moves of pawns and
        // king). The other zone squares:
        let loose = zone.without(firmly);
        let only_once = loose & once.without(twice);
        let at_most_twice = loose & once.without(thrice);
        let free = loose.without(once);

        // K1. A piece that lands on an empty square between an own slider and a zone square blocks an attack on it. The
        // mover's own attack may end too, so squares attacked once or twice count.
        let seen_from_attacked = slides.attacks(at_most_twice, at_most_twice);
        let blocks = union(by_sliders.meeting(&seen_from_attacked)) & empty;
        // K2. The only piece between an own slider and a free zone square discovers an attack when it leaves. Their king's
        // square is always free: own is to move.
        let seen_from_free = slides.attacks(free, free);
        let discovers = union(by_sliders.meeting(&seen_from_free));
        // K3. A slider that lands where it sees a free zone square attacks it.
        let not_to_orthogonal = seen_from_free.orthogonal();
        let not_to_diagonal = seen_from_free.diagonal();

        // K4. Pins. If the second piece on a ray from their king is an own slider, it pins the first one, of either side:
        // no piece may land, leave or be captured on the ray up to the slider. If the third piece is an own slider, it
        // may pin when one of the two before it leaves; landings and captures there still leave two pieces.
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

        // Knights: their leaps, and the number of each knight's leaps as the value of its square, which is still zero.
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
        // A queen's mobility plus seven may need more than five planes: exclude values from 20 up.
        let crowded = value[4] & (value[3] | value[2]) & their;

        // Pawns. They move down: a push from x lands on x - 8.
        let pushers = limits.free(their_pawns, FILE);
        let push = step::<SOUTH, L>(pushers) & empty;
        let double = step::<SOUTH, L>(push & L::splat(THEIR_THIRD_RANK)) & empty;
        let east_captors = limits.free(their_pawns, ANTIDIAGONAL);
        let west_captors = limits.free(their_pawns, DIAGONAL);
        let attacked_east = step::<SOUTH_EAST, L>(east_captors);
        let attacked_west = step::<SOUTH_WEST, L>(west_captors);
        let (captured_east, captured_west) = (attacked_east & own, attacked_west & own);
        base = base.add(total([push, double, captured_east, captured_west]));
        let promoting = (push | captured_east | captured_west) & L::splat(RANK_1);
        if promoting.any() {
            let promotions = total(and_each([push, captured_east, captured_west], L::splat(RANK_1)));
            base = base.add(promotions).add(promotions.shift::<1>());
        }
        if let Some((flipped, both)) = castlings {
            let limits = Limits {
                danger: danger.flip(),
                pinned_on: [zero, pinned_on[RANK].flip(), zero, zero],
                pinned: zero,
                evasion: !zero,
                check: zero,
            };
            base = base.sub(both[0].is_legal(&flipped, &limits)).sub(both[1].is_legal(&flipped, &limits));
        }
        // A piece that lands on the target of a push, or on the square that a double push passes, blocks the push.
        increment_twice(&mut value, push | double, double.shift::<8>());
        increment_twice(&mut value, !attacked_east, !attacked_west);
        // A piece that leaves the first square before a pawn frees its push, and the double push if the second square is
        // empty; a piece that leaves the second square frees the double push if the first one is empty.
        let before = step::<SOUTH, L>(pushers);
        let before_start = step::<SOUTH, L>(pushers & L::splat(THEIR_SECOND_RANK));
        let frees_push = before & own;
        let frees_double = before_start & own & empty.shift::<8>() | step::<SOUTH, L>(before_start & empty) & own;
        increment_twice(&mut value, frees_push, frees_double);
        // A captured pawn's own moves: pushes and captures.
        let can_push = pushers & empty.shift::<8>();
        let can_double = can_push & L::splat(THEIR_SECOND_RANK) & empty.shift::<16>();
        let own_not_a = own & L::splat(NOT_FILE_A);
        let own_not_h = own & L::splat(NOT_FILE_H);
        increment_twice(&mut value, can_push, can_double);
        increment_twice(&mut value, east_captors & own_not_a.shift::<7>(), west_captors & own_not_h.shift::<9>());
        // Seven minus the number of defenders.
        let [d0, d1, d2] = [their.without(defended[0]), their.without(defended[1]), their.without(defended[2])];
        let [v0, v1, v2, v3, v4] = value;
        let carry1 = v0 & d0;
        let carry2 = majority(v1, d1, carry1);
        let carry3 = majority(v2, d2, carry2);
        let value = [v0 ^ d0, v1 ^ d1 ^ carry1, v2 ^ d2 ^ carry2, v3 ^ carry3, v4 ^ (v3 & carry3)];

        // K5. A push or capture on their promotion rank counts four times: no piece may land, leave or be captured on
        // the squares concerned, and pawns about to promote may not be captured.
        let promotion_squares = (their_pawns.shift::<-8>() | attacked_east | attacked_west) & L::splat(RANK_1);
        let about_to_promote = their_pawns & L::splat(THEIR_SEVENTH_RANK);
        // K6. Capturing their man next to their king opens a square for the king, if nothing defends the captor.
        // (Squares of own men next to it are open already: the king may capture the man, or go there when it has left.)
        // Capturing a rook that may castle ends the right.
        let guarded = near_king & their | frame.castling_rooks & their;
        let untouchable = way | pins | promotion_squares;
        let not_to = untouchable | blocks | guarded | about_to_promote | crowded | overdefended;
        let not_from = untouchable | pins_soon | discovers;

        // K9. If their slider (or pawn, on a file) sees the piece along a line, a move along this line changes its view at
        // both squares at once.
        let not_along = [
            reached.north | reached.south | frees_push | frees_double,
            reached.east | reached.west,
            reached.north_east | reached.south_west,
            reached.north_west | reached.south_east,
        ];
        let not_along = and_each(not_along, own);

        // Pinned sliders also give check.
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
            // K7. No pawn that attacks a zone square may leave; no pawn may come to attack a free zone square.
            not_from_pawn: pawn_attacks_down(zone),
            not_to_pawn: pawn_attacks_down(free),
            // K8. The king may neither leave nor reach a square next to a zone square.
            not_king: king_attacks(zone),
            not_along,
            pawn_captures: attacked_east | attacked_west,
        }
    }

    /// Returns the sum of the values of a set of squares.
    #[inline(always)]
    pub(crate) fn sum(&self, squares: L) -> L {
        let [v0, v1, v2, v3, v4] = and_each(self.value, squares);
        weighted(&[v0.popcount(), v1.popcount(), v2.popcount(), v3.popcount(), v4.popcount()])
    }
}

/// Returns the sum of numbers weighted 1, 2, 4, 8 and 16.
#[inline(always)]
pub(crate) fn weighted<L: Lanes>(&[n0, n1, n2, n3, n4]: &[L; 5]) -> L {
    n0.add(n1.shift::<1>()).add(n2.shift::<2>()).add(n3.shift::<3>()).add(n4.shift::<4>())
}

#[inline(always)]
fn union<L: Lanes>([a, b, c, d]: [L; 4]) -> L {
    (a | b) | (c | d)
}

/// Counts for each square the boards that have it, as four bit planes.
#[inline(always)]
fn sum_of_eight<L: Lanes>([a, b, c, d, e, f, g, h]: [L; 8]) -> [L; 4] {
    let (sum1, carry1) = (a ^ b ^ c, majority(a, b, c));
    let (sum2, carry2) = (d ^ e ^ f, majority(d, e, f));
    let (sum3, carry3) = (sum1 ^ sum2 ^ g, majority(sum1, sum2, g));
    let (ones, carry4) = (sum3 ^ h, sum3 & h);
    let (sum4, carry5) = (carry1 ^ carry2 ^ carry3, majority(carry1, carry2, carry3));
    let (twos, carry6) = (sum4 ^ carry4, sum4 & carry4);
    [ones, twos, carry5 ^ carry6, carry5 & carry6]
}

/// Reverses the leaps of [`knight_leaps`].
#[inline(always)]
fn knights_return<L: Lanes>([a, b, c, d, e, f, g, h]: [L; 8]) -> [L; 8] {
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
