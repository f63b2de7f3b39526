//! A position as the page shows it: its pieces, its legal moves, and the positions after them.

use kogge_board::{Color, Fen, FenError, Move, MoveKind, Piece, Position, Square, known};
use kogge_movegen_cpu::LegalMoves;
use serde::Serialize;

/// A position with everything that the page shows about it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionView {
    /// The position as FEN.
    pub fen: String,
    /// `white` or `black`.
    pub turn: String,
    /// The pieces: a letter of FEN for each square from a1 to h8, or a dot.
    pub pieces: String,
    /// Whether castling differs from orthodox chess.
    pub chess960: bool,
    /// The square of the king in check.
    pub check: Option<String>,
    /// The legal moves, sorted by their UCI notation.
    pub moves: Vec<LegalMove>,
}

/// A legal move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LegalMove {
    /// UCI notation, in Chess960 with castling as the king's move to its rook.
    pub uci: String,
    /// Standard algebraic notation.
    pub san: String,
    /// The square that the piece leaves.
    pub from: String,
    /// The square where the piece is put on the board.
    pub to: String,
    /// The letter of the piece that a pawn becomes.
    pub promotion: Option<char>,
    /// Whether the move is castling.
    pub castling: bool,
    /// The position after the move, as FEN.
    pub after: String,
}

/// A name and a FEN.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StandardPosition {
    /// The name.
    pub name: String,
    /// The position as FEN.
    pub fen: String,
}

/// Returns the six standard positions and one of Chess960.
pub fn standard() -> Vec<StandardPosition> {
    let names = ["Start position", "Kiwipete", "Position 3", "Position 4", "Position 5", "Position 6"];
    let standard = names.into_iter().zip(known::standard());
    let mut named: Vec<StandardPosition> =
        standard.map(|(name, known)| StandardPosition { name: name.to_owned(), fen: known.root.to_string() }).collect();
    let chess960 = known::chess960().into_iter().find(|known| known.root.is_chess960());
    named.extend(
        chess960.map(|known| StandardPosition { name: "A position of Chess960".into(), fen: known.root.to_string() }),
    );
    named
}

/// Reads a FEN.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn parse(fen: &str) -> Result<Fen, String> {
    fen.parse().map(with_clock).map_err(|error: FenError| error.to_string())
}

/// Moves on the board keep the halfmove clock, and so do the positions that can be copied. Counting ignores the clock.
fn with_clock(mut fen: Fen) -> Fen {
    fen.rules = fen.rules.with_halfmove_clock(true);
    fen
}

/// Returns the position after a move. The FEN has an en-passant square if a pawn stands beside the pawn that has just moved two
/// squares, even if the capture is illegal, so that the page can explain a wrong capture.
pub fn after(fen: &Fen, played: Move) -> Fen {
    let after = fen.play(played);
    let position = after.position;
    let (from, to) = (played.from(), played.to());
    let captors = position.pawns & position.of(position.turn());
    let is_beside = [-1, 1].iter().any(|&file| to.offset((file, 0)).is_some_and(|beside| captors & beside.bit() != 0));
    let passed = Square::at(to.file(), (from.rank() + to.rank()) / 2);
    let passed = (played.kind() == MoveKind::DoublePush && is_beside).then_some(passed);
    Fen { passed, ..after }
}

/// Describes a position, given as FEN or by name. In a tree of Chess960, every castling is written as the king's move to its
/// rook, even if it looks orthodox.
///
/// # Errors
/// A sentence that says what is wrong with the FEN.
pub fn describe(fen: &str, chess960: bool) -> Result<PositionView, String> {
    let fen = known::root(fen).map(with_clock).map_err(|error| error.to_string())?;
    let Fen { position, rules, .. } = fen;
    let legal = LegalMoves::of(&rules, &position);
    let chess960 = chess960 || fen.is_chess960();
    let mut moves: Vec<LegalMove> = legal.clone().map(|played| described(&fen, &legal, played, chess960)).collect();
    moves.sort_by(|one, other| one.uci.cmp(&other.uci));
    let king = position.king(position.turn());
    Ok(PositionView {
        fen: fen.to_string(),
        turn: position.turn().to_string(),
        pieces: pieces(&position),
        chess960,
        check: king.filter(|_| position.checkers() != 0).map(|king| king.to_string()),
        moves,
    })
}

fn described(fen: &Fen, legal: &LegalMoves<'_>, played: Move, chess960: bool) -> LegalMove {
    let uci = played.uci(&fen.rules, chess960);
    LegalMove {
        san: legal.san(played),
        from: played.from().to_string(),
        to: uci[2..4].to_owned(),
        promotion: played.promotion().map(Piece::letter),
        castling: played.is_castling(),
        after: after(fen, played).to_string(),
        uci,
    }
}

/// Returns a letter of FEN for each square from a1 to h8, or a dot.
fn pieces(position: &Position) -> String {
    let letter = |square| match position.piece_at(square) {
        Some((Color::White, piece)) => piece.letter().to_ascii_uppercase(),
        Some((Color::Black, piece)) => piece.letter(),
        None => '.',
    };
    (0..64).filter_map(Square::new).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_has_twenty_moves() {
        let start = describe(kogge_board::START, false).unwrap();
        assert_eq!((start.moves.len(), start.turn.as_str(), start.check), (20, "white", None));
        assert_eq!(&start.pieces[..8], "RNBQKBNR");
        assert_eq!(start.pieces.chars().nth(12), Some('P'));
        let pawn = start.moves.iter().find(|found| found.uci == "e2e4").unwrap();
        assert_eq!(pawn.after, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        let knight = start.moves.iter().find(|found| found.san == "Nf3").unwrap();
        assert_eq!(knight.after, "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1");
        assert!(start.moves.is_sorted_by_key(|found| found.uci.clone()));
    }

    #[test]
    fn castling_is_written_as_the_tree_demands() {
        let castling = |chess960| {
            let moves = describe("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", chess960).unwrap().moves;
            moves.into_iter().filter(|found| found.castling).map(|found| found.uci).collect::<Vec<_>>()
        };
        assert_eq!(
            (castling(false), castling(true)),
            (vec!["e1c1".into(), "e1g1".into()], vec!["e1a1".into(), "e1h1".into()])
        );
    }

    #[test]
    fn en_passant_squares_are_kept_if_a_pawn_stands_beside() {
        let double_step = |fen: &str, uci: &str| {
            let moves = describe(fen, false).unwrap().moves;
            moves.into_iter().find(|found| found.uci == uci).unwrap().after
        };
        let position3 = &standard()[2].fen;
        assert!(double_step(position3, "e2e4").contains(" b - e3 "), "the capture is illegal");
        assert!(double_step(kogge_board::START, "e2e4").contains(" b KQkq - "));
    }

    #[test]
    fn positions_of_all_names_can_be_described() {
        let standard = standard();
        assert_eq!(standard.len(), 7);
        for StandardPosition { name, fen } in &standard {
            let described = describe(fen, false).unwrap();
            assert!(!described.moves.is_empty(), "{name}");
            for found in &described.moves {
                describe(&found.after, false).unwrap_or_else(|error| panic!("{name} {}: {error}", found.uci));
            }
        }
        assert!(describe(&standard[6].fen, false).unwrap().chess960);
    }

    #[test]
    fn names_are_positions_too() {
        let named = describe(" Kiwipete ", false).unwrap();
        assert_eq!((named.moves.len(), named.fen), (48, standard()[1].fen.clone()));
    }

    #[test]
    fn bad_positions_are_refused_with_a_sentence() {
        assert!(describe("8/8/8 w", false).unwrap_err().ends_with('.'));
    }
}
