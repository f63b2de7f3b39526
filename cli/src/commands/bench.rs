//! `kogge bench`.

mod compare;
mod kernels;
mod report;
mod subjects;

use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use kogge::driver::bench::{self, BenchSettings, BenchTask, Subject, monotonic, packing};
use kogge::{DeviceInfo, DeviceKind, Error, Opened, known, memory};

use self::compare::{Counterpart, Old};
use self::kernels::Kernels;
use self::report::{DeviceFailure, Packing, Report, Row, SubjectRecord};
use self::subjects::Subjects;
use crate::args::{self, Common};
use crate::context::{Context, Job};
use crate::machine::Machine;
use crate::monitor::give_time_to_stop;
use crate::outcome::{Answer, Failure};
use crate::selection::Selection;

/// The default time of the whole measurement in seconds, and the time of a quick one.
const SECONDS: u32 = 160;
const QUICK: u32 = 15;

/// Measures how fast devices count.
pub(super) struct Bench {
    args: args::Bench,
    subjects: Subjects,
    /// The earlier measurement to compare with, and its file.
    old: Option<(Old, String)>,
}

/// Turns the arguments into a job.
pub(super) fn job(args: args::Bench, common: &Common) -> Result<Box<dyn Job>, Failure> {
    // The options of a device live until the program ends.
    let options = args.option.iter().map(|text| if text == "default" { "" } else { text.clone().leak() });
    let options: Vec<&str> = if args.option.is_empty() { vec![""] } else { options.collect() };
    if !args.kernels {
        return Ok(Box::new(Bench::new(args, common, options)?));
    }
    if Selection::new(common)?.one().is_none() {
        return Err(Failure::Input("The kernels of one device are measured; name it with --device.".to_owned()));
    }
    Ok(Box::new(Kernels { options, memory: args.memory.memory }))
}

impl Bench {
    fn new(args: args::Bench, common: &Common, options: Vec<&'static str>) -> Result<Self, Failure> {
        let read = |file: &PathBuf| Ok::<_, Failure>((Old::read(file)?, file.display().to_string()));
        let old = args.compare.as_ref().map(read).transpose()?;
        Ok(Self { subjects: Subjects::new(common, &args.variant, options)?, old, args })
    }

    /// Gives a device its share of the memory. Several devices may be the same GPU and share its memory.
    fn subject<'a>(&self, opened: &'a mut Opened, gpus: u64) -> Subject<'a> {
        let info = opened.backend.info();
        let share = memory::share(self.args.memory.memory, info);
        let is_whole = info.kind == DeviceKind::Cpu || self.args.memory.memory.is_some();
        Subject { backend: &mut *opened.backend, memory: if is_whole { share } else { share / gpus } }
    }
}

impl Job for Bench {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let old = self.old.as_ref().map(|(old, _)| old);
        let machine = Machine::now();
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let start = Instant::now();
        let (mut opened, mut failed) = self.subjects.open()?;
        let infos: Vec<_> = opened.iter().map(described).collect();
        let before = old.map_or(vec![None; infos.len()], |old| old.counterparts(&infos));
        if old.is_some() && before.iter().all(Option::is_none) {
            let reason =
                "Nothing that is measured now is in the earlier measurement; choose with --backend and --device.";
            return Err(Failure::Input(reason.to_owned()));
        }
        let all = opened.iter().zip(&infos).zip(&before);
        let subjects: Vec<_> =
            all.map(|((opened, info), before)| SubjectRecord::new(info, opened.bulk, old.zip(*before))).collect();
        if let Some(old) = old {
            differences(old, &machine, &subjects, &before).iter().for_each(|sentence| context.output.note(sentence));
        }

        let positions = known::standard();
        let old_row =
            |task: BenchTask| old?.row(before[task.subject]?.subject, positions[task.position].name, task.deduplicated);
        let &args::Bench { seconds, quick, repetitions, .. } = &self.args;
        let settings = BenchSettings {
            seconds: seconds.unwrap_or(if quick { QUICK } else { SECONDS }).into(),
            repetitions: repetitions as usize,
            depth: &|task| old_row(task).map(|row| row.depth),
            clock: &monotonic,
        };
        let packing = packing::measure(settings.repetitions);
        let monitor = context.monitor("leaves")?;
        give_time_to_stop();
        let gpus = opened.iter().filter(|opened| opened.backend.info().kind != DeviceKind::Cpu).count().max(1) as u64;
        let mut measuring: Vec<_> = opened.iter_mut().map(|opened| self.subject(opened, gpus)).collect();
        let result = bench::measure(&mut measuring, &positions, &settings, &monitor);
        monitor.next();
        let measured = result.map_err(stopped)?;

        for (index, error) in measured.failed {
            let DeviceInfo { backend, name, variant, .. } = infos[index].clone();
            failed.push(DeviceFailure {
                backend,
                device: Some(name),
                variant: Some(variant),
                reason: error.to_string(),
            });
        }
        let rows = measured.rows.iter().map(|row| Row::new(row, &positions[row.task.position], old_row(row.task)));
        let report = Report {
            command: "bench",
            kogge: env!("CARGO_PKG_VERSION"),
            began,
            machine,
            rows: rows.collect(),
            seconds: start.elapsed().as_secs_f64(),
            repetitions,
            compared: self.old.as_ref().map(|(_, file)| file.clone()),
            subjects,
            packing: packing.iter().map(|cost| Packing::new(cost, old)).collect(),
            failed,
        };
        context.output.print(&report, |to| report.write(to))?;
        report.warnings().iter().for_each(|sentence| context.output.note(sentence));
        let reasons: Vec<_> = report.failed.iter().map(|failed| failed.reason.as_str()).collect();
        if reasons.is_empty() { Ok(Answer::Done) } else { Err(Failure::Device(reasons.join(" "))) }
    }
}

/// Describes a device together with its options.
fn described(opened: &Opened) -> DeviceInfo {
    let mut info = opened.backend.info().clone();
    if let Some(options) = opened.options.filter(|options| !options.is_empty()) {
        info.variant += &format!(" with {options}");
    }
    info
}

/// Describes the differences between the earlier measurement and this one, as sentences.
fn differences(
    old: &Old,
    machine: &Machine,
    subjects: &[SubjectRecord],
    before: &[Option<Counterpart>],
) -> Vec<String> {
    let others = subjects.iter().zip(before).filter(|(_, before)| before.is_some_and(|before| !before.is_same));
    let mut sentences: Vec<_> = others
        .filter_map(|(new, _)| Some(format!("{} is compared with {}.", new.text, new.compared_with.as_ref()?)))
        .collect();
    if let (Some(new), Some(old)) = (&machine.processor, &old.processor)
        && new != old
    {
        sentences.push(format!("The processor is {new}; in the earlier measurement it was {old}."));
    }
    sentences
}

fn stopped(error: Error) -> Failure {
    match error {
        Error::Cancelled(progress) => Failure::Interrupted(format!(
            "Stopped on request: {:.0} % of the measurement was done; there is no result.",
            100.0 * progress.fraction
        )),
        error => error.into(),
    }
}
