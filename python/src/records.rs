//! The records of network trainers: bulletformat and marlinformat.

use std::borrow::Cow;

use bytemuck::Pod;
use kogge::{GameResult, Position, Quad48};
use kogge_records::{BulletBoard, MarlinBoard, ScoredPosition};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::Failure;
use crate::positions::Positions;
use crate::rules::Rules;
use crate::sources::Collection;
use crate::work;

/// The bytes of a record.
const RECORD: usize = 32;

type Scores<'py> = Bound<'py, PyArray1<i16>>;
type Results<'py> = Bound<'py, PyArray1<u8>>;
type Numbers<'py> = Bound<'py, PyArray1<u16>>;

/// Reads records of bulletformat. Returns the positions, all with white to move, with the scores and results.
#[pyfunction]
pub(crate) fn unpack_bulletformat<'py>(
    data: &Bound<'py, PyAny>,
) -> Result<(Positions, Scores<'py>, Results<'py>), Failure> {
    let py = data.py();
    let read = |record: &BulletBoard| record.unpack().map_err(|error| error.to_string());
    let found = read_records(data, read)?;
    let quads: Vec<Quad48> = found.iter().map(|annotated| Quad48::from(&annotated.position)).collect();
    Ok((Positions::new(quads, Rules::default()), scores(py, &found), results(py, &found)))
}

/// Reads records of marlinformat. Returns the positions with the scores, results and move numbers.
#[pyfunction]
#[pyo3(signature = (data, *, castling = true))]
pub(crate) fn unpack_marlinformat<'py>(
    data: &Bound<'py, PyAny>,
    castling: bool,
) -> Result<(Positions, Scores<'py>, Results<'py>, Numbers<'py>), Failure> {
    let py = data.py();
    let read = |record: &MarlinBoard| record.unpack().map_err(|error| error.to_string());
    let found = read_records(data, read)?;
    let mut collection = Collection::new(None);
    for (index, (annotated, rules)) in found.iter().enumerate() {
        let position = match castling {
            true => annotated.position,
            false => Position { state: annotated.position.state.with_castling(0), ..annotated.position },
        };
        let added = collection.add_under(position, *rules);
        added.map_err(|reason| Failure::Position(index, reason))?;
    }
    let found: Vec<ScoredPosition> = found.into_iter().map(|(annotated, _)| annotated).collect();
    let numbers = PyArray1::from_vec(py, found.iter().map(|annotated| annotated.fullmove).collect());
    Ok((collection.finish(), scores(py, &found), results(py, &found), numbers))
}

/// Packs positions as records of bulletformat, an array of bytes of shape (N, 32).
#[pyfunction]
pub(crate) fn pack_bulletformat<'py>(
    py: Python<'py>,
    positions: &Positions,
    scores: &Bound<'py, PyAny>,
    results: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyArray2<u8>>, Failure> {
    let annotated = annotate(positions, scores, results, None)?;
    write_records(py, &annotated, BulletBoard::pack)
}

/// Packs positions as records of marlinformat, an array of bytes of shape (N, 32).
#[pyfunction]
#[pyo3(signature = (positions, scores, results, fullmoves = None))]
pub(crate) fn pack_marlinformat<'py>(
    py: Python<'py>,
    positions: &Positions,
    scores: &Bound<'py, PyAny>,
    results: &Bound<'py, PyAny>,
    fullmoves: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyArray2<u8>>, Failure> {
    let annotated = annotate(positions, scores, results, fullmoves)?;
    let rules = positions.rules.castling;
    write_records(py, &annotated, |annotated| MarlinBoard::pack(annotated, &rules))
}

/// Reads all records of some bytes, or of an array of bytes.
fn read_records<R: Pod + Sync, T: Send>(
    data: &Bound<'_, PyAny>,
    read: impl Fn(&R) -> Result<T, String> + Sync,
) -> Result<Vec<T>, Failure> {
    let py = data.py();
    let bytes: Cow<'_, [u8]> = if let Ok(bytes) = data.cast::<PyBytes>() {
        bytes.as_bytes().into()
    } else if let Ok(array) = data.cast::<PyArray1<u8>>() {
        array.to_vec().map_err(PyErr::from)?.into()
    } else if let Ok(array) = data.cast::<PyArray2<u8>>()
        && array.is_c_contiguous()
    {
        array.to_vec().map_err(PyErr::from)?.into()
    } else {
        let found = data.get_type();
        let reason =
            format!("Records are bytes, or a NumPy array of dtype uint8 with one or two dimensions; this is {found}.");
        return Err(PyTypeError::new_err(reason).into());
    };
    if !bytes.len().is_multiple_of(RECORD) {
        let found = bytes.len();
        return Err(Failure::Input(format!(
            "Records have {RECORD} bytes each; {found} bytes are not a whole number of them."
        )));
    }
    let records: Vec<R> = bytes.chunks_exact(RECORD).map(bytemuck::pod_read_unaligned).collect();
    work::map_chunks(py, &records, 1, |start, chunk| {
        let read = |(index, record)| read(record).map_err(|reason| Failure::Position(index, reason));
        (start..).zip(chunk).map(read).collect::<Result<Vec<T>, _>>()
    })
    .map(|parts| parts.into_iter().flatten().collect())
}

fn scores<'py>(py: Python<'py>, annotated: &[ScoredPosition]) -> Scores<'py> {
    PyArray1::from_vec(py, annotated.iter().map(|annotated| annotated.score).collect())
}

fn results<'py>(py: Python<'py>, annotated: &[ScoredPosition]) -> Results<'py> {
    PyArray1::from_vec(py, annotated.iter().map(|annotated| annotated.result as u8).collect())
}

/// Puts positions together with their scores, results and move numbers.
fn annotate(
    positions: &Positions,
    scores: &Bound<'_, PyAny>,
    results: &Bound<'_, PyAny>,
    fullmoves: Option<&Bound<'_, PyAny>>,
) -> Result<Vec<ScoredPosition>, Failure> {
    let len = positions.len();
    let scores: Vec<i16> = column("scores", scores, len)?;
    let results: Vec<u8> = column("results", results, len)?;
    let fullmoves: Vec<u16> = match fullmoves {
        Some(fullmoves) => column("fullmoves", fullmoves, len)?,
        None => vec![1; len],
    };
    let quads = positions.buffer.quads();
    let rows = quads.iter().zip(scores).zip(results).zip(fullmoves).enumerate();
    rows.map(|(index, (((quad, score), result), fullmove))| {
        let result = GameResult::new(result).ok_or_else(|| {
            Failure::Input(format!("Result {index} is {result}; expected 0 (black wins), 1 (draw) or 2 (white wins)."))
        })?;
        Ok(ScoredPosition { position: quad.unpack_unchecked(), score, result, fullmove })
    })
    .collect()
}

/// Reads one number for each position. NumPy refuses to turn numbers into a type that cannot hold them.
fn column<T: Element + Copy + TryFrom<i64>>(
    name: &str,
    numbers: &Bound<'_, PyAny>,
    positions: usize,
) -> Result<Vec<T>, Failure> {
    let wrong =
        |reason: String| Failure::Input(format!("The {name} must be one whole number for each position; {reason}."));
    let array = numbers.py().import("numpy")?.call_method1("asarray", (numbers,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape != [positions] {
        return Err(wrong(format!("there are {positions} positions, and the shape is {shape:?}")));
    }
    if kind != "i" && kind != "u" && positions > 0 {
        return Err(wrong(format!("the dtype is {}", array.getattr("dtype")?)));
    }
    let array = array.call_method1("astype", ("int64",))?.cast_into::<PyArray1<i64>>().map_err(PyErr::from)?;
    let narrow = |(index, number): (usize, &i64)| {
        T::try_from(*number).map_err(|_| {
            wrong(format!("number {index} is {number}, which does not fit in {} bits", 8 * size_of::<T>()))
        })
    };
    array.to_vec().map_err(PyErr::from)?.iter().enumerate().map(narrow).collect()
}

fn write_records<'py, R: Pod>(
    py: Python<'py>,
    annotated: &[ScoredPosition],
    pack: impl Fn(&ScoredPosition) -> R,
) -> Result<Bound<'py, PyArray2<u8>>, Failure> {
    let records: Vec<R> = annotated.iter().map(pack).collect();
    let bytes = PyArray1::from_slice(py, bytemuck::cast_slice::<R, u8>(&records));
    Ok(bytes.reshape([records.len(), RECORD])?)
}
