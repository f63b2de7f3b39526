//! The state of a position besides its pieces: turn, castling rights, en passant, halfmove clock.

use crate::square::{Color, Square};

/// The 16 state bits of a position.
///
/// | bits | meaning |
/// |---|---|
/// | 0 | black to move |
/// | 1 to 4 | castling rights K Q k q |
/// | 5 to 7 | en-passant file |
/// | 8 | an en-passant capture is legal |
/// | 9 to 15 | halfmove clock, 0 to 127, saturating |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(transparent)]
pub struct State(pub u16);

impl State {
    /// Bit 0: black to move.
    pub const BLACK: u16 = 1;
    /// Bits 1 to 4: all castling rights.
    pub const CASTLING: u16 = 0b1_1110;
    /// Bits 5 to 8: en-passant file and flag.
    pub const EN_PASSANT: u16 = 0x1e0;
    /// Bit 8: an en-passant capture is legal.
    pub const EN_PASSANT_FLAG: u16 = 0x100;
    /// Bits 9 to 15: halfmove clock.
    pub const HALFMOVE_CLOCK: u16 = 0xfe00;

    /// Returns the side to move.
    ///
    /// ```
    /// use kogge_board::{Color, State};
    /// assert_eq!((State::default().turn(), State(State::BLACK).turn()), (Color::White, Color::Black));
    /// ```
    #[inline]
    pub const fn turn(self) -> Color {
        if self.0 & Self::BLACK == 0 { Color::White } else { Color::Black }
    }

    /// Returns the castling rights K Q k q as bits 0 to 3.
    ///
    /// ```
    /// let fen: kogge_board::Fen = "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1".parse()?;
    /// assert_eq!(fen.position.state.castling(), 0b1001);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[inline]
    pub const fn castling(self) -> u8 {
        (self.0 >> 1 & 0xf) as u8
    }

    /// Returns the file (0 to 7) of the pawn that may be captured en passant.
    ///
    /// ```
    /// let fen: kogge_board::Fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1".parse()?;
    /// assert_eq!(fen.position.state.en_passant_file(), None, "no pawn can capture there");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[inline]
    pub const fn en_passant_file(self) -> Option<u8> {
        if self.0 & Self::EN_PASSANT_FLAG != 0 { Some((self.0 >> 5 & 7) as u8) } else { None }
    }

    /// Returns the square where a pawn that captures en passant lands.
    ///
    /// ```
    /// use kogge_board::{Square, State};
    /// let state = State(State::BLACK).with_en_passant(Some(3));
    /// assert_eq!(state.en_passant_square(), Some(Square::at(3, 2)));
    /// ```
    pub const fn en_passant_square(self) -> Option<Square> {
        match (self.en_passant_file(), self.turn()) {
            (None, _) => None,
            (Some(file), Color::White) => Some(Square::at(file, 5)),
            (Some(file), Color::Black) => Some(Square::at(file, 2)),
        }
    }

    /// Returns the number of plies since the last capture or pawn move, 0 to 127.
    ///
    /// ```
    /// let fen: kogge_board::Fen = "4k3/8/8/8/8/8/8/R3K3 w - - 300 250".parse()?;
    /// assert_eq!((fen.position.state.halfmove_clock(), fen.halfmove_clock), (127, 300));
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[inline]
    pub const fn halfmove_clock(self) -> u8 {
        (self.0 >> 9) as u8
    }

    /// Replaces the side to move.
    ///
    /// ```
    /// use kogge_board::{Color, Fen};
    /// let mut fen = Fen::start();
    /// fen.position.state = fen.position.state.with_turn(Color::Black);
    /// assert_eq!(fen.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
    /// ```
    #[must_use]
    pub const fn with_turn(self, turn: Color) -> Self {
        Self(self.0 & !Self::BLACK | matches!(turn, Color::Black) as u16)
    }

    /// Replaces the castling rights, K Q k q as bits 0 to 3.
    ///
    /// ```
    /// use kogge_board::State;
    /// let white = State::default().with_castling(0b0011);
    /// assert_eq!(white.with_castling(white.castling() | 0b1100), State(State::CASTLING));
    /// ```
    #[must_use]
    pub const fn with_castling(self, rights: u8) -> Self {
        Self(self.0 & !Self::CASTLING | (rights as u16 & 0xf) << 1)
    }

    /// Replaces the en-passant file (taken modulo 8); `None` means that no capture is legal.
    ///
    /// ```
    /// use kogge_board::State;
    /// let state = State::default().with_en_passant(Some(4));
    /// assert_eq!((state.en_passant_file(), state.with_en_passant(None)), (Some(4), State::default()));
    /// ```
    #[must_use]
    pub const fn with_en_passant(self, file: Option<u8>) -> Self {
        let rest = self.0 & !Self::EN_PASSANT;
        match file {
            Some(file) => Self(rest | (file as u16 & 7) << 5 | Self::EN_PASSANT_FLAG),
            None => Self(rest),
        }
    }

    /// Replaces the halfmove clock, limited to 127.
    ///
    /// ```
    /// use kogge_board::{Fen, State};
    /// let state = Fen::start().position.state.with_halfmove_clock(100);
    /// assert_eq!((state.0 & State::HALFMOVE_CLOCK) >> 9, 100);
    /// ```
    #[must_use]
    pub const fn with_halfmove_clock(self, plies: u8) -> Self {
        let plies = if plies > 127 { 127 } else { plies };
        Self(self.0 & !Self::HALFMOVE_CLOCK | (plies as u16) << 9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_disturb_each_other() {
        for bits in 0..=u16::MAX {
            let state = State(bits);
            let again = State::default()
                .with_halfmove_clock(state.halfmove_clock())
                .with_en_passant(state.en_passant_file())
                .with_castling(state.castling())
                .with_turn(state.turn());
            // Every state survives this, except an en-passant file without the flag.
            let expected = if state.en_passant_file().is_none() { bits & !State::EN_PASSANT } else { bits };
            assert_eq!(again.0, expected);
        }
    }

    #[test]
    fn the_clock_saturates() {
        assert_eq!(State::default().with_halfmove_clock(200).halfmove_clock(), 127);
    }
}
