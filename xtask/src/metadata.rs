//! What `cargo metadata` says about the workspace, as far as it is used here.

use std::path::PathBuf;

use serde::Deserialize;

use crate::{Result, steps::cargo};

/// The workspace and, unless it was read without them, its dependencies.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
    /// Where Cargo puts what it builds.
    pub(crate) target_directory: PathBuf,
    /// The graph of dependencies; absent if metadata was read without them.
    pub(crate) resolve: Option<Resolve>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression.
    pub(crate) license: Option<String>,
    /// Where it was downloaded from; absent for members of the workspace.
    pub(crate) source: Option<String>,
    #[cfg(test)]
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency as a manifest declares it.
#[cfg(test)]
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Option<Kind>,
}

/// What kind of dependency; absent for a normal one.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Dev,
    Build,
}

#[derive(Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

/// A package in the graph.
#[derive(Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Edge>,
}

/// A dependency in the graph; several kinds if a manifest declares it more than once.
#[derive(Deserialize)]
pub(crate) struct Edge {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
pub(crate) struct EdgeKind {
    pub(crate) kind: Option<Kind>,
}

/// Reads the metadata of the members alone; this needs no network.
pub(crate) fn members() -> Result<Metadata> {
    read(&["--no-deps"])
}

/// Reads the metadata with all dependencies, for every platform.
pub(crate) fn with_dependencies() -> Result<Metadata> {
    read(&["--locked"])
}

fn read(arguments: &[&str]) -> Result<Metadata> {
    let output = cargo("metadata").args(["--format-version", "1"]).args(arguments).output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}
