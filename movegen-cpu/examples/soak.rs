//! Compares every variant of the CPU backend, and the best one with a hash table, with the mailbox on
//! random positions, until time is up.
//!
//! `cargo xtask soak` runs it. Its arguments are numbers: for how many seconds (0: until it is stopped),
//! the seed, and how many threads (0: one per core). Each thread compares other positions. A last
//! argument `known` lets all of them count the published totals first. It exits with 1 at the first
//! difference, and prints the position, its rules and the counts.

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

use kogge_board::soak::{Compared, Soak, SoakError};
use kogge_board::testing::{Placement, placement};
use kogge_board::{Backend, BackendError, Fen, Quad48};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use proptest::prelude::*;

/// How often a line says how far it is.
const REPORT: Duration = Duration::from_secs(10);

/// Greater published totals than these are left out: by the CPU backend, and by the mailbox.
const MOST: u64 = 100_000_000_000;
const MOST_BY_MAILBOX: u64 = 1_000_000_000;

/// Bytes of the hash table in the random comparison: few, so that positions fight for them.
const SMALL_HASH: usize = 1 << 16;
/// Bytes of the hash table for published totals.
const LARGE_HASH: usize = 1 << 28;

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

/// All variants with so many threads (`None`: one per core), then the best with a hash table.
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

/// Rounds of one thread until all should stop.
fn compare(seed: u64, progress: &Progress) -> Result<(), SoakError> {
    let mut all = backends(Some(1), SMALL_HASH)?;
    let mut backends: Vec<&mut dyn Backend> = all.iter_mut().map(|cpu| cpu as &mut dyn Backend).collect();
    let mut soak = Soak::new(seed, placements());
    let mut mailbox = Mailbox::new();
    while !progress.stop.load(Ordering::Relaxed) {
        progress.add(soak.round(&mut backends, &mut mailbox)?);
    }
    Ok(())
}

/// Counts the published totals by every backend.
fn known(threads: Option<usize>) -> Result<(), Box<dyn Error>> {
    for cpu in &mut backends(threads, LARGE_HASH)? {
        known_by(cpu, MOST)?;
    }
    known_by(&mut Mailbox::new(), MOST_BY_MAILBOX)
}

/// Counts the published totals up to a greatest.
fn known_by(backend: &mut dyn Backend, most: u64) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let (mut totals, mut leaves) = (0, 0);
    for line in include_str!("../../data/known-counts.tsv").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split('\t').collect();
        let [_, fen, depth, nodes, _] = fields[..] else { return Err(format!("This is no count: {line}").into()) };
        // Totals that do not fit in 64 bits are above any limit.
        let Some(nodes) = nodes.parse::<u64>().ok().filter(|&nodes| nodes <= most) else { continue };
        let fen: Fen = fen.parse()?;
        let found = backend.perft(&fen.rules, &[Quad48::from(&fen.position)], depth.parse()?)?;
        if found != [nodes] {
            let variant = &backend.info().variant;
            return Err(format!("{variant} counts {found:?} leaves {depth} plies below {fen}, not {nodes}.").into());
        }
        (totals, leaves) = (totals + 1, leaves + nodes);
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
    if with_known && let Err(error) = known(Some(threads as usize)) {
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
