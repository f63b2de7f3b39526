//! Tests of explanations: a position, a move, and words that the reason must contain.

use kogge_board::known;

use super::*;

#[track_caller]
fn reason(fen: &str, uci: &str) -> Explanation {
    let explanation = explain(&fen.parse().unwrap(), uci);
    assert!(explanation.text.ends_with('.') && !explanation.text.contains(".."), "{}", explanation.text);
    explanation
}

#[test]
fn illegal_moves_are_explained() {
    let start = kogge_board::START;
    for (fen, uci, words) in [
        (start, "e9e4", "not a move"),
        (start, "é2e4", "not a move"),
        (start, "e4e5", "no piece on e4"),
        (start, "e7e5", "the pawn on e7 is black, and it is white's turn"),
        (start, "d1d2", "the pawn on d2 is of the same side"),
        (start, "b1b3", "a knight cannot move from b1 to b3"),
        (start, "f1b5", "the pawn on e2 is in the way of the bishop on f1"),
        (start, "e2d3", "only to capture, and d3 is empty"),
        (start, "e2e5", "a pawn cannot move from e2 to e5"),
        (start, "e2e4q", "only on the last rank"),
        (start, "g1f3q", "only pawns are promoted"),
        (start, "e1g1", "stands between king and rook"),
        (
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
            "e4e5",
            "the pawn on e5 blocks the pawn on e4",
        ),
        ("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4e6", "two squares only from rank 2"),
        ("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4e3", "backwards"),
        ("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e4", "the knight on e3 blocks"),
        ("8/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7e8", "must be promoted"),
        ("8/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7e8k", "cannot become a king"),
        // En passant: the king on the rank, on a diagonal, no double step, another double step.
        (
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "e4d3",
            "en passant and leaves the king on a4 in check from the queen on h4",
        ),
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "e4d3", "both pawns leave rank 4"),
        ("4k3/8/8/8/3pP1b1/8/8/4K3 b - e3 0 1", "d4c3", "only to capture"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6", "was not its double step"),
        ("4k3/8/8/3pPp2/8/8/8/4K3 w - f6 0 1", "e5d6", "double step over f6"),
        ("3k4/8/8/2pP4/8/K3b3/8/8 w - c6 0 1", "d5c4", "backwards"),
        ("3rk3/8/8/2pP4/8/8/8/3K4 w - c6 0 1", "d5c6", "the pawn leaves the d-file"),
        // The king.
        ("4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "e1e2", "the rook on a2 attacks e2"),
        ("4k3/8/8/8/8/8/4n3/4K2r w - - 0 1", "e1f1", "the rook on h1 attacks f1"),
        ("4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "e1f1", "stay on rank 1, where the rook on a1 gives check"),
        ("4k3/8/8/8/8/7b/6n1/5K2 w - - 0 1", "f1g2", "the bishop on h3 protects the knight on g2"),
        // Checks and pins.
        ("4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1", "a1b3", "in check from the rook on e8"),
        ("4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1", "a1b3", "or stand in its way"),
        ("6k1/8/8/8/8/3n4/8/N3K3 w - - 0 1", "a1b3", "does not capture it."),
        ("4r1k1/8/8/8/8/3n4/8/N3K3 w - - 0 1", "a1b3", "give check together"),
        ("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "pinned to the king on e1 by the rook on e8"),
        ("6k1/8/8/8/1b6/8/3N4/4K3 w - - 0 1", "d2f3", "must stay on the diagonal"),
        // Castling.
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "does not have the right to castle kingside"),
        ("4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1", "e1c1", "out of check"),
        ("3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "through an attack: the rook on d8 attacks d1"),
        ("2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "into check: the rook on c8 attacks c1"),
        ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", "the knight on b1 stands between"),
        ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", "d1b1", "leaves the king open to the rook on a1"),
    ] {
        let Explanation { legal, text, .. } = reason(fen, uci);
        assert!(!legal && text.contains(words), "{fen} {uci}: {text}");
    }
}

#[test]
fn legal_moves_are_explained() {
    for (fen, uci, words) in [
        (kogge_board::START, "g1f3", "the knight on g1 goes to f3, which is empty, and the king on e1 is not in check"),
        (kogge_board::START, "e2e4", "two squares"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "en passant, because this pawn has just moved from d7"),
        (
            "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1",
            "e2e5",
            "pinned to the king on e1 by the rook on e8, but stays on the e-file",
        ),
        ("4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2e8", "captures the rook on e8, which pins it"),
        ("4r1k1/8/8/8/8/8/R7/4K3 w - - 0 1", "a2e2", "can no longer reach the king"),
        ("4r1k1/8/8/8/B7/8/8/4K3 w - - 0 1", "a4e8", "is captured"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "nothing attacks e1, f1, g1"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "right to castle kingside"),
        ("8/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7e8n", "becomes a knight"),
        ("3r4/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7d8b", "captures the rook on d8 and becomes a bishop"),
    ] {
        let Explanation { legal, text, .. } = reason(fen, uci);
        assert!(legal && text.contains(words), "{fen} {uci}: {text}");
    }
}

/// Explains every pair of squares of many positions. No illegal move may get an empty answer.
#[test]
fn every_move_has_a_reason() {
    let positions = known::standard()
        .into_iter()
        .chain(known::random().into_iter().take(40))
        .chain(known::chess960().into_iter().take(20));
    for known in positions {
        let fen = known.root;
        for from in 0..64 {
            for to in 0..64 {
                let squares = [from, to].map(|index| Square::new(index).unwrap().to_string()).concat();
                for uci in [squares.clone(), squares.clone() + "q"] {
                    let Explanation { text, legal, .. } = explain(&fen, &uci);
                    assert!(!text.contains("no move of this piece") && text.len() > 20, "{fen} {uci}: {text}");
                    assert_eq!(legal, text.contains(" is legal: "), "{fen} {uci}: {text}");
                }
            }
        }
    }
}
