//! The direction of dependencies: cli -> driver -> board <- backends.

use crate::metadata::{self, Dependency, Kind, Metadata};

/// A crate of the workspace, without the prefix `kogge-`, and the kogge crates that it may depend on.
///
/// Tests, benchmarks and examples of any crate but `xtask` may also use the reference, `movegen-cpu`, and the crate
/// itself, with other features.
const MAY_DEPEND_ON: [(&str, &[&str]); 8] = [
    ("board", &[]),
    ("movegen-cpu", &["board"]),
    ("backend-opencl", &["board"]),
    ("backend-wgpu", &["board"]),
    ("driver", &["board"]),
    ("search", &["board", "movegen-cpu"]),
    ("cli", &["board", "movegen-cpu", "backend-opencl", "backend-wgpu", "driver", "search"]),
    ("xtask", &[]),
];

/// Every kogge dependency that points the wrong way, as `from -> to`.
fn wrong_ways(metadata: &Metadata) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        for Dependency { name, kind } in &package.dependencies {
            let (from, to) = (short(&package.name), short(name));
            if !name.starts_with("kogge-") {
                continue;
            }
            let allowed = MAY_DEPEND_ON.iter().find(|(name, _)| *name == from);
            let for_tests = *kind == Some(Kind::Dev) && from != "xtask" && (to == "movegen-cpu" || to == from);
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
fn every_crate_has_its_place() {
    let metadata = metadata::members().expect("the workspace has metadata");
    let mut actual: Vec<_> = metadata.packages.iter().map(|package| package.name.clone()).collect();
    let mut expected: Vec<_> = MAY_DEPEND_ON.iter().map(|(name, _)| format!("kogge-{name}")).collect();
    actual.sort();
    expected.sort();
    assert_eq!(actual, expected);
}

#[test]
fn wrong_ways_are_found() {
    let package = |name: &str, dependencies: &str| {
        format!(
            r#"{{"id": "", "name": "{name}", "version": "", "license": null, "source": null,
                 "dependencies": [{dependencies}]}}"#
        )
    };
    let packages = [
        package("kogge-board", r#"{"name": "kogge-driver", "kind": null}, {"name": "serde", "kind": null}"#),
        package("kogge-driver", r#"{"name": "kogge-movegen-cpu", "kind": "dev"}"#),
        package("kogge-backend-wgpu", r#"{"name": "kogge-movegen-cpu", "kind": "build"}"#),
        package("kogge-movegen-cpu", r#"{"name": "kogge-backend-opencl", "kind": "dev"}"#),
        package("kogge-cli", r#"{"name": "kogge-xtask", "kind": null}, {"name": "kogge-driver", "kind": null}"#),
        package("kogge-newcomer", r#"{"name": "kogge-board", "kind": null}"#),
    ];
    let json = format!(
        r#"{{"packages": [{}], "workspace_members": [], "target_directory": "", "resolve": null}}"#,
        packages.join(",")
    );
    let metadata: Metadata = serde_json::from_str(&json).expect("the metadata is written by hand");
    let expected = [
        "board -> driver",
        "backend-wgpu -> movegen-cpu",
        "movegen-cpu -> backend-opencl",
        "cli -> xtask",
        "newcomer -> board",
    ];
    assert_eq!(wrong_ways(&metadata), expected);
}
