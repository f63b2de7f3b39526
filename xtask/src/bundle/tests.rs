//! The archive, and the script in it with a stand-in for kogge.

use std::{collections::BTreeSet, process::Command};

use serde_json::Value;

use super::*;
use crate::root;

fn scratch(name: &str) -> PathBuf {
    let folder = metadata::target().expect("metadata").join("tmp").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

#[test]
fn the_archive_has_what_its_readme_lists() {
    let folder = scratch("bundle");
    // Any program can be stripped, even this test.
    let archive = pack(&std::env::current_exe().expect("a path"), &folder, "kogge-test").expect("an archive");
    let expected =
        ["", "LICENSE-APACHE", "LICENSE-MIT", "README.txt", "kogge", "known-counts.epd", "random.epd", "run.sh"];
    assert_eq!(archive::list(&archive, "kogge-test"), BTreeSet::from(expected.map(str::to_owned)));
    for file in ["kogge", "known-counts.epd", "random.epd", "run.sh"] {
        assert!(README.contains(&format!("\n    {file} ")), "README.txt does not list {file}");
    }
}

#[test]
fn the_suite_has_every_published_count() {
    let known = fs::read_to_string(root().join("board/data/known-counts.tsv")).expect("the file");
    let suite = suite();
    assert_eq!(suite.lines().count(), 6);
    assert_eq!(suite.matches(" ;D").count(), known.lines().filter(|line| !line.starts_with('#')).count());
    assert!(suite.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902 "));
}

#[test]
fn an_archive_of_a_debug_build_has_a_name_of_its_own() {
    assert_eq!(name("any-host", false), concat!("kogge-", env!("CARGO_PKG_VERSION"), "-any-host"));
    assert_eq!(name("any-host", true), concat!("kogge-", env!("CARGO_PKG_VERSION"), "-any-host-debug"));
}

/// A stand-in for kogge: a GPU, a software device, no wgpu. Patterns in variables make calls fail.
const STAND_IN: &str = r#"#!/bin/sh
case "$*" in
--version) echo 'kogge 9.9 "quoted"' ;;
"devices --json") echo '{"command":"devices","devices":[]}' ;;
devices|"devices --verbose") cat <<'END'
backend   number  device
opencl         0  A card (GPU, 1 MiB); 1.0; variant
opencl         1  pocl (software device, 1 MiB); 1.0; variant
wgpu           -  The wgpu backend cannot be used: there is no driver.
cpu            0  CPU, 2 threads (CPU); kogge; avx2
mailbox        0  one CPU thread (CPU); kogge; 10x12 board
END
;;
$SILENT) exit 3 ;;
$BREAKING) echo '{"status":"PASS"}'; printf '{"command":"su'; exit 3 ;;
$WRONG) echo '{"status":"FAIL"}'; echo '{"command":"suite","failed":1}'; exit 1 ;;
$FAILING) echo '{"command":"bench","failed":[{"backend":"opencl"}]}'; exit 3 ;;
suite*) echo '{"status":"PASS"}'; echo "{\"command\":\"suite\",\"call\":\"$4 $6 $8\"}" ;;
bench*) echo "{\"command\":\"bench\",\"call\":\"$*\"}" ;;
esac
"#;

/// Runs the script with these variables, and returns its exit code and its JSON.
fn run(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, Value) {
    let folder = scratch(name);
    for (file, text) in [("kogge", STAND_IN), ("run.sh", RUN)] {
        fs::write(folder.join(file), text).expect("a file can be written");
        make_executable(&folder.join(file)).expect("it can be made executable");
    }
    let result = folder.join("result.json");
    let mut script = Command::new("sh");
    script.arg(folder.join("run.sh")).args(arguments).arg("--out").arg(&result).envs(variables.iter().copied());
    let output = script.output().expect("there is a shell");
    let text = fs::read_to_string(&result).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (output.status.code(), serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// Returns the backend, number and exit code of each verified device.
fn verified(result: &Value) -> Vec<(&str, u64, u64)> {
    let suites = result["suites"].as_array().expect("a list");
    let number = |value: &Value| value.as_u64().expect("a number");
    let mut found = Vec::new();
    for suite in suites {
        let name = suite["backend"].as_str().expect("a name");
        found.push((name, number(&suite["number"]), number(&suite["exit_code"])));
    }
    found
}

fn calls(result: &Value) -> Vec<&str> {
    let suites = result["suites"].as_array().expect("a list");
    suites.iter().filter_map(|suite| suite["summary"]["call"].as_str()).collect()
}

#[test]
fn the_script_verifies_and_measures() {
    let (code, result) = run("bundle-right", &[], &[]);
    assert_eq!(code, Some(0), "{result:#}");
    assert_eq!(result["kogge"], "kogge 9.9 \"quoted\"");
    assert_eq!(result["devices"]["command"], "devices");
    assert_eq!(verified(&result), [("opencl", 0, 0), ("cpu", 0, 0)]);
    assert_eq!(calls(&result), ["100000000000 opencl 0", "10000000000 cpu 0"]);
    assert_eq!(result["bench"]["call"], "bench --json");
    let (code, result) = run("bundle-quick", &["--quick", "--software"], &[]);
    assert_eq!(code, Some(0), "{result:#}");
    assert_eq!(calls(&result), ["1000000000 opencl 0", "1000000000 opencl 1", "1000000000 cpu 0"]);
    assert_eq!(result["bench"]["call"], "bench --quick --json");
}

#[test]
fn the_script_measures_nothing_that_counts_wrong() {
    let (code, result) = run("bundle-wrong", &[], &[("WRONG", "suite*opencl*")]);
    assert_eq!(code, Some(1), "{result:#}");
    assert_eq!((&result["bench"], calls(&result)), (&Value::Null, vec!["10000000000 cpu 0"]));
    assert_eq!(verified(&result), [("opencl", 0, 1), ("cpu", 0, 0)]);
    assert_eq!(result["suites"][0]["summary"]["failed"], 1);
}

#[test]
fn a_device_that_breaks_is_named_in_the_result() {
    for how in ["SILENT", "BREAKING"] {
        let (code, result) = run("bundle-broken", &["--software"], &[(how, "suite*--device 1 *")]);
        assert_eq!((code, &result["bench"]), (Some(1), &Value::Null), "{how}: {result:#}");
        assert_eq!(verified(&result), [("opencl", 0, 0), ("opencl", 1, 3), ("cpu", 0, 0)], "{how}");
        assert_eq!(result["suites"][1]["summary"], Value::Null, "{how}");
        assert_eq!(calls(&result), ["100000000000 opencl 0", "10000000000 cpu 0"], "{how}");
    }
}

#[test]
fn what_was_measured_is_kept_if_a_device_fails() {
    let (code, result) = run("bundle-failing", &[], &[("FAILING", "bench*")]);
    assert_eq!(code, Some(1), "{result:#}");
    assert_eq!(result["bench"]["failed"][0]["backend"], "opencl");
    let (code, result) = run("bundle-unmeasured", &[], &[("SILENT", "bench*")]);
    assert_eq!((code, &result["bench"]), (Some(1), &Value::Null), "{result:#}");
}
