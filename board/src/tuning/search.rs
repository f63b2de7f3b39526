//! The search for the fastest options of a device.
//!
//! One option after the other takes a few values while the others stay, and keeps the best. Options hardly depend on each
//! other, so that there is little to gain by going round again.

use std::time::{Duration, Instant};

use super::{Partial, Tunable, Value};
use crate::{Backend, BackendError, Fen, Quad48, Rules};

/// Less than this is noise: a value must be better than the best one by this factor.
const GAIN: f64 = 1.02;
/// How long one workload should take.
const SPAN: Duration = Duration::from_millis(50);
/// How often each is timed.
const ROUNDS: usize = 3;

/// The roots that are counted, and the published numbers of leaves from depth 3 on.
pub(super) const WORKLOADS: [(&str, &[u64]); 2] = [
    (crate::START, &[8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860, 84_998_978_956, 2_439_530_234_167]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[97_862, 4_085_603, 193_690_690, 8_031_647_685, 374_190_009_323],
    ),
];
/// The depth of the first of these numbers.
pub(super) const FIRST_DEPTH: u32 = 3;

/// Leaves per second of each workload.
pub(super) type Rates = [f64; WORKLOADS.len()];

/// What a value was worth.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It is the best so far, and the other options were tried with it.
    Kept([f64; 2]),
    /// It is no better than what was known, or too little.
    NotBetter([f64; 2]),
    /// The device cannot do it; a sentence.
    Refused(String),
    /// It gave a wrong number of leaves; a sentence that names the device and the option.
    Wrong(String),
}

/// A value that was tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The option's name; for the first trial, of the defaults, `defaults`.
    pub option: &'static str,
    /// Its value.
    pub value: String,
    /// What it was worth, with leaves per second from the start position and from Kiwipete.
    pub outcome: Outcome,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuning<O> {
    /// The best options; what is left open is best as it is by default.
    pub options: O,
    /// All that was tried, in order.
    pub trials: Vec<Trial>,
    /// Whether there was time to try everything.
    pub complete: bool,
}

/// Tries options on a device, beginning with the defaults, and shows each trial when it is done. No new trial is begun
/// after `time`; on GPUs all together take about a minute.
///
/// # Errors
/// If the device cannot be used with the default options. A value that fails or gives wrong answers is a trial.
pub fn tune<D: Tunable>(
    device: &D,
    time: Duration,
    progress: &mut dyn FnMut(&Trial),
) -> Result<Tuning<D::Options>, BackendError> {
    let deadline = Instant::now() + time;
    let mut backend = device.untuned(&D::Options::default())?;
    let mut depths = [FIRST_DEPTH; WORKLOADS.len()];
    for (index, depth) in depths.iter_mut().enumerate() {
        let last = FIRST_DEPTH + WORKLOADS[index].1.len() as u32 - 1;
        // A ply more takes 20 to 50 times as long.
        while *depth < last && count(&mut backend, index, *depth)? < SPAN / 6 {
            *depth += 1;
        }
    }
    let first = measure(&mut backend, depths, None)?;
    // It has the device's memory.
    drop(backend);
    search(&device.values(), first, deadline, progress, |options: &D::Options, value, best| {
        let tried = value.options.or(options);
        if device.plan(options).is_ok_and(|plan| device.plan(&tried).as_ref() == Ok(&plan)) {
            return Ok(None);
        }
        measure(&mut device.untuned(&tried)?, depths, Some(best)).map(Some)
    })
}

/// The search itself: `try_value` gives the rates of a value with the best options so far, whose rates it is told, or
/// `None` if it is theirs already.
pub(super) fn search<O: Partial>(
    values: &[Value<O>],
    first: Rates,
    deadline: Instant,
    progress: &mut dyn FnMut(&Trial),
    mut try_value: impl FnMut(&O, &Value<O>, Rates) -> Result<Option<Rates>, BackendError>,
) -> Result<Tuning<O>, BackendError> {
    let mut tuning = Tuning { options: O::default(), trials: Vec::new(), complete: true };
    let mut best = first;
    let mut note = |tuning: &mut Tuning<O>, option, value, outcome| {
        let trial = Trial { option, value, outcome };
        progress(&trial);
        tuning.trials.push(trial);
    };
    note(&mut tuning, "defaults", String::new(), Outcome::Kept(first));
    for value in values {
        if Instant::now() >= deadline {
            tuning.complete = false;
            break;
        }
        let outcome = match try_value(&tuning.options, value, best) {
            Ok(None) => continue,
            Ok(Some(rates)) if mean(rates) > mean(best) * GAIN => {
                best = rates;
                tuning.options = value.options.or(&tuning.options);
                Outcome::Kept(rates)
            }
            Ok(Some(rates)) => Outcome::NotBetter(rates),
            Err(error @ BackendError::WrongAnswer { .. }) => {
                Outcome::Wrong(format!("With {} {}: {error}", value.option, value.text))
            }
            Err(error) => Outcome::Refused(error.to_string()),
        };
        note(&mut tuning, value.option, value.text.clone(), outcome);
    }
    Ok(tuning)
}

/// The geometric mean: a percent is worth the same with both workloads.
fn mean(rates: Rates) -> f64 {
    rates.iter().product::<f64>().sqrt()
}

/// The rates of a backend. What is less than half as fast as the best is timed only once.
fn measure(
    backend: &mut impl Backend,
    depths: [u32; WORKLOADS.len()],
    best: Option<Rates>,
) -> Result<Rates, BackendError> {
    let mut rates = [0.0; WORKLOADS.len()];
    for (index, depth) in depths.into_iter().enumerate() {
        let leaves = WORKLOADS[index].1[(depth - FIRST_DEPTH) as usize] as f64;
        let rate = |time: Duration| leaves / time.as_secs_f64().max(1e-9);
        // The first time, buffers are made.
        count(backend, index, depth)?;
        let mut times = vec![count(backend, index, depth)?];
        if best.is_none_or(|best| rate(times[0]) * 2.0 > best[index]) {
            for _ in 1..ROUNDS {
                times.push(count(backend, index, depth)?);
            }
        }
        times.sort_unstable();
        rates[index] = rate(times[times.len() / 2]);
    }
    Ok(rates)
}

/// Counts a workload and compares. Returns how long it took.
pub(super) fn count(backend: &mut impl Backend, index: usize, depth: u32) -> Result<Duration, BackendError> {
    let (fen, leaves) = WORKLOADS[index];
    let wrong = |device: &str, reason| BackendError::WrongAnswer { device: device.to_owned(), reason };
    let fen: Fen = fen.parse().map_err(|error| wrong("The tuner", format!("{error}")))?;
    let root = [Quad48::from(&fen.position)];
    let start = Instant::now();
    let found = backend.perft(&Rules::STANDARD, &root, depth)?;
    let time = start.elapsed();
    let expected = leaves[(depth - FIRST_DEPTH) as usize];
    if found == [expected] {
        Ok(time)
    } else {
        let reason = format!("it counted {found:?} instead of {expected} leaves {depth} plies below {fen}.");
        Err(wrong(&backend.info().name, reason))
    }
}
