//! The crates of the workspace, and the crates that the program contains.

use std::{collections::HashSet, env::consts::EXE_SUFFIX, path::PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::{Result, platform::Platform, root, steps::cargo};

/// Reads only the members' metadata, which needs no network.
pub(crate) fn members() -> Result<Metadata> {
    Ok(MetadataCommand::new().current_dir(root()).no_deps().exec()?)
}

pub(crate) fn target() -> Result<PathBuf> {
    Ok(members()?.target_directory.into())
}

/// Returns the path of the host's program in a folder of build outputs, such as `debug`.
pub(crate) fn program(folder: &str) -> Result<PathBuf> {
    Ok(target()?.join(folder).join(format!("kogge{EXE_SUFFIX}")))
}

/// Returns the third-party crates that the program of an archive contains on a platform, by name.
pub(crate) fn shipped(platform: &Platform) -> Result<Vec<Package>> {
    let (triple, features) = (&platform.triple[..], platform.features());
    let tree = cargo("tree").args(["--locked", "--package", "kogge-cli", "--no-default-features", "--target", triple]);
    let tree = tree.args(["--features", features]);
    let tree = String::from_utf8(tree.args(["--edges", "normal", "--prefix", "none"]).output()?.stdout)?;
    // A line begins with the name and the version: `serde v1.0.228`.
    let named = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let shipped: HashSet<_> = tree.lines().map(named).collect();
    // All packages that may be in a program; the tree has the ones that are.
    let options = ["--locked", "--features", "kogge-cli/full", "--filter-platform", triple].map(str::to_owned);
    let mut packages = MetadataCommand::new().current_dir(root()).other_options(options).exec()?.packages;
    packages.retain(|package| {
        package.source.is_some() && shipped.contains(&format!("{} v{}", package.name, package.version))
    });
    packages.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok(packages)
}
