//! Counts of one tree on several devices at once.

use std::ops::ControlFlow;

use kogge_board::Fen;
#[cfg(doc)]
use kogge_board::merge::Key;
use kogge_board::merge::KeyRange;

use super::MergeDevice;
use super::division::{Division, DivisionRequest};
use super::team::{Member, together};
use crate::error::wrong_answer;
use crate::{Driver, Error, Observer, Quantity, RangeCount, RangeCounter};

/// The least number of ranges for each device.
const RANGES_EACH: u32 = 32;

/// The result of a count on several devices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    /// The leaves below the root.
    pub leaves: u128,
    /// The last merged ply; `None` if every leaf was counted.
    pub merged: Option<SharedPly>,
    /// The part of each device, in the order of the devices.
    pub parts: Vec<Part>,
}

/// The last merged ply of a count on several devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SharedPly {
    /// The number of the ply.
    pub ply: u32,
    /// Its distinct positions.
    pub positions: u64,
    /// The ranges that the devices shared.
    pub ranges: u32,
}

/// What a device counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Part {
    /// The leaves.
    pub leaves: u128,
    /// The ranges, or the positions of the frontier if every leaf was counted.
    pub pieces: u64,
}

/// Counts the leaves `depth` plies below the root on all devices at once, by merged plies.
///
/// The last merged ply is divided into ranges, which lie in a queue. If all devices count below them in runs, and have room for the whole
/// ply before them, they are ranges of [reversed](Key::reversed) keys. Each device makes the plies above for itself, as its memory
/// allows, and takes some neighbouring ranges at a time. The paths to all ranges must add up to those to the ply. `plies` and
/// `ranges` are as in [`MergeSettings`](crate::MergeSettings). The observer is called by several threads.
///
/// # Errors
/// As [`Driver::perft_merged`]: if one device fails, there is no result. The depth must not be 0.
pub fn perft_merged_shared(
    devices: &mut [MergeDevice],
    root: &Fen,
    depth: u32,
    (plies, ranges): (Option<u32>, Option<u32>),
    observer: &dyn Observer,
) -> Result<Shared, Error> {
    let possible = Division::plies(depth, Quantity::Leaves);
    let ply = plies.map(|ply| ply.min(*possible.end()).max(*possible.start()));
    let least = RANGES_EACH * devices.len() as u32;
    let wanted = DivisionRequest { ply, ranges, least, counted: Quantity::Leaves, may_be_reversed: true };
    let divide = |devices: &mut [MergeDevice], wanted: &DivisionRequest| {
        let first = devices.first_mut().ok_or_else(no_device)?;
        Division::of(first, root, depth, wanted, observer)
    };
    let mut division = divide(devices, &wanted)?;
    if division.is_reversed {
        if all_suit_reversed(devices, root, depth, &division, observer)? {
            match count_division(devices, root, depth, &division, observer) {
                // The ply before turned out larger than estimated.
                Err(Error::Memory { .. }) => {}
                counted => return counted,
            }
        }
        division = divide(devices, &DivisionRequest { may_be_reversed: false, ..wanted })?;
    }
    count_division(devices, root, depth, &division, observer)
}

/// Returns whether ranges of reversed keys are better for all devices, not only for the device that divided the tree.
fn all_suit_reversed(
    devices: &mut [MergeDevice],
    root: &Fen,
    depth: u32,
    division: &Division,
    observer: &dyn Observer,
) -> Result<bool, Error> {
    let suit = together(devices, 0, observer, |MergeDevice { backend, settings }, member| {
        Driver::new(&mut **backend, member).suits_reversed(root, &division.sizes, depth, settings)
    })?;
    Ok(suit.into_iter().all(|suits| suits))
}

/// Counts the leaves below the ranges of a division on all devices at once.
fn count_division(
    devices: &mut [MergeDevice],
    root: &Fen,
    depth: u32,
    division: &Division,
    observer: &dyn Observer,
) -> Result<Shared, Error> {
    let found = together(devices, division.ranges.len(), observer, |device, member| {
        count_ranges(device, member, root, depth, division)
    })?;
    let mut sum = RangeCount::none(KeyRange::WHOLE);
    found.iter().try_for_each(|(_, count)| sum.add(count))?;
    check_paths(devices, division, sum.paths)?;
    let merged = SharedPly { ply: division.ply, positions: sum.positions, ranges: division.ranges.len() as u32 };
    let parts = found.iter().map(|&(pieces, RangeCount { leaves, .. })| Part { leaves, pieces }).collect();
    Ok(Shared { leaves: sum.leaves, merged: Some(merged), parts })
}

/// Counts ranges until none are left. Returns their number, and the sum of their counts.
fn count_ranges(
    device: &mut MergeDevice,
    member: &Member<'_>,
    root: &Fen,
    depth: u32,
    division: &Division,
) -> Result<(u64, RangeCount), Error> {
    let MergeDevice { backend, settings } = device;
    let name = backend.info().name.clone();
    let mut driver = Driver::new(&mut **backend, member);
    let mut counter = RangeCounter::fitting(&mut driver, root, division.ply, depth, Quantity::Leaves, settings)?;
    if counter.paths() != division.paths {
        let (ply, found, expected) = (division.ply, counter.paths(), division.paths);
        let reason = format!("it found {found} paths to ply {ply}, but another device {expected}.");
        return Err(wrong_answer(&name, reason));
    }
    if division.is_reversed {
        if counter.plies().whole + 1 < division.ply {
            return Err(Error::Memory { memory: settings.memory, ply: division.ply - 1 });
        }
        counter.reverse()?;
    }
    let (mut pieces, mut sum) = (0, RangeCount::none(KeyRange::WHOLE));
    while let Some(taken) = member.take() {
        let mut added = Ok(());
        let counted = counter.count(&division.ranges[taken], &mut |found| {
            pieces += 1;
            added = sum.add(found);
            if added.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        added.and(counted)?;
    }
    Ok((pieces, sum))
}

/// Checks the paths to all ranges.
fn check_paths(devices: &[MergeDevice], division: &Division, found: u128) -> Result<(), Error> {
    if found == division.paths {
        return Ok(());
    }
    let names: Vec<_> = devices.iter().map(|device| device.backend.info().name.as_str()).collect();
    let (ply, expected) = (division.ply, division.paths);
    let reason = format!("together they merged ply {ply} into positions with {found} paths, but there are {expected}.");
    Err(wrong_answer(&names.join(" and "), reason))
}

/// Counts the leaves `depth` plies below the root on all devices at once. Every leaf is counted. The devices share the positions
/// of a frontier. The observer is called by several threads.
///
/// # Errors
/// As [`Driver::perft`]: if one device fails, there is no result.
pub fn perft_shared(
    devices: &mut [MergeDevice],
    root: &Fen,
    depth: u32,
    observer: &dyn Observer,
) -> Result<Shared, Error> {
    let Some(first) = devices.first_mut() else { return Err(no_device()) };
    let frontier = Driver::new(&mut *first.backend, observer).frontier(root, depth)?;
    let found = together(devices, frontier.len(), observer, |device, member| {
        let mut driver = Driver::new(&mut *device.backend, member);
        let mut part = Part::default();
        while let Some(taken) = member.take() {
            let positions = frontier.part(taken);
            let counts = driver.count_below(&positions, depth - frontier.ply())?;
            part.pieces += counts.len() as u64;
            part.leaves = part.leaves.checked_add(positions.total(&counts)?).ok_or(Error::Overflow)?;
        }
        Ok(part)
    })?;
    let sum = |sum: u128, part: &Part| sum.checked_add(part.leaves).ok_or(Error::Overflow);
    Ok(Shared { leaves: found.iter().try_fold(0, sum)?, merged: None, parts: found })
}

/// The error of a list without devices.
fn no_device() -> Error {
    let reason = "no device was given.".to_owned();
    kogge_board::BackendError::Unavailable { backend: "shared", reason }.into()
}
