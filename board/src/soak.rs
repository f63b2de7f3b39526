//! Comparing backends on random positions for as long as one likes (feature `testing`).
//!
//! A [`Soak`] goes on in rounds. In each it draws some thousand positions, placed at random and reached
//! by random moves, and asks every backend for the leaves two plies below each, and three plies below
//! some. The first answer that differs from the reference's ends it.

use std::collections::BTreeMap;
use std::fmt;

use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use thiserror::Error;

use crate::testing::Placement;
use crate::{Backend, BackendError, Color, Fen, Piece, Position, Quad48, Rules, Square, State};

/// Positions placed at random in a round.
const PLACEMENTS: usize = 1024;
/// Games played in a round, all from one start, and their length in plies.
const GAMES: usize = 16;
const PLIES: usize = 64;
/// One position in so many is counted three plies deep, if it has not too many leaves two plies below.
const DEEP: usize = 16;
const DEEP_LEAVES: u64 = 5_000;

/// An endless comparison, determined by its seed.
#[derive(Debug)]
pub struct Soak {
    runner: TestRunner,
    placements: BoxedStrategy<Placement>,
    random: u64,
}

/// How many positions a round compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Compared {
    /// Positions whose leaves two plies below were compared.
    pub two_plies: u64,
    /// Those of them whose leaves three plies below were compared, too.
    pub three_plies: u64,
    /// Leaves that the reference counted.
    pub leaves: u64,
}

/// Why a comparison ends.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SoakError {
    /// Two backends differ.
    #[error("{0}")]
    Difference(Box<Difference>),
    /// A backend failed.
    #[error("{0}")]
    Backend(#[from] BackendError),
}

/// A position of which two backends say different things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The position.
    pub fen: Fen,
    /// How deep they counted.
    pub depth: u32,
    /// The reference's name and variant, and its count.
    pub reference: (String, u64),
    /// The same of the backend that says something else.
    pub backend: (String, u64),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fen, depth, reference, backend } = self;
        writeln!(f, "{depth} plies below {fen}")?;
        writeln!(f, "under {:?}", fen.rules)?;
        for (name, leaves) in [reference, backend] {
            writeln!(f, "{name} counts {leaves}")?;
        }
        Ok(())
    }
}

impl Soak {
    /// Equal seeds and strategies give equal positions.
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

    /// Another few thousand positions, by their rules; the backend plays the random moves.
    ///
    /// # Errors
    /// The backend's.
    pub fn positions(&mut self, backend: &mut dyn Backend) -> Result<Vec<(Rules, Vec<Quad48>)>, BackendError> {
        let mut batches = vec![self.games(backend)?];
        batches.extend(self.placements());
        Ok(batches)
    }

    /// Positions placed at random, by their rules.
    fn placements(&mut self) -> Vec<(Rules, Vec<Quad48>)> {
        let mut batches: BTreeMap<_, Vec<Quad48>> = BTreeMap::new();
        for _ in 0..PLACEMENTS {
            // These strategies filter nothing, so that they never fail.
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

    /// Positions of games of random moves, the first few plies left out.
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
                // A game that has ended stands still.
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

    /// A start position of Chess960, in half of the cases another one for each side.
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

    /// The next of a sequence of random numbers (a counter, mixed).
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ self.random >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
    }
}

/// The reference's counts, if all backends agree with them.
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
            return Err(SoakError::Difference(Box::new(Difference {
                fen: Fen::new(positions[index].unpack_unchecked(), *rules),
                depth,
                reference: (name(reference), expected.get(index).copied().unwrap_or_default()),
                backend: (name(*backend), found.get(index).copied().unwrap_or_default()),
            })));
        }
    }
    Ok(expected)
}
