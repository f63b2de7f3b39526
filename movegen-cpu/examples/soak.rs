//! Compares every variant of the CPU backend with the mailbox on random positions, until time is up.
//!
//! `cargo xtask soak` runs it. Its arguments are all numbers: for how many seconds (0: until it is
//! stopped), the seed, and how many threads (0: one per core). Each thread compares other positions. It
//! exits with 1 at the first difference, and prints the position, its rules and the counts.

#[path = "../tests/claims/sketch.rs"]
mod sketch;
#[path = "../tests/claims/strategies.rs"]
mod strategies;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::Backend;
use kogge_board::soak::{Compared, Soak, SoakError};
use kogge_board::testing::{Placement, placement};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use proptest::prelude::*;

/// How often a line says how far it is.
const REPORT: Duration = Duration::from_secs(10);

/// What all threads together have compared, and whether they should stop.
#[derive(Default)]
struct Progress {
    two_plies: AtomicU64,
    three_plies: AtomicU64,
    leaves: AtomicU64,
    stop: AtomicBool,
    failed: Mutex<Option<SoakError>>,
}

impl Progress {
    fn add(&self, compared: Compared) {
        self.two_plies.fetch_add(compared.two_plies, Ordering::Relaxed);
        self.three_plies.fetch_add(compared.three_plies, Ordering::Relaxed);
        self.leaves.fetch_add(compared.leaves, Ordering::Relaxed);
    }

    fn fail(&self, error: SoakError) {
        self.stop.store(true, Ordering::Relaxed);
        self.failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
    }

    fn report(&self, start: Instant) {
        let (seconds, positions) = (start.elapsed().as_secs_f64(), self.two_plies.load(Ordering::Relaxed));
        println!(
            "{seconds:.0} s: {positions} positions compared two plies deep ({:.0}/s), {} of them three plies deep; \
             {} leaves",
            positions as f64 / seconds,
            self.three_plies.load(Ordering::Relaxed),
            self.leaves.load(Ordering::Relaxed),
        );
    }
}

/// Positions of every kind: any, and those made to violate what two plies in closed form rely on.
fn placements() -> BoxedStrategy<Placement> {
    let claims = [
        strategies::k1().boxed(),
        strategies::k2().boxed(),
        strategies::k3().boxed(),
        strategies::k4().boxed(),
        strategies::k5().boxed(),
        strategies::k6().boxed(),
        strategies::k7().boxed(),
        strategies::k8().boxed(),
        strategies::k9().boxed(),
        strategies::pawns().boxed(),
        strategies::captures().boxed(),
        strategies::crowds().boxed(),
        strategies::checks().boxed(),
        strategies::promoted().boxed(),
    ];
    prop_oneof![1 => placement(), 2 => prop::strategy::Union::new(claims)].boxed()
}

/// Rounds of one thread until all should stop.
fn compare(seed: u64, progress: &Progress) -> Result<(), SoakError> {
    let mut variants = Vec::new();
    for name in Cpu::variants() {
        variants.push(Cpu::with_variant(Some(1), name)?);
    }
    let mut backends: Vec<&mut dyn Backend> = variants.iter_mut().map(|cpu| cpu as &mut dyn Backend).collect();
    let mut soak = Soak::new(seed, placements());
    let mut mailbox = Mailbox::new();
    while !progress.stop.load(Ordering::Relaxed) {
        progress.add(soak.round(&mut backends, &mut mailbox)?);
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Result<Vec<u64>, _> = std::env::args().skip(1).map(|argument| argument.parse()).collect();
    let Ok([seconds, seed, threads]) = arguments.as_deref() else {
        eprintln!("error: Three numbers are expected: SECONDS SEED THREADS.");
        return ExitCode::from(2);
    };
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let threads = if *threads == 0 { cores } else { *threads };
    let end = Duration::from_secs(if *seconds == 0 { u64::MAX } else { *seconds });
    println!("Comparing {} with the mailbox on {threads} threads, seed {seed}.", Cpu::variants().join(", "));

    let (progress, start) = (Progress::default(), Instant::now());
    thread::scope(|scope| {
        for index in 0..threads {
            let progress = &progress;
            let seed = seed.wrapping_add(index << 48);
            scope.spawn(move || compare(seed, progress).unwrap_or_else(|error| progress.fail(error)));
        }
        let mut next = REPORT;
        while !progress.stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(100));
            if start.elapsed() >= next {
                progress.report(start);
                next += REPORT;
            }
            progress.stop.fetch_or(start.elapsed() >= end, Ordering::Relaxed);
        }
    });
    progress.report(start);
    match progress.failed.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        None => {
            println!("No differences.");
            ExitCode::SUCCESS
        }
        Some(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
