//! Shrunk positions are legal, still wrong, and as small as they can be.

use std::convert::Infallible;

use kogge_board::bits::Bits;
use kogge_board::{Fen, Move, MoveKind, Rules};
use kogge_check::shrink;
use kogge_driver::Driver;
use kogge_movegen_cpu::{Cpu, LegalMoves};
use kogge_testkit::buggy::{Bug, buggy, no_black_queenside};
use kogge_testkit::placement;
use proptest::prelude::*;

use crate::support::{KIWIPETE, fen};

fn shrunk(start: &Fen, is_wrong: impl Fn(&Fen) -> bool) -> Fen {
    let mut tried = 0;
    let result = shrink(start, |fen| {
        assert_eq!(fen.position.check(&fen.rules), Ok(()), "{fen}");
        tried += 1;
        Ok::<_, Infallible>(is_wrong(fen))
    });
    assert!(tried < 2000, "{tried} positions");
    result.unwrap()
}

/// Returns whether a backend with a bug finds other successors.
fn is_wrong(bug: Bug) -> impl Fn(&Fen) -> bool {
    move |fen| {
        let (mut right, mut wrong) = (Cpu::new(Some(1)).unwrap(), buggy(Cpu::new(Some(1)).unwrap(), bug));
        let [right, wrong] = [&mut right as &mut dyn kogge_board::Backend, &mut wrong]
            .map(|backend| Driver::new(backend, &()).divide_successors(fen, 1).unwrap());
        right != wrong
    }
}

#[test]
fn a_lost_move_is_shown_by_three_pieces() {
    let start = fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 7 30");
    let found = shrunk(&start, is_wrong(no_black_queenside));
    assert_eq!(found.to_string(), "r3k3/8/8/8/8/8/8/7K b q - 0 1");
}

#[test]
fn a_lost_capture_en_passant_is_shown_by_four_pieces() {
    let loses: Bug = |parent, child| {
        let played = Move::between(&Rules::STANDARD, parent, &child);
        (played.map(Move::kind) != Some(MoveKind::EnPassant)).then_some(child)
    };
    let start = fen("rnbqkbnr/1pp2ppp/p2p4/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 4");
    let found = shrunk(&start, is_wrong(loses));
    assert_eq!(found.position.occupied().count_ones(), 4, "{found}");
    assert!(found.position.state.en_passant_square().is_some() && found.position.state.castling() == 0, "{found}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_single_piece_can_be_taken_away(placement in placement(), wanted in 0..4_usize) {
        let (rules, position) = placement;
        let start = Fen::new(position, rules);
        let holds = |fen: &Fen| {
            let moves: Vec<_> = LegalMoves::of(&fen.rules, &fen.position).collect();
            match wanted {
                0 => moves.iter().any(|played| played.is_capture()),
                1 => fen.position.checkers() != 0,
                2 => moves.iter().any(|played| played.is_castling()),
                _ => moves.len() > 20,
            }
        };
        prop_assume!(holds(&start));
        let found = shrunk(&start, holds);
        prop_assert!(holds(&found), "{}", found);
        for piece in Bits(found.position.occupied() & !found.position.kings) {
            let mut fewer = found.position;
            fewer.clear(piece);
            let fewer = Fen::new(fewer, found.rules);
            prop_assert!(fewer.position.check(&fewer.rules).is_err() || !holds(&fewer), "{} and {}", found, fewer);
        }
    }
}

#[test]
fn a_right_program_stays_as_it_is() {
    assert_eq!(shrunk(&fen(KIWIPETE), |_| false).to_string(), KIWIPETE);
}
