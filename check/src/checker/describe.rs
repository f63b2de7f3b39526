//! The description of a fault: its smallest position, its rule there, and the reasons.

use std::time::{Duration, Instant};

use kogge_board::Fen;

use super::ask::Compared;
use super::fault::{Fault, FaultKind, Question, after};
use super::judge::{BRANCHES, Judge};
use super::sighting::{Mark, Sighting, WITHOUT_TRANSPOSITIONS, kind_of, named, rule_of, sentence, taken_back};
use crate::error::CheckError;
use crate::explain::explain;
use crate::rule::{Rule, rules_of};
use crate::shrink::shrink;

/// The maximum time to make a position smaller.
const SHRINKING: Duration = Duration::from_secs(8);
/// The number of moves whose reasons are given.
const REASONS: usize = 3;
/// The number of rules that are named where a program fails.
const MOST_TITLES: usize = 4;

/// Makes the position of a fault smaller, and describes the fault.
pub(super) fn describe(
    judge: &mut Judge<'_, '_>,
    sighting: Sighting,
    found_in: &Question,
) -> Result<Fault, CheckError> {
    let mut sighting = confirmed(judge, sighting, found_in)?;
    if sighting.is_steady && sighting.kind != FaultKind::Hang {
        make_smaller(judge, &mut sighting)?;
    }
    if sighting.kind == FaultKind::Hash {
        judge.target.restart()?;
    }
    let compared = match judge.compare(&sighting.question) {
        Ok(compared) => compared,
        Err(CheckError::Program(_)) => {
            judge.target.restart()?;
            Compared::default()
        }
        Err(error) => return Err(error),
    };
    let Sighting { kind, mut rule, mark, question, reason, .. } = sighting;
    let here = question.here();
    let marked: Vec<_> =
        compared.wrong_moves().filter(|name| Some(Mark::of(&question, &here, name)) == mark).take(REASONS).collect();
    if let Some(name) = marked.first() {
        rule = Some(rule_of(&question, name));
    } else if kind == FaultKind::Undo {
        rule = taken_back(&question, &compared);
    }
    let names = |moves: &[(String, u128)]| moves.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    // The smallest position has other counts and lines than the first one.
    let mut reasons: Vec<String> = sentence(kind, &compared).or(reason).into_iter().collect();
    reasons.extend(marked.iter().map(|name| explain(&here, name).text));
    reasons.dedup();
    if matches!(kind, FaultKind::Crash | FaultKind::Hang) {
        let titles: Vec<_> = rules_of(&here).iter().map(Rule::title).take(MOST_TITLES).collect();
        reasons.push(format!("The position is about {}.", titles.join("; ")));
    }
    if kind == FaultKind::Make {
        let line = question.names().join(" ");
        reasons.push(format!("The moves are right if this position is given as a FEN, and wrong after {line}."));
    }
    let counts = if compared.has_right_moves() { compared.differences.counts.clone() } else { Vec::new() };
    Ok(Fault {
        kind,
        rule,
        times: 1,
        position: question.root,
        line: question.names(),
        depth: question.depth,
        missing: names(&compared.differences.only_first),
        extra: names(&compared.differences.only_second),
        repeated: names(&compared.differences.repeated),
        counts,
        reasons,
        commands: judge.target.commands(&question.root, &question.line, &here, question.depth),
        found_in: found_in.root,
        found_at: found_in.depth,
    })
}

/// Looks for wrong moves again in a fresh process. If they are right there, an earlier question made them wrong.
fn confirmed(judge: &mut Judge<'_, '_>, sighting: Sighting, found_in: &Question) -> Result<Sighting, CheckError> {
    if !matches!(sighting.kind, FaultKind::Moves | FaultKind::Make) {
        return Ok(sighting);
    }
    judge.target.restart()?;
    let here = sighting.question.here();
    let compared = match judge.compare(&sighting.question) {
        Err(CheckError::Program(_)) => {
            judge.target.restart()?;
            return Ok(sighting);
        }
        compared => compared?,
    };
    let mut marks = compared.wrong_moves().map(|name| Mark::of(&sighting.question, &here, name));
    if marks.any(|mark| Some(mark) == sighting.mark) {
        return Ok(sighting);
    }
    Ok(Sighting::hash(found_in, "The moves are right in a fresh process, and wrong after other questions", false))
}

/// Makes the position smaller as long as it shows the same fault, and then the depth.
fn make_smaller(judge: &mut Judge<'_, '_>, sighting: &mut Sighting) -> Result<(), CheckError> {
    let start = Instant::now();
    let wanted = sighting.clone();
    let root = wanted.question.root;
    let mut is_wrong = |fen: &Fen| {
        if start.elapsed() > SHRINKING {
            return Ok(false);
        }
        let found = seen(judge, fen, &wanted)?;
        let is_found = found.is_some();
        if let Some(found) = found {
            sighting.question = found;
        }
        Ok::<_, CheckError>(is_found)
    };
    // Not every fault of a line shows in the tree of its root.
    if is_wrong(&root)? {
        shrink(&root, is_wrong)?;
    }
    let smallest = sighting.question.clone();
    for depth in 1..smallest.depth {
        let lower = Sighting { question: Question { depth, ..smallest.clone() }, ..wanted.clone() };
        if start.elapsed() < SHRINKING
            && let Some(found) = seen(judge, &smallest.root, &lower)?
        {
            sighting.question = found;
            break;
        }
    }
    Ok(())
}

/// As [`seen_at`]; a program that fails at a position does not show another fault there.
fn seen(judge: &mut Judge<'_, '_>, fen: &Fen, wanted: &Sighting) -> Result<Option<Question>, CheckError> {
    match seen_at(judge, fen, wanted) {
        Err(CheckError::Program(_)) => {
            judge.target.restart()?;
            Ok(None)
        }
        found => found,
    }
}

/// Returns a question about a position, or about one after it, that shows a fault that was seen elsewhere.
fn seen_at(judge: &mut Judge<'_, '_>, fen: &Fen, wanted: &Sighting) -> Result<Option<Question>, CheckError> {
    let Sighting { kind, mark, question, .. } = wanted;
    if !question.line.is_empty() {
        let tree = Question::at(*fen, question.depth + question.line.len() as u32);
        let compared = judge.compare(&tree)?;
        if compared.is_right() {
            return Ok(None);
        }
        let found = judge.find(&tree, compared)?.into_iter();
        let mut same = found.filter(|seen| seen.kind == *kind && seen.mark == *mark && seen.question.root == *fen);
        return Ok(same.next().map(|seen| seen.question));
    }
    let tried = Question::at(*fen, question.depth);
    if *kind == FaultKind::Hash {
        judge.target.restart()?;
    }
    let compared = match judge.compare(&tried) {
        Ok(compared) => compared,
        Err(CheckError::Program(error)) => {
            judge.target.restart()?;
            return Ok((kind_of(&error) == *kind).then_some(tried));
        }
        Err(error) => return Err(error),
    };
    let has_wrong_counts = !compared.differences.counts.is_empty() && compared.has_right_moves();
    let is_same = match kind {
        FaultKind::Moves => compared.wrong_moves().any(|name| Some(Mark::of(&tried, fen, name)) == *mark),
        FaultKind::Sum => compared.sum.is_some() && compared.has_right_moves(),
        FaultKind::Answer => compared.is_garbled(),
        FaultKind::Repeated => !compared.differences.repeated.is_empty(),
        FaultKind::Undo | FaultKind::Hash => has_wrong_counts && is_right_below(judge, &tried, &compared)?,
        FaultKind::Make | FaultKind::Crash | FaultKind::Hang => false,
    };
    Ok(is_same.then_some(tried))
}

/// Whether the program is right below the moves whose counts are wrong, when it is asked about the positions alone.
fn is_right_below(judge: &mut Judge<'_, '_>, question: &Question, compared: &Compared) -> Result<bool, CheckError> {
    let here = question.here();
    for (name, ..) in compared.differences.counts.iter().take(BRANCHES) {
        let Some(played) = named(&question.root, &here, name) else { continue };
        if question.depth > WITHOUT_TRANSPOSITIONS {
            judge.target.restart()?;
        }
        if !judge.compare(&Question::at(after(&here, &[played]), question.depth - 1))?.is_right() {
            return Ok(false);
        }
    }
    Ok(true)
}
