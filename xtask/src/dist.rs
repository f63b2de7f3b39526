//! What a release has for this platform: an archive with the program, its licences, manual and completions, and its checksum.

mod licences;

use std::{
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    Result, archive, metadata,
    steps::{command, host, step},
};

/// The shells with a completion script, and the script's file name, as the shell expects it.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "kogge.bash"),
    ("elvish", "kogge.elv"),
    ("fish", "kogge.fish"),
    ("powershell", "_kogge.ps1"),
    ("zsh", "_kogge"),
];

/// Makes `target/dist/archives/kogge-VERSION-TRIPLE.tar.gz`, and a file beside it with its SHA-256.
pub(crate) fn make() -> Result {
    let program = step("build", || archive::build("dist"))?;
    step("archive", || {
        let archives = metadata::members()?.target_directory.join("dist/archives");
        let host = host()?;
        let archive = pack(&program, &archives, &name(&host), &licences::text(&metadata::shipped(&host)?)?)?;
        eprintln!("{}", checksum(&archive)?.display());
        Ok(())
    })
}

/// Returns the name of the archive and of the folder in it.
fn name(host: &str) -> String {
    format!("kogge-{}-{host}", env!("CARGO_PKG_VERSION"))
}

/// Fills a folder of this name, and packs it into an archive beside it.
fn pack(program: &Path, archives: &Path, name: &str, licences: &str) -> Result<PathBuf> {
    let folder = archive::folder(archives, name)?;
    fs::copy(program, folder.join(archive::PROGRAM))?;
    archive::copy(&["README.md", "CHANGELOG.md"], &folder)?;
    fs::write(folder.join("THIRD-PARTY.txt"), licences)?;
    let pages = archive::folder(&folder, "man")?;
    command(program).args(["man", "--dir"]).arg(&pages).run()?;
    let scripts = archive::folder(&folder, "completions")?;
    for (shell, file) in COMPLETIONS {
        fs::write(scripts.join(file), command(program).args(["completions", shell]).output()?.stdout)?;
    }
    archive::pack(archives, name)
}

/// Writes the SHA-256 of an archive to a file beside it, as `sha256sum --check` reads it.
fn checksum(archive: &Path) -> Result<PathBuf> {
    let name = archive.file_name().ok_or("The archive has no name.")?.to_string_lossy();
    let digits: String = Sha256::digest(fs::read(archive)?).iter().map(|byte| format!("{byte:02x}")).collect();
    let file = archive.with_file_name(format!("{name}.sha256"));
    fs::write(&file, format!("{digits}  {name}\n"))?;
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests;
