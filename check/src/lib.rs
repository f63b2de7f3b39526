//! Other programs' moves: reading what they print, comparing it with the legal moves, and explaining the difference.
//!
//! | for | look at |
//! |---|---|
//! | the text of a divide, in any common form | [`DivideText`] |
//! | a divide beside ours, move by move | [`compare()`] |
//! | the reason why a move is legal or not | [`explain()`] |
//! | the rule that a wrong move breaks, and the rules that a position tests | [`Rule`], [`rules_of()`] |
//! | positions that test every rule | [`corpus()`] |
//! | the smallest position that shows a mistake | [`shrink()`] |
//! | the faults of a program, from thousands of positions | `check` (feature `programs`) |
//! | a running program: a UCI engine or a script | `Engine`, `Script` (feature `programs`) |
//! | the first position where two generators differ | `diff` (feature `programs`) |

pub mod compare;
mod corpus;
pub mod explain;
mod rule;
mod shrink;
mod text;

#[cfg(feature = "programs")]
mod checker;
#[cfg(feature = "programs")]
mod diff;
#[cfg(feature = "programs")]
mod error;
#[cfg(feature = "programs")]
mod program;

pub use compare::{Comparison, compare};
pub use corpus::{CorpusPosition, corpus};
pub use explain::{Explanation, explain};
pub use rule::{Rule, RuleSet, rules_of};
pub use shrink::shrink;
pub use text::{Divide, DivideText};

#[cfg(feature = "programs")]
pub use {
    checker::{CheckReport, CheckSettings, Fault, FaultKind, GivenPosition, OpenReference, RuleTally, check},
    diff::{Diff, Difference, Divider, diff, smallest_difference},
    error::{CheckError, EngineError},
    program::{Engine, EngineSetup, Script, end_programs},
};
