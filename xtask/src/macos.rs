//! Checks that the code compiles for macOS, as far as this needs no C compiler for macOS: everything but the ledgers, whose SQLite is
//! written in C. Nothing is linked or run.

use crate::{
    Result, platform,
    steps::{cargo, step},
};

pub(crate) const ARM: &str = "aarch64-apple-darwin";
pub(crate) const INTEL: &str = "x86_64-apple-darwin";

/// All crates but the ledgers and what only tests and developers use, with the features that need no C.
const ALL: &[&str] = &[
    "--workspace",
    "--exclude=kogge-ledger",
    "--exclude=kogge-testkit",
    "--exclude=kogge-xtask",
    "--features=kogge/gpu,kogge/search,kogge-cli/gpu,kogge-cli/search",
];

/// The program, which contains all code that depends on the system.
const PROGRAM: &[&str] = &["--package=kogge-cli", "--features=gpu,search"];

/// What differs between the CPUs.
const CPU: &[&str] = &["--package=kogge"];

/// Checks all crates for both CPUs.
pub(crate) fn check() -> Result {
    checks(&[(ARM, ALL), (INTEL, ALL)])
}

/// Checks what depends on the system once, and what depends on the CPU for both CPUs. All crates would take three times as long.
pub(crate) fn check_briefly() -> Result {
    checks(&[(ARM, PROGRAM), (INTEL, CPU)])
}

fn checks(parts: &[(&str, &[&str])]) -> Result {
    step("macOS", || {
        parts.iter().try_for_each(|(triple, crates)| {
            platform::add(triple)?;
            let check = cargo("clippy").args(["--locked", "--no-default-features", "--target", triple]).args(*crates);
            check.args(["--", "-D", "warnings"]).run()
        })
    })
}
