//! The number of entries that a device takes in one batch.

use std::time::Duration;

use kogge_board::Pace;

use crate::Kind;

/// The maximum number of entries in one lease: more would only make the queries longer.
const MOST: u64 = 1 << 14;
/// A device takes at most its share of the entries that nobody has leased, divided by this number, so that no device waits long for
/// another at the end.
const PARTS: u64 = 4;

/// Returns the pace of batches of entries. A killed process loses one batch of positions. It loses only one range, because
/// each range's answer is written as soon as it is known, but each batch of ranges needs the ply above them.
pub(crate) fn pace(kind: Kind, alone: bool, entries: u64) -> Pace {
    let (first, milliseconds) = match kind {
        Kind::Positions if alone => (64, 50),
        Kind::Positions => (1, 1_000),
        Kind::Ranges | Kind::ReversedRanges if alone => (1, 120_000),
        // The plies between must be made even for a single range, so the first batch is not small, unless there are few ranges for other
        // processes.
        Kind::Ranges | Kind::ReversedRanges => ((entries / 64).clamp(1, 16), 120_000),
    };
    Pace::new(first, Duration::from_millis(milliseconds), 8)
}

/// Returns the maximum number of entries for a batch of one device, if `free` entries are left for all devices of all processes.
pub(crate) fn share(free: u64, devices: usize) -> u64 {
    (free / (PARTS * devices.max(1) as u64)).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entries_are_shared() {
        let pace = pace(Kind::Ranges, false, 10_000);
        assert_eq!((pace.next(share(1_000_000, 1)), share(1_000_000, 1), share(16, 2)), (16, MOST, 2));
        assert_eq!(pace.next(share(0, 2)), 1);
    }
}
