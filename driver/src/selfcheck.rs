//! Checks devices: self-tests, published counts, and a comparison with a reference on random positions.

use std::time::Duration;

use kogge_board::soak::{Batch, ComparisonCounts, Soak, SoakError};
use kogge_board::{Backend, BackendError, known, self_test};
use rayon::prelude::*;

use crate::observer::OnlyStop;
use crate::{Driver, Error, Observer, Progress};

/// The seconds that a count must take if its rate is to say something about the device.
const LEAST_TIMED: f64 = 0.001;

/// A self-test.
type Test = fn(&mut dyn Backend) -> Result<(), BackendError>;

const SELF_TESTS: [Test; 4] = [
    |backend| self_test::counting(backend),
    |backend| self_test::categories(backend),
    |backend| self_test::merging(backend),
    |backend| self_test::minimax(backend),
];

/// A device to check.
pub struct DeviceToCheck<'a> {
    /// The device.
    pub backend: &'a mut dyn Backend,
    /// Whether the device is compared with the reference; false for the reference itself.
    pub compared: bool,
}

/// Settings of a check.
pub struct SelfcheckSettings<'a> {
    /// The seconds for the comparison of all devices together; at least one round is compared. With 0 seconds, the comparison
    /// continues until the observer stops it or a device is wrong or fails.
    pub seconds: f64,
    /// The seconds for published counts on each device; at least one is recomputed.
    pub known_seconds: f64,
    /// The seed of the random positions.
    pub seed: u64,
    /// The clock: the time since any fixed moment, usually [`monotonic`](crate::bench::monotonic).
    pub clock: &'a dyn Fn() -> Duration,
}

/// The result of checking one device.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Checked {
    /// The number of self-tests passed.
    pub self_tests: u32,
    /// The number of published counts that the device reproduced.
    pub known: u32,
    /// The sum of these counts.
    pub known_leaves: u128,
    /// Leaves per second in the fastest of these counts that took at least a millisecond; 0 if none did.
    pub rate: f64,
    /// The comparison on random positions.
    pub random: ComparisonCounts,
    /// Whether every answer was right.
    pub verdict: Verdict,
}

/// The verdict on a device.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Verdict {
    /// Everything was right.
    #[default]
    Right,
    /// An answer was wrong, as this text says.
    Wrong(String),
    /// The device failed, for the reason in this sentence.
    Failed(String),
}

impl From<BackendError> for Verdict {
    fn from(error: BackendError) -> Self {
        match error {
            BackendError::WrongAnswer { .. } => Self::Wrong(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl From<SoakError> for Verdict {
    fn from(error: SoakError) -> Self {
        match error {
            SoakError::Disagreement(difference) => Self::Wrong(difference.to_string()),
            SoakError::Backend(error) => error.into(),
        }
    }
}

/// Checks devices. A device that is wrong or fails is not used again, and the other devices are checked to the end.
///
/// The references count at the same time, one thread each; all of them must have the same backend.
///
/// # Errors
/// [`Error::Cancelled`] if the observer asks to stop before the planned end, or the error of a reference.
pub fn check(
    subjects: &mut [DeviceToCheck<'_>],
    references: Vec<Box<dyn Backend>>,
    settings: &SelfcheckSettings<'_>,
    observer: &dyn Observer,
) -> Result<Vec<Checked>, Error> {
    let mut all = Vec::new();
    for subject in &mut *subjects {
        let mut checked = Checked::default();
        checked.verdict = begin(subject, settings, observer, &mut checked)?;
        all.push(checked);
    }
    let seeds = (0..).map(|index: u64| settings.seed.wrapping_add(index << 48));
    let mut sources: Vec<_> =
        references.into_iter().zip(seeds).map(|(reference, seed)| (Soak::new(seed), reference)).collect();
    let start = (settings.clock)();
    let is_endless = settings.seconds == 0.0;
    let is_open =
        |subject: &DeviceToCheck<'_>, checked: &Checked| subject.compared && checked.verdict == Verdict::Right;
    while subjects.iter().zip(&all).any(|(subject, checked)| is_open(subject, checked)) {
        let rounds: Vec<_> =
            sources.par_iter_mut().map(|(soak, reference)| soak.round(&mut **reference)).collect::<Result<_, _>>()?;
        for batch in rounds.iter().flatten() {
            for (subject, checked) in
                subjects.iter_mut().zip(&mut all).filter(|(subject, checked)| is_open(subject, checked))
            {
                match stop_if_asked(observer) {
                    Err(_) if is_endless => return Ok(all),
                    asked => asked?,
                }
                compare(subject, batch, checked);
            }
        }
        let is_right = |checked: &Checked| checked.verdict == Verdict::Right;
        let elapsed = ((settings.clock)() - start).as_secs_f64();
        let fraction = if is_endless { 0.0 } else { elapsed / settings.seconds };
        if fraction >= 1.0 || (is_endless && !all.iter().all(is_right)) {
            break;
        }
        observer.progress(&progress(fraction, &all));
    }
    Ok(all)
}

/// Runs the self-tests and recomputes published counts.
fn begin(
    subject: &mut DeviceToCheck<'_>,
    settings: &SelfcheckSettings<'_>,
    observer: &dyn Observer,
    checked: &mut Checked,
) -> Result<Verdict, Error> {
    for test in SELF_TESTS {
        stop_if_asked(observer)?;
        if let Err(error) = test(subject.backend) {
            return Ok(error.into());
        }
        checked.self_tests += 1;
    }
    let standard = known::standard();
    let mut counts: Vec<_> = standard
        .iter()
        .flat_map(|known| {
            known.counts().filter(move |(depth, _)| *depth <= known.confirmed()).map(move |count| (known, count))
        })
        .collect();
    counts.sort_by_key(|(_, (_, leaves))| *leaves);
    let start = (settings.clock)();
    let silent = OnlyStop(observer);
    let mut driver = Driver::new(subject.backend, &silent);
    for (known, (depth, leaves)) in counts {
        // The rate so far predicts the time of the next count.
        let elapsed = ((settings.clock)() - start).as_secs_f64();
        if checked.known > 0 && elapsed * (1.0 + leaves as f64 / checked.known_leaves as f64) > settings.known_seconds {
            break;
        }
        let result = driver.perft(&known.root, depth);
        let seconds = ((settings.clock)() - start).as_secs_f64() - elapsed;
        match result {
            Ok(found) if found == leaves => {}
            Ok(found) => {
                let reason = format!("It counts {found} leaves {depth} plies below {}; {leaves} is right.", known.root);
                return Ok(Verdict::Wrong(reason));
            }
            Err(Error::Backend(error)) => return Ok(error.into()),
            Err(error) => return Err(error),
        }
        checked.known += 1;
        checked.known_leaves += leaves;
        if seconds >= LEAST_TIMED {
            checked.rate = checked.rate.max(leaves as f64 / seconds);
        }
    }
    Ok(Verdict::Right)
}

fn compare(subject: &mut DeviceToCheck<'_>, batch: &Batch, checked: &mut Checked) {
    match batch.check(subject.backend) {
        Ok(()) => checked.random += batch.compared(),
        Err(error) => checked.verdict = error.into(),
    }
}

fn stop_if_asked(observer: &dyn Observer) -> Result<(), Error> {
    if observer.is_cancelled() { Err(Error::Cancelled(Progress::default())) } else { Ok(()) }
}

fn progress(fraction: f64, all: &[Checked]) -> Progress {
    let counted = all.iter().map(|checked| checked.random.leaves).sum();
    Progress { done: 0, total: 1, fraction, counted }
}
