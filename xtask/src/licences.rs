//! The licences and sources of all dependencies.
//!
//! What is built into kogge must allow kogge's own terms, MIT OR Apache-2.0. What only tests and benchmarks use is not
//! passed on to anyone, so that there the GPL is no obstacle.

use std::collections::HashSet;

use crate::{
    Result,
    metadata::{self, Kind, Metadata},
};

/// Licences that ask for no more than their text and the authors' names.
const ALLOWED: [&str; 13] = [
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

/// Licences of crates that only tests and benchmarks may use.
const ALLOWED_FOR_TESTS: [&str; 3] = ["GPL-3.0", "GPL-3.0-only", "GPL-3.0-or-later"];

/// The registry of crates.io, as Cargo names it.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Checks every dependency on every platform.
pub(crate) fn check() -> Result {
    let metadata = metadata::with_dependencies()?;
    let violations = violations(&metadata);
    if violations.is_empty() {
        let dependencies = metadata.packages.len() - metadata.workspace_members.len();
        eprintln!("The licences and sources of {dependencies} dependencies are in order.");
        return Ok(());
    }
    for violation in &violations {
        eprintln!("{violation}");
    }
    Err("Replace these dependencies, or, if a licence is as free as MIT, add it to the list in xtask/src/licences.rs."
        .into())
}

/// What is wrong, one sentence each.
fn violations(metadata: &Metadata) -> Vec<String> {
    let shipped = shipped(metadata);
    let mut violations = Vec::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        match package.source.as_deref() {
            Some(CRATES_IO) => {}
            None if metadata.workspace_members.contains(&package.id) => {}
            source => violations.push(format!("{name} does not come from crates.io but from {source:?}.")),
        }
        let is_shipped = shipped.contains(package.id.as_str());
        let allowed = |licence: &str| ALLOWED.contains(&licence) || !is_shipped && ALLOWED_FOR_TESTS.contains(&licence);
        match &package.license {
            None => violations.push(format!("{name} does not name its licence.")),
            Some(licence) if satisfied(licence, &allowed) => {}
            Some(licence) => {
                let use_ = if is_shipped { "is built into kogge" } else { "is used by tests" };
                violations.push(format!("{name} {use_}, but its licence, {licence}, is not among those allowed."));
            }
        }
    }
    violations
}

/// The packages that members of the workspace reach by other than development dependencies.
fn shipped(metadata: &Metadata) -> HashSet<&str> {
    let nodes = metadata.resolve.as_ref().map_or(&[][..], |resolve| &resolve.nodes);
    let mut reached = HashSet::new();
    let mut pending: Vec<&str> = metadata.workspace_members.iter().map(String::as_str).collect();
    while let Some(id) = pending.pop() {
        if !reached.insert(id) {
            continue;
        }
        let edges = nodes.iter().filter(|node| node.id == id).flat_map(|node| &node.deps);
        let shipped = edges.filter(|edge| edge.dep_kinds.iter().any(|dep| dep.kind != Some(Kind::Dev)));
        pending.extend(shipped.map(|edge| edge.pkg.as_str()));
    }
    reached
}

/// Whether a licence expression can be met: `OR` takes either side, `AND` needs both and binds tighter. Crates of old
/// write `/` for `OR`. What cannot be parsed is not met.
fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = expression.split_whitespace().peekable();
    either(&mut words, allowed) == Some(true) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = both(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= both(words, allowed)?;
    }
    Some(met)
}

fn both(words: &mut Words, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = single(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= single(words, allowed)?;
    }
    Some(met)
}

fn single(words: &mut Words, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let licence = words.next()?;
    if licence == "(" {
        let met = either(words, allowed)?;
        return words.next_if_eq(&")").map(|_| met);
    }
    if words.next_if_eq(&"WITH").is_some() {
        return Some(allowed(&format!("{licence} WITH {}", words.next()?)));
    }
    (!["AND", "OR", "WITH", ")"].contains(&licence)).then(|| allowed(licence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_or_not() {
        let allowed = |licence: &str| ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].contains(&licence);
        for (expression, met) in [
            ("MIT", true),
            ("GPL-3.0-or-later", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("MIT AND Zlib", true),
            ("GPL-3.0 OR MIT AND Zlib", true),
            ("(GPL-3.0 OR MIT) AND BSD-2-Clause", false),
            ("(GPL-3.0 OR MIT) AND Zlib", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("", false),
            ("MIT Zlib", false),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT)", false),
        ] {
            assert_eq!(satisfied(expression, &allowed), met, "{expression:?}");
        }
    }

    /// A member that uses `lib`, and `oracle` for its tests only; `lib` uses `base`.
    fn workspace(base_licence: &str, oracle_licence: &str, base_source: &str) -> Metadata {
        let json = serde_json::json!({
            "packages": [
                { "id": "m", "name": "m", "version": "1", "license": "MIT", "source": null, "dependencies": [] },
                { "id": "lib", "name": "lib", "version": "1", "license": "MIT", "source": CRATES_IO, "dependencies": [] },
                { "id": "base", "name": "base", "version": "1", "license": base_licence, "source": base_source,
                  "dependencies": [] },
                { "id": "oracle", "name": "oracle", "version": "1", "license": oracle_licence, "source": CRATES_IO,
                  "dependencies": [] },
            ],
            "workspace_members": ["m"],
            "target_directory": "target",
            "resolve": { "nodes": [
                { "id": "m", "deps": [
                    { "pkg": "lib", "dep_kinds": [{ "kind": "dev" }, { "kind": null }] },
                    { "pkg": "oracle", "dep_kinds": [{ "kind": "dev" }] },
                ] },
                { "id": "lib", "deps": [{ "pkg": "base", "dep_kinds": [{ "kind": "build" }] }] },
                { "id": "base", "deps": [] },
                { "id": "oracle", "deps": [] },
            ] },
        });
        serde_json::from_value(json).expect("the metadata is written by hand")
    }

    #[test]
    fn the_gpl_is_for_tests_only() {
        assert_eq!(violations(&workspace("MIT", "GPL-3.0-or-later", CRATES_IO)), Vec::<String>::new());
        let found = violations(&workspace("GPL-3.0-or-later", "MIT", CRATES_IO));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("base 1 is built into kogge"), "{found:?}");
    }

    #[test]
    fn other_sources_are_refused() {
        let found = violations(&workspace("MIT", "MIT", "git+https://example.org/base"));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("base 1 does not come from crates.io"), "{found:?}");
    }
}
