//! From a wrong answer to the faults that explain it: the walk down, and the kinds told apart.

use std::time::{Duration, Instant};

use kogge_board::MoveKind;
use kogge_driver::Driver;
use kogge_movegen_cpu::LegalMoves;

use super::ask::{Compared, ask, ours};
use super::fault::{FaultKind, Question, after};
use super::sighting::{Sighting, inside_a_tree, kind_of, named, sentence, sightings};
use crate::diff::Divider;
use crate::error::{CheckError, EngineError};

/// The number of moves with wrong counts below which the walk looks.
pub(super) const BRANCHES: usize = 6;
/// The number of questions of a walk, after which it ends with the faults found.
const MOST_QUESTIONS: u32 = 16;
/// The maximum time to look for the position at which a program fails.
const LOCATING: Duration = Duration::from_secs(20);

/// A walk down from a wrong answer.
struct Walk<'w> {
    /// The question that was answered wrong.
    asked: &'w Question,
    found: Vec<Sighting>,
    /// The number of questions that are left for further faults, after the first one.
    questions: u32,
}

/// The judge of a program's answers: it asks the program further questions.
pub(super) struct Judge<'j, 'r> {
    pub(super) target: &'j mut dyn Divider,
    pub(super) reference: Driver<'r>,
}

impl Judge<'_, '_> {
    pub(super) fn compare(&mut self, question: &Question) -> Result<Compared, CheckError> {
        let here = question.here();
        let ours = ours(&mut self.reference, &question.root, &here, question.depth)?;
        ask(self.target, question, &here, ours)
    }

    /// Finds the faults behind a wrong answer.
    ///
    /// # Errors
    /// If the program fails at another question, or counting fails.
    pub(super) fn find(&mut self, asked: &Question, compared: Compared) -> Result<Vec<Sighting>, CheckError> {
        let mut walk = Walk { asked, found: Vec::new(), questions: MOST_QUESTIONS };
        self.walk(&mut walk, asked, compared)?;
        // No wrong answer is without a fault.
        if walk.found.is_empty() {
            walk.found.push(Sighting::hash(asked, "The answer is wrong for no reason that was found", false));
        }
        Ok(walk.found)
    }

    /// Walks down to the positions whose moves are wrong.
    fn walk(&mut self, walk: &mut Walk<'_>, question: &Question, compared: Compared) -> Result<(), CheckError> {
        let mut is_explained = !compared.has_right_moves();
        if is_explained {
            let found = self.wrong_moves(walk.asked, question, &compared)?;
            walk.found.extend(found);
        }
        if question.depth > 1 {
            let here = question.here();
            let names = compared.differences.counts.iter().map(|(name, ..)| name);
            let mut moves: Vec<_> = names.filter_map(|name| named(&question.root, &here, name)).collect();
            // Faults of making a move belong to captures and other rare moves.
            moves.sort_by_key(|played| matches!(played.kind(), MoveKind::Quiet | MoveKind::DoublePush));
            for played in moves.into_iter().take(BRANCHES) {
                if is_explained && walk.questions == 0 {
                    break;
                }
                walk.questions = walk.questions.saturating_sub(1);
                let mut below = question.clone();
                below.line.push(played);
                below.depth -= 1;
                let found = self.compare(&below)?;
                if !found.is_right() {
                    is_explained = true;
                    self.walk(walk, &below, found)?;
                }
            }
        }
        if is_explained {
            return Ok(());
        }
        let sighting = match sentence(FaultKind::Sum, &compared) {
            Some(reason) if compared.differences.counts.is_empty() => Sighting::plain(FaultKind::Sum, question, reason),
            _ if question.depth == 1 => {
                let reason = "A move is counted as more or less than one leaf at depth 1.".to_owned();
                Sighting::plain(FaultKind::Sum, question, reason)
            }
            _ => self.contradiction(walk.asked, question, &compared)?,
        };
        walk.found.push(sighting);
        Ok(())
    }

    /// Judges a position whose moves are wrong.
    fn wrong_moves(
        &mut self,
        asked: &Question,
        question: &Question,
        compared: &Compared,
    ) -> Result<Vec<Sighting>, CheckError> {
        let here = question.here();
        let alone = Question::at(here, 1);
        let found = if *question == alone { compared.clone() } else { self.compare(&alone)? };
        if !found.has_right_moves() {
            return Ok(sightings(FaultKind::Moves, &alone, &found));
        }
        // The shortest end of the line that leads to wrong moves.
        for length in 1..=question.line.len() {
            let (start, end) = question.line.split_at(question.line.len() - length);
            let after = Question { root: after(&question.root, start), line: end.to_vec(), depth: 1 };
            let found = self.compare(&after)?;
            if !found.has_right_moves() {
                return Ok(sightings(FaultKind::Make, &after, &found));
            }
        }
        Ok(vec![self.contradiction(asked, question, compared)?])
    }

    /// Judges a wrong answer although the answers for all positions below are right. `asked` is the question that began the walk.
    fn contradiction(
        &mut self,
        asked: &Question,
        question: &Question,
        compared: &Compared,
    ) -> Result<Sighting, CheckError> {
        let again = self.compare(question)?;
        let is_the_same = again.differences == compared.differences;
        self.target.restart()?;
        let fresh = self.compare(question)?;
        if is_the_same && !fresh.is_right() {
            let here = question.here();
            for depth in 2..=question.depth {
                let alone = Question::at(here, depth);
                let found = self.compare(&alone)?;
                if !found.is_right() {
                    return Ok(inside_a_tree(&alone, &found));
                }
            }
            return Ok(inside_a_tree(question, compared));
        }
        self.target.restart()?;
        let is_steady = !self.compare(asked)?.is_right();
        let how = match (is_the_same, is_steady) {
            (false, _) => "The same question was answered in two ways",
            (true, true) => "The answers for all positions below are right in a fresh process",
            (true, false) => "The answer is right in a fresh process, and wrong after other questions",
        };
        Ok(Sighting::hash(asked, how, is_steady))
    }

    /// Finds the smallest question at which a program fails, after it failed at this one.
    pub(super) fn find_failure(&mut self, question: &Question, error: EngineError) -> Result<Sighting, CheckError> {
        let start = Instant::now();
        let mut found = Sighting::known(kind_of(&error), question, &error);
        self.target.restart()?;
        let root = question.here();
        let mut tried: Vec<Question> = (1..=question.depth).map(|depth| Question::at(root, depth)).collect();
        'smaller: loop {
            for question in tried {
                if start.elapsed() > LOCATING {
                    break 'smaller;
                }
                if let Some(error) = self.failure(&question)? {
                    let depth = question.depth - 1;
                    let here = question.here();
                    found.question = question;
                    found.reason = Some(error.to_string());
                    found.is_steady = true;
                    if depth == 0 {
                        break 'smaller;
                    }
                    let moves = LegalMoves::of(&here.rules, &here.position);
                    tried = moves.map(|played| Question::at(after(&here, &[played]), depth)).collect();
                    continue 'smaller;
                }
            }
            break;
        }
        Ok(found)
    }

    /// Asks, and returns the failure of the program if there is one. The program is then started anew.
    fn failure(&mut self, question: &Question) -> Result<Option<EngineError>, CheckError> {
        match self.compare(question) {
            Ok(_) => Ok(None),
            Err(CheckError::Program(error)) => {
                self.target.restart()?;
                Ok(Some(error))
            }
            Err(error) => Err(error),
        }
    }
}
