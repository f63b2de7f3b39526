//! Short runs of the fuzz targets.
//!
//! `cargo fuzz` needs a nightly compiler for its sanitizers. The targets run safe code, for which libFuzzer's coverage
//! and overflow checks are enough, and a stable compiler supports both. So this command builds like `cargo fuzz build
//! --sanitizer none`. If cargo-fuzz is installed, `cargo fuzz run <target>` works, too.

use std::{
    fs,
    thread::{self, available_parallelism},
    time::Duration,
};

use crate::{
    Result, root,
    steps::{cargo, command, host},
};

/// Instrumentation for libFuzzer: branches taken and values compared.
const RUSTFLAGS: &str = "--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Fuzzes every target, or only the named one, for this time; fails if any input fails.
///
/// New inputs stay in `fuzz/corpus`, and the next run starts from them. Failing inputs go to `fuzz/artifacts`.
pub(crate) fn run(duration: Duration, only: Option<&str>) -> Result {
    let all = targets()?;
    let chosen: Vec<_> = all.iter().filter(|target| only.is_none_or(|only| only == *target)).collect();
    if chosen.is_empty() {
        return Err(format!("There is no such fuzz target; choose one of {}.", all.join(", ")).into());
    }
    // With an explicit target, build scripts are not instrumented.
    let triple = &*host()?;
    let place = ["--manifest-path", "fuzz/Cargo.toml", "--target-dir", "fuzz/target", "--target", triple];
    cargo("build").args(["--release", "--bins"]).args(place).env("RUSTFLAGS", RUSTFLAGS).run()?;
    // libFuzzer uses one thread.
    let cores = available_parallelism()?.get();
    chosen.chunks(cores).try_for_each(|targets| {
        thread::scope(|scope| {
            let fuzz = |target| move || fuzz(target, triple, duration).map_err(|error| error.to_string());
            let runs: Vec<_> = targets.iter().map(|target| scope.spawn(fuzz(target))).collect();
            runs.into_iter().try_for_each(|run| Ok(run.join().map_err(|_| "A thread failed.")??))
        })
    })
}

fn fuzz(target: &str, triple: &str, duration: Duration) -> Result {
    let (corpus, artifacts) = (format!("fuzz/corpus/{target}"), format!("fuzz/artifacts/{target}/"));
    for directory in [&corpus, &artifacts] {
        fs::create_dir_all(root().join(directory))?;
    }
    plant_seeds(&corpus, target)?;
    eprintln!("Fuzzing {target} for {} s.", duration.as_secs());
    let output = command(root().join(format!("fuzz/target/{triple}/release/{target}")))
        .arg(format!("-max_total_time={}", duration.as_secs()))
        .arg(format!("-artifact_prefix={artifacts}"))
        .args(["-timeout=10", "-print_final_stats=1", &corpus])
        // When the first transposition table is freed, glibc decides to keep blocks of this size in its heap. Inputs that
        // libFuzzer keeps then split the freed blocks, and the process grows by a table each time.
        .env("MALLOC_MMAP_THRESHOLD_", "1048576")
        .output()?;
    // libFuzzer's report is long. Without a failure, only the number of inputs matters.
    let report = String::from_utf8_lossy(&output.stderr);
    let executions = report.lines().filter(|line| line.starts_with("stat::number_of_exec"));
    executions.for_each(|line| eprintln!("{target}: {line}"));
    Ok(())
}

/// Adds some FENs, or conversations with FENs, to a corpus, because libFuzzer takes long to find one.
fn plant_seeds(corpus: &str, target: &str) -> Result {
    let fens = fs::read_to_string(root().join("data/fens-valid.txt"))?;
    for (number, fen) in fens.lines().step_by(20).enumerate() {
        let seed = match target {
            "uci" => format!("uci\nposition fen {fen} moves e2e4\nisready\ngo perft 1\ngo infinite\nstop\nquit\n"),
            _ => fen.to_owned(),
        };
        fs::write(root().join(corpus).join(format!("seed-{number}")), seed)?;
    }
    Ok(())
}

fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}
