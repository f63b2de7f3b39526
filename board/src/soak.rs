//! Comparisons of backends on random positions, for any length of time.
//!
//! A [`Soak`] runs in rounds. Each round draws about two thousand positions, placed at random or reached by random moves. A
//! reference counts the leaves two plies below each position and three plies below some positions, and each [`Batch`] of these
//! questions checks any number of backends. The reference also searches small trees below some of the positions.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use thiserror::Error;

use crate::placements::Placements;
use crate::random::Random;
use crate::{
    Backend, BackendError, Color, Fen, Leaves, Piece, Position, Quad48, Rules, Score, Square, State, unwatched,
};

/// The number of positions placed at random in a round.
const PLACEMENTS: usize = 1024;
/// The number of games in a round, all from one start position, and their length in plies.
const GAMES: usize = 16;
const PLIES: usize = 64;
/// Every `DEEP`-th position is counted three plies deep, unless it has more than `DEEP_LEAVES` leaves two plies below.
const DEEP: usize = 16;
const DEEP_LEAVES: u128 = 5_000;
/// Every `SEARCHED`-th position is searched in each of these ways. Each way has a depth, a maximum number of leaves two plies below, and
/// a maximum number of men, because searches with many captures take long.
const SEARCHED: usize = 16;
const SEARCHES: [(Leaves, u32, u128, u32); 5] = [
    (Leaves::Static, 3, 300, 32),
    (Leaves::Static, 4, 60, 32),
    (Leaves::Quiescent, 1, 1_000, 16),
    (Leaves::Quiescent, 2, 100, 12),
    (Leaves::Quiescent, 3, 30, 8),
];

/// An endless source of questions, determined by its seed.
#[derive(Debug)]
pub struct Soak {
    placements: Placements,
    random: Random,
}

/// Positions under common rules, with the reference's answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    rules: Rules,
    positions: Vec<Quad48>,
    depth: u32,
    answers: Answers,
    /// The reference.
    known_by: String,
}

/// The answers for all positions of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answers {
    /// The numbers of leaves.
    Leaves(Vec<u128>),
    /// The values, with leaves evaluated in this way.
    Scores(Leaves, Vec<Score>),
}

impl Answers {
    fn of(
        &self,
        backend: &mut dyn Backend,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
    ) -> Result<Self, BackendError> {
        Ok(match self {
            Self::Leaves(_) => Self::Leaves(backend.perft(rules, positions, depth, &mut unwatched)?),
            &Self::Scores(leaves, _) => {
                Self::Scores(leaves, backend.minimax(rules, positions, depth, leaves, &mut unwatched)?)
            }
        })
    }

    /// Describes the answer for one position.
    fn text(&self, index: usize) -> String {
        match self {
            Self::Leaves(counts) => format!("counts {}", counts.get(index).copied().unwrap_or_default()),
            Self::Scores(leaves, scores) => format!("says {:?} ({leaves:?})", scores.get(index)),
        }
    }
}

/// The number of positions that were compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ComparisonCounts {
    /// Positions whose leaves two plies below were compared.
    pub two_plies: u64,
    /// Positions whose leaves three plies below were also compared.
    pub three_plies: u64,
    /// Positions whose values were compared.
    pub searched: u64,
    /// Leaves that the reference counted.
    pub leaves: u128,
}

impl AddAssign for ComparisonCounts {
    fn add_assign(&mut self, other: Self) {
        self.two_plies += other.two_plies;
        self.three_plies += other.three_plies;
        self.searched += other.searched;
        self.leaves += other.leaves;
    }
}

/// The first position on which two backends disagree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The position.
    pub position: Fen,
    /// The number of plies counted below the position.
    pub depth: u32,
    /// A description of the two answers.
    pub what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, depth, what } = self;
        let quad = Quad48::from(&position.position);
        write!(f, "{what}\n{depth} plies below {position}\nunder {:?}\n{quad:#x?}", position.rules)
    }
}

/// The reason why a comparison ended.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SoakError {
    /// Two backends differ.
    #[error("{0}")]
    Disagreement(Box<Disagreement>),
    /// A backend failed.
    #[error("{0}")]
    Backend(#[from] BackendError),
}

impl Batch {
    fn new(
        reference: &mut dyn Backend,
        rules: Rules,
        positions: Vec<Quad48>,
        depth: u32,
        question: Answers,
    ) -> Result<Self, BackendError> {
        let answers = question.of(reference, &rules, &positions, depth)?;
        Ok(Self { rules, positions, depth, answers, known_by: name(reference) })
    }

    /// Returns the number of comparisons with one backend.
    pub fn compared(&self) -> ComparisonCounts {
        let positions = self.positions.len() as u64;
        match &self.answers {
            Answers::Scores(..) => ComparisonCounts { searched: positions, ..ComparisonCounts::default() },
            Answers::Leaves(leaves) => {
                let (two_plies, three_plies) = if self.depth == 2 { (positions, 0) } else { (0, positions) };
                ComparisonCounts { two_plies, three_plies, searched: 0, leaves: leaves.iter().sum() }
            }
        }
    }

    /// Compares a backend with the reference.
    ///
    /// # Errors
    /// The first difference, or the backend's error.
    pub fn check(&self, backend: &mut dyn Backend) -> Result<(), SoakError> {
        let Self { rules, positions, depth, answers, known_by } = self;
        let found = answers.of(backend, rules, positions, *depth)?;
        if found == *answers {
            return Ok(());
        }
        let index = (0..positions.len()).find(|&index| found.text(index) != answers.text(index)).unwrap_or(0);
        Err(SoakError::Disagreement(Box::new(Disagreement {
            position: Fen::new(positions[index].unpack_unchecked(), *rules),
            depth: *depth,
            what: format!("{known_by} {}, {} {}", answers.text(index), name(backend), found.text(index)),
        })))
    }
}

fn name(backend: &dyn Backend) -> String {
    format!("{} ({})", backend.info().backend, backend.info().variant)
}

impl Soak {
    /// Starts a comparison. Equal seeds give equal questions.
    pub fn new(seed: u64) -> Self {
        Self { placements: Placements::new(seed), random: Random(seed) }
    }

    /// Draws another few thousand positions and asks the reference, which also plays the random moves.
    ///
    /// # Errors
    /// The reference's errors.
    pub fn round(&mut self, reference: &mut dyn Backend) -> Result<Vec<Batch>, BackendError> {
        let mut batches = Vec::new();
        for (rules, positions) in self.positions(reference)? {
            let all = Batch::new(reference, rules, positions, 2, Answers::Leaves(Vec::new()))?;
            let few = self.some(&all, DEEP, DEEP_LEAVES, 32);
            batches.push(Batch::new(reference, rules, few, 3, Answers::Leaves(Vec::new()))?);
            for (leaves, depth, most, men) in SEARCHES {
                let mut few = self.some(&all, SEARCHED, most, men);
                let is_near = self.random.one_in(2);
                if is_near {
                    // Games near the limit of the fifty-move rule.
                    few.iter_mut()
                        .for_each(|position| *position = position.with_halfmove_clock(95 + self.random.below(6)));
                }
                let rules = rules.with_halfmove_clock(rules.halfmove_clock || is_near);
                batches.push(Batch::new(reference, rules, few, depth, Answers::Scores(leaves, Vec::new()))?);
            }
            batches.push(all);
        }
        batches.retain(|batch| !batch.positions.is_empty());
        Ok(batches)
    }

    /// Draws every `step`-th position of a batch, except positions with more leaves two plies below or more men than allowed.
    fn some(&mut self, all: &Batch, step: usize, most: u128, men: u32) -> Vec<Quad48> {
        let Answers::Leaves(leaves) = &all.answers else { return Vec::new() };
        let first = self.random.next() as usize % step;
        let some = all.positions.iter().zip(leaves).skip(first).step_by(step);
        let few = some
            .filter(|(position, count)| **count <= most && position.unpack_unchecked().occupied().count_ones() <= men);
        few.map(|(position, _)| *position).collect()
    }

    /// Draws another few thousand positions, grouped by rules; the backend plays the random moves.
    fn positions(&mut self, player: &mut dyn Backend) -> Result<Vec<(Rules, Vec<Quad48>)>, BackendError> {
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
            // Three files are left; the king goes between the rooks.
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
