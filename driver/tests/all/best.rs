//! The best move by minimax: the same score and line from every backend.

use crate::support::{KIWIPETE, MATE, POSITION_3, Watch, fen};
use kogge_board::{Backend, Fen, Leaves, unwatched};
use kogge_driver::{Best, Driver, Error};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::Wrapped;

/// A backend without its own minimax.
fn plain() -> impl Backend {
    Wrapped::new(Cpu::new(None).unwrap())
}

/// The CPU with its own minimax. It reports before each search.
fn watchable() -> impl Backend {
    Wrapped::new(Cpu::new(None).unwrap())
        .minimax(|cpu, rules, positions, depth, leaves| cpu.minimax(rules, positions, depth, leaves, &mut unwatched))
}

fn best(backend: &mut dyn Backend, root: &Fen, depth: u32, leaves: Leaves) -> Best {
    Driver::new(backend, &()).best(root, depth, leaves).unwrap()
}

#[test]
fn all_backends_agree_on_score_line_and_leaves() {
    let chess960 = "bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9";
    for (root, deepest) in [(kogge_board::START, 3), (KIWIPETE, 2), (POSITION_3, 3), (chess960, 2)] {
        let root = fen(root);
        for depth in 0..=deepest {
            for leaves in [Leaves::Static, Leaves::Quiescent] {
                let cpu = best(&mut Cpu::new(None).unwrap(), &root, depth, leaves);
                let plain = best(&mut plain(), &root, depth, leaves);
                assert_eq!(plain, cpu, "{root} at depth {depth}");
                let watched = best(&mut watchable(), &root, depth, leaves);
                assert_eq!(watched, cpu, "{root} at depth {depth}");
                if depth < 3 {
                    assert_eq!(best(&mut Mailbox::new(), &root, depth, leaves), cpu, "{root} at depth {depth}");
                }
                assert_eq!(cpu.line.len(), depth as usize);
                let counted = Driver::new(&mut Cpu::new(None).unwrap(), &()).perft(&root, depth);
                assert_eq!(counted, Ok(cpu.leaves), "{root} at depth {depth}");
            }
        }
    }
}

#[track_caller]
fn assert_best(root: &str, depth: u32, score: &str, line: &str) {
    let root = fen(root);
    let found = best(&mut Cpu::new(None).unwrap(), &root, depth, Leaves::Quiescent);
    let moves: Vec<_> = found.line.iter().map(|played| played.uci(&root.rules, false)).collect();
    assert_eq!((found.score.to_string().as_str(), moves.join(" ").as_str()), (score, line), "{root}");
}

#[test]
fn lines_end_with_the_game() {
    assert_best(MATE, 3, "mated", "");
    assert_best("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 3, "0.00", "");
    assert_best("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 4, "mate in 1", "a1a8");
    assert_best("7k/8/8/8/8/8/R7/1R2K3 w - - 98 80", 3, "0.00", "b1b2 h8h7");
    assert_best("7k/8/8/8/8/8/R7/1R2K3 w - - 100 80", 3, "0.00", "");
}

#[test]
fn of_equal_moves_the_first_generated_is_best() {
    // A lone knight cannot mate, so every value is a draw.
    assert_best("7k/8/8/8/8/8/8/K6N w - - 0 1", 2, "0.00", "h1g3 h8h7");
}

#[test]
fn a_stopped_search_gives_no_result() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let watch = Watch::stopping_at(3);
    let error = Driver::new(&mut cpu, &watch).best(&fen(KIWIPETE), 3, Leaves::Static).unwrap_err();
    assert!(matches!(error, Error::Cancelled(_)), "{error}");
    for stop_at in [1, 2] {
        let watch = Watch::stopping_at(stop_at);
        let mut watched = watchable();
        let error = Driver::new(&mut watched, &watch).best(&fen(KIWIPETE), 3, Leaves::Static).unwrap_err();
        assert!(matches!(error, Error::Cancelled(_)), "{error}");
    }
}
