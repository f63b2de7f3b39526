//! The functions that the page calls. Answers with several parts are JSON; errors are sentences.

use kogge_board::{Backend, self_test};
use kogge_check::DivideText;
use kogge_movegen_cpu::Cpu;
use wasm_bindgen::prelude::*;

use crate::{position, tree};

fn error(sentence: impl ToString) -> JsError {
    JsError::new(&sentence.to_string())
}

fn json(answer: &impl serde::Serialize) -> Result<String, JsError> {
    serde_json::to_string(answer).map_err(error)
}

/// Returns the standard positions: names and FENs.
#[wasm_bindgen]
pub fn standard() -> Result<String, JsError> {
    json(&position::standard())
}

/// Describes a position: its pieces and legal moves. In a tree of Chess960, every castling is written in this notation.
#[wasm_bindgen]
pub fn describe(fen: &str, chess960: bool) -> Result<String, JsError> {
    json(&position::describe(fen, chess960).map_err(error)?)
}

/// Explains why a move is legal or not.
#[wasm_bindgen]
pub fn explain(fen: &str, uci: &str) -> Result<String, JsError> {
    json(&kogge_check::explain(&position::parse(fen).map_err(error)?, uci))
}

/// Compares counts (JSON, pairs of a move and its count in decimal) with the text that another program printed.
#[wasm_bindgen]
pub fn compare(fen: &str, ours: &str, text: &str) -> Result<String, JsError> {
    let ours: Vec<(String, String)> = serde_json::from_str(ours).map_err(error)?;
    let counts = ours.into_iter().map(|(uci, count)| Ok((uci, count.parse().map_err(error)?)));
    let counts = counts.collect::<Result<Vec<_>, JsError>>()?;
    let fen = position::parse(fen).map_err(error)?;
    json(&kogge_check::compare(&fen, &counts, &DivideText::read(text)).map_err(error)?)
}

/// Divides the tree below some moves into tasks; the positions are those after the moves.
#[wasm_bindgen]
pub fn tasks(counter: &mut Counter, positions: Vec<String>, depth: u32, wanted: usize) -> Result<String, JsError> {
    json(&tree::tasks(&mut counter.cpu, &positions, depth, wanted).map_err(error)?)
}

/// The CPU backend on this thread.
#[wasm_bindgen]
pub struct Counter {
    cpu: Cpu,
    walk: Option<tree::Walk>,
    /// Whether the self-test of the kinds of moves has passed.
    tells_kinds: bool,
}

#[wasm_bindgen]
impl Counter {
    /// Starts the backend and runs its self-test.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Self, JsError> {
        let mut cpu = Cpu::new(Some(1)).map_err(error)?;
        self_test::counting(&mut cpu).map_err(error)?;
        Ok(Self { cpu, walk: None, tells_kinds: false })
    }

    /// The name of the code's variant.
    #[wasm_bindgen(getter)]
    pub fn variant(&self) -> String {
        self.cpu.info().variant.clone()
    }

    /// Begins to count `depth` plies below some positions.
    pub fn begin(&mut self, positions: Vec<String>, depth: u32) -> Result<(), JsError> {
        self.walk = Some(tree::Walk::new(&positions, depth).map_err(error)?);
        Ok(())
    }

    /// Counts some of the remaining leaves; does nothing if none remain.
    pub fn step(&mut self) -> Result<Option<u64>, JsError> {
        match &mut self.walk {
            Some(walk) if !walk.is_done() => {
                let leaves = walk.step(&mut self.cpu).map_err(error)?;
                // A step has far fewer leaves than 2^64.
                u64::try_from(leaves).map(Some).map_err(error)
            }
            _ => Ok(None),
        }
    }

    /// As `step`, by the kinds of moves that lead to the leaves: all, captures, en passant, castles, promotions, checks, discovered
    /// and double ones, mates. Before the first answer, the self-test of the kinds is run.
    pub fn step_by_kind(&mut self) -> Result<Option<Vec<u64>>, JsError> {
        if !self.tells_kinds {
            self_test::categories(&mut self.cpu).map_err(error)?;
            self.tells_kinds = true;
        }
        match &mut self.walk {
            Some(walk) if !walk.is_done() => {
                let numbers = walk.step_by_kind(&mut self.cpu).map_err(error)?.to_array();
                // A step has far fewer leaves than 2^64.
                let numbers = numbers.into_iter().map(u64::try_from).collect::<Result<Vec<_>, _>>();
                numbers.map(Some).map_err(error)
            }
            _ => Ok(None),
        }
    }
}
