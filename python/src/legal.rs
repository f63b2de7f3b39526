//! The methods `moves` and `play` of `Positions`.

use kogge::movegen_cpu::Code;
use kogge::{LegalMoves, Move, Quad48};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};

use crate::device;
use crate::failure::Failure;
use crate::moves::{Squares, for_each};
use crate::positions::Positions;
use crate::work;

/// The number of pairs of squares.
const PAIRS: usize = 64 * 64;

#[pymethods]
impl Positions {
    /// Returns the legal moves of each position in a form: `"uci"`, `"san"`, `"codes"`, `"indices"` or `"mask"`.
    #[pyo3(signature = (form = "uci"))]
    fn moves<'py>(&self, py: Python<'py>, form: &str) -> Result<Bound<'py, PyAny>, Failure> {
        let rules = self.rules;
        match form {
            "uci" => {
                let (numbers, offsets) = self.flat(py, |played| Squares::of(played, &rules).number() as u16)?;
                let line = |ends: &[i64]| {
                    let names =
                        numbers[ends[0] as usize..ends[1] as usize].iter().map(|&number| name(py, number.into()));
                    PyList::new(py, names)
                };
                Ok(PyList::new(py, offsets.windows(2).map(line).collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            "san" => Ok(PyList::new(py, self.sans(py)?)?.into_any()),
            "codes" => self.flat_arrays(py, Move::bits),
            "indices" => self.flat_arrays(py, |played| Squares::of(played, &rules).index() as i64),
            "mask" => Ok(self.mask(py)?.into_any()),
            _ => Err(Failure::Input(format!(
                "There is no form {form:?} of moves; expected \"uci\", \"san\", \"codes\", \"indices\" or \"mask\"."
            ))),
        }
    }

    /// Plays a move in each position, and returns the positions after them.
    fn play(&self, py: Python<'_>, moves: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        let moves = Moves::read(moves, self.len())?;
        let code = device::code()?;
        let quads = self.buffer.quads();
        let parts = work::map_chunks(py, &quads, 1, |start, chunk| {
            let mut room = Vec::new();
            let play = |(index, quad)| {
                let after = self.successor(code, quad, moves.of(index), &mut room);
                after.map_err(|reason| Failure::Move(index, reason))
            };
            (start..).zip(chunk).map(play).collect::<Result<Vec<Quad48>, _>>()
        })?;
        Ok(Self::new(joined(parts), self.rules))
    }
}

impl Positions {
    /// Returns something for each legal move of all positions, and the offsets of each position's moves.
    fn flat<T: Send + Copy>(
        &self,
        py: Python<'_>,
        of: impl Fn(Move) -> T + Sync,
    ) -> Result<(Vec<T>, Vec<i64>), Failure> {
        let code = device::code()?;
        let quads = self.buffer.quads();
        let parts = work::map_chunks(py, &quads, 1, |_, chunk| {
            let (mut successors, mut moves, mut ends) = (Vec::new(), Vec::new(), Vec::with_capacity(chunk.len()));
            for quad in chunk {
                for_each(code, &self.rules, quad, &mut successors, |played, _| moves.push(of(played)));
                ends.push(moves.len());
            }
            Ok::<_, Failure>((moves, ends))
        })?;
        let mut offsets = Vec::with_capacity(quads.len() + 1);
        offsets.push(0);
        let mut start = 0;
        for (moves, ends) in &parts {
            offsets.extend(ends.iter().map(|&end| (start + end) as i64));
            start += moves.len();
        }
        Ok((joined(parts.into_iter().map(|(moves, _)| moves).collect()), offsets))
    }

    /// Returns the legal moves of each position in SAN.
    fn sans(&self, py: Python<'_>) -> Result<Vec<Vec<String>>, Failure> {
        let code = device::code()?;
        let rules = &self.rules;
        let parts = work::map_chunks(py, &self.buffer.quads(), 1, |_, chunk| {
            let mut successors = Vec::new();
            let mut line = |quad: &Quad48| {
                let position = quad.unpack_unchecked();
                let legal = LegalMoves::of(&rules.castling, &position);
                let mut names = Vec::new();
                for_each(code, rules, quad, &mut successors, |played, _| names.push(legal.san(played)));
                names
            };
            Ok::<_, Failure>(chunk.iter().map(&mut line).collect::<Vec<_>>())
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Returns [`Positions::flat`] as two arrays.
    fn flat_arrays<'py, T: Element + Send + Copy>(
        &self,
        py: Python<'py>,
        of: impl Fn(Move) -> T + Sync,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let (moves, offsets) = self.flat(py, of)?;
        let arrays = (PyArray1::from_vec(py, moves), PyArray1::from_vec(py, offsets));
        Ok(arrays.into_pyobject(py)?.into_any())
    }

    /// Returns a row for each position, which marks the pairs of squares that are legal moves.
    fn mask<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<bool>>, Failure> {
        let code = device::code()?;
        let rules = self.rules;
        let array = PyArray2::<bool>::zeros(py, [self.len(), PAIRS], false);
        let mut filled = array.readwrite();
        let out = filled.as_slice_mut().map_err(|error| Failure::Input(error.to_string()))?;
        work::fill(py, &self.buffer.quads(), out, PAIRS, |quad, row| {
            let mut successors = Vec::new();
            for_each(code, &rules, quad, &mut successors, |played, _| row[Squares::of(played, &rules).index()] = true);
        })?;
        drop(filled);
        Ok(array)
    }

    /// Returns the position after a move.
    fn successor(
        &self,
        code: &Code,
        quad: &Quad48,
        wanted: MoveName<'_>,
        room: &mut Vec<Quad48>,
    ) -> Result<Quad48, String> {
        let rules = &self.rules;
        let mut found = None;
        let mut find = |holds: &dyn Fn(Move) -> bool| {
            for_each(code, rules, quad, room, |played, child| {
                if holds(played) {
                    found = Some(*child);
                }
            });
        };
        match wanted {
            MoveName::Code(code) => find(&|played| played.bits() == code),
            MoveName::Index(index) => find(&|played| {
                let squares = Squares::of(played, rules);
                squares.index() as i64 == index && squares.promotion.is_none_or(|piece| piece == kogge::Piece::Queen)
            }),
            MoveName::Text(text) => match Squares::from_uci(text) {
                Some(squares) => find(&|played| Squares::of(played, rules) == squares),
                None => {
                    let position = quad.unpack_unchecked();
                    let legal = LegalMoves::of(&rules.castling, &position);
                    let played = legal.parse_san(text).map_err(|error| error.to_string())?;
                    return Ok(Quad48::from(&position.play(&rules.castling, played)));
                }
            },
        }
        found.ok_or_else(|| format!("{wanted} is not a legal move of \"{}\".", self.fen(quad)))
    }
}

/// Moves to play, one for each position or one for all.
enum Moves {
    Text(Vec<PyBackedStr>),
    One(PyBackedStr),
    Codes(Vec<u16>),
    Indices(Vec<i64>),
}

/// A move to play.
#[derive(Clone, Copy)]
enum MoveName<'a> {
    Text(&'a str),
    Code(u16),
    Index(i64),
}

impl std::fmt::Display for MoveName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Code(code) => write!(f, "The code {code}"),
            Self::Index(index) => write!(f, "The index {index}"),
        }
    }
}

impl Moves {
    fn read(moves: &Bound<'_, PyAny>, positions: usize) -> Result<Self, Failure> {
        if moves.is_instance_of::<PyString>() {
            return Ok(Self::One(moves.extract()?));
        }
        let numpy = moves.py().import("numpy")?;
        let (read, count) = if moves.is_instance(&numpy.getattr("ndarray")?)? {
            let read = if let Ok(codes) = moves.cast::<PyArray1<u16>>() {
                Self::Codes(codes.to_vec().map_err(PyErr::from)?)
            } else {
                let kind: String = moves.getattr("dtype")?.getattr("kind")?.extract()?;
                let dimensions: usize = moves.getattr("ndim")?.extract()?;
                if !(kind == "i" || kind == "u") || dimensions != 1 {
                    return Err(wrong_type(moves));
                }
                let indices = moves.call_method1("astype", ("int64",))?;
                let indices = indices.cast::<PyArray1<i64>>().map_err(PyErr::from)?;
                Self::Indices(indices.to_vec().map_err(PyErr::from)?)
            };
            let count = moves.len()?;
            (read, count)
        } else {
            let texts: Vec<PyBackedStr> = moves
                .try_iter()
                .map_err(|_| wrong_type(moves))?
                .map(|text| text.and_then(|text| text.extract::<PyBackedStr>()))
                .collect::<PyResult<_>>()
                .map_err(|error| {
                    if error.is_instance_of::<PyTypeError>(moves.py()) { wrong_type(moves) } else { error.into() }
                })?;
            let count = texts.len();
            (Self::Text(texts), count)
        };
        if count == positions {
            return Ok(read);
        }
        Err(Failure::Input(format!("There are {count} moves for {positions} positions; expected one for each.")))
    }

    fn of(&self, index: usize) -> MoveName<'_> {
        match self {
            Self::Text(texts) => MoveName::Text(&texts[index]),
            Self::One(text) => MoveName::Text(text),
            Self::Codes(codes) => MoveName::Code(codes[index]),
            Self::Indices(indices) => MoveName::Index(indices[index]),
        }
    }
}

fn wrong_type(moves: &Bound<'_, PyAny>) -> Failure {
    let found = moves.get_type();
    PyTypeError::new_err(format!(
        "Moves are a text for all positions, a list of texts, an array of codes (uint16) or an array of indices (another integer \
         type), with one dimension; this is {found}."
    ))
    .into()
}

/// Joins lists; a single list is not copied.
fn joined<T: Copy>(mut parts: Vec<Vec<T>>) -> Vec<T> {
    if parts.len() == 1 { parts.swap_remove(0) } else { parts.concat() }
}

/// Returns the UCI notation of a move. Each text is made once, because there are few texts and making one takes long.
fn name(py: Python<'_>, number: usize) -> &Bound<'_, PyString> {
    static NAMES: PyOnceLock<Vec<PyOnceLock<Py<PyString>>>> = PyOnceLock::new();
    let names = NAMES.get_or_init(py, || (0..Squares::NUMBERS).map(|_| PyOnceLock::new()).collect());
    names[number].get_or_init(py, || PyString::new(py, &Squares::of_number(number).uci()).unbind()).bind(py)
}
