//! Random games.

use kogge::Quad48;
use kogge::movegen_cpu::{Code, MoveFilter};
use pyo3::prelude::*;

use crate::device;
use crate::failure::Failure;
use crate::positions::Positions;
use crate::rules::Rules;
use crate::work;

#[pymethods]
impl Positions {
    /// Plays random legal moves from each position, all with the same probability, and returns the positions after them.
    #[pyo3(signature = (plies, seed = 0))]
    fn playouts(&self, py: Python<'_>, plies: u32, seed: u64) -> Result<Self, Failure> {
        let code = device::code()?;
        let quads = self.buffer.quads();
        let rules = &self.rules;
        let parts = work::map_chunks(py, &quads, plies as usize, |start, chunk| {
            let mut room = Vec::new();
            let games = (start..).zip(chunk);
            let last = |(game, quad): (usize, &Quad48)| play(code, rules, quad, plies, seed, game, &mut room);
            Ok::<_, Failure>(games.map(last).collect::<Vec<_>>())
        })?;
        Ok(Self::new(parts.concat(), self.rules))
    }
}

/// Plays one game. Its moves depend only on the seed and the number of the game, so they are the same on any number of threads.
fn play(
    code: &Code,
    rules: &Rules,
    start: &Quad48,
    plies: u32,
    seed: u64,
    game: usize,
    room: &mut Vec<Quad48>,
) -> Quad48 {
    let mut random = SplitMix(mixed(seed ^ mixed(game as u64)));
    let mut here = *start;
    for _ in 0..plies {
        room.clear();
        code.successors(&rules.castling, &here, MoveFilter::All, room);
        if room.is_empty() {
            break;
        }
        here = room[random.below(room.len())];
    }
    here
}

/// SplitMix64 (Steele, Lea and Flood, 2014): a small random number generator whose seeds may be close together.
struct SplitMix(u64);

impl SplitMix {
    /// Returns a random number less than `end`; the probabilities of two numbers differ by less than one in 2^55.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((u128::from(mixed(self.0)) * end as u128) >> 64) as usize
    }
}

/// Mixes all bits of a number.
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
