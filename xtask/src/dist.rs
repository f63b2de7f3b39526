//! The files of a release for this platform: an archive with the program, its licences, manual and completions, and its
//! checksum.

mod licences;

use std::{
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    Result, archive, metadata, root,
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
        let archives = metadata::target()?.join("dist/archives");
        let host = host()?;
        let archive = pack(&program, &archives, &name(&host), &licences::text(&metadata::shipped(&host)?)?)?;
        eprintln!("{}", checksum(&archive)?.display());
        Ok(())
    })
}

fn name(host: &str) -> String {
    format!("kogge-{}-{host}", env!("CARGO_PKG_VERSION"))
}

fn pack(program: &Path, archives: &Path, name: &str, licences: &str) -> Result<PathBuf> {
    let folder = archive::folder(archives, name)?;
    fs::copy(program, folder.join(archive::PROGRAM))?;
    archive::copy(&["README.md", "CHANGELOG.md", "RESULTS.md"], &folder)?;
    archive::copy_folder(&root().join("docs"), &folder.join("docs"))?;
    // The help text of --json names this page.
    fs::copy(root().join("cli/JSON.md"), archive::folder(&folder, "cli")?.join("JSON.md"))?;
    fs::write(folder.join("INSTALL.txt"), install(name, glibc(&fs::read(program)?)))?;
    fs::write(folder.join("THIRD-PARTY.txt"), licences)?;
    let pages = archive::folder(&folder, "man")?;
    command(program).args(["man", "--dir"]).arg(&pages).run()?;
    let scripts = archive::folder(&folder, "completions")?;
    for (shell, file) in COMPLETIONS {
        fs::write(scripts.join(file), command(program).args(["completions", shell]).output()?.stdout)?;
    }
    archive::pack(archives, name)
}

/// Returns the page about installing the program, with the version of glibc that the program needs.
fn install(name: &str, glibc: Option<[u32; 2]>) -> String {
    let needs = glibc.map_or(String::new(), |[major, minor]| {
        format!("\nIt runs on Linux systems with glibc {major}.{minor} or later (`ldd --version` tells).")
    });
    format!(include_str!("dist/INSTALL.txt"), name = name, needs = needs)
}

/// Returns the newest version of glibc that a program requires, if any: its symbols are marked `GLIBC_2.34` and so on.
fn glibc(program: &[u8]) -> Option<[u32; 2]> {
    const MARK: &[u8] = b"GLIBC_";
    let versions = program.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK).map(|(at, _)| {
        let rest = &program[at + MARK.len()..];
        let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.').unwrap_or(rest.len());
        let mut numbers = std::str::from_utf8(&rest[..end]).unwrap_or_default().split('.').map(str::parse);
        Some([numbers.next()?.ok()?, numbers.next()?.ok()?])
    });
    versions.flatten().max()
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
