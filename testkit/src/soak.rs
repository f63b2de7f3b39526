//! Long comparisons of backends on positions that a strategy draws.

use kogge_board::{Position, Rules};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::placements::Placement;

/// A comparison on random games and the placements of a strategy.
pub type Soak = kogge_board::soak::Soak<Draws>;

/// The placements that a strategy draws, without end.
#[derive(Debug)]
pub struct Draws {
    runner: TestRunner,
    placements: BoxedStrategy<Placement>,
}

/// Starts a comparison. Equal seeds and strategies give equal positions.
pub fn soak(seed: u64, placements: BoxedStrategy<Placement>) -> Soak {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    Soak::new(seed, Draws { runner: TestRunner::new_with_rng(Config::default(), rng), placements })
}

impl Iterator for Draws {
    type Item = (Rules, Position);

    fn next(&mut self) -> Option<Self::Item> {
        // These strategies reject nothing, so they never fail.
        self.placements.new_tree(&mut self.runner).ok().map(|tree| tree.current())
    }
}
