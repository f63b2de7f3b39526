//! Imports between the files of a crate.
//!
//! An import counts as an import from the file that defines the name, so re-exports in a folder's `mod.rs` or in
//! `lib.rs` create no circles. Unit tests may import anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use syn::{
    Expr, ItemMod, ItemUse, Macro, Token, UseTree, Visibility,
    punctuated::Punctuated,
    visit::{self, Visit},
};

/// The path of a module or of a name.
type Names = Vec<String>;

/// The files of a crate by the paths of their modules. The root of the crate has the empty path, in a library and in a program.
type Modules = BTreeMap<Names, Module>;

/// The imports of a file.
#[derive(Default)]
struct Module {
    /// Imported names: the name in this file, its path, and whether the file re-exports it.
    uses: Vec<(String, Names, bool)>,
    /// Paths outside of `use`.
    paths: Vec<Names>,
}

/// Returns the files of this folder that import each other in circles.
pub(super) fn circles(folder: &Path) -> Vec<String> {
    let mut modules = Modules::new();
    for file in super::sources(folder) {
        let path = file.strip_prefix(folder).expect("it lies in the folder").with_extension("");
        let mut module: Names = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        if ["mod", "lib", "main"].iter().any(|face| path.ends_with(face)) {
            module.pop();
        }
        if !path.ends_with("tests") {
            modules.entry(module).or_default().read(&super::read(&file));
        }
    }
    circles_of(&modules)
}

fn circles_of(modules: &Modules) -> Vec<String> {
    let imports: BTreeMap<_, _> = modules.keys().map(|path| (path, imports(modules, path))).collect();
    let is_in_circle = |path: &&Names| {
        let (mut found, mut pending) = (BTreeSet::new(), vec![*path]);
        while let Some(next) = pending.pop() {
            pending.extend(imports[next].iter().copied().filter(|&to| found.insert(to)));
        }
        found.contains(path)
    };
    let file = |path: &Names| if path.is_empty() { "the root".to_owned() } else { path.join("/") };
    modules.keys().filter(is_in_circle).map(file).collect()
}

fn imports<'m>(modules: &'m Modules, path: &Names) -> Vec<&'m Names> {
    let Module { uses, paths } = &modules[path];
    let used = uses.iter().filter(|(.., is_handed_on)| !is_handed_on).map(|(_, used, _)| used);
    let found = used.chain(paths).filter_map(|used| resolve(modules, path, used, 8));
    found.filter(|found| *found != path).collect()
}

/// Returns the module of the crate that defines the name of a path in module `from`.
fn resolve<'m>(modules: &'m Modules, from: &Names, path: &[String], depth: u32) -> Option<&'m Names> {
    let depth = depth.checked_sub(1)?;
    let mut here = from.clone();
    let mut rest = path;
    while let [name, others @ ..] = rest {
        match name.as_str() {
            "crate" => here.clear(),
            "self" => {}
            "super" => drop(here.pop()),
            _ => {
                here.push(name.clone());
                if !modules.contains_key(&here) {
                    here.pop();
                    break;
                }
            }
        }
        rest = others;
    }
    // Another crate, or a name of this file.
    if rest.len() == path.len() {
        return None;
    }
    let (key, module) = modules.get_key_value(&here)?;
    let mut renamed = module.uses.iter().filter(|(known, ..)| Some(known) == rest.first());
    renamed.find_map(|(_, used, _)| resolve(modules, key, used, depth)).or(Some(key))
}

impl Module {
    fn read(&mut self, text: &str) {
        self.visit_file(&syn::parse_file(text).expect("the file is Rust"));
    }

    /// Adds the names of a tree of `use`, below this path.
    fn add(&mut self, tree: &UseTree, mut path: Names, is_handed_on: bool) {
        let (name, alias) = match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                return self.add(&inner.tree, path, is_handed_on);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add(tree, path.clone(), is_handed_on));
            }
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.ident, &rename.rename),
            UseTree::Glob(_) => return,
        };
        if name != "self" {
            path.push(name.to_string());
        }
        let known = if alias == "self" { path.last().cloned().unwrap_or_default() } else { alias.to_string() };
        self.uses.push((known, path, is_handed_on));
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add(&item.tree, Names::new(), !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        arguments.iter().flatten().for_each(|argument| self.visit_expr(argument));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let mut modules = Modules::new();
        for (path, text) in files {
            let path = path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            modules.entry(path).or_default().read(text);
        }
        circles_of(&modules)
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
            "fn f() { println!(\"{}\", crate::b::g()); }",
            "use std::{fmt, io::{self, Read}};\nuse super::{c::{d}, b::{c::{C}, B}};",
        ] {
            assert_eq!(found(&[root, ("a", &a(uses)), ("b", b)]), ["a", "b"], "{uses}");
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
        assert_eq!(found(&[("b", "use c::C;\nstruct E;"), ("b/c", c), d]), ["b", "b/c"]);
        assert_eq!(found(&[("b", "struct E;\nfn f() { c::g() }"), ("b/c", c), d]), ["b", "b/c"]);
    }
}
