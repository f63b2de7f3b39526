//! A fault of a program: its kind, the rule, and the smallest position that shows it.

use std::fmt;

use kogge_board::{Fen, Move, MoveKind, Square};

use crate::rule::Rule;

/// The kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum FaultKind {
    /// The moves of a position are wrong, also if the position is given as a FEN.
    Moves,
    /// The moves are right if the position is given as a FEN, and wrong after a move that leads there.
    Make,
    /// The moves are right when asked alone, and wrong inside a tree.
    Undo,
    /// The counts depend on what was counted before.
    Hash,
    /// The counts are right, and their sum is wrong.
    Sum,
    /// A move is listed more than once.
    Repeated,
    /// The answer cannot be read, or there is none.
    Answer,
    /// The program ends.
    Crash,
    /// The program gives no answer in time.
    Hang,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Moves => "wrong moves",
            Self::Make => "wrong state after a move",
            Self::Undo => "wrong inside a tree",
            Self::Hash => "depends on what was counted before",
            Self::Sum => "wrong sum",
            Self::Repeated => "a move listed more than once",
            Self::Answer => "an answer that cannot be read",
            Self::Crash => "the program ends",
            Self::Hang => "the program does not answer",
        })
    }
}

/// Returns the position after a line. Unlike [`Fen::play`], a double push beside a pawn leaves an en-passant square in the FEN also if
/// the capture is not legal: a program that sees a FEN and a program that plays the line then know the same.
pub(super) fn after(root: &Fen, line: &[Move]) -> Fen {
    let Some(last) = line.last() else { return *root };
    let mut here = line.iter().fold(*root, |here, played| here.play(*played));
    if last.kind() == MoveKind::DoublePush {
        let to = last.to();
        let beside = [-1, 1].into_iter().filter_map(|step| to.offset((step, 0)));
        let theirs = here.position.pawns & here.position.of(here.position.turn());
        if beside.fold(0, |squares, square| squares | square.bit()) & theirs != 0 {
            here.passed = Some(Square::at(to.file(), (last.from().rank() + to.rank()) / 2));
        }
    }
    here
}

/// A question: the divide of the position after a line, to a depth.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Question {
    pub(super) root: Fen,
    pub(super) line: Vec<Move>,
    pub(super) depth: u32,
}

impl Question {
    pub(super) fn at(root: Fen, depth: u32) -> Self {
        Self { root, line: Vec::new(), depth }
    }

    /// The position asked about.
    pub(super) fn here(&self) -> Fen {
        after(&self.root, &self.line)
    }

    /// The line in UCI notation.
    pub(super) fn names(&self) -> Vec<String> {
        let chess960 = self.root.is_chess960();
        self.line.iter().map(|played| played.uci(&self.root.rules, chess960)).collect()
    }
}

/// A fault of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The rule, if it is known.
    pub rule: Option<Rule>,
    /// The number of questions that showed it.
    pub times: u64,
    /// The smallest position found that shows it.
    pub position: Fen,
    /// The moves from this position to the position whose moves are wrong, in UCI notation.
    pub line: Vec<String>,
    /// The number of plies asked for after this line.
    pub depth: u32,
    /// Legal moves that the program does not list.
    pub missing: Vec<String>,
    /// Illegal moves that it lists.
    pub extra: Vec<String>,
    /// Moves that it lists more than once.
    pub repeated: Vec<String>,
    /// Moves with our count and the program's count, where they differ.
    pub counts: Vec<(String, u128, u128)>,
    /// The reasons, a sentence each.
    pub reasons: Vec<String>,
    /// The commands that show the fault in a terminal.
    pub commands: Vec<String>,
    /// The position of the question that showed the fault first.
    pub found_in: Fen,
    /// The depth of this question.
    pub found_at: u32,
}

impl fmt::Display for Fault {
    /// Names the fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rule, self.kind) {
            (Some(rule), FaultKind::Moves) => f.write_str(rule.title()),
            (Some(rule), kind) => write!(f, "{} ({kind})", rule.title()),
            (None, kind) => kind.fmt(f),
        }
    }
}
