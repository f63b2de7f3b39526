//! Tests that all devices that kogge lists as usable count the same.

use crate::support::{self, Run, kogge, kogge_with_input, without_devices};
use serde_json::Value;

fn devices(run: Run) -> Vec<Value> {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.json().remove(0)["devices"].as_array().cloned().unwrap_or_default()
}

#[test]
fn every_usable_device_counts_the_same() {
    let rows = devices(kogge(&["devices", "--json"]));
    let mut counted = Vec::new();
    for row in rows.iter().filter(|row| row["usable"] == true) {
        let backend = row["backend"].as_str().expect("a name");
        let number = row["number"].to_string();
        for (fen, depth, nodes) in [(kogge::board::START, "3", 8902), (support::CHESS960, "2", 984)] {
            let run = kogge(&["perft", depth, "--fen", fen, "--backend", backend, "--device", &number, "--json"]);
            assert_eq!(run.json().remove(0)["nodes"], nodes, "{row}");
        }
        counted.push(backend);
    }
    let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
    for backend in ["opencl", "wgpu"] {
        assert!(!required.contains(backend) || counted.contains(&backend), "no {backend} device is usable: {rows:#?}");
    }
    assert!(counted.contains(&"cpu") && counted.contains(&"mailbox"));
}

/// Tests that every command that computes takes a device by its backend and number.
#[test]
fn commands_take_a_device_by_name() {
    let rows = devices(kogge(&["devices", "--json"]));
    for row in rows.iter().filter(|row| row["usable"] == true) {
        let backend = row["backend"].as_str().expect("a name");
        let device = format!("{backend}:{}", row["number"]);
        for (line, field) in [
            ("perft 2", "/backend"),
            ("perft 3 --plan --plies 1", "/backend"),
            ("divide 2", "/backend"),
            ("stats 2", "/backend"),
            ("unique 2", "/backend"),
            ("best 1", "/backend"),
            (if backend == "cpu" { "diff 2 --against mailbox" } else { "diff 2 --against cpu" }, "/first"),
        ] {
            let run = kogge(&[&support::words(line)[..], &["--device", &device, "--json"]].concat());
            assert_eq!(run.code, 0, "{line} {device}: {run:?}");
            assert_eq!(run.json().remove(0).pointer(field), Some(&backend.into()), "{line} {device}");
        }
        let suite =
            kogge_with_input(&["suite", "-", "--device", &device, "--json"], b"8/8/8/4k3/8/8/8/4K3 w - - 0 1 ;D1 5\n");
        assert_eq!(suite.json().pop().map(|it| it["backend"].clone()), Some(backend.into()), "{suite:?}");
        let uci = kogge_with_input(&["uci", "--device", &device], b"uci\nquit\n").stdout;
        let option = |name: &str, default: &str| uci.contains(&format!("option name {name} ")) && uci.contains(default);
        assert!(option("Backend", &format!("default {backend} ")), "{device}: {uci}");
        assert!(option("Device", &format!("spin default {} ", row["number"])), "{device}: {uci}");
    }
    let tuned = kogge(&["tune", "--device", "cpu:0"]);
    assert!(tuned.code == 2 && tuned.stderr.contains("The cpu backend has nothing to tune"), "{tuned:?}");
}

/// Tests one device of each GPU interface; the tests of the backends go deeper.
#[test]
fn devices_pass_a_suite() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../board/data/random.epd");
    let rows = devices(kogge(&["devices", "--json"]));
    for backend in ["opencl", "wgpu"] {
        let Some(row) = rows.iter().find(|row| row["backend"] == backend && row["usable"] == true) else { continue };
        let number = row["number"].to_string();
        let run = kogge(&["suite", file, "--max-nodes", "2000", "--backend", backend, "--device", &number]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{row}");
        assert!(run.stdout.contains("\n1000 passed, 0 failed, 0 skipped, 0 broken\n"), "{row}\n{}", run.stdout);
    }
}

/// Tests that one device of each GPU interface counts positions and diagrams, whole and in ranges, as published (A083276,
/// A089957, A019319).
#[test]
fn devices_count_distinct_positions_and_diagrams() {
    let rows = devices(kogge(&["devices", "--json"]));
    for backend in ["opencl", "wgpu"] {
        let Some(row) = rows.iter().find(|row| row["backend"] == backend && row["usable"] == true) else { continue };
        let device = format!("{backend}:{}", row["number"]);
        for memory in ["1G", "40M"] {
            let run = kogge(&["unique", "5", "--diagrams", "--memory", memory, "--device", &device, "--quiet"])
                .answer("unique");
            let expected =
                ["  4               72078          9825     71852", "  5              822518         53516    815677"];
            assert_eq!(run.lines().skip(5).collect::<Vec<_>>(), expected, "{device} with {memory}");
        }
    }
}

#[test]
fn auto_takes_a_gpu_or_our_own_code() {
    let rows = devices(kogge(&["devices", "--json"]));
    let gpus = rows.iter().filter(|row| row["info"]["kind"] == "GPU" || row["info"]["kind"] == "integrated GPU");
    // `diff` always uses the best device, because its work is not estimated.
    let run = kogge(&["diff", "1", "--against", "mailbox", "--json"]);
    let taken = run.json().remove(0);
    match gpus.count() {
        0 => assert_eq!((&taken["first"], run.stderr.as_str()), (&Value::from("cpu"), ""), "{rows:#?}"),
        // A GPU that fails is skipped, and a note says so.
        _ => assert!(taken["first"] != "cpu" || !run.stderr.is_empty(), "{taken}\n{rows:#?}"),
    }
}

#[test]
fn small_work_starts_no_gpu() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../board/data/random.epd");
    for line in [
        &["perft", "3"][..],
        &["perft", "100", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"],
        &["divide", "3"],
        &["stats", "2"],
        &["unique", "2", "--threads", "1"],
        &["suite", suite, "--max-nodes", "200"],
    ] {
        let run = kogge(&[line, &["--json"]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{line:?}");
        let report = run.json().pop().expect("an object");
        assert_eq!(report["backend"], "cpu", "{line:?}");
        let reason = report["chosen"].as_str().expect("a reason");
        assert!(reason.starts_with("No GPU was tried: "), "{line:?}: {reason}");
    }
    let run = kogge(&["perft", "3", "-v"]);
    assert!(run.stdout.contains("\nNo GPU was tried: "), "{}", run.stdout);
    let named = kogge(&["perft", "3", "--backend", "cpu", "--json"]).json().remove(0);
    assert_eq!(named["chosen"], Value::Null);
}

#[cfg(target_os = "linux")]
#[test]
fn a_machine_without_gpus_has_a_line_for_each_backend() {
    let rows = devices(without_devices(&["devices", "--json"]).output().expect("kogge starts").into());
    let backends: Vec<_> = rows.iter().map(|row| (&row["backend"], &row["number"], &row["usable"])).collect();
    let row = |backend: &'static str, number: Option<usize>| (backend.into(), number.into(), number.is_some().into());
    let expected: [(Value, Value, Value); 4] =
        [row("opencl", None), row("wgpu", None), row("cpu", Some(0)), row("mailbox", Some(0))];
    assert_eq!(backends, expected.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
    for row in rows.iter().filter(|row| row["usable"] == false) {
        let reason = row["reason"].as_str().expect("a sentence");
        assert!(reason.contains("cannot be used: ") && reason.contains("Install "), "{reason}");
    }
    let run: Run = without_devices(&["perft", "3", "--json"]).output().expect("kogge starts").into();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.json().remove(0)["backend"], "cpu");
}
