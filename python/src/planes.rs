//! The method `planes` of `Positions`: boards as networks take them.

use kogge::board::bits::{Bits, PAWN_RANKS};
use kogge::{Color, Quad48};
use numpy::{Element, PyArray4, PyArrayMethods};
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::positions::Positions;
use crate::work;

/// The planes of pieces: six kinds of two sides.
const PIECES: usize = 12;
/// The planes of pieces, four castling rights, and the en-passant square.
const ALL: usize = 17;

#[pymethods]
impl Positions {
    /// Returns the boards as planes of zeros and ones.
    #[pyo3(signature = (planes = PIECES, *, dtype = "uint8", perspective = "white"))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        planes: usize,
        dtype: &str,
        perspective: &str,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        if ![PIECES, ALL].contains(&planes) {
            return Err(Failure::Input(format!(
                "There are {PIECES} planes of pieces, or {ALL} with the state, not {planes}."
            )));
        }
        let by_mover = match perspective {
            "white" => false,
            "mover" => true,
            _ => {
                let reason = format!("There is no perspective {perspective:?}; expected \"white\" or \"mover\".");
                return Err(Failure::Input(reason));
            }
        };
        match dtype {
            "uint8" => Ok(self.planes_of(py, planes, by_mover, 1_u8)?.into_any()),
            "float32" => Ok(self.planes_of(py, planes, by_mover, 1_f32)?.into_any()),
            _ => Err(Failure::Input(format!("There are no planes of {dtype:?}; expected \"uint8\" or \"float32\"."))),
        }
    }
}

impl Positions {
    fn planes_of<'py, T: Element + Copy + Send + Sync>(
        &self,
        py: Python<'py>,
        planes: usize,
        by_mover: bool,
        one: T,
    ) -> Result<Bound<'py, PyArray4<T>>, Failure> {
        let array = PyArray4::<T>::zeros(py, [self.len(), planes, 8, 8], false);
        let mut filled = array.readwrite();
        let out = filled.as_slice_mut().map_err(|error| Failure::Input(error.to_string()))?;
        work::fill(py, &self.buffer.quads(), out, planes * 64, |quad, out| {
            for (plane, board) in boards(quad, by_mover).into_iter().take(planes).enumerate() {
                Bits(board).for_each(|bit| out[plane * 64 + bit.trailing_zeros() as usize] = one);
            }
        })?;
        drop(filled);
        Ok(array)
    }
}

/// Returns the boards of all planes: pawns, knights, bishops, rooks, queens and kings of white, then of black; the rights K, Q, k and q,
/// each the whole board or nothing; and the en-passant square. From the perspective of the side to move, its pieces and rights come
/// first, and for black the board is flipped.
fn boards(quad: &Quad48, by_mover: bool) -> [u64; ALL] {
    let &Quad48 { white, knights, bishops_queens, rooks_queens, kings, .. } = quad;
    let pawns = quad.pawns & PAWN_RANKS;
    let queens = bishops_queens & rooks_queens;
    let kinds = [pawns, knights, bishops_queens & !queens, rooks_queens & !queens, queens, kings];
    let state = quad.state();
    let flips = by_mover && state.turn() == Color::Black;
    let view = |board: u64| if flips { board.swap_bytes() } else { board };
    let (first, rights) = match flips {
        false => (white, state.castling()),
        true => (!white, state.castling() >> 2 | state.castling() << 2 & 0b1100),
    };
    let mut boards = [0; ALL];
    for (index, kind) in kinds.into_iter().enumerate() {
        boards[index] = view(kind & first);
        boards[index + 6] = view(kind & !first);
    }
    for right in 0..4 {
        boards[PIECES + right] = if rights >> right & 1 != 0 { u64::MAX } else { 0 };
    }
    boards[ALL - 1] = view(state.en_passant_square().map_or(0, |square| square.bit()));
    boards
}
