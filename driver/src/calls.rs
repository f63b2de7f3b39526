//! Calls of a backend, with a check that it answered for all positions.

use kogge_board::{Backend, BackendError, Quad48, Rules, Successors, unwatched};

/// The deepest tree below a merged ply. At this depth, every position has fewer than 2^64 leaves: a side has at most 15
/// pieces of at most 27 moves, 8 king moves and 2 castlings, fewer than 512 moves in all, and 512^7 is 2^63.
pub(crate) const MAX_CALL_DEPTH: u32 = 7;

/// The maximum number of positions in one call of [`Backend::expand`]. Their successors take 27 MiB at a typical 35
/// moves per position, and 311 MiB at 415 moves, more than any position has.
pub(crate) const EXPAND_AT_ONCE: usize = 1 << 14;

/// Expands positions; the result has one end for each position.
pub(crate) fn expand(
    backend: &mut dyn Backend,
    rules: &Rules,
    positions: &[Quad48],
) -> Result<Successors, BackendError> {
    let successors = backend.expand(rules, positions)?;
    let ends = &successors.ends;
    if ends.len() != positions.len()
        || !ends.is_sorted()
        || ends.last().copied().unwrap_or(0) != successors.positions.len()
    {
        return Err(miscounted(backend, ends.len(), positions.len()));
    }
    Ok(successors)
}

pub(crate) fn count_moves(
    backend: &mut dyn Backend,
    rules: &Rules,
    positions: &[Quad48],
) -> Result<Vec<u128>, BackendError> {
    let counts = backend.perft(rules, positions, 1, &mut unwatched)?;
    if counts.len() == positions.len() { Ok(counts) } else { Err(miscounted(backend, counts.len(), positions.len())) }
}

/// Returns the error of a backend whose answer covers too few or too many positions.
pub(crate) fn miscounted(backend: &dyn Backend, answers: usize, positions: usize) -> BackendError {
    let device = backend.info().name.clone();
    BackendError::WrongAnswer { device, reason: format!("it answered for {answers} of {positions} positions.") }
}
