//! Names of public types.

use std::{collections::BTreeMap, path::Path};

use syn::{Ident, ItemEnum, ItemStruct, ItemTrait, ItemType, Visibility, visit::Visit};

use super::{read, sources};

/// The files that define each public struct, enum, trait or type.
pub(super) type Definitions = BTreeMap<String, Vec<String>>;

/// Adds the public types of all files in a folder.
pub(super) fn collect(folder: &Path, definitions: &mut Definitions) {
    for file in sources(folder) {
        add(&file.display().to_string(), &read(&file), definitions);
    }
}

/// Adds the public types of a file.
fn add(file: &str, text: &str, definitions: &mut Definitions) {
    let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
    Visitor { file, definitions }.visit_file(&parsed);
}

struct Visitor<'a> {
    file: &'a str,
    definitions: &'a mut Definitions,
}

impl Visitor<'_> {
    fn note(&mut self, visibility: &Visibility, name: &Ident) {
        if matches!(visibility, Visibility::Public(_)) {
            self.definitions.entry(name.to_string()).or_default().push(self.file.to_owned());
        }
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.note(&item.vis, &item.ident);
    }
}

#[test]
fn public_types_are_found_in_all_their_files() {
    let mut definitions = Definitions::new();
    add("a", "pub struct Room; pub(crate) struct Hall; mod inner { pub enum Door {} }", &mut definitions);
    add("b", "pub trait Room {} type Door = u8; pub type Hall = u8;", &mut definitions);
    let files = |name: &str| definitions[name].clone();
    assert_eq!([files("Room"), files("Hall"), files("Door")], [vec!["a", "b"], vec!["b"], vec!["a"]]);
}
