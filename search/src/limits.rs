//! Limits of a search: depth, nodes, a mate, or time.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kogge_board::Move;

/// The limits of a search. Without limits, it runs until it is stopped.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// The greatest depth.
    pub depth: Option<u32>,
    /// The number of nodes of all threads together; exact with one thread, else approximate.
    pub nodes: Option<u64>,
    /// The number of moves to mate that ends the search.
    pub mate: Option<u32>,
    /// The time for the move.
    pub move_time: Option<Duration>,
    /// The clock that determines the time for the move.
    pub clock: Option<Clock>,
    /// The moves of the root to search; empty for all moves.
    pub moves: Vec<Move>,
    /// Whether the opponent is still thinking; if so, time does not count until [`Signals::ponderhit`].
    pub ponder: bool,
    /// The start of the move's time; `None` for the start of the search.
    pub since: Option<Instant>,
}

/// The clock of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clock {
    /// The time left.
    pub left: Duration,
    /// The time that every move adds.
    pub increment: Duration,
    /// The number of moves until the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}

/// Signals to a running search.
#[derive(Debug, Default)]
pub struct Signals {
    stop: AtomicBool,
    ponderhit: AtomicBool,
}

impl Signals {
    /// Ends the search as soon as possible, with the best move found so far.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Reports that the opponent has played the expected move; time counts from now on.
    pub fn ponderhit(&self) {
        self.ponderhit.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn is_ponderhit(&self) -> bool {
        self.ponderhit.load(Ordering::Relaxed)
    }
}

/// The number of moves that the remaining time must last for, unless the clock gives it.
const MOVES_AHEAD: u32 = 26;
/// The time kept in reserve, up to a quarter of the remaining time, for delays on a busy machine.
const RESERVE: Duration = Duration::from_millis(200);

/// The clock of a search, used by the main thread.
#[derive(Debug)]
pub(crate) struct Timer {
    start: Instant,
    /// The time after which no new iteration starts.
    soft: Option<Duration>,
    /// The time after which the search ends at once.
    hard: Option<Duration>,
    /// The time spent while the opponent was thinking; `None` while the opponent still is.
    free: Cell<Option<Duration>>,
}

impl Timer {
    /// Starts a timer; `overhead` is the time lost between this program and the clock.
    pub(crate) fn new(limits: &Limits, overhead: Duration) -> Self {
        let start = limits.since.unwrap_or_else(Instant::now);
        let (mut soft, mut hard) = (None, None);
        if let Some(Clock { left, increment, moves_to_go }) = limits.clock {
            let usable = left.saturating_sub(overhead);
            let usable = usable - RESERVE.min(usable / 4);
            let moves = moves_to_go.unwrap_or(MOVES_AHEAD).clamp(1, MOVES_AHEAD);
            // Some of the time always remains.
            let most = usable / 5 * if moves == 1 { 4 } else { 2 };
            let share = usable / moves + increment / 4 * 3;
            soft = Some(share.min(most));
            hard = Some(share.saturating_mul(3).min(most));
        }
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead.min(time / 2));
            // A time given for the move is used in full.
            soft = soft.map(|soft| soft.min(time));
            hard = Some(hard.map_or(time, |hard: Duration| hard.min(time)));
        }
        Self { start, soft, hard, free: Cell::new((!limits.ponder).then_some(Duration::ZERO)) }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns the time spent so far; `None` while the opponent is thinking.
    fn counted(&self, signals: &Signals) -> Option<Duration> {
        let elapsed = self.start.elapsed();
        if self.free.get().is_none() && signals.is_ponderhit() {
            self.free.set(Some(elapsed));
        }
        self.free.get().map(|free| elapsed.saturating_sub(free))
    }

    /// Returns whether no new iteration should start. `patience` multiplies the time; it is greater if the best move
    /// keeps changing.
    pub(crate) fn is_soft_over(&self, signals: &Signals, patience: f64) -> bool {
        let counted = self.counted(signals);
        matches!((counted, self.soft), (Some(counted), Some(soft)) if counted.as_secs_f64() >= soft.as_secs_f64() * patience)
    }

    pub(crate) fn is_over(&self, signals: &Signals) -> bool {
        matches!((self.counted(signals), self.hard), (Some(counted), Some(hard)) if counted >= hard)
    }

    /// Returns whether time is limited and running.
    pub(crate) fn is_running(&self, signals: &Signals) -> bool {
        self.hard.is_some() && self.counted(signals).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(left: u64, increment: u64, moves_to_go: Option<u32>) -> Timer {
        let [left, increment] = [left, increment].map(Duration::from_millis);
        let clock = Some(Clock { left, increment, moves_to_go });
        Timer::new(&Limits { clock, ..Limits::default() }, Duration::from_millis(10))
    }

    #[test]
    fn a_clock_is_never_overdrawn() {
        for left in [0, 1, 9, 10, 11, 50, 100, 1_000, 60_000, 3_600_000, u64::MAX / 4] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let timer = timer(left, increment, moves_to_go);
                    let (soft, hard) = (timer.soft.unwrap(), timer.hard.unwrap());
                    assert!(soft <= hard && hard <= Duration::from_millis(left), "{left} {increment} {moves_to_go:?}");
                    assert!(left < 100 || hard + Duration::from_millis(10) < Duration::from_millis(left));
                }
            }
        }
    }

    #[test]
    fn more_time_is_used_where_there_is_more() {
        let soft = |left, increment, moves| timer(left, increment, moves).soft.unwrap();
        assert!(soft(60_000, 0, None) < soft(120_000, 0, None));
        assert!(soft(60_000, 0, None) < soft(60_000, 1_000, None));
        assert!(soft(60_000, 0, Some(40)) < soft(60_000, 0, Some(5)));
    }

    #[test]
    fn while_pondering_time_is_free() {
        let move_time = Some(Duration::from_millis(20));
        let limits = Limits { move_time, ponder: true, ..Limits::default() };
        let timer = Timer::new(&limits, Duration::ZERO);
        let signals = Signals::default();
        std::thread::sleep(Duration::from_millis(30));
        assert!(!timer.is_running(&signals) && !timer.is_over(&signals));
        signals.ponderhit();
        assert!(timer.is_running(&signals));
        std::thread::sleep(Duration::from_millis(30));
        assert!(timer.is_over(&signals));
    }

    #[test]
    fn a_time_for_the_move_is_used_up_and_what_was_lost_before_counts() {
        let second = Duration::from_secs(1);
        let signals = Signals::default();
        let limits = Limits { move_time: Some(1000 * second), ..Limits::default() };
        let timer = Timer::new(&limits, Duration::ZERO);
        assert!(!timer.is_soft_over(&signals, 0.0) && !timer.is_over(&signals));
        let since = Instant::now().checked_sub(2 * second);
        let timer = Timer::new(&Limits { move_time: Some(second), since, ..limits }, Duration::ZERO);
        assert!(timer.is_over(&signals));
    }
}
