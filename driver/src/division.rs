//! The division of a tree among devices that share its count: ranges of its last merged ply.

#[cfg(doc)]
use kogge_board::merge::Key;
use kogge_board::merge::KeyRange;
use kogge_board::{Backend, Fen};

use crate::calls::MAX_CALL_DEPTH;
use crate::{Driver, Error, MergeSettings, Observer, Quantity, RangeCounter, RangePlies};

/// A device, and its settings for merging.
pub struct MergeDevice {
    /// The backend of the device.
    pub backend: Box<dyn Backend>,
    /// The memory for merged positions, the hash bits, and the costs of earlier merging; the other settings are ignored.
    pub settings: MergeSettings,
}

impl MergeDevice {
    /// Returns a device that merges within this number of bytes.
    pub fn with_memory(backend: Box<dyn Backend>, memory: u64) -> Self {
        Self { backend, settings: MergeSettings::with_memory(memory) }
    }
}

/// The default number of positions in a range.
const POSITIONS_EACH: f64 = (1_u64 << 26) as f64;

/// The minimum number of positions that justify a range.
const FEWEST_EACH: f64 = 64.0;

/// The minimum number of ranges, unless a number is requested or the ply is tiny: enough for devices that join later.
const LEAST: u32 = 64;

/// The number of ranges of reversed keys for each device: so few that their cost stays small, enough to balance the devices.
const REVERSED_EACH: u32 = 4;

/// The most ranges.
const MOST: u32 = 1 << 16;

/// The requirements for a [`Division`].
#[derive(Clone, Copy, Debug)]
pub struct DivisionRequest {
    /// The last merged ply; with `None`, the plan chooses it.
    pub ply: Option<u32>,
    /// The approximate number of ranges; with `None`, the size of the ply decides.
    pub ranges: Option<u32>,
    /// The quantity that will be counted below the ply.
    pub counted: Quantity,
    /// The number of equal devices that share the ranges, if no others join later. Then ranges may be those of [reversed](Key::reversed) keys,
    /// which are better if the devices count in runs.
    pub devices: Option<u32>,
}

/// The last merged ply of a tree, in ranges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Division {
    /// The number of the ply.
    pub ply: u32,
    /// Ranges that cover all keys, in their order.
    pub ranges: Vec<KeyRange>,
    /// Whether these are ranges of [reversed](Key::reversed) keys.
    pub is_reversed: bool,
    /// The number of paths to the ply, counted without ranges.
    pub paths: u128,
}

impl Division {
    /// The plies that may be the last merged one of a tree: none if the tree is too shallow.
    pub fn plies(depth: u32, counted: Quantity) -> std::ops::RangeInclusive<u32> {
        depth.saturating_sub(MAX_CALL_DEPTH).max(1)..=depth.saturating_sub(counted.least_below())
    }

    /// Divides a tree. The device plans the last ply, samples it, and counts the paths to it.
    ///
    /// # Errors
    /// [`Error::RangePlies`] if the ply cannot be the last merged one, [`Error::Memory`] if the plies do not fit; otherwise as
    /// [`Driver::perft`].
    pub fn of(
        device: &mut MergeDevice,
        root: &Fen,
        depth: u32,
        wanted: &DivisionRequest,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let MergeDevice { backend, settings } = device;
        let mut driver = Driver::new(&mut **backend, observer);
        let settings = MergeSettings { plies: wanted.ply, ..settings.counting(wanted.counted) };
        let plan = driver.plan_merged(root, depth, &settings)?;
        let (least, most) = Self::plies(depth, wanted.counted).into_inner();
        let ply = wanted.ply.unwrap_or(plan.last_ply().min(most).max(least));
        // Two plies before the last, fewer positions take less time and memory. Whoever counts makes the next ply by itself, so the
        // paths come from another way of counting.
        let reversed = wanted.devices.filter(|_| plan.is_reversed && plan.last_ply() == ply);
        let is_reversed = reversed.is_some();
        let plies = RangePlies { whole: ply.saturating_sub(2), last: ply, depth, is_reversed };
        let mut counter = RangeCounter::fitting(&mut driver, root, plies, &settings)?;
        let count = match reversed {
            Some(devices) => wanted.reversed(plan.ranges(), devices),
            None => wanted.count(counter.estimated_positions()),
        };
        let (ranges, paths) = (counter.borders(count)?, counter.paths());
        Ok(Self { ply, ranges, is_reversed, paths })
    }
}

impl DivisionRequest {
    fn count(&self, positions: f64) -> u32 {
        let by_size = || {
            let wanted = (positions / POSITIONS_EACH).max(LEAST.into());
            wanted.min(positions / FEWEST_EACH).ceil() as u32
        };
        self.ranges.unwrap_or_else(by_size).clamp(1, MOST)
    }

    /// Returns the number of ranges of reversed keys for some devices, of which one alone needs `needed`: the same number for each device.
    /// Such ranges are few and large, because more of them expand the same position of the previous ply than in the usual order.
    fn reversed(&self, needed: u32, devices: u32) -> u32 {
        let each = needed.div_ceil(devices.max(1)).max(REVERSED_EACH);
        self.ranges.unwrap_or(each.saturating_mul(devices)).clamp(1, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_plies_have_more_ranges() {
        let wanted = DivisionRequest { ply: None, ranges: None, counted: Quantity::Leaves, devices: Some(2) };
        for (positions, ranges) in [
            (0.0, 1),
            (20.0, 1),
            (5362.0, 64),
            (640.0, 10),
            (1e9, 64),
            (85_853_013_760.0, 1280),
            (1e15, 65_536),
            (f64::INFINITY, 65_536),
        ] {
            assert_eq!(wanted.count(positions), ranges, "{positions}");
        }
        let reversed =
            [(1, 2), (22, 4), (25, 2), (1_000_000, 2)].map(|(needed, devices)| wanted.reversed(needed, devices));
        assert_eq!(reversed, [8, 24, 26, 65_536]);
        let seven = DivisionRequest { ranges: Some(7), ..wanted };
        assert_eq!((seven.count(1e9), seven.reversed(9, 2)), (7, 7));
    }

    #[test]
    fn seven_plies_are_counted_below_at_most() {
        for (depth, first, last) in [(0, 1, 0), (1, 1, 1), (8, 1, 8), (12, 5, 12)] {
            assert_eq!(Division::plies(depth, Quantity::Leaves), first..=last);
        }
        for (depth, first, last) in [(0, 1, 0), (1, 1, 0), (2, 1, 1), (12, 5, 11)] {
            assert_eq!(Division::plies(depth, Quantity::Categories), first..=last);
        }
    }
}
