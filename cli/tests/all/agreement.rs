//! Compares every usable device of this binary with the CPU on the same frontiers.

use kogge::board::soak::Disagreement;
use kogge::{BACKENDS, Backend, BackendName, Driver, Fen, MergeSettings, Request};
use kogge_check::{Diff, diff};
use kogge_testkit::buggy::{buggy, no_black_queenside};
use kogge_testkit::conformance::{Batches, difference, placements, playouts};

use crate::support::{kogge, words};

/// An open device, with its `--backend` and `--device`.
struct OpenDevice {
    name: BackendName,
    number: usize,
    backend: Box<dyn Backend>,
}

/// Opens every usable device of every backend, the CPU first: all others are compared with the CPU.
///
/// # Panics
/// If a usable device cannot be opened, or if a backend that must have a device has none.
fn usable() -> Vec<OpenDevice> {
    let mut usable = Vec::new();
    for entry in BACKENDS {
        let listed = entry.devices().unwrap_or_default();
        for number in (0..listed.len()).filter(|&number| listed[number].info().is_ok()) {
            let request = Request::default().of(entry.name, Some(number));
            let opened = entry.open(&request).unwrap_or_else(|failure| panic!("{failure}"));
            usable.push(OpenDevice { name: entry.name, number, backend: opened.backend });
        }
    }
    let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
    for name in required.split(',').filter(|name| !name.is_empty()) {
        assert!(usable.iter().any(|device| device.name.name() == name), "No {name} device is usable.");
    }
    usable.sort_by_key(|device| device.name != BackendName::Cpu);
    usable
}

/// Returns random placements and random games, orthodox and Chess960, with and without the halfmove clock.
fn frontiers(reference: &mut dyn Backend) -> Batches {
    let mut frontiers = placements();
    for (rules, positions) in playouts(reference) {
        frontiers.push((rules.with_halfmove_clock(true), positions.clone()));
        frontiers.push((rules, positions));
    }
    frontiers
}

fn command(device: &OpenDevice, reference: &OpenDevice, found: &Disagreement) -> String {
    let Disagreement { position, depth, .. } = found;
    format!(
        "kogge diff {depth} --fen \"{position}\" --backend {} --device {} --against {}:{}",
        reference.name.name(),
        reference.number,
        device.name.name(),
        device.number
    )
}

/// Describes the first position on which a device disagrees with the first device, and names the command that shows it.
fn disagreement(devices: &mut [OpenDevice], frontiers: &Batches) -> Option<String> {
    let (reference, others) = devices.split_first_mut()?;
    for (rules, positions) in frontiers {
        for device in &mut *others {
            let found = difference(&mut *device.backend, &mut *reference.backend, rules, positions, 2);
            if let Some(found) = found {
                return Some(format!("{found}\nLook at it with: {}", command(device, reference, &found)));
            }
        }
    }
    None
}

#[test]
fn all_usable_devices_agree() {
    let mut devices = usable();
    let frontiers = frontiers(&mut *devices[0].backend);
    let positions: usize = frontiers.iter().map(|(_, positions)| positions.len()).sum();
    assert!(devices.len() >= 2 && positions > 10_000, "{} devices, {positions} positions", devices.len());
    if let Some(disagreement) = disagreement(&mut devices, &frontiers) {
        panic!("{disagreement}");
    }
}

/// Compares all devices on random positions, with different numbers of ranges for each device and with colliding hashes.
#[test]
fn all_usable_devices_merge_to_the_same_totals() {
    let mut devices = usable();
    let mut frontiers = frontiers(&mut *devices[0].backend);
    frontiers.retain(|(rules, positions)| !rules.halfmove_clock && !positions.is_empty());
    let mut counted = 0;
    for (number, (rules, positions)) in frontiers.iter().enumerate().step_by(3) {
        let position = positions[number * 7 % positions.len()];
        let root = Fen::new(position.unpack_unchecked(), *rules);
        let expected = Driver::new(&mut *devices[0].backend, &()).perft(&root, 3);
        for (index, device) in devices.iter_mut().enumerate() {
            let settings = MergeSettings {
                plies: [None, Some(2), Some(3)][(number + index) % 3],
                ranges: [1, 2, 7].get((number + index) % 4).copied(),
                hash_bits: [32, 0, 3][number % 3],
                ..MergeSettings::with_memory(1 << 27)
            };
            let merged = Driver::new(&mut *device.backend, &()).perft_merged(&root, 3, &settings);
            let (name, number) = (device.name.name(), device.number);
            assert_eq!(merged.map(|merged| merged.leaves), expected, "{name} {number}, {root}, {settings:?}");
            counted += 1;
        }
    }
    assert!(counted > 20 * devices.len(), "{counted} counts");
}

#[test]
fn a_device_that_disagrees_is_named_with_a_command_that_shows_it() {
    let cpu = || kogge::Cpu::new(Some(1)).expect("the CPU can be used");
    let device = |name, backend| OpenDevice { name, number: 0, backend };
    let mut devices = [
        device(BackendName::Cpu, Box::new(cpu()) as Box<dyn Backend>),
        device(BackendName::Opencl, Box::new(cpu())),
        device(BackendName::Mailbox, Box::new(buggy(cpu(), no_black_queenside))),
    ];
    let frontiers = frontiers(&mut cpu());
    let found = disagreement(&mut devices, &frontiers).expect("black may castle queenside somewhere");
    let line = found.lines().last().expect("a line");
    let line = line.strip_prefix("Look at it with: kogge ").unwrap_or_else(|| panic!("{found}"));
    let words = words(line);
    let ["diff", depth, "--fen", fen, "--backend", "cpu", "--device", "0", "--against", "mailbox:0"] = words[..] else {
        panic!("{line}")
    };
    // The unchanged mailbox is right.
    assert!(kogge(&words).answer(line).starts_with("No difference down to depth "), "{line}");

    // The command finds the mistake at this position or at most one ply below it.
    let root: Fen = fen.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
    let (mut right, mut wrong) = (cpu(), buggy(cpu(), no_black_queenside));
    let mut wrong = Driver::new(&mut wrong, &());
    let shown = diff(&mut Driver::new(&mut right, &()), &mut wrong, &root, depth.parse().expect("a depth"));
    let Ok(Diff::Different(shown)) = shown else { panic!("{line}: {shown:?}") };
    let castling: Vec<_> = shown.only_first.iter().map(|(name, _)| &name[..2]).collect();
    assert_eq!((castling, shown.only_second.len()), (vec!["e8"], 0), "{shown:?}");
}
