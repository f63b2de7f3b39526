//! Merges whole plies, and notes what that costs.

use std::time::Instant;

use kogge_board::merge::{Filter, MergeError};
use kogge_board::{Fen, Pace};

use super::counter::RangePlies;
use super::estimates::MARGIN;
use super::route::NextPly;
use super::settings::MergeCosts;
use super::work::{StepError, Work, in_a_step, pace, root_entry};
use crate::Error;

/// A ply is large if its time is at least the quickest ply's time multiplied by this factor and at least [`LARGE_SECONDS`], and if it has at
/// least [`LARGE_SUCCESSORS`]. On a GPU, smaller plies take most of their time for buffers and waits.
const LARGE_PLY: f64 = 8.0;
const LARGE_SECONDS: f64 = 0.02;
const LARGE_SUCCESSORS: f64 = 1e6;

/// More moves than positions have on average.
const MANY_MOVES: u64 = 100;

/// Room for successors beyond the estimate.
const SPARE_ROOM: u64 = 1 << 12;

/// So few parents say little about the memory of a parent.
const FEW_PARENTS: u64 = 1 << 14;

/// A ply that does not fit is assumed to exceed its room by this factor.
const EXCESS: f64 = 1.3;

impl Work<'_> {
    /// Makes all successors that are kept, about `positions` and at most `limit`. Returns the number of paths to them, or `None` if
    /// they do not fit.
    pub(super) fn expand(
        &mut self,
        kept: Filter,
        positions: f64,
        limit: u64,
        seconds: f64,
    ) -> Result<Option<u128>, Error> {
        let mut room = (positions * MARGIN) as u64 + SPARE_ROOM;
        loop {
            let most = self.merge.sizes().capacity;
            room = room.min(most).min(limit);
            let mut paths = 0_u128;
            let begin = Instant::now();
            let reserved = self.merge.reserve(room, kept);
            self.room = (room, begin.elapsed().as_secs_f64());
            let expanded = reserved.map_err(StepError::from).and_then(|()| {
                let pace: fn(&mut Self) -> &mut Pace = |work| &mut work.expanding;
                let parents = self.merge.parents();
                self.in_steps(parents, pace, seconds, |work, range| {
                    let more = work.merge.expand(range)?;
                    paths = paths.checked_add(more).ok_or(MergeError::Overflow)?;
                    Ok(())
                })
            });
            let now = self.merge.sizes().capacity;
            match expanded {
                Ok(()) => return Ok(Some(paths)),
                // Other programs use the device's memory, too.
                Err(StepError::Full) if now < most && now as f64 >= positions => {}
                Err(StepError::Full) if room < now.min(limit) => room = room.saturating_mul(2),
                Err(StepError::Full) => return Ok(None),
                Err(StepError::Other(error)) => return Err(error),
            }
        }
    }

    /// Merges the whole next ply. Returns false if it does not fit; the work then has to [start again](Self::start_again).
    pub(crate) fn merge_whole(&mut self, ply: NextPly) -> Result<bool, Error> {
        let (begin, checked) = (Instant::now(), self.check_seconds);
        let parents = self.merge.successors();
        self.descend()?;
        let most = self.merge.sizes().capacity as f64;
        if parents > FEW_PARENTS {
            self.estimates.parent_share = ((self.estimates.capacity - most) / parents as f64).clamp(0.0, 1.0);
        }
        let Some(paths) = self.expand(Filter::All, ply.positions, u64::MAX, ply.seconds)? else {
            let most = self.merge.sizes().capacity as f64;
            self.estimates.too_large = Some((self.plies.len(), most * EXCESS));
            let beside_parents = most + self.estimates.parent_share * parents as f64;
            self.estimates.capacity = self.estimates.capacity.min(beside_parents);
            return Ok(false);
        };
        self.conserve(self.next_ply(), paths)?;
        // Estimates of merging leave the checks out: their time hardly grows with the ply.
        let seconds = begin.elapsed().as_secs_f64() - (self.check_seconds - checked);
        self.estimates.moves = (paths as f64 / (self.paths as f64).max(1.0)).max(1.01);
        self.paths = paths;
        self.note_costs(seconds, parents as f64 * self.estimates.moves, ply.positions);
        self.note(seconds);
        Ok(true)
    }

    /// Goes on to the last whole ply, at most `plies.whole`, that leaves enough room for ranges and for plies between. Returns its number. Begins
    /// again at the root if the last ply is made already.
    pub(crate) fn merge_fitting(&mut self, root: &Fen, plies: &RangePlies) -> Result<u32, Error> {
        plies.check(self.counted)?;
        if self.ply() >= plies.last {
            self.start_again(&[root_entry(root)])?;
        }
        while self.ply() < plies.whole && self.leaves_room(plies.last - self.next_ply()) {
            let next = self.next_whole();
            if !self.merge_whole(next)? {
                // Now the work knows that this ply does not fit.
                self.start_again(&[root_entry(root)])?;
            }
        }
        Ok(self.ply())
    }

    /// Updates the costs of merging after a ply with `successors` successors, made with capacity for about `positions` positions.
    fn note_costs(&mut self, seconds: f64, successors: f64, positions: f64) {
        self.quickest = self.quickest.min(seconds);
        let (ply, (room, room_seconds)) = (self.quickest, self.room);
        // A quick ply, too, needs some time for its room.
        let room_seconds = (room_seconds - 0.5 * ply).max(0.0);
        let several_tables = self.estimates.several_tables(positions);
        let each = |seconds: f64, count: f64| (seconds - 0.9 * ply).max(0.1 * seconds) / count.max(1.0);
        let mut costs = MergeCosts {
            ply,
            successor: each(seconds - room_seconds, successors) / several_tables,
            room: room_seconds / (room as f64).max(1.0),
        };
        if seconds >= LARGE_SECONDS.max(LARGE_PLY * ply) && successors >= LARGE_SUCCESSORS {
            // The factor for several tables is a guess, so other counts are not to rely on it.
            self.costs = if self.estimates.fit_in_one_table(positions) { Some(costs) } else { self.costs };
        } else if let Some(known) = self.known {
            // The time of a small ply says little about its successors. Larger plies have said more.
            (costs.successor, costs.room) = (known.successor, known.room);
        }
        let estimates = &mut self.estimates;
        (estimates.ply_seconds, estimates.merge_successor, estimates.room_each) = (ply, costs.successor, costs.room);
    }

    /// Uses what merging has cost on this device before.
    pub(super) fn recall(&mut self, costs: Option<MergeCosts>) {
        self.known = costs;
        let Some(costs) = costs else { return };
        self.quickest = costs.ply;
        // To add up a multiplicity takes less time than to merge a successor.
        let successors = in_a_step(costs.successor);
        self.summing = pace(successors.max(self.batch));
        self.expanding = pace((successors / MANY_MOVES).max(self.batch));
    }
}
