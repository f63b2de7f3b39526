//! Two plies in closed form: the number of replies to a move, without making the move.
//!
//! Call the side to move *own* and the side that replies *their*, as in "own pieces" and "their king". Let `base` be
//! the number of replies if own passed. If a move of own from f to t does not touch the limits of their moves, it
//! changes this number by `value(f) - value(t)`. The values of all squares are computed at once, set-wise, as five bit
//! planes ([`Replies::value`]). A few popcounts sum the values of a whole set of targets; no move is made.
//!
//! # The value of a square
//!
//! `value(x)` counts the replies that exist because no own piece is on x:
//!
//! * for each of their sliders that reaches x: the squares that the slider sees beyond x. An own piece that lands on x hides
//!   these squares; a piece that leaves x reveals them. (The slider reaches x in any case: a quiet move becomes a capture.)
//! * their pawn pushes onto or over x;
//! * minus the number of their pawns that attack x and can capture a piece that lands there. To keep values positive, 2
//!   minus this number is counted; the 2 cancels in the difference.
//! * if their piece stands on x: this piece's moves, and 7 minus the number of their other pieces that defend it. A
//!   captured piece no longer moves, but its defenders can capture the captor. Each capture adds the 7 again.
//!
//! # Which moves qualify
//!
//! Three things limit their moves: attacks on the *zone* (free squares next to their king, its castling path, and its
//! own square), pins, and pieces on squares that their castling needs empty. Conditions K1 to K9, stated where they are
//! computed, name the squares where a move may touch these limits. `tests/claims` tries to refute each condition, and
//! each term of the values, in every variant with positions made to violate it; for each of them, it has the smallest
//! known position that is miscounted without it. Moves that do not qualify, and all promotions, castlings, en-passant
//! captures and double pushes that allow one, are counted one by one.

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
    /// The attacks of their sliders, whether pinned or not.
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

/// Adds a number of three bit planes to a number of five.
#[inline(always)]
fn add_three<L: Lanes>([v0, v1, v2, v3, v4]: [L; 5], [a0, a1, a2]: [L; 3]) -> [L; 5] {
    let carry1 = v0 & a0;
    let carry2 = majority(v1, a1, carry1);
    let carry3 = majority(v2, a2, carry2);
    [v0 ^ a0, v1 ^ a1 ^ carry1, v2 ^ a2 ^ carry2, v3 ^ carry3, v4 ^ (v3 & carry3)]
}

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
        $value = add_three($value, [ones & $on, (see2 ^ see4 ^ see6) & $on, see4 & $on]);
    }};
}

/// The attacks of own.
struct Attackers<L> {
    /// The attacks of sliders.
    rays: Rays<L>,
    /// Squares that own pawns or the own king attack.
    firmly: L,
    /// Squares that at least one, two and three other pieces attack. Each direction counts as one attacker of a square, and
    /// all knights together as one, so no more attackers are counted than there are.
    once: L,
    twice: L,
    thrice: L,
}

impl<L: Lanes> Attackers<L> {
    #[inline(always)]
    fn of(frame: &Frame<L>, slides: &Slides<L>) -> Self {
        let own = frame.own;
        let rays = slides.attacks(frame.rooks_queens & own, frame.bishops_queens & own);
        let firmly = pawn_attacks_up(frame.pawns & own) | king_attacks(frame.kings & own);
        let (mut once, mut twice, mut thrice) = (knight_attacks(frame.knights & own), L::splat(0), L::splat(0));
        let attacks = rays.all();
        for index in 0..8 {
            thrice = thrice | twice & attacks[index];
            twice = twice | once & attacks[index];
            once = once | attacks[index];
        }
        Self { rays, firmly, once, twice, thrice }
    }
}

/// The squares next to their king, its castling path, and its own square.
struct Zone<L> {
    near_king: L,
    squares: L,
    /// While nothing on these squares changes, castling stays possible or impossible.
    way: L,
    /// Their castlings on the flipped board, if a lane has a castling right.
    castlings: Option<(Frame<L>, [Castling<L>; 2])>,
    /// Squares that are guarded by a single attack in [`Attackers::once`].
    only_once: L,
    at_most_twice: L,
    /// Squares that own pieces do not attack.
    free: L,
}

impl<L: Lanes> Zone<L> {
    #[inline(always)]
    fn of(frame: &Frame<L>, attackers: &Attackers<L>) -> Self {
        let &Attackers { firmly, once, twice, thrice, .. } = attackers;
        let their_king = frame.kings & frame.their;
        let near_king = king_attacks(their_king).without(their_king);
        let (mut castling_path, mut way, mut castlings) = (L::splat(0), L::splat(0), None);
        if (frame.castling_rooks & frame.their).any() {
            let flipped = frame.flipped();
            let both = [Castling::new(&flipped, 0), Castling::new(&flipped, 1)];
            castling_path = (both[0].king_path | both[1].king_path).flip();
            way = (both[0].way | both[1].way).flip();
            castlings = Some((flipped, both));
        }
        let squares = near_king.without(frame.their) | castling_path | their_king;
        // Squares attacked by pawns or the king stay attacked when other pieces move (K7 and K8 cover moves of pawns and
        // king).
        let loose = squares.without(firmly);
        let only_once = loose & once.without(twice);
        let at_most_twice = loose & once.without(thrice);
        Self { near_king, squares, way, castlings, only_once, at_most_twice, free: loose.without(once) }
    }
}

/// K4. Pins. If the second piece on a ray from their king is an own slider, it pins the first piece, whichever side's it is:
/// no piece may land, leave or be captured on the ray up to the slider. If the third piece is an own slider, it may pin when
/// one of the two pieces before it leaves; landings and captures there still leave two pieces.
struct Pins<L> {
    /// The rays up to sliders that pin now.
    now: L,
    /// The rays up to sliders that may pin when a piece leaves.
    soon: L,
    /// Squares where a slider along files and ranks, or along diagonals, pins the first piece of a ray.
    orthogonal: L,
    diagonal: L,
    /// Their pieces that are pinned on each axis.
    on: [L; 4],
}

impl<L: Lanes> Pins<L> {
    #[inline(always)]
    fn of(frame: &Frame<L>, slides: &Slides<L>, attackers: &Attackers<L>) -> Self {
        let &Frame { own, their, empty, .. } = frame;
        let their_king = frame.kings & their;
        let (rooks_queens, bishops_queens) = (frame.rooks_queens & own, frame.bishops_queens & own);
        let sight1 = slides.attacks(their_king, their_king);
        let sight2 = slides.rays(&sight1.and(!empty));
        let sight3 = slides.rays(&sight2.and(!empty));
        let sliders = Rays::from_axes([rooks_queens, rooks_queens, bishops_queens, bishops_queens]);
        let (mut now, mut soon) = (L::splat(0), L::splat(0));
        let (rays1, rays2, rays3, sliders) = (sight1.all(), sight2.all(), sight3.all(), sliders.all());
        for index in 0..8 {
            let second = (rays2[index] & sliders[index]).nonzero();
            let third = (rays3[index] & sliders[index]).nonzero();
            let way = rays1[index] | rays2[index];
            now = now | way & second;
            soon = soon | way & third;
        }
        let on = and_each(attackers.rays.meeting(&sight1), their);
        Self { now, soon, orthogonal: sight2.orthogonal(), diagonal: sight2.diagonal(), on }
    }
}

/// Their knights and sliders: the number of their moves if own passes, and the values of squares.
struct Pieces<L> {
    moves: L,
    value: [L; 5],
    /// Squares that sliders may reach.
    reached: Rays<L>,
    /// The number of defenders of each of their pieces, as bit planes, and the pieces that have more than seven defenders.
    defended: [L; 3],
    overdefended: L,
}

impl<L: Lanes> Pieces<L> {
    #[inline(always)]
    fn of(frame: &Frame<L>, slides: &Slides<L>, limits: &Limits<L>) -> Self {
        let &Frame { their, empty, .. } = frame;
        let not_their = !their;
        let free = Rays::from_axes([
            limits.free(frame.rooks_queens & their, FILE),
            limits.free(frame.rooks_queens & their, RANK),
            limits.free(frame.bishops_queens & their, DIAGONAL),
            limits.free(frame.bishops_queens & their, ANTIDIAGONAL),
        ]);
        let reached = slides.rays(&free);
        let (mut moves, mut value) = (L::splat(0), [L::splat(0); 5]);
        macro_rules! slide {
            ($($field:ident $direction:ident),*) => {$(
                moves = moves.add((reached.$field & not_their).popcount());
                add_sight!(value, $direction, reached.$field & not_their | free.$field, empty, not_their);
            )*};
        }
        slide!(north NORTH, south SOUTH, east EAST, west WEST,
            north_east NORTH_EAST, north_west NORTH_WEST, south_east SOUTH_EAST, south_west SOUTH_WEST);

        // The number of each knight's leaps is the value of its square, which is still zero.
        let leaps = knight_leaps((frame.knights & their).without(limits.pinned));
        let free_leaps = and_each(leaps, not_their);
        let [l0, l1, l2, l3] = sum_of_eight(knights_return(free_leaps));
        let [v0, v1, v2, v3, v4] = value;
        let [s0, s1, s2, s3] = sum_of_eight(and_each(reached.all(), their));
        let [k0, k1, k2, k3] = sum_of_eight(and_each(leaps, their));
        let [d0, d1, d2, d3, _] = add_three([s0, s1, s2, L::splat(0), L::splat(0)], [k0, k1, k2]);
        Self {
            moves: moves.add(total(free_leaps)),
            value: [v0 | l0, v1 | l1, v2 | l2, v3 | l3, v4],
            reached,
            defended: [d0, d1, d2],
            overdefended: s3 | k3 | d3,
        }
    }
}

/// Their pawns, which move down: a push from x lands on x - 8.
struct Pawns<L> {
    /// Pawns that may push, and that may capture towards file h and towards file a.
    pushers: L,
    captors: [L; 2],
    /// The targets of single and double pushes.
    push: L,
    double: L,
    /// Squares where they may capture towards file h and towards file a.
    attacked: [L; 2],
    /// Squares of own pieces that free a push or a double push by leaving.
    frees_push: L,
    frees_double: L,
}

impl<L: Lanes> Pawns<L> {
    #[inline(always)]
    fn of(frame: &Frame<L>, limits: &Limits<L>) -> Self {
        let &Frame { own, their, empty, .. } = frame;
        let pawns = frame.pawns & their;
        let pushers = limits.free(pawns, FILE);
        let push = step::<SOUTH, L>(pushers) & empty;
        let double = step::<SOUTH, L>(push & L::splat(THEIR_THIRD_RANK)) & empty;
        let captors = [limits.free(pawns, ANTIDIAGONAL), limits.free(pawns, DIAGONAL)];
        let attacked = [step::<SOUTH_EAST, L>(captors[0]), step::<SOUTH_WEST, L>(captors[1])];
        // A piece that leaves the first square before a pawn frees its push, and the double push if the second square is
        // empty; a piece that leaves the second square frees the double push if the first one is empty.
        let frees_push = step::<SOUTH, L>(pushers) & own;
        let before_start = step::<SOUTH, L>(pushers & L::splat(THEIR_SECOND_RANK));
        let frees_double = before_start & own & empty.shift::<8>() | step::<SOUTH, L>(before_start & empty) & own;
        Self { pushers, captors, push, double, attacked, frees_push, frees_double }
    }

    /// Counts their moves if own passes.
    #[inline(always)]
    fn moves(&self, own: L) -> L {
        let [captured_east, captured_west] = and_each(self.attacked, own);
        let mut moves = total([self.push, self.double, captured_east, captured_west]);
        if ((self.push | captured_east | captured_west) & L::splat(RANK_1)).any() {
            let promotions = total(and_each([self.push, captured_east, captured_west], L::splat(RANK_1)));
            moves = moves.add(promotions).add(promotions.shift::<1>());
        }
        moves
    }

    #[inline(always)]
    fn add_values(&self, frame: &Frame<L>, value: &mut [L; 5]) {
        let &Frame { own, empty, .. } = frame;
        // A piece that lands on the target of a push, or on the square that a double push passes, blocks the push.
        increment_twice(value, self.push | self.double, self.double.shift::<8>());
        increment_twice(value, !self.attacked[0], !self.attacked[1]);
        increment_twice(value, self.frees_push, self.frees_double);
        // A captured pawn's own moves: pushes and captures.
        let can_push = self.pushers & empty.shift::<8>();
        let can_double = can_push & L::splat(THEIR_SECOND_RANK) & empty.shift::<16>();
        let own_not_a = own & L::splat(NOT_FILE_A);
        let own_not_h = own & L::splat(NOT_FILE_H);
        increment_twice(value, can_push, can_double);
        increment_twice(value, self.captors[0] & own_not_a.shift::<7>(), self.captors[1] & own_not_h.shift::<9>());
    }
}

impl<L: Lanes> Replies<L> {
    /// Analyses a position with own to move.
    #[inline(always)]
    pub(crate) fn of(frame: &Frame<L>, slides: &Slides<L>) -> Self {
        let &Frame { own, their, empty, .. } = frame;
        let zero = L::splat(0);
        let their_pawns = frame.pawns & their;
        let attackers = Attackers::of(frame, slides);
        let zone = Zone::of(frame, &attackers);

        // K1. A piece that lands on an empty square between an own slider and a zone square blocks an attack on it. The
        // mover's own attack may end, too, so squares attacked once or twice count.
        let seen_from_attacked = slides.attacks(zone.at_most_twice, zone.at_most_twice);
        let blocks = union(attackers.rays.meeting(&seen_from_attacked)) & empty;
        // K2. The only piece between an own slider and a free zone square discovers an attack when it leaves. Their king's
        // square always counts as free, because own is to move.
        let seen_from_free = slides.attacks(zone.free, zone.free);
        let discovers = union(attackers.rays.meeting(&seen_from_free));
        let pins = Pins::of(frame, slides, &attackers);

        // Their moves if own passes.
        let (danger, pinned) = (attackers.once | attackers.firmly, union(pins.on));
        let limits = Limits { danger, pinned_on: pins.on, pinned, evasion: !zero, check: zero };
        let pieces = Pieces::of(frame, slides, &limits);
        let pawns = Pawns::of(frame, &limits);
        let mut base = zone.near_king.without(their | danger).popcount().add(pieces.moves).add(pawns.moves(own));
        if let Some((flipped, both)) = zone.castlings {
            let pinned_on = [zero, pins.on[RANK].flip(), zero, zero];
            let limits = Limits { danger: danger.flip(), pinned_on, pinned: zero, evasion: !zero, check: zero };
            base = base.sub(both[0].is_legal(&flipped, &limits)).sub(both[1].is_legal(&flipped, &limits));
        }
        let mut value = pieces.value;
        // A queen's mobility plus seven may need more than five planes, so values from 20 up are excluded.
        let crowded = value[4] & (value[3] | value[2]) & their;
        pawns.add_values(frame, &mut value);
        // Seven minus the number of defenders.
        let [d0, d1, d2] = pieces.defended;
        let value = add_three(value, [their.without(d0), their.without(d1), their.without(d2)]);

        // K5. A push or capture on their promotion rank counts four times, so no piece may land, leave or be captured
        // on the squares concerned, and pawns about to promote may not be captured.
        let [attacked_east, attacked_west] = pawns.attacked;
        let promotion_squares = (their_pawns.shift::<-8>() | attacked_east | attacked_west) & L::splat(RANK_1);
        let about_to_promote = their_pawns & L::splat(THEIR_SEVENTH_RANK);
        // K6. Capturing their piece next to their king opens a square for the king, if nothing defends the captor.
        // (Squares of own pieces next to their king are open already: the king may capture the piece, or go there after
        // the piece has left.) Capturing a rook that may castle ends the castling right.
        let guarded = zone.near_king & their | frame.castling_rooks & their;
        let untouchable = zone.way | pins.now | promotion_squares;

        // K9. If their slider (or pawn, on a file) sees the piece along a line, a move along this line changes what the
        // slider sees at both squares at once.
        let reached = pieces.reached;
        let not_along = [
            reached.north | reached.south | pawns.frees_push | pawns.frees_double,
            reached.east | reached.west,
            reached.north_east | reached.south_west,
            reached.north_west | reached.south_east,
        ];
        // Pinned sliders give check, too.
        let hostile = if (pinned & (frame.rooks_queens | frame.bishops_queens)).any() {
            slides.attacks(frame.rooks_queens & their, frame.bishops_queens & their)
        } else {
            reached
        };
        Self {
            base,
            value,
            hostile,
            not_from: untouchable | pins.soon | discovers,
            not_to: untouchable | blocks | guarded | about_to_promote | crowded | pieces.overdefended,
            once: zone.only_once,
            not_to_knight: knight_attacks(zone.free),
            // K3. A slider that lands where it sees a free zone square attacks it.
            not_to_orthogonal: seen_from_free.orthogonal() | pins.orthogonal,
            not_to_diagonal: seen_from_free.diagonal() | pins.diagonal,
            // K7. No pawn that attacks a zone square may leave; no pawn may come to attack a free zone square.
            not_from_pawn: pawn_attacks_down(zone.squares),
            not_to_pawn: pawn_attacks_down(zone.free),
            // K8. The king may neither leave nor reach a square next to a zone square.
            not_king: king_attacks(zone.squares),
            not_along: and_each(not_along, own),
            pawn_captures: attacked_east | attacked_west,
        }
    }

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

/// Counts for each square the boards that contain it, as four bit planes.
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
