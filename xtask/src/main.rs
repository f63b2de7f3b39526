//! Commands for developers: `cargo xtask <command>`.

#[cfg(test)]
mod architecture;
mod archive;
mod bundle;
mod ci;
#[cfg(test)]
mod dependencies;
mod dist;
mod fuzz;
mod macos;
mod metadata;
mod neon;
mod platform;
mod python;
mod report;
mod shipped;
mod steps;
mod system;
mod tests;
mod web;
mod windows;

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{Parser, Subcommand};

use crate::{
    steps::{cargo, step},
    system::{POSTGRESQL, PYTHON},
};

/// Failures are full sentences for the person at the terminal.
type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Commands for developers of kogge")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run all tests, after installing the database server and the software GPU devices that they need, where possible
    Test(Gpus),
    /// Check formatting, clippy, several sets of features and the documentation, with warnings denied
    Lint,
    /// Fuzz every target for a short while
    Fuzz {
        /// Seconds for each target
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Fuzz only this target
        target: Option<String>,
    },
    /// Make the page of measurements, docs/report, from the output of `kogge bench --json`
    Report {
        /// New files of measurements; they are copied into docs/report
        #[arg(value_name = "BENCH.json")]
        files: Vec<PathBuf>,
    },
    /// Test the CPU code for AArch64 in an emulator
    Neon,
    /// Check that all crates that need no C compiler compile for macOS, on both CPUs
    Macos,
    /// Build the wheel of the Python package and run its tests, in an environment of its own
    Python(Gpus),
    /// Test the program as people build it: with the release profile and the default features
    Shipped(Gpus),
    /// Build the program for Windows and test it in Wine, after installing Wine and a C compiler for Windows, where possible
    Windows,
    /// Check everything that a change must pass: lint, macos (the program only), fuzz, python, shipped and test; beside them the tests of
    /// devices, neon and web
    Ci,
    /// Make an archive for a machine without Rust: the program, known counts, and a script that checks, verifies and measures
    Bundle {
        /// Use a debug build, which builds faster and counts slower
        #[arg(long)]
        debug: bool,
    },
    /// Make what a release has for a platform, in target/dist/archives: the program, licences, manual, completions, checksum
    Dist {
        /// The platform, such as x86_64-pc-windows-gnu or x86_64-unknown-linux-musl (a static program); without it, this one
        #[arg(long, value_name = "TRIPLE")]
        target: Option<String>,
    },
    /// Make the page for browsers, target/web, and print its size
    Web {
        /// Then serve the page on this machine, until stopped
        #[arg(long)]
        serve: bool,
        /// The port of the server
        #[arg(long, value_name = "N", default_value_t = 8020)]
        port: u16,
        /// Then test the page in Chromium
        #[arg(long, conflicts_with = "serve")]
        test: bool,
    },
}

/// The GPU backends that must be tested.
#[derive(clap::Args)]
struct Gpus {
    /// Skip the tests of missing devices instead of failing
    #[arg(long)]
    no_gpu: bool,
}

const GPUS: [&str; 2] = ["opencl", "wgpu"];

/// The variable that names the backends whose tests fail without a device.
const REQUIRED_DEVICES: &str = "KOGGE_REQUIRE_DEVICES";

impl Gpus {
    /// Returns the backends, after providing a device for each of them, unless the variable already requires all of them.
    fn provide(&self) -> Result<&'static [&'static str]> {
        if self.no_gpu {
            eprintln!("Tests of missing devices are skipped (--no-gpu).");
            return Ok(&[]);
        }
        if std::env::var(REQUIRED_DEVICES).is_ok_and(|required| required == GPUS.join(",")) {
            return Ok(&GPUS);
        }
        step("software GPU devices", system::provide_devices)?;
        Ok(&GPUS)
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("error: {error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprint!(" ({cause})");
                source = cause.source();
            }
            eprintln!();
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result {
    match command {
        Command::Test(gpus) => test(gpus.provide()?),
        Command::Lint => lint(),
        Command::Fuzz { seconds, target } => fuzz::run(Duration::from_secs(seconds), target.as_deref()),
        Command::Report { files } => report::run(&files),
        Command::Neon => neon::test(),
        Command::Macos => macos::check(),
        Command::Python(gpus) => python(gpus.provide()?),
        Command::Shipped(gpus) => shipped::test(gpus.provide()?),
        Command::Windows => windows::test(),
        Command::Ci => ci::run(),
        Command::Bundle { debug } => bundle::make(debug),
        Command::Dist { target } => dist::make(target),
        Command::Web { test: true, .. } => web::test(),
        Command::Web { serve: true, port, .. } => web::serve(&web::make()?, port),
        Command::Web { .. } => web::make().map(drop),
    }
}

fn test(gpus: &[&str]) -> Result {
    step("programs for tests", || system::provide(&[POSTGRESQL, PYTHON]))?;
    tests::build(gpus)?;
    tests::run(gpus, || Ok(()), [])
}

fn python(gpus: &[&str]) -> Result {
    step("Python package", || python::test(gpus))
}

fn lint() -> Result {
    let fuzz = ["--manifest-path", "fuzz/Cargo.toml"];
    step("formatting", || {
        cargo("fmt").args(["--all", "--check"]).run()?;
        cargo("fmt").args(fuzz).arg("--check").run()
    })?;
    let everything = ["--workspace", "--all-features"];
    step("clippy", || cargo("clippy").args(everything).args(["--all-targets", "--", "-D", "warnings"]).run())?;
    step("clippy for browsers", web::lint)?;
    step("features", features)?;
    step("documentation", || cargo("doc").args(everything).arg("--no-deps").env("RUSTDOCFLAGS", "-D warnings").run())
}

/// The packages that are checked together, their features, and whether their tests are checked, too. Clippy checks all features together. The
/// features of the library and of the program are also checked in two parts, and the program and its tests as most people build them. If a
/// crate in a row depends on another one, it also enables features there: the driver is built with `serde` beside the program.
const FEATURES: [(&[&str], &str, bool); 5] = [
    (&["kogge-driver", "kogge-ledger", "kogge"], "", true),
    (&["kogge-cli", "kogge-driver"], "", false),
    (&["kogge-cli"], "default", true),
    (&["kogge", "kogge-cli", "kogge-ledger"], "kogge-cli/opencl,kogge-cli/parquet", false),
    (&["kogge", "kogge-cli", "kogge-ledger"], "kogge-cli/wgpu,kogge-cli/search,kogge-cli/postgres", false),
];

/// Checks that each set of features builds without warnings.
fn features() -> Result {
    FEATURES.iter().try_for_each(|(packages, features, with_tests)| {
        let packages = packages.iter().flat_map(|package| ["--package", package]);
        let targets = with_tests.then_some("--all-targets");
        let clippy = cargo("clippy").args(packages).args(targets).args(["--no-default-features", "--features"]);
        clippy.args([features, "--", "-D", "warnings"]).run()
    })
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
