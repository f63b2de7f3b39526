//! The position that is searched, with the positions before it.

use kogge_board::{Move, Quad48, Rules};
use kogge_movegen_cpu::{Code, Game, MoveFilter};

use crate::table::key;

/// The current position of a game, in the forms of the search.
#[derive(Clone, Debug)]
pub(crate) struct RootPosition {
    pub(crate) rules: Rules,
    pub(crate) position: Quad48,
    /// The legal moves in generation order, each with its successor.
    pub(crate) moves: Vec<(Move, Quad48)>,
    /// The keys of all positions of the game, the current one last.
    pub(crate) keys: Vec<u64>,
}

impl RootPosition {
    pub(crate) fn new(code: Code, game: &Game) -> Self {
        let (rules, before) = (*game.rules(), game.position());
        let position = Quad48::from(before);
        let mut successors = Vec::new();
        code.successors(&rules, &position, MoveFilter::All, &mut successors);
        // Every successor has a move.
        let named = |after: Quad48| Some((Move::between(&rules, before, &after.unpack_unchecked())?, after));
        let moves = successors.into_iter().filter_map(named).collect();
        let earlier = game.history().iter().map(|(fen, _)| key(&Quad48::from(&fen.position)));
        Self { rules, position, moves, keys: earlier.chain([key(&position)]).collect() }
    }
}
