//! When a search ends: depth, nodes, a mate, or time.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kogge_board::Move;

/// When a search is to end. What is `None` does not end it; without any limit it goes on until it is
/// stopped.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// After this depth.
    pub depth: Option<u32>,
    /// After about so many nodes, by all threads together; with one thread, exactly.
    pub nodes: Option<u64>,
    /// As soon as a mate in so many moves is found.
    pub mate: Option<u32>,
    /// After this time.
    pub move_time: Option<Duration>,
    /// When it seems wise, given what is on the clock.
    pub clock: Option<Clock>,
    /// Look at these moves of the root only, if there are any.
    pub moves: Vec<Move>,
    /// The opponent is still thinking: time does not count until [`Signals::ponderhit`].
    pub ponder: bool,
    /// Since when time counts; since the search begins, if that is not said.
    pub since: Option<Instant>,
}

/// What is on the clock of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Time that every move adds.
    pub increment: Duration,
    /// Moves until more time comes, if it does.
    pub moves_to_go: Option<u32>,
}

/// How a search is told from outside to end.
#[derive(Debug, Default)]
pub struct Signals {
    stop: AtomicBool,
    ponderhit: AtomicBool,
}

impl Signals {
    /// End as soon as possible, with the best move found so far.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The opponent has played the expected move: from now on time counts.
    pub fn ponderhit(&self) {
        self.ponderhit.store(true, Ordering::Relaxed);
    }

    /// Whether it was told to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn is_ponderhit(&self) -> bool {
        self.ponderhit.load(Ordering::Relaxed)
    }
}

/// Moves that the time left is planned for if nobody says how many there are.
const MOVES_AHEAD: u32 = 26;
/// Time that is not planned with, up to a quarter of what is left: a busy machine may take it at any moment.
const RESERVE: Duration = Duration::from_millis(200);

/// When to end for time's sake. The main thread's.
#[derive(Debug)]
pub(crate) struct Timer {
    start: Instant,
    /// No new iteration after this; none if there is no limit.
    soft: Option<Duration>,
    /// End at once after this.
    hard: Option<Duration>,
    /// What was thought while the opponent was thinking; none as long as it is.
    free: Cell<Option<Duration>>,
}

impl Timer {
    /// A timer that begins now; `overhead` is lost between this program and the clock.
    pub(crate) fn new(limits: &Limits, overhead: Duration) -> Self {
        let start = limits.since.unwrap_or_else(Instant::now);
        let (mut soft, mut hard) = (None, None);
        if let Some(Clock { left, increment, moves_to_go }) = limits.clock {
            let usable = left.saturating_sub(overhead);
            let usable = usable - RESERVE.min(usable / 4);
            let moves = moves_to_go.unwrap_or(MOVES_AHEAD).clamp(1, MOVES_AHEAD);
            // Whatever else happens, some of the time is left over.
            let most = usable / 5 * if moves == 1 { 4 } else { 2 };
            let share = usable / moves + increment / 4 * 3;
            soft = Some(share.min(most));
            hard = Some(share.saturating_mul(3).min(most));
        }
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead.min(time / 2));
            // A time that is given is used up.
            soft = soft.map(|soft| soft.min(time));
            hard = Some(hard.map_or(time, |hard: Duration| hard.min(time)));
        }
        Self { start, soft, hard, free: Cell::new((!limits.ponder).then_some(Duration::ZERO)) }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The time that counts; none as long as the opponent is thinking.
    fn counted(&self, signals: &Signals) -> Option<Duration> {
        let elapsed = self.start.elapsed();
        if self.free.get().is_none() && signals.is_ponderhit() {
            self.free.set(Some(elapsed));
        }
        self.free.get().map(|free| elapsed.saturating_sub(free))
    }

    /// Whether another iteration is not worth beginning. `patience` stretches the time: more if the best
    /// move keeps changing.
    pub(crate) fn is_soft_over(&self, signals: &Signals, patience: f64) -> bool {
        let counted = self.counted(signals);
        matches!((counted, self.soft), (Some(counted), Some(soft)) if counted.as_secs_f64() >= soft.as_secs_f64() * patience)
    }

    /// Whether to end at once.
    pub(crate) fn is_over(&self, signals: &Signals) -> bool {
        matches!((self.counted(signals), self.hard), (Some(counted), Some(hard)) if counted >= hard)
    }

    /// Whether time is limited and counts.
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
