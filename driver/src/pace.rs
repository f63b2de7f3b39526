//! How much to ask of a backend at once.

use std::time::Duration;

/// The deepest tree that is left to one call. Below any position lie fewer than 2^64 leaves at this
/// depth: a side has at most 15 pieces of at most 27 moves, 8 king moves and 2 castlings, fewer than
/// 512 moves in all, and 512^7 is 2^63. So a count of 64 bits is enough, whatever the position.
pub(crate) const MAX_CALL_DEPTH: u32 = 7;

/// The shallowest tree that is worth expanding rather than leaving to a call: none of up to two
/// plies, since the backend makes no successors for the last ply, and few before.
const MIN_CALL_DEPTH: u32 = 2;

/// Fewest positions that are expanded together: of too few, a device would make little.
pub(crate) const MIN_SLICE: usize = 64;

/// How long a call of the backend should last, in seconds: short enough to be stopped and to show
/// progress, long enough that starting it does not matter.
const CALL_SECONDS: f64 = 0.2;

/// Leaves to ask for in the first call, before anything is known: at most a few hundredths of a
/// second on one thread, at any decent speed.
const FIRST_LEAVES: f64 = 4e6;

/// Leaves that any call may count, however slow the one before was.
const FEWEST_LEAVES: f64 = 1e4;

/// What was learnt about a backend and the trees it was given.
pub(crate) struct Pace {
    /// Positions that keep the device busy.
    batch: usize,
    /// Leaves that one call may count.
    leaves: f64,
    /// Leaves that no call may exceed, since one for more ran out of memory.
    most: f64,
    /// Leaves below a position by depth, as last seen; 0 where unknown.
    below: [f64; MAX_CALL_DEPTH as usize + 1],
    /// Moves of a position, as last seen, but at least 2, so that slices do shrink towards the root.
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

    /// The same for work that may be much slower than counting.
    pub(crate) fn careful(batch: usize) -> Self {
        Self { leaves: FEWEST_LEAVES, ..Self::new(batch) }
    }

    /// Whether trees of this depth go to the backend as they are: the deepest of which enough to
    /// keep the device busy can be counted in one call.
    pub(crate) fn can_call(&self, depth: u32) -> bool {
        depth <= MIN_CALL_DEPTH
            || depth <= MAX_CALL_DEPTH && self.leaves_below(depth) * self.batch as f64 <= self.leaves
    }

    /// How many trees of this depth one call should count.
    pub(crate) fn chunk(&self, depth: u32) -> usize {
        ((self.leaves / self.leaves_below(depth)) as usize).max(1)
    }

    /// How many positions to expand together so that, where trees are shallow enough for a call,
    /// there are about twice as many as keep the device busy.
    pub(crate) fn slice(&self, depth: u32) -> usize {
        let deepest = (MIN_CALL_DEPTH..depth.min(MAX_CALL_DEPTH + 1)).rev().find(|&depth| self.can_call(depth));
        let plies = depth - deepest.unwrap_or(MIN_CALL_DEPTH);
        let slice = 2.0 * self.batch as f64 / self.moves.powi(plies.min(1000) as i32);
        (slice as usize).clamp(MIN_SLICE, crate::driver::EXPAND_AT_ONCE)
    }

    /// A call was made.
    pub(crate) fn saw_call(&mut self, positions: usize, depth: u32, leaves: u128, elapsed: Duration) {
        let leaves = leaves as f64;
        self.below[depth as usize] = leaves / positions.max(1) as f64;
        let seconds = elapsed.as_secs_f64().max(1e-6);
        if seconds > CALL_SECONDS {
            self.leaves = (leaves * CALL_SECONDS / seconds).max(FEWEST_LEAVES).min(self.most);
        } else {
            // A small call looks slower than a large one would be, never faster: more may be asked for,
            // and a call that was quick because little was left to do says nothing against it.
            self.leaves = self.leaves.max(leaves * CALL_SECONDS / seconds).min(self.most);
        }
    }

    /// Positions were expanded.
    pub(crate) fn saw_expansion(&mut self, positions: usize, successors: usize) {
        if positions > 0 {
            self.moves = (successors as f64 / positions as f64).max(2.0);
        }
    }

    /// A call for this many positions was too large, and none so large will be made again.
    pub(crate) fn shrink(&mut self, depth: u32, positions: usize) {
        self.most = self.leaves_below(depth) * (positions / 2).max(1) as f64;
        self.leaves = self.most;
    }

    /// Leaves below a position, at least 1: seen or, from the nearest shallower depth seen, guessed.
    fn leaves_below(&self, depth: u32) -> f64 {
        let seen = (1..=depth.min(MAX_CALL_DEPTH)).rev().find(|&depth| self.below[depth as usize] > 0.0).unwrap_or(0);
        let below = if seen == 0 { 1.0 } else { self.below[seen as usize] };
        (below * self.moves.powi((depth - seen) as i32)).max(1.0)
    }
}
