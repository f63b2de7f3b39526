//! The part of the suite that is about minimax.

use crate::{Backend, Fen, Leaves, Quad48};

use super::{placements, playouts};

/// Scores of random positions, near and at the end of games, by the evaluation and by quiescence.
pub fn minimax_scores(backend: &mut dyn Backend, reference: &mut dyn Backend) {
    let games = playouts(reference).into_iter();
    for (batch, (rules, positions)) in games.chain(placements()).enumerate() {
        // A few of each; with many queens about, quiescence takes long.
        let few = positions.into_iter().filter(|position| queens(position) <= 2);
        let few: Vec<_> = few.skip(batch % 7).step_by(97).collect();
        for (depth, leaves) in [(0, Leaves::Quiescent), (1, Leaves::Quiescent), (2, Leaves::Static)] {
            let rules = rules.with_halfmove_clock(batch % 2 == 0);
            let few = if depth == 0 { &few[..] } else { &few[..few.len().min(2)] };
            let ask = |backend: &mut dyn Backend| {
                let scores = backend.minimax(&rules, few, depth, leaves);
                scores.unwrap_or_else(|error| panic!("{error}"))
            };
            let (ours, theirs) = (ask(backend), ask(reference));
            assert_eq!(ours.len(), few.len(), "a score for each position");
            for (position, (ours, theirs)) in few.iter().zip(ours.into_iter().zip(theirs)) {
                let fen = Fen::new(position.unpack_unchecked(), rules);
                assert_eq!(ours, theirs, "{fen} at depth {depth}, {leaves:?}");
            }
        }
    }
}

fn queens(position: &Quad48) -> u32 {
    (position.bishops_queens & position.rooks_queens).count_ones()
}
