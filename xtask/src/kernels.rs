//! Prints the kernels for interfaces that do not accept WGSL.

use std::{fs, path::PathBuf};

use kogge_gpu::source::{Form, MODULES, OPEN_SETTINGS, files, kernel_names};
use kogge_xtask::opencl_c;

use crate::{Result, root};

fn folder() -> PathBuf {
    root().join("backend-opencl/src/kernels/printed")
}

/// Returns the kernels in OpenCL C: the name and the text of each file. A module is compiled from several files.
fn printed() -> Result<Vec<(String, String)>> {
    let files = std::iter::once(("settings", OPEN_SETTINGS.to_owned())).chain(files(&MODULES, Form::PRINTED));
    let (names, texts): (Vec<_>, Vec<_>) = files.unzip();
    let texts = opencl_c::print_files(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &kernel_names(&MODULES))?;
    let printed = names.iter().zip(texts).filter(|(_, text)| !text.is_empty());
    let head = "// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.";
    Ok(printed.map(|(name, text)| (format!("{name}.cl"), format!("{head}\n\n{text}"))).collect())
}

pub(crate) fn print() -> Result {
    for (name, text) in printed()? {
        let path = folder().join(name);
        fs::write(&path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}

#[test]
fn the_printed_kernels_are_those_of_the_source() {
    let mut printed = printed().expect("the kernels can be printed");
    printed.sort();
    let files = fs::read_dir(folder()).expect("the folder exists").map(|entry| {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("the file can be read"))
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    for ((name, text), (printed_name, printed_text)) in files.iter().zip(&printed) {
        assert!(name == printed_name && text == printed_text, "{name} changed: run `cargo xtask kernels`.");
        assert!(text.lines().count() <= 700, "{name} is too long to be read");
    }
    assert_eq!(files.len(), printed.len());
}
