//! Stops runs of a ledger repeatedly: with signals that can be caught and with one that cannot, while their clocks are wrong.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use kogge::board::Random;
use kogge_ledger::{Lease, LedgerError, LedgerProgress, LedgerStore};

use super::{Run, command, kogge};

/// The seconds by which the clock of a process is wrong: an hour, or 70 years.
const CLOCKS: [i64; 4] = [0, -3_600, 3_600, 2_200_000_000];

/// What another process sees of a ledger.
pub type Seen = Option<(LedgerProgress, Vec<Lease>)>;

/// Looks at a ledger, if there is one.
pub fn look(store: Result<&mut dyn LedgerStore, LedgerError>) -> Seen {
    let store = store.ok()?;
    store.header().ok()??;
    Some((store.tally().ok()?, store.leases().ok()?))
}

/// Runs of a ledger that are stopped again and again. Two of them share the ledger at any time.
pub struct Kills<'a> {
    pub ledger: &'a str,
    /// The arguments of `kogge` that create or resume the ledger.
    pub arguments: &'a [&'a str],
    /// The backends of the runs, the slowest first.
    pub backends: &'a [&'a str],
    /// The library that sets clocks wrong, if they are to be wrong.
    pub clock: Option<&'a Path>,
    /// The total of the whole ledger.
    pub total: u128,
    random: Random,
    /// The number of runs that a signal has ended tidily.
    tidy: u32,
}

impl<'a> Kills<'a> {
    pub fn new(ledger: &'a str, arguments: &'a [&'a str], backends: &'a [&'a str], total: u128) -> Self {
        Self { ledger, arguments, backends, clock: None, total, random: Random::new(12_345), tidy: 0 }
    }

    fn start(&mut self, is_slow: bool) -> Child {
        let backend = self.backends[if is_slow { 0 } else { self.random.index(self.backends.len()) }];
        let mut run = command(&[self.arguments, &["--backend", backend, "--threads", "1", "--quiet"]].concat());
        if let Some(clock) = self.clock {
            set_clock(&mut run, clock, CLOCKS[self.random.index(CLOCKS.len())]);
        }
        run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kogge starts")
    }

    /// Stops runs `times` times. Every second time, a run is stopped after a short random time, perhaps while it creates the ledger; the
    /// other times, after some entries were counted.
    ///
    /// A run that can catch the signal leaves no lease. The ledger can always be read.
    pub fn kill(&mut self, times: u32, mut seen: impl FnMut() -> Seen) {
        let mut running = Vec::new();
        for killed in 1..=times {
            // Work must be left for the last of them, even on a fast machine.
            let is_late = seen().is_some_and(|(tally, _)| tally.done > tally.entries / 2);
            while running.len() < 2 {
                running.push(self.start(is_late));
            }
            let mut done = || seen().map_or(0, |(tally, _)| tally.done);
            let before = done();
            sleep(Duration::from_millis(self.random.index(100) as u64));
            let deadline = Instant::now() + Duration::from_secs(60);
            while killed % 2 == 0 && done() == before {
                assert!(Instant::now() < deadline, "nothing is counted");
                sleep(Duration::from_millis(2));
            }
            let signal = ["-KILL", "-TERM", "-INT"][self.random.index(3)];
            let doomed = running.remove(if is_late { 0 } else { self.random.index(2) });
            self.stop(doomed, signal, &mut seen);
            if killed % 10 == 0 {
                let shown = kogge(&["ledger", self.ledger, "--json"]);
                let sum = shown.json()[0]["sum"].to_string().parse::<u128>().expect("a count");
                assert!((1..self.total).contains(&sum), "{shown:?}");
            }
        }
        running.into_iter().for_each(|doomed| self.stop(doomed, "-KILL", &mut seen));
    }

    fn stop(&mut self, doomed: Child, signal: &str, seen: &mut dyn FnMut() -> Seen) {
        let id = doomed.id();
        let sent = Command::new("kill").args([signal, &id.to_string()]).status();
        assert!(sent.expect("there is kill").success());
        let output = doomed.wait_with_output().expect("kogge ends");
        // A signal that comes before kogge can catch it ends the process.
        let was_killed = output.status.code().is_none();
        let run = Run::from(output);
        assert!(was_killed && run.stderr.is_empty() || run.code == 130 && signal != "-KILL", "{signal}: {run:?}");
        if !was_killed {
            self.tidy += 1;
            let last = run.stderr.lines().last().unwrap_or_default();
            assert!(last.starts_with("Stopped ") && run.stdout.is_empty(), "{signal}: {run:?}");
        }
        if signal != "-KILL" {
            let leases = seen().map_or_else(Vec::new, |(_, leases)| leases);
            let own = leases.iter().find(|lease| lease.worker.contains(&format!("/{id}/")));
            assert_eq!(own, None, "{signal}: {run:?}");
        }
    }

    /// Lets the CPU, whose clock is right, finish the ledger.
    pub fn finish(&mut self, mut seen: impl FnMut() -> Seen) {
        let (tally, _) = seen().expect("there is a ledger");
        assert!(tally.done > 0 && tally.done < tally.entries, "work is left for the CPU: {tally:?}");
        assert!(self.tidy > 10, "only {} runs caught their signal", self.tidy);
        let answer =
            kogge(&[self.arguments, &["--quiet", "--backend", "cpu", "--threads", "2"]].concat()).answer("run");
        assert_eq!(answer, format!("Nodes searched: {}\n", self.total));
        let (tally, leases) = seen().expect("there is a ledger");
        assert_eq!((tally.done, tally.disputed, leases), (tally.entries, 0, Vec::new()));
        let checked = kogge(&["ledger", self.ledger, "--check"]).answer("check");
        assert!(checked.contains("Every checksum is right.\n"), "{checked}");
    }
}

/// Makes the library that sets clocks wrong in a folder.
pub fn clock(folder: &Path) -> std::path::PathBuf {
    let library = folder.join("clock.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/clock.c");
    let made = Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    assert!(made.expect("there is a C compiler, because SQLite is written in C").success());
    library
}

/// Sets the clock of a process wrong by some seconds.
pub fn set_clock(command: &mut Command, library: &Path, seconds: i64) {
    command.env("LD_PRELOAD", library).env("KOGGE_TEST_CLOCK", seconds.to_string());
}
