//! The class `Rules`: the rules that all positions of an array share.

use kogge::{Position, Rules as Castling};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::failure::Failure;

/// The rules that all positions of an array share.
#[pyclass(module = "kogge", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rules {
    /// The files of the castling rooks, and whether the halfmove clock is kept.
    pub(crate) castling: Castling,
    /// Whether moves are written as in Chess960: castling as the king's move to its rook.
    pub(crate) chess960: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { castling: Castling::STANDARD.with_halfmove_clock(true), chess960: false }
    }
}

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (castling = "HAha", *, chess960 = None, halfmove_clock = true))]
    fn new(castling: &str, chess960: Option<bool>, halfmove_clock: bool) -> Result<Self, Failure> {
        let castling_files = match *castling.as_bytes() {
            [k @ b'A'..=b'H', q @ b'A'..=b'H', black_k @ b'a'..=b'h', black_q @ b'a'..=b'h'] => {
                [k - b'A', q - b'A', black_k - b'a', black_q - b'a']
            }
            _ => {
                let reason =
                    "The castling rooks must be four files, two from A to H and two from a to h, such as \"HAha\".";
                return Err(Failure::Input(reason.to_owned()));
            }
        };
        let is_standard = castling_files == Castling::STANDARD.castling_files;
        if chess960 == Some(false) && !is_standard {
            let reason = "Only Chess960 has castling rooks on other files than H and A; leave chess960=False out.";
            return Err(Failure::Input(reason.to_owned()));
        }
        let castling = Castling { castling_files, halfmove_clock };
        Ok(Self { castling, chess960: chess960.unwrap_or(!is_standard) })
    }

    /// The files of the rooks of the rights K, Q, k and q, such as `"HAha"`.
    #[getter]
    fn castling(&self) -> String {
        let [a, b, c, d] = self.castling.castling_files;
        [b'A' + a, b'A' + b, b'a' + c, b'a' + d].map(char::from).iter().collect()
    }

    /// Whether kings may castle from any file, and castling is written as the king's move to its rook.
    #[getter]
    fn chess960(&self) -> bool {
        self.chess960
    }

    /// Whether moves count the plies since the last capture or pawn move. If not, all clocks become 0.
    #[getter]
    fn halfmove_clock(&self) -> bool {
        self.castling.halfmove_clock
    }

    fn __repr__(&self) -> String {
        self.text()
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("chess960", self.chess960)?;
        keywords.set_item("halfmove_clock", self.castling.halfmove_clock)?;
        Ok((PyTuple::new(py, [self.castling()])?, keywords))
    }
}

impl Rules {
    /// Checks that a position is legal, and under the rules of orthodox chess that it can occur in orthodox chess.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub(crate) fn check(&self, position: &Position) -> Result<(), String> {
        position.check(&self.castling).map_err(|error| error.to_string())?;
        let rights = position.state.castling();
        if self.chess960 || rights == 0 {
            return Ok(());
        }
        // A king with a castling right must be on its original square.
        let homes = [0b0011, 0b1100].iter().zip([1_u64 << 4, 1 << 60]);
        if homes.into_iter().all(|(side, home)| rights & side == 0 || position.kings & home != 0) {
            return Ok(());
        }
        Err("A king castles from another file than e, as only Chess960 allows; give the rules chess960=True."
            .to_owned())
    }

    /// Returns the rules as Python code.
    pub(crate) fn text(&self) -> String {
        let python = |flag| if flag { "True" } else { "False" };
        let (chess960, clock) = (python(self.chess960), python(self.castling.halfmove_clock));
        format!("Rules({:?}, chess960={chess960}, halfmove_clock={clock})", self.castling())
    }

    /// Returns the rules for counting, which keep no halfmove clock.
    pub(crate) fn counting(&self) -> Castling {
        self.castling.with_halfmove_clock(false)
    }
}
