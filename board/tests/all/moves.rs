//! Moves on random positions: taking them back, and their notation.

use crate::common::{legal_moves, perft};
use kogge_board::{Fen, Move, MoveError, MoveKind, Piece, Position, Rules, Square, UndoMove, known};
use kogge_testkit::placement;
use proptest::prelude::*;

#[test]
fn the_slow_generator_counts_right() {
    for known in known::random().into_iter().chain(known::chess960()).step_by(8) {
        for depth in 1..=2 {
            let count = perft(&known.root.position, &known.root.rules, depth);
            assert_eq!(Some(u128::from(count)), known.leaves(depth), "{} at depth {depth}", known.root);
        }
    }
}

proptest! {
    #[test]
    fn every_move_can_be_taken_back((rules, position) in placement()) {
        for played in legal_moves(&position, &rules) {
            let after = position.play(&rules, played);
            prop_assert_eq!(after.check(&rules), Ok(()), "{:?}", played);
            let undo = position.undo_move(played);
            prop_assert_eq!(after.undo(&rules, undo), position, "{:?}", played);
            prop_assert_eq!(UndoMove::from_bits(undo.bits()), undo);
            prop_assert_eq!(undo.captured().is_some(), played.is_capture());
            prop_assert_eq!(Move::between(&rules, &position, &after), Some(played));
        }
    }

    #[test]
    fn foreign_undo_moves_do_no_harm((rules, position) in placement(), bits: u32) {
        let before = position.undo(&rules, UndoMove::from_bits(bits));
        prop_assert_eq!(before.turn(), position.turn().opposite());
        prop_assert_eq!(before.state.halfmove_clock(), (bits >> 25) as u8);
    }

    #[test]
    fn uci_round_trips((rules, position) in placement()) {
        let legal = legal_moves(&position, &rules);
        let read = |text: &str| Move::from_uci(text, &rules, legal.iter().copied());
        for &played in &legal {
            let text = played.uci(&rules, true);
            prop_assert_eq!(read(&text), Ok(played), "{}", text);
            // In Chess960, a step of the king can have the same text.
            let text = played.uci(&rules, false);
            let step = legal.iter().find(|other| !other.is_castling() && other.uci(&rules, false) == text);
            prop_assert_eq!(read(&text), Ok(*step.unwrap_or(&played)), "{}", text);
            prop_assert!(step.is_none_or(|step| *step == played) || Fen::new(position, rules).is_chess960());
        }
    }

    #[test]
    fn san_round_trips((rules, position) in placement()) {
        let legal = legal_moves(&position, &rules);
        for &played in &legal {
            let text = san(played, &position, &rules, &legal);
            prop_assert_eq!(from_san(&text, &position, &legal), Ok(played), "{}", text);
            let after = position.play(&rules, played);
            prop_assert_eq!(text.ends_with(['+', '#']), after.checkers() != 0);
            prop_assert_eq!(text.ends_with('#'), after.checkers() != 0 && legal_moves(&after, &rules).is_empty());
            // Every move except castling and pawn pushes can also be read with its full origin.
            if !played.is_castling() && !matches!(position.piece_at(played.from()), Some((_, Piece::Pawn))) {
                let letter = position.piece_at(played.from()).map_or(' ', |(_, piece)| piece.letter().to_ascii_uppercase());
                let full = format!("{letter}{}{}", played.from(), played.to());
                prop_assert_eq!(from_san(&full, &position, &legal), Ok(played), "{}", full);
            }
        }
    }

    #[test]
    fn any_text_is_read_without_panic((rules, position) in placement(), text in "[a-hNBRQKOx1-8=+#é-]{0,7}|.{0,12}") {
        let legal = legal_moves(&position, &rules);
        for found in [Move::from_uci(&text, &rules, legal.iter().copied()), from_san(&text, &position, &legal)] {
            match found {
                Ok(found) => prop_assert!(legal.contains(&found)),
                Err(error) => prop_assert!(error.to_string().ends_with('.')),
            }
        }
    }
}

/// Writes a move in SAN, by the slow generator.
fn san(played: Move, position: &Position, rules: &Rules, legal: &[Move]) -> String {
    played.san(
        position,
        rules,
        |piece, to| origins(position, legal, piece, to),
        |after| (after.checkers() != 0).then(|| !legal_moves(after, rules).is_empty()),
    )
}

fn from_san(text: &str, position: &Position, legal: &[Move]) -> Result<Move, MoveError> {
    let castling = |kind| legal.iter().copied().find(|found| found.kind() == kind);
    let castlings = [MoveKind::CastleKingside, MoveKind::CastleQueenside].map(castling);
    Move::from_san(text, position, castlings, |piece, to| origins(position, legal, piece, to))
}

fn origins(position: &Position, legal: &[Move], piece: Piece, to: Square) -> u64 {
    let goes_there = |found: &&Move| {
        found.to() == to
            && !found.is_castling()
            && position.piece_at(found.from()).is_some_and(|(_, kind)| kind == piece)
    };
    legal.iter().filter(goes_there).fold(0, |from, found| from | found.from().bit())
}

fn at(fen: &str) -> (Fen, Vec<Move>) {
    let fen: Fen = fen.parse().expect(fen);
    let legal = legal_moves(&fen.position, &fen.rules);
    (fen, legal)
}

#[test]
fn san_is_written_as_the_standard_says() {
    for (position, uci, expected) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1f3", "Nf3"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", "e4"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "b1d2", "Nbd2"),
        ("4k3/8/8/1N6/8/8/8/1N2K3 w - - 0 1", "b1c3", "N1c3"),
        ("8/8/4k3/8/Q6Q/8/8/K6Q w - - 0 1", "h4e4", "Qh4e4+"),
        // A pinned piece cannot make the move, so it is no rival.
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
        ("8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1", "e4d3", "exd3"),
        ("r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1", "b7a8q", "bxa8=Q+"),
        ("r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1", "b7b8n", "b8=N"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O"),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"),
    ] {
        let (fen, legal) = at(position);
        let played = Move::from_uci(uci, &fen.rules, legal.iter().copied()).expect(uci);
        let written = san(played, &fen.position, &fen.rules, &legal);
        assert_eq!(written, expected, "{position} {uci}");
    }
}

#[test]
fn wrong_moves_are_refused_with_their_reason() {
    let (fen, legal) = at("r3k2r/1P6/8/1N6/8/8/8/RN2K2R w KQkq - 0 1");
    let uci = |text: &str| Move::from_uci(text, &fen.rules, legal.iter().copied()).expect_err(text).to_string();
    let san = |text: &str| from_san(text, &fen.position, &legal).expect_err(text).to_string();
    for text in ["", "e2", "e2e", "e9e4", "E1E2", "e1e2x", "e1e2qq", "O-O", "0000", "e1\u{e9}2", "\u{e9}\u{e9}"] {
        assert!(uci(text).contains("is not a move in UCI notation"), "{text}");
    }
    for text in ["e1e3", "b7b8", "e1e2q", "e8e7", "e1a1"] {
        assert_eq!(uci(text), format!("The move \"{text}\" is not legal here."));
    }
    for text in ["", "x", "e", "Pe4", "Ne9", "Nii3", "b8=K", "b8=P", "b8=", "b8=QQ", "bxa8Q", "O-O-O-O", "\u{e9}4", "+"]
    {
        assert!(san(text).contains("is not a move in SAN"), "{text}");
    }
    for text in ["e4", "Nf3", "b8", "bxc8=Q", "a8=Q", "Nxc3", "N2c3", "Qd1"] {
        assert_eq!(san(text), format!("The move \"{text}\" is not legal here."));
    }
    assert_eq!(san("Nc3"), "The move \"Nc3\" is ambiguous; it may mean b1c3 or b5c3.");
    assert_eq!(from_san("Rxa8!?", &fen.position, &legal).map(Move::from), Ok(Square::at(0, 0)));
    assert!(from_san("0-0", &fen.position, &legal).is_ok_and(|found| found.kind() == MoveKind::CastleKingside));
}

#[test]
fn castling_is_read_in_both_notations() {
    let kind = |position: &str, text: &str| {
        let (fen, legal) = at(position);
        Move::from_uci(text, &fen.rules, legal).map(Move::kind)
    };
    // With king f1 and rook h1, the step to g1 and castling look alike without the notation of Chess960.
    assert_eq!(kind("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1g1"), Ok(MoveKind::Quiet));
    assert_eq!(kind("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1"), Ok(MoveKind::CastleKingside));
    assert_eq!(kind("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), Ok(MoveKind::CastleKingside));
    assert_eq!(kind("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1"), Ok(MoveKind::CastleKingside));
    assert_eq!(kind("4k3/8/8/8/8/8/8/1K5R w H - 0 1", "b1g1"), Ok(MoveKind::CastleKingside));
}
