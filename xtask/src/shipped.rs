//! Tests the program as people build it: with the release profile, which has no overflow checks, and the default features.
//!
//! All other tests run with the profile of developers and with every feature.

use std::{fs, process::Command};

use kogge_board::known;

use crate::{
    Result, bundle, metadata, root,
    steps::{cargo, command, step},
};

/// The maximum number of leaves of a count that makes every leaf, on the CPU and on other devices, which are slow if they
/// are software.
const MOST_RAW: [u64; 2] = [20_000_000, 200_000];

/// The minimum and the maximum number of leaves of counts by merged plies.
const MERGED: std::ops::Range<u128> = 1_000_000_000..20_000_000_000;

/// Commands that need a feature, and the feature.
const FEATURES: [(&str, &[&str]); 2] = [
    ("postgres", &["run", "3", "--ledger", "postgres://nobody@%2Fno%2Fsuch%2Ffolder/x"]),
    ("parquet", &["ledger", "no-such-file", "--export", "x.parquet"]),
];

/// Builds the program, and checks known counts on the CPU and on these backends, merged counts, and the messages about missing
/// features.
pub(crate) fn test(gpus: &[&str]) -> Result {
    step("program as shipped", || {
        cargo("build").args(["--release", "--package", "kogge-cli", "--bin", "kogge"]).run()?;
        let program = metadata::program("release")?;
        let known = metadata::target()?.join("known-counts.epd");
        fs::write(&known, bundle::suite())?;
        let random = root().join("board/data/random.epd");
        for backend in [&["cpu"], gpus].concat() {
            let most = MOST_RAW[usize::from(backend != "cpu")];
            for suite in [&known, &random] {
                let suite = command(&program).args(["suite", "--quiet"]).arg(suite);
                suite.args(["--backend", backend, "--max-nodes", &most.to_string()]).run()?;
            }
        }
        merged(|| Command::new(&program))?;
        FEATURES.iter().try_for_each(|(feature, arguments)| refuses(&program.to_string_lossy(), feature, arguments))
    })
}

/// Checks published counts by merged plies with a program.
pub(crate) fn merged(program: impl Fn() -> Command) -> Result {
    for known in known::standard() {
        for (depth, leaves) in known.counts().filter(|(_, leaves)| MERGED.contains(leaves)) {
            let (depth, root) = (depth.to_string(), known.root.to_string());
            let mut run = program();
            run.args(["perft", &depth, "--quiet", "--backend", "cpu", "--memory", "1G", "--fen", &root]);
            let answer = String::from_utf8(run.output()?.stdout)?;
            if answer.trim() != format!("Nodes searched: {leaves}") {
                let reason = format!("{root} has {leaves} leaves at depth {depth}, and the program says: {answer}");
                return Err(reason.into());
            }
        }
    }
    Ok(())
}

/// Checks that a command fails and says how to get the feature that it needs.
fn refuses(program: &str, feature: &str, arguments: &[&str]) -> Result {
    let output = Command::new(program).args(arguments).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) && said.contains(&format!("cargo build --release --features {feature}")) {
        return Ok(());
    }
    Err(format!("`kogge {}` does not say how to get the feature {feature}: {said}", arguments.join(" ")).into())
}
