//! All checks that a change must pass, in two rows of steps that run side by side.
//!
//! Cargo locks a folder of build outputs while it builds, and a build ends with a few crates that use one core each. So the steps that build
//! in folders of their own run beside the other steps.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use crate::{
    GPUS, Gpus, REQUIRED_DEVICES, Result, lint, macos, neon, platform, python,
    steps::{command, say_times, step},
    system::{self, AARCH64, BROWSER, CXX_COMPILER, POSTGRESQL},
    tests, web,
};

/// The commands of this program that build in folders of their own.
const BESIDE: [&[&str]; 4] = [&["fuzz", "--seconds", "10"], &["neon"], &["web", "--test"], &["shipped"]];

/// Checks everything. Tests come last, because readers of the log look for their results.
pub(crate) fn run() -> Result {
    step("requirements", provide)?;
    let failed = AtomicBool::new(false);
    let (first, beside) = thread::scope(|scope| {
        let beside =
            scope.spawn(|| BESIDE.iter().filter(|_| !failed.load(Relaxed)).try_for_each(|step| run_beside(step)));
        let first = before_tests();
        failed.store(first.is_err(), Relaxed);
        (first, beside.join())
    });
    first?;
    beside.map_err(|_| "A thread failed.")??;
    say_times();
    tests::run(&GPUS)
}

/// Installs what all steps need, because package managers do not run side by side.
fn provide() -> Result {
    [web::TARGET, neon::TARGET, macos::ARM, macos::INTEL].into_iter().try_for_each(platform::add)?;
    for requirements in [BROWSER, AARCH64, &[CXX_COMPILER, POSTGRESQL]] {
        system::provide(requirements)?;
    }
    Gpus { no_gpu: false }.provide().map(drop)
}

/// Runs the steps that share the folder of build outputs with the tests.
fn before_tests() -> Result {
    lint()?;
    macos::check_briefly()?;
    python(&GPUS)?;
    tests::build(&GPUS)
}

/// Runs a command of this program.
fn run_beside(arguments: &[&str]) -> std::result::Result<(), String> {
    let name = format!("{}, beside other steps", arguments.join(" "));
    let ended = step(&name, || {
        let this = command(std::env::current_exe()?).args(arguments);
        this.env(REQUIRED_DEVICES, &GPUS.join(",")).run_beside()
    });
    ended.map_err(|error| error.to_string())
}
