//! The archive of a stand-in for kogge, its checksum, and the list of licences.

use std::{collections::BTreeSet, os::unix::fs::PermissionsExt, path::PathBuf};

use super::*;

/// A stand-in for kogge that writes one page and prints its arguments.
const STAND_IN: &str = "#!/bin/sh\nif [ \"$1\" = man ]; then : > \"$3/kogge.1\"; else echo \"$@\"; fi\n";

fn scratch(name: &str) -> PathBuf {
    archive::folder(&metadata::target().expect("metadata").join("tmp"), name).expect("a folder")
}

#[test]
fn the_archive_has_everything() {
    let folder = scratch("dist");
    let program = folder.join("program");
    fs::write(&program, STAND_IN).expect("a file can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be made executable");
    let made = pack(&program, &folder, "kogge-test", "licences").expect("an archive");
    assert_eq!(made, folder.join("kogge-test.tar.gz"));
    let texts =
        ["CHANGELOG.md", "INSTALL.txt", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "RESULTS.md", "THIRD-PARTY.txt"];
    let folders = ["", "cli/", "cli/JSON.md", "completions/", "man/", "man/kogge.1", "kogge"];
    let scripts = ["_kogge", "_kogge.ps1", "kogge.bash", "kogge.elv", "kogge.fish"];
    let mut expected: BTreeSet<String> = texts.into_iter().chain(folders).map(str::to_owned).collect();
    expected.extend(scripts.map(|script| format!("completions/{script}")));
    let mut listed = archive::list(&made, "kogge-test");
    let docs: Vec<_> = listed.extract_if(.., |path| path.starts_with("docs/")).collect();
    assert_eq!(listed, expected);
    for page in ["docs/commands.md", "docs/web/page.png", "docs/report/raw-gpu.svg"] {
        assert!(docs.iter().any(|path| path == page), "{page} is not in {docs:?}");
    }
    let script = fs::read_to_string(folder.join("kogge-test/completions/_kogge")).expect("a script");
    assert_eq!(script, "completions zsh\n");
}

#[test]
fn the_newest_glibc_counts() {
    assert_eq!(glibc(b"..GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.4\0GLIBC_PRIVATE\0GLIBC_"), Some([2, 34]));
    assert_eq!(glibc(b"a script"), None);
    assert!(install("kogge-1", Some([2, 34])).contains("with glibc 2.34 or later"));
    assert!(install("kogge-1", None).contains("one program without other files. GPUs need"));
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
    let packages = metadata::shipped(&host().expect("a host")).expect("metadata");
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
