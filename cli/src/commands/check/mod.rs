//! `kogge check`, and `kogge suite --against`.

mod junit;
mod report;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kogge::movegen_cpu::mailbox::Mailbox;
use kogge::{Backend, Cpu, Driver, Fen, NamedDevice};
use kogge_check::{
    CheckReport, CheckSettings, Divider, Engine, EngineSetup, Fault, GivenPosition, OpenReference, Script, check,
};

use crate::args::{self, Asking, Checking, Opponent};
use crate::context::{Context, Job};
use crate::monitor::{Monitor, give_time_to_stop};
use crate::outcome::{Answer, Failure};
use crate::output::number_of;

impl Asking {
    /// Returns the setup of an engine.
    pub(crate) fn setup(&self, command: &str, patience: Duration) -> EngineSetup {
        let Self { ask, options, chess960 } = self;
        EngineSetup {
            ask: ask.clone(),
            options: options.clone(),
            chess960: chess960.known(),
            ..EngineSetup::new(command, patience)
        }
    }
}

impl Job for args::Check {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let seed = self.seed.unwrap_or_else(now);
        let settings = CheckSettings {
            time: Some(Duration::from_secs(self.seconds.into())),
            seed,
            positions: None,
            reference: &|| Ok(Box::new(Cpu::new(Some(1))?)),
        };
        let files = Files::create(&self.checking)?;
        let report = run(context, &self.target, &self.checking, &settings)?;
        report::print(context, &report, Some(seed))?;
        files.write(&report)?;
        answer(&report)
    }
}

/// Checks a program with the positions of a suite.
pub(super) fn check_given(
    context: &mut Context,
    target: &Opponent,
    checking: &Checking,
    positions: &[GivenPosition],
    reference: &OpenReference<'_>,
) -> Result<Answer, Failure> {
    let settings = CheckSettings { time: None, seed: 0, positions: Some(positions), reference };
    let files = Files::create(checking)?;
    let report = run(context, target, checking, &settings)?;
    report::print(context, &report, None)?;
    files.write(&report)?;
    answer(&report)
}

/// Starts the copies of a program, and checks it.
fn run(
    context: &mut Context,
    target: &Opponent,
    checking: &Checking,
    settings: &CheckSettings<'_>,
) -> Result<CheckReport, Failure> {
    let monitor = context.monitor("leaves")?;
    give_time_to_stop();
    let patience = Duration::from_secs(checking.patience.into());
    let jobs = 0..checking.jobs;
    let mut opened = None;
    let copies: Vec<Box<dyn Divider + Send + '_>> = match target {
        Opponent::Engine(command) => jobs
            .map(|_| Ok(Box::new(Engine::start(checking.asking.setup(command, patience), &monitor)?) as _))
            .collect::<Result<_, Failure>>()?,
        Opponent::Script(command) => jobs
            .map(|_| {
                let knows_chess960 = checking.asking.chess960.known() == Some(true);
                Ok(Box::new(Script::new(command, patience, &monitor)?.checked(knows_chess960)) as _)
            })
            .collect::<Result<_, Failure>>()?,
        Opponent::Backend(NamedDevice { backend, number }) => {
            let backend = &mut opened.insert(context.open(&context.request.of(*backend, *number))?).backend;
            vec![driver(&mut **backend, &monitor)]
        }
    };
    monitor.next();
    let mut report = check(copies, settings, &monitor)?;
    monitor.next();
    if let Opponent::Backend(NamedDevice { backend, number: Some(number) }) = target {
        report.name = format!("{}:{number}", backend.name());
    }
    Ok(report)
}

fn driver<'a>(backend: &'a mut dyn Backend, monitor: &'a Monitor) -> Box<dyn Divider + Send + 'a> {
    Box::new(Driver::new(backend, monitor))
}

/// The files that the user wants. They are created before the check, which would be in vain if they cannot be.
struct Files<'a> {
    junit: Option<(&'a Path, File)>,
    save: Option<(&'a Path, File)>,
}

impl<'a> Files<'a> {
    fn create(Checking { save, junit, .. }: &'a Checking) -> Result<Self, Failure> {
        let create = |path: &'a Option<PathBuf>| {
            let open = |path: &'a PathBuf| {
                let file = File::create(path).map_err(|error| failed(path, &error))?;
                Ok::<_, Failure>((path.as_path(), file))
            };
            path.as_ref().map(open).transpose()
        };
        Ok(Self { junit: create(junit)?, save: create(save)? })
    }

    fn write(self, report: &CheckReport) -> Result<(), Failure> {
        if let Some((path, mut file)) = self.junit {
            let mut text = Vec::new();
            junit::write(&mut text, report)
                .and_then(|()| file.write_all(&text))
                .map_err(|error| failed(path, &error))?;
        }
        if let Some((path, mut file)) = self.save {
            let lines: String = report.faults.iter().map(suite_line).collect::<Result<_, _>>()?;
            file.write_all(lines.as_bytes()).map_err(|error| failed(path, &error))?;
        }
        Ok(())
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("The file {} could not be written: {error}.", path.display()))
}

/// Returns the answer that a report means.
fn answer(report: &CheckReport) -> Result<Answer, Failure> {
    match (report.faults.is_empty(), report.was_stopped, report.answers) {
        (false, ..) => Ok(Answer::No),
        (true, true, answers) => {
            let answers = number_of(answers, "answer", "answers");
            Err(Failure::Interrupted(format!("Stopped on request after {answers} without a fault.")))
        }
        (true, false, 0) => Err(Failure::Input(
            "No position could be asked: all are of Chess960, which the program does not know, or the time is too short."
                .to_owned(),
        )),
        (true, false, _) => Ok(Answer::Done),
    }
}

/// Returns a line of a suite for a fault's smallest position: its right counts down to the wrong moves.
fn suite_line(fault: &Fault) -> Result<String, Failure> {
    let depth = fault.line.len() as u32 + fault.depth;
    // Only the mailbox counts below positions that no game reaches.
    let mut backend: Box<dyn Backend> = match fault.position.position.check(&fault.position.rules) {
        Ok(()) => Box::new(Cpu::new(Some(1))?),
        Err(_) => Box::new(Mailbox::new()),
    };
    let mut driver = Driver::new(&mut *backend, &());
    let mut line = Fen::to_string(&fault.position);
    for depth in 1..=depth {
        line.push_str(&format!(" ;D{depth} {}", driver.perft(&fault.position, depth)?));
    }
    Ok(format!("{line} ;id \"{fault}\"\n"))
}
