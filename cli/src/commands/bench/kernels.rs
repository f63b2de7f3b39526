//! `kogge bench --kernels`: the time of each kernel of a GPU.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::time::Instant;

use kogge::{
    Backend, Driver, Error, Leaves, MergeSettings, Quad48,
    known::{self, KnownCounts},
    memory,
    tuning::{KernelTime, Profile, tunable},
    unwatched,
};
use serde::Serialize;

use crate::context::{Context, Job};
use crate::monitor::Monitor;
use crate::outcome::{Answer, Failure};
use crate::output::{Device, magnitude, record};

/// The minimum time of a workload at the depth that is shown, in seconds; less if no deeper total is published.
const ENOUGH: f64 = 0.03;

/// Measures the kernels of one GPU.
pub(super) struct Kernels {
    /// The options to measure with, one after the other.
    pub(super) options: Vec<&'static str>,
    /// The bytes for merged plies, if the user gave a number.
    pub(super) memory: Option<NonZeroUsize>,
}

/// A kind of workload; returns the leaves if it counts them.
type Work = fn(&mut dyn Backend, &KnownCounts, u32, &MergeSettings, &Monitor) -> Result<Option<u128>, Error>;

const WORKS: [(&str, Work); 4] = [
    ("raw", |backend, known, depth, _, monitor| Driver::new(backend, monitor).perft(&known.root, depth).map(Some)),
    ("merged", |backend, known, depth, settings, monitor| {
        let merged = Driver::new(backend, monitor).perft_merged(&known.root, depth, settings)?;
        Ok(Some(merged.leaves))
    }),
    ("minimax", |backend, known, depth, _, _| search(backend, known, depth, Leaves::Static)),
    ("quiescence", |backend, known, depth, _, _| search(backend, known, depth, Leaves::Quiescent)),
];

fn search(backend: &mut dyn Backend, known: &KnownCounts, depth: u32, leaves: Leaves) -> Result<Option<u128>, Error> {
    backend.minimax(&known.root.rules, &[Quad48::from(&known.root.position)], depth, leaves, &mut unwatched)?;
    Ok(None)
}

/// The workload below one position.
#[derive(Serialize)]
struct Row {
    position: &'static str,
    work: &'static str,
    depth: u32,
    seconds: f64,
    kernels: Vec<Kernel>,
}

#[derive(Serialize)]
struct Kernel {
    name: &'static str,
    launches: u64,
    items: u64,
    seconds: f64,
}

impl Job for Kernels {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let device = tunable(&context.request)?;
        for options in &self.options {
            let mut backend = device.profile(options)?;
            let settings = MergeSettings::with_memory(memory::share(self.memory, backend.info()));
            let opening = backend.opening().clone();
            let compilations = opening.compilations.iter().map(|(name, time)| (*name, time.as_secs_f64()));
            let opening = record! {
                device: opening.device.as_secs_f64(),
                source: opening.source.as_secs_f64(),
                kernels: opening.kernels.as_secs_f64(),
                self_test: opening.self_test.as_secs_f64(),
                compilations: compilations.collect::<Vec<_>>(),
                log: backend.compiler_log().to_owned(),
            };
            let monitor = context.monitor("leaves")?;
            let mut rows = Vec::new();
            for known in known::standard() {
                for (name, work) in WORKS {
                    rows.push(row(&mut *backend, &known, (name, work), &settings, &monitor)?);
                }
            }
            monitor.next();
            let device = Device::from(backend.info());
            let report = record! { command: "bench", #[serde(flatten)] device, options, opening, rows };
            context.output.print(&report, |to| {
                writeln!(to, "{}; {}", report.device, if options.is_empty() { "default options" } else { options })?;
                let steps = &report.opening;
                let slowest = steps.compilations.iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
                let slowest = slowest.map_or(String::new(), |(name, time)| format!(" (longest {name}, {time:.3} s)"));
                writeln!(
                    to,
                    "device {:.3} s, source {:.3} s, kernels {:.3} s{slowest}, self-test {:.3} s",
                    steps.device, steps.source, steps.kernels, steps.self_test
                )?;
                let mut log = steps.log.lines().filter(|line| !line.trim().is_empty());
                log.try_for_each(|line| writeln!(to, "compiler: {line}"))?;
                table(&report.rows, to)
            })?;
        }
        Ok(Answer::Done)
    }
}

/// Runs the workload at greater and greater depths until it takes long enough, twice at each depth, because the first run
/// compiles kernels and makes buffers.
fn row(
    backend: &mut dyn Profile,
    known: &KnownCounts,
    (name, work): (&'static str, Work),
    settings: &MergeSettings,
    monitor: &Monitor,
) -> Result<Row, Failure> {
    let mut depth = 1;
    loop {
        work(&mut *backend, known, depth, settings, monitor)?;
        backend.kernel_times();
        let start = Instant::now();
        let leaves = work(&mut *backend, known, depth, settings, monitor)?;
        let seconds = start.elapsed().as_secs_f64();
        if leaves.is_some() && leaves != known.leaves(depth) {
            let KnownCounts { name: position, .. } = known;
            return Err(Failure::Device(format!(
                "The device counts {leaves:?} leaves at depth {depth} of {position}."
            )));
        }
        if seconds >= ENOUGH || depth >= known.confirmed() {
            let kernels = backend.kernel_times().into_iter().map(|time| {
                let KernelTime { name, launches, items, nanoseconds } = time;
                Kernel { name, launches, items, seconds: nanoseconds as f64 * 1e-9 }
            });
            return Ok(Row { position: known.name, work: name, depth, seconds, kernels: kernels.collect() });
        }
        depth += 1;
    }
}

fn table(rows: &[Row], to: &mut dyn Write) -> io::Result<()> {
    writeln!(
        to,
        "{:<10}{:<11}{:>5}  {:<24}{:>9}{:>16}{:>12}{:>8}{:>10}",
        "position", "work", "depth", "kernel", "launches", "items", "ms", "share", "items/s"
    )?;
    for Row { position, work, depth, seconds, kernels } in rows {
        for Kernel { name, launches, items, seconds: time } in kernels {
            let (share, rate) = (100.0 * time / seconds, magnitude(*items as f64 / time.max(1e-9)));
            writeln!(
                to,
                "{position:<10}{work:<11}{depth:>5}  {name:<24}{launches:>9}{items:>16}{:>12.3}{share:>6.1} %{rate:>10}",
                time * 1e3
            )?;
        }
    }
    writeln!(to)
}
