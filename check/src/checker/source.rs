//! The positions that a check asks about, each with a depth and our counts.

use std::sync::Mutex;
use std::time::Duration;

use kogge_board::placements::Placements;
use kogge_board::{Fen, Pace, Position, Random};
use kogge_driver::Driver;
use kogge_movegen_cpu::LegalMoves;

use super::ask::ours;
use super::fault::Question;
use super::report::Origin;
use crate::corpus::corpus;
use crate::error::CheckError;
use crate::rule::{RuleSet, rules_of};
use crate::text::Divide;

/// A position to check, of the author's own file.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenPosition {
    /// The position.
    pub fen: Fen,
    /// The depth; `None` leaves it to the speed of the program.
    pub depth: Option<u32>,
}

/// A question with our answer.
pub(super) struct Task {
    pub(super) question: Question,
    pub(super) ours: Divide,
    pub(super) leaves: u128,
    pub(super) rules: RuleSet,
    pub(super) origin: Origin,
}

/// The number of leaves of the first questions.
const FIRST_LEAVES: u64 = 400;
/// The number of leaves that are asked of the slowest program, because faults of making moves show at the second and third ply.
const LEAST_LEAVES: u128 = 1_000;
/// Of this number of questions, one has up to this number of times more leaves: hash tables fail in deep trees only.
const DEEP: u64 = 16;
/// The maximum time of such a question, far below any patience.
const DEEP_TIME: Duration = Duration::from_secs(1);
/// The growth of a tree is not regular, so a question may have this number of times more leaves than planned.
const OVERSHOOT: u128 = 2;
/// Of this number of questions, one is asked again later: hash tables answer differently then.
const REPEATED: u64 = 12;
/// The greatest depth.
const DEEPEST: u32 = 12;
/// The greatest number of plies of a random game, and of plies between two of its positions.
const GAME: usize = 120;
const STEP: usize = 8;

/// The questions of a check.
pub(super) struct Source<'p> {
    given: std::vec::IntoIter<(Fen, Option<u32>, RuleSet, Origin)>,
    random: Option<RandomPositions>,
    pace: &'p Mutex<Pace>,
    /// The time of a question.
    time: Duration,
    asked: u64,
    /// The last question that is asked again.
    again: Option<(Fen, u32, RuleSet)>,
}

/// The pace of questions that take this time.
pub(super) fn pace(time: Duration) -> Pace {
    Pace::new(FIRST_LEAVES, time, 4)
}

impl<'p> Source<'p> {
    /// The corpus, then random positions from a seed.
    pub(super) fn built_in(seed: u64, chess960: bool, pace: &'p Mutex<Pace>, time: Duration) -> Self {
        let positions = corpus().into_iter().filter(|position| chess960 || !position.fen.is_chess960());
        let given: Vec<_> = positions.map(|position| (position.fen, None, position.rules, Origin::Given)).collect();
        let random = Some(RandomPositions::new(seed, chess960));
        Self { given: given.into_iter(), random, pace, time, asked: 0, again: None }
    }

    /// These positions only.
    pub(super) fn given(positions: &[GivenPosition], chess960: bool, pace: &'p Mutex<Pace>, time: Duration) -> Self {
        let positions = positions.iter().filter(|position| chess960 || !position.fen.is_chess960());
        let given: Vec<_> =
            positions.map(|position| (position.fen, position.depth, rules_of(&position.fen), Origin::Given)).collect();
        Self { given: given.into_iter(), random: None, pace, time, asked: 0, again: None }
    }

    /// Returns the number of positions that are left, without random ones.
    pub(super) fn left(&self) -> usize {
        self.given.len()
    }

    /// Returns the next question with our counts; `None` at the end.
    ///
    /// # Errors
    /// If counting fails.
    pub(super) fn next(&mut self, reference: &mut Driver<'_>) -> Result<Option<Task>, CheckError> {
        self.asked += 1;
        let again = if self.asked.is_multiple_of(REPEATED) { self.again.take() } else { None };
        let (fen, depth, rules, origin) = match again {
            Some((fen, depth, rules)) => (fen, Some(depth), rules, Origin::Again),
            None => match (self.given.next(), &mut self.random) {
                (Some(given), _) => given,
                (None, Some(random)) => {
                    let fen = random.next();
                    (fen, None, rules_of(&fen), Origin::Random)
                }
                (None, None) => return Ok(None),
            },
        };
        let (depth, ours) = match depth {
            Some(depth) => (depth, ours(reference, &fen, &fen, depth)?),
            None => self.divided(&fen, reference)?,
        };
        if origin != Origin::Again && self.random.is_some() && self.asked % REPEATED == REPEATED / 2 {
            self.again = Some((fen, depth, rules));
        }
        let leaves = sum(&ours);
        Ok(Some(Task { question: Question::at(fen, depth), ours, leaves, rules, origin }))
    }

    /// Returns the depth whose leaves a program counts in about the time of a question, and our counts.
    fn divided(&mut self, fen: &Fen, reference: &mut Driver<'_>) -> Result<(u32, Divide), CheckError> {
        let pace = self.pace.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next(u64::MAX);
        let longer = (DEEP_TIME.as_secs_f64() / self.time.as_secs_f64().max(1e-9)) as u64;
        let longer = if self.asked.is_multiple_of(DEEP) { longer.clamp(1, DEEP) } else { 1 };
        let most = u128::from(pace.saturating_mul(longer)).max(LEAST_LEAVES);
        let mut last = (1, ours(reference, fen, fen, 1)?);
        let (mut before, mut leaves) = (1, sum(&last.1));
        // The next depth is not counted if it probably is too large.
        while leaves > 0 && last.0 < DEEPEST && leaves.saturating_mul(leaves) / before.max(1) <= most {
            let next = (last.0 + 1, ours(reference, fen, fen, last.0 + 1)?);
            (before, leaves) = (leaves, sum(&next.1));
            if leaves > most.saturating_mul(OVERSHOOT) {
                break;
            }
            last = next;
        }
        Ok(last)
    }
}

fn sum(counts: &Divide) -> u128 {
    counts.iter().fold(0, |sum: u128, (_, count)| sum.saturating_add(*count))
}

/// Random legal placements and positions of random games, in turns.
struct RandomPositions {
    random: Random,
    placements: Placements,
    chess960: bool,
    /// The start positions of Chess960.
    starts: Vec<Fen>,
    game: Option<(Fen, usize)>,
    is_games_turn: bool,
}

impl RandomPositions {
    fn new(seed: u64, chess960: bool) -> Self {
        let mut random = Random::new(seed);
        let placements = Placements::new(random.index(usize::MAX) as u64);
        let starts = kogge_board::known::chess960().iter().map(|known| known.root).collect();
        Self { random, placements, chess960, starts, game: None, is_games_turn: false }
    }

    fn next(&mut self) -> Fen {
        self.is_games_turn = !self.is_games_turn;
        if self.is_games_turn { self.of_a_game() } else { self.placement() }
    }

    fn placement(&mut self) -> Fen {
        loop {
            let found = self.placements.next().map(|(rules, position)| {
                let state = position.state.with_halfmove_clock(0);
                Fen::new(Position { state, ..position }, rules.with_halfmove_clock(false))
            });
            match found {
                Some(fen) if self.chess960 || !fen.is_chess960() => return fen,
                Some(_) => {}
                None => return Fen::start(),
            }
        }
    }

    /// Returns a position of the current game, or of the next one.
    fn of_a_game(&mut self) -> Fen {
        let (mut here, mut plies) = self.game.take().unwrap_or_else(|| (self.start(), 0));
        for _ in 0..=self.random.index(STEP) {
            let moves: Vec<_> = LegalMoves::of(&here.rules, &here.position).collect();
            if moves.is_empty() {
                return here;
            }
            here = here.play(moves[self.random.index(moves.len())]);
            plies += 1;
        }
        self.game = (plies < GAME).then_some((here, plies));
        here
    }

    /// Returns the start of a game: in half of the games, a start position of Chess960, if the program knows it.
    fn start(&mut self) -> Fen {
        let index = self.random.index(2 * self.starts.len());
        self.starts.get(index).filter(|_| self.chess960).copied().unwrap_or_else(Fen::start)
    }
}
