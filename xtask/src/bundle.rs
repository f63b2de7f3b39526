//! An archive for a machine with a GPU and without Rust.
//!
//! It holds the stripped program, published counts, and a script, `run.sh`, which checks drivers, lists devices, verifies
//! counts, runs the bench, and writes all results to one JSON file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kogge_board::known::{self, KnownCounts};

use crate::{
    Result, archive, metadata,
    platform::Platform,
    steps::{command, host, step},
};

const RUN: &str = include_str!("../bundle/run.sh");
const README: &str = include_str!("../bundle/README.txt");

/// Makes `target/bundle/kogge-VERSION-TRIPLE.tar.gz`, or `kogge-VERSION-TRIPLE-debug.tar.gz` from a debug build, which builds
/// faster and counts slower.
pub(crate) fn make(debug: bool) -> Result {
    let program = step("build", || archive::build(if debug { "dev" } else { "dist" }, &Platform::host()?))?;
    step("bundle", || pack(&program, &metadata::target()?.join("bundle"), &name(&host()?, debug)).map(drop))
}

/// Returns the name of the archive and of the folder in it. A debug build has a different name, so that nobody measures
/// with it by mistake.
fn name(host: &str, debug: bool) -> String {
    format!("kogge-{}-{host}{}", env!("CARGO_PKG_VERSION"), if debug { "-debug" } else { "" })
}

/// Fills a folder of this name, and packs it into an archive beside it.
fn pack(program: &Path, bundles: &Path, name: &str) -> Result<PathBuf> {
    let folder = archive::folder(bundles, name)?;
    // A debug build keeps its symbols.
    command("strip").arg("-o").arg(folder.join("kogge")).arg(program).run()?;
    archive::copy(&["board/data/random.epd"], &folder)?;
    fs::write(folder.join("README.txt"), README)?;
    fs::write(folder.join("known-counts.epd"), suite())?;
    let script = folder.join("run.sh");
    fs::write(&script, RUN)?;
    make_executable(&script)?;
    archive::tar(bundles, name)
}

/// Returns the published counts as lines `FEN ;D1 20 ;D2 400`, with the deepest count at the end.
pub(crate) fn suite() -> String {
    let line = |known: KnownCounts| {
        let counts: String = known.counts().map(|(depth, leaves)| format!(" ;D{depth} {leaves}")).collect();
        format!("{}{counts}\n", known.root)
    };
    known::standard().into_iter().map(line).collect()
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result {
    Err("A bundle is for Linux and can only be made there.".into())
}

#[cfg(all(test, unix))]
mod tests;
