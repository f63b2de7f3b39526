//! Tests `kogge tune`: tuned options are saved, shown, used, and forgotten.

use std::fs;
use std::path::PathBuf;

use crate::support::{Run, command, without_devices};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tuning-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn run(folder: &PathBuf, arguments: &[&str]) -> Run {
    command(arguments).env("KOGGE_CACHE_DIR", folder).output().expect("kogge starts").into()
}

fn devices(folder: &PathBuf, backend: &str) -> Vec<Value> {
    let report = run(folder, &["devices", "--json"]).json().remove(0);
    let rows = report["devices"].as_array().cloned().unwrap_or_default();
    rows.into_iter().filter(|row| row["backend"] == backend && row["usable"] == true).collect()
}

#[test]
fn opencl_options_are_used_until_they_are_forgotten() {
    tuned_used_and_forgotten("opencl");
}

#[test]
fn wgpu_options_are_used_until_they_are_forgotten() {
    tuned_used_and_forgotten("wgpu");
}

fn tuned_used_and_forgotten(backend: &str) {
    let folder = folder(backend);
    let before = devices(&folder, backend);
    let Some(row) = before.first() else {
        let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
        assert!(!required.contains(backend), "A device of {backend} is required.");
        return;
    };
    let number = row["number"].to_string();
    let variant = |rows: &[Value]| rows[0]["info"]["variant"].as_str().expect("a text").to_owned();
    assert!(variant(&before).ends_with(" (defaults)"), "{row}");

    let tuned = run(&folder, &["tune", "--backend", backend, "--device", &number, "--seconds", "1", "--json"]);
    assert_eq!(tuned.code, 0, "{}", tuned.stderr);
    let report = tuned.json().remove(0);
    let first = &report["trials"][0];
    assert_eq!((&first["option"], &first["outcome"]), (&"defaults".into(), &"kept".into()));
    assert!(first["rates"][0].as_f64() > Some(0.0) && first["rates"][1].as_f64() > Some(0.0), "{first}");
    for name in report.as_object().expect("an object").keys().chain(first.as_object().expect("an object").keys()) {
        assert!(include_str!("../../JSON.md").contains(&format!("`{name}`")), "{name} is not in JSON.md");
    }
    let after = devices(&folder, backend);
    assert!(variant(&after).ends_with(" (tuned)"), "{after:?}");
    assert_eq!(report["info"]["variant"], variant(&after));

    let count = ["perft", "3", "--backend", backend, "--device", &number, "--json"];
    let counted = run(&folder, &count).json().remove(0);
    assert_eq!(counted["nodes"], 8902);
    assert!(counted["variant"].as_str().expect("a text").ends_with(" (tuned)"), "{counted}");

    let file = folder.join("tuned.json");
    let text = fs::read(&file).expect("the cache");
    fs::write(&file, &text[..text.len() / 2]).expect("a damaged cache");
    let damaged = run(&folder, &count);
    assert_eq!((damaged.code, &damaged.json()[0]["nodes"]), (0, &8902.into()));
    assert!(damaged.stderr.contains("WARN") && damaged.stderr.contains("tuned.json"), "{}", damaged.stderr);
    assert!(damaged.stdout.contains(" (defaults)"), "{}", damaged.stdout);
    fs::write(&file, &text).expect("a cache");

    let forget = ["tune", "--forget", "--backend", backend, "--device", &number];
    let forgotten = run(&folder, &forget);
    assert!(forgotten.stdout.ends_with("is forgotten.\n"), "{forgotten:?}");
    assert!(run(&folder, &forget).stdout.starts_with("Nothing was tuned"));
    assert_eq!(devices(&folder, backend), before);
    fs::remove_dir_all(&folder).expect("a folder");
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let folder = folder("none");
    for backend in ["opencl", "wgpu"] {
        if devices(&folder, backend).is_empty() {
            continue;
        }
        let named = ["tune", "--backend", backend, "--device", "99", "--forget"];
        for line in [&named[..], &named[..5]] {
            let Run { code, stdout, stderr } = run(&folder, line);
            assert_eq!((code, stdout.as_str()), (2, ""));
            assert!(stderr.contains(&format!("There is no device 99 of the {backend} backend")), "{stderr}");
        }
    }
    let Run { code, stderr, .. } = run(&folder, &["tune", "--device", "0"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("only together with its backend"), "{stderr}");
    let Run { code, stderr, .. } = run(&folder, &["tune", "--backend", "cpu"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("The cpu backend has nothing to tune"), "{stderr}");
    assert!(!folder.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn without_devices_there_is_nothing_to_tune() {
    let Run { code, stdout, stderr } = without_devices(&["tune"]).output().expect("kogge starts").into();
    assert_eq!((code, stdout.as_str()), (3, ""));
    for backend in ["opencl", "wgpu"] {
        assert!(stderr.contains(&format!("The {backend} backend cannot be used: ")), "{stderr}");
    }
    assert!(stderr.contains("Install "), "{stderr}");
}
