//! The suite's tests of minimax.

use kogge_board::minimax::FIFTY_MOVES;
use kogge_board::{Backend, Fen, Leaves, Quad48, Rules, unwatched};

use super::{placements, playouts};

/// The number of batches of random positions, and the maximum number of positions in each.
const BATCHES: usize = 16;
const POSITIONS: usize = 30;

/// Compares scores of random positions, also in late endgames, by the evaluation and by quiescence.
pub fn minimax_scores(backend: &mut dyn Backend, reference: &mut dyn Backend) {
    let batches: Vec<_> = playouts(reference).into_iter().chain(placements()).collect();
    let step = batches.len().div_ceil(BATCHES);
    for (number, (rules, positions)) in batches.into_iter().step_by(step).enumerate() {
        let rules = rules.with_halfmove_clock(number % 2 == 0);
        let mut few: Vec<_> = positions.into_iter().step_by(5).take(POSITIONS).collect();
        // Some positions come within reach of the fifty-move rule.
        for (clock, position) in (FIFTY_MOVES - 4..).step_by(2).zip(few.iter_mut().step_by(11)) {
            *position = position.with_halfmove_clock(clock);
        }
        compare(backend, reference, &rules, &few, 0);
        compare(backend, reference, &rules, &few, 1);
        // A few positions suffice for greater depths.
        few.retain(|position| men(position) <= 12);
        few.truncate(POSITIONS / 5);
        compare(backend, reference, &rules, &few, 2);
    }
    // Mate, stalemate, and a capture that loses a piece.
    for fen in [
        "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "4k3/3p4/2p5/8/8/8/2Q5/4K3 w - - 0 1",
        "7k/8/8/8/8/8/R7/1R2K3 w - - 98 80",
    ] {
        let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
        let position = [Quad48::from(&fen.position)];
        for rules in [fen.rules, fen.rules.with_halfmove_clock(true)] {
            for depth in 0..=2 {
                let ours = backend.minimax(&rules, &position, depth, Leaves::Quiescent, &mut unwatched);
                assert_eq!(
                    ours,
                    reference.minimax(&rules, &position, depth, Leaves::Quiescent, &mut unwatched),
                    "{fen} at depth {depth}"
                );
            }
        }
    }
}

/// Compares the scores of positions at a depth, by the evaluation and by quiescence.
fn compare(backend: &mut dyn Backend, reference: &mut dyn Backend, rules: &Rules, positions: &[Quad48], depth: u32) {
    for leaves in [Leaves::Static, Leaves::Quiescent] {
        let ask = |backend: &mut dyn Backend| {
            let scores = backend.minimax(rules, positions, depth, leaves, &mut unwatched);
            scores.unwrap_or_else(|error| panic!("{error}"))
        };
        let (ours, theirs) = (ask(backend), ask(reference));
        assert_eq!(ours.len(), positions.len(), "a score for each position");
        for (position, (ours, theirs)) in positions.iter().zip(ours.into_iter().zip(theirs)) {
            let fen = Fen::new(position.unpack_unchecked(), *rules);
            assert_eq!(ours, theirs, "{fen} at depth {depth}, {leaves:?}");
        }
    }
}

fn men(position: &Quad48) -> u32 {
    position.unpack_unchecked().occupied().count_ones()
}
