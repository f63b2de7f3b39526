//! Legal moves: found from the successors of positions, in the forms that the package offers.

use std::borrow::Cow;

use kogge::board::bits::PAWN_RANKS;
use kogge::movegen_cpu::{Code, MoveFilter};
use kogge::{Color, Move, MoveKind, Piece, Quad48, Square};

use crate::rules::Rules;

/// Finds the moves that lead to successors of a position.
///
/// [`Move::between`] also answers whether any move leads there, by playing it. Here the generator has made the successors, so
/// the first difference decides.
pub(crate) struct Finder {
    turn: Color,
    parent: Quad48,
    own: u64,
    occupied: u64,
    /// The king and rooks of the side to move after each castling, or impossible boards if the side has no such right.
    castled: [(u64, u64); 2],
}

/// Returns all occupied squares, and the squares of one colour.
fn sides(position: &Quad48, color: Color) -> (u64, u64) {
    let occupied = position.pawns & PAWN_RANKS
        | position.knights
        | position.bishops_queens
        | position.rooks_queens
        | position.kings;
    let own = if color == Color::White { position.white } else { occupied & !position.white };
    (occupied, own)
}

impl Finder {
    pub(crate) fn new(rules: &Rules, parent: &Quad48) -> Self {
        /// Boards that never occur: a king and rooks on all squares.
        const NEVER: (u64, u64) = (u64::MAX, u64::MAX);
        let state = parent.state();
        let turn = state.turn();
        let (occupied, own) = sides(parent, turn);
        let rooks = parent.rooks_queens & !parent.bishops_queens & own;
        let first_right = if turn == Color::White { 0 } else { 2 };
        let castled = [(0, 6, 5), (1, 2, 3)].map(|(side, king_file, rook_file)| {
            let right = first_right + side;
            let [king, rook] = [king_file, rook_file].map(|file| Square::at(file, turn.home_rank()).bit());
            match state.castling() >> right & 1 {
                0 => NEVER,
                _ => (king, rooks & !rules.castling.castling_rooks()[right] | rook),
            }
        });
        Self { turn, parent: *parent, own, occupied, castled }
    }

    pub(crate) fn to(&self, child: &Quad48) -> Move {
        let (_, own) = sides(child, self.turn);
        let (left, reached) = (self.own & !own, own & !self.own);
        if self.parent.state().castling() != 0 {
            let king_and_rooks = (child.kings & own, child.rooks_queens & !child.bishops_queens & own);
            if let Some(side) = self.castled.iter().position(|castled| *castled == king_and_rooks) {
                let kind = [MoveKind::CastleKingside, MoveKind::CastleQueenside][side];
                return Move::new(square(self.parent.kings & self.own), square(king_and_rooks.0), kind);
            }
        }
        let (from, to) = (square(left), square(reached));
        let is_capture = self.occupied & to.bit() != 0;
        let kind = if self.parent.pawns & PAWN_RANKS & from.bit() == 0 {
            if is_capture { MoveKind::Capture } else { MoveKind::Quiet }
        } else if child.pawns & PAWN_RANKS & to.bit() == 0 {
            let piece = match () {
                () if child.knights & to.bit() != 0 => Piece::Knight,
                () if child.bishops_queens & child.rooks_queens & to.bit() != 0 => Piece::Queen,
                () if child.rooks_queens & to.bit() != 0 => Piece::Rook,
                () => Piece::Bishop,
            };
            if is_capture { MoveKind::CapturePromotion(piece) } else { MoveKind::Promotion(piece) }
        } else if is_capture {
            MoveKind::Capture
        } else if from.file() != to.file() {
            MoveKind::EnPassant
        } else if from.rank().abs_diff(to.rank()) == 2 {
            MoveKind::DoublePush
        } else {
            MoveKind::Quiet
        };
        Move::new(from, to, kind)
    }
}

/// Returns the lowest square of a board; the board is not empty if the successor is right.
fn square(board: u64) -> Square {
    Square::of(board).unwrap_or(Square::at(0, 0))
}

/// Calls `each` with every legal move of a position and its successor, in generation order.
pub(crate) fn for_each(
    code: &Code,
    rules: &Rules,
    position: &Quad48,
    successors: &mut Vec<Quad48>,
    mut each: impl FnMut(Move, &Quad48),
) {
    successors.clear();
    code.successors(&rules.castling, position, MoveFilter::All, successors);
    let finder = Finder::new(rules, position);
    successors.iter().for_each(|child| each(finder.to(child), child));
}

/// The squares of a move in UCI notation, and the kind of piece that a pawn promotes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Squares {
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) promotion: Option<Piece>,
}

impl Squares {
    /// Returns the squares of a move. In Chess960, castling goes to the square of the rook.
    pub(crate) fn of(played: Move, rules: &Rules) -> Self {
        let (from, to) = (played.from(), played.to());
        let right = match played.kind() {
            MoveKind::CastleKingside if rules.chess960 => 0,
            MoveKind::CastleQueenside if rules.chess960 => 1,
            _ => return Self { from, to, promotion: played.promotion() },
        };
        let right = if from.rank() == 0 { right } else { right + 2 };
        Self { from, to: Square::at(rules.castling.castling_files[right], from.rank()), promotion: None }
    }

    pub(crate) fn from_uci(text: &str) -> Option<Self> {
        let square = |at: usize| text.get(at..at + 2)?.parse::<Square>().ok();
        let promotion = match text.get(4..)? {
            "" => None,
            "n" => Some(Piece::Knight),
            "b" => Some(Piece::Bishop),
            "r" => Some(Piece::Rook),
            "q" => Some(Piece::Queen),
            _ => return None,
        };
        Some(Self { from: square(0)?, to: square(2)?, promotion })
    }

    /// Returns the index of the squares, from * 64 + to; all promotions of a pawn share it.
    pub(crate) fn index(self) -> usize {
        usize::from(self.from.index()) << 6 | usize::from(self.to.index())
    }

    /// Returns a number for the move in UCI notation, less than [`Squares::NUMBERS`].
    pub(crate) fn number(self) -> usize {
        self.promotion.map_or(0, |piece| piece as usize) << 12 | self.index()
    }

    /// Returns the squares with this [number](Squares::number).
    pub(crate) fn of_number(number: usize) -> Self {
        let square = |shift: usize| Square::at((number >> shift) as u8 & 7, (number >> (shift + 3)) as u8 & 7);
        let promotion = Piece::new((number >> 12) as u8).filter(|&piece| piece != Piece::Pawn);
        Self { from: square(6), to: square(0), promotion }
    }

    /// The number of different [numbers](Squares::number): promotions to pieces up to the queen.
    pub(crate) const NUMBERS: usize = (Piece::Queen as usize + 1) << 12;

    pub(crate) fn uci(self) -> String {
        let promotion = self.promotion.map_or(Cow::Borrowed(""), |piece| piece.letter().to_string().into());
        format!("{}{}{promotion}", self.from, self.to)
    }
}
