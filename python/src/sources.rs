//! Positions from and to text, bytes, and the boards of python-chess.

use kogge::board::bits;
use kogge::{Color, Fen, Format, Piece, Position, Quad48, Rules as Castling, Square, known};
use numpy::PyArray1;
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyList, PyString};

use crate::buffer::{Buffer, PackedSlice};
use crate::failure::Failure;
use crate::positions::{Positions, word_format};
use crate::rules::Rules;

/// Positions that are collected into one array, and the rules that they require so far.
#[derive(Default)]
pub(crate) struct Collection {
    quads: Vec<Quad48>,
    /// The rules that the caller gave.
    named: Option<Rules>,
    /// For each castling right, the file of its rook and the number of the first position that has the right.
    files: [Option<(u8, usize)>; 4],
    chess960: bool,
}

impl Collection {
    pub(crate) fn new(named: Option<Rules>) -> Self {
        let files = named.map(|rules| rules.castling.castling_files.map(|file| Some((file, 0))));
        Self { named, files: files.unwrap_or_default(), ..Self::default() }
    }

    /// Adds a position whose FEN names the files of its castling rooks.
    fn add(&mut self, mut position: Position, files: [u8; 4], chess960: bool) -> Result<(), String> {
        let rights = position.state.castling();
        for right in (0..4).filter(|right| rights >> right & 1 != 0) {
            let file = files[right];
            match self.files[right] {
                Some((other, first)) if other != file => {
                    let [file, other] = [file, other].map(|file| char::from(b'a' + file));
                    let whose = match self.named {
                        Some(_) => "the rules name".to_owned(),
                        None => format!("position {first} has"),
                    };
                    return Err(format!(
                        "It castles with the rook on file {file}, where {whose} the rook on file {other}; an array has one rule for \
                         all positions. Positions.groups_from_fens() makes an array for each rule."
                    ));
                }
                Some(_) => {}
                None => self.files[right] = Some((file, self.quads.len())),
            }
        }
        match self.named {
            Some(rules) => {
                if !rules.castling.halfmove_clock {
                    position.state = position.state.with_halfmove_clock(0);
                }
                rules.check(&position)?;
            }
            None => self.chess960 |= chess960,
        }
        self.quads.push(Quad48::from(&position));
        Ok(())
    }

    /// Returns the number of positions.
    pub(crate) fn len(&self) -> usize {
        self.quads.len()
    }

    /// Adds the position of a FEN.
    pub(crate) fn add_fen(&mut self, fen: &Fen) -> Result<(), String> {
        self.add(fen.position, fen.rules.castling_files, fen.is_chess960())
    }

    /// Adds a position that is legal under these rules.
    pub(crate) fn add_under(&mut self, position: Position, rules: Castling) -> Result<(), String> {
        let is_chess960 = Fen::new(position, rules).is_chess960();
        self.add(position, rules.castling_files, is_chess960)
    }

    pub(crate) fn finish(self) -> Positions {
        let rules = self.named.unwrap_or_else(|| {
            let standard = Castling::STANDARD.castling_files;
            let castling_files =
                std::array::from_fn(|right| self.files[right].map_or(standard[right], |(file, _)| file));
            Rules { castling: Castling { castling_files, halfmove_clock: true }, chess960: self.chess960 }
        });
        Positions::new(self.quads, rules)
    }
}

/// Positions with the same rules, and the numbers of their FENs.
type Group<'py> = (Bound<'py, PyArray1<i64>>, Positions);

#[pymethods]
impl Positions {
    /// Reads FENs, X-FENs or Shredder-FENs.
    #[staticmethod]
    #[pyo3(signature = (fens, rules = None))]
    fn from_fens(fens: &Bound<'_, PyAny>, rules: Option<Rules>) -> Result<Self, Failure> {
        let mut collection = Collection::new(rules);
        for (index, fen) in texts(fens)?.enumerate() {
            let fen = read(fen?.to_str()?, index)?;
            collection.add_fen(&fen).map_err(|reason| Failure::Position(index, reason))?;
        }
        Ok(collection.finish())
    }

    /// Reads FENs of games with different castling rooks, and makes an array for each of their rules.
    #[staticmethod]
    fn groups_from_fens<'py>(py: Python<'py>, fens: &Bound<'py, PyAny>) -> Result<Vec<Group<'py>>, Failure> {
        let mut groups: Vec<(Vec<i64>, Collection)> = Vec::new();
        for (index, fen) in texts(fens)?.enumerate() {
            let fen = read(fen?.to_str()?, index)?;
            let number = match groups.iter_mut().position(|(_, group)| group.add_fen(&fen).is_ok()) {
                Some(number) => number,
                None => {
                    let mut group = Collection::new(None);
                    group.add_fen(&fen).map_err(|reason| Failure::Position(index, reason))?;
                    groups.push((Vec::new(), group));
                    groups.len() - 1
                }
            };
            groups[number].0.push(index as i64);
        }
        let groups = groups.into_iter();
        Ok(groups.map(|(indices, group)| (PyArray1::from_vec(py, indices), group.finish())).collect())
    }

    /// Reads the positions of an EPD file: the first four fields of each line, and a halfmove clock and move number behind them.
    #[staticmethod]
    #[pyo3(signature = (path, rules = None))]
    fn from_epd(path: std::path::PathBuf, rules: Option<Rules>) -> Result<Self, Failure> {
        let text = std::fs::read(&path)
            .map_err(|error| PyOSError::new_err(format!("The file {} cannot be read: {error}.", path.display())))?;
        let mut collection = Collection::new(rules);
        for (number, fen) in kogge::driver::epd::positions(&text) {
            let index = collection.quads.len();
            let added = fen.map_err(|error| error.to_string()).and_then(|fen| collection.add_fen(&fen));
            added.map_err(|reason| Failure::Position(index, format!("In line {number}: {reason}")))?;
        }
        Ok(collection.finish())
    }

    /// Reads packed positions.
    #[staticmethod]
    #[pyo3(signature = (data, format = "circle32", rules = None))]
    fn from_bytes(py: Python<'_>, data: &[u8], format: &str, rules: Option<Rules>) -> Result<Self, Failure> {
        let format = word_format(format)?;
        if !data.len().is_multiple_of(format.size()) {
            return Err(Failure::Input(format!(
                "Positions of the {format} format have {} bytes each; {} bytes are not a whole number of them.",
                format.size(),
                data.len()
            )));
        }
        fn words<T: bytemuck::Pod>(data: &[u8]) -> Vec<T> {
            let mut words = vec![T::zeroed(); data.len() / size_of::<T>()];
            bytemuck::cast_slice_mut(&mut words).copy_from_slice(data);
            words
        }
        let buffer = match format {
            Format::Quad48 => Buffer::from(words::<Quad48>(data)),
            _ => Buffer::from(words::<kogge::Circle32>(data)),
        };
        let positions = Self::new(buffer, rules.unwrap_or_default());
        positions.check_all(py)?;
        Ok(positions)
    }

    /// Reads boards of python-chess (`chess.Board`).
    #[staticmethod]
    #[pyo3(signature = (boards, rules = None))]
    fn from_boards(boards: &Bound<'_, PyAny>, rules: Option<Rules>) -> Result<Self, Failure> {
        let mut collection = Collection::new(rules);
        for (index, board) in boards.try_iter()?.enumerate() {
            let (position, files) = read_board(&board?, index)?;
            let castling = Castling { castling_files: files, halfmove_clock: true };
            let added = position
                .check(&castling)
                .map_err(|error| error.to_string())
                .and_then(|()| collection.add_under(position, castling));
            added.map_err(|reason| Failure::Position(index, reason))?;
        }
        Ok(collection.finish())
    }

    /// Returns the start position of orthodox chess, `n` times.
    #[staticmethod]
    #[pyo3(signature = (n = 1))]
    fn start(n: usize) -> Result<Self, Failure> {
        let mut quads = Vec::new();
        quads.try_reserve_exact(n).map_err(|_| Failure::Memory(format!("There is no memory for {n} positions.")))?;
        quads.resize(n, Quad48::from(&Fen::start().position));
        Ok(Self::new(quads, Rules::default()))
    }

    /// Returns the positions as FENs.
    fn to_fens(&self) -> Vec<String> {
        self.buffer.quads().iter().map(|quad| self.fen(quad)).collect()
    }

    /// Returns the positions as boards of python-chess.
    fn to_boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let board = py.import("chess")?.getattr("Board")?;
        let keywords = [("chess960", self.rules.chess960)].into_py_dict(py)?;
        let boards = self.to_fens().into_iter().map(|fen| board.call((fen,), Some(&keywords)));
        PyList::new(py, boards.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns the packed positions.
    #[pyo3(signature = (format = "circle32"))]
    fn to_bytes<'py>(&self, py: Python<'py>, format: &str) -> Result<Bound<'py, PyBytes>, Failure> {
        Ok(match (word_format(format)?, self.buffer.packed()) {
            (Format::Quad48, PackedSlice::Quads(quads)) => PyBytes::new(py, bytemuck::must_cast_slice(quads)),
            (Format::Quad48, _) => PyBytes::new(py, bytemuck::cast_slice(&self.buffer.quads())),
            (_, PackedSlice::Circles(circles)) => PyBytes::new(py, bytemuck::must_cast_slice(circles)),
            _ => PyBytes::new(py, bytemuck::cast_slice(&self.buffer.circles())),
        })
    }
}

fn texts<'py>(
    texts: &Bound<'py, PyAny>,
) -> Result<impl Iterator<Item = Result<Bound<'py, PyString>, Failure>> + use<'py>, Failure> {
    if texts.is_instance_of::<PyString>() {
        let reason = "Several FENs are expected; put a single one in a list: [fen].";
        return Err(PyTypeError::new_err(reason).into());
    }
    Ok(texts.try_iter()?.enumerate().map(|(index, text)| {
        let text = text?;
        let kind = text.get_type().name()?.to_string();
        text.cast_into::<PyString>()
            .map_err(|_| Failure::Position(index, format!("A FEN is a text (str), not {kind}.")))
    }))
}

fn read(fen: &str, index: usize) -> Result<Fen, Failure> {
    known::root(fen).map_err(|error| Failure::Position(index, error.to_string()))
}

/// Reads a board of python-chess, and the files of its castling rooks.
fn read_board(board: &Bound<'_, PyAny>, index: usize) -> Result<(Position, [u8; 4]), Failure> {
    let kind = board.get_type().name()?.to_string();
    let attribute = |name: &str| {
        let wrong = || Failure::Position(index, format!("A chess.Board is expected, not {kind}."));
        board.getattr(name).map_err(|_| wrong())
    };
    let squares = |name: &str| Ok::<u64, Failure>(attribute(name)?.extract()?);
    let queens = squares("queens")?;
    let white: u64 = attribute("occupied_co")?.get_item(true)?.extract()?;
    let mut position = Position {
        white,
        pawns: squares("pawns")?,
        knights: squares("knights")?,
        bishops_queens: squares("bishops")? | queens,
        rooks_queens: squares("rooks")? | queens,
        kings: squares("kings")?,
        ..Position::default()
    };
    let turn = if attribute("turn")?.is_truthy()? { Color::White } else { Color::Black };
    let clock: u64 = attribute("halfmove_clock")?.extract()?;
    position.state = position.state.with_turn(turn).with_halfmove_clock(clock.min(127) as u8);
    let mut files = Castling::STANDARD.castling_files;
    let mut rights = 0;
    let rooks: u64 = attribute("clean_castling_rights")?.call0()?.extract()?;
    for color in Color::ALL {
        let king = position.king(color).map_or(0, Square::file);
        let own = rooks & position.of(color) & position.kind(Piece::Rook) & bits::rank(color.home_rank());
        for rook in bits::Bits(own).filter_map(Square::of) {
            let right = usize::from(rook.file() < king) + if color == Color::White { 0 } else { 2 };
            files[right] = rook.file();
            rights |= 1 << right;
        }
    }
    position.state = position.state.with_castling(rights);
    if let Some(square) = attribute("ep_square")?.extract::<Option<u8>>()?.and_then(Square::new)
        && square.rank() == if turn == Color::White { 5 } else { 2 }
        && position.en_passant_is_legal(square)
    {
        position.state = position.state.with_en_passant(Some(square.file()));
    }
    Ok((position, files))
}
