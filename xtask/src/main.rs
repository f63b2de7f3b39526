//! Commands for developers: `cargo xtask <command>`.

#[cfg(test)]
mod architecture;
mod archive;
mod bundle;
mod dist;
mod fuzz;
mod kernels;
mod metadata;
mod neon;
mod probe;
mod python;
mod report;
mod shipped;
mod steps;
mod system;
mod web;

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use clap::{Parser, Subcommand};

use crate::{
    probe::Interface,
    steps::{cargo, step},
    system::CXX_COMPILER,
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
    Test {
        /// Skip the tests of missing devices instead of failing
        #[arg(long)]
        no_gpu: bool,
    },
    /// Check formatting, clippy, every set of features and the documentation, with warnings denied
    Lint,
    /// Check that every dependency comes from crates.io under a licence that kogge may use, with cargo-deny
    Licences,
    /// Fuzz every target for a short while
    Fuzz {
        /// Seconds for each target
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Fuzz only this target
        target: Option<String>,
    },
    /// Compare all variants of the CPU backend and the mailbox on random positions, until stopped
    Soak {
        /// Stop after this many minutes
        #[arg(long, value_name = "N", conflicts_with = "seconds")]
        minutes: Option<u64>,
        /// Stop after this many seconds
        #[arg(long, value_name = "N")]
        seconds: Option<u64>,
        /// The seed of the random positions; each run prints its seed
        #[arg(long, value_name = "S")]
        seed: Option<u64>,
        /// The number of threads; one per core by default
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        threads: u64,
        /// First count the published totals up to 10^11 with every variant, which takes minutes
        #[arg(long)]
        known: bool,
    },
    /// Make the page of measurements, docs/report, from the output of `kogge bench --json`
    Report {
        /// New files of measurements; they are copied into docs/report
        #[arg(value_name = "BENCH.json")]
        files: Vec<PathBuf>,
    },
    /// Print the kernels in OpenCL C from their WGSL
    Kernels,
    /// Test the CPU code for AArch64 in an emulator
    Neon,
    /// Build the wheel of the Python package and run its tests, in an environment of its own
    Python {
        /// Skip the tests of missing devices instead of failing
        #[arg(long)]
        no_gpu: bool,
    },
    /// Test the program as people build it: with the release profile and without features
    Shipped {
        /// Skip the tests of missing devices instead of failing
        #[arg(long)]
        no_gpu: bool,
    },
    /// Check everything that a change must pass: lint, licences, fuzz, neon, web, shipped, python, test
    Ci,
    /// Make an archive for a machine without Rust: the program, known counts, and a script that checks, verifies and measures
    Bundle {
        /// Use a debug build, which builds faster and counts slower
        #[arg(long)]
        debug: bool,
    },
    /// Make what a release has for this platform, in target/dist/archives: the program, licences, manual, completions, checksum
    Dist,
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
    /// Check whether this process finds a device (for `test`, which starts it as another process)
    #[command(hide = true)]
    Probe { interface: Interface },
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
        Command::Test { no_gpu } => test(no_gpu),
        Command::Lint => lint(),
        Command::Licences => licences(),
        Command::Fuzz { seconds, target } => fuzz::run(Duration::from_secs(seconds), target.as_deref()),
        Command::Soak { minutes, seconds, seed, threads, known } => {
            let seconds = minutes.map(|minutes| minutes.saturating_mul(60)).or(seconds);
            soak(seconds.unwrap_or(0), seed.unwrap_or_else(seed_from_clock), threads, known)
        }
        Command::Report { files } => report::run(&files),
        Command::Kernels => kernels::print(),
        Command::Neon => neon::test(),
        Command::Python { no_gpu } => python(no_gpu),
        Command::Shipped { no_gpu } => shipped(no_gpu),
        Command::Ci => ci(),
        Command::Bundle { debug } => bundle::make(debug),
        Command::Dist => dist::make(),
        Command::Web { test: true, .. } => web::test(),
        Command::Web { serve: true, port, .. } => web::serve(&web::make()?, port),
        Command::Web { .. } => web::make().map(drop),
        Command::Probe { interface } => probe::probe(interface),
    }
}

/// Runs all tests. Doc tests run first, so that the results of the other tests are printed last.
fn test(no_gpu: bool) -> Result {
    step("database server", system::provide_server)?;
    let required = if no_gpu {
        eprintln!("Tests of missing devices are skipped (--no-gpu).");
        ""
    } else {
        step("software GPU devices", system::provide_devices)?;
        "opencl,wgpu"
    };
    let (all, variants) = (["--workspace", "--all-features"], required_variants());
    let test = |arguments: &[&str]| {
        let test = cargo("test").args(all).args(arguments);
        test.env("KOGGE_REQUIRE_DEVICES", required).env("KOGGE_REQUIRE_VARIANTS", &variants)
    };
    step("build the tests", || test(&["--tests", "--no-run"]).run())?;
    step("doc tests", || test(&["--doc"]).run())?;
    steps::say_times();
    steps::announce("tests");
    test(&["--tests"]).run()
}

/// Returns the variants of the CPU code that must be tested: those that the environment variable `KOGGE_REQUIRE_VARIANTS` names, or
/// those that any current CPU can run. Says what is not tested then.
fn required_variants() -> String {
    if let Ok(named) = std::env::var("KOGGE_REQUIRE_VARIANTS") {
        return named;
    }
    #[cfg(target_arch = "x86_64")]
    {
        if !is_x86_feature_detected!("avx512vpopcntdq") {
            eprintln!(
                "The variants for AVX-512 are not tested, or not all: this CPU lacks the instructions, and QEMU does not emulate them. \
                 With KOGGE_REQUIRE_VARIANTS=avx512-popcount the tests fail on such a CPU."
            );
        }
        "portable,bmi,avx2".to_owned()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        if cfg!(target_arch = "aarch64") { "portable,neon" } else { "portable" }.to_owned()
    }
}

/// Tests the Python package.
fn python(no_gpu: bool) -> Result {
    if no_gpu {
        eprintln!("Tests of missing devices are skipped (--no-gpu).");
        return step("Python package", || python::test(""));
    }
    step("software GPU devices", system::provide_devices)?;
    step("Python package", || python::test("opencl,wgpu"))
}

/// Tests the program as people build it.
fn shipped(no_gpu: bool) -> Result {
    if no_gpu {
        eprintln!("Tests of missing devices are skipped (--no-gpu).");
        return shipped::test(&["cpu"]);
    }
    step("software GPU devices", system::provide_devices)?;
    shipped::test(&["cpu", "opencl", "wgpu"])
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

/// The crates with features, and the sets of features to check. All features together are checked by clippy; without features, a program
/// and its tests are as most people build them.
const FEATURES: [(&str, &[&str]); 3] = [
    ("kogge-driver", &["", "postgres", "parquet", "serde"]),
    ("kogge-devices", &[""]),
    ("kogge-cli", &["", "postgres", "parquet"]),
];

/// Checks that each set of features builds without warnings.
fn features() -> Result {
    for (package, sets) in FEATURES {
        for features in sets {
            let chosen = ["--no-default-features", "--features", features, "--", "-D", "warnings"];
            cargo("clippy").args(["--package", package, "--all-targets"]).args(chosen).run()?;
        }
    }
    Ok(())
}

/// Checks the licences and sources of all dependencies, as `deny.toml` says, and that the GPL stays out of the product.
///
/// If cargo-deny is missing, it is built first, without optimisation, since it checks for seconds only.
fn licences() -> Result {
    if cargo("deny").arg("--version").output().is_err() {
        cargo("install").args(["--locked", "--debug", "cargo-deny@0.20.2"]).run()?;
    }
    cargo("deny").args(["check", "licenses", "sources"]).run()?;
    cargo("deny").args(["--exclude-dev", "check", "bans"]).run()
}

/// Compares all backends that need no device; 0 seconds means until stopped.
fn soak(seconds: u64, seed: u64, threads: u64, known: bool) -> Result {
    let numbers = [seconds, seed, threads].map(|number| number.to_string());
    let run =
        cargo("run").args(["--release", "--package", "kogge-movegen-cpu", "--example", "soak", "--"]).args(numbers);
    run.args(known.then_some("known")).run()
}

/// Returns another seed for every run.
fn seed_from_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

/// Checks everything. Tests come last, because readers of the log look for their results.
fn ci() -> Result {
    lint()?;
    step("licences", licences)?;
    step("C++ compiler", || system::provide(&[CXX_COMPILER]))?;
    step("fuzzing", || fuzz::run(Duration::from_secs(20), None))?;
    neon::test()?;
    web::test()?;
    shipped(false)?;
    python(false)?;
    test(false)
}

/// Returns the root of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
