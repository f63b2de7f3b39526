//! Positions of games in PGN.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use kogge::pgn::PgnReader;
use numpy::PyArray1;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::positions::Positions;
use crate::rules::Rules;
use crate::sources::Collection;

/// The number of games after which Ctrl-C is looked for.
const GAMES_AT_ONCE: usize = 1000;

/// The positions of games, where each game begins, and its result.
type Games<'py> = (Positions, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i8>>);

#[pymethods]
impl Positions {
    /// Reads the positions of all games of a PGN file: each game's first position, and the position after each move.
    #[staticmethod]
    #[pyo3(signature = (path, rules = None))]
    fn from_pgn(py: Python<'_>, path: PathBuf, rules: Option<Rules>) -> Result<Games<'_>, Failure> {
        let file = File::open(&path)
            .map_err(|error| PyOSError::new_err(format!("The file {} cannot be read: {error}.", path.display())))?;
        let mut collection = Collection::new(rules);
        let (mut offsets, mut results) = (vec![0], Vec::new());
        for (number, game) in (1..).zip(PgnReader::new(BufReader::new(file)).without_variations()) {
            let game = game.map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
            let played = game.end();
            let history = played.history().iter().map(|(before, _)| before);
            for position in history.chain([played.fen()]) {
                let index = collection.len();
                let added = collection.add_fen(position);
                added.map_err(|reason| Failure::Position(index, format!("It is in game {number}. {reason}")))?;
            }
            offsets.push(collection.len() as i64);
            results.push(game.result.map_or(-1, |result| result as i8));
            if number % GAMES_AT_ONCE == 0 {
                py.check_signals()?;
            }
        }
        Ok((collection.finish(), PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, results)))
    }
}
