//! `kogge tune`.

use std::time::Duration;

use kogge_board::tuning::{Cache, Outcome, Trial, Tunable, planned, tune};
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::Tune;
use crate::backends::{Request, TunableDevice, tunable};
use crate::failure::Failure;
use crate::output::{Device, magnitude};

#[derive(Serialize)]
struct Report {
    command: &'static str,
    info: Device,
    trials: Vec<Row>,
    /// Whether there was time to try everything.
    complete: bool,
    /// Where the best is kept.
    file: String,
}

/// A value that was tried.
#[derive(Serialize)]
struct Row {
    option: &'static str,
    value: String,
    /// Leaves per second from the start position and from Kiwipete.
    rates: Option<[f64; 2]>,
    outcome: &'static str,
    /// Why it was refused or is wrong.
    reason: Option<String>,
}

#[derive(Serialize)]
struct Forgotten {
    command: &'static str,
    info: Device,
    /// Whether there was anything to forget.
    forgotten: bool,
    file: String,
}

impl From<&Trial> for Row {
    fn from(trial: &Trial) -> Self {
        let (outcome, rates, reason) = match &trial.outcome {
            Outcome::Kept(rates) => ("kept", Some(*rates), None),
            Outcome::NotBetter(rates) => ("not better", Some(*rates), None),
            Outcome::Refused(reason) => ("refused", None, Some(reason.clone())),
            Outcome::Wrong(reason) => ("wrong", None, Some(reason.clone())),
        };
        Self { option: trial.option, value: trial.value.clone(), rates, outcome, reason }
    }
}

impl Row {
    /// A line of the table, which has the start position's rate before Kiwipete's.
    fn text(&self) -> String {
        let Self { option, value, rates, outcome, reason } = self;
        let rate = |index: usize| rates.map_or("-".to_owned(), |rates| magnitude(rates[index]));
        let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        format!("{option:<18}  {value:<19}  {:>8}  {:>8}  {outcome}{reason}", rate(0), rate(1))
    }
}

pub(super) fn run(arguments: &Tune, context: &mut Context) -> Result<Answer, Failure> {
    match tunable(context.common.backend, Request::from(&context.common))? {
        TunableDevice::Opencl(device) => run_on(&device, arguments, context),
        TunableDevice::Wgpu(device) => run_on(&device, arguments, context),
    }
}

fn run_on(device: &impl Tunable, arguments: &Tune, context: &mut Context) -> Result<Answer, Failure> {
    let Some(cache) = Cache::of_user() else {
        return Err(Failure::Input(
            "There is no folder to keep what is found; name one in KOGGE_CACHE_DIR.".to_owned(),
        ));
    };
    let file = cache.file().display().to_string();
    let unwritten = |error| Failure::Device(format!("{file} could not be written: {error}."));
    let command = "tune";
    let info = device.info();
    if arguments.forget {
        let forgotten = cache.forget(device).map_err(unwritten)?;
        let report = Forgotten { command, info: Device::from(&info), forgotten, file: file.clone() };
        context.output.print(&report, |to| match forgotten {
            true => writeln!(to, "What was tuned on {} is forgotten.", info.name),
            false => writeln!(to, "Nothing was tuned on {}.", info.name),
        })?;
        return Ok(Answer::Done);
    }

    let time = Duration::from_secs(arguments.seconds.into());
    let head = format!("{:<18}  {:<19}  {:>8}  {:>8}  outcome", "option", "value", "start/s", "kiwi/s");
    context.output.aside(&head)?;
    // The lines come one by one, as they would from `suite`; a reader who has gone away is noticed at the end.
    let mut written = Ok(());
    let mut progress = |trial: &Trial| {
        if written.is_ok() {
            written = context.output.aside(&Row::from(trial).text());
        }
    };
    let tuning = tune(device, time, &mut progress)?;
    written?;
    cache.save(device, &tuning.options).map_err(unwritten)?;
    if !tuning.complete {
        context.output.note("The time was up before everything was tried; --seconds gives more.");
    }
    let trials: Vec<_> = tuning.trials.iter().map(Row::from).collect();
    let wrong: Vec<_> =
        trials.iter().filter(|row| row.outcome == "wrong").filter_map(|row| row.reason.clone()).collect();
    let info = planned(device);
    let report = Report { command, info: Device::from(&info), trials, complete: tuning.complete, file: file.clone() };
    context.output.print(&report, |to| writeln!(to, "{}: {}", info.name, info.variant))?;
    context.output.aside(&format!("Kept in {file}."))?;
    if wrong.is_empty() { Ok(Answer::Done) } else { Err(Failure::Device(wrong.join(" "))) }
}
