//! The parts of `cargo metadata` that are used here.

use std::path::PathBuf;

use serde::Deserialize;

use crate::{Result, steps::cargo};

/// The members of the workspace.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    #[cfg(test)]
    pub(crate) packages: Vec<Package>,
    /// The folder of build outputs.
    pub(crate) target_directory: PathBuf,
}

#[cfg(test)]
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency in a manifest.
#[cfg(test)]
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev` or `build`; absent for a normal dependency.
    pub(crate) kind: Option<String>,
}

/// Reads the metadata of the members alone, so that no network is needed.
pub(crate) fn members() -> Result<Metadata> {
    let output = cargo("metadata").args(["--format-version", "1", "--no-deps"]).output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}
