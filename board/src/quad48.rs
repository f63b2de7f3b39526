//! `Quad48`: six bitboards in 48 bytes, the working format of every backend.

use bytemuck::{Pod, Zeroable};

use crate::position::OUTER_RANKS;
use crate::{Position, PositionError, Rules, State};

/// Six words: white, pawns, knights, bishops|queens, rooks|queens, kings.
///
/// No pawn can stand on ranks 1 and 8, so these ranks of the pawn word hold the [`State`]: state bits 0 to 7 are
/// the word's bits 0 to 7, state bits 8 to 15 its bits 56 to 63. Three 128-bit memory operations load or store
/// a position.
///
/// The type may hold any bytes ([`Pod`]); [`Quad48::unpack`] checks that they are a legal position. Backends expect
/// legal positions.
///
/// ```
/// use kogge_board::{Fen, Quad48};
/// let fen = Fen::start();
/// let packed = Quad48::from(&fen.position);
/// assert_eq!(bytemuck::bytes_of(&packed).len(), 48);
/// assert_eq!(packed.unpack(&fen.rules), Ok(fen.position));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Quad48 {
    /// All white pieces.
    pub white: u64,
    /// Pawns, and the state on ranks 1 and 8.
    pub pawns: u64,
    /// Knights.
    pub knights: u64,
    /// Bishops and queens.
    pub bishops_queens: u64,
    /// Rooks and queens.
    pub rooks_queens: u64,
    /// Kings.
    pub kings: u64,
}

const _: () = assert!(size_of::<Quad48>() == 48);

impl Quad48 {
    /// Returns the state.
    #[inline]
    pub const fn state(&self) -> State {
        State((self.pawns & 0xff) as u16 | (self.pawns >> 48 & 0xff00) as u16)
    }

    /// Returns the bits of the pawn word that hold this state.
    #[inline]
    pub const fn state_bits(state: State) -> u64 {
        (state.0 & 0xff) as u64 | ((state.0 & 0xff00) as u64) << 48
    }

    /// Returns the position in these words without checking that it is legal.
    #[inline]
    pub const fn unpack_unchecked(&self) -> Position {
        Position {
            white: self.white,
            pawns: self.pawns & !OUTER_RANKS,
            knights: self.knights,
            bishops_queens: self.bishops_queens,
            rooks_queens: self.rooks_queens,
            kings: self.kings,
            state: self.state(),
        }
    }

    /// Returns the position in these words.
    ///
    /// # Errors
    /// The errors of [`Position::check`].
    pub fn unpack(&self, rules: &Rules) -> Result<Position, PositionError> {
        let position = self.unpack_unchecked();
        position.check(rules)?;
        Ok(position)
    }

    /// Replaces the halfmove clock; counting uses 0.
    #[inline]
    #[must_use]
    pub const fn with_halfmove_clock(self, plies: u8) -> Self {
        let state = self.state().with_halfmove_clock(plies);
        Self { pawns: self.pawns & !OUTER_RANKS | Self::state_bits(state), ..self }
    }
}

impl From<&Position> for Quad48 {
    #[inline]
    fn from(position: &Position) -> Self {
        Self {
            white: position.white,
            pawns: position.pawns | Self::state_bits(position.state),
            knights: position.knights,
            bishops_queens: position.bishops_queens,
            rooks_queens: position.rooks_queens,
            kings: position.kings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fen;

    #[test]
    fn state_bits_lie_where_the_format_says() {
        let state = State(0b1010_0111_1100_0101);
        assert_eq!(Quad48::state_bits(state), 0xa700_0000_0000_00c5);
        let position = Position { pawns: 0x0000_00ff_0000_ff00, state, ..Position::default() };
        let packed = Quad48::from(&position);
        assert_eq!(packed.state(), state);
        assert_eq!(packed.unpack_unchecked(), position);
    }

    #[test]
    fn arbitrary_words_are_refused_or_legal() {
        assert!(Quad48::default().unpack(&Rules::STANDARD).is_err());
        let start = Quad48::from(&Fen::start().position);
        assert!(Quad48 { kings: 0, ..start }.unpack(&Rules::STANDARD).is_err());
        assert!(Quad48 { knights: start.knights | 1, ..start }.unpack(&Rules::STANDARD).is_err());
    }
}
