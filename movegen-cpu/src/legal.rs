//! The legal moves of one position.
//!
//! The other generators of this crate write the successors of many positions. This one is for a single game: it finds the checkers, the
//! pinned pieces and the squares that the king must not enter, and then the targets of one piece after another, all of them legal. It
//! needs the same Kogge-Stone fills, and no tables.

use kogge_board::attacks::{
    bishop_attacks, bishop_attacks_from, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up,
    rook_attacks, rook_attacks_from,
};
use kogge_board::bits::{Bits, NOT_FILE_A, NOT_FILE_H, RANK_1, RANK_8, lowest, rank};
use kogge_board::{Color, Move, MoveError, MoveKind, Piece, Position, Rules, Square};

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
    ///
    /// ```
    /// use kogge_board::{Piece, Square};
    /// use kogge_movegen_cpu::PieceMoves;
    /// let moves = PieceMoves { piece: Piece::Pawn, from: Square::at(0, 6), targets: Square::at(0, 7).bit() };
    /// assert_eq!(moves.len(), 4, "one for each promotion");
    /// ```
    #[inline]
    pub const fn len(&self) -> usize {
        let promotions = if matches!(self.piece, Piece::Pawn) { self.targets & LAST_RANKS } else { 0 };
        (self.targets.count_ones() + 3 * promotions.count_ones()) as usize
    }

    /// Returns whether there is no move.
    ///
    /// ```
    /// use kogge_board::{Piece, Square};
    /// use kogge_movegen_cpu::PieceMoves;
    /// assert!(PieceMoves { piece: Piece::Rook, from: Square::at(0, 0), targets: 0 }.is_empty());
    /// ```
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
    rules: &'p Rules,
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
    /// The moves of the piece whose moves come next.
    current: Targets,
}

impl<'p> LegalMoves<'p> {
    /// Finds the legal moves. The position must be legal ([`Position::check`]); otherwise the moves mean nothing.
    ///
    /// ```
    /// use kogge_board::Fen;
    /// use kogge_movegen_cpu::LegalMoves;
    /// let fen: Fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1".parse()?;
    /// assert_eq!(LegalMoves::of(&fen.rules, &fen.position).count(), 218);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[inline]
    pub fn of(rules: &'p Rules, position: &'p Position) -> Self {
        let turn = position.turn();
        let occupied = position.occupied();
        let own = position.of(turn);
        let their = occupied ^ own;
        let king = lowest(position.kings & own);
        let (rooks, bishops) = (position.rooks_queens & their, position.bishops_queens & their);
        let at = square(king);
        let (rook_rays, bishop_rays) = (rook_attacks_from(at, occupied), bishop_attacks_from(at, occupied));

        let leapers = knight_attacks(king) & position.knights | pawn_attacks(turn, king) & position.pawns;
        let checkers = leapers & their | rook_rays & rooks | bishop_rays & bishops;
        let answers = match checkers.count_ones() {
            0 => !0,
            1 if checkers & rook_rays & rooks != 0 => {
                checkers | rook_rays & rook_attacks_from(square(checkers), occupied)
            }
            1 if checkers & bishop_rays & bishops != 0 => {
                checkers | bishop_rays & bishop_attacks_from(square(checkers), occupied)
            }
            1 => checkers,
            _ => 0,
        };
        let mut moves = Self {
            rules,
            position,
            own,
            their,
            king,
            attacked: attacked(position, turn.opposite(), their, !occupied | king),
            checkers,
            answers,
            pinned: 0,
            lines: [0; 8],
            en_passant: position.state.en_passant_square().map_or(0, Square::bit),
            rest: if answers == 0 { king } else { own },
            castling: [None; 2],
            current: Targets::default(),
        };
        moves.find_pins(rook_rays, rooks, rook_attacks_from);
        moves.find_pins(bishop_rays, bishops, bishop_attacks_from);
        if checkers == 0 && position.state.castling() != 0 {
            moves.castling = [0, 1].map(|side| moves.castle(turn, side));
        }
        moves
    }

    /// Returns the moves of each piece that has any, without castling.
    ///
    /// ```
    /// let game = kogge_movegen_cpu::Game::default();
    /// assert_eq!(game.legal_moves().pieces().count(), 10, "eight pawns and two knights");
    /// ```
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = PieceMoves> {
        let current = [self.current.moves].into_iter();
        current.chain(Bits(self.rest).map(|from| self.moves_of(from))).filter(|moves| !moves.is_empty())
    }

    /// Returns the legal castlings: towards file h, and towards file a.
    ///
    /// ```
    /// let game: kogge_movegen_cpu::Game = "4k3/8/8/8/8/8/5r2/R3K2R w KQ - 0 1".parse()?;
    /// let [kingside, queenside] = game.legal_moves().castlings();
    /// assert!(kingside.is_none(), "the king would pass f1, which the rook attacks");
    /// assert!(queenside.is_some());
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[inline]
    pub const fn castlings(&self) -> [Option<Move>; 2] {
        self.castling
    }

    /// Returns the pieces that give check.
    ///
    /// ```
    /// let game: kogge_movegen_cpu::Game = "6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1".parse()?;
    /// let moves = game.legal_moves();
    /// assert!(moves.checkers() & game.position().knights != 0 && moves.count() == 0, "a smothered mate");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[inline]
    pub const fn checkers(&self) -> u64 {
        self.checkers
    }

    /// Returns the squares from which pieces of a kind can move to a square, castling excluded.
    ///
    /// ```
    /// use kogge_board::{Piece, Square};
    /// let game: kogge_movegen_cpu::Game = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1".parse()?;
    /// let from = game.legal_moves().origins(Piece::Knight, Square::at(3, 1));
    /// assert_eq!(from, game.position().knights, "both knights can go to d2");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn origins(&self, piece: Piece, to: Square) -> u64 {
        let Self { position, own, their, .. } = *self;
        let (occupied, target) = (own | their, to.bit());
        let pieces = position.kind(piece) & own;
        let reach = match piece {
            _ if target & own != 0 => return 0,
            Piece::King => return if target & self.attacked == 0 { king_attacks(target) & pieces } else { 0 },
            Piece::Pawn => {
                let turn = position.turn();
                let beside = pawn_attacks(turn.opposite(), target);
                if target == self.en_passant {
                    let captors = Bits(beside & pieces).filter(|&from| self.may_capture_en_passant(from));
                    return captors.fold(0, |all, from| all | from);
                }
                if target & their == 0 { pushed_from(turn, target, !occupied) } else { beside }
            }
            Piece::Knight => knight_attacks(target),
            Piece::Bishop => bishop_attacks_from(to, occupied),
            Piece::Rook => rook_attacks_from(to, occupied),
            Piece::Queen => bishop_attacks_from(to, occupied) | rook_attacks_from(to, occupied),
        };
        if target & self.answers == 0 {
            return 0;
        }
        let from = reach & pieces;
        let stays = |from: &u64| self.lines.iter().any(|line| line & from != 0 && line & target != 0);
        from & !self.pinned | Bits(from & self.pinned).filter(stays).fold(0, |all, from| all | from)
    }

    /// Returns whether a move is legal.
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Square};
    /// let game: kogge_movegen_cpu::Game = "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1".parse()?;
    /// let away = Move::new(Square::at(4, 1), Square::at(2, 2), MoveKind::Quiet);
    /// assert!(!game.legal_moves().contains(away), "the knight is pinned");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn contains(&self, played: Move) -> bool {
        let (position, from, to) = (self.position, played.from(), played.to());
        self.castling.contains(&Some(played))
            || Move::of(position, from, to, played.promotion()) == Some(played)
                && position.piece_at(from).is_some_and(|(_, piece)| self.origins(piece, to) & from.bit() != 0)
    }

    /// Writes a legal move in standard algebraic notation: `Nbd2`, `exd8=Q+`, `O-O#`. See [`Move::san`].
    ///
    /// ```
    /// let game: kogge_movegen_cpu::Game = "k7/8/1K6/8/8/8/8/7R w - - 0 1".parse()?;
    /// let moves = game.legal_moves();
    /// let mates: Vec<_> = moves.clone().map(|played| moves.san(played)).filter(|name| name.ends_with('#')).collect();
    /// assert_eq!(mates, ["Rh8#"]);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn san(&self, played: Move) -> String {
        let Self { rules, position, .. } = *self;
        played.san(
            position,
            rules,
            |piece, to| self.origins(piece, to),
            |after| {
                let mut replies = LegalMoves::of(rules, after);
                (replies.checkers != 0).then(|| replies.next().is_some())
            },
        )
    }

    /// Reads a legal move in standard algebraic notation. See [`Move::from_san`].
    ///
    /// ```
    /// use kogge_board::MoveError;
    /// let game: kogge_movegen_cpu::Game = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1".parse()?;
    /// let error = game.legal_moves().parse_san("Nd2").unwrap_err();
    /// assert!(matches!(error, MoveError::Ambiguous { moves, .. } if moves.len() == 2));
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not SAN, or if it matches no legal move or several.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        Move::from_san(text, self.position, self.castling, |piece, to| self.origins(piece, to))
    }

    /// Reads a legal move in UCI notation. See [`Move::from_uci`].
    ///
    /// ```
    /// use kogge_board::Piece;
    /// let game: kogge_movegen_cpu::Game = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1".parse()?;
    /// let moves = game.legal_moves();
    /// assert_eq!(moves.parse_uci("a7a8n").map(|found| found.promotion()), Ok(Some(Piece::Knight)));
    /// assert!(moves.parse_uci("a7a8").is_err(), "a promotion names its piece");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not in UCI notation, or if it matches no legal move.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        Move::from_uci(text, self.rules, LegalMoves::of(self.rules, self.position))
    }

    #[inline]
    const fn targets(&self, moves: PieceMoves) -> Targets {
        Targets { moves, their: self.their, en_passant: self.en_passant, promotion: 0 }
    }

    /// Finds the pieces that stand alone between the king and a slider. Behind them, the king's rays go on to the slider.
    #[inline]
    fn find_pins(&mut self, rays: u64, sliders: u64, attacks: impl Fn(Square, u64) -> u64) {
        let blockers = rays & self.own;
        if blockers == 0 || sliders == 0 {
            return;
        }
        let without = (self.own | self.their) ^ blockers;
        let rays_behind = attacks(square(self.king), without);
        for slider in Bits(rays_behind & sliders & !rays) {
            let line = rays_behind & attacks(square(slider), without) | slider;
            // There are eight directions, so eight lines.
            if let Some(free) = self.lines.iter_mut().find(|line| **line == 0) {
                *free = line;
            }
            self.pinned |= line & blockers;
        }
    }

    /// Returns the castling to one side, if it is legal.
    #[inline]
    fn castle(&self, turn: Color, side: usize) -> Option<Move> {
        let right = if turn == Color::White { side } else { side + 2 };
        if self.position.state.castling() >> right & 1 == 0 {
            return None;
        }
        let rook = self.rules.castling_rooks()[right];
        let (king_file, rook_file, kind) = [(6, 5, MoveKind::CastleKingside), (2, 3, MoveKind::CastleQueenside)][side];
        let to = Square::at(king_file, turn.home_rank());
        let rook_to = Square::at(rook_file, turn.home_rank()).bit();
        let others = (self.own | self.their) & !self.king & !rook;
        let way = span(self.king, to.bit());
        // In Chess960, the rook may have covered the king's new square.
        let uncovered = rook_attacks_from(to, others | rook_to) & self.position.rooks_queens & self.their;
        let is_legal = others & (way | span(rook, rook_to)) == 0
            && way & self.attacked == 0
            && uncovered & rank(turn.home_rank()) == 0;
        Some(Move::new(Square::of(self.king)?, to, kind)).filter(|_| is_legal)
    }

    /// Returns the moves of the piece on a square, except castling.
    #[inline]
    fn moves_of(&self, from: u64) -> PieceMoves {
        let Position { pawns, knights, bishops_queens, rooks_queens, .. } = *self.position;
        let occupied = self.own | self.their;
        let (at, mut en_passant) = (square(from), 0);
        let (piece, reached) = if from & pawns != 0 {
            let turn = self.position.turn();
            let attacked = pawn_attacks(turn, from);
            if attacked & self.en_passant != 0 && self.may_capture_en_passant(from) {
                en_passant = self.en_passant;
            }
            (Piece::Pawn, attacked & self.their | pawn_pushes(turn, from, !occupied))
        } else if from & knights != 0 {
            (Piece::Knight, knight_attacks(from))
        } else if from == self.king {
            let targets = king_attacks(from) & !self.own & !self.attacked;
            return PieceMoves { piece: Piece::King, from: at, targets };
        } else {
            match (from & bishops_queens != 0, from & rooks_queens != 0) {
                (true, true) => (Piece::Queen, bishop_attacks_from(at, occupied) | rook_attacks_from(at, occupied)),
                (true, false) => (Piece::Bishop, bishop_attacks_from(at, occupied)),
                _ => (Piece::Rook, rook_attacks_from(at, occupied)),
            }
        };
        let line = match from & self.pinned {
            0 => !0,
            _ => self.lines.iter().copied().find(|line| line & from != 0).unwrap_or(!0),
        };
        PieceMoves { piece, from: at, targets: reached & !self.own & self.answers & line | en_passant }
    }

    /// Folds the moves of pawns that are not pinned, except captures en passant, all pawns at once.
    #[inline]
    fn fold_pawns<B>(&self, pawns: u64, start: B, each: &mut impl FnMut(B, Move) -> B) -> B {
        let empty = !(self.own | self.their);
        // Rotations to the left by which pawns move; pushes and captures never leave the board, except over its sides.
        let ([push, double, to_file_a, to_file_h], third) = match self.position.turn() {
            Color::White => ([8, 16, 7, 9], rank(2)),
            Color::Black => ([56, 48, 55, 57], rank(5)),
        };
        let once = pawns.rotate_left(push) & empty;
        let moves = [
            (once, push, MoveKind::Quiet),
            ((once & third).rotate_left(push) & empty, double, MoveKind::DoublePush),
            (pawns.rotate_left(to_file_a) & NOT_FILE_H & self.their, to_file_a, MoveKind::Capture),
            (pawns.rotate_left(to_file_h) & NOT_FILE_A & self.their, to_file_h, MoveKind::Capture),
        ];
        moves.into_iter().fold(start, |folded, (targets, rotation, kind)| {
            let squares = |target: u64| (square(target.rotate_right(rotation)), square(target));
            let targets = targets & self.answers;
            let folded = Bits(targets & !LAST_RANKS).fold(folded, |folded, target| {
                let (from, to) = squares(target);
                each(folded, Move::new(from, to, kind))
            });
            Bits(targets & LAST_RANKS).fold(folded, |folded, target| {
                let (from, to) = squares(target);
                let is_capture = matches!(kind, MoveKind::Capture);
                let promotion =
                    |piece| if is_capture { MoveKind::CapturePromotion(piece) } else { MoveKind::Promotion(piece) };
                Piece::PROMOTIONS
                    .into_iter()
                    .fold(folded, |folded, piece| each(folded, Move::new(from, to, promotion(piece))))
            })
        })
    }

    /// Returns whether the king is safe after a pawn's capture en passant: it leaves two squares, and answers checks by the captured
    /// pawn.
    #[inline(never)]
    fn may_capture_en_passant(&self, from: u64) -> bool {
        let Self { position, own, their, en_passant, king, .. } = *self;
        let captured = if position.turn() == Color::White { en_passant >> 8 } else { en_passant << 8 };
        let (at, occupied) = (square(king), (own | their) & !from & !captured | en_passant);
        let leapers = self.checkers & (position.pawns | position.knights) & !captured;
        leapers == 0
            && rook_attacks_from(at, occupied) & position.rooks_queens & their == 0
            && bishop_attacks_from(at, occupied) & position.bishops_queens & their == 0
    }
}

impl Iterator for LegalMoves<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        while self.current.moves.is_empty() {
            let from = lowest(self.rest);
            if from == 0 {
                return self.castling[0].take().or_else(|| self.castling[1].take());
            }
            self.rest ^= from;
            self.current = self.targets(self.moves_of(from));
        }
        self.current.next()
    }

    #[inline]
    fn fold<B, F: FnMut(B, Move) -> B>(self, start: B, mut each: F) -> B {
        let folded = self.current.clone().fold(start, &mut each);
        // Most pawns are neither pinned nor beside the pawn that can be captured en passant.
        let captors = pawn_attacks(self.position.turn().opposite(), self.en_passant);
        let pawns = self.rest & self.position.pawns & !self.pinned & !captors;
        let folded = self.fold_pawns(pawns, folded, &mut each);
        let pieces = Bits(self.rest & !pawns).map(|from| self.targets(self.moves_of(from)));
        let folded = pieces.fold(folded, |folded, targets| targets.fold(folded, &mut each));
        self.castling.into_iter().flatten().fold(folded, each)
    }

    #[inline]
    fn count(self) -> usize {
        // Some promotions to the lowest target may have come already.
        let castlings = self.castling.iter().flatten().count();
        self.pieces().map(|moves| moves.len()).sum::<usize>() + castlings - self.current.promotion
    }
}

/// The moves of one piece, except castling.
#[derive(Clone, Debug)]
struct Targets {
    moves: PieceMoves,
    their: u64,
    en_passant: u64,
    /// The number of promotions to the lowest target that have come already.
    promotion: usize,
}

impl Default for Targets {
    fn default() -> Self {
        let moves = PieceMoves { piece: Piece::King, from: Square::at(0, 0), targets: 0 };
        Self { moves, their: 0, en_passant: 0, promotion: 0 }
    }
}

impl Targets {
    /// Returns the move to a target, or the next promotion there, of which there are four.
    #[inline]
    const fn to(&self, target: u64, promotion: usize) -> Move {
        let (from, to) = (self.moves.from, square(target));
        let kind = match (self.moves.piece, target & self.their != 0) {
            (Piece::Pawn, true) if target & LAST_RANKS != 0 => {
                MoveKind::CapturePromotion(Piece::PROMOTIONS[promotion & 3])
            }
            (Piece::Pawn, false) if target & LAST_RANKS != 0 => MoveKind::Promotion(Piece::PROMOTIONS[promotion & 3]),
            (Piece::Pawn, false) if target == self.en_passant => MoveKind::EnPassant,
            (Piece::Pawn, false) if to.index().abs_diff(from.index()) == 16 => MoveKind::DoublePush,
            (_, true) => MoveKind::Capture,
            (_, false) => MoveKind::Quiet,
        };
        Move::new(from, to, kind)
    }

    #[inline]
    fn is_promotion(&self, target: u64) -> bool {
        self.moves.piece == Piece::Pawn && target & LAST_RANKS != 0
    }
}

impl Iterator for Targets {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        let target = lowest(self.moves.targets);
        if target == 0 {
            return None;
        }
        let found = self.to(target, self.promotion);
        if self.is_promotion(target) && self.promotion < 3 {
            self.promotion += 1;
        } else {
            self.promotion = 0;
            self.moves.targets ^= target;
        }
        Some(found)
    }

    #[inline]
    fn fold<B, F: FnMut(B, Move) -> B>(mut self, start: B, mut each: F) -> B {
        if self.moves.piece == Piece::Pawn {
            let mut folded = start;
            for found in self.by_ref() {
                folded = each(folded, found);
            }
            return folded;
        }
        let Self { moves, their, .. } = self;
        let captures =
            Bits(moves.targets & their).map(|target| Move::new(moves.from, square(target), MoveKind::Capture));
        let folded = captures.fold(start, &mut each);
        let quiet = Bits(moves.targets & !their).map(|target| Move::new(moves.from, square(target), MoveKind::Quiet));
        quiet.fold(folded, each)
    }
}

/// The ranks where pawns promote.
const LAST_RANKS: u64 = RANK_1 | RANK_8;

/// Returns the square of a board with one bit.
#[inline]
const fn square(board: u64) -> Square {
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

/// Returns the squares from which a pawn's push ends on a square, which is empty.
const fn pushed_from(color: Color, target: u64, empty: u64) -> u64 {
    match color {
        Color::White => target >> 8 | (target >> 8 & empty & rank(2)) >> 8,
        Color::Black => target << 8 | (target << 8 & empty & rank(5)) << 8,
    }
}

/// Returns the squares that a side attacks.
#[inline]
pub(crate) fn attacked(position: &Position, color: Color, pieces: u64, empty: u64) -> u64 {
    pawn_attacks(color, position.pawns & pieces)
        | knight_attacks(position.knights & pieces)
        | king_attacks(position.kings & pieces)
        | rook_attacks(position.rooks_queens & pieces, empty)
        | bishop_attacks(position.bishops_queens & pieces, empty)
}
