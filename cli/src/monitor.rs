//! Shows the progress of work on a terminal, and stops it on Ctrl-C.

use std::io::{IsTerminal, Write, stderr};
use std::process::exit;
use std::sync::{Mutex, Once, OnceLock};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kogge_driver::{Observer, Progress, end_programs};

use crate::outcome::EXIT_INTERRUPTED;
use crate::output::rate;

/// The time of the first Ctrl-C, SIGTERM or SIGHUP.
static INTERRUPTED: OnceLock<Instant> = OnceLock::new();

/// The time in which a second signal belongs to the first one: `timeout` signals a process and then its group. Work that takes
/// longer to stop says so.
const ONE_REQUEST: Duration = Duration::from_millis(700);

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
        spawn(|| {
            sleep(ONE_REQUEST);
            // If standard error is closed, the note has no reader.
            let _ = writeln!(stderr(), "note: Stopping when the current call ends; another Ctrl-C ends kogge at once.");
        });
    } else if first.elapsed() > ONE_REQUEST {
        end_programs();
        exit(EXIT_INTERRUPTED.into());
    }
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

/// Observes work for a command.
pub(crate) struct Monitor {
    /// The name of the counted things, as a plural.
    unit: &'static str,
    shown: bool,
    work: Mutex<Work>,
}

/// The current piece of work.
struct Work {
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Monitor {
    /// Creates a monitor, which shows a bar unless `quiet` is set.
    pub(crate) fn new(unit: &'static str, quiet: bool) -> Self {
        let shown = shows_progress(quiet);
        Self { unit, shown, work: Mutex::new(Work { start: Instant::now(), bar: None }) }
    }

    /// Removes the bar and starts the next piece of work.
    pub(crate) fn next(&self) {
        let mut work = self.work.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(bar) = work.bar.take() {
            bar.finish_and_clear();
        }
        work.start = Instant::now();
    }
}

impl Observer for Monitor {
    fn progress(&self, progress: &Progress) {
        if !self.shown {
            return;
        }
        let mut work = self.work.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let elapsed = work.start.elapsed();
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
        let seconds = elapsed.as_secs_f64();
        let left = match progress.fraction {
            ..=1e-9 => "time left unknown".to_owned(),
            fraction => format!("about {} left", duration(seconds * (1.0 - fraction) / fraction)),
        };
        bar.set_message(format!("{} {}/s, {left}", rate(progress.counted, elapsed), self.unit));
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
