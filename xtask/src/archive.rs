//! The contents of every archive: the program with all features that the platform allows, kogge's licences, and a folder that
//! has the archive's name.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
};

use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    Result, metadata,
    platform::Platform,
    root,
    steps::{cargo, command},
};

/// Builds the program for a platform with the features of its archive, and returns its path.
pub(crate) fn build(profile: &str, platform: &Platform) -> Result<PathBuf> {
    let build = cargo("build").args(["--locked", "--package", "kogge-cli", "--bin", "kogge", "--no-default-features"]);
    let build = build.args(["--features", platform.features(), "--profile", profile]);
    // The host's program shares compiled crates with the tools, which are not built for a named target.
    let build = if platform.is_host { build } else { build.args(["--target", &platform.triple]) };
    let build = match platform.c_compiler() {
        Some(compiler) => build.env(&format!("CC_{}", platform.triple.replace('-', "_")), compiler),
        None => build,
    };
    // A debug build uses the usual flags, so that it shares compiled crates with the tests.
    let build = if profile == "dev" { build } else { build.env("CARGO_ENCODED_RUSTFLAGS", &short_paths()?) };
    build.run()?;
    let target = metadata::target()?;
    let folder = if platform.is_host { target } else { target.join(&platform.triple) };
    Ok(folder.join(if profile == "dev" { "debug" } else { profile }).join(platform.program()))
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
pub(crate) fn tar(parent: &Path, name: &str) -> Result<PathBuf> {
    let archive = parent.join(format!("{name}.tar.gz"));
    let tar = command("tar").args(["--create", "--gzip", "--file"]).arg(&archive);
    tar.arg("--directory").arg(parent).arg(name).run()?;
    say_size(&archive)?;
    Ok(archive)
}

/// Packs the folder `parent/name` into the archive `parent/name.zip`, which Windows opens by itself, and prints its size.
pub(crate) fn zip(parent: &Path, name: &str) -> Result<PathBuf> {
    let archive = parent.join(format!("{name}.zip"));
    let mut zip = ZipWriter::new(File::create(&archive)?);
    add(&mut zip, &parent.join(name), name)?;
    zip.finish()?;
    say_size(&archive)?;
    Ok(archive)
}

/// Adds a folder and everything in it to a zip, under this path. Equal files make equal archives: entries are sorted, and their
/// times are the first that a zip can have.
fn add(zip: &mut ZipWriter<File>, folder: &Path, path: &str) -> Result {
    let options = SimpleFileOptions::default().compression_level(Some(9));
    zip.add_directory(path, options)?;
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let inside = format!("{path}/{}", entry.file_name().display());
        if entry.file_type()?.is_dir() {
            add(zip, &entry.path(), &inside)?;
        } else {
            zip.start_file(inside, options)?;
            std::io::copy(&mut File::open(entry.path())?, zip)?;
        }
    }
    Ok(())
}

fn say_size(archive: &Path) -> Result {
    eprintln!("{}: {:.1} MB", archive.display(), fs::metadata(archive)?.len() as f64 / 1e6);
    Ok(())
}

/// Returns the paths in an archive, without the name of their common folder.
#[cfg(test)]
pub(crate) fn list(archive: &Path, name: &str) -> std::collections::BTreeSet<String> {
    let paths: Vec<String> = if archive.extension().is_some_and(|extension| extension == "zip") {
        let zip = zip::ZipArchive::new(File::open(archive).expect("a file")).expect("a zip");
        zip.file_names().map(|path| path.expect("UTF-8").into_owned()).collect()
    } else {
        let listed = command("tar").args(["--list", "--file"]).arg(archive).output().expect("tar lists it");
        String::from_utf8(listed.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
    };
    let inside = |path: &String| path.strip_prefix(name)?.strip_prefix('/').map(str::to_owned);
    paths.iter().map(|path| inside(path).expect("everything lies in the folder")).collect()
}
