//! A position on which two backends disagree.

use std::fmt;

use crate::{Fen, Quad48};

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
