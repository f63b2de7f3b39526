//! `kogge tune`.

use std::time::Duration;

use kogge::{
    BackendName, DeviceKind, GpuDevice,
    tuning::{Cache, Trial, TrialOutcome, tunable},
};
use serde::Serialize;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Device, magnitude, record};

/// A value that was tried.
#[derive(Serialize)]
struct Row {
    option: &'static str,
    value: String,
    /// The leaves per second from the start position and from Kiwipete.
    rates: Option<[f64; 2]>,
    outcome: &'static str,
    /// The reason why the value was refused or is wrong.
    reason: Option<String>,
}

impl From<&Trial> for Row {
    fn from(trial: &Trial) -> Self {
        let (outcome, rates, reason) = match &trial.outcome {
            TrialOutcome::Kept(rates) => ("kept", Some(*rates), None),
            TrialOutcome::NotBetter(rates) => ("not better", Some(*rates), None),
            TrialOutcome::Refused(reason) => ("refused", None, Some(reason.clone())),
            TrialOutcome::Wrong(reason) => ("wrong", None, Some(reason.clone())),
        };
        Self { option: trial.option, value: trial.value.clone(), rates, outcome, reason }
    }
}

impl Row {
    /// Formats a line of the table: the rate of the start position comes before the rate of Kiwipete.
    fn text(&self) -> String {
        let Self { option, value, rates, outcome, reason } = self;
        let rate = |index: usize| rates.map_or("-".to_owned(), |rates| magnitude(rates[index]));
        let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        format!("{option:<18}  {value:<19}  {:>8}  {:>8}  {outcome}{reason}", rate(0), rate(1))
    }
}

fn unwritten(file: &str, error: &std::io::Error) -> Failure {
    Failure::Device(format!("{file} could not be written: {error}."))
}

fn forget(device: &GpuDevice, cache: &Cache, file: String, context: &mut Context) -> Result<Answer, Failure> {
    let info = device.bare_info();
    let forgotten = device.forget(cache).map_err(|error| unwritten(&file, &error))?;
    let report = record! { command: "tune", info: Device::from(&info), forgotten, file };
    context.output.print(&report, |to| match forgotten {
        true => writeln!(to, "The tuning of {} is forgotten.", info.name),
        false => writeln!(to, "Nothing was tuned on {}.", info.name),
    })?;
    Ok(Answer::Done)
}

impl Job for args::Tune {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let reason = "There is no folder for the tuned options; name one in KOGGE_CACHE_DIR.";
        let cache = Cache::of_user().ok_or_else(|| Failure::Input(reason.to_owned()))?;
        let file = cache.file().display().to_string();
        let device = tunable(&context.request)?;
        let is_gpu = matches!(device.bare_info().kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
        if context.request.backend == BackendName::Auto && !is_gpu {
            let reason = format!(
                "A count would use no GPU here, so there is nothing to tune; --backend tunes {} if you name it.",
                device.bare_info().name
            );
            return Err(Failure::Input(reason));
        }
        if self.forget {
            return forget(&device, &cache, file, context);
        }
        let head = format!("{:<18}  {:<19}  {:>8}  {:>8}  outcome", "option", "value", "start/s", "kiwi/s");
        context.output.aside(&head.into())?;
        // Each line is printed when its trial is done; an error of the output is reported at the end.
        let mut written = Ok(());
        let mut progress = |trial: &Trial| {
            if written.is_ok() {
                written = context.output.aside(&Row::from(trial).text().into());
            }
        };
        let tuned = device.tune(&cache, Duration::from_secs(self.seconds.into()), &mut progress)?;
        written?;
        tuned.saved.map_err(|error| unwritten(&file, &error))?;
        if !tuned.complete {
            context.output.note("The time was up before all values were tried; --seconds gives more time.");
        }
        let trials: Vec<_> = tuned.trials.iter().map(Row::from).collect();
        let wrong = trials.iter().filter(|row| row.outcome == "wrong").filter_map(|row| row.reason.clone());
        let wrong: Vec<_> = wrong.collect();
        let (info, complete) = (tuned.info, tuned.complete);
        let report = record! { command: "tune", info: Device::from(&info), trials, complete, file };
        context.output.print(&report, |to| writeln!(to, "{}: {}", info.name, info.variant))?;
        context.output.aside(&format!("Saved in {}.", report.file).into())?;
        if wrong.is_empty() { Ok(Answer::Done) } else { Err(Failure::Device(wrong.join(" "))) }
    }
}
