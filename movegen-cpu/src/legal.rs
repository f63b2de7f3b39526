//! The legal moves of one position.
//!
//! The other generators of this crate write the successors of many positions. This one is for a single game: it finds the checkers, the
//! pinned pieces and the squares that the king must not enter, and then the targets of one piece after another, all of them legal. It
//! needs the same Kogge-Stone fills, and no tables.

use kogge_board::attacks::{
    bishop_attacks, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up, rook_attacks,
};
use kogge_board::bits::{Bits, RANK_1, RANK_8, lowest, rank};
use kogge_board::{Color, Move, MoveKind, Piece, Position, Rules, Square};

/// The targets of one piece. Castling is not among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceMoves {
    /// The kind of piece.
    pub piece: Piece,
    /// The square of the piece.
    pub from: Square,
    /// The squares where it can go. A pawn that reaches its last rank has four moves to the square.
    pub targets: u64,
}

impl PieceMoves {
    /// Returns the number of moves.
    #[inline]
    pub const fn len(&self) -> usize {
        let promotions = if matches!(self.piece, Piece::Pawn) { self.targets & (RANK_1 | RANK_8) } else { 0 };
        (self.targets.count_ones() + 3 * promotions.count_ones()) as usize
    }

    /// Returns whether there is no move.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.targets == 0
    }
}

/// The legal moves of a position, as an iterator. Their order has no meaning.
///
/// [`LegalMoves::pieces`] has the same moves as sets. [`Iterator::count`] does not make the moves.
///
/// ```
/// use kogge_board::{Fen, Square};
/// use kogge_movegen_cpu::LegalMoves;
///
/// let start = Fen::start();
/// let moves = LegalMoves::of(&start.rules, &start.position);
/// let knight = moves.pieces().find(|moves| moves.from == Square::at(1, 0)).map(|moves| moves.targets);
/// assert_eq!(knight, Some(Square::at(0, 2).bit() | Square::at(2, 2).bit()));
/// assert_eq!(moves.count(), 20);
/// ```
#[derive(Clone, Debug)]
pub struct LegalMoves<'p> {
    position: &'p Position,
    own: u64,
    their: u64,
    king: u64,
    /// The squares that the king must not enter.
    attacked: u64,
    checkers: u64,
    /// The squares where a piece other than the king answers a check: all squares if there is no check.
    answers: u64,
    /// The pinned pieces, and for each the squares between the king and the pinning piece, which is included.
    pinned: u64,
    lines: [u64; 8],
    /// The square where a pawn lands that captures en passant.
    en_passant: u64,
    /// The pieces that are still to come.
    rest: u64,
    castling: [Option<Move>; 2],
    /// The piece whose moves come next, and the promotions to its lowest target that are still to come.
    current: PieceMoves,
    promotions: &'static [Piece],
}

impl<'p> LegalMoves<'p> {
    /// Finds the legal moves. The position must be legal ([`Position::check`]); otherwise the moves mean nothing.
    #[inline]
    pub fn of(rules: &Rules, position: &'p Position) -> Self {
        let turn = position.turn();
        let own = position.of(turn);
        let their = position.occupied() ^ own;
        let (empty, king) = (!(own | their), lowest(position.kings & own));
        let (rooks, bishops) = (position.rooks_queens & their, position.bishops_queens & their);
        let (rook_rays, bishop_rays) = (rook_attacks(king, empty), bishop_attacks(king, empty));

        let leapers = knight_attacks(king) & position.knights | pawn_attacks(turn, king) & position.pawns;
        let checkers = leapers & their | rook_rays & rooks | bishop_rays & bishops;
        let answers = match checkers.count_ones() {
            0 => !0,
            1 if checkers & rook_rays & rooks != 0 => checkers | rook_rays & rook_attacks(checkers, empty),
            1 if checkers & bishop_rays & bishops != 0 => checkers | bishop_rays & bishop_attacks(checkers, empty),
            1 => checkers,
            _ => 0,
        };
        let mut moves = Self {
            position,
            own,
            their,
            king,
            attacked: attacked(position, turn.opposite(), their, empty | king),
            checkers,
            answers,
            pinned: 0,
            lines: [0; 8],
            en_passant: position.state.en_passant_square().map_or(0, Square::bit),
            rest: if answers == 0 { king } else { own },
            castling: [None; 2],
            current: PieceMoves { piece: Piece::King, from: Square::at(0, 0), targets: 0 },
            promotions: &[],
        };
        moves.find_pins(rook_rays, rooks, empty, rook_attacks);
        moves.find_pins(bishop_rays, bishops, empty, bishop_attacks);
        if checkers == 0 && position.state.castling() != 0 {
            moves.castling = [0, 1].map(|side| moves.castle(rules, turn, side));
        }
        moves
    }

    /// Returns the moves of each piece that has any, without castling.
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = PieceMoves> {
        let current = [self.current].into_iter().filter(|current| !current.is_empty());
        current.chain(Bits(self.rest).map(|from| self.moves_of(from)).filter(|moves| !moves.is_empty()))
    }

    /// Returns the legal castlings: towards file h, and towards file a.
    #[inline]
    pub const fn castlings(&self) -> [Option<Move>; 2] {
        self.castling
    }

    /// Returns the pieces that give check.
    #[inline]
    pub const fn checkers(&self) -> u64 {
        self.checkers
    }

    /// Finds the pieces that stand alone between the king and a slider. Behind them, the king's rays go on to the slider.
    #[inline]
    fn find_pins(&mut self, rays: u64, sliders: u64, empty: u64, attacks: impl Fn(u64, u64) -> u64) {
        let blockers = rays & self.own;
        if blockers == 0 || sliders == 0 {
            return;
        }
        let without = empty | blockers;
        let rays_behind = attacks(self.king, without);
        for slider in Bits(rays_behind & sliders & !rays) {
            let line = rays_behind & attacks(slider, without) | slider;
            // There are eight directions, so eight lines.
            if let Some(free) = self.lines.iter_mut().find(|line| **line == 0) {
                *free = line;
            }
            self.pinned |= line & blockers;
        }
    }

    /// Returns the castling to one side, if it is legal.
    #[inline]
    fn castle(&self, rules: &Rules, turn: Color, side: usize) -> Option<Move> {
        let right = if turn == Color::White { side } else { side + 2 };
        if self.position.state.castling() >> right & 1 == 0 {
            return None;
        }
        let rook = rules.castling_rooks()[right];
        let (king_file, rook_file, kind) = [(6, 5, MoveKind::CastleKingside), (2, 3, MoveKind::CastleQueenside)][side];
        let to = Square::at(king_file, turn.home_rank());
        let rook_to = Square::at(rook_file, turn.home_rank()).bit();
        let others = (self.own | self.their) & !self.king & !rook;
        let way = span(self.king, to.bit());
        // In Chess960, the rook may have covered the king's new square.
        let uncovered = rook_attacks(to.bit(), !(others | rook_to)) & self.position.rooks_queens & self.their;
        let is_legal = others & (way | span(rook, rook_to)) == 0
            && way & self.attacked == 0
            && uncovered & rank(turn.home_rank()) == 0;
        Some(Move::new(Square::of(self.king)?, to, kind)).filter(|_| is_legal)
    }

    /// Returns the moves of the piece on a square, except castling.
    #[inline]
    fn moves_of(&self, from: u64) -> PieceMoves {
        let Position { pawns, knights, bishops_queens, rooks_queens, .. } = *self.position;
        let empty = !(self.own | self.their);
        let mut en_passant = 0;
        let (piece, reached) = if from & pawns != 0 {
            let turn = self.position.turn();
            let attacked = pawn_attacks(turn, from);
            if attacked & self.en_passant != 0 && self.may_capture_en_passant(from) {
                en_passant = self.en_passant;
            }
            (Piece::Pawn, attacked & self.their | pawn_pushes(turn, from, empty))
        } else if from & knights != 0 {
            (Piece::Knight, knight_attacks(from))
        } else if from == self.king {
            let targets = king_attacks(from) & !self.own & !self.attacked;
            return PieceMoves { piece: Piece::King, from: square(from), targets };
        } else {
            match (from & bishops_queens != 0, from & rooks_queens != 0) {
                (true, true) => (Piece::Queen, bishop_attacks(from, empty) | rook_attacks(from, empty)),
                (true, false) => (Piece::Bishop, bishop_attacks(from, empty)),
                _ => (Piece::Rook, rook_attacks(from, empty)),
            }
        };
        let line = match from & self.pinned {
            0 => !0,
            _ => self.lines.iter().copied().find(|line| line & from != 0).unwrap_or(!0),
        };
        PieceMoves { piece, from: square(from), targets: reached & !self.own & self.answers & line | en_passant }
    }

    /// Returns whether the king is safe after a pawn's capture en passant: it leaves two squares, and answers checks by the captured
    /// pawn.
    #[inline(never)]
    fn may_capture_en_passant(&self, from: u64) -> bool {
        let Self { position, own, their, en_passant, king, .. } = *self;
        let captured = if position.turn() == Color::White { en_passant >> 8 } else { en_passant << 8 };
        let empty = !((own | their) & !from & !captured | en_passant);
        let leapers = self.checkers & (position.pawns | position.knights) & !captured;
        leapers == 0
            && rook_attacks(king, empty) & position.rooks_queens & their == 0
            && bishop_attacks(king, empty) & position.bishops_queens & their == 0
    }

    /// Returns the kind of a move of the current piece, unless it is a promotion.
    #[inline]
    fn kind_to(&self, target: u64) -> MoveKind {
        match (self.current.piece, target & self.their != 0) {
            (_, true) => MoveKind::Capture,
            (Piece::Pawn, _) if target == self.en_passant => MoveKind::EnPassant,
            (Piece::Pawn, _) if (square(target).index()).abs_diff(self.current.from.index()) == 16 => {
                MoveKind::DoublePush
            }
            _ => MoveKind::Quiet,
        }
    }
}

impl Iterator for LegalMoves<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        while self.current.is_empty() {
            let from = lowest(self.rest);
            if from == 0 {
                return self.castling[0].take().or_else(|| self.castling[1].take());
            }
            self.rest ^= from;
            self.current = self.moves_of(from);
        }
        let PieceMoves { piece, from, targets } = self.current;
        let target = lowest(targets);
        if piece == Piece::Pawn && target & (RANK_1 | RANK_8) != 0 {
            if self.promotions.is_empty() {
                self.promotions = &Piece::PROMOTIONS;
            }
            if let Some((&promotion, rest)) = self.promotions.split_first() {
                self.promotions = rest;
                if rest.is_empty() {
                    self.current.targets ^= target;
                }
                let is_capture = target & self.their != 0;
                let kind =
                    if is_capture { MoveKind::CapturePromotion(promotion) } else { MoveKind::Promotion(promotion) };
                return Some(Move::new(from, square(target), kind));
            }
        }
        self.current.targets ^= target;
        Some(Move::new(from, square(target), self.kind_to(target)))
    }

    #[inline]
    fn count(self) -> usize {
        // Some promotions to the lowest target may have come already.
        let came = if self.promotions.is_empty() { 0 } else { Piece::PROMOTIONS.len() - self.promotions.len() };
        let castlings = self.castling.iter().flatten().count();
        self.pieces().map(|moves| moves.len()).sum::<usize>() + castlings - came
    }
}

/// Returns the square of a board with one bit.
#[inline]
fn square(board: u64) -> Square {
    Square::at(board.trailing_zeros() as u8 & 7, board.trailing_zeros() as u8 >> 3 & 7)
}

/// Returns all squares from one to another, both included.
#[inline]
fn span(one: u64, other: u64) -> u64 {
    let (low, high) = (one.min(other), one.max(other));
    high | (high - low)
}

#[inline]
const fn pawn_attacks(color: Color, pawns: u64) -> u64 {
    match color {
        Color::White => pawn_attacks_up(pawns),
        Color::Black => pawn_attacks_down(pawns),
    }
}

#[inline]
const fn pawn_pushes(color: Color, pawns: u64, empty: u64) -> u64 {
    match color {
        Color::White => {
            let once = pawns << 8 & empty;
            once | (once & rank(2)) << 8 & empty
        }
        Color::Black => {
            let once = pawns >> 8 & empty;
            once | (once & rank(5)) >> 8 & empty
        }
    }
}

/// Returns the squares that a side attacks.
#[inline]
fn attacked(position: &Position, color: Color, pieces: u64, empty: u64) -> u64 {
    pawn_attacks(color, position.pawns & pieces)
        | knight_attacks(position.knights & pieces)
        | king_attacks(position.kings & pieces)
        | rook_attacks(position.rooks_queens & pieces, empty)
        | bishop_attacks(position.bishops_queens & pieces, empty)
}
