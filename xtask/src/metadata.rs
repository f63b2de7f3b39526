//! The parts of `cargo metadata` that are used here.

use std::{
    collections::{BTreeSet, HashMap},
    path::PathBuf,
};

use serde::Deserialize;

use crate::{Result, steps::cargo};

/// Crates, and how they depend on each other.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    /// The folder of build outputs.
    pub(crate) target_directory: PathBuf,
    resolve: Option<Resolve>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) manifest_path: PathBuf,
    #[cfg(test)]
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

/// The graph of dependencies.
#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    /// `dev` or `build`; absent for a normal dependency.
    kind: Option<String>,
}

/// Reads the metadata of the members alone, so that no network is needed.
pub(crate) fn members() -> Result<Metadata> {
    let output = cargo("metadata").args(["--format-version", "1", "--no-deps"]).output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the crates of other people that the program with all features contains on this platform, by name.
pub(crate) fn shipped(triple: &str) -> Result<Vec<Package>> {
    let arguments = ["--format-version", "1", "--locked", "--features", "kogge-cli/full", "--filter-platform", triple];
    let metadata: Metadata = serde_json::from_slice(&cargo("metadata").args(arguments).output()?.stdout)?;
    let resolve = metadata.resolve.ok_or("`cargo metadata` has no graph of dependencies.")?;
    let nodes: HashMap<&str, &Node> = resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let own: BTreeSet<PathBuf> = members()?.packages.into_iter().map(|package| package.manifest_path).collect();
    let mut left: Vec<&str> = Vec::new();
    left.extend(metadata.packages.iter().filter(|package| package.name == "kogge-cli").map(|package| &*package.id));
    let mut found = BTreeSet::new();
    while let Some(id) = left.pop() {
        if found.insert(id.to_owned()) {
            let edges = nodes.get(id).map_or(&[][..], |node| &node.deps);
            let normal = edges.iter().filter(|edge| edge.dep_kinds.iter().any(|kind| kind.kind.is_none()));
            left.extend(normal.map(|edge| &*edge.pkg));
        }
    }
    let mut packages = metadata.packages;
    packages.retain(|package| found.contains(&package.id) && !own.contains(&package.manifest_path));
    packages.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok(packages)
}
