//! All checks that a change must pass, in two rows of steps that run side by side.
//!
//! Cargo locks a folder of build outputs while it builds, and a build ends with a few crates that use one core each. So the steps that build
//! in folders of their own run beside the other steps, after the tests of devices, which mostly use one core.

use std::time::Duration;

use crate::{
    GPUS, Gpus, Result, fuzz, lint, macos, neon, platform, python, shipped,
    steps::{Beside, command, say_times, step},
    system::{self, AARCH64, BROWSER, CXX_COMPILER, POSTGRESQL},
    tests, web,
};

/// The commands of this program that run beside other steps.
const BESIDE: [&[&str]; 2] = [&["neon"], &["web", "--test"]];

/// Checks everything. The tests of the host come last, because readers of the log look for their results.
pub(crate) fn run() -> Result {
    step("requirements", provide)?;
    tests::build(&GPUS)?;
    let beside = BESIDE.iter().map(|arguments| beside(arguments)).collect::<Result<Vec<_>>>()?;
    tests::run(&GPUS, before_tests, beside)
}

/// Installs what all steps need, because package managers do not run side by side.
fn provide() -> Result {
    [web::TARGET, neon::TARGET, macos::ARM, macos::INTEL].into_iter().try_for_each(platform::add)?;
    for requirements in [BROWSER, AARCH64, &[CXX_COMPILER, POSTGRESQL]] {
        system::provide(requirements)?;
    }
    Gpus { no_gpu: false }.provide().map(drop)
}

fn before_tests() -> Result {
    lint()?;
    macos::check_briefly()?;
    step("fuzzing", || fuzz::run(Duration::from_secs(10), None))?;
    python(&GPUS)?;
    shipped::test(&GPUS)?;
    say_times();
    Ok(())
}

/// Returns a command of this program.
fn beside(arguments: &[&str]) -> Result<Beside> {
    Ok((arguments.join(" "), command(std::env::current_exe()?).args(arguments)))
}
