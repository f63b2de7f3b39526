//! Comparisons of backends on random positions, for as long as you like.
//!
//! A [`Soak`] runs in rounds. Each round draws about two thousand positions, placed at random or reached by random moves. A
//! reference counts the leaves two plies below each position and three plies below some, and each [`Batch`] of these questions
//! checks any number of backends.

mod difference;
mod placements;
mod random;

use std::collections::BTreeMap;
use std::ops::AddAssign;

use thiserror::Error;

pub use self::difference::Difference;
pub use self::placements::Placements;
use self::random::Random;
use crate::{Backend, BackendError, Color, Fen, Piece, Position, Quad48, Rules, Square, State, unwatched};

/// The number of positions placed at random in a round.
const PLACEMENTS: usize = 1024;
/// The number of games in a round, all from one start position, and their length in plies.
const GAMES: usize = 16;
const PLIES: usize = 64;
/// Every `DEEP`-th position is counted three plies deep, unless it has more than `DEEP_LEAVES` leaves two plies below.
const DEEP: usize = 16;
const DEEP_LEAVES: u128 = 5_000;

/// An endless source of questions, determined by its seed and its placements.
#[derive(Debug)]
pub struct Soak<P> {
    placements: P,
    random: Random,
}

/// Positions under common rules, and the leaves that the reference counts below them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    rules: Rules,
    positions: Vec<Quad48>,
    depth: u32,
    leaves: Vec<u128>,
    /// The reference.
    known_by: String,
}

/// The number of positions that were compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Compared {
    /// Positions whose leaves two plies below were compared.
    pub two_plies: u64,
    /// Positions whose leaves three plies below were also compared.
    pub three_plies: u64,
    /// Leaves that the reference counted.
    pub leaves: u128,
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        self.two_plies += other.two_plies;
        self.three_plies += other.three_plies;
        self.leaves += other.leaves;
    }
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

impl Batch {
    /// Returns the reference's answers.
    fn new(
        reference: &mut dyn Backend,
        rules: Rules,
        positions: Vec<Quad48>,
        depth: u32,
    ) -> Result<Self, BackendError> {
        let leaves = reference.perft(&rules, &positions, depth, &mut unwatched)?;
        Ok(Self { rules, positions, depth, leaves, known_by: name(reference) })
    }

    /// Returns the size of the comparison with one backend.
    pub fn compared(&self) -> Compared {
        let positions = self.positions.len() as u64;
        let (two_plies, three_plies) = if self.depth == 2 { (positions, 0) } else { (0, positions) };
        Compared { two_plies, three_plies, leaves: self.leaves.iter().sum() }
    }

    /// Compares a backend with the reference.
    ///
    /// # Errors
    /// The first difference, or the backend's error.
    pub fn check(&self, backend: &mut dyn Backend) -> Result<(), SoakError> {
        let Self { rules, positions, depth, leaves, known_by } = self;
        let found = backend.perft(rules, positions, *depth, &mut unwatched)?;
        let Some(index) = (0..positions.len()).find(|&index| found.get(index) != leaves.get(index)) else {
            return Ok(());
        };
        let count = |counts: &[u128]| counts.get(index).copied().unwrap_or_default();
        Err(SoakError::Difference(Box::new(Difference {
            position: Fen::new(positions[index].unpack_unchecked(), *rules),
            depth: *depth,
            what: format!("{known_by} counts {}, {} counts {}", count(leaves), name(backend), count(&found)),
        })))
    }
}

fn name(backend: &dyn Backend) -> String {
    format!("{} ({})", backend.info().backend, backend.info().variant)
}

impl<P: Iterator<Item = (Rules, Position)>> Soak<P> {
    /// Starts a comparison. `placements` are legal positions and never end; equal seeds and placements give equal questions.
    pub fn new(seed: u64, placements: P) -> Self {
        Self { placements, random: Random(seed) }
    }

    /// Draws another few thousand positions and asks the reference, which also plays the random moves.
    ///
    /// # Errors
    /// The reference's errors.
    pub fn round(&mut self, reference: &mut dyn Backend) -> Result<Vec<Batch>, BackendError> {
        let mut batches = Vec::new();
        for (rules, positions) in self.positions(reference)? {
            let all = Batch::new(reference, rules, positions, 2)?;
            let some = (self.random.next() as usize % DEEP..all.positions.len()).step_by(DEEP);
            let few = some.filter(|&index| all.leaves[index] <= DEEP_LEAVES).map(|index| all.positions[index]);
            let deep = Batch::new(reference, rules, few.collect(), 3)?;
            batches.extend([all, deep].into_iter().filter(|batch| !batch.positions.is_empty()));
        }
        Ok(batches)
    }

    /// Draws another few thousand positions, grouped by rules; the backend plays the random moves.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn positions(&mut self, player: &mut dyn Backend) -> Result<Vec<(Rules, Vec<Quad48>)>, BackendError> {
        let mut batches = vec![self.games(player)?];
        let mut placed: BTreeMap<_, Vec<Quad48>> = BTreeMap::new();
        for (rules, position) in self.placements.by_ref().take(PLACEMENTS) {
            placed.entry(rules).or_default().push(Quad48::from(&position));
        }
        batches.extend(placed);
        Ok(batches)
    }

    /// Plays games of random moves and returns their positions without the first few plies.
    fn games(&mut self, player: &mut dyn Backend) -> Result<(Rules, Vec<Quad48>), BackendError> {
        let (rules, start) = match self.random.next() % 3 {
            0 => (Rules::STANDARD, Fen::start().position),
            _ => self.chess960(),
        };
        let mut games = [Quad48::from(&start); GAMES];
        let mut seen = Vec::new();
        for ply in 0..PLIES {
            let successors = player.expand(&rules, &games)?;
            for (game, all) in games.iter_mut().zip(successors.iter()) {
                // A finished game stays at its last position.
                if !all.is_empty() {
                    *game = all[self.random.next() as usize % all.len()];
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
        let (before, same) = (self.random, self.random.next() & 1 == 0);
        for (color, pawns, first_right) in [(Color::White, 1, 0), (Color::Black, 6, 2)] {
            if same {
                self.random = before;
            }
            let mut free: Vec<u8> = (0..8).collect();
            let (light, dark) = (self.random.next() % 4, self.random.next() % 4);
            let mut files = [(Piece::Bishop, 2 * light as u8), (Piece::Bishop, 2 * dark as u8 + 1)].to_vec();
            free.retain(|file| files.iter().all(|(_, taken)| file != taken));
            for piece in [Piece::Queen, Piece::Knight, Piece::Knight] {
                files.push((piece, free.remove(self.random.next() as usize % free.len())));
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
}
