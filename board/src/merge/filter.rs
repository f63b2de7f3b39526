//! The successors that an expansion keeps: those from which a few moves may lead into a range.

use super::{Key, KeyRange};
use crate::Planes32;
use crate::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up, rook_attacks};
use crate::bits::{Bits, FILE_A, FILE_H, RANK_8, flip, rank};

/// The successors that an expansion keeps.
///
/// A ply that does not fit in memory is made in ranges, and so are plies before it: for a range of a ply, only the positions from which
/// moves may lead into the range are needed. Only pawns decide this, so some more are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// All successors.
    All,
    /// The successors from which this number of plies may lead into a range; with none, the successors in the range.
    Reaching {
        /// The range.
        range: KeyRange,
        /// The plies from a successor to the range's ply.
        plies: u32,
        /// Whether the range is one of [reversed](Key::reversed) keys.
        is_reversed: bool,
    },
}

impl Filter {
    /// Returns the filter for the successors in a range.
    pub const fn within(range: KeyRange) -> Self {
        Self::Reaching { range, plies: 0, is_reversed: false }
    }

    /// Returns the filter for the successors whose [reversed](Key::reversed) keys lie in a range.
    pub const fn within_reversed(range: KeyRange) -> Self {
        Self::Reaching { range, plies: 0, is_reversed: true }
    }

    /// Returns the filter for positions this number of plies before the successors that this filter keeps.
    #[must_use]
    pub const fn before(self, more: u32) -> Self {
        match self {
            Self::All => Self::All,
            Self::Reaching { range, plies, is_reversed } => {
                Self::Reaching { range, plies: plies.saturating_add(more), is_reversed }
            }
        }
    }

    /// Returns whether a successor is kept. The kernels compute the same.
    pub fn has(&self, successor: &Planes32) -> bool {
        let &Self::Reaching { range, plies, is_reversed } = self else { return true };
        if plies > 0 {
            return may_reach(&range, plies, is_reversed, successor);
        }
        let (pawns, own) = (successor.pawns(), successor.own);
        let [mine, theirs] = [pawns & own, pawns & !own];
        let key = if is_reversed { Key::reversed } else { Key::of };
        let pawns = if is_reversed { [theirs, mine] } else { [mine, theirs] };
        // The hash is computed only if the pawns do not decide.
        range.has_pawns(pawns).unwrap_or_else(|| range.has(key(successor)))
    }

    /// Returns whether a parent may have a successor that is kept. The kernels compute the same.
    pub fn needs(&self, parent: &Planes32) -> bool {
        self.before(1).has(parent)
    }
}

/// Returns whether this number of plies may lead from a position into the range. Only pawns are looked at, and the pieces that capture
/// them in the next two plies; so some positions without such a line count, too.
fn may_reach(range: &KeyRange, plies: u32, is_reversed: bool, position: &Planes32) -> bool {
    let (pawns, own) = (position.pawns(), position.own);
    let (half, rest) = (plies / 2, plies.div_ceil(2));
    let is_even = plies.is_multiple_of(2);
    // As the side to move in the range's ply sees the board, its pawns move up.
    let view = |board: u64| if is_even { board } else { flip(board) };
    let mut mover = Side::of(view(pawns & own), is_even, rest);
    let mut other = Side::of(view(pawns & !own), !is_even, half);
    (mover.losses, other.losses) = (half, rest);
    if plies <= PLIES_OF_PIECES {
        let occupied = occupied(position);
        (mover.targets, mover.blockers) = (occupied ^ own, occupied);
        let mut taken = taken_now(position);
        if plies > 1 {
            mover.losable = taken_next(position);
            // A pawn that captures on the square of a lost pawn leaves the pawns as if it were the lost one.
            taken |= pawn_attacks_up(taken & pawns & !own);
        }
        other.losable = view(taken);
    }
    let [up, down] = if is_even { [mover, other] } else { [other, mover] };
    let [first, second] = if is_reversed { [down, up] } else { [up, down] };
    let [[least, least_second], [greatest, greatest_second]] = [range.first.pawns, range.last.pawns];
    if !first.may_become(least, greatest) {
        return false;
    }
    if least == greatest {
        return second.may_become(least_second, greatest_second);
    }
    // With the least or the greatest pawns, the other side's pawns decide.
    least + 1 < greatest && first.may_become(least + 1, greatest - 1)
        || first.may_become(least, least) && second.may_become(least_second, u64::MAX)
        || first.may_become(greatest, greatest) && second.may_become(0, greatest_second)
}

/// With at most this number of plies, the pieces decide which pawns may be captured.
const PLIES_OF_PIECES: u32 = 2;

fn occupied(position: &Planes32) -> u64 {
    position.codes.into_iter().fold(0, |occupied, plane| occupied | plane)
}

/// Returns the squares where the side to move attacks something, and the pawn that it may capture en passant.
fn taken_now(position: &Planes32) -> u64 {
    let empty = !occupied(position);
    let own = position.own & !empty;
    pawn_attacks_up(position.pawns() & own)
        | leaper_attacks(position, own)
        | slider_attacks(position, own, empty)
        | (position.own & empty) >> 8
}

/// Returns the squares where the other side may capture a pawn one ply later, and all squares if an en-passant capture, which removes
/// two pieces from the lines of sliders, may come before.
fn taken_next(position: &Planes32) -> u64 {
    let empty = !occupied(position);
    let (own, theirs) = (position.own & !empty, !position.own & !empty);
    if position.own & empty != 0 {
        return u64::MAX;
    }
    // The piece that moves now may open a line.
    let opened = empty | slider_attacks(position, theirs, empty) & own;
    // A pawn that is pushed twice and captured en passant might as well be pushed once and captured there.
    pawn_attacks_down(position.pawns() & theirs)
        | leaper_attacks(position, theirs)
        | slider_attacks(position, theirs, opened)
}

fn leaper_attacks(position: &Planes32, side: u64) -> u64 {
    let [bit1, bit2, bit4] = position.codes;
    knight_attacks(bit2 & !(bit1 | bit4) & side) | king_attacks(bit2 & bit4 & !bit1 & side)
}

fn slider_attacks(position: &Planes32, side: u64, empty: u64) -> u64 {
    let [bit1, bit2, bit4] = position.codes;
    rook_attacks(bit4 & (bit1 | !bit2) & side, empty) | bishop_attacks(bit1 & (bit2 ^ bit4) & side, empty)
}

/// The pawns of a side, the moves that it has left, and the moves of the other side, each of which may capture one of its pawns.
#[derive(Clone, Copy)]
struct Side {
    pawns: u64,
    moves_up: bool,
    moves: u32,
    losses: u32,
    /// The squares where the pawns may be captured.
    losable: u64,
    /// The squares where the pawns may capture, as this side sees the board.
    targets: u64,
    /// The squares that no pawn can enter by a push, as this side sees the board.
    blockers: u64,
}

/// With more moves than these, every side may have any pawns: to try all moves would take too long.
const MOST_MOVES: u32 = 2;

impl Side {
    /// Returns a side that may lose any pawn, and whose pawns may capture anywhere.
    const fn of(pawns: u64, moves_up: bool, moves: u32) -> Self {
        Self { pawns, moves_up, moves, losses: 0, losable: u64::MAX, targets: u64::MAX, blockers: 0 }
    }

    /// Returns whether the pawns may come to lie between two, both included. Nothing lies between if the least is greater.
    fn may_become(self, least: u64, greatest: u64) -> bool {
        match self.moves {
            _ if least > greatest => false,
            0 => self.may_fall_between(least, greatest),
            moves if moves > MOST_MOVES => true,
            _ => {
                self.may_fall_between(least, greatest)
                    || self
                        .after_moves()
                        .any(|pawns| Self { pawns, moves: self.moves - 1, ..self }.may_become(least, greatest))
            }
        }
    }

    /// Returns whether losses alone may bring the pawns between two. The pawn to lose is always the highest that does not bring them
    /// below the least: it takes away more than all pawns below it together.
    fn may_fall_between(self, least: u64, greatest: u64) -> bool {
        let Self { mut pawns, losses, .. } = self;
        if pawns < least {
            return false;
        }
        for _ in 0..losses {
            if pawns <= greatest {
                return true;
            }
            let may_go = pawns & self.losable & u64::MAX >> (pawns - least).leading_zeros();
            let Some(highest) = may_go.checked_ilog2() else { return false };
            pawns -= 1 << highest;
        }
        pawns <= greatest
    }

    /// Returns the pawns after each move of one of them. A pawn on the last rank becomes another piece.
    fn after_moves(self) -> impl Iterator<Item = u64> {
        let Self { pawns, moves_up, targets, blockers, .. } = self;
        // Pawns that move down move up on the flipped board.
        let turn = move |board| if moves_up { board } else { flip(board) };
        let seen = turn(pawns);
        let (free, targets) = (!(seen | blockers), targets & !seen);
        let pushed = seen << 8 & free;
        let pushed_twice = (pushed & rank(2)) << 8 & free;
        let moves = [
            (pushed, 8),
            (pushed_twice, 16),
            ((seen & !FILE_A) << 7 & targets, 7),
            ((seen & !FILE_H) << 9 & targets, 9),
        ];
        moves.into_iter().flat_map(move |(squares, distance)| {
            Bits(squares).map(move |square| turn(seen ^ (square >> distance | square & !RANK_8)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fen;

    fn planes(fen: &str) -> Planes32 {
        let fen: Fen = fen.parse().unwrap();
        Planes32::pack(&fen.rules, &fen.position)
    }

    /// Returns the filters of the pawns of a position, this number of plies before.
    fn filters(fen: &str, plies: u32) -> [Filter; 2] {
        let within = |key: fn(&Planes32) -> Key| {
            let Key { pawns, .. } = key(&planes(fen));
            KeyRange { first: Key { pawns, hash: 0 }, last: Key { pawns, hash: u32::MAX } }
        };
        [Filter::within(within(Key::of)), Filter::within_reversed(within(Key::reversed))]
            .map(|filter| filter.before(plies))
    }

    #[test]
    fn only_pawns_decide() {
        let parent = planes("4k3/1P5p/2p5/3P4/8/8/4P3/4K3 w - - 0 1");
        for (plies, may, later) in [
            (1, true, "4k3/1P5p/2p5/3P4/8/8/4P3/3K4 b - - 0 1"),
            (1, true, "4k3/1P5p/2p5/3P4/8/4P3/8/4K3 b - - 0 1"),
            (1, true, "4k3/1P5p/2p5/3P4/4P3/8/8/4K3 b - - 0 1"),
            (1, true, "4k3/1P5p/2P5/8/8/8/4P3/4K3 b - - 0 1"),
            (1, true, "1Q2k3/7p/2p5/3P4/8/8/4P3/4K3 b - - 0 1"),
            // A pawn has moved as far as none can, two pawns have moved, or a pawn has turned back.
            (1, false, "4k3/1P5p/2p5/3P4/8/8/8/4K3 b - - 0 1"),
            (1, false, "1Q2k3/7p/2p5/3P4/8/4P3/8/4K3 b - - 0 1"),
            (1, false, "4k3/7p/1Pp5/3P4/8/8/4P3/4K3 b - - 0 1"),
            // The other side moves its pawns one ply later, and loses at most one with each ply of this side.
            (1, false, "4k3/1P6/2p4p/3P4/8/8/4P3/4K3 b - - 0 1"),
            (2, true, "4k3/1P6/2p4p/3P4/8/8/4P3/4K3 w - - 0 1"),
            (1, false, "4k3/1P6/8/3P4/8/8/4P3/4K3 b - - 0 1"),
            (2, false, "4k3/1P6/8/3P4/8/8/4P3/4K3 w - - 0 1"),
            (3, true, "4k3/1P6/8/3P4/8/8/4P3/4K3 b - - 0 1"),
            (3, true, "1Q2k3/7p/2p5/3P4/8/4P3/8/4K3 b - - 0 1"),
            (3, true, "4k3/7p/8/3P4/4P3/8/8/4K3 b - - 0 1"),
            (4, true, "4k3/8/7p/3P4/4P3/8/8/4K3 w - - 0 1"),
            (4, false, "4k3/8/8/3P4/4P3/7p/8/4K3 w - - 0 1"),
        ] {
            for filter in filters(later, plies) {
                assert_eq!(filter.has(&parent), may, "{later} after {plies} plies");
            }
        }
        let en_passant = planes("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        for filter in filters("4k3/8/3P4/8/8/8/8/4K3 b - - 0 1", 1) {
            assert!(filter.has(&en_passant));
        }
        assert!((0..9).all(|plies| Filter::within(KeyRange::WHOLE).before(plies).has(&parent)));
        // An empty range has nothing, and no number of plies is too large.
        let Key { pawns: [least, _], .. } = Key::of(&parent);
        let empty = [Key { pawns: [least, 0], hash: 0 }, Key { pawns: [least - 1, 0], hash: 0 }];
        let empty = Filter::within(KeyRange { first: empty[0], last: empty[1] });
        assert!(!(0..9).chain([u32::MAX]).any(|plies| empty.before(plies).before(1).has(&parent)));
    }

    #[test]
    fn the_pawns_at_the_ends_of_a_range_need_the_other_pawns() {
        let parent = planes("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1");
        let key = |black: u64, white: u64| Key { pawns: [black, white], hash: 0 };
        let [black, white] = Key::of(&planes("4k3/p7/8/8/8/8/P7/4K3 b - - 0 1")).pawns;
        for (first, last, may) in [
            (key(black, white), key(black + 1, 0), true),
            (key(black, white + 1), key(black + 1, 0), false),
            (key(black - 1, 0), key(black, white), true),
            (key(black - 1, 0), key(black, white >> 24), false),
            (key(black - 1, u64::MAX), key(black + 1, 0), true),
        ] {
            assert_eq!(Filter::within(KeyRange { first, last }).needs(&parent), may, "{first:?} to {last:?}");
        }
    }
}
