//! Castling: the right, the squares between, the squares that the king passes.

use kogge_board::{Color, Fen, Move, MoveKind, Piece, Square};

use super::words::{Reason, of, piece_on, pieces_on};

/// Castling on one side.
pub(crate) struct Castling {
    side: &'static str,
    pub(crate) king: Square,
    pub(crate) king_to: Square,
    pub(crate) rook: Square,
    pub(crate) rook_to: Square,
    /// The number of the right among K, Q, k and q.
    pub(crate) right: usize,
}

/// What makes castling illegal.
pub(crate) enum Obstacle {
    NoRight,
    /// A piece in the way.
    Piece(Square),
    /// The pieces that give check.
    Check(u64),
    /// A square that the king passes or reaches, and the pieces that attack it.
    Attack(Square, u64),
    /// The pieces that attack the king when the rook has left.
    Uncovered(u64),
}

/// Returns the castling move that a king's move from `from` to `to` means.
pub(crate) fn castling(fen: &Fen, from: Square, to: Square) -> Castling {
    let turn = fen.position.turn();
    let kingside = to.file() > from.file();
    let home = turn.home_rank();
    let right = usize::from(!kingside) + if turn == Color::White { 0 } else { 2 };
    Castling {
        side: if kingside { "kingside" } else { "queenside" },
        king: from,
        king_to: Square::at(if kingside { 6 } else { 2 }, home),
        rook: Square::at(fen.rules.castling_files[right], home),
        rook_to: Square::at(if kingside { 5 } else { 3 }, home),
        right,
    }
}

/// Whether a move of the king means castling: the king goes more than one square along its home rank, or to its own
/// rook.
pub(crate) fn is_meant(fen: &Fen, from: Square, to: Square) -> bool {
    let (position, turn) = (&fen.position, fen.position.turn());
    let own_rooks = position.kind(Piece::Rook) & position.of(turn);
    let at_home = from.rank() == turn.home_rank() && to.rank() == from.rank();
    at_home && (from.file().abs_diff(to.file()) > 1 || own_rooks & to.bit() != 0)
}

impl Castling {
    /// Returns all squares of a rank from one square to another.
    pub(crate) fn span(one: Square, other: Square) -> impl Iterator<Item = Square> {
        let (first, last) = (one.file().min(other.file()), one.file().max(other.file()));
        (first..=last).map(move |file| Square::at(file, one.rank()))
    }

    /// Returns the squares that must be empty, not counting king and rook.
    fn way(&self) -> Vec<Square> {
        let all = Self::span(self.king, self.king_to).chain(Self::span(self.rook, self.rook_to));
        // King and rook may have to pass each other in Chess960.
        let mut way: Vec<Square> = all.filter(|&square| square != self.king && square != self.rook).collect();
        way.extend(Self::span(self.king, self.rook).filter(|&square| square != self.king && square != self.rook));
        way.sort();
        way.dedup();
        way
    }

    /// Returns all that makes castling illegal, in the order in which it is named: the right, one piece in the way, and one
    /// attack.
    pub(crate) fn obstacles(&self, fen: &Fen) -> Vec<Obstacle> {
        let (position, them) = (&fen.position, fen.position.turn().opposite());
        let without_king = position.occupied() & !self.king.bit();
        let attack = || {
            let attacks = Self::span(self.king, self.king_to)
                .map(|square| Obstacle::Attack(square, position.attackers(square, them, without_king)));
            attacks.into_iter().find(|attack| !matches!(attack, Obstacle::Attack(_, 0)))
        };
        let uncovered = || {
            let after = without_king & !self.rook.bit() | self.rook_to.bit();
            let attackers = position.attackers(self.king_to, them, after);
            (attackers != 0).then_some(Obstacle::Uncovered(attackers))
        };
        let right = position.state.castling() >> self.right & 1 == 0;
        let piece = self.way().into_iter().find(|square| position.occupied() & square.bit() != 0);
        let check = Some(position.checkers()).filter(|&checkers| checkers != 0).map(Obstacle::Check);
        let king = check.or_else(attack).or_else(uncovered);
        right.then_some(Obstacle::NoRight).into_iter().chain(piece.map(Obstacle::Piece)).chain(king).collect()
    }
}

pub(super) fn why_not(fen: &Fen, from: Square, to: Square) -> Reason {
    let (position, turn) = (&fen.position, fen.position.turn());
    let castling = castling(fen, from, to);
    let Castling { side, king, king_to, rook, .. } = castling;
    match castling.obstacles(fen).first() {
        Some(Obstacle::NoRight) => {
            let text =
                format!("{turn} does not have the right to castle {side} (king or rook has moved, says the FEN)");
            Reason::new(text, [])
        }
        Some(&Obstacle::Piece(square)) => {
            let text = format!("{} stands between king and rook, or where they go", piece_on(position, square));
            Reason::new(text, [square])
        }
        Some(&Obstacle::Check(checkers)) => {
            let text = format!("the king cannot castle out of check, which {} gives", pieces_on(position, checkers));
            Reason::new(text, of(checkers))
        }
        Some(&Obstacle::Attack(square, attackers)) => {
            let relation =
                if square == king_to { "cannot castle into check" } else { "cannot castle through an attack" };
            let text = format!("the king {relation}: {} attacks {square}", pieces_on(position, attackers));
            Reason::new(text, of(attackers).into_iter().chain([square]).collect::<Vec<_>>())
        }
        Some(&Obstacle::Uncovered(attackers)) => {
            let text = format!("the rook on {rook} leaves the king open to {}", pieces_on(position, attackers));
            Reason::new(text, of(attackers))
        }
        None => Reason::new(format!("castling {side} is written {king}{king_to}, or {king}{rook} in Chess960"), []),
    }
}

pub(super) fn why_legal(fen: &Fen, played: Move) -> Reason {
    let turn = fen.position.turn();
    let to = Square::at(if played.kind() == MoveKind::CastleKingside { 7 } else { 0 }, turn.home_rank());
    // If the king is on file a or h, its own square decides the side.
    let mut castling = castling(fen, played.from(), to);
    let kingside = played.kind() == MoveKind::CastleKingside;
    if to == played.from() {
        castling.side = if kingside { "kingside" } else { "queenside" };
    }
    let passed: Vec<String> =
        Castling::span(castling.king, castling.king_to).map(|square| square.to_string()).collect();
    let text = format!(
        "{turn} has the right to castle {}, the squares between are empty, the king is not in check, and nothing attacks \
         {}",
        castling.side,
        passed.join(", ")
    );
    Reason::new(text, [castling.rook])
}
