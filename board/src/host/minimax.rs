//! Exhaustive minimax with any backend: the device finds the moves, the host evaluates.

use crate::attacks::in_check;
use crate::error::check_depth;
use crate::minimax::{QUIESCENCE_PLIES, is_fifty_moves, tactical, without_moves};
use crate::{Backend, BackendError, Leaves, Quad48, Rules, Score, Watch, evaluate, report, unwatched};

/// The number of positions that are expanded together; each ply holds their successors.
const SLICE: usize = 1 << 11;
/// The number of leaves whose quiescence searches run together.
const TOGETHER: usize = 1 << 13;

/// Computes [`Backend::minimax`] for a backend without code of its own: the device finds the moves level by
/// level, and the host evaluates the leaves and backs the values up. The watch is called before each of the many calls of the
/// backend.
///
/// # Errors
/// The backend's errors; [`BackendError::Depth`] if the depth exceeds [`MAX_DEPTH`](crate::minimax::MAX_DEPTH);
/// [`BackendError::Stopped`] if `watch` breaks.
pub fn minimax<B: Backend + ?Sized>(
    backend: &mut B,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    leaves: Leaves,
    watch: &mut Watch<'_>,
) -> Result<Vec<Score>, BackendError> {
    let mut evaluated = 0;
    minimax_within(backend, rules, positions, depth, leaves, [0.0, 1.0], &mut |leaves, share| {
        evaluated += leaves;
        report(watch, evaluated, share)
    })
}

/// Receives the number of leaves evaluated since the last report, and the share of the work that is done.
type Check<'c> = dyn FnMut(u128, f64) -> Result<(), BackendError> + 'c;

/// Returns the values of positions; the progress goes from one share of the whole to another.
fn minimax_within<B: Backend + ?Sized>(
    backend: &mut B,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    leaves: Leaves,
    [begin, end]: [f64; 2],
    check: &mut Check<'_>,
) -> Result<Vec<Score>, BackendError> {
    check_depth(depth)?;
    let mut values = Vec::with_capacity(positions.len());
    for slice in positions.chunks(SLICE) {
        let share = |done: usize| begin + (end - begin) * done as f64 / positions.len() as f64;
        let span = [values.len(), values.len() + slice.len()].map(share);
        check(0, span[0])?;
        if depth == 0 {
            evaluate_leaves(backend, rules, slice, leaves, &mut || check(0, span[0]), &mut values)?;
            check(slice.len() as u128, span[1])?;
            continue;
        }
        let successors = backend.expand(rules, slice)?;
        let below = minimax_within(backend, rules, &successors.positions, depth - 1, leaves, span, check)?;
        let mut start = 0;
        for (position, &end) in slice.iter().zip(&successors.ends) {
            let best = below.get(start..end).unwrap_or_default().iter().map(|value| value.one_ply_up()).max();
            values.push(match best {
                Some(_) if is_fifty_moves(rules, position) => Score::DRAW,
                Some(best) => best,
                None => without_moves(position),
            });
            start = end;
        }
    }
    Ok(values)
}

fn evaluate_leaves<B: Backend + ?Sized>(
    backend: &mut B,
    rules: &Rules,
    positions: &[Quad48],
    leaves: Leaves,
    check: &mut dyn FnMut() -> Result<(), BackendError>,
    values: &mut Vec<Score>,
) -> Result<(), BackendError> {
    let first = values.len();
    let counts = backend.perft(rules, positions, 1, &mut unwatched)?;
    let mut unquiet = Vec::new();
    for (position, moves) in positions.iter().zip(counts) {
        values.push(match leaves {
            _ if moves == 0 => without_moves(position),
            _ if is_fifty_moves(rules, position) => Score::DRAW,
            Leaves::Static => evaluate(position),
            Leaves::Quiescent => {
                unquiet.push((values.len(), Search::new(*position)));
                Score::DRAW
            }
        });
    }
    for searches in unquiet.chunks_mut(TOGETHER) {
        let mut running: Vec<_> = searches.iter_mut().collect();
        while !running.is_empty() {
            check()?;
            running.retain_mut(|(index, search)| match search.run(rules) {
                Some(value) => {
                    values[*index] = Score::from_value(value);
                    false
                }
                None => true,
            });
            let asked: Vec<_> = running.iter().map(|(_, search)| search.asked).collect();
            let successors = backend.expand(rules, &asked)?;
            for ((_, search), successors) in running.iter_mut().zip(successors.iter()) {
                search.answer(rules, successors);
            }
        }
    }
    debug_assert_eq!(values.len(), first + positions.len());
    Ok(())
}

/// A quiescence search of one leaf: alpha-beta, depth first. It pauses whenever it needs successors, so that many
/// searches run together and one batch makes the successors for all.
///
/// Distances to mate are counted from the leaf.
struct Search {
    nodes: Vec<Node>,
    /// The position whose successors the search waits for.
    asked: Quad48,
    /// The window and the best value so far for that position.
    window: [i32; 2],
    best: i32,
    /// Whether that position is in check; if so, all its successors are searched.
    check: bool,
    /// The value of the successor searched last, to be passed to the topmost node.
    found: Option<i32>,
}

/// A position whose successors are searched one after the other.
struct Node {
    /// The successors still to be searched, last first.
    successors: Vec<Quad48>,
    best: i32,
    alpha: i32,
    beta: i32,
}

impl Search {
    fn new(leaf: Quad48) -> Self {
        let window = [-Score::INFINITE.value(), Score::INFINITE.value()];
        let mut search = Self { nodes: Vec::new(), asked: leaf, window, best: 0, check: false, found: None };
        search.enter(leaf, window, false);
        search
    }

    /// Enters a position: computes its value, or asks for its successors.
    fn enter(&mut self, position: Quad48, window: [i32; 2], is_fifty_moves: bool) {
        let ply = self.nodes.len() as u32;
        self.found = None;
        if ply == QUIESCENCE_PLIES {
            self.found = Some(evaluate(&position).value());
            return;
        }
        self.check = in_check(&position);
        self.best = if self.check { Score::mated(ply).value() } else { evaluate(&position).value() };
        self.asked = position;
        self.window = [window[0].max(self.best), window[1]];
        if is_fifty_moves && !self.check {
            self.found = Some(Score::DRAW.value());
        } else if !self.check && self.best >= window[1] {
            self.found = Some(self.best);
        }
    }

    /// Receives the successors that the search waits for.
    fn answer(&mut self, rules: &Rules, successors: &[Quad48]) {
        let count = if self.check { successors.len() } else { tactical(&self.asked, successors) };
        if count > 0 && is_fifty_moves(rules, &self.asked) {
            self.found = Some(Score::DRAW.value());
            return;
        }
        let successors = successors[..count].iter().rev().copied().collect();
        let [alpha, beta] = self.window;
        self.nodes.push(Node { successors, best: self.best, alpha, beta });
    }

    /// Runs until the leaf's value is known or the search waits for successors.
    fn run(&mut self, rules: &Rules) -> Option<i32> {
        loop {
            if let Some(found) = self.found.take() {
                let Some(node) = self.nodes.last_mut() else { return Some(found) };
                node.best = node.best.max(-found);
                node.alpha = node.alpha.max(node.best);
            } else if self.nodes.is_empty() {
                return None;
            }
            let node = self.nodes.last_mut()?;
            let next = if node.alpha >= node.beta { None } else { node.successors.pop() };
            match next {
                Some(position) => {
                    let window = [-node.beta, -node.alpha];
                    self.enter(position, window, is_fifty_moves(rules, &position));
                    // A search without a value waits for successors.
                    self.found?;
                }
                None => {
                    self.found = Some(node.best);
                    self.nodes.pop();
                }
            }
        }
    }
}
