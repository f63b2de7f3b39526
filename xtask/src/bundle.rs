//! One archive for a machine that has a GPU and no Rust.
//!
//! It holds the stripped program, the counts to be verified, and a script, `run.sh`, which checks drivers, lists devices,
//! verifies counts and runs the bench, and leaves one JSON file to be brought back.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Result, metadata, root,
    steps::{cargo, command, host, step},
};

const RUN: &str = include_str!("../bundle/run.sh");
const README: &str = include_str!("../bundle/README.txt");

/// Makes `target/bundle/kogge-VERSION-TRIPLE.tar.gz`, or, from a debug build, which is built sooner and counts slower,
/// `kogge-VERSION-TRIPLE-debug.tar.gz`.
pub(crate) fn make(debug: bool) -> Result {
    step("build", || {
        let build = cargo("build").args(["--locked", "--package", "kogge-cli", "--bin", "kogge"]);
        build.args((!debug).then_some("--release")).run()
    })?;
    step("bundle", || {
        let target = metadata::members()?.target_directory;
        let program = target.join(if debug { "debug/kogge" } else { "release/kogge" });
        let archive = pack(&program, &target.join("bundle"), &name(&host()?, debug))?;
        eprintln!("{}: {:.1} MB", archive.display(), fs::metadata(&archive)?.len() as f64 / 1e6);
        Ok(())
    })
}

/// What the archive and the folder in it are called. Nobody shall measure with a debug build for want of a name.
fn name(host: &str, debug: bool) -> String {
    format!("kogge-{}-{host}{}", env!("CARGO_PKG_VERSION"), if debug { "-debug" } else { "" })
}

/// Puts everything into a folder of this name, and that into an archive beside it.
fn pack(program: &Path, bundles: &Path, name: &str) -> Result<PathBuf> {
    let folder = bundles.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    command("strip").arg("-o").arg(folder.join("kogge")).arg(program).run()?;
    write_texts(&folder)?;
    let archive = bundles.join(format!("{name}.tar.gz"));
    let tar = command("tar").args(["--create", "--gzip", "--file"]).arg(&archive);
    tar.arg("--directory").arg(bundles).arg(name).run()?;
    Ok(archive)
}

/// Everything that is not built.
fn write_texts(folder: &Path) -> Result {
    fs::write(folder.join("README.txt"), README)?;
    let known = fs::read_to_string(root().join("data/known-counts.tsv"))?;
    fs::write(folder.join("known-counts.epd"), suite(&known)?)?;
    for (from, to) in
        [("data/random.epd", "random.epd"), ("LICENSE-MIT", "LICENSE-MIT"), ("LICENSE-APACHE", "LICENSE-APACHE")]
    {
        fs::copy(root().join(from), folder.join(to))?;
    }
    let script = folder.join("run.sh");
    fs::write(&script, RUN)?;
    make_executable(&script)
}

/// Lines `FEN ;D1 20 ;D2 400` from the table of published counts, deepest last.
fn suite(known: &str) -> Result<String> {
    let mut order = Vec::new();
    let mut counts = BTreeMap::<&str, String>::new();
    for line in known.lines().filter(|line| !line.starts_with('#')) {
        let [_, fen, depth, nodes, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("data/known-counts.tsv has a line without five fields: {line}").into());
        };
        let counts = counts.entry(fen).or_insert_with(|| {
            order.push(fen);
            String::new()
        });
        *counts += &format!(" ;D{depth} {nodes}");
    }
    Ok(order.into_iter().map(|fen| format!("{fen}{}\n", counts[fen])).collect())
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result {
    Err("A bundle is for Linux, and is made there.".into())
}

#[cfg(all(test, unix))]
mod tests;
