//! What a position is worth to the side to move.

use std::fmt;

/// The value of a position for the side to move, from most hopeless to best.
///
/// | value | meaning |
/// |---|---|
/// | -30,000 to 30,000 | hundredths of a pawn; 0 is a draw, or as good as one |
/// | 31,000 to 31,999 | mate: 32,000 less the plies until then, an odd number |
/// | -32,000 to -31,000 | being mated: -32,000 and the plies until then, an even number |
///
/// Values between these ranges do not occur. All fit in 16 bits.
///
/// ```
/// use kogge_board::Score;
/// assert_eq!(Score::centipawns(-35).to_string(), "-0.35");
/// assert_eq!(Score::mated(0).before().to_string(), "mate in 1");
/// assert_eq!(Score::mated(0).before().before().to_string(), "mated in 1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Score(i32);

impl Score {
    /// A draw.
    pub const DRAW: Self = Self(0);
    /// More than any score.
    pub const INFINITE: Self = Self(Self::MATE + 1);
    /// Mate on the board, for the side that gave it.
    pub const MATE: i32 = 32_000;
    /// Mates further away than this many plies are as good as this.
    pub const LONGEST_MATE: u32 = 1_000;
    /// The greatest value that is no mate, in hundredths of a pawn.
    pub const MOST_CENTIPAWNS: i32 = 30_000;

    /// Hundredths of a pawn; beyond [`Score::MOST_CENTIPAWNS`], that.
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

    /// The side to move is mated in this many plies: 0 if it is already.
    #[inline(always)]
    pub const fn mated(plies: u32) -> Self {
        let plies = if plies > Self::LONGEST_MATE { Self::LONGEST_MATE } else { plies };
        Self(plies as i32 - Self::MATE)
    }

    /// The score with this number, which one of the others gave.
    #[inline(always)]
    pub const fn from_value(value: i32) -> Self {
        Self(value)
    }

    /// The number, as the table above has it.
    #[inline(always)]
    pub const fn value(self) -> i32 {
        self.0
    }

    /// How many plies it takes to mate or to be mated; `None` if this is no mate.
    #[inline(always)]
    pub const fn mate_plies(self) -> Option<u32> {
        let plies = Self::MATE - self.0.abs();
        if plies <= Self::LONGEST_MATE as i32 { Some(plies.unsigned_abs()) } else { None }
    }

    /// Moves until mate, negative for being mated (0 if it is already); `None` if this is no mate.
    pub const fn mate_moves(self) -> Option<i32> {
        match self.mate_plies() {
            Some(plies) if self.0 > 0 => Some(plies.div_ceil(2) as i32),
            Some(plies) => Some(-(plies.div_ceil(2) as i32)),
            None => None,
        }
    }

    /// What this score means a move earlier, to the other side: the opposite, and mates are a ply
    /// further away.
    #[inline(always)]
    #[must_use]
    pub const fn before(self) -> Self {
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
    /// `+0.35`, `mate in 3` or `mated in 2`, in pawns and moves; `mated` if it is already.
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
            (Score::mated(1).before(), "mate in 1"),
            (Score::mated(4).before(), "mate in 3"),
        ] {
            assert_eq!(score.to_string(), text);
        }
    }

    #[test]
    fn a_mate_is_a_ply_further_away_a_move_earlier() {
        let mut score = Score::mated(0);
        for plies in 1..=2 * Score::LONGEST_MATE {
            let before = score.before();
            assert_eq!(before.mate_plies(), Some(plies.min(Score::LONGEST_MATE)));
            assert_ne!(before.value().signum(), score.value().signum());
            score = before;
        }
        assert_eq!(Score::centipawns(30_000).before(), Score::centipawns(-30_000));
        assert_eq!(Score::centipawns(i32::MAX).mate_plies(), None);
    }

    #[test]
    fn a_longer_life_is_better_and_a_shorter_mate_too() {
        let order = [Score::mated(0), Score::mated(2), Score::centipawns(-900), Score::DRAW, Score::mated(2).before()];
        assert!(order.is_sorted() && Score::mated(2).before() < Score::mated(0).before());
        assert!(Score::mated(0).before() < Score::INFINITE && -Score::INFINITE < Score::mated(0));
    }
}
