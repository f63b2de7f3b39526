//! The memory of an array of positions: made by kogge, or borrowed from NumPy.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use kogge::{Circle32, Format, Quad48};
use numpy::ndarray::ArrayView2;
use numpy::{Element, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::failure::Failure;

/// Packed positions in one of the two formats that consist of whole words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PackedSlice<'a> {
    /// Positions of 48 bytes.
    Quads(&'a [Quad48]),
    /// Positions of 32 bytes.
    Circles(&'a [Circle32]),
}

/// The owner of the memory.
enum Owner {
    Quads(Vec<Quad48>),
    Circles(Vec<Circle32>),
    /// A NumPy array of whole positions, contiguous and aligned, in this format.
    Array {
        _array: Py<PyArray2<u64>>,
        first: *const u64,
        positions: usize,
        format: Format,
    },
}

/// A part of some positions in memory. Cloning it or taking a part of it copies no position.
#[derive(Clone)]
pub(crate) struct Buffer {
    owner: Arc<Owner>,
    range: Range<usize>,
}

// SAFETY: the pointer points into the array's memory, and the reference to the array in this struct keeps this memory alive. Any
// thread may read the memory. kogge never writes to it.
unsafe impl Send for Owner {}
// SAFETY: as above.
unsafe impl Sync for Owner {}

impl From<Vec<Quad48>> for Buffer {
    fn from(quads: Vec<Quad48>) -> Self {
        Self { range: 0..quads.len(), owner: Arc::new(Owner::Quads(quads)) }
    }
}

impl From<Vec<Circle32>> for Buffer {
    fn from(circles: Vec<Circle32>) -> Self {
        Self { range: 0..circles.len(), owner: Arc::new(Owner::Circles(circles)) }
    }
}

impl Buffer {
    /// Borrows the words of a NumPy array of shape (N, 6) or (N, 4). An array that is not contiguous or not aligned is copied.
    pub(crate) fn of_array(array: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        let words = array.cast::<PyArray2<u64>>().map_err(|_| {
            let kind = array.get_type().to_string();
            let found = match (array.getattr("dtype"), array.getattr("shape")) {
                (Ok(dtype), Ok(shape)) => format!("dtype {dtype} and shape {shape}"),
                _ => kind,
            };
            Failure::Input(format!(
                "Positions are made from a NumPy array of dtype uint64 and shape (N, 6) or (N, 4); this one has {found}."
            ))
        })?;
        let format = match words.shape() {
            [_, 6] => Format::Quad48,
            [_, 4] => Format::Circle32,
            shape => {
                return Err(Failure::Input(format!(
                    "Positions have 6 words (quad48) or 4 words (circle32) each, so the shape must be (N, 6) or (N, 4), not \
                     {shape:?}."
                )));
            }
        };
        let is_usable =
            |array: &Bound<'_, PyArray2<u64>>| array.is_c_contiguous() && array.data().cast_const().is_aligned();
        let array = if is_usable(words) {
            words.clone()
        } else {
            words.call_method0("copy")?.cast_into::<PyArray2<u64>>().map_err(PyErr::from)?
        };
        let positions = array.shape()[0];
        let first = array.data().cast_const();
        let owner = Owner::Array { first, positions, format, _array: array.unbind() };
        Ok(Self { owner: Arc::new(owner), range: 0..positions })
    }

    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// Returns the positions as they are in memory.
    pub(crate) fn packed(&self) -> PackedSlice<'_> {
        let range = self.range.clone();
        match &*self.owner {
            Owner::Quads(quads) => PackedSlice::Quads(&quads[range]),
            Owner::Circles(circles) => PackedSlice::Circles(&circles[range]),
            // `from_raw_parts` does not accept a null pointer, which an empty array might have.
            Owner::Array { positions: 0, .. } => PackedSlice::Quads(&[]),
            &Owner::Array { first, positions, format, .. } => {
                // SAFETY: `of_array` has checked that the array is contiguous, aligned and of this shape. The reference in `owner`
                // keeps it alive, and NumPy does not move the memory of an array that others refer to. All bytes are valid words.
                // Python code that writes to the array at this moment makes the answer meaningless, as the documentation says.
                unsafe {
                    match format {
                        Format::Circle32 => {
                            PackedSlice::Circles(&std::slice::from_raw_parts(first.cast(), positions)[range])
                        }
                        _ => PackedSlice::Quads(&std::slice::from_raw_parts(first.cast(), positions)[range]),
                    }
                }
            }
        }
    }

    /// Returns the positions in 48 bytes, the form for computing; positions in 32 bytes are unpacked.
    pub(crate) fn quads(&self) -> Cow<'_, [Quad48]> {
        match self.packed() {
            PackedSlice::Quads(quads) => Cow::Borrowed(quads),
            PackedSlice::Circles(circles) => {
                let mut quads = vec![Quad48::default(); circles.len()];
                Circle32::unpack_all(circles, &mut quads);
                Cow::Owned(quads)
            }
        }
    }

    pub(crate) fn circles(&self) -> Cow<'_, [Circle32]> {
        match self.packed() {
            PackedSlice::Circles(circles) => Cow::Borrowed(circles),
            PackedSlice::Quads(quads) => {
                let mut circles = vec![Circle32::default(); quads.len()];
                Circle32::pack_all(quads, &mut circles);
                Cow::Owned(circles)
            }
        }
    }

    pub(crate) fn format(&self) -> Format {
        match (&*self.owner, self.packed()) {
            (Owner::Array { format, .. }, _) => *format,
            (_, PackedSlice::Quads(_)) => Format::Quad48,
            (_, PackedSlice::Circles(_)) => Format::Circle32,
        }
    }

    /// Returns the positions from `range.start` to `range.end`, without copying them.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        Self { owner: self.owner.clone(), range: start + range.start..start + range.end }
    }

    /// Returns copies of the positions with these numbers, in the same format.
    pub(crate) fn take(&self, indices: impl Iterator<Item = usize>) -> Self {
        match self.packed() {
            PackedSlice::Quads(quads) => indices.map(|index| quads[index]).collect::<Vec<_>>().into(),
            PackedSlice::Circles(circles) => indices.map(|index| circles[index]).collect::<Vec<_>>().into(),
        }
    }

    /// Returns the words as a read-only NumPy array. Their memory belongs to `owner`, an object that holds this buffer.
    pub(crate) fn words<'py>(&self, owner: Bound<'py, PyAny>) -> Bound<'py, PyArray2<u64>> {
        match self.packed() {
            PackedSlice::Quads(quads) if self.format() == Format::Quad48 => {
                view(bytemuck::must_cast_slice(quads), 6, owner)
            }
            PackedSlice::Quads(_) => view(&[], 4, owner),
            PackedSlice::Circles(circles) => view(bytemuck::must_cast_slice(circles), 4, owner),
        }
    }
}

/// Returns a view of memory that `owner` keeps alive, as read-only rows of `width` elements.
fn view<'py, T: Element>(elements: &[T], width: usize, owner: Bound<'py, PyAny>) -> Bound<'py, PyArray2<T>> {
    // SAFETY: the pointer points to as many elements as the shape has.
    let rows = unsafe { ArrayView2::from_shape_ptr((elements.len() / width, width), elements.as_ptr()) };
    // SAFETY: the memory belongs to `owner`, which never changes it.
    let array = unsafe { PyArray2::borrow_from_array(&rows, owner) };
    array.readwrite().make_nonwriteable();
    array
}
