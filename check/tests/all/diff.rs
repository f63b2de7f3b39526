//! Comparison of backends, down to the position where they differ.

use crate::support::{self, KIWIPETE, Watch, fen};
use kogge_board::{Backend, Fen, Move, Position, State};
use kogge_check::{CheckError, Diff, Difference, DivideText, Divider};
use kogge_driver::{Driver, Error};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::buggy::{Bug, buggy, no_black_queenside};

fn cpu() -> Cpu {
    Cpu::new(Some(1)).unwrap()
}

fn diff(first: &mut dyn Backend, second: &mut dyn Backend, root: &Fen, depth: u32) -> Diff {
    let mut second = Driver::new(second, &());
    kogge_check::diff(&mut Driver::new(first, &()), &mut second, root, depth).unwrap()
}

#[track_caller]
fn different(diff: Diff) -> Difference {
    match diff {
        Diff::Different(difference) => *difference,
        Diff::Same { leaves } => panic!("both count {leaves}"),
    }
}

#[test]
fn the_same_is_no_difference() {
    for (root, depth, leaves) in [
        (Fen::start(), 4, 197_281),
        (fen(KIWIPETE), 3, 97_862),
        (fen("bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9"), 3, 28_677),
        (fen(support::MATE), 5, 0),
        (Fen::start(), 0, 1),
    ] {
        assert_eq!(diff(&mut cpu(), &mut Mailbox::new(), &root, depth), Diff::Same { leaves }, "{root}");
    }
}

#[test]
fn a_missing_move_is_found_where_it_is_missing() {
    let root = fen(KIWIPETE);
    let found = different(diff(&mut cpu(), &mut buggy(cpu(), no_black_queenside), &root, 3));
    assert_eq!((found.line.len(), found.depth), (1, 2));
    assert_eq!(found.only_first.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["e8c8"]);
    assert_eq!((found.only_second.len(), found.counts.len()), (0, 0));
    assert_eq!(found.position.fullmove, 1);

    // The same comparison with the backends exchanged.
    let found = different(diff(&mut buggy(cpu(), no_black_queenside), &mut cpu(), &root, 3));
    assert_eq!((found.only_first.len(), found.only_second.len()), (0, 1));

    // At this depth, the mistake has no effect.
    assert_eq!(diff(&mut cpu(), &mut buggy(cpu(), no_black_queenside), &root, 1), Diff::Same { leaves: 48 });
}

#[test]
fn wrong_successors_are_named() {
    let keeps_rights: Bug = |parent, child| {
        let castling = parent.state.castling();
        Some(Position { state: child.state.with_castling(castling), ..child })
    };
    let found = different(diff(&mut cpu(), &mut buggy(cpu(), keeps_rights), &fen(KIWIPETE), 1));
    let king_steps = found.only_first.iter().filter(|(name, _)| name.starts_with("e1")).count();
    assert_eq!((king_steps, found.only_first.len()), (4, 9), "king steps, castlings, rook moves");
    assert!(found.only_second.iter().all(|(name, _)| name.starts_with("(no move) to ")));

    let loses_en_passant: Bug = |_, child| Some(Position { state: State(child.state.0 & !State::EN_PASSANT), ..child });
    let root = fen("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1");
    let found = different(diff(&mut cpu(), &mut buggy(cpu(), loses_en_passant), &root, 2));
    assert_eq!(found.only_first[0].0, "e2e4");
    assert_eq!(found.only_second[0].0, "(no move) to 4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1");
}

#[test]
fn a_divider_that_contradicts_itself_is_caught() {
    /// Counts one leaf too many below one move at depth 3.
    struct Liar;
    impl Divider for Liar {
        fn name(&self) -> String {
            "liar".to_owned()
        }

        fn ask(&mut self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Result<DivideText, CheckError> {
            let mut answer = Driver::new(&mut cpu(), &()).ask(root, line, here, depth)?;
            if depth == 3 {
                answer.moves[5].1 += 1;
            }
            Ok(answer)
        }
    }
    let found = kogge_check::diff(&mut Driver::new(&mut cpu(), &()), &mut Liar, &Fen::start(), 3);
    let found = different(found.unwrap());
    assert_eq!((found.depth, found.line.len(), found.counts.len()), (3, 0, 1));
    assert_eq!(found.counts[0].2, found.counts[0].1 + 1);
}

#[test]
fn diff_can_be_stopped() {
    let watch = Watch::stopping_at(1);
    let (mut one, mut other) = (cpu(), cpu());
    let mut driver = Driver::new(&mut one, &watch);
    let stopped = kogge_check::diff(&mut driver, &mut Driver::new(&mut other, &()), &Fen::start(), 3);
    assert!(matches!(stopped, Err(CheckError::Count(Error::Cancelled(_)))));
}
