//! The files of a release for a platform: an archive with the program, its licences, manual and completions, and its checksum.

mod licences;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    Result, archive, metadata,
    platform::Platform,
    root,
    steps::{cargo, command, step},
};

/// The shells with a completion script, and the script's file name, as the shell expects it.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "kogge.bash"),
    ("elvish", "kogge.elv"),
    ("fish", "kogge.fish"),
    ("powershell", "_kogge.ps1"),
    ("zsh", "_kogge"),
];

/// Makes `target/dist/archives/kogge-VERSION-TRIPLE.tar.gz`, for Windows `.zip`, and a file beside it with its SHA-256.
pub(crate) fn make(triple: Option<String>) -> Result {
    let platform = Platform::new(triple)?;
    step("compilers", || platform.provide())?;
    let program = step("build", || archive::build("dist", &platform))?;
    let guide = if platform.runs_here() { program.clone() } else { step("guide", guide)? };
    step("archive", || {
        let archives = metadata::target()?.join("dist/archives");
        let licences = licences::text(&metadata::shipped(&platform)?)?;
        let archive = Contents { platform: &platform, program: &program, guide: &guide, licences: &licences };
        eprintln!("{}", checksum(&archive.pack(&archives, &name(&platform))?)?.display());
        Ok(())
    })
}

/// Builds a program that this machine can run, which writes the manual and the completions of a program that it cannot run. They
/// are the same for all features, so the program has none.
fn guide() -> Result<PathBuf> {
    // Apart from the programs that people build.
    let target = metadata::target()?.join("guide");
    let build = cargo("build").args(["--locked", "--release", "--package", "kogge-cli", "--bin", "kogge"]);
    build.args(["--no-default-features", "--target-dir"]).arg(&target).run()?;
    Ok(target.join("release").join(Platform::host()?.program()))
}

fn name(platform: &Platform) -> String {
    format!("kogge-{}-{}", env!("CARGO_PKG_VERSION"), platform.triple)
}

/// What an archive is made from.
struct Contents<'a> {
    platform: &'a Platform,
    program: &'a Path,
    /// The program that writes the manual and the completions: the same one if this machine can run it.
    guide: &'a Path,
    licences: &'a str,
}

impl Contents<'_> {
    fn pack(&self, archives: &Path, name: &str) -> Result<PathBuf> {
        let folder = archive::folder(archives, name)?;
        fs::copy(self.program, folder.join(self.platform.program()))?;
        archive::copy(&["README.md", "CHANGELOG.md", "RESULTS.md"], &folder)?;
        archive::copy_folder(&root().join("docs"), &folder.join("docs"))?;
        // The help text of --json names this page.
        fs::copy(root().join("cli/JSON.md"), archive::folder(&folder, "cli")?.join("JSON.md"))?;
        fs::write(folder.join("INSTALL.txt"), install(self.platform, name, glibc(&fs::read(self.program)?)))?;
        fs::write(folder.join("THIRD-PARTY.txt"), self.licences)?;
        let pages = archive::folder(&folder, "man")?;
        command(self.guide).args(["man", "--dir"]).arg(&pages).run()?;
        // Windows cannot show man pages.
        if self.platform.is_windows() {
            fs::write(folder.join("MANUAL.txt"), self.manual(&pages)?)?;
            fs::remove_dir_all(&pages)?;
        }
        let scripts = archive::folder(&folder, "completions")?;
        for (shell, file) in COMPLETIONS {
            fs::write(scripts.join(file), command(self.guide).args(["completions", shell]).output()?.stdout)?;
        }
        if self.platform.is_windows() { archive::zip(archives, name) } else { archive::tar(archives, name) }
    }

    /// Returns the help texts of all commands, one for each man page: `kogge-position-show.1` is about `kogge position show`.
    fn manual(&self, pages: &Path) -> Result<String> {
        let pages = fs::read_dir(pages)?.collect::<std::io::Result<Vec<_>>>()?;
        let call = |page: &fs::DirEntry| page.file_name().to_string_lossy().trim_end_matches(".1").replace('-', " ");
        let mut calls: Vec<_> = pages.iter().map(call).collect();
        calls.sort();
        let mut manual = String::new();
        for call in &calls {
            let help = command(self.guide).args(call.split(' ').skip(1)).arg("--help").output()?;
            let (line, help) = ("=".repeat(call.len()), String::from_utf8(help.stdout)?);
            write!(manual, "{line}\n{call}\n{line}\n\n{help}\n")?;
        }
        Ok(manual)
    }
}

/// Returns the page about installing the program, with the version of glibc that the program needs.
fn install(platform: &Platform, name: &str, glibc: Option<[u32; 2]>) -> String {
    let needs = match glibc {
        Some([major, minor]) => {
            format!("{GPUS}\nIt runs on Linux systems with glibc {major}.{minor} or later (`ldd --version` tells).")
        }
        None if platform.is_static() => STATIC.to_owned(),
        None => GPUS.to_owned(),
    };
    if platform.is_windows() {
        format!(include_str!("dist/INSTALL-windows.txt"), name = name, needs = needs)
    } else {
        format!(include_str!("dist/INSTALL.txt"), name = name, needs = needs)
    }
}

/// What a program needs for GPUs.
const GPUS: &str = "GPUs need nothing but their drivers,\nwith OpenCL or Vulkan.";

/// What a static program needs.
const STATIC: &str = "It is static: it runs on\nany Linux system and in empty containers, on the CPU only. A static program\n\
    cannot open the driver of a GPU; the archive for linux-gnu has GPUs.";

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
