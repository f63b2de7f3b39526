//! The licences of the crates in the program. Most licences require that their text and the authors' names accompany the
//! program.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use cargo_metadata::Package;

use crate::Result;

const HEAD: &str = "The program kogge contains these crates, each under the licence beside it. The texts of the licences follow, as far as
the crates come with them; equal texts are printed once.
";

/// The beginnings of the names of licence files, in capitals.
const FILES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

pub(super) fn text(packages: &[Package]) -> Result<String> {
    let mut list = HEAD.to_owned();
    let mut texts = BTreeMap::<String, Vec<String>>::new();
    for package in packages {
        let Package { name, version, license, manifest_path, .. } = package;
        let licence = license.as_ref().ok_or_else(|| format!("{name} {version} does not name its licence."))?;
        write!(list, "\n{name} {version}: {licence}")?;
        let folder = manifest_path.parent().ok_or("A manifest lies in a folder.")?;
        for text in files(folder.as_std_path())? {
            texts.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    list.push('\n');
    for (text, crates) in texts {
        write!(list, "\n\n{}\n{}:\n\n{}\n", "=".repeat(80), crates.join(", "), text)?;
    }
    Ok(list)
}

fn files(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if FILES.iter().any(|begin| name.starts_with(begin)) && entry.file_type()?.is_file() {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).replace("\r\n", "\n");
            texts.push(text.trim_end().to_owned());
        }
    }
    Ok(texts)
}
