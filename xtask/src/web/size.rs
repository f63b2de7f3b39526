//! The size of the page.

use std::{fs, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};

use crate::Result;

/// The maximum size of all files together, compressed as servers do, in bytes.
const MOST: usize = 1_500_000;

/// Prints the size of each file, and checks the sum.
pub(crate) fn check(folder: &Path) -> Result {
    let mut files = Vec::new();
    list(folder, "", &mut files)?;
    files.sort_by_key(|(_, _, compressed)| std::cmp::Reverse(*compressed));
    eprintln!("\n   bytes  compressed  file");
    for (name, bytes, compressed) in &files {
        eprintln!("{bytes:8}  {compressed:10}  {name}");
    }
    let (bytes, compressed) = files.iter().fold((0, 0), |sum, file| (sum.0 + file.1, sum.1 + file.2));
    eprintln!("{bytes:8}  {compressed:10}  in all");
    match compressed <= MOST {
        true => Ok(()),
        false => Err(format!("The page has {compressed} bytes compressed; it may have {MOST}.").into()),
    }
}

/// Lists all files with their sizes, both uncompressed and compressed.
fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, usize, usize)>) -> Result {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().display());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), files)?;
        } else {
            let content = fs::read(entry.path())?;
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(&content)?;
            files.push((name, content.len(), encoder.finish()?.len()));
        }
    }
    Ok(())
}
