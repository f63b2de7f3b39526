//! The checks of the fuzz targets on random text and bytes, and on slightly changed valid input.

use proptest::{collection::vec, prelude::*, sample::Index};

#[path = "../../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "the file is a library elsewhere")]
mod bodies;

/// Returns the FEN of a position, orthodox or not.
fn any_fen() -> impl Strategy<Value = &'static str> {
    let orthodox = include_str!("../../../board/data/random.epd").lines();
    let chess960 = include_str!("../../../board/data/chess960.epd").lines();
    let all: Vec<_> = orthodox.chain(chess960).filter_map(|line| line.split(" ;").next()).collect();
    any::<Index>().prop_map(move |index| *index.get(&all))
}

/// Changes some bytes.
fn change(mut bytes: Vec<u8>, changes: &[(Index, u8)]) -> Vec<u8> {
    for (index, byte) in changes.iter().filter(|_| !bytes.is_empty()).collect::<Vec<_>>() {
        let index = index.index(bytes.len());
        bytes[index] = *byte;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_a_fen_or_an_error(bytes in vec(any::<u8>(), 0..300)) {
        bodies::fen(&bytes);
    }

    #[test]
    fn a_changed_fen_is_a_fen_or_an_error(
        fen in any_fen(),
        changes in vec((any::<Index>(), prop::sample::select(b"pnbrqkPNBRQK12345678/ wb-KQkqABCDEFGHabcdefgh09".to_vec())), 0..4),
    ) {
        bodies::fen(&change(fen.as_bytes().to_vec(), &changes));
    }

    #[test]
    fn any_bytes_are_a_suite_or_errors(bytes in vec(any::<u8>(), 0..300)) {
        bodies::suite(&bytes);
    }

    #[test]
    fn a_changed_suite_is_a_suite_or_errors(
        fen in any_fen(),
        changes in vec((any::<Index>(), prop::sample::select(b"\n; D1234567890#w-".to_vec())), 0..4),
    ) {
        bodies::suite(&change(format!("{fen} ;D1 20 ;D2 400\n{fen}; D4 197281;").into_bytes(), &changes));
    }

    #[test]
    fn any_bytes_are_games_or_errors(bytes in vec(any::<u8>(), 0..300)) {
        bodies::pgn(&bytes);
    }

    #[test]
    fn a_changed_game_is_a_game_or_errors(
        fen in any_fen(),
        changes in vec((any::<Index>(), prop::sample::select(b"\n;{}()[]\"%$!?. 01-*+#=xKQRBNabcdefgh12345678".to_vec())), 0..6),
    ) {
        let game = format!("[FEN \"{fen}\"]\n\n1. O-O {{x}} (1. Kd2 $1) Nf6 1-0\n\n1. e4 (1. d4 d5!?) e5 2. Nf3 Nc6 *\n");
        bodies::pgn(&change(game.into_bytes(), &changes));
    }

    #[test]
    fn any_bytes_unpack_or_are_an_error(bytes in vec(any::<u8>(), 0..80)) {
        bodies::unpack(&bytes);
    }

    #[test]
    fn a_changed_position_unpacks_or_is_an_error(changes in vec((any::<Index>(), any::<u8>()), 0..4)) {
        bodies::unpack(&change(vec![0; 49], &changes));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn games_are_made_of_moves(fen in any_fen(), choices in vec(any::<u8>(), 0..60)) {
        bodies::moves(&[fen.as_bytes(), b"\n", &choices].concat());
    }

    #[test]
    fn words_are_moves_or_errors(fen in any_fen(), words in vec("[a-hKQRBNO0]{1,2}[-x]?[a-h1-8O0]{0,4}[=qQ+#!]{0,2}", 1..20)) {
        bodies::moves(&[fen, "\n", &words.join(" ")].concat().into_bytes());
    }

    #[test]
    fn any_bytes_are_a_ledger_or_an_error(bytes in vec(any::<u8>(), 0..300)) {
        bodies::ledger(&bytes);
    }

    #[test]
    fn any_lines_are_a_conversation(
        lines in vec(prop::sample::select(vec![
            "uci", "isready", "ucinewgame", "go", "go perft 3", "go infinite", "go ponder", "stop", "ponderhit", "quit",
            "position startpos moves e2e4", "position fen kiwipete", "position fen 8/8 w", "setoption name MultiPV value 3",
            "setoption name UCI_Chess960 value true", "setoption name", "go searchmoves e2e4 e7e5", "\u{fffd}\0",
        ]), 0..20),
        changes in vec((any::<Index>(), any::<u8>()), 0..4),
    ) {
        bodies::uci(&change(lines.join("\n").into_bytes(), &changes));
    }
}
