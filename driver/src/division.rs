//! The division of a tree among devices that share its count: ranges of its last merged ply.

#[cfg(doc)]
use kogge_board::merge::Key;
use kogge_board::merge::KeyRange;
use kogge_board::{Backend, Fen};

use crate::calls::MAX_CALL_DEPTH;
use crate::merged::Work;
use crate::{Driver, Error, MergeSettings, Observer, Quantity, RangePlies};

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

/// Ranges of reversed keys are counted in rounds, in each of which every device counts about one range. These are the rounds' shares of the
/// ply, for devices of one kind. The first ranges are large, because several small ranges take longer to make than a large one. The last ones
/// are small, because all devices wait for the last range.
const ROUNDS: [u64; 4] = [20, 5, 2, 1];

/// The same shares for devices that differ: all others would wait for a slow device that began with a large range.
const EQUAL_ROUNDS: [u64; 4] = [1; 4];

/// The most ranges.
const MOST: u32 = 1 << 16;

/// The weight of a share, so large that the number of its ranges divides it nearly.
const WEIGHT: u64 = 1 << 40;

/// The requirements for a [`Division`].
#[derive(Clone, Copy, Debug)]
pub struct DivisionRequest {
    /// The last merged ply; with `None`, the plan chooses it.
    pub ply: Option<u32>,
    /// The approximate number of ranges; with `None`, the size of the ply decides.
    pub ranges: Option<u32>,
    /// The quantity that will be counted below the ply.
    pub counted: Quantity,
    /// The number of devices that share the ranges, if no others join later. Then ranges may be those of [reversed](Key::reversed) keys,
    /// which are better if the devices count in runs.
    pub devices: Option<u32>,
    /// Whether these devices are of one kind, so that they are equally fast.
    pub are_alike: bool,
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
        let mut work = Work::at_root(&mut driver, root, depth, &settings)?;
        let plan = work.plan_below(root, &settings, true)?;
        let (least, most) = Self::plies(depth, wanted.counted).into_inner();
        let ply = wanted.ply.unwrap_or(plan.last_ply().min(most).max(least));
        // Two plies before the last, fewer positions take less time and memory, unless the plan has made one ply more. Whoever counts makes
        // the next ply by itself, so the paths come from another way of counting.
        let reversed = wanted.devices.filter(|_| plan.is_reversed && plan.last_ply() == ply);
        let is_reversed = reversed.is_some();
        let plies = RangePlies { whole: ply.saturating_sub(2), last: ply, depth, is_reversed };
        let left = ply - work.merge_fitting(root, &plies)?;
        let paths = work.paths_below(left)?;
        work.descend()?;
        let weights = match reversed {
            Some(devices) if wanted.ranges.is_none() => {
                let rounds: &[u64] = if wanted.are_alike { &ROUNDS } else { &EQUAL_ROUNDS };
                reversed_weights(rounds, plan.ranges(), devices)
            }
            _ => {
                let sizes = work.estimates.next_sizes(left);
                vec![1; wanted.count(sizes.last().copied().unwrap_or(0.0)) as usize]
            }
        };
        let ranges = work.borders(left - 1, is_reversed, &weights)?;
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
}

/// Returns the weights of the ranges of reversed keys in these rounds for some devices, of which one alone needs `needed` equal ranges.
///
/// Such ranges are few and large, because more of them expand the same position of the previous ply than in the usual order.
fn reversed_weights(rounds: &[u64], needed: u32, devices: u32) -> Vec<u64> {
    let all = rounds.iter().sum::<u64>();
    let round = |share: u64| (share * u64::from(needed)).div_ceil(all).max(devices.into()).clamp(1, MOST.into());
    rounds
        .iter()
        .flat_map(|&share| {
            let count = round(share);
            vec![share * WEIGHT / count; count as usize]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_plies_have_more_ranges() {
        let wanted =
            DivisionRequest { ply: None, ranges: None, counted: Quantity::Leaves, devices: Some(2), are_alike: true };
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
        let seven = DivisionRequest { ranges: Some(7), ..wanted };
        assert_eq!(seven.count(1e9), 7);
    }

    #[test]
    fn ranges_of_reversed_keys_fit_in_memory_and_become_small_for_equal_devices() {
        for (rounds, needed, devices, counts) in [
            (&ROUNDS[..], 1, 1, &[1, 1, 1, 1][..]),
            (&ROUNDS, 1, 2, &[2, 2, 2, 2]),
            (&ROUNDS, 22, 4, &[16, 4, 4, 4]),
            (&ROUNDS, 1500, 8, &[1072, 268, 108, 54]),
            (&EQUAL_ROUNDS, 1, 2, &[2, 2, 2, 2]),
            (&EQUAL_ROUNDS, 22, 4, &[6, 6, 6, 6]),
        ] {
            let weights = reversed_weights(rounds, needed, devices);
            let all = weights.iter().sum::<u64>() as f64;
            let of_round = |(&share, &count): (&u64, &usize)| vec![share as f64 / count as f64; count];
            let expected: Vec<_> = rounds.iter().zip(counts).flat_map(of_round).collect();
            let total: f64 = expected.iter().sum();
            assert_eq!(weights.len(), expected.len(), "{needed} {devices}");
            for (&weight, expected) in weights.iter().zip(expected) {
                assert!((weight as f64 / all - expected / total).abs() < 1e-9, "{needed} {devices}");
                assert!(weight as f64 / all * f64::from(needed) < 1.0 + 1e-9, "{needed} {devices}");
            }
        }
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
