//! The built-in positions.

use kogge_board::Fen;

use crate::rule::{RuleSet, rules_of};

/// One position in a line, as EPD, and the tag of the rule that it was chosen for.
const LINES: &str = include_str!("../data/corpus.epd");

/// A position and the rules that it tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorpusPosition {
    /// The position.
    pub fen: Fen,
    /// The rules that it tests, as [`rules_of`] finds them.
    pub rules: RuleSet,
}

/// Returns the built-in positions, about two thousand. Every prefix covers the rules evenly, and half of the positions have at most ten
/// pieces.
///
/// ```
/// use kogge_check::{Rule, corpus};
///
/// let uncovers = corpus().into_iter().filter(|position| position.rules.contains(Rule::EnPassantUncoversRank));
/// assert!(uncovers.count() >= 30);
/// ```
pub fn corpus() -> Vec<CorpusPosition> {
    // A test reads every line.
    let fens = LINES.lines().filter_map(|line| line.split(';').next()?.parse::<Fen>().ok());
    fens.map(|fen| CorpusPosition { rules: rules_of(&fen), fen }).collect()
}
