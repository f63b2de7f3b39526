//! Imports between the files of a crate, as far as their text shows them.
//!
//! An import counts as an import from the file that defines the name, so re-exports in a folder's `mod.rs` or in
//! `lib.rs` create no circles. Unit tests at the end of a file may import anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The files of a crate by the paths of their modules; the root of the crate has the empty path.
type Modules = BTreeMap<Vec<String>, Module>;

/// A file of the crate.
#[derive(Default)]
struct Module {
    file: String,
    defined: BTreeSet<String>,
    /// Imported names: the name in this file, its path, and whether the file only re-exports it.
    uses: Vec<(String, Vec<String>, bool)>,
    /// Paths outside of `use`.
    paths: Vec<Vec<String>>,
}

/// Returns the circles between the files of this folder. A circle is a set of files that import each other.
pub(super) fn circles(sources: &Path) -> Vec<String> {
    let mut files = Vec::new();
    collect(sources, &mut Vec::new(), &mut files);
    circles_of(&files)
}

/// Collects the paths of modules and the texts of their files.
fn collect(folder: &Path, module: &mut Vec<String>, files: &mut Vec<(Vec<String>, String)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        let name = path.file_stem().expect("an entry has a name").to_string_lossy().into_owned();
        let is_face = ["mod", "lib", "main"].contains(&name.as_str());
        if !is_face {
            module.push(name.clone());
        }
        if path.is_dir() {
            collect(&path, module, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
            files.push((module.clone(), fs::read_to_string(&path).expect("the file can be read")));
        }
        if !is_face {
            module.pop();
        }
    }
}

fn circles_of(files: &[(Vec<String>, String)]) -> Vec<String> {
    let mut modules = Modules::new();
    for (path, text) in files {
        // The library and the program of a crate share the root.
        let module = modules.entry(path.clone()).or_default();
        module.file = if path.is_empty() { "the root".to_owned() } else { path.join("/") };
        module.read(text);
    }
    let imports: Imports<'_> =
        modules.iter().map(|(path, module)| (&path[..], imports(&modules, path, module))).collect();
    let reached: BTreeMap<_, _> = imports.keys().map(|&path| (path, reached(&imports, path))).collect();
    let mut circles = BTreeSet::new();
    for (&path, found) in reached.iter().filter(|(path, found)| found.contains(*path)) {
        let circle = found.iter().filter(|&&other| reached[other].contains(path));
        circles.insert(circle.map(|&other| modules[other].file.as_str()).collect::<Vec<_>>().join(", "));
    }
    circles.into_iter().collect()
}

/// The modules that each module imports names from.
type Imports<'m> = BTreeMap<&'m [String], BTreeSet<&'m [String]>>;

/// Returns all modules that a module imports from, directly or through others.
fn reached<'m>(imports: &Imports<'m>, from: &'m [String]) -> BTreeSet<&'m [String]> {
    let (mut found, mut pending) = (BTreeSet::new(), vec![from]);
    while let Some(next) = pending.pop() {
        pending.extend(imports[next].iter().copied().filter(|&to| found.insert(to)));
    }
    found
}

/// Returns the modules that a module imports names from.
fn imports<'m>(modules: &'m Modules, path: &'m [String], module: &Module) -> BTreeSet<&'m [String]> {
    let used = module.uses.iter().filter(|(.., handed_on)| !handed_on).map(|(_, used, _)| used);
    let found = used.chain(&module.paths).filter_map(|used| resolve(modules, path, used, 8));
    found.filter(|found| *found != path).collect()
}

/// Returns the module of the crate that defines the name of a path in module `from`.
fn resolve<'m>(modules: &'m Modules, from: &[String], path: &[String], depth: u32) -> Option<&'m [String]> {
    let depth = depth.checked_sub(1)?;
    let mut here = from.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => here.clear(),
        "self" => {}
        "super" => drop(here.pop()),
        child => {
            here.push(child.to_owned());
            modules.get(&here)?;
        }
    }
    rest = &rest[1..];
    while let Some(name) = rest.first() {
        here.push(name.clone());
        if name == "super" {
            here.truncate(here.len().saturating_sub(2));
        } else if !modules.contains_key(&here) {
            here.pop();
            break;
        }
        rest = &rest[1..];
    }
    let (key, module) = modules.get_key_value(&here)?;
    let Some(name) = rest.first().filter(|name| !module.defined.contains(*name)) else { return Some(key) };
    let renamed = module.uses.iter().filter(|(known, ..)| known == name || known == "*");
    renamed.filter_map(|(_, used, _)| resolve(modules, key, used, depth)).next().or(Some(key))
}

impl Module {
    /// Reads a file up to its unit tests.
    fn read(&mut self, text: &str) {
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code: String =
            text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
        let mut rest = code.as_str();
        let mut others = String::new();
        while let Some(at) = rest.find("use ") {
            let line = rest[..at].rfind('\n').map_or(0, |start| start + 1);
            let visibility = rest[line..at].trim();
            let Some(end) = rest[at..].find(';').map(|end| at + end) else { break };
            if visibility.is_empty()
                || visibility == "pub"
                || visibility.starts_with("pub(") && visibility.ends_with(')')
            {
                let tree: String = rest[at + 4..end].split_whitespace().collect::<Vec<_>>().join(" ");
                self.read_use(&[], &tree, !visibility.is_empty());
                others += &rest[..line];
                rest = &rest[end..];
            } else {
                others += &rest[..at + 4];
                rest = &rest[at + 4..];
            }
        }
        others += rest;
        let mut words =
            others.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];
            if kinds.contains(&word) {
                let name = words.next().filter(|&next| next != "fn");
                self.defined.extend(name.or_else(|| words.next()).map(|name| name.trim_matches(':').to_owned()));
            } else if word.contains("::") && !word.starts_with("::") {
                self.paths.push(word.split("::").map(str::to_owned).collect());
            }
        }
    }

    /// Reads a tree of `use`, below this path.
    fn read_use(&mut self, above: &[String], tree: &str, handed_on: bool) {
        let (path, branches) = match tree.split_once('{') {
            Some((path, branches)) => (path, Some(branches.trim_end_matches(['}', ' ']))),
            None => (tree, None),
        };
        let (path, alias) = path.split_once(" as ").unwrap_or((path, ""));
        let mut full = above.to_vec();
        full.extend(path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        if let Some(whole) = branches {
            // A branch may have branches of its own. The last branch is without its closing brace.
            let (mut depth, mut start) = (0, 0);
            for (at, c) in whole.char_indices().chain([(whole.len(), ',')]) {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 || at == whole.len() => {
                        self.read_use(&full, whole[start..at].trim(), handed_on);
                        start = (at + 1).min(whole.len());
                    }
                    _ => {}
                }
            }
            return;
        }
        if full.last().is_some_and(|last| last == "self") {
            full.pop();
        }
        let known = if alias.is_empty() { full.last().cloned().unwrap_or_default() } else { alias.to_owned() };
        if full.len() > above.len() || tree == "self" {
            self.uses.push((known, full, handed_on));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let module = |path: &str| path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        circles_of(&files.iter().map(|&(path, text)| (module(path), text.to_owned())).collect::<Vec<_>>())
    }

    #[test]
    fn circles_are_found() {
        let root = ("", "mod a;\nmod b;\npub use a::A;\npub use b::{B, c::C};");
        let a = |uses: &str| format!("{uses}\npub struct A;");
        let b = "use crate::A;\npub struct B;";
        for uses in [
            "use crate::b::B;",
            "use crate::{A as Own,\n B};",
            "use super::b::{self, B};",
            "fn f() { crate::b::g(); }",
            "use std::{fmt, io::{self, Read}};\nuse super::{c::{d}, b::{c::{C}, B}};",
        ] {
            assert_eq!(found(&[root, ("a", &a(uses)), ("b", b)]), ["a, b"], "{uses}");
        }
        for uses in ["", "// use crate::b::B;", "use other::B;", "#[cfg(test)]\nmod tests { use crate::b::B; }"] {
            assert_eq!(found(&[root, ("a", &a(uses)), ("b", b)]), Vec::<String>::new(), "{uses}");
        }
    }

    #[test]
    fn a_folder_may_hand_its_names_on_but_not_be_imported_for_its_own() {
        let c = "use super::E;\npub struct C;";
        let d = ("b/d", "pub struct E;");
        assert_eq!(found(&[("b", "pub use c::C;\npub use d::E;"), ("b/c", c), d]), Vec::<String>::new());
        assert_eq!(found(&[("b", "use c::C;\nstruct E;"), ("b/c", c), d]), ["b, b/c"]);
        assert_eq!(found(&[("b", "struct E;\nfn f() { c::g() }"), ("b/c", c), d]), ["b, b/c"]);
    }
}
