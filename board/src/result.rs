//! The result of a game.

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum GameResult {
    /// Black wins.
    BlackWins = 0,
    /// A draw.
    Draw = 1,
    /// White wins.
    WhiteWins = 2,
}

impl GameResult {
    /// Returns the result with this number: 0 black wins, 1 a draw, 2 white wins.
    pub const fn new(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::BlackWins),
            1 => Some(Self::Draw),
            2 => Some(Self::WhiteWins),
            _ => None,
        }
    }

    /// Returns the result with the colours exchanged.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::BlackWins => Self::WhiteWins,
            Self::Draw => Self::Draw,
            Self::WhiteWins => Self::BlackWins,
        }
    }
}
