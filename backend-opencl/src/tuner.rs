//! Which options are fastest on a device, found by trying.
//!
//! One option after the other takes a few values while the others stay, and keeps the best. Options hardly depend on each
//! other, so that there is little to gain by going round again.

use std::time::{Duration, Instant};

use kogge_board::{Backend, BackendError, Fen, Quad48, Rules};

use crate::OpenCl;
use crate::options::{Options, Positions, Sliders, Traversal};
use crate::platform::Device;

/// Less than this is noise: a value must be better than the best one by this factor.
const GAIN: f64 = 1.02;
/// How long one workload should take.
const SPAN: Duration = Duration::from_millis(50);
/// How often each is timed.
const ROUNDS: usize = 3;

/// The roots that are counted, and the published numbers of leaves from depth 3 on.
const WORKLOADS: [(&str, &[u64]); 2] = [
    (kogge_board::START, &[8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860, 84_998_978_956, 2_439_530_234_167]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[97_862, 4_085_603, 193_690_690, 8_031_647_685, 374_190_009_323],
    ),
];
/// The depth of the first of these numbers.
const FIRST_DEPTH: u32 = 3;

/// Leaves per second of each workload.
type Rates = [f64; WORKLOADS.len()];

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
pub struct Tuning {
    /// The best options; what is `None` is best left as it is by default.
    pub options: Options,
    /// All that was tried, in order.
    pub trials: Vec<Trial>,
    /// Whether there was time to try everything.
    pub complete: bool,
}

/// One value of one option: options of which no other is set.
struct Value {
    option: &'static str,
    text: String,
    options: Options,
}

/// Tries options on a device, beginning with the defaults, and shows each trial when it is done. No new trial is begun
/// after `time`; on GPUs all together take about a minute.
///
/// # Errors
/// If the device cannot be used with the default options. A value that fails or gives wrong answers is a trial.
pub fn tune(device: &Device, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuning, BackendError> {
    let deadline = Instant::now() + time;
    let defaults = Options::default();
    let unavailable = |reason| BackendError::Unavailable { backend: "opencl", reason };
    let choice = defaults.choose(device).map_err(unavailable)?;
    let mut backend = OpenCl::untuned(device, &defaults)?;
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
    search(&values(choice.positions, choice.moves), first, deadline, progress, |options, value, best| {
        let tried = value.options.or(options);
        let choice = tried.choose(device).map_err(unavailable)?;
        if options.choose(device).as_ref() == Ok(&choice) {
            return Ok(None);
        }
        measure(&mut OpenCl::untuned(device, &tried)?, depths, Some(best)).map(Some)
    })
}

/// The search itself: `try_value` gives the rates of a value with the best options so far, whose rates it is told, or
/// `None` if it is theirs already.
fn search(
    values: &[Value],
    first: Rates,
    deadline: Instant,
    progress: &mut dyn FnMut(&Trial),
    mut try_value: impl FnMut(&Options, &Value, Rates) -> Result<Option<Rates>, BackendError>,
) -> Result<Tuning, BackendError> {
    let mut tuning = Tuning { options: Options::default(), trials: Vec::new(), complete: true };
    let mut best = first;
    let mut note = |tuning: &mut Tuning, option, value, outcome| {
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

/// What is tried, in this order. Chunks are tried around the default.
fn values(positions: usize, moves: usize) -> Vec<Value> {
    let mut values = Vec::new();
    let mut add = |option, text, options| values.push(Value { option, text, options });
    let none = Options::default;
    for value in Sliders::ALL {
        add("sliders", format!("{value:?}").to_lowercase(), Options { sliders: Some(value), ..none() });
    }
    for value in Positions::ALL {
        add("position form", format!("{value:?}").to_lowercase(), Options { position_form: Some(value), ..none() });
    }
    add("traversal", "3 plies depth-first".to_owned(), Options { traversal: Some(Traversal::DepthFirst(3)), ..none() });
    type Set = fn(Option<usize>) -> Options;
    let numbers: [(&'static str, [usize; 3], Set); 8] = [
        ("work-group", [64, 128, 256], |n| Options { work_group_size: n, ..Options::default() }),
        ("replies work-group", [64, 128, 256], |n| Options { replies_group_size: n, ..Options::default() }),
        ("count work-group", [64, 128, 256], |n| Options { count_group_size: n, ..Options::default() }),
        ("groups per unit", [4, 16, 64], |n| Options { groups_per_unit: n, ..Options::default() }),
        ("queued per lane", [4, 8, 16], |n| Options { queued_per_lane: n, ..Options::default() }),
        ("registers", [96, 168, 255], |n| Options { registers: n, ..Options::default() }),
        ("positions", [positions / 4, positions, positions * 4], |n| Options { positions: n, ..Options::default() }),
        ("moves", [moves / 4, moves, moves * 2], |n| Options { moves: n, ..Options::default() }),
    ];
    for (option, sizes, set) in numbers {
        for size in sizes {
            add(option, size.to_string(), set(Some(size)));
        }
    }
    values
}

/// The rates of a backend. What is less than half as fast as the best is timed only once.
fn measure(backend: &mut OpenCl, depths: [u32; WORKLOADS.len()], best: Option<Rates>) -> Result<Rates, BackendError> {
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
fn count(backend: &mut OpenCl, index: usize, depth: u32) -> Result<Duration, BackendError> {
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::platform::platforms;

    pub(crate) fn first_device() -> Option<Device> {
        let platforms = platforms().inspect_err(|error| eprintln!("Skipped: {error}")).unwrap_or_default();
        let device = platforms.into_iter().filter_map(|platform| platform.devices.ok()).flatten().next();
        let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
        assert!(device.is_some() || !required.split(',').any(|name| name == "opencl"), "An OpenCL device is required.");
        device
    }

    /// Searches where rates are what a table says.
    fn scripted(answer: impl Fn(&Value) -> Result<Option<Rates>, BackendError>) -> Tuning {
        let deadline = Instant::now() + Duration::from_secs(3600);
        let mut shown = Vec::new();
        let mut progress = |trial: &Trial| shown.push(trial.clone());
        let search = search(&values(100, 1000), [10.0, 10.0], deadline, &mut progress, |_, value, _| answer(value));
        let tuning = search.unwrap();
        assert_eq!(tuning.trials, shown);
        tuning
    }

    #[test]
    fn only_what_is_better_by_more_than_noise_is_kept() {
        let tuning = scripted(|value| {
            Ok(match (value.option, value.text.as_str()) {
                ("sliders", "subtract") => Some([10.1, 10.2]),
                ("sliders", "magic") => Some([9.5, 12.0]),
                ("work-group", "256") => Some([10.8, 10.8]),
                ("replies work-group", "64") => Some([20.0, 20.0]),
                ("positions", "100") => None,
                _ => Some([5.0, 5.0]),
            })
        });
        let expected = Options { sliders: Some(Sliders::Magic), replies_group_size: Some(64), ..Options::default() };
        assert_eq!((&tuning.options, tuning.complete), (&expected, true));
        let kept: Vec<_> =
            tuning.trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Kept(_))).map(|t| t.option).collect();
        assert_eq!(kept, ["defaults", "sliders", "replies work-group"]);
        assert_eq!(tuning.trials.len(), values(100, 1000).len());
    }

    #[test]
    fn what_counts_wrong_or_fails_is_never_kept() {
        let tuning = scripted(|value| match value.option {
            "sliders" => Err(BackendError::WrongAnswer { device: "Abacus".into(), reason: "it lies.".into() }),
            "moves" => Err(BackendError::OutOfMemory { device: "Abacus".into(), doing: "counting".into() }),
            _ => Ok(None),
        });
        assert_eq!(tuning.options, Options::default());
        let outcome = |option| &tuning.trials.iter().find(|trial| trial.option == option).unwrap().outcome;
        let text = "With sliders fill: Abacus cannot be trusted: it lies.".to_owned();
        assert_eq!(outcome("sliders"), &Outcome::Wrong(text));
        assert!(matches!(outcome("moves"), Outcome::Refused(reason) if reason.contains("out of memory")));
    }

    #[test]
    fn a_total_that_is_not_the_published_one_is_a_wrong_answer() {
        let Some(device) = first_device() else { return };
        let mut backend = OpenCl::untuned(&device, &Options::default()).unwrap();
        for index in 0..WORKLOADS.len() {
            count(&mut backend, index, FIRST_DEPTH).unwrap();
            count(&mut backend, index, FIRST_DEPTH + 1).unwrap();
        }
        // Sliders that miss a direction.
        let session = crate::stages::Session::with_source(&device, &Options::default(), |choice| {
            let source = crate::kernels::source(choice);
            let from = "south_east_attacks(diagonal, empty)";
            assert!(source.contains(from));
            source.replacen(from, "0", 1)
        });
        let mut broken = OpenCl::untested(&device, session.unwrap());
        let error = count(&mut broken, 1, FIRST_DEPTH).unwrap_err();
        assert!(matches!(&error, BackendError::WrongAnswer { device: name, .. } if *name == device.name), "{error}");
    }

    #[test]
    fn tuning_a_device_ends_when_the_time_is_up() {
        let Some(device) = first_device() else { return };
        let tuning = tune(&device, Duration::from_secs(4), &mut |_| {}).unwrap();
        assert!(
            matches!(tuning.trials[0], Trial { option: "defaults", outcome: Outcome::Kept([a, b]), .. } if a.min(b) > 0.0)
        );
        assert!(!tuning.trials.iter().any(|trial| matches!(trial.outcome, Outcome::Wrong(_))), "{:?}", tuning.trials);
        // What was found can be opened, which counts what is known.
        OpenCl::untuned(&device, &tuning.options).unwrap();
    }
}
