//! The rules for crates of others: where they come from, and their licences.

use std::collections::{HashMap, HashSet};

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Node, Package, PackageId};
use spdx::{Expression, Licensee, ParseMode};

use crate::root;

/// The licences that ask for no more than their text and the authors' names. Nothing else goes with kogge's own terms, MIT OR Apache-2.0.
const ACCEPTED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates under the GPL. Tests and benchmarks, which are passed on to nobody, may use them, and nothing else.
const ONLY_FOR_TESTS: [&str; 1] = ["shakmaty"];

/// Whether an expression, such as `MIT OR Apache-2.0`, lets kogge choose accepted licences.
fn is_accepted(licence: &str) -> bool {
    let accepted = ACCEPTED.map(|name| Licensee::parse(name).expect("a licence of SPDX's list"));
    let expression = Expression::parse_mode(licence, ParseMode::LAX);
    expression.is_ok_and(|expression| expression.evaluate(|term| accepted.iter().any(|one| one.satisfies(term))))
}

/// Returns what is built into a program or a library of the workspace, or needed to build it: everything but the dependencies of tests.
fn built_in(metadata: &Metadata) -> HashSet<&PackageId> {
    let nodes = &metadata.resolve.as_ref().expect("a graph of dependencies").nodes;
    let nodes: HashMap<_, &Node> = nodes.iter().map(|node| (&node.id, node)).collect();
    let mut found = HashSet::new();
    let mut open: Vec<_> = metadata.workspace_members.iter().collect();
    while let Some(package) = open.pop() {
        if found.insert(package) {
            let built = nodes[package].deps.iter().filter(|dependency| {
                dependency.dep_kinds.iter().any(|dependency| dependency.kind != DependencyKind::Development)
            });
            open.extend(built.map(|dependency| &dependency.pkg));
        }
    }
    found
}

/// Returns what is wrong with a crate, if something is.
fn objection(package: &Package, is_built_in: bool) -> Option<String> {
    let Package { name, version, license, source, .. } = package;
    let source = source.as_ref()?;
    if !source.is_crates_io() {
        return Some(format!("{name} {version} does not come from crates.io but from {source}."));
    }
    match license {
        Some(licence) if is_accepted(licence) => None,
        _ if ONLY_FOR_TESTS.contains(&name.as_str()) && !is_built_in => None,
        Some(licence) => Some(format!("{name} {version} has the licence {licence}.")),
        None => Some(format!("{name} {version} does not name its licence.")),
    }
}

#[test]
fn every_crate_comes_from_crates_io_under_an_accepted_licence() {
    let mut command = MetadataCommand::new();
    command.current_dir(root()).features(CargoOpt::AllFeatures).other_options(["--locked".to_owned()]);
    let metadata = command.exec().expect("the workspace has metadata");
    let built_in = built_in(&metadata);
    let objections: Vec<_> =
        metadata.packages.iter().filter_map(|package| objection(package, built_in.contains(&package.id))).collect();
    assert_eq!(objections, Vec::<String>::new());
    // Built into a program, the crates for tests would be refused.
    let for_tests = |package: &&Package| ONLY_FOR_TESTS.contains(&package.name.as_str());
    let for_tests: Vec<_> = metadata.packages.iter().filter(for_tests).collect();
    assert_eq!(for_tests.len(), ONLY_FOR_TESTS.len());
    assert!(for_tests.iter().all(|package| objection(package, true).is_some()));
    assert!(built_in.len() > 200, "{} crates are built in", built_in.len());
}

#[test]
fn licences_are_accepted_by_their_terms() {
    for (licence, expected) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0-or-later OR MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-3.0-or-later", false),
        ("MIT AND MPL-2.0", false),
        ("MIT OR no licence", false),
        ("", false),
    ] {
        assert_eq!(is_accepted(licence), expected, "{licence}");
    }
}
