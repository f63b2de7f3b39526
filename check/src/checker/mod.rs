//! The check of a program: many positions, and the faults behind its wrong answers.
//!
//! One thread prepares questions with our counts. For each copy of the program, another thread asks, compares, and looks for the
//! fault behind a wrong answer. Faults of one kind that break the same rule are one fault.

mod ask;
mod describe;
mod fault;
mod judge;
mod report;
mod run;
mod sighting;
mod source;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use kogge_driver::Observer;

use crate::corpus::corpus;
use crate::diff::Divider;
use crate::error::CheckError;
pub use fault::{Fault, FaultKind};
pub use report::{CheckReport, RuleTally};
pub use run::OpenReference;
use run::Run;
pub use source::GivenPosition;
use source::{Source, pace};

/// The shortest and the longest time of a question, unless a file gives depths. The corpus should take half of the time.
const QUESTION: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(200));

/// The settings of a check.
pub struct CheckSettings<'s> {
    /// The time, after which random positions end. `None` is as long as the positions of a file take.
    pub time: Option<Duration>,
    /// The seed of random positions.
    pub seed: u64,
    /// These positions instead of the built-in ones and random ones.
    pub positions: Option<&'s [GivenPosition]>,
    /// Opens the backend that counts for comparison, once for each thread.
    pub reference: &'s OpenReference<'s>,
}

/// Checks a program, of which there are one or several copies.
///
/// # Errors
/// If our own counting fails, or the program cannot be started anew.
///
/// # Panics
/// If one of the threads panics, which would be a fault of this library.
pub fn check(
    copies: Vec<Box<dyn Divider + Send + '_>>,
    settings: &CheckSettings<'_>,
    observer: &dyn Observer,
) -> Result<CheckReport, CheckError> {
    let name = copies.first().map_or_else(String::new, |copy| copy.name());
    let chess960 = copies.iter().all(|copy| copy.knows_chess960());
    let positions = settings.positions.map_or_else(|| corpus().len(), <[_]>::len);
    let each =
        settings.time.map_or(QUESTION.1, |time| time.saturating_mul(copies.len() as u32) / positions.max(1) as u32 / 2);
    let each = each.clamp(QUESTION.0, QUESTION.1);
    let pace = Mutex::new(pace(each));
    let source = match settings.positions {
        Some(positions) => Source::given(positions, chess960, &pace, each),
        None => Source::built_in(settings.seed, chess960, &pace, each),
    };
    let run = Run {
        start: Instant::now(),
        limit: settings.time,
        is_over: AtomicBool::new(false),
        questions: source.left().max(1) as u64,
        pace: &pace,
        observer,
        results: Mutex::default(),
    };
    let jobs = copies.len();
    let (sender, receiver) = sync_channel(8 * jobs);
    let receiver = Mutex::new(receiver);
    let done = thread::scope(|scope| {
        let producer = scope.spawn(|| run.prepare(source, sender, settings.reference));
        let copies: Vec<_> =
            copies.into_iter().map(|copy| scope.spawn(|| run.work(copy, &receiver, settings.reference))).collect();
        let mut done: Vec<_> = copies.into_iter().map(thread::ScopedJoinHandle::join).collect();
        run.is_over.store(true, Ordering::Relaxed);
        // A preparing thread may wait for a reader of its questions.
        while receiver.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).try_recv().is_ok() {}
        done.push(producer.join());
        done
    });
    for result in done {
        match result {
            Ok(result) => result?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    let elapsed = run.start.elapsed();
    let was_stopped = observer.is_cancelled();
    let mut results = run.results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.faults.sort_by_key(|fault| std::cmp::Reverse(fault.times));
    let rules = results.rules.into_iter().map(|(rule, (passed, failed))| RuleTally { rule, passed, failed });
    Ok(CheckReport {
        name,
        rules: rules.collect(),
        answers: results.answers,
        given: (results.given, (positions as u64).saturating_sub(results.given)),
        random: results.random,
        leaves: results.leaves,
        restarts: results.restarts,
        chess960,
        elapsed,
        waited: results.waited.as_secs_f64() / (elapsed.as_secs_f64() * jobs as f64).max(1e-9),
        was_stopped,
        faults: results.faults,
    })
}
