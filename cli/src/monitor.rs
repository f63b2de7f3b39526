//! Shows the progress of work on a terminal, and stops it on Ctrl-C.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, Once, OnceLock};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kogge::{Observer, Progress};
use kogge_check::end_programs;

use crate::outcome::EXIT_INTERRUPTED;
use crate::output::{printable, rate};
use crate::printing::PRINTED;

/// The time of the first Ctrl-C, SIGTERM or SIGHUP.
static INTERRUPTED: OnceLock<Instant> = OnceLock::new();

/// The time that work has to stop by itself. A call of a backend that is not watched takes longer, and then kogge ends without it. A
/// second signal in this time belongs to the first one: `timeout` signals a process and then its group.
const STOPPING: Duration = Duration::from_millis(500);
/// This time for work that says how far it was, gives back leases or prints a report.
const STOPPING_WELL: Duration = Duration::from_secs(60);

/// Whether the work has the longer time to stop.
static STOPS_WELL: AtomicBool = AtomicBool::new(false);

/// Gives the work that follows more time to stop by itself.
pub(crate) fn give_time_to_stop() {
    STOPS_WELL.store(true, Ordering::Relaxed);
}

/// Installs the handler of Ctrl-C, SIGTERM and SIGHUP. The first signal asks the work to stop, which takes a fraction of a second;
/// the second ends kogge at once. If the handler cannot be installed, signals still end kogge, less cleanly.
pub(crate) fn catch_interrupts() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| keeping_hangups_ignored(|| ctrlc::set_handler(interrupt).is_ok()));
}

fn interrupt() {
    let mut is_first = false;
    let first = INTERRUPTED.get_or_init(|| {
        is_first = true;
        Instant::now()
    });
    if is_first {
        spawn(end_if_stuck);
    } else if first.elapsed() > STOPPING {
        match PRINTED.try_lock() {
            Ok(printed) => end_now(&stopped("Stopped at once", *printed)),
            Err(_) => end_now("Stopped at once while the answer was printed."),
        }
    }
}

/// Ends kogge if it neither ends nor prints anything in the time that it has to stop.
fn end_if_stuck() {
    loop {
        let before = PRINTED.try_lock().map(|printed| *printed).ok();
        sleep(STOPPING);
        if STOPS_WELL.load(Ordering::Relaxed) && PRINTED.try_lock().is_ok_and(|printed| Some(*printed) == before) {
            note("Stopping as soon as the current call ends; another Ctrl-C ends kogge at once.");
            sleep(STOPPING_WELL);
        }
        match PRINTED.try_lock() {
            Ok(printed) if Some(*printed) == before => {
                end_now(&stopped("Stopped on request while a device call was still running", *printed));
            }
            Err(_) if before.is_none() => end_now("Stopped on request while the answer was printed."),
            _ => {}
        }
    }
}

/// Says that kogge stopped after it had printed this number of times.
fn stopped(how: &str, printed: u64) -> String {
    let result = if printed == 0 { "there is no result" } else { "what was printed is right, but may be incomplete" };
    format!("{how}; {result}.")
}

/// Ends kogge without waiting for its threads, but not before the programs that it has started.
pub(crate) fn end_now(sentence: &str) -> ! {
    end_programs();
    // If standard error is closed, the sentence has no reader.
    let _ = writeln!(stderr(), "{}", printable(sentence));
    // What drivers do at a regular exit must not meet threads that still count.
    #[cfg(unix)]
    // SAFETY: `_exit` may be called at any time.
    unsafe {
        libc::_exit(EXIT_INTERRUPTED.into())
    }
    #[cfg(windows)]
    // SAFETY: the functions may be called at any time, and a process may end itself.
    unsafe {
        use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};
        TerminateProcess(GetCurrentProcess(), EXIT_INTERRUPTED.into());
    }
    #[cfg(not(unix))]
    std::process::exit(EXIT_INTERRUPTED.into())
}

/// Installs a handler, but leaves SIGHUP ignored if it is, so that `nohup` protects a long run.
#[cfg(unix)]
fn keeping_hangups_ignored(install: impl FnOnce() -> bool) {
    // SAFETY: `signal` may be called at any time; the old meaning that it returns is a valid one.
    unsafe {
        let before = libc::signal(libc::SIGHUP, libc::SIG_IGN);
        if !install() || before == libc::SIG_IGN {
            libc::signal(libc::SIGHUP, before);
        }
    }
}

#[cfg(not(unix))]
fn keeping_hangups_ignored(install: impl FnOnce() -> bool) {
    install();
}

pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.get().is_some()
}

/// Whether progress is shown: only if standard error is a terminal and `--quiet` is not set.
pub(crate) fn shows_progress(quiet: bool) -> bool {
    !quiet && stderr().is_terminal()
}

/// The time before a bar appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The length of the bar in steps.
const STEPS: f64 = 10_000.0;

/// The times after which a line says how far the work is where no bar is shown, in seconds; then there is a line every hour.
const REPORTS: [u64; 4] = [2, 60, 600, 3_600];

/// Tells when a report of long work is due: soon at first, then less and less often.
pub(crate) struct Reports {
    start: Instant,
    given: usize,
}

impl Reports {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), given: 0 }
    }

    /// Returns the time of the work so far if a report is due.
    pub(crate) fn due(&mut self) -> Option<Duration> {
        let elapsed = self.start.elapsed();
        self.is_due(elapsed).then_some(elapsed)
    }

    fn is_due(&mut self, elapsed: Duration) -> bool {
        let last = REPORTS.len() - 1;
        let next = REPORTS[self.given.min(last)] * (self.given.saturating_sub(last) as u64 + 1);
        let is_due = elapsed.as_secs() >= next;
        self.given += usize::from(is_due);
        is_due
    }
}

/// Calls `work`, and says on standard error what it is if it takes long.
pub(crate) fn saying<T>(doing: &str, quiet: bool, work: impl FnOnce() -> T) -> T {
    let (over, is_over) = channel::<()>();
    let doing = doing.to_owned();
    let reporter = (!quiet).then(|| {
        spawn(move || {
            let mut reports = Reports::new();
            while is_over.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
                if let Some(elapsed) = reports.due() {
                    note(&format!("{doing} has taken {} so far.", duration(elapsed.as_secs_f64())));
                }
            }
        })
    });
    let result = work();
    drop(over);
    // A reporter that has failed has nothing to say.
    let _ = reporter.map(|it| it.join());
    result
}

/// Prints a note on standard error. If it is closed, the note has no reader.
pub(crate) fn note(sentence: &str) {
    let _ = writeln!(stderr(), "note: {}", printable(sentence));
}

/// Observes work for a command.
pub(crate) struct Monitor {
    /// The name of the counted things, as a plural.
    unit: &'static str,
    quiet: bool,
    shown: bool,
    work: Mutex<Work>,
}

/// The current piece of work.
struct Work {
    start: Instant,
    reports: Reports,
    bar: Option<ProgressBar>,
}

impl Monitor {
    /// Creates a monitor, which shows a bar unless `quiet` is set.
    pub(crate) fn new(unit: &'static str, quiet: bool) -> Self {
        let shown = shows_progress(quiet);
        let work = Work { start: Instant::now(), reports: Reports::new(), bar: None };
        Self { unit, quiet, shown, work: Mutex::new(work) }
    }

    /// Removes the bar and starts the next piece of work.
    pub(crate) fn next(&self) {
        let mut work = self.work.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(bar) = work.bar.take() {
            bar.finish_and_clear();
        }
        (work.start, work.reports) = (Instant::now(), Reports::new());
    }
}

impl Observer for Monitor {
    fn progress(&self, progress: &Progress) {
        if self.quiet {
            return;
        }
        let mut work = self.work.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let elapsed = work.start.elapsed();
        let seconds = elapsed.as_secs_f64();
        let left = match progress.fraction {
            ..=1e-9 => "time left unknown".to_owned(),
            fraction => format!("about {} left", duration(seconds * (1.0 - fraction) / fraction)),
        };
        // While positions are merged, no leaves are counted yet.
        let expected = match progress.counted {
            0 => left,
            counted => format!("{} {}/s, {left}", rate(counted, elapsed), self.unit),
        };
        if !self.shown {
            if work.reports.due().is_some() {
                note(&format!("After {}, {:.1} % is done: {expected}.", duration(seconds), 100.0 * progress.fraction));
            }
            return;
        }
        if elapsed < PATIENCE {
            return;
        }
        let bar = work.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(STEPS as u64), ProgressDrawTarget::stderr());
            // The template is a constant; without it, the default bar still shows the progress.
            bar.set_style(
                ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        bar.set_position((progress.fraction * STEPS) as u64);
        bar.set_message(expected);
    }

    fn is_cancelled(&self) -> bool {
        is_interrupted()
    }
}

/// Formats seconds in at most two units.
pub(crate) fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str, f64, &str); 3] =
        [(31_557_600.0, "y", 86_400.0, "d"), (86_400.0, "d", 3_600.0, "h"), (3_600.0, "h", 60.0, "min")];
    for (large, large_name, small, small_name) in UNITS {
        if seconds >= large {
            let (whole, rest) = ((seconds / large).floor(), (seconds % large / small).floor());
            return format!("{whole} {large_name} {rest} {small_name}");
        }
    }
    if seconds >= 60.0 {
        format!("{} min {} s", (seconds / 60.0).floor(), (seconds % 60.0).floor())
    } else {
        format!("{} s", seconds.ceil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_due_soon_and_then_less_and_less_often() {
        let mut reports = Reports::new();
        let due = (0..4 * 3_600).filter(|&seconds| reports.is_due(Duration::from_secs(seconds)));
        assert_eq!(due.collect::<Vec<_>>(), [2, 60, 600, 3_600, 7_200, 10_800]);
    }

    #[test]
    fn durations_read_well() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (0.2, "1 s"),
            (59.0, "59 s"),
            (61.0, "1 min 1 s"),
            (3_600.0, "1 h 0 min"),
            (90_000.0, "1 d 1 h"),
            (31_557_600.0 * 250.5, "250 y 182 d"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
