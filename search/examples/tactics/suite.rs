//! A suite of positions in EPD, with moves to find or to avoid.

use kogge_board::{Fen, Move};
use kogge_search::{Game, Limits, SearchResult, Searcher, Signals};

/// A position with a task.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The `id`, or the FEN without an `id`.
    pub(crate) name: String,
    pub(crate) game: Game,
    /// The moves of `bm`; one of them must be found, if there are any.
    pub(crate) best: Vec<Move>,
    /// The moves of `am`; none of them may be played.
    pub(crate) avoid: Vec<Move>,
}

impl Problem {
    /// Reads a line of EPD.
    ///
    /// # Errors
    /// A sentence if the line is not EPD or has neither `bm` nor `am`.
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let wrong = |what: String| format!("{line:?}: {what}");
        // Four fields, then operations that each end with a semicolon.
        let end = line.match_indices(' ').nth(3).map_or(line.len(), |(index, _)| index);
        let root: Fen = line[..end].parse().map_err(|error| wrong(format!("{error}")))?;
        let game = Game::new(root);
        let mut problem =
            Self { name: line[..end].to_owned(), game: game.clone(), best: Vec::new(), avoid: Vec::new() };
        for operation in line[end..].split(';') {
            let (name, operands) = operation.trim().split_once(' ').unwrap_or_default();
            let moves = || operands.split_ascii_whitespace().map(|text| game.parse_san(text));
            let moves = || moves().collect::<Result<Vec<_>, _>>().map_err(|error| wrong(error.to_string()));
            match name {
                "bm" => problem.best = moves()?,
                "am" => problem.avoid = moves()?,
                "id" => problem.name = operands.trim_matches('"').to_owned(),
                _ => {}
            }
        }
        match problem.best.is_empty() && problem.avoid.is_empty() {
            true => Err(wrong("It says neither which move is best nor which one to avoid.".to_owned())),
            false => Ok(problem),
        }
    }

    /// Searches with empty tables, and returns the move found and whether it is a solution.
    pub(crate) fn search(&self, searcher: &mut Searcher, limits: &Limits) -> (SearchResult, bool) {
        searcher.forget();
        let found = searcher.search(&self.game, limits, &Signals::default(), &mut |_| ());
        let is_solved = found
            .line
            .first()
            .is_some_and(|played| (self.best.is_empty() || self.best.contains(played)) && !self.avoid.contains(played));
        (found, is_solved)
    }
}
