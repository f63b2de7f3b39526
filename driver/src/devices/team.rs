//! Devices that work at the same time on pieces in a queue.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use kogge_board::BackendError;

use super::MergeDevice;
use crate::{Error, Observer, Progress};

/// A device takes at most its share of the remaining pieces divided by this number, so that at the end no device waits long for
/// another.
const PARTS: usize = 8;

/// Devices at work, and the queue of pieces.
struct Team<'a> {
    observer: &'a dyn Observer,
    pieces: usize,
    stop: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// The first piece that nobody has taken.
    next: usize,
    /// The progress of each device. `total` is what it took, and the fraction is in pieces.
    members: Vec<Progress>,
}

/// The place of a device in its team. As an observer, it gets the progress of the device.
pub(super) struct Member<'a> {
    team: &'a Team<'a>,
    index: usize,
    /// The progress before the pieces that the device works on now; `total` includes them.
    before: Mutex<Progress>,
}

impl Member<'_> {
    /// Takes the next pieces, which lie beside each other. Returns `None` if none are left.
    pub(super) fn take(&self) -> Option<Range<usize>> {
        let team = self.team;
        let mut state = team.state();
        let left = team.pieces - state.next;
        let len = (left / (PARTS * state.members.len().max(1))).clamp(left.min(1), left);
        let taken = state.next..state.next + len;
        state.next = taken.end;
        let member = &mut state.members[self.index];
        // All that was taken before is done now.
        member.done = member.total;
        member.fraction = member.done as f64;
        member.total += len as u64;
        *self.before() = *member;
        (len > 0).then_some(taken)
    }

    fn before(&self) -> MutexGuard<'_, Progress> {
        self.before.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Observer for Member<'_> {
    fn progress(&self, progress: &Progress) {
        let before = *self.before();
        let team = self.team;
        let mut state = team.state();
        let taken = before.total - before.done;
        state.members[self.index] = Progress {
            done: before.done + progress.done.min(taken),
            fraction: before.done as f64 + progress.fraction * taken as f64,
            counted: before.counted.saturating_add(progress.counted),
            ..before
        };
        let all = state.sum(team.pieces);
        drop(state);
        team.observer.progress(&all);
    }

    fn is_cancelled(&self) -> bool {
        self.team.stop.load(Ordering::Relaxed) || self.team.observer.is_cancelled()
    }
}

impl Team<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl State {
    /// Returns the progress of all devices.
    fn sum(&self, pieces: usize) -> Progress {
        let fraction = self.members.iter().map(|member| member.fraction).sum::<f64>() / pieces.max(1) as f64;
        Progress {
            done: self.members.iter().map(|member| member.done).sum(),
            total: pieces as u64,
            fraction: fraction.clamp(0.0, 1.0),
            counted: self.members.iter().fold(0, |sum, member| sum.saturating_add(member.counted)),
        }
    }
}

/// Runs `work` on every device in a thread of its own, and returns what they found. If one fails, all stop.
///
/// # Errors
/// The error of a device that failed, or [`Error::Cancelled`] if the observer asks to stop.
pub(super) fn together<T: Send>(
    devices: &mut [MergeDevice],
    pieces: usize,
    observer: &dyn Observer,
    work: impl Fn(&mut MergeDevice, &Member<'_>) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let state = State { next: 0, members: vec![Progress::default(); devices.len()] };
    let team = Team { observer, pieces, stop: AtomicBool::new(false), state: Mutex::new(state) };
    let results: Vec<_> = thread::scope(|scope| {
        let spawn = |(index, device)| {
            let (team, work) = (&team, &work);
            scope.spawn(move || {
                let member = Member { team, index, before: Mutex::default() };
                let result = catch_unwind(AssertUnwindSafe(|| work(device, &member))).unwrap_or_else(|_| Err(bug()));
                team.stop.fetch_or(result.is_err(), Ordering::Relaxed);
                result
            })
        };
        let threads: Vec<_> = devices.iter_mut().enumerate().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(bug()))).collect()
    });
    let failed = results.iter().filter_map(|result| result.as_ref().err());
    if let Some(error) = failed.clone().find(|error| !matches!(error, Error::Cancelled(_))) {
        return Err(error.clone());
    }
    if failed.count() > 0 {
        return Err(Error::Cancelled(team.state().sum(pieces)));
    }
    results.into_iter().collect()
}

/// The error of a thread that panicked.
fn bug() -> Error {
    let [device, doing, reason] = ["A device", "at work", "it stopped because of a bug in kogge."].map(str::to_owned);
    BackendError::Device { device, doing, reason }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_taken_once_and_in_smaller_and_smaller_parts() {
        let state = State { next: 0, members: vec![Progress::default(); 2] };
        let team = Team { observer: &(), pieces: 100, stop: AtomicBool::new(false), state: Mutex::new(state) };
        let members = [0, 1].map(|index| Member { team: &team, index, before: Mutex::default() });
        let (mut next, mut lens) = (0, Vec::new());
        for turn in 0.. {
            let Some(taken) = members[turn % 2].take() else { break };
            assert_eq!(taken.start, next);
            next = taken.end;
            lens.push(taken.len());
        }
        assert!(next == 100 && lens[0] == 6 && lens.is_sorted_by(|a, b| a >= b), "{lens:?}");
        assert!(lens.ends_with(&[1; 16]));
    }

    #[test]
    fn progress_adds_up() {
        let state = State { next: 0, members: vec![Progress::default(); 2] };
        let team = Team { observer: &(), pieces: 32, stop: AtomicBool::new(false), state: Mutex::new(state) };
        let member = Member { team: &team, index: 1, before: Mutex::default() };
        let report = |done, fraction, counted| {
            member.progress(&Progress { done, total: 2, fraction, counted });
            team.state().sum(32)
        };
        assert_eq!(report(0, 0.7, 0), Progress { total: 32, ..Progress::default() }, "nothing is taken yet");
        assert_eq!(member.take(), Some(0..2));
        assert_eq!(report(1, 0.5, 10), Progress { done: 1, total: 32, fraction: 1.0 / 32.0, counted: 10 });
        assert_eq!(report(2, 1.0, 25), Progress { done: 2, total: 32, fraction: 2.0 / 32.0, counted: 25 });
        assert_eq!(member.take(), Some(2..3));
        assert_eq!(report(1, 1.0, 5), Progress { done: 3, total: 32, fraction: 3.0 / 32.0, counted: 30 });
    }
}
