//! The report of a check.

use std::time::Duration;

use super::fault::Fault;
use crate::rule::Rule;

/// The origin of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The built-in positions, or the author's own file.
    Given,
    /// A random placement, or a random game.
    Random,
    /// The same question as before.
    Again,
}

/// The questions about a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleTally {
    /// The rule.
    pub rule: Rule,
    /// The number of right answers about positions that test the rule.
    pub passed: u64,
    /// The number of wrong answers that broke it.
    pub failed: u64,
}

/// The report of a check.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckReport {
    /// The program's name.
    pub name: String,
    /// The faults, the most frequent one first.
    pub faults: Vec<Fault>,
    /// The rules with their questions, in the order of [`Rule::ALL`], without rules that no position tested.
    pub rules: Vec<RuleTally>,
    /// The number of answers.
    pub answers: u64,
    /// The number of positions of the corpus or the file that were asked, and of those that were left out or not reached.
    pub given: (u64, u64),
    /// The number of random positions.
    pub random: u64,
    /// The number of leaves that the right answers counted.
    pub leaves: u128,
    /// The number of times that the program was started anew after a failure.
    pub restarts: u64,
    /// Whether positions of Chess960 were asked.
    pub chess960: bool,
    /// The time of the check.
    pub elapsed: Duration,
    /// The share of the program's time for which it waited for questions.
    pub waited: f64,
    /// Whether the check was stopped on request.
    pub was_stopped: bool,
}
