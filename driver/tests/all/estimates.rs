//! Estimates, compared with exact counts.

use crate::support::{KIWIPETE, MATE, Watch, fen};
use kogge_board::{Backend, Fen};
use kogge_driver::{Driver, Error, EstimateSettings, LeafEstimate};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// Settings for few lines, without a limit of time.
fn few(plies: u32, together: usize, lines: u64, seed: u64) -> EstimateSettings {
    let settings = EstimateSettings::with_memory(1 << 26);
    EstimateSettings { plies: Some(plies), together, lines, seed, seconds: f64::INFINITY, ..settings }
}

fn estimate(backend: &mut dyn Backend, root: &Fen, depth: u32, settings: &EstimateSettings) -> LeafEstimate {
    Driver::new(backend, &()).estimate(root, depth, settings).unwrap()
}

/// Two hundred seeds: the interval covers the truth about as often as it says, and the mean of all estimates is right.
#[test]
fn estimates_are_unbiased_and_know_their_errors() {
    let mut cpu = Cpu::new(None).unwrap();
    for (root, depth, truth, plies, together) in [
        (Fen::start(), 6, 119_060_324_f64, 2, 64),
        (Fen::start(), 6, 119_060_324.0, 1, 32),
        (fen(KIWIPETE), 4, 4_085_603.0, 0, 16),
        (fen(KIWIPETE), 4, 4_085_603.0, 1, 16),
        (fen(KIWIPETE), 5, 193_690_690.0, 0, 4),
    ] {
        const SEEDS: u64 = 200;
        let (mut covered, mut sum, mut squares) = (0, 0.0, 0.0);
        for seed in 0..SEEDS {
            let found = estimate(&mut cpu, &root, depth, &few(plies, together, 24 * together as u64, seed));
            assert!(found.error > 0.0 && found.exact.is_none() && found.rounds == 32, "{root}: {found:?}");
            covered += u64::from(found.interval[0] <= truth && truth <= found.interval[1]);
            sum += found.leaves - truth;
            squares += (found.leaves - truth).powi(2);
        }
        let (mean, seeds) = (sum / SEEDS as f64, SEEDS as f64);
        let z = mean / ((squares / seeds - mean * mean) / (seeds - 1.0)).sqrt();
        assert!((SEEDS * 9 / 10..=SEEDS * 98 / 100).contains(&covered), "{root} at {depth}: {covered} of {SEEDS}");
        assert!(z.abs() < 3.0, "{root} at {depth}: {z}");
    }
}

#[test]
fn a_seed_gives_one_estimate_on_every_device() {
    let settings = few(2, 32, 512, 7);
    let mut cpu = Cpu::new(None).unwrap();
    let first = estimate(&mut cpu, &Fen::start(), 6, &settings);
    assert_eq!(first, estimate(&mut cpu, &Fen::start(), 6, &settings));
    assert_eq!(first, estimate(&mut Mailbox::new(), &Fen::start(), 6, &settings));
    let second = estimate(&mut cpu, &Fen::start(), 6, &EstimateSettings { seed: 8, ..settings });
    assert_ne!(first.leaves, second.leaves);
}

#[test]
fn small_trees_are_counted() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let settings = EstimateSettings::with_memory(1 << 28);
    for (root, depth, leaves) in [
        (Fen::start(), 0, 1),
        (Fen::start(), 1, 20),
        (Fen::start(), 4, 197_281),
        (Fen::start(), 6, 119_060_324),
        (fen(MATE), 0, 1),
        (fen(MATE), 1, 0),
        (fen(MATE), 128, 0),
        (fen(STALEMATE), 20, 0),
    ] {
        let found = estimate(&mut cpu, &root, depth, &settings);
        let LeafEstimate { exact, error, interval, .. } = found;
        assert_eq!((exact, found.leaves, error), (Some(leaves), leaves as f64, 0.0), "{root} at {depth}");
        assert_eq!(interval, [leaves as f64; 2], "{root} at {depth}");
    }
    // A requested ply below the leaves is the ply of the leaves.
    assert_eq!(estimate(&mut cpu, &Fen::start(), 3, &few(9, 16, 1, 0)).exact, Some(8902));
}

/// If a round has room for all positions, there is nothing to choose, and nothing to err about.
#[test]
fn lines_that_all_fit_are_all_taken() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let king = fen("8/8/8/8/8/2k5/p7/K7 b - - 0 1");
    let truth = Driver::new(&mut cpu, &()).perft(&king, 5).unwrap();
    let settings = EstimateSettings { lines: u64::MAX, ..few(1, 2048, 1, 0) };
    let found = estimate(&mut cpu, &king, 5, &settings);
    assert_eq!((found.leaves, found.error), (truth as f64, 0.0));
    // Every line ends in mate or stalemate.
    let ends = fen("k7/8/1K6/8/8/8/8/7R b - - 0 1");
    let truth = Driver::new(&mut cpu, &()).perft(&ends, 4).unwrap();
    assert_eq!(estimate(&mut cpu, &ends, 4, &settings).leaves, truth as f64);
}

#[test]
fn an_estimate_ends_when_it_is_exact_enough_or_stopped() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let settings = EstimateSettings { error: 0.01, ..few(2, 16, u64::MAX, 0) };
    let found = estimate(&mut cpu, &Fen::start(), 7, &settings);
    assert!(found.error <= 0.01 * found.leaves && !found.is_stopped, "{found:?}");
    let settings = EstimateSettings { error: 0.0, ..settings };
    let stopped = |at| {
        Driver::new(&mut Cpu::new(Some(1)).unwrap(), &Watch::stopping_at(at)).estimate(&Fen::start(), 7, &settings)
    };
    assert!(matches!(stopped(1), Err(Error::Cancelled(_))));
    let found = stopped(400).unwrap();
    assert!(found.is_stopped && found.rounds > 15 && found.error > 0.0, "{found:?}");
}

#[test]
fn a_requested_ply_must_fit() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let settings = EstimateSettings { memory: 1 << 20, ..few(5, 16, 1, 0) };
    let found = Driver::new(&mut cpu, &()).estimate(&Fen::start(), 9, &settings);
    assert!(matches!(found, Err(Error::Memory { .. })), "{found:?}");
    let found = estimate(&mut cpu, &Fen::start(), 9, &EstimateSettings { plies: None, ..settings });
    assert!((1..5).contains(&found.ply) && found.error > 0.0, "{found:?}");
}
