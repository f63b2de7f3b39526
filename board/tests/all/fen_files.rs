//! Every FEN of the two collections in `data/` is accepted and printed back, or refused.

use kogge_board::Fen;

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

#[test]
fn valid_fens_round_trip_as_text() {
    let mut seen = 0;
    for line in lines(include_str!("../../../data/fens-valid.txt")) {
        let fen: Fen = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(fen.to_string(), line);
        seen += 1;
    }
    assert_eq!(seen, 2000);
}

#[test]
fn invalid_fens_are_refused() {
    let accepted: Vec<_> =
        lines(include_str!("../../../data/fens-invalid.txt")).filter(|line| line.parse::<Fen>().is_ok()).collect();
    assert!(accepted.is_empty(), "{} accepted, first {:#?}", accepted.len(), &accepted[..accepted.len().min(20)]);
    assert_eq!(lines(include_str!("../../../data/fens-invalid.txt")).count(), 2000);
}
