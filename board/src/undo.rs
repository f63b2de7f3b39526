//! The 4-byte undo move, which takes a move back.

use bytemuck::{Pod, Zeroable};

use crate::square::{Color, Piece, Square};
use crate::{Move, MoveKind, Position, Rules, State};

/// A move and the information that it destroys, in 32 bits.
///
/// | bits | meaning |
/// |---|---|
/// | 0 to 5 | from |
/// | 6 to 11 | to (in castling, the king's destination) |
/// | 12 to 14 | captured kind, 7 for none |
/// | 15 to 18 | castling rights before the move, K Q k q |
/// | 19 to 21 | en-passant file before the move |
/// | 22 | whether an en-passant capture was legal before the move |
/// | 23 | the move is a promotion |
/// | 24 | the move is castling |
/// | 25 to 31 | halfmove clock before the move |
///
/// The first 23 bits suffice to take back a move whose kind is known; all 32 bits suffice for any move. One position
/// and a stack of undo moves replace a stack of positions.
///
/// ```
/// use kogge_board::{Fen, Move, MoveKind, Square};
/// let Fen { position, rules, .. } = Fen::start();
/// let push = Move::new(Square::at(4, 1), Square::at(4, 3), MoveKind::DoublePush);
/// let undo = position.undo_move(push);
/// assert_eq!(position.play(&rules, push).undo(&rules, undo), position);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct UndoMove(u32);

const _: () = assert!(size_of::<UndoMove>() == 4);

const TO: u32 = 6;
const CAPTURED: u32 = 12;
/// The first bit of castling rights and en passant, which lie side by side as in [`State`] from its bit 1 on.
const RIGHTS: u32 = 15;
const PROMOTION: u32 = 23;
const CASTLING: u32 = 24;
const CLOCK: u32 = 25;
/// The value of the captured field if nothing was captured.
const NO_PIECE: u32 = 7;

impl UndoMove {
    /// Returns the undo move with these bits; every number is valid.
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the 32 bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns the square that the piece leaves (in castling, the king).
    #[inline]
    pub const fn from(self) -> Square {
        Square::at(self.0 as u8 & 7, (self.0 >> 3) as u8 & 7)
    }

    /// Returns the square that the piece goes to (in castling, the king).
    #[inline]
    pub const fn to(self) -> Square {
        Square::at((self.0 >> TO) as u8 & 7, (self.0 >> (TO + 3)) as u8 & 7)
    }

    /// Returns the captured kind; in en passant, a pawn.
    #[inline]
    pub const fn captured(self) -> Option<Piece> {
        Piece::new((self.0 >> CAPTURED & 7) as u8)
    }

    /// Returns whether the move is a promotion, so that a pawn comes back.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 >> PROMOTION & 1 != 0
    }

    /// Returns whether the move is castling, so that the rook also goes back.
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0 >> CASTLING & 1 != 0
    }

    /// Returns the state before the move, with the side to move of `before`.
    #[inline]
    const fn state(self, before: State) -> State {
        let rights = (self.0 >> RIGHTS << 1) as u16 & (State::CASTLING | State::EN_PASSANT);
        State(before.0 & State::BLACK | rights | ((self.0 >> CLOCK) as u16) << 9)
    }
}

impl Position {
    /// Returns the undo move of a pseudo-legal move that is about to be played.
    #[must_use]
    pub fn undo_move(&self, played: Move) -> UndoMove {
        let captured = match played.kind() {
            MoveKind::EnPassant => Some(Piece::Pawn),
            _ if played.is_capture() => self.piece_at(played.to()).map(|(_, piece)| piece),
            _ => None,
        };
        let rights = self.state.0 & (State::CASTLING | State::EN_PASSANT);
        UndoMove(
            u32::from(played.from().index())
                | u32::from(played.to().index()) << TO
                | captured.map_or(NO_PIECE, |piece| piece as u32) << CAPTURED
                | u32::from(rights >> 1) << RIGHTS
                | u32::from(played.promotion().is_some()) << PROMOTION
                | u32::from(played.is_castling()) << CASTLING
                | u32::from(self.state.halfmove_clock()) << CLOCK,
        )
    }

    /// Takes back the move that led here, the reverse of [`Position::play`]:
    /// `position.play(rules, m).undo(rules, position.undo_move(m))` is `position`.
    ///
    /// An undo move of another position gives a meaningless position, but no panic.
    #[must_use]
    pub fn undo(&self, rules: &Rules, undo: UndoMove) -> Self {
        let turn = self.turn().opposite();
        let (from, to) = (undo.from(), undo.to());
        let mut before = *self;
        before.state = undo.state(State::default().with_turn(turn));
        if undo.is_castling() {
            let home = turn.home_rank();
            let (right, file) = if to.file() == 6 { (0, 5) } else { (1, 3) };
            let right = right + if turn == Color::White { 0 } else { 2 };
            before.clear(to.bit() | Square::at(file, home).bit());
            before.put(turn, Piece::King, from);
            before.put(turn, Piece::Rook, Square::at(rules.castling_files[right], home));
            return before;
        }
        let piece = self.piece_at(to).map_or(Piece::Pawn, |(_, piece)| piece);
        before.clear(to.bit());
        before.put(turn, if undo.is_promotion() { Piece::Pawn } else { piece }, from);
        if let Some(captured) = undo.captured() {
            // The en-passant square is empty, so a capture there is en passant.
            let en_passant = before.state.en_passant_square() == Some(to);
            before.put(turn.opposite(), captured, if en_passant { Square::at(to.file(), from.rank()) } else { to });
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fen;

    #[track_caller]
    fn undo(fen: &str, from: &str, to: &str, kind: MoveKind) -> UndoMove {
        let Fen { position, rules, .. } = fen.parse().unwrap();
        let played = Move::new(from.parse().unwrap(), to.parse().unwrap(), kind);
        let undo = position.undo_move(played);
        assert_eq!(position.play(&rules, played).undo(&rules, undo), position);
        assert_eq!((undo.from(), undo.to()), (played.from(), played.to()));
        assert_eq!(UndoMove::from_bits(undo.bits()), undo);
        undo
    }

    #[test]
    fn the_bits_are_those_of_the_format() {
        let found = undo("8/8/8/8/k2Pp3/8/8/3K4 b - d3 77 1", "e4", "d3", MoveKind::EnPassant);
        assert_eq!(found.bits(), 28 | 19 << 6 | 3 << 19 | 1 << 22 | 77 << 25);
        let found = undo("r3k3/8/8/8/8/8/8/4K2R w Kq - 3 1", "e1", "g1", MoveKind::CastleKingside);
        assert_eq!(found.bits(), 4 | 6 << 6 | 7 << 12 | 0b1001 << 15 | 1 << 24 | 3 << 25);
        let kind = MoveKind::CapturePromotion(Piece::Knight);
        let found = undo("r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1", "b7", "a8", kind);
        assert_eq!(found.bits(), 49 | 56 << 6 | 3 << 12 | 0b1000 << 15 | 1 << 23);
    }

    #[test]
    fn every_castling_of_chess960_comes_back() {
        // King and rook exchange squares; the rook stays; the king stays.
        undo("8/8/8/k7/8/8/8/5KR1 w G - 0 1", "f1", "g1", MoveKind::CastleKingside);
        undo("8/8/8/k7/8/8/8/3RK3 w D - 0 1", "e1", "c1", MoveKind::CastleQueenside);
        undo("1rk5/8/8/8/K7/8/8/8 b b - 0 1", "c8", "c8", MoveKind::CastleQueenside);
    }

    #[test]
    fn any_bits_can_be_undone_anywhere() {
        let Fen { position, rules, .. } = Fen::start();
        for bit in 0..32 {
            for bits in [1 << bit, !(1 << bit)] {
                let before = position.undo(&rules, UndoMove::from_bits(bits));
                assert_ne!(before.turn(), position.turn());
            }
        }
    }
}
