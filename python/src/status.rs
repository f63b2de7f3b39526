//! The methods of `Positions` that look at each position separately: checkers, status, evaluation, state.

use kogge::board::{
    attacks::{Sides, attackers},
    minimax::FIFTY_MOVES,
};
use kogge::movegen_cpu::is_material_insufficient;
use kogge::{Quad48, State};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::device;
use crate::failure::Failure;
use crate::positions::Positions;
use crate::work;

/// The numbers of `kogge.Status`.
mod numbers {
    pub(super) const ONGOING: u8 = 0;
    pub(super) const CHECKMATE: u8 = 1;
    pub(super) const STALEMATE: u8 = 2;
    pub(super) const INSUFFICIENT_MATERIAL: u8 = 3;
    pub(super) const FIFTY_MOVES: u8 = 4;
}

#[pymethods]
impl Positions {
    /// Returns the squares of the pieces that give check.
    fn checkers<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<u64>>, Failure> {
        self.each(py, checkers)
    }

    /// Returns whether each game is over, and why.
    fn status<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<u8>>, Failure> {
        let code = device::code()?;
        let rules = self.rules.castling;
        self.each(py, |quad| match () {
            () if code.count(&rules, quad) == 0 && checkers(quad) != 0 => numbers::CHECKMATE,
            () if code.count(&rules, quad) == 0 => numbers::STALEMATE,
            () if is_material_insufficient(&quad.unpack_unchecked()) => numbers::INSUFFICIENT_MATERIAL,
            () if quad.state().halfmove_clock() >= FIFTY_MOVES => numbers::FIFTY_MOVES,
            () => numbers::ONGOING,
        })
    }

    /// Returns the value of each position to the side to move, without looking ahead.
    fn evaluate<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<i32>>, Failure> {
        let code = device::code()?;
        self.each(py, |quad| code.evaluate(quad).value())
    }

    /// Returns which positions have black to move.
    fn black_to_move<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<bool>>, Failure> {
        self.each(py, |quad| quad.pawns & u64::from(State::BLACK) != 0)
    }

    /// Returns the plies since the last capture or pawn move.
    fn halfmove_clocks<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<u8>>, Failure> {
        self.each(py, |quad| quad.state().halfmove_clock())
    }
}

impl Positions {
    /// Returns an array with one element for each position.
    fn each<'py, T: Element + Send + Copy + Default>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Quad48) -> T + Sync,
    ) -> Result<Bound<'py, PyArray1<T>>, Failure> {
        let array = PyArray1::<T>::zeros(py, self.len(), false);
        let mut filled = array.readwrite();
        let out = filled.as_slice_mut().map_err(|error| Failure::Input(error.to_string()))?;
        work::fill(py, &self.buffer.quads(), out, 1, |quad, out| out.fill(of(quad)))?;
        drop(filled);
        Ok(array)
    }
}

fn checkers(quad: &Quad48) -> u64 {
    let Sides { own, their, empty } = Sides::of(quad);
    attackers(quad, quad.kings & own, empty) & their
}
