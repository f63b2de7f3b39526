//! The structure of the workspace: cli -> ledger -> driver -> board <- backends -> gpu -> board, without circles and without twins.

mod imports;
mod twins;

use crate::metadata::{self, Dependency, Metadata, Package};

/// Each crate of the workspace with the crates that it may depend on, all without the prefix `kogge-`.
///
/// Tests, benchmarks and examples of any crate but `xtask` may also use the crates [for tests](FOR_TESTS).
const MAY_DEPEND_ON: [(&str, &[&str]); 15] = [
    ("board", &[]),
    ("gpu", &["board"]),
    ("movegen-cpu", &["board"]),
    ("backend-opencl", &["board", "gpu"]),
    ("backend-wgpu", &["board", "gpu"]),
    ("driver", &["board"]),
    ("ledger", &["board", "driver"]),
    ("devices", &["board", "movegen-cpu", "backend-opencl", "backend-wgpu", "driver", "gpu"]),
    ("records", &["board"]),
    ("search", &["board", "movegen-cpu"]),
    (
        "cli",
        &["board", "movegen-cpu", "backend-opencl", "backend-wgpu", "devices", "driver", "gpu", "ledger", "search"],
    ),
    ("python", &["board", "devices", "driver", "movegen-cpu", "records"]),
    ("web", &["board", "movegen-cpu", "backend-wgpu", "gpu"]),
    ("testkit", &["board", "gpu", "movegen-cpu"]),
    ("xtask", &["board", "gpu"]),
];

/// The reference and the tools for tests.
const FOR_TESTS: [&str; 3] = ["movegen-cpu", "testkit", "xtask"];

/// The crates that are not shipped.
const NOT_SHIPPED: [&str; 2] = ["testkit", "xtask"];

/// Returns every kogge dependency that points the wrong way, as `from -> to`.
fn wrong_ways(metadata: &Metadata) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        for Dependency { name, kind } in &package.dependencies {
            let (from, to) = (short(&package.name), short(name));
            if !name.starts_with("kogge-") {
                continue;
            }
            let allowed = MAY_DEPEND_ON.iter().find(|(name, _)| *name == from);
            let for_tests = kind.as_deref() == Some("dev") && from != "xtask" && FOR_TESTS.contains(&to);
            if !for_tests && !allowed.is_some_and(|(_, allowed)| allowed.contains(&to)) {
                wrong.push(format!("{from} -> {to}"));
            }
        }
    }
    wrong
}

fn short(name: &str) -> &str {
    name.strip_prefix("kogge-").unwrap_or(name)
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata::members().expect("the workspace has metadata");
    assert_eq!(wrong_ways(&metadata), Vec::<String>::new());
}

#[test]
fn every_crate_is_listed() {
    let metadata = metadata::members().expect("the workspace has metadata");
    let mut actual: Vec<_> = metadata.packages.iter().map(|package| package.name.clone()).collect();
    let mut expected: Vec<_> = MAY_DEPEND_ON.iter().map(|(name, _)| format!("kogge-{name}")).collect();
    actual.sort();
    expected.sort();
    assert_eq!(actual, expected);
}

#[test]
fn files_of_shipped_crates_do_not_import_each_other_in_circles() {
    let metadata = metadata::members().expect("the workspace has metadata");
    let shipped = metadata.packages.iter().filter(|package| !NOT_SHIPPED.contains(&short(&package.name)));
    let circles = |package: &Package| {
        let found = imports::circles(&package.manifest_path.with_file_name("src"));
        found.into_iter().map(|circle| format!("{}: {circle}", package.name)).collect::<Vec<_>>()
    };
    assert_eq!(shipped.flat_map(circles).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn wrong_ways_are_found() {
    let package = |name: &str, dependencies: &str| {
        let rest = r#""id": "", "version": "", "manifest_path": """#;
        format!(r#"{{"name": "{name}", {rest}, "dependencies": [{dependencies}]}}"#)
    };
    let packages = [
        package("kogge-board", r#"{"name": "kogge-driver", "kind": null}, {"name": "serde", "kind": null}"#),
        package("kogge-driver", r#"{"name": "kogge-movegen-cpu", "kind": "dev"}, {"name": "kogge-gpu", "kind": null}"#),
        package("kogge-gpu", r#"{"name": "kogge-testkit", "kind": "dev"}, {"name": "kogge-board", "kind": null}"#),
        package("kogge-backend-wgpu", r#"{"name": "kogge-movegen-cpu", "kind": "build"}"#),
        package("kogge-movegen-cpu", r#"{"name": "kogge-backend-opencl", "kind": "dev"}"#),
        package("kogge-cli", r#"{"name": "kogge-testkit", "kind": null}, {"name": "kogge-driver", "kind": null}"#),
        package("kogge-newcomer", r#"{"name": "kogge-board", "kind": null}"#),
    ];
    let json = format!(r#"{{"packages": [{}], "target_directory": ""}}"#, packages.join(","));
    let metadata: Metadata = serde_json::from_str(&json).expect("the metadata is written by hand");
    let expected = [
        "board -> driver",
        "driver -> gpu",
        "backend-wgpu -> movegen-cpu",
        "movegen-cpu -> backend-opencl",
        "cli -> testkit",
        "newcomer -> board",
    ];
    assert_eq!(wrong_ways(&metadata), expected);
}
