//! Long comparisons of backends on random positions.
//!
//! A [`Soak`] runs in rounds. Each round draws some thousand positions, placed at random or reached by random moves, and
//! counts with every backend the leaves two plies below each position and three plies below some. The first difference
//! from the reference ends the comparison.

use std::collections::BTreeMap;

use kogge_board::{Backend, BackendError, Color, Fen, Piece, Position, Quad48, Rules, Square, State};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use thiserror::Error;

use crate::Difference;
use crate::placements::Placement;

/// The number of positions placed at random in a round.
const PLACEMENTS: usize = 1024;
/// The number of games in a round, all from one start position, and their length in plies.
const GAMES: usize = 16;
const PLIES: usize = 64;
/// Every `DEEP`-th position is counted three plies deep, unless it has more than `DEEP_LEAVES` leaves two plies below.
const DEEP: usize = 16;
const DEEP_LEAVES: u64 = 5_000;

/// An endless comparison, determined by its seed.
#[derive(Debug)]
pub struct Soak {
    runner: TestRunner,
    placements: BoxedStrategy<Placement>,
    random: u64,
}

/// The number of positions that a round compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Compared {
    /// Positions whose leaves two plies below were compared.
    pub two_plies: u64,
    /// Positions whose leaves three plies below were also compared.
    pub three_plies: u64,
    /// Leaves that the reference counted.
    pub leaves: u64,
}

/// The reason why a comparison ends.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SoakError {
    /// Two backends differ.
    #[error("{0}")]
    Difference(Box<Difference>),
    /// A backend failed.
    #[error("{0}")]
    Backend(#[from] BackendError),
}

impl Soak {
    /// Starts a comparison. Equal seeds and strategies give equal positions.
    pub fn new(seed: u64, placements: BoxedStrategy<Placement>) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Self { runner: TestRunner::new_with_rng(Config::default(), rng), placements, random: seed }
    }

    /// Compares all backends with the reference on another few thousand positions.
    ///
    /// # Errors
    /// The first difference, or the first failure.
    pub fn round(
        &mut self,
        backends: &mut [&mut dyn Backend],
        reference: &mut dyn Backend,
    ) -> Result<Compared, SoakError> {
        let mut compared = Compared::default();
        for (rules, positions) in &self.positions(reference)? {
            let leaves = compare(backends, reference, rules, positions, 2)?;
            let some = (self.random() as usize % DEEP..positions.len()).step_by(DEEP);
            let deep: Vec<_> =
                some.filter(|&index| leaves[index] <= DEEP_LEAVES).map(|index| positions[index]).collect();
            let below = compare(backends, reference, rules, &deep, 3)?;
            compared.two_plies += positions.len() as u64;
            compared.three_plies += deep.len() as u64;
            compared.leaves += leaves.iter().chain(&below).sum::<u64>();
        }
        Ok(compared)
    }

    /// Draws another few thousand positions, grouped by rules; the backend plays the random moves.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn positions(&mut self, backend: &mut dyn Backend) -> Result<Vec<(Rules, Vec<Quad48>)>, BackendError> {
        let mut batches = vec![self.games(backend)?];
        batches.extend(self.placements());
        Ok(batches)
    }

    /// Draws positions placed at random, grouped by rules.
    fn placements(&mut self) -> Vec<(Rules, Vec<Quad48>)> {
        let mut batches: BTreeMap<_, Vec<Quad48>> = BTreeMap::new();
        for _ in 0..PLACEMENTS {
            // These strategies reject nothing, so they never fail.
            if let Ok(tree) = self.placements.new_tree(&mut self.runner) {
                let (rules, position) = tree.current();
                let key = (rules.castling_files, rules.halfmove_clock);
                batches.entry(key).or_default().push(Quad48::from(&position));
            }
        }
        let rules =
            |((castling_files, halfmove_clock), positions)| (Rules { castling_files, halfmove_clock }, positions);
        batches.into_iter().map(rules).collect()
    }

    /// Plays games of random moves and returns their positions without the first few plies.
    fn games(&mut self, reference: &mut dyn Backend) -> Result<(Rules, Vec<Quad48>), BackendError> {
        let (rules, start) = match self.random() % 3 {
            0 => (Rules::STANDARD, Fen::start().position),
            _ => self.chess960(),
        };
        let mut games = [Quad48::from(&start); GAMES];
        let mut seen = Vec::new();
        for ply in 0..PLIES {
            let successors = reference.expand(&rules, &games)?;
            for (game, all) in games.iter_mut().zip(successors.iter()) {
                // A finished game stays at its last position.
                if !all.is_empty() {
                    *game = all[self.random() as usize % all.len()];
                }
            }
            if ply > 3 {
                seen.extend(games);
            }
        }
        Ok((rules, seen))
    }

    /// Returns a start position of Chess960, in half of the cases with different setups for the two sides.
    fn chess960(&mut self) -> (Rules, Position) {
        let mut rules = Rules::STANDARD;
        let mut position = Position { state: State(0).with_castling(0b1111), ..Position::default() };
        let (seed, same) = (self.random, self.random() & 1 == 0);
        for (color, pawns, first_right) in [(Color::White, 1, 0), (Color::Black, 6, 2)] {
            if same {
                self.random = seed;
            }
            let mut free: Vec<u8> = (0..8).collect();
            let (light, dark) = (self.random() % 4, self.random() % 4);
            let mut files = [(Piece::Bishop, 2 * light as u8), (Piece::Bishop, 2 * dark as u8 + 1)].to_vec();
            free.retain(|file| files.iter().all(|(_, taken)| file != taken));
            for piece in [Piece::Queen, Piece::Knight, Piece::Knight] {
                files.push((piece, free.remove(self.random() as usize % free.len())));
            }
            // Three files are left; the king stands between the rooks.
            let pieces = [Piece::Rook, Piece::King, Piece::Rook];
            files.extend(pieces.into_iter().zip(free.iter().copied()));
            for (piece, file) in files {
                position.put(color, piece, Square::at(file, color.home_rank()));
                position.put(color, Piece::Pawn, Square::at(file, pawns));
            }
            (rules.castling_files[first_right], rules.castling_files[first_right + 1]) = (free[2], free[0]);
        }
        (rules, position)
    }

    /// Returns the next random number, a mixed counter.
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ self.random >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
    }
}

/// Returns the reference's counts if all backends agree with the reference.
fn compare(
    backends: &mut [&mut dyn Backend],
    reference: &mut dyn Backend,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
) -> Result<Vec<u64>, SoakError> {
    let name = |backend: &dyn Backend| format!("{} ({})", backend.info().backend, backend.info().variant);
    let expected = reference.perft(rules, positions, depth)?;
    for backend in backends {
        let found = backend.perft(rules, positions, depth)?;
        if let Some(index) = (0..positions.len()).find(|&index| found.get(index) != expected.get(index)) {
            let count = |counts: &[u64]| counts.get(index).copied().unwrap_or_default();
            let (name, known_by) = (name(*backend), name(reference));
            return Err(SoakError::Difference(Box::new(Difference {
                position: Fen::new(positions[index].unpack_unchecked(), *rules),
                depth,
                what: format!("{known_by} counts {}, {name} counts {}", count(&expected), count(&found)),
            })));
        }
    }
    Ok(expected)
}
