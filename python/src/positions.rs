//! The class `Positions`: an array of positions, as a sequence.

use std::hash::{DefaultHasher, Hash, Hasher};

use kogge::{Fen, Format, Quad48};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

use crate::buffer::{Buffer, PackedSlice};
use crate::failure::Failure;
use crate::rules::Rules;
use crate::work;

/// An array of positions that share their rules.
#[pyclass(module = "kogge", frozen, sequence)]
pub(crate) struct Positions {
    pub(crate) buffer: Buffer,
    pub(crate) rules: Rules,
}

impl Positions {
    pub(crate) fn new(buffer: impl Into<Buffer>, rules: Rules) -> Self {
        Self { buffer: buffer.into(), rules }
    }

    pub(crate) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Checks that all positions are legal and packed in their canonical form.
    pub(crate) fn check_all(&self, py: Python<'_>) -> Result<(), Failure> {
        let rules = self.rules;
        let illegal = |index: usize, quad: &Quad48| {
            let position = quad.unpack_unchecked();
            let checked = rules.check(&position);
            let checked = checked.and_then(|()| match position.state.halfmove_clock() {
                0 => Ok(()),
                _ if rules.castling.halfmove_clock => Ok(()),
                clock => Err(format!(
                    "Its halfmove clock is {clock}, but its rules keep no clock; give the rules halfmove_clock=True, or call \
                     without_clock()."
                )),
            });
            checked.err().map(|reason| (index, reason))
        };
        let quads = self.buffer.quads();
        let found = work::map_chunks(py, &quads, 1, |start, chunk| {
            let first = (start..).zip(chunk).find_map(|(index, quad)| illegal(index, quad));
            first.map_or(Ok(()), |(index, reason)| Err(Failure::Position(index, reason)))
        });
        found?;
        // Words can hold a legal position and still differ from the words that this position packs to.
        if let PackedSlice::Circles(circles) = self.buffer.packed() {
            let canonical = Buffer::from(quads.into_owned());
            if let Some(index) = circles.iter().zip(&*canonical.circles()).position(|(given, packed)| given != packed) {
                let reason = "The bytes hold a legal position, but not as the circle32 format writes it.";
                return Err(Failure::Position(index, reason.to_owned()));
            }
        }
        Ok(())
    }

    pub(crate) fn fen(&self, quad: &Quad48) -> String {
        let fen = Fen::new(quad.unpack_unchecked(), self.rules.castling);
        Fen { shredder: self.rules.chess960, ..fen }.to_string()
    }
}

#[pymethods]
impl Positions {
    #[new]
    #[pyo3(signature = (words, rules = None, check = true))]
    fn from_words(words: &Bound<'_, PyAny>, rules: Option<Rules>, check: bool) -> Result<Self, Failure> {
        let positions = Self::new(Buffer::of_array(words)?, rules.unwrap_or_default());
        if check {
            positions.check_all(words.py())?;
        }
        Ok(positions)
    }

    /// Checks all positions again, because their memory may have changed.
    fn check(&self, py: Python<'_>) -> Result<(), Failure> {
        self.check_all(py)
    }

    #[getter]
    fn rules(&self) -> Rules {
        self.rules
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.buffer.format().name()
    }

    #[getter]
    fn words<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray2<u64>> {
        this.get().buffer.words(this.clone().into_any())
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        this: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let words = Self::words(this).into_any();
        match (dtype, copy) {
            (Some(dtype), _) => words.call_method1("astype", (dtype,)),
            (None, Some(true)) => words.call_method0("copy"),
            (None, _) => Ok(words),
        }
    }

    /// Returns the same positions in a format, `"quad48"` or `"circle32"`.
    pub(crate) fn to_format(this: &Bound<'_, Self>, format: &str) -> PyResult<Py<Self>> {
        let Self { buffer, rules } = this.get();
        let format = word_format(format)?;
        if format == buffer.format() {
            return Ok(this.clone().unbind());
        }
        let buffer = match format {
            Format::Quad48 => Buffer::from(buffer.quads().into_owned()),
            _ => Buffer::from(buffer.circles().into_owned()),
        };
        Py::new(this.py(), Self::new(buffer, *rules))
    }

    /// Returns the same positions under other rules.
    fn with_rules(&self, py: Python<'_>, rules: Rules) -> Result<Self, Failure> {
        let positions = Self::new(self.buffer.clone(), rules);
        positions.check_all(py)?;
        Ok(positions)
    }

    /// Returns the positions with all halfmove clocks 0, under rules that keep no clock.
    fn without_clock(&self) -> Self {
        let quads = self.buffer.quads();
        let quads: Vec<Quad48> = quads.iter().map(|quad| quad.with_halfmove_clock(0)).collect();
        Self::new(quads, Rules { castling: self.rules.counting(), ..self.rules })
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    fn __getitem__<'py>(this: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Self> {
        let Self { buffer, rules } = this.get();
        let len = buffer.len();
        if let Ok(index) = key.extract::<isize>() {
            let index = number(index, len).ok_or_else(|| {
                PyIndexError::new_err(format!("There is no position {index}; the array has {len}, numbered from 0."))
            })?;
            return Ok(Self::new(buffer.part(index..index + 1), *rules));
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            let indices = slice.indices(len as isize)?;
            let (start, step) = (indices.start, indices.step);
            let buffer = match step {
                // An empty slice may start beyond the end.
                _ if indices.slicelength == 0 => buffer.part(0..0),
                1 => buffer.part(start as usize..start as usize + indices.slicelength),
                _ => buffer.take((0..indices.slicelength as isize).map(|number| (start + number * step) as usize)),
            };
            return Ok(Self::new(buffer, *rules));
        }
        let indices = indices(key, len)?;
        Ok(Self::new(buffer.take(indices.into_iter()), *rules))
    }

    fn __iter__(this: &Bound<'_, Self>) -> PositionsIterator {
        PositionsIterator { positions: this.clone().unbind(), next: 0 }
    }

    fn __concat__(&self, other: &Self) -> Result<Self, Failure> {
        join(&[self, other])
    }

    /// Joins arrays that have the same rules.
    #[staticmethod]
    fn concatenate(parts: Vec<PyRef<'_, Self>>) -> Result<Self, Failure> {
        join(&parts.iter().map(|part| &**part).collect::<Vec<_>>())
    }

    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, operator: CompareOp) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented().into_bound(py)) };
        let other = other.get();
        let is_equal = || {
            self.rules == other.rules
                && match (self.buffer.packed(), other.buffer.packed()) {
                    (PackedSlice::Circles(one), PackedSlice::Circles(other)) => one == other,
                    _ => self.len() == other.len() && self.buffer.quads() == other.buffer.quads(),
                }
        };
        let answer = match operator {
            CompareOp::Eq => is_equal(),
            CompareOp::Ne => !is_equal(),
            _ => return Ok(py.NotImplemented().into_bound(py)),
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.rules.hash(&mut hasher);
        // Equal positions have equal hashes in both formats.
        self.buffer.quads().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = this.py();
        // A view of a large array would be pickled with the whole array.
        let words = Self::words(this).call_method0("copy")?;
        let arguments = (words, this.get().rules, false).into_pyobject(py)?;
        (py.get_type::<Self>(), arguments).into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        let quads = self.buffer.part(0..self.len().min(1));
        match (self.len(), quads.quads().first()) {
            (1, Some(quad)) => format!("Positions.from_fens([{:?}])", self.fen(quad)),
            (len, _) => format!("<{len} Positions, {}, {}>", self.format(), self.rules.text()),
        }
    }
}

/// Iterates over the positions of an array.
#[pyclass(module = "kogge")]
struct PositionsIterator {
    positions: Py<Positions>,
    next: usize,
}

#[pymethods]
impl PositionsIterator {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self) -> Option<Positions> {
        let Positions { buffer, rules } = self.positions.get();
        let index = self.next;
        (index < buffer.len()).then(|| {
            self.next += 1;
            Positions::new(buffer.part(index..index + 1), *rules)
        })
    }
}

/// Reads the name of a format whose positions are whole words.
pub(crate) fn word_format(name: &str) -> Result<Format, Failure> {
    match name.parse() {
        Ok(format @ (Format::Quad48 | Format::Circle32)) => Ok(format),
        _ => {
            Err(Failure::Input(format!("There is no format {name:?} of arrays; expected \"quad48\" or \"circle32\".")))
        }
    }
}

/// Joins arrays that have the same rules. Arrays in different formats are joined in 48 bytes.
fn join(parts: &[&Positions]) -> Result<Positions, Failure> {
    let Some(first) = parts.first() else { return Ok(Positions::new(Vec::<Quad48>::new(), Rules::default())) };
    if let Some(number) = parts.iter().position(|part| part.rules != first.rules) {
        let (one, other) = (first.rules.text(), parts[number].rules.text());
        return Err(Failure::Input(format!(
            "Arrays with different rules cannot be joined: the first has {one}, number {number} has {other}."
        )));
    }
    let are_circles = parts.iter().all(|part| part.buffer.format() == Format::Circle32);
    let buffer = if are_circles {
        Buffer::from(parts.iter().flat_map(|part| part.buffer.circles().into_owned()).collect::<Vec<_>>())
    } else {
        Buffer::from(parts.iter().flat_map(|part| part.buffer.quads().into_owned()).collect::<Vec<_>>())
    };
    Ok(Positions::new(buffer, first.rules))
}

/// Converts an index, which may count from the end, to a number from 0.
fn number(index: isize, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add_unsigned(len)? } else { index };
    usize::try_from(index).ok().filter(|&index| index < len)
}

/// Reads an array of indices or a mask.
fn indices(key: &Bound<'_, PyAny>, len: usize) -> PyResult<Vec<usize>> {
    let py = key.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (key,))?;
    if let Ok(mask) = array.cast::<PyArray1<bool>>() {
        let mask = mask.to_vec()?;
        if mask.len() != len {
            let found = mask.len();
            return Err(PyIndexError::new_err(format!(
                "The mask has {found} elements, but the array has {len} positions."
            )));
        }
        return Ok((0..len).filter(|&index| mask[index]).collect());
    }
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    let kind = array.getattr("dtype")?.getattr("kind")?.extract::<String>()?;
    if !(is_empty || kind == "i" || kind == "u") || array.getattr("ndim")?.extract::<usize>()? != 1 {
        let found = key.get_type().name()?.to_string();
        return Err(PyTypeError::new_err(format!(
            "Positions are indexed by a number, a slice, or an array of numbers or of bools with one dimension, not by {found}."
        )));
    }
    let array = array.call_method1("astype", ("int64",))?.cast_into::<PyArray1<i64>>()?;
    let read = |index: &i64| {
        number(*index as isize, len).ok_or_else(|| {
            PyIndexError::new_err(format!("There is no position {index}; the array has {len}, numbered from 0."))
        })
    };
    array.to_vec()?.iter().map(read).collect()
}
