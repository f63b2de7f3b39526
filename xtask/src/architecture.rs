//! The structure of the workspace: cli -> ledger -> driver -> board <- backends -> gpu -> board, without circles and without twins.

mod imports;
mod names;
mod twins;

use std::{
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{DependencyKind, Package};

use crate::metadata;

/// Each crate of the workspace with the crates that it may depend on, all without the prefix `kogge-`.
///
/// Tests, benchmarks and examples of any crate but `xtask` may also use the crates [for tests](FOR_TESTS).
const MAY_DEPEND_ON: [(&str, &[&str]); 16] = [
    ("board", &[]),
    ("gpu", &["board"]),
    ("movegen-cpu", &["board"]),
    ("backend-opencl", &["board", "gpu"]),
    ("backend-wgpu", &["board", "gpu"]),
    ("driver", &["board"]),
    ("ledger", &["board", "driver"]),
    ("check", &["board", "driver", "movegen-cpu"]),
    ("kogge", &["board", "movegen-cpu", "backend-opencl", "backend-wgpu", "driver", "gpu", "ledger", "search"]),
    ("records", &["board"]),
    ("search", &["board", "movegen-cpu"]),
    (
        "cli",
        &[
            "board",
            "movegen-cpu",
            "backend-opencl",
            "backend-wgpu",
            "check",
            "driver",
            "gpu",
            "kogge",
            "ledger",
            "search",
        ],
    ),
    ("python", &["kogge", "records"]),
    ("web", &["board", "check", "movegen-cpu", "backend-wgpu", "gpu"]),
    ("testkit", &["board", "gpu", "movegen-cpu"]),
    ("xtask", &["board"]),
];

/// The reference and the tools for tests.
const FOR_TESTS: [&str; 2] = ["movegen-cpu", "testkit"];

/// The crates that are not shipped.
const NOT_SHIPPED: [&str; 2] = ["testkit", "xtask"];

fn may_depend(from: &str, to: &str, kind: DependencyKind) -> bool {
    let for_tests = kind == DependencyKind::Development && from != "xtask" && FOR_TESTS.contains(&to);
    for_tests || MAY_DEPEND_ON.iter().any(|(name, allowed)| *name == from && allowed.contains(&to))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files = entries.map(|entry| entry.expect("an entry").path()).flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn short(name: &str) -> &str {
    name.strip_prefix("kogge-").unwrap_or(name)
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata::members().expect("the workspace has metadata");
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let dependencies = package.dependencies.iter().filter(|dependency| dependency.name.starts_with("kogge"));
        wrong.extend(dependencies.filter_map(|dependency| {
            let (from, to) = (short(&package.name), short(&dependency.name));
            (!may_depend(from, to, dependency.kind)).then(|| format!("{from} -> {to}"))
        }));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_crate_is_listed() {
    let metadata = metadata::members().expect("the workspace has metadata");
    let mut actual: Vec<_> = metadata.packages.iter().map(|package| short(&package.name)).collect();
    let mut expected = MAY_DEPEND_ON.map(|(name, _)| name);
    actual.sort();
    expected.sort();
    assert_eq!(actual, expected);
}

#[test]
fn files_of_shipped_crates_do_not_import_each_other_in_circles() {
    let metadata = metadata::members().expect("the workspace has metadata");
    let shipped = metadata.packages.iter().filter(|package| !NOT_SHIPPED.contains(&short(&package.name)));
    let circles = |package: &Package| {
        let found = imports::circles(package.manifest_path.with_file_name("src").as_std_path());
        found.into_iter().map(|circle| format!("{}: {circle}", package.name)).collect::<Vec<_>>()
    };
    assert_eq!(shipped.flat_map(circles).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn public_types_have_names_of_their_own() {
    let metadata = metadata::members().expect("the workspace has metadata");
    let mut definitions = names::Definitions::new();
    for package in &metadata.packages {
        names::collect(package.manifest_path.with_file_name("src").as_std_path(), &mut definitions);
    }
    assert!(definitions.len() > 200, "{} public types are found", definitions.len());
    definitions.retain(|_, files| files.len() > 1);
    assert_eq!(definitions, names::Definitions::new());
}

#[test]
fn wrong_ways_are_found() {
    for (from, to, kind, expected) in [
        ("cli", "driver", DependencyKind::Normal, true),
        ("driver", "movegen-cpu", DependencyKind::Development, true),
        ("gpu", "testkit", DependencyKind::Development, true),
        ("board", "driver", DependencyKind::Normal, false),
        ("driver", "gpu", DependencyKind::Normal, false),
        ("backend-wgpu", "movegen-cpu", DependencyKind::Build, false),
        ("movegen-cpu", "backend-opencl", DependencyKind::Development, false),
        ("cli", "testkit", DependencyKind::Normal, false),
        ("newcomer", "board", DependencyKind::Normal, false),
    ] {
        assert_eq!(may_depend(from, to, kind), expected, "{from} -> {to}");
    }
}
