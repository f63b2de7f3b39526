//! The methods of `Positions` that a device answers: counts, successors, perft, statistics, minimax.

use std::time::Duration;

use kogge::board::Pace;
use kogge::driver::Frontier;
use kogge::movegen_cpu::MoveFilter;
use kogge::{Backend, Categories, Driver, Fen, Leaves, NamedDevice, Quad48, Score, Successors, Watch};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::device;
use crate::failure::Failure;
use crate::positions::Positions;
use crate::work::{self, FEW};

/// Takes one number from the statistics of a position.
type Column = fn(&Categories) -> u128;

/// The maximum number of plies that are counted in chunks. Deeper counts are made by single calls that report their progress.
const SHALLOW: u32 = 3;

/// The maximum number of positions in one call, by the plies to count below them: a fraction of a second of work.
const AT_ONCE: [u64; SHALLOW as usize + 1] = [1 << 20, 1 << 20, 1 << 17, 1 << 13];

/// The pace of calls that a watch can stop.
fn steady(at_once: u64) -> Pace {
    Pace::new(at_once, Duration::ZERO, 1)
}

/// The pace of calls that expand, which nothing stops. The CPU expands a million positions in a fraction of a second; their
/// successors, 1.7 GB at 35 moves a position, are not copied, but those of further calls are.
fn expanding(device: NamedDevice) -> Pace {
    if device::is_cpu(device) { steady(work::AT_ONCE) } else { Pace::new(1 << 12, Duration::from_millis(100), 4) }
}

#[pymethods]
impl Positions {
    /// Counts the legal moves of each position.
    #[pyo3(signature = (device = "auto"))]
    fn count<'py>(&self, py: Python<'py>, device: &str) -> Result<Bound<'py, PyArray1<u32>>, Failure> {
        let device = device::named(device)?;
        let quads = self.buffer.quads();
        let rules = self.rules.castling;
        let mut counts = Vec::with_capacity(quads.len());
        if quads.len() <= FEW && device::is_cpu(device) {
            let code = device::code()?;
            counts.extend(quads.iter().map(|quad| code.count(&rules, quad)));
        } else {
            let open = || device::open_near(device);
            work::in_chunks(
                py,
                &quads,
                steady(AT_ONCE[1]),
                open,
                |it, chunk, watch| it.perft(&rules, chunk, 1, watch),
                // A position has at most a few hundred moves.
                |part| counts.extend(part.into_iter().map(|moves| moves as u32)),
            )?;
        }
        answered(counts.len(), quads.len())?;
        Ok(PyArray1::from_vec(py, counts))
    }

    /// Makes the successors of all positions. Returns them with the offsets of each position's successors.
    #[pyo3(signature = (device = "auto"))]
    fn expand<'py>(&self, py: Python<'py>, device: &str) -> Result<(Self, Bound<'py, PyArray1<i64>>), Failure> {
        let device = device::named(device)?;
        let quads = self.buffer.quads();
        let rules = self.rules.castling;
        let mut children: Vec<Quad48> = Vec::new();
        let mut offsets: Vec<i64> = Vec::with_capacity(quads.len() + 1);
        offsets.push(0);
        if quads.len() <= FEW && device::is_cpu(device) {
            let code = device::code()?;
            // Most positions have fewer moves.
            children.reserve(48 * quads.len());
            for quad in quads.iter() {
                code.successors(&rules, quad, MoveFilter::All, &mut children);
                offsets.push(children.len() as i64);
            }
        } else {
            let open = || device::open_near(device);
            let join = |part: Successors| {
                let start = children.len();
                offsets.extend(part.ends.iter().map(|&end| (start + end) as i64));
                if start == 0 {
                    children = part.positions;
                } else {
                    children.extend(part.positions);
                }
            };
            work::in_chunks(py, &quads, expanding(device), open, |it, chunk, _| it.expand(&rules, chunk), join)?;
        }
        answered(offsets.len() - 1, quads.len())?;
        Ok((Self::new(children, self.rules), PyArray1::from_vec(py, offsets)))
    }

    /// Counts the leaves `depth` plies below each position.
    #[pyo3(signature = (depth, device = "auto", progress = None))]
    fn perft<'py>(
        &self,
        py: Python<'py>,
        depth: u32,
        device: &str,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyArray1<u64>>, Failure> {
        let device = device::named(device)?;
        let quads = self.buffer.quads();
        let rules = self.rules.counting();
        let depth = checked_depth(depth)?;
        if depth <= SHALLOW {
            let mut counts = Vec::with_capacity(quads.len());
            let (open, pace) = (|| device::open_near(device), steady(AT_ONCE[depth as usize]));
            let call =
                |it: &mut dyn Backend, chunk: &[Quad48], watch: &mut Watch<'_>| it.perft(&rules, chunk, depth, watch);
            work::in_chunks(py, &quads, pace, open, call, |part| counts.extend(part))?;
            answered(counts.len(), quads.len())?;
            return Ok(PyArray1::from_vec(py, narrow(counts)?));
        }
        let frontier = self.frontier(&quads)?;
        let counts = work::run(py, progress, |watcher| {
            let count = |backend: &mut dyn Backend, depth| {
                let counts = Driver::new(backend, watcher).count_below(&frontier, depth)?;
                Ok(counts.into_iter().fold(0, u128::saturating_add))
            };
            let open = device::open_for(device, depth, count)?;
            Ok(open.with(|backend| Driver::new(backend, watcher).count_below(&frontier, depth))??)
        })?;
        Ok(PyArray1::from_vec(py, narrow(counts)?))
    }

    /// Counts the leaves `depth` plies below each position by the moves that lead to them.
    #[pyo3(signature = (depth, device = "auto", progress = None))]
    fn stats<'py>(
        &self,
        py: Python<'py>,
        depth: u32,
        device: &str,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyDict>, Failure> {
        let device = device::named(device)?;
        let depth = checked_depth(depth)?;
        let quads = self.buffer.quads();
        if depth <= SHALLOW {
            let (rules, mut stats) = (self.rules.counting(), Vec::with_capacity(quads.len()));
            // Counting by kind takes longer than counting.
            let (open, pace) = (|| device::open_near(device), steady(AT_ONCE[depth as usize] / 4));
            let call = |it: &mut dyn Backend, chunk: &[Quad48], watch: &mut Watch<'_>| {
                it.categories(&rules, chunk, depth, watch)
            };
            work::in_chunks(py, &quads, pace, open, call, |part| stats.extend(part))?;
            answered(stats.len(), quads.len())?;
            return columns(py, &stats);
        }
        let roots: Vec<_> = quads.iter().map(|quad| self.root(quad)).collect();
        let stats = work::run(py, progress, |watcher| {
            let count = |backend: &mut dyn Backend, depth| {
                let mut driver = Driver::new(backend, watcher);
                roots.iter().try_fold(0_u128, |sum, root| Ok(sum.saturating_add(driver.stats(root, depth)?.nodes)))
            };
            let open = device::open_for(device, depth, count)?;
            let stats = open.with(|backend| {
                let mut driver = Driver::new(backend, watcher);
                roots.iter().map(|root| driver.stats(root, depth)).collect::<Result<Vec<Categories>, _>>()
            });
            Ok(stats??)
        })?;
        columns(py, &stats)
    }

    /// Returns the value of each position by exhaustive minimax.
    #[pyo3(signature = (depth, quiescence = true, device = "auto", progress = None))]
    fn minimax<'py>(
        &self,
        py: Python<'py>,
        depth: u32,
        quiescence: bool,
        device: &str,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyArray1<i32>>, Failure> {
        let device = device::named(device)?;
        kogge::board::check_depth(depth)?;
        let leaves = if quiescence { Leaves::Quiescent } else { Leaves::Static };
        let quads = self.buffer.quads();
        let rules = self.rules.castling;
        let scores = work::run(py, progress, |watcher| {
            let count = |backend: &mut dyn Backend, depth| {
                Ok(Driver::new(backend, watcher).minimax(&rules, &quads, depth, leaves)?.1)
            };
            let open = device::open_for(device, depth, count)?;
            Ok(open.with(|backend| Driver::new(backend, watcher).minimax(&rules, &quads, depth, leaves))??.0)
        })?;
        Ok(PyArray1::from_vec(py, scores.into_iter().map(Score::value).collect()))
    }
}

fn columns<'py>(py: Python<'py>, stats: &[Categories]) -> Result<Bound<'py, PyDict>, Failure> {
    let answer = PyDict::new(py);
    let columns: [(&str, Column); 9] = [
        ("nodes", |stats| stats.nodes),
        ("captures", |stats| stats.captures),
        ("en_passant", |stats| stats.en_passant),
        ("castles", |stats| stats.castles),
        ("promotions", |stats| stats.promotions),
        ("checks", |stats| stats.checks),
        ("discovered", |stats| stats.discovered),
        ("double", |stats| stats.double),
        ("mates", |stats| stats.mates),
    ];
    for (name, column) in columns {
        let numbers = narrow(stats.iter().map(column))?;
        answer.set_item(name, PyArray1::from_vec(py, numbers))?;
    }
    Ok(answer)
}

impl Positions {
    fn frontier(&self, quads: &[Quad48]) -> Result<Frontier, Failure> {
        let entries = quads.iter().map(|quad| (quad.unpack_unchecked(), 1));
        Frontier::from_entries(&self.rules.counting(), 0, entries).map_err(|error| Failure::Input(error.to_string()))
    }

    fn root(&self, quad: &Quad48) -> Fen {
        Fen::new(quad.unpack_unchecked(), self.rules.castling)
    }
}

/// Refuses depths beyond the driver's.
pub(crate) fn checked_depth(depth: u32) -> Result<u32, Failure> {
    match depth {
        ..=kogge::MAX_DEPTH => Ok(depth),
        _ => Err(Failure::Input(format!(
            "A depth of {depth} plies is too deep; it can be {} at most.",
            kogge::MAX_DEPTH
        ))),
    }
}

fn narrow(counts: impl IntoIterator<Item = u128>) -> Result<Vec<u64>, Failure> {
    let narrow = |(index, count): (usize, u128)| {
        let reason = || format!("The count below position {index} exceeds 2^64; kogge.perft() counts up to 2^128.");
        u64::try_from(count).map_err(|_| Failure::Overflow(reason()))
    };
    counts.into_iter().enumerate().map(narrow).collect()
}

/// Checks that a device has answered for all positions.
fn answered(answers: usize, positions: usize) -> Result<(), Failure> {
    match answers == positions {
        true => Ok(()),
        false => Err(Failure::Device(format!("The device answered for {answers} of {positions} positions."))),
    }
}
