//! The threads of a check, and their results.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::{Backend, BackendError, Pace};
use kogge_driver::{Driver, Observer, Progress};

use super::ask::ask;
use super::describe::describe;
use super::fault::{Fault, FaultKind, Question};
use super::judge::Judge;
use super::report::Origin;
use super::sighting::{Sighting, kind_of};
use super::source::{Source, Task};
use crate::diff::Divider;
use crate::error::{CheckError, EngineError};
use crate::rule::Rule;

/// Opens a backend that is right.
pub type OpenReference<'r> = dyn Fn() -> Result<Box<dyn Backend>, BackendError> + Sync + 'r;

/// The time between two looks at the clock while a thread waits.
const TICK: Duration = Duration::from_millis(20);
/// The number of faults after which further kinds are not looked into.
const MOST_FAULTS: usize = 40;

/// A running check.
pub(super) struct Run<'r> {
    pub(super) start: Instant,
    pub(super) limit: Option<Duration>,
    pub(super) is_over: AtomicBool,
    /// The number of positions that are not random.
    pub(super) questions: u64,
    pub(super) pace: &'r Mutex<Pace>,
    pub(super) observer: &'r dyn Observer,
    pub(super) results: Mutex<Results>,
}

/// The results so far.
#[derive(Default)]
pub(super) struct Results {
    pub(super) faults: Vec<Fault>,
    /// Sightings that turned out to be a fault: their kind and rule before the position was made smaller.
    known: BTreeMap<(FaultKind, Option<Rule>), usize>,
    pub(super) rules: BTreeMap<Rule, (u64, u64)>,
    pub(super) answers: u64,
    pub(super) given: u64,
    pub(super) random: u64,
    pub(super) leaves: u128,
    pub(super) restarts: u64,
    pub(super) waited: Duration,
}

/// Stops our own counting, and keeps its progress to itself: when the check is over, or only when the user stops it.
enum Stop<'s> {
    Over(&'s Run<'s>),
    Request(&'s dyn Observer),
}

impl Observer for Stop<'_> {
    fn is_cancelled(&self) -> bool {
        match self {
            Self::Over(run) => run.is_over(),
            Self::Request(observer) => observer.is_cancelled(),
        }
    }
}

impl Run<'_> {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
            || self.observer.is_cancelled()
            || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    fn results(&self) -> MutexGuard<'_, Results> {
        self.results.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Prepares questions until the check is over.
    pub(super) fn prepare(
        &self,
        mut source: Source<'_>,
        sender: SyncSender<Task>,
        reference: &OpenReference<'_>,
    ) -> Result<(), CheckError> {
        let mut backend = reference().map_err(kogge_driver::Error::from)?;
        let stop = Stop::Over(self);
        let mut driver = Driver::new(&mut *backend, &stop);
        while !self.is_over() {
            let mut task = match source.next(&mut driver) {
                Ok(Some(task)) => task,
                Ok(None) | Err(CheckError::Count(kogge_driver::Error::Cancelled(_))) => break,
                Err(error) => {
                    self.is_over.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            };
            loop {
                match sender.try_send(task) {
                    Ok(()) => break,
                    Err(TrySendError::Full(back)) if !self.is_over() => task = back,
                    Err(_) => return Ok(()),
                }
                thread::sleep(Duration::from_micros(100));
            }
        }
        Ok(())
    }

    /// Asks a copy of the program until there are no more questions.
    pub(super) fn work(
        &self,
        mut copy: Box<dyn Divider + Send + '_>,
        tasks: &Mutex<Receiver<Task>>,
        reference: &OpenReference<'_>,
    ) -> Result<(), CheckError> {
        let mut backend = reference().map_err(kogge_driver::Error::from)?;
        let stop = Stop::Request(self.observer);
        let mut judge = Judge { target: &mut *copy, reference: Driver::new(&mut *backend, &stop) };
        loop {
            let begin = Instant::now();
            let task = loop {
                // The lock is not held while another thread may need it.
                let next = tasks.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv_timeout(TICK);
                match next {
                    Ok(task) => break Some(task),
                    Err(RecvTimeoutError::Timeout) if !self.is_over() => {}
                    Err(_) => break None,
                }
            };
            self.results().waited += begin.elapsed();
            let Some(task) = task.filter(|_| !self.is_over()) else { return Ok(()) };
            match self.answer(&mut judge, task) {
                Ok(()) => {}
                Err(CheckError::Count(kogge_driver::Error::Cancelled(_))) => return Ok(()),
                Err(error) => {
                    self.is_over.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    }

    /// Asks a question, and looks into a wrong answer.
    fn answer(&self, judge: &mut Judge<'_, '_>, task: Task) -> Result<(), CheckError> {
        let Task { question, ours, leaves, rules, origin } = task;
        let begin = Instant::now();
        let answer = ask(judge.target, &question, &question.root, ours);
        self.pace
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .saw(u64::try_from(leaves).unwrap_or(u64::MAX), begin.elapsed());
        let found = match answer {
            Ok(compared) if compared.is_right() => {
                self.passed(rules.iter(), leaves);
                Vec::new()
            }
            Ok(compared) => match judge.find(&question, compared) {
                Err(CheckError::Program(error)) => vec![self.failed(judge, &question, error)?],
                found => found?,
            },
            Err(CheckError::Program(error)) => vec![self.failed(judge, &question, error)?],
            Err(error) => return Err(error),
        };
        self.note(origin);
        for sighting in found {
            self.record(judge, sighting, &question)?;
        }
        Ok(())
    }

    fn failed(
        &self,
        judge: &mut Judge<'_, '_>,
        question: &Question,
        error: EngineError,
    ) -> Result<Sighting, CheckError> {
        if self.observer.is_cancelled() {
            return Err(CheckError::stopped());
        }
        let mut results = self.results();
        results.restarts += 1;
        let kind = kind_of(&error);
        let is_known = results.known.contains_key(&(kind, None));
        drop(results);
        if is_known {
            judge.target.restart()?;
            return Ok(Sighting::known(kind, question, &error));
        }
        judge.find_failure(question, error)
    }

    fn passed(&self, rules: impl Iterator<Item = Rule>, leaves: u128) {
        let mut results = self.results();
        results.leaves = results.leaves.saturating_add(leaves);
        for rule in rules {
            results.rules.entry(rule).or_default().0 += 1;
        }
    }

    /// Counts a question by its origin, and reports the progress.
    fn note(&self, origin: Origin) {
        let mut results = self.results();
        results.answers += 1;
        match origin {
            Origin::Given => results.given += 1,
            Origin::Random => results.random += 1,
            Origin::Again => {}
        }
        let fraction = match self.limit {
            Some(limit) => self.start.elapsed().as_secs_f64() / limit.as_secs_f64().max(1e-9),
            None => results.given as f64 / self.questions as f64,
        };
        let progress = Progress {
            done: results.answers,
            total: self.questions,
            fraction: fraction.min(1.0),
            counted: results.leaves,
        };
        drop(results);
        self.observer.progress(&progress);
    }

    /// Counts a fault, and describes it if it is new.
    fn record(&self, judge: &mut Judge<'_, '_>, sighting: Sighting, found_in: &Question) -> Result<(), CheckError> {
        let key = (sighting.kind, sighting.rule);
        {
            let mut results = self.results();
            if let Some(rule) = sighting.rule {
                results.rules.entry(rule).or_default().1 += 1;
            }
            let known = match results.known.get(&key) {
                None if is_vague(key) => results.faults.iter().position(|fault| in_trees(fault.kind)),
                known => known.copied(),
            };
            let is_enough = results.faults.len() >= MOST_FAULTS;
            if let Some(fault) = known.and_then(|index| results.faults.get_mut(index)) {
                fault.times += 1;
                // Everybody can try a position of chess, but not one of Chess960.
                if !fault.position.is_chess960() || sighting.question.root.is_chess960() {
                    return Ok(());
                }
            } else if is_enough {
                return Ok(());
            }
        }
        let mut fault = describe(judge, sighting, found_in)?;
        let mut results = self.results();
        let same = results.faults.iter().position(|known| {
            (known.kind, known.rule) == (fault.kind, fault.rule)
                || is_vague((fault.kind, fault.rule)) && in_trees(known.kind)
        });
        let index = match same {
            Some(index) => {
                let known = &mut results.faults[index];
                if known.position.is_chess960() && !fault.position.is_chess960() {
                    fault.times = known.times;
                    *known = fault;
                } else {
                    known.times += 1;
                }
                index
            }
            None => {
                results.faults.push(fault);
                results.faults.len() - 1
            }
        };
        results.known.insert(key, index);
        Ok(())
    }
}

/// Whether a fault shows only in trees.
fn in_trees(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::Undo | FaultKind::Hash)
}

/// Whether a count is wrong inside a tree for no known reason. The reason is probably the reason of another such fault.
fn is_vague((kind, rule): (FaultKind, Option<Rule>)) -> bool {
    in_trees(kind) && rule.is_none()
}
