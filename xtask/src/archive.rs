//! The contents of every archive: the program with all features, kogge's licences, and a folder that has the archive's
//! name.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{
    Result, metadata, root,
    steps::{cargo, command},
};

/// The file name of the program.
pub(crate) const PROGRAM: &str = if cfg!(windows) { "kogge.exe" } else { "kogge" };

pub(crate) fn build(profile: &str) -> Result<PathBuf> {
    let build = cargo("build").args(["--locked", "--package", "kogge-cli", "--bin", "kogge", "--features", "full"]);
    let build = build.args(["--profile", profile]);
    // A debug build uses the usual flags, so that it shares compiled crates with the tests.
    let build = if profile == "dev" { build } else { build.env("CARGO_ENCODED_RUSTFLAGS", &short_paths()?) };
    build.run()?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(metadata::target()?.join(folder).join(PROGRAM))
}

/// Returns flags that replace the paths of this machine in the program by the origins of its crates.
fn short_paths() -> Result<String> {
    // Cargo creates a registry's folder when it first needs it.
    cargo("fetch").arg("--locked").run()?;
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok()).into_iter().flatten().flatten();
    let crates = registries.map(|registry| format!("{}=crates", registry.path().display()));
    let flags = crates.chain([format!("{}=kogge", root().display())]).map(|map| format!("--remap-path-prefix={map}"));
    let given = env::var("RUSTFLAGS").unwrap_or_default();
    let given = given.split_whitespace().map(str::to_owned);
    // The encoded form allows spaces in folder names.
    Ok(given.chain(flags).collect::<Vec<_>>().join("\x1f"))
}

/// Makes an empty folder `parent/name`, for the files of the archive.
pub(crate) fn folder(parent: &Path, name: &str) -> Result<PathBuf> {
    let folder = parent.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Copies these files of the repository, and kogge's licences, into a folder.
pub(crate) fn copy(files: &[&str], folder: &Path) -> Result {
    for file in files.iter().chain(&["LICENSE-MIT", "LICENSE-APACHE"]) {
        let from = root().join(file);
        let name = from.file_name().ok_or_else(|| format!("{file} is not a file."))?;
        fs::copy(&from, folder.join(name)).map_err(|error| format!("{file} cannot be copied: {error}."))?;
    }
    Ok(())
}

pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Packs the folder `parent/name` into the archive `parent/name.tar.gz`, and prints its size.
pub(crate) fn pack(parent: &Path, name: &str) -> Result<PathBuf> {
    let archive = parent.join(format!("{name}.tar.gz"));
    let tar = command("tar").args(["--create", "--gzip", "--file"]).arg(&archive);
    tar.arg("--directory").arg(parent).arg(name).run()?;
    eprintln!("{}: {:.1} MB", archive.display(), fs::metadata(&archive)?.len() as f64 / 1e6);
    Ok(archive)
}

/// Returns the paths in an archive, without the name of their common folder.
#[cfg(test)]
pub(crate) fn list(archive: &Path, name: &str) -> std::collections::BTreeSet<String> {
    let listed = command("tar").args(["--list", "--file"]).arg(archive).output().expect("tar lists it");
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    let inside = |line: &str| line.strip_prefix(name)?.strip_prefix('/').map(str::to_owned);
    listed.lines().map(|line| inside(line).expect("everything lies in the folder")).collect()
}
