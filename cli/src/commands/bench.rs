//! `kogge bench`.

mod compare;
mod machine;
mod subjects;

use std::io::{self, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use kogge_board::{DeviceInfo, DeviceKind, known};
use kogge_driver::Error;
use kogge_driver::bench::packing::{self, Cost};
use kogge_driver::bench::{self, Settings, Subject, Task, Times};
use serde::Serialize;

use self::compare::{Counterpart, Old};
use self::machine::Machine;
use super::Context;
use crate::Answer;
use crate::args::Bench;
use crate::backends::Opened;
use crate::failure::Failure;
use crate::memory;
use crate::output::{Device, magnitude};

/// Seconds for everything, and for a quick look.
const SECONDS: u32 = 160;
const QUICK: u32 = 15;

/// A row is noisy if its times lie further apart than this share of their median.
const NOISY: f64 = 0.1;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    /// The version.
    kogge: &'static str,
    /// Seconds since 1970.
    began: u64,
    #[serde(flatten)]
    machine: Machine,
    /// For everything.
    seconds: f64,
    repetitions: u32,
    /// The file compared with.
    compared: Option<String>,
    subjects: Vec<Described>,
    rows: Vec<Row>,
    packing: Vec<Packing>,
    failed: Vec<Failed>,
}

/// What was measured.
#[derive(Serialize)]
struct Described {
    #[serde(flatten)]
    device: Device,
    /// Whether the last two plies are counted in closed form.
    bulk: bool,
    /// Device and variant that it is compared with.
    compared_with: Option<String>,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct Row {
    /// Index into `subjects`.
    subject: usize,
    position: &'static str,
    fen: String,
    deduplicated: bool,
    depth: u32,
    nodes: u128,
    /// The median.
    seconds: f64,
    spread: f64,
    noisy: bool,
    per_second: f64,
    /// How many times as fast as before.
    ratio: Option<f64>,
    /// All times, in the order in which they were taken.
    times: Vec<f64>,
    /// Every depth on the way.
    climb: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    depth: u32,
    nodes: u128,
    seconds: f64,
}

#[derive(Serialize)]
struct Packing {
    format: &'static str,
    bytes: usize,
    /// Nanoseconds for a position.
    pack: f64,
    pack_spread: f64,
    unpack: f64,
    unpack_spread: f64,
    /// How many times as fast as before.
    pack_ratio: Option<f64>,
    unpack_ratio: Option<f64>,
}

#[derive(Serialize)]
struct Failed {
    backend: &'static str,
    device: Option<String>,
    variant: Option<String>,
    reason: String,
}

pub(super) fn run(arguments: &Bench, context: &mut Context) -> Result<Answer, Failure> {
    let old = arguments.compare.as_deref().map(Old::read).transpose()?;
    let machine = Machine::now();
    let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let start = Instant::now();
    let (mut opened, refused) = subjects::open(context, &arguments.variant)?;
    let infos: Vec<_> = opened.iter().map(|opened| opened.backend.info()).collect();
    let before = old.as_ref().map_or(vec![None; infos.len()], |old| old.counterparts(&infos));
    if old.is_some() && before.iter().all(Option::is_none) {
        let reason = "Nothing that is measured now is in the earlier measurement; choose with --backend and --device.";
        return Err(Failure::Input(reason.to_owned()));
    }

    let subjects: Vec<_> =
        opened.iter().zip(&before).map(|(opened, before)| Described::new(opened, old.as_ref().zip(*before))).collect();
    if let Some(old) = &old {
        differences(old, &machine, &subjects, &before).iter().for_each(|sentence| context.output.note(sentence));
    }

    let positions = known::standard();
    let row =
        |task: Task| old.as_ref()?.row(before[task.subject]?.subject, positions[task.position].name, task.deduplicated);
    let settings = Settings {
        seconds: f64::from(arguments.seconds.unwrap_or(if arguments.quick { QUICK } else { SECONDS })),
        repetitions: arguments.repetitions as usize,
        depth: &|task| row(task).map(|row| row.depth),
    };
    let packing = packing::measure(settings.repetitions);
    let packing: Vec<_> = packing.iter().map(|cost| Packing::new(cost, old.as_ref())).collect();
    let monitor = context.monitor("leaves")?;
    let gpus = opened.iter().filter(|opened| opened.backend.info().kind != DeviceKind::Cpu).count().max(1) as u64;
    let mut measuring: Vec<_> = opened.iter_mut().map(|opened| subject(opened, arguments, gpus)).collect();
    let result = bench::measure(&mut measuring, &positions, &settings, &monitor);
    monitor.next();
    let measured = result.map_err(stopped)?;

    let mut failed: Vec<Failed> = refused.into_iter().map(Failed::from).collect();
    for (index, error) in measured.failed {
        let DeviceInfo { backend, name, variant, .. } = opened[index].backend.info().clone();
        failed.push(Failed { backend, device: Some(name), variant: Some(variant), reason: error.to_string() });
    }
    let rows = measured.rows.into_iter().map(|found| {
        let known = &positions[found.task.position];
        let mut new = Row::new(&found, known);
        new.ratio = row(found.task).filter(|old| old.depth == new.depth).map(|old| new.per_second / old.per_second);
        new
    });
    let report = Report {
        command: "bench",
        kogge: env!("CARGO_PKG_VERSION"),
        began,
        machine,
        rows: rows.collect(),
        seconds: start.elapsed().as_secs_f64(),
        repetitions: arguments.repetitions,
        compared: arguments.compare.as_ref().map(|file| file.display().to_string()),
        subjects,
        packing,
        failed,
    };
    context.output.print(&report, |to| report.write(to))?;
    report.warnings().iter().for_each(|sentence| context.output.note(sentence));
    let reasons: Vec<_> = report.failed.iter().map(|failed| failed.reason.as_str()).collect();
    if reasons.is_empty() { Ok(Answer::Done) } else { Err(Failure::Device(reasons.join(" "))) }
}

/// In what the earlier measurement is another than this one, as sentences.
fn differences(old: &Old, machine: &Machine, subjects: &[Described], before: &[Option<Counterpart>]) -> Vec<String> {
    let others = subjects.iter().zip(before).filter(|(_, before)| before.is_some_and(|before| !before.is_same));
    let mut sentences: Vec<_> = others
        .filter_map(|(new, _)| Some(format!("{} is compared with {}.", new.text, new.compared_with.as_ref()?)))
        .collect();
    if let (Some(new), Some(old)) = (&machine.processor, &old.processor)
        && new != old
    {
        sentences.push(format!("The processor is {new}; that of the earlier measurement was {old}."));
    }
    sentences
}

/// Why there is no measurement.
fn stopped(error: Error) -> Failure {
    match error {
        Error::Cancelled(progress) => Failure::Interrupted(format!(
            "Stopped on request: {:.0} % of the measurement was done; there is no result.",
            100.0 * progress.fraction
        )),
        error => error.into(),
    }
}

/// A device with its share of the memory. Several may stand for the same GPU, and what they keep adds up.
fn subject<'a>(opened: &'a mut Opened, arguments: &Bench, gpus: u64) -> Subject<'a> {
    let info = opened.backend.info();
    let share = memory::share(arguments.memory, info);
    let is_cpu = info.kind == DeviceKind::Cpu || arguments.memory.memory.is_some();
    Subject { backend: &mut *opened.backend, memory: if is_cpu { share } else { share / gpus } }
}

impl Described {
    fn new(opened: &Opened, before: Option<(&Old, Counterpart)>) -> Self {
        let info = opened.backend.info();
        let text = format!("{}: {}, {}", info.backend, info.name, info.variant);
        let compared_with = before.map(|(old, before)| old.name(before.subject));
        Self { device: Device::from(info), bulk: opened.bulk, compared_with, text }
    }
}

impl From<subjects::Refused> for Failed {
    fn from(refused: subjects::Refused) -> Self {
        Self { backend: refused.backend, device: None, variant: None, reason: refused.reason }
    }
}

impl Packing {
    fn new(Cost { format, pack, unpack }: &Cost, old: Option<&Old>) -> Self {
        let old = old.and_then(|old| old.packing(*format));
        Self {
            format: format.name(),
            bytes: format.size(),
            pack: pack.median(),
            pack_spread: pack.spread(),
            unpack: unpack.median(),
            unpack_spread: unpack.spread(),
            pack_ratio: old.map(|old| old.pack / pack.median()),
            unpack_ratio: old.map(|old| old.unpack / unpack.median()),
        }
    }
}

impl Row {
    fn new(row: &bench::Row, known: &known::Known) -> Self {
        let Times { all: times } = row.times.clone();
        let (seconds, spread) = (row.times.median(), row.times.spread());
        let step = |(depth, &seconds)| Step { depth, nodes: known.leaves(depth).unwrap_or(0), seconds };
        Self {
            subject: row.task.subject,
            position: known.name,
            fen: known.root.to_string(),
            deduplicated: row.task.deduplicated,
            depth: row.depth,
            nodes: row.leaves,
            seconds,
            spread,
            noisy: spread > NOISY,
            per_second: row.leaves as f64 / seconds.max(1e-9),
            ratio: None,
            times,
            climb: (1..).zip(&row.climb).map(step).collect(),
        }
    }
}

impl Report {
    /// Tables for people.
    fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let ratio = if self.compared.is_some() { "   ratio" } else { "" };
        for (index, subject) in self.subjects.iter().enumerate() {
            let rows: Vec<_> = self.rows.iter().filter(|row| row.subject == index).collect();
            if rows.is_empty() {
                continue;
            }
            writeln!(to, "{}", subject.text)?;
            writeln!(
                to,
                "{:<10}{:<8}{:>5}  {:>22}  {:>10}  {:>8}  {:>9}{ratio}",
                "position", "counted", "depth", "leaves", "seconds", "spread", "leaves/s"
            )?;
            for row in rows {
                let how = if row.deduplicated { "merged" } else { "raw" };
                let spread = if row.times.len() > 1 { format!("{:.1} %", 100.0 * row.spread) } else { "-".to_owned() };
                let ratio = self.ratio(row.ratio);
                writeln!(
                    to,
                    "{:<10}{how:<8}{:>5}  {:>22}  {:>10.6}  {spread:>8}  {:>9}{ratio}",
                    row.position,
                    row.depth,
                    row.nodes,
                    row.seconds,
                    magnitude(row.per_second)
                )?;
            }
            writeln!(to)?;
        }
        writeln!(to, "{:<10}{:>6}  {:>10}{ratio}  {:>10}{ratio}", "format", "bytes", "pack, ns", "unpack, ns")?;
        for Packing { format, bytes, pack, unpack, pack_ratio, unpack_ratio, .. } in &self.packing {
            let (packed, unpacked) = (self.ratio(*pack_ratio), self.ratio(*unpack_ratio));
            writeln!(to, "{format:<10}{bytes:>6}  {pack:>10.2}{packed}  {unpack:>10.2}{unpacked}")?;
        }
        Ok(())
    }

    /// A ratio's column, if anything is compared.
    fn ratio(&self, ratio: Option<f64>) -> String {
        match (&self.compared, ratio) {
            (None, _) => String::new(),
            (Some(_), None) => format!("{:>8}", "-"),
            (Some(_), Some(ratio)) => format!("{ratio:>7.2}x"),
        }
    }

    /// Why some of it should not be relied upon.
    fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<_> = self.machine.busy().into_iter().collect();
        if self.repetitions == 1 {
            warnings.push("The rows were timed once each, which says nothing about noise.".to_owned());
        }
        let noisy = self.rows.iter().filter(|row| row.noisy).count();
        if noisy > 0 {
            warnings.push(format!(
                "The times of {noisy} of {} rows lie further apart than {:.0} % of their median: measure again on a machine \
                 that does nothing else.",
                self.rows.len(),
                100.0 * NOISY
            ));
        }
        warnings
    }
}
