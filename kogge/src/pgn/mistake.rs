//! The mistakes in PGN.

use kogge_board::quote;
use thiserror::Error;

use crate::{Fen, FenError, MoveError};

/// The greatest number of variations inside one another.
pub(super) const MAX_NESTED: usize = 100;

/// A mistake in PGN.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Mistake {
    /// The input cannot be read.
    #[error("The file cannot be read: {0}.")]
    Read(String),
    /// A tag is not complete.
    #[error("The tag {} cannot be read; expected a tag such as [White \"Name\"], on one line.", quote(.0))]
    Tag(String),
    /// The tag `FEN` is not a position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The rules are neither chess nor Chess960.
    #[error("The variant {} is unknown; only games of chess and Chess960 can be read.", quote(.0))]
    Variant(String),
    /// A move cannot be played.
    #[error("{error} The position is \"{before}\".")]
    Move {
        /// The position before the move.
        before: Box<Fen>,
        /// The reason.
        error: MoveError,
    },
    /// A mark of a move is unknown.
    #[error("The mark {} is unknown; expected !, ?, !!, ??, !?, ?! or a number such as $10, up to $255.", quote(.0))]
    Nag(String),
    /// A comment has no end.
    #[error("The comment that begins in line {0} has no closing brace.")]
    Comment(usize),
    /// A variation begins before any move, or a closing parenthesis has no opening one.
    #[error("A variation {0} here, where none can.")]
    Parenthesis(&'static str),
    /// A variation has no end.
    #[error("The game ends inside a variation; a closing parenthesis is missing.")]
    Variation,
    /// There are too many variations inside one another.
    #[error("There are more than {MAX_NESTED} variations inside one another.")]
    Nested,
    /// A character has no meaning.
    #[error("The character {0:?} has no meaning here.")]
    Character(char),
}
