//! The archive of a stand-in for kogge, its checksum, and the list of licences.

use std::{collections::BTreeSet, io::Read, os::unix::fs::PermissionsExt, path::PathBuf};

use super::*;

/// A stand-in for kogge that writes one page and prints its arguments.
const STAND_IN: &str = "#!/bin/sh\nif [ \"$1\" = man ]; then : > \"$3/kogge.1\"; else echo \"$@\"; fi\n";

/// Writes the stand-in into a folder and returns its path.
fn stand_in(folder: &Path) -> PathBuf {
    let program = folder.join("program");
    fs::write(&program, STAND_IN).expect("a file can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be made executable");
    program
}

fn scratch(name: &str) -> PathBuf {
    archive::folder(&metadata::target().expect("metadata").join("tmp"), name).expect("a folder")
}

/// Packs the stand-in as the program of a platform, and returns the archive's folder and the paths in it apart from the pages in
/// `docs/`, which it checks.
fn packed(triple: &str, archive: &str) -> (PathBuf, BTreeSet<String>) {
    let folder = scratch(&format!("dist-{triple}"));
    let program = stand_in(&folder);
    let platform = Platform { triple: triple.to_owned(), is_host: false };
    let contents = Contents { platform: &platform, program: &program, guide: &program, licences: "licences" };
    let made = contents.pack(&folder, "kogge-test").expect("an archive");
    assert_eq!(made, folder.join(archive));
    let mut listed = archive::list(&made, "kogge-test");
    let docs: Vec<_> = listed.extract_if(.., |path| path.starts_with("docs/")).collect();
    for page in ["docs/commands.md", "docs/web/page.png", "docs/report/raw-gpu.svg"] {
        assert!(docs.iter().any(|path| path == page), "{page} is not in {docs:?}");
    }
    (folder.join("kogge-test"), listed)
}

/// Returns the paths in every archive, and these.
fn expected(further: &[&str]) -> BTreeSet<String> {
    let texts =
        ["CHANGELOG.md", "INSTALL.txt", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "RESULTS.md", "THIRD-PARTY.txt"];
    let folders = ["", "cli/", "cli/JSON.md", "completions/"];
    let scripts =
        ["_kogge", "_kogge.ps1", "kogge.bash", "kogge.elv", "kogge.fish"].map(|it| format!("completions/{it}"));
    texts.iter().chain(&folders).chain(further).map(|&path| path.to_owned()).chain(scripts).collect()
}

#[test]
fn the_archive_has_everything() {
    for triple in ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"] {
        let (folder, listed) = packed(triple, "kogge-test.tar.gz");
        assert_eq!(listed, expected(&["kogge", "man/", "man/kogge.1"]));
        let script = fs::read_to_string(folder.join("completions/_kogge")).expect("a script");
        assert_eq!(script, "completions zsh\n");
        let install = fs::read_to_string(folder.join("INSTALL.txt")).expect("a page");
        assert_eq!(install.contains("on the CPU only"), triple.ends_with("musl"), "{install}");
    }
}

#[test]
fn windows_gets_a_zip_with_a_manual_in_plain_text() {
    let (folder, listed) = packed("x86_64-pc-windows-gnu", "kogge-test.zip");
    assert_eq!(listed, expected(&["MANUAL.txt", "kogge.exe"]));
    assert_eq!(fs::read_to_string(folder.join("MANUAL.txt")).expect("a file"), "=====\nkogge\n=====\n\n--help\n\n");
    let mut zip = zip::ZipArchive::new(fs::File::open(folder.with_extension("zip")).expect("a file")).expect("a zip");
    let mut program = String::new();
    let mut packed = zip.by_name("kogge-test/kogge.exe").expect("a program");
    packed.read_to_string(&mut program).expect("it can be unpacked");
    assert_eq!(program, STAND_IN);
}

#[test]
fn the_manual_has_the_help_of_every_command() {
    let folder = scratch("dist-manual");
    let (program, pages) = (stand_in(&folder), archive::folder(&folder, "man").expect("a folder"));
    for page in ["kogge.1", "kogge-position-show.1"] {
        fs::write(pages.join(page), "").expect("a file can be written");
    }
    let platform = Platform { triple: "x86_64-pc-windows-gnu".to_owned(), is_host: false };
    let contents = Contents { platform: &platform, program: &program, guide: &program, licences: "" };
    let manual = contents.manual(&pages).expect("a manual");
    let [first, second] = ["kogge", "kogge position show"].map(|call| manual.find(&format!("\n{call}\n===")));
    assert!(first.is_some() && first < second && manual.ends_with("==\n\nposition show --help\n\n"), "{manual}");
}

#[test]
fn the_newest_glibc_counts() {
    assert_eq!(glibc(b"..GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.4\0GLIBC_PRIVATE\0GLIBC_"), Some([2, 34]));
    assert_eq!(glibc(b"a script"), None);
    let platform = Platform { triple: "x86_64-unknown-linux-gnu".to_owned(), is_host: false };
    assert!(install(&platform, "kogge-1", Some([2, 34])).contains("with glibc 2.34 or later"));
    assert!(install(&platform, "kogge-1", None).contains("one program without other files. GPUs need"));
}

#[test]
fn sha256sum_accepts_the_checksum_until_the_archive_changes() {
    let folder = scratch("dist-checksum");
    let archive = folder.join("kogge-test.tar.gz");
    fs::write(&archive, "abc").expect("a file can be written");
    let file = checksum(&archive).expect("a checksum");
    // The example of FIPS 180-2.
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  kogge-test.tar.gz\n";
    assert_eq!(fs::read_to_string(file).expect("the file"), expected);
}

#[test]
fn the_list_names_every_crate_that_is_shipped_and_no_other() {
    let packages = metadata::shipped(&Platform::host().expect("a host")).expect("metadata");
    let names: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    // The libraries of both GPU interfaces, and of the features.
    for name in ["clap", "ocl", "parquet", "postgres", "rusqlite", "rustls", "wgpu"] {
        assert!(names.contains(name), "{name} is missing in {names:?}");
    }
    // Crates for tests, for builds and for other programs, and kogge's own crates.
    for name in ["cc", "criterion", "kogge-board", "proptest", "pyo3", "rcgen", "shakmaty", "wasm-bindgen-cli-support"]
    {
        assert!(!names.contains(name), "{name} is not in the program");
    }
    // A static program has no GPU interface.
    let musl = Platform::new(Some("x86_64-unknown-linux-musl".to_owned())).expect("a platform");
    let musl = metadata::shipped(&musl).expect("metadata");
    assert!(musl.iter().any(|package| package.name == "rusqlite"));
    assert!(!musl.iter().any(|package| ["ash", "naga", "ocl", "wgpu"].contains(&package.name.as_str())));
    let text = licences::text(&packages).expect("a text");
    for package in &packages {
        let line = format!("\n{} {}: ", package.name, package.version);
        assert!(text.contains(&line), "{line}");
    }
    assert!(text.contains("Permission is hereby granted, free of charge"), "no text of the MIT licence");
    let clap = packages.iter().find(|package| package.name == "clap").expect("clap");
    let owner = format!("clap {}, ", clap.version);
    assert!(text.lines().any(|line| line.contains(&owner) && !line.contains(": ")), "no text beside {owner}");
}
