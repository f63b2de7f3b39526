//! The legal moves of one position against the mailbox, on random placements and along random games.

use kogge_board::{Fen, Move, MoveKind, Position, Random, Rules, known};
use kogge_movegen_cpu::LegalMoves;
use kogge_movegen_cpu::mailbox::{self, Mailbox};
use kogge_testkit::conformance::{placements, playouts};

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
    let mut bits: Vec<_> = moves.into_iter().map(Move::bits).collect();
    bits.sort_unstable();
    bits
}

/// Compares the moves, their number at any time, and the sets, with the mailbox.
fn check(rules: &Rules, position: &Position) -> Vec<Move> {
    let expected = mailbox::legal_moves(rules, position);
    let moves = LegalMoves::of(rules, position);
    let case = || Fen { shredder: true, ..Fen::new(*position, *rules) };
    assert_eq!(sorted(moves.clone()), sorted(expected.iter().copied()), "{}", case());
    assert_eq!(moves.checkers(), position.checkers(), "{}", case());
    let mut rest = moves.clone();
    for left in (0..=expected.len()).rev() {
        assert_eq!(rest.clone().count(), left, "{}", case());
        assert_eq!(rest.next().is_some(), left > 0, "{}", case());
    }
    let castlings = moves.castlings().iter().flatten().count();
    assert_eq!(moves.pieces().map(|moves| moves.len()).sum::<usize>() + castlings, expected.len(), "{}", case());
    for moves in moves.pieces() {
        assert_eq!(position.piece_at(moves.from), Some((position.turn(), moves.piece)), "{}", case());
    }
    expected
}

#[test]
fn random_placements_and_playouts_have_the_same_moves() {
    let (mut positions, mut en_passant, mut castlings) = (0, 0, 0);
    for (rules, batch) in placements().into_iter().chain(playouts(&mut Mailbox::new())) {
        for position in batch {
            let moves = check(&rules, &position.unpack_unchecked());
            positions += 1;
            en_passant += moves.iter().filter(|played| played.kind() == MoveKind::EnPassant).count();
            castlings += moves.iter().filter(|played| played.is_castling()).count();
        }
    }
    assert!(positions > 2_000 && en_passant > 100 && castlings > 100, "{positions}, {en_passant}, {castlings}");
}

#[test]
fn games_have_the_same_moves_to_their_end() {
    let mut random = Random::new(3);
    for known in known::standard().into_iter().chain(known::chess960().into_iter().step_by(2)) {
        let (rules, mut position) = (known.root.rules, known.root.position);
        for _ in 0..120 {
            let moves = check(&rules, &position);
            let Some(&played) = moves.get(random.index(moves.len())) else { break };
            position = position.play(&rules, played);
        }
    }
}

fn perft(rules: &Rules, position: &Position, depth: u32) -> u128 {
    let moves = LegalMoves::of(rules, position);
    match depth {
        1 => moves.count() as u128,
        _ => moves.map(|played| perft(rules, &position.play(rules, played), depth - 1)).sum(),
    }
}

#[test]
fn published_counts_are_right() {
    for known in known::standard().into_iter().chain(known::chess960().into_iter().step_by(8)) {
        for (depth, leaves) in known.counts().filter(|&(depth, leaves)| depth > 0 && leaves < 2_000_000) {
            assert_eq!(perft(&known.root.rules, &known.root.position, depth), leaves, "{} {depth}", known.root);
        }
    }
}
