//! The crates of the workspace, and the crates that the program contains.

use std::{collections::HashSet, path::PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::{Result, root, steps::cargo};

/// Reads only the members' metadata, which needs no network.
pub(crate) fn members() -> Result<Metadata> {
    Ok(MetadataCommand::new().current_dir(root()).no_deps().exec()?)
}

pub(crate) fn target() -> Result<PathBuf> {
    Ok(members()?.target_directory.into())
}

/// Returns the third-party crates that the program with all features contains on this platform, by name.
pub(crate) fn shipped(triple: &str) -> Result<Vec<Package>> {
    let tree = cargo("tree").args(["--locked", "--package", "kogge-cli", "--features", "full", "--target", triple]);
    let tree = String::from_utf8(tree.args(["--edges", "normal", "--prefix", "none"]).output()?.stdout)?;
    // A line begins with the name and the version: `serde v1.0.228`.
    let named = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let shipped: HashSet<_> = tree.lines().map(named).collect();
    let options = ["--locked", "--features", "kogge-cli/full", "--filter-platform", triple].map(str::to_owned);
    let mut packages = MetadataCommand::new().current_dir(root()).other_options(options).exec()?.packages;
    packages.retain(|package| {
        package.source.is_some() && shipped.contains(&format!("{} v{}", package.name, package.version))
    });
    packages.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok(packages)
}
