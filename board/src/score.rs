//! The value of a position to the side to move.

use std::fmt;

/// The value of a position to the side to move; greater is better.
///
/// | value | meaning |
/// |---|---|
/// | -30,000 to 30,000 | hundredths of a pawn; 0 is a draw, or equal chances |
/// | 31,000 to 31,999 | the side to move mates: 32,000 minus the plies to mate, an odd number |
/// | -32,000 to -31,000 | the side to move is mated: -32,000 plus the plies to mate, an even number |
///
/// Values outside these ranges do not occur. All values fit in 16 bits.
///
/// ```
/// use kogge_board::Score;
/// assert_eq!(Score::centipawns(-35).to_string(), "-0.35");
/// assert_eq!(Score::mated(0).one_ply_up().to_string(), "mate in 1");
/// assert_eq!(Score::mated(0).one_ply_up().one_ply_up().to_string(), "mated in 1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Score(i32);

impl Score {
    /// A draw.
    pub const DRAW: Self = Self(0);
    /// A score that is greater than all other scores.
    pub const INFINITE: Self = Self(Self::MATE + 1);
    /// The value of a mate on the board, for the mating side.
    pub const MATE: i32 = 32_000;
    /// The greatest distance to mate, in plies; longer mates get this distance.
    pub const LONGEST_MATE: u32 = 1_000;
    /// The greatest value that is not a mate, in hundredths of a pawn.
    pub const MOST_CENTIPAWNS: i32 = 30_000;

    /// Returns a score in hundredths of a pawn, at most [`Score::MOST_CENTIPAWNS`] for either side.
    #[inline(always)]
    pub const fn centipawns(hundredths: i32) -> Self {
        if hundredths > Self::MOST_CENTIPAWNS {
            Self(Self::MOST_CENTIPAWNS)
        } else if hundredths < -Self::MOST_CENTIPAWNS {
            Self(-Self::MOST_CENTIPAWNS)
        } else {
            Self(hundredths)
        }
    }

    /// Returns the score of a side that is mated in `plies` plies; 0 is a mate on the board.
    #[inline(always)]
    pub const fn mated(plies: u32) -> Self {
        let plies = if plies > Self::LONGEST_MATE { Self::LONGEST_MATE } else { plies };
        Self(plies as i32 - Self::MATE)
    }

    /// Returns the score whose [`Score::value`] is this number.
    #[inline(always)]
    pub const fn from_value(value: i32) -> Self {
        Self(value)
    }

    /// Returns the number in the table above.
    #[inline(always)]
    pub const fn value(self) -> i32 {
        self.0
    }

    /// Returns the number of plies to mate, for either side; `None` without a mate.
    #[inline(always)]
    pub const fn mate_plies(self) -> Option<u32> {
        let plies = Self::MATE - self.0.abs();
        if plies <= Self::LONGEST_MATE as i32 { Some(plies.unsigned_abs()) } else { None }
    }

    /// Returns the number of moves to mate, negative if mated, 0 for a mate on the board; `None` without a mate.
    pub const fn mate_moves(self) -> Option<i32> {
        match self.mate_plies() {
            Some(plies) if self.0 > 0 => Some(plies.div_ceil(2) as i32),
            Some(plies) => Some(-(plies.div_ceil(2) as i32)),
            None => None,
        }
    }

    /// Returns the value one ply up, for the other side: the negated value, with mates one ply longer.
    #[inline(always)]
    #[must_use]
    pub const fn one_ply_up(self) -> Self {
        match self.mate_plies() {
            Some(plies) if plies < Self::LONGEST_MATE => Self(-(self.0 - self.0.signum())),
            _ => Self(-self.0),
        }
    }
}

impl std::ops::Neg for Score {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Score {
    /// Writes `+0.35` (pawns), `mate in 3` or `mated in 2` (moves), or `mated` for a mate on the board.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_moves() {
            Some(0) => f.write_str("mated"),
            Some(moves @ 1..) => write!(f, "mate in {moves}"),
            Some(moves) => write!(f, "mated in {}", -moves),
            None => {
                let sign = match self.0.signum() {
                    1 => "+",
                    -1 => "-",
                    _ => "",
                };
                write!(f, "{sign}{}.{:02}", self.0.abs() / 100, self.0.abs() % 100)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_read_well() {
        for (score, text) in [
            (Score::DRAW, "0.00"),
            (Score::centipawns(35), "+0.35"),
            (Score::centipawns(-7), "-0.07"),
            (Score::centipawns(1234), "+12.34"),
            (Score::centipawns(99_999), "+300.00"),
            (Score::centipawns(i32::MIN), "-300.00"),
            (Score::mated(0), "mated"),
            (Score::mated(2), "mated in 1"),
            (Score::mated(1).one_ply_up(), "mate in 1"),
            (Score::mated(4).one_ply_up(), "mate in 3"),
        ] {
            assert_eq!(score.to_string(), text);
        }
    }

    #[test]
    fn a_mate_is_a_ply_further_away_a_move_earlier() {
        let mut score = Score::mated(0);
        for plies in 1..=2 * Score::LONGEST_MATE {
            let before = score.one_ply_up();
            assert_eq!(before.mate_plies(), Some(plies.min(Score::LONGEST_MATE)));
            assert_ne!(before.value().signum(), score.value().signum());
            score = before;
        }
        assert_eq!(Score::centipawns(30_000).one_ply_up(), Score::centipawns(-30_000));
        assert_eq!(Score::centipawns(i32::MAX).mate_plies(), None);
    }

    #[test]
    fn a_longer_life_is_better_and_a_shorter_mate_too() {
        let order =
            [Score::mated(0), Score::mated(2), Score::centipawns(-900), Score::DRAW, Score::mated(2).one_ply_up()];
        assert!(order.is_sorted() && Score::mated(2).one_ply_up() < Score::mated(0).one_ply_up());
        assert!(Score::mated(0).one_ply_up() < Score::INFINITE && -Score::INFINITE < Score::mated(0));
    }
}
