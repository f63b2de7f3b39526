//! Compares the mailbox with every variant of the CPU backend, and with the best variant with a hash table, on
//! random positions until time is up.
//!
//! `cargo xtask soak` runs it. Its arguments are numbers: the seconds (0: until it is stopped), the seed, and the
//! threads (0: one per core). Each thread compares different positions. With a last argument `known`, all backends
//! first count the published totals. At the first difference it prints the position, its rules and the counts, and
//! exits with 1.

#[path = "../tests/claims/sketch.rs"]
mod sketch;
#[path = "../tests/claims/strategies.rs"]
mod strategies;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::soak::{Compared, SoakError};
use kogge_board::{Backend, BackendError, Quad48, known, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::soak::soak;
use kogge_testkit::{Placement, placement};
use proptest::prelude::*;

/// The interval between progress lines.
const REPORT: Duration = Duration::from_secs(10);

/// The greatest published totals that the CPU backend and the mailbox count.
const MOST: u64 = 100_000_000_000;
const MOST_BY_MAILBOX: u64 = 1_000_000_000;

/// The bytes of the hash table in the random comparison: few, so that positions replace each other.
const SMALL_HASH: usize = 1 << 16;
/// The bytes of the hash table for published totals.
const LARGE_HASH: usize = 1 << 28;

/// The work of all threads together, and whether they should stop.
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

/// Returns positions of every kind: random ones, and ones made to violate the conditions of the closed form.
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

/// Returns all variants with this number of threads (`None`: one per core), then the best one with a hash table.
fn backends(threads: Option<usize>, hash: usize) -> Result<Vec<Cpu>, BackendError> {
    let names = Cpu::variants();
    let mut all = Vec::new();
    for name in &names {
        all.push(Cpu::with_variant(threads, name)?);
    }
    if let Some(best) = names.last() {
        let mut hashed = Cpu::with_variant(threads, best)?;
        hashed.set_hash(hash)?;
        all.push(hashed);
    }
    Ok(all)
}

/// Runs the rounds of one thread until all threads should stop.
fn compare(seed: u64, progress: &Progress) -> Result<(), SoakError> {
    let mut all = backends(Some(1), SMALL_HASH)?;
    let mut soak = soak(seed, placements());
    let mut mailbox = Mailbox::new();
    while !progress.stop.load(Ordering::Relaxed) {
        for batch in soak.round(&mut mailbox)? {
            all.iter_mut().try_for_each(|cpu| batch.check(cpu))?;
            progress.add(batch.compared());
        }
    }
    Ok(())
}

/// Counts the published totals with every backend.
fn count_known(threads: Option<usize>) -> Result<(), Box<dyn Error>> {
    for cpu in &mut backends(threads, LARGE_HASH)? {
        known_by(cpu, MOST)?;
    }
    known_by(&mut Mailbox::new(), MOST_BY_MAILBOX)
}

/// Counts the published totals of at most `most` leaves.
fn known_by(backend: &mut dyn Backend, most: u64) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let (mut totals, mut leaves) = (0, 0);
    for known in known::standard() {
        for (depth, nodes) in known.counts() {
            // Totals that do not fit in 64 bits are above any limit.
            let Some(nodes) = u64::try_from(nodes).ok().filter(|&nodes| nodes <= most) else { continue };
            let fen = &known.root;
            let found = backend.perft(&fen.rules, &[Quad48::from(&fen.position)], depth, &mut unwatched)?;
            if found != [nodes] {
                let variant = &backend.info().variant;
                return Err(format!("{variant} counts {found:?} leaves {depth} plies below {fen}, not {nodes}.").into());
            }
            (totals, leaves) = (totals + 1, leaves + nodes);
        }
    }
    let (seconds, info) = (start.elapsed().as_secs_f64(), backend.info());
    println!("{}, {}: {totals} published totals are right, {leaves} leaves in {seconds:.1} s", info.name, info.variant);
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let with_known = arguments.pop_if(|last| last == "known").is_some();
    let numbers: Result<Vec<u64>, _> = arguments.iter().map(|argument| argument.parse()).collect();
    let Ok([seconds, seed, threads]) = numbers.as_deref() else {
        eprintln!("error: Three numbers are expected, SECONDS SEED THREADS, and perhaps the word known.");
        return ExitCode::from(2);
    };
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let threads = if *threads == 0 { cores } else { *threads };
    let end = Duration::from_secs(if *seconds == 0 { u64::MAX } else { *seconds });
    if with_known && let Err(error) = count_known(Some(threads as usize)) {
        println!("{error}");
        return ExitCode::FAILURE;
    }
    println!(
        "Comparing {} and a hash table with the mailbox on {threads} threads, seed {seed}.",
        Cpu::variants().join(", ")
    );

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
