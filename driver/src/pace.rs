//! The size of calls to a backend.

use std::time::Duration;

use crate::calls::EXPAND_AT_ONCE;

/// The deepest tree that one call counts. At this depth, every position has fewer than 2^64 leaves: a side has at most 15
/// pieces of at most 27 moves, 8 king moves and 2 castlings, fewer than 512 moves in all, and 512^7 is 2^63.
pub(crate) const MAX_CALL_DEPTH: u32 = 7;

/// The depth up to which trees always go to the backend: it makes no successors for the last ply, and few for the one
/// before.
const MIN_CALL_DEPTH: u32 = 2;

/// The fewest positions that are expanded together: fewer would leave a device idle.
pub(crate) const MIN_SLICE: usize = 64;

/// The time that a call of the backend should take, in seconds: short enough to be stopped and to show progress, long
/// enough to make its start-up time negligible.
const CALL_SECONDS: f64 = 0.2;

/// The number of leaves of the first call, before the speed is known: at most a few hundredths of a
/// second on one thread.
const FIRST_LEAVES: f64 = 4e6;

/// The number of leaves that any call may count, however slow the previous call was.
const FEWEST_LEAVES: f64 = 1e4;

/// The speed of a backend and the sizes of its trees, as measured so far.
pub(crate) struct Pace {
    /// The number of positions that keeps the device busy.
    batch: usize,
    /// The number of leaves that one call may count.
    leaves: f64,
    /// The number of leaves that no call may exceed, because a larger call ran out of memory.
    most: f64,
    /// Leaves below a position by depth, as last measured; 0 where unknown.
    below: [f64; MAX_CALL_DEPTH as usize + 1],
    /// Moves of a position, as last measured, but at least 2, so that slices shrink towards the root.
    moves: f64,
}

impl Pace {
    pub(crate) fn new(batch: usize) -> Self {
        Self {
            batch: batch.max(1),
            leaves: FIRST_LEAVES,
            most: f64::INFINITY,
            below: [0.0; MAX_CALL_DEPTH as usize + 1],
            moves: 35.0,
        }
    }

    /// Starts with small calls, for work that may be much slower than counting.
    pub(crate) fn careful(batch: usize) -> Self {
        Self { leaves: FEWEST_LEAVES, ..Self::new(batch) }
    }

    /// Returns whether one call can count enough trees of this depth to keep the device busy.
    pub(crate) fn can_call(&self, depth: u32) -> bool {
        depth <= MIN_CALL_DEPTH
            || depth <= MAX_CALL_DEPTH && self.leaves_below(depth) * self.batch as f64 <= self.leaves
    }

    /// Returns the number of trees of this depth for one call.
    pub(crate) fn chunk(&self, depth: u32) -> usize {
        ((self.leaves / self.leaves_below(depth)) as usize).max(1)
    }

    /// Returns the number of positions to expand together. When the trees below them are shallow enough for a call,
    /// there are about twice as many trees as keep the device busy.
    pub(crate) fn slice(&self, depth: u32) -> usize {
        let deepest = (MIN_CALL_DEPTH..depth.min(MAX_CALL_DEPTH + 1)).rev().find(|&depth| self.can_call(depth));
        let plies = depth - deepest.unwrap_or(MIN_CALL_DEPTH);
        let slice = 2.0 * self.batch as f64 / self.moves.powi(plies.min(1000) as i32);
        (slice as usize).clamp(MIN_SLICE, EXPAND_AT_ONCE)
    }

    /// Notes the time of a call.
    pub(crate) fn saw_call(&mut self, positions: usize, depth: u32, leaves: u128, elapsed: Duration) {
        let leaves = leaves as f64;
        self.below[depth as usize] = leaves / positions.max(1) as f64;
        let seconds = elapsed.as_secs_f64().max(1e-6);
        if seconds > CALL_SECONDS {
            self.leaves = (leaves * CALL_SECONDS / seconds).max(FEWEST_LEAVES).min(self.most);
        } else {
            // A small call looks slower than a large one, never faster. So the limit may rise, and a small call at
            // the end of the work does not lower it.
            self.leaves = self.leaves.max(leaves * CALL_SECONDS / seconds).min(self.most);
        }
    }

    /// Notes the successors of an expansion.
    pub(crate) fn saw_expansion(&mut self, positions: usize, successors: usize) {
        if positions > 0 {
            self.moves = (successors as f64 / positions as f64).max(2.0);
        }
    }

    /// Halves the limit after a call for this many positions ran out of memory.
    pub(crate) fn shrink(&mut self, depth: u32, positions: usize) {
        self.most = self.leaves_below(depth) * (positions / 2).max(1) as f64;
        self.leaves = self.most;
    }

    /// Returns the leaves below a position, at least 1: measured, or estimated from the nearest shallower depth
    /// measured.
    fn leaves_below(&self, depth: u32) -> f64 {
        let seen = (1..=depth.min(MAX_CALL_DEPTH)).rev().find(|&depth| self.below[depth as usize] > 0.0).unwrap_or(0);
        let below = if seen == 0 { 1.0 } else { self.below[seen as usize] };
        (below * self.moves.powi((depth - seen) as i32)).max(1.0)
    }
}
