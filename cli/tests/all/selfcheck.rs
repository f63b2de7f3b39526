//! Tests `kogge selfcheck` on the devices of this machine.

use crate::support::{self, kogge, without_devices, words};
use serde_json::Value;

#[test]
fn every_device_is_checked() {
    let run = kogge(&words("selfcheck --seconds 1 --seed 7 --json"));
    assert_eq!(run.code, 0, "{run:?}");
    let report = run.json().remove(0);
    assert_eq!((&report["command"], &report["seed"], &report["seconds"]), (&"selfcheck".into(), &7.into(), &1.into()));
    assert!(report["system"].is_string() && report["kogge"].is_string(), "{report}");
    let rows = report["devices"].as_array().expect("a list");
    let variants: Vec<_> =
        rows.iter().filter(|row| row["backend"] == "cpu").map(|row| &row["info"]["variant"]).collect();
    let listed = kogge(&["devices", "--json"]).json().remove(0);
    assert_eq!(Some(variants.len()), report["variants"].as_array().map(Vec::len), "{report}");
    for device in listed["devices"].as_array().expect("a list") {
        let same = |row: &&Value| row["backend"] == device["backend"] && row["number"] == device["number"];
        let row = rows.iter().find(same).unwrap_or_else(|| panic!("{device} is not in {report}"));
        if device["usable"] != true {
            assert_eq!((&row["result"], &row["reason"]), (&"absent".into(), &device["reason"]), "{row}");
            continue;
        }
        assert_eq!((&row["result"], &row["reason"], &row["self_tests"]), (&"right".into(), &Value::Null, &4.into()));
        assert!(row["known_counts"].as_u64() > Some(0), "{row}");
        let is_reference = row["backend"] == "mailbox";
        assert_eq!(
            row["positions"].as_u64() > Some(1000) && row["leaves"].as_u64() > Some(1000),
            !is_reference,
            "{row}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_missing_device_is_named_with_the_reason() {
    let run = without_devices(&words("selfcheck --seconds 1")).output().expect("kogge starts");
    let text = support::Run::from(run).answer("selfcheck");
    for backend in ["opencl", "wgpu"] {
        let line = format!("{backend:<10} not there: The {backend} backend cannot be used: ");
        assert!(text.lines().any(|found| found.starts_with(&line)), "{text}");
    }
    assert!(text.starts_with("kogge      ") && text.ends_with("\n\nEverything agrees.\n"), "{text}");
    let run = without_devices(&words("selfcheck --backend wgpu")).output().expect("kogge starts");
    let run = support::Run::from(run);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("There is no device to check."), "{run:?}");
}

#[test]
fn devices_can_be_chosen() {
    let run = kogge(&words("selfcheck --seconds 1 --device cpu:0 --json"));
    let report = run.json().remove(0);
    let rows = report["devices"].as_array().expect("a list");
    assert!(rows.iter().all(|row| row["backend"] == "cpu") && !rows.is_empty(), "{report}");
    for (line, reason) in [
        ("selfcheck --device 0", "such as --device opencl:1"),
        ("selfcheck --device cpu:7", "There is no device 7 of the cpu backend"),
        ("selfcheck --backend cpu --device 7", "There is no device 7 of the cpu backend"),
        ("selfcheck --device cpu --backend cpu", "leave --backend out"),
        ("selfcheck --seconds 90000", "0..=86400"),
    ] {
        let run = kogge(&words(line));
        assert!(run.code == 2 && run.stderr.contains(reason), "{line}: {run:?}");
    }
}
