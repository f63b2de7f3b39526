//! Steps of a longer run, announced and timed, and the commands in them.

use std::{
    ffi::OsStr,
    io::{self, Read},
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Instant,
};

use crate::{Result, root};

pub(crate) fn announce(name: &str) {
    eprintln!("\n== {name}");
}

/// Runs a step, prints its time, and returns its result.
pub(crate) fn step<T>(name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    announce(name);
    let start = Instant::now();
    let result = run();
    let verdict = if result.is_ok() { "done" } else { "failed" };
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("== {name}: {verdict} after {seconds:.1} s");
    TIMES.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), seconds));
    result
}

/// The time of each step.
static TIMES: Mutex<Vec<(String, f64)>> = Mutex::new(Vec::new());

/// Prints the time of each step, the slowest first.
pub(crate) fn say_times() {
    let mut times = TIMES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    times.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    announce("seconds of each part so far");
    times.iter().for_each(|(name, seconds)| eprintln!("{seconds:8.1}  {name}"));
}

/// A command that runs beside other steps, and its name.
pub(crate) type Beside = (String, Run);

/// Runs `first`, and beside it these commands, one after another. If `first` fails, no further command is started.
pub(crate) fn side_by_side(first: impl FnOnce() -> Result, beside: Vec<Beside>) -> Result {
    let failed = AtomicBool::new(false);
    let run_beside = |(name, run): Beside| {
        step(&format!("{name}, beside other steps"), || run.run_beside()).map_err(|error| error.to_string())
    };
    let (first, beside) = thread::scope(|scope| {
        let beside = scope.spawn(|| beside.into_iter().take_while(|_| !failed.load(Relaxed)).try_for_each(run_beside));
        // The thread works meanwhile, so it is joined last.
        let first = first();
        failed.store(first.is_err(), Relaxed);
        (first, beside.join())
    });
    first?;
    Ok(beside.map_err(|_| "A thread failed.")??)
}

/// A command that prints itself, runs in the root of the workspace, and must succeed.
pub(crate) struct Run {
    command: Command,
    shown: String,
}

/// Returns a command of the Cargo that runs this xtask.
pub(crate) fn cargo(subcommand: &str) -> Run {
    let mut run = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    run.shown = "cargo".to_owned();
    run.arg(subcommand)
}

pub(crate) fn host() -> Result<String> {
    let output = command("rustc").arg("-vV").output()?;
    let version = String::from_utf8(output.stdout)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("`rustc -vV` does not name the host.")?.to_owned())
}

pub(crate) fn command(program: impl AsRef<OsStr>) -> Run {
    let mut command = Command::new(&program);
    command.current_dir(root());
    Run { command, shown: program.as_ref().to_string_lossy().into_owned() }
}

impl Run {
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(&argument);
        self.shown = format!("{} {}", self.shown, argument.as_ref().to_string_lossy());
        self
    }

    pub(crate) fn args(self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    pub(crate) fn env(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self.shown = format!("{variable}='{value}' {}", self.shown);
        self
    }

    /// Runs the command in another folder.
    pub(crate) fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder.as_ref());
        self
    }

    pub(crate) fn run(mut self) -> Result {
        eprintln!("$ {}", self.shown);
        let status = self.command.status().map_err(|error| format!("`{}` cannot be started: {error}.", self.shown))?;
        if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status}).", self.shown).into()) }
    }

    /// Runs the command, and prints its output at the end, so that it is not mixed with the output of a command that runs beside it.
    fn run_beside(self) -> Result {
        let Self { mut command, shown } = self;
        eprintln!("$ {shown} &");
        let (mut reader, writer) = io::pipe()?;
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn().map_err(|error| format!("`{shown}` cannot be started: {error}."))?;
        // The pipe ends when nobody can write to it any more.
        drop(command);
        let mut output = Vec::new();
        reader.read_to_end(&mut output)?;
        let status = child.wait()?;
        eprintln!("\n== output of `{shown}`:\n{}", String::from_utf8_lossy(&output));
        if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status}).").into()) }
    }

    /// Starts the command in the background, silently.
    pub(crate) fn start(mut self) -> Result<Child> {
        eprintln!("$ {} &", self.shown);
        let started = self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(started.map_err(|error| format!("`{}` cannot be started: {error}.", self.shown))?)
    }

    /// Runs the command silently and returns its output.
    pub(crate) fn output(mut self) -> Result<Output> {
        let output = self.command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("`{}` cannot be started: {error}.", self.shown))?;
        if output.status.success() {
            return Ok(output);
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{}` failed ({}): {}", self.shown, output.status, errors.trim()).into())
    }
}
