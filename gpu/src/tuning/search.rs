//! The search for the fastest values of a device's parameters.
//!
//! The search tries a few values of one parameter after another and keeps each parameter's best value. Parameters hardly
//! depend on each other, so a second round would gain little.

use std::time::{Duration, Instant};

use kogge_board::{Backend, BackendError, Fen, Quad48, Rules, unwatched};

use crate::device::{Device, Gpu};
use crate::parameters::{Parameter, Values};
use crate::settings::GpuOptions;

/// A value must be faster than the best one so far by this factor; smaller differences are noise.
const GAIN: f64 = 1.02;
/// The time that one count of a workload should take.
const SPAN: Duration = Duration::from_millis(50);
/// The number of times that each workload is timed.
const ROUNDS: usize = 3;

/// The roots to count, and the published numbers of leaves from depth 3 on.
pub(super) const WORKLOADS: [(&str, &[u64]); 2] = [
    (kogge_board::START, &[8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860, 84_998_978_956, 2_439_530_234_167]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[97_862, 4_085_603, 193_690_690, 8_031_647_685, 374_190_009_323],
    ),
];
/// The depth of the first of these numbers of leaves.
pub(super) const FIRST_DEPTH: u32 = 3;

/// The leaves per second of each workload.
pub(super) type Rates = [f64; WORKLOADS.len()];

/// The outcome of trying a value.
#[derive(Clone, PartialEq, Debug)]
pub enum TrialOutcome {
    /// The value is the best so far, and the search continued with it.
    Kept([f64; 2]),
    /// The value is not better than the best so far, or not by enough.
    NotBetter([f64; 2]),
    /// The device cannot use the value, for the reason in this sentence.
    Refused(String),
    /// The value led to a wrong number of leaves; this sentence names the device and the option.
    Wrong(String),
}

/// A value that was tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The parameter's name to print; for the first trial, which uses the defaults, `defaults`.
    pub option: &'static str,
    /// Its value.
    pub value: String,
    /// The outcome, with leaves per second from the start position and from Kiwipete.
    pub outcome: TrialOutcome,
}

/// The result of tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuning {
    /// The best values. The parameters that are not listed keep their defaults.
    pub values: Values,
    /// All trials, in order.
    pub trials: Vec<Trial>,
    /// Whether there was enough time to try all values.
    pub complete: bool,
}

/// Tries values on a device, beginning with the defaults, and shows each trial when it is done. Begins no new trial
/// after `time`. On GPUs, all trials together take about a minute.
///
/// # Errors
/// If the device cannot be used with the defaults. A value that fails or gives wrong answers is no error; its trial
/// records the failure.
pub fn tune<D: Device>(device: &D, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuning, BackendError>
where
    Gpu<D>: Send,
{
    let deadline = Instant::now() + time;
    let mut backend = Gpu::untuned(device, &GpuOptions::default())?;
    let mut depths = [FIRST_DEPTH; WORKLOADS.len()];
    for (index, depth) in depths.iter_mut().enumerate() {
        let last = FIRST_DEPTH + WORKLOADS[index].1.len() as u32 - 1;
        // One more ply takes 20 to 50 times as long.
        while *depth < last && count(&mut backend, index, *depth)? < SPAN / 6 {
            *depth += 1;
        }
    }
    let first = measure(&mut backend, depths, None)?;
    let tried = backend.session.runner.settings.tried();
    // The old backend is dropped first, because it occupies the device's memory.
    drop(backend);
    search(&tried, first, deadline, progress, |values, parameter, value, best| {
        let options = GpuOptions { values: values.clone(), ..GpuOptions::default() };
        let changed = options.clone().with(parameter, value);
        if device.settings(&options).is_ok_and(|settings| device.settings(&changed) == Ok(settings)) {
            return Ok(None);
        }
        measure(&mut Gpu::untuned(device, &changed)?, depths, Some(best)).map(Some)
    })
}

/// Searches with `try_value`, which receives the best values so far, a parameter with another value, and the rates of the best
/// values. `try_value` returns the rates with this value, or `None` if the value changes nothing.
pub(super) fn search(
    tried: &[(Parameter, usize)],
    first: Rates,
    deadline: Instant,
    progress: &mut dyn FnMut(&Trial),
    mut try_value: impl FnMut(&Values, Parameter, usize, Rates) -> Result<Option<Rates>, BackendError>,
) -> Result<Tuning, BackendError> {
    let mut tuning = Tuning { values: Values::new(), trials: Vec::new(), complete: true };
    let mut best = first;
    let mut note = |tuning: &mut Tuning, option, value, outcome| {
        let trial = Trial { option, value, outcome };
        progress(&trial);
        tuning.trials.push(trial);
    };
    note(&mut tuning, "defaults", String::new(), TrialOutcome::Kept(first));
    for &(parameter, value) in tried {
        if Instant::now() >= deadline {
            tuning.complete = false;
            break;
        }
        let (option, text) = (parameter.row().label, parameter.row().text(value));
        let outcome = match try_value(&tuning.values, parameter, value, best) {
            Ok(None) => continue,
            Ok(Some(rates)) if mean(rates) > mean(best) * GAIN => {
                best = rates;
                tuning.values.insert(parameter, value);
                TrialOutcome::Kept(rates)
            }
            Ok(Some(rates)) => TrialOutcome::NotBetter(rates),
            Err(error @ BackendError::WrongAnswer { .. }) => {
                TrialOutcome::Wrong(format!("With {option} {text}: {error}"))
            }
            Err(error) => TrialOutcome::Refused(error.to_string()),
        };
        note(&mut tuning, option, text, outcome);
    }
    Ok(tuning)
}

/// Returns the geometric mean, so that a percent has the same weight in both workloads.
fn mean(rates: Rates) -> f64 {
    rates.iter().product::<f64>().sqrt()
}

/// Measures the rates of a backend. A workload that is less than half as fast as with the best options is timed only
/// once.
fn measure(
    backend: &mut impl Backend,
    depths: [u32; WORKLOADS.len()],
    best: Option<Rates>,
) -> Result<Rates, BackendError> {
    let mut rates = [0.0; WORKLOADS.len()];
    for (index, depth) in depths.into_iter().enumerate() {
        let leaves = WORKLOADS[index].1[(depth - FIRST_DEPTH) as usize] as f64;
        let rate = |time: Duration| leaves / time.as_secs_f64().max(1e-9);
        // The first count includes the making of buffers.
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

/// Counts a workload, checks the count, and returns the time.
pub(super) fn count(backend: &mut impl Backend, index: usize, depth: u32) -> Result<Duration, BackendError> {
    let (fen, leaves) = WORKLOADS[index];
    let wrong = |device: &str, reason| BackendError::WrongAnswer { device: device.to_owned(), reason };
    let fen: Fen = fen.parse().map_err(|error| wrong("The tuner", format!("{error}")))?;
    let root = [Quad48::from(&fen.position)];
    let start = Instant::now();
    let found = backend.perft(&Rules::STANDARD, &root, depth, &mut unwatched)?;
    let time = start.elapsed();
    let expected = leaves[(depth - FIRST_DEPTH) as usize];
    if found == [u128::from(expected)] {
        Ok(time)
    } else {
        let reason = format!("it counted {found:?} instead of {expected} leaves {depth} plies below {fen}.");
        Err(wrong(&backend.info().name, reason))
    }
}
