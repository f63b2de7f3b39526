//! Tests `kogge bench`: tables, JSON, comparison, refusals.

use std::fs;
use std::path::PathBuf;

use crate::support::{Run, kogge, words};
use kogge::known;
use serde_json::{Value, json};

/// A short measurement.
const SHORT: &str = "bench --seconds 1 --repetitions 2 --threads 1";

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{name}-{}.json", std::process::id()))
}

/// Returns the only JSON object of the output, which otherwise has only notes about noise.
#[track_caller]
fn report(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.lines().all(|line| line.starts_with("note: ")), "{run:?}");
    run.json().pop().expect("an object")
}

#[test]
fn named_devices_are_measured_with_known_counts() {
    let report = report(&kogge(&words(&format!("{SHORT} --device cpu,mailbox --json"))));
    let names: Vec<_> = report["subjects"].as_array().expect("a list").iter().map(|row| &row["backend"]).collect();
    assert_eq!(names, ["cpu", "mailbox"]);
    let rows = report["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 24);
    for row in rows {
        let steps = row["climb"].as_array().expect("a list");
        // The depth that the climb reaches depends on the machine; each step is a published count.
        assert!(steps.len() as u64 >= row["depth"].as_u64().expect("a depth"), "{row}");
        let known = known::standard().into_iter().find(|known| row["position"] == known.name).expect("a name");
        for (step, (depth, leaves)) in steps.iter().zip(known.counts()) {
            assert_eq!((step["depth"].as_u64(), step["nodes"].to_string()), (Some(depth.into()), leaves.to_string()));
            assert!(step["seconds"].as_f64() > Some(0.0), "{row}");
        }
        assert_eq!(steps[row["depth"].as_u64().expect("a depth") as usize - 1]["nodes"], row["nodes"]);
        assert_eq!(row["times"].as_array().map(Vec::len), Some(2));
        assert!(row["seconds"].as_f64() > Some(0.0) && row["per_second"].as_f64() > Some(0.0), "{row}");
        assert_eq!(row["noisy"], row["spread"].as_f64() > Some(0.1), "{row}");
    }
    assert_eq!(report["packing"].as_array().map(Vec::len), Some(5));
    assert_eq!((&report["failed"], &report["compared"]), (&json!([]), &json!(null)));
    assert_eq!(report["subjects"][0]["compared_with"], json!(null));
    assert_eq!(report["packing"][0]["pack_ratio"], json!(null));
}

#[test]
fn variants_of_the_cpu_are_measured_side_by_side() {
    let run = kogge(&words(&format!("{SHORT} --backend cpu --variant portable,portable")));
    assert_eq!(run.code, 0, "{run:?}");
    let heads: Vec<_> = run.stdout.lines().filter(|line| line.starts_with("cpu: ")).collect();
    assert_eq!(heads, ["cpu: CPU, 1 thread, portable"; 2]);
    for position in ["startpos  raw ", "kiwipete  merged ", "pos6      merged "] {
        assert_eq!(run.stdout.matches(position).count(), 2, "{}", run.stdout);
    }
    assert!(run.stdout.contains("\ncircle32      32  "), "{}", run.stdout);
}

#[test]
fn an_earlier_measurement_is_compared_with() {
    let old = file("old");
    let line = format!("{SHORT} --backend mailbox");
    let mut before = report(&kogge(&words(&format!("{line} --json"))));
    for row in before["rows"].as_array_mut().expect("a list") {
        row["depth"] = json!(2);
        row["per_second"] = json!(1.0);
    }
    for cost in before["packing"].as_array_mut().expect("a list") {
        (cost["pack"], cost["unpack"]) = (json!(1000.0), json!(0.5));
    }
    fs::write(&old, before.to_string()).expect("a file");
    let old = old.display();
    let run = kogge(&words(&format!("{line} --json --compare {old}")));
    let after = report(&run);
    assert_eq!(after["compared"], old.to_string());
    assert_eq!(after["subjects"][0]["compared_with"], "one CPU thread, 10x12 board, make and unmake");
    assert!(!run.stderr.contains("compared with") && !run.stderr.contains("processor"), "{run:?}");
    for row in after["rows"].as_array().expect("a list") {
        assert_eq!(row["depth"], 2, "the same as before");
        assert_eq!(row["ratio"], row["per_second"]);
    }
    for cost in after["packing"].as_array().expect("a list") {
        let number = |field: &str| cost[field].as_f64().expect("a number");
        assert!((number("pack_ratio") * number("pack") / 1000.0 - 1.0).abs() < 1e-9, "{cost}");
        assert!((number("unpack_ratio") * number("unpack") / 0.5 - 1.0).abs() < 1e-9, "{cost}");
    }

    // A result file of a bundle, from another device and processor.
    before["subjects"][0]["device"] = json!("ten CPU threads");
    before["processor"] = json!("Another CPU");
    fs::write(file("old"), json!({ "kogge": "kogge 0.1.0", "suites": [], "bench": before }).to_string())
        .expect("a file");
    let table = kogge(&words(&format!("{line} --repetitions 1 --compare {old}").replace("--repetitions 2 ", "")));
    let lines: Vec<_> = table.stdout.lines().collect();
    for (head, rows) in [("position ", "startpos  merged "), ("format ", "five42 ")] {
        assert!(lines.iter().any(|line| line.starts_with(head) && line.ends_with("   ratio")), "{table:?}");
        assert!(lines.iter().any(|line| line.starts_with(rows) && line.ends_with('x')), "{table:?}");
    }
    let other = "note: mailbox: one CPU thread, 10x12 board, make and unmake is compared with ten CPU threads, 10x12 board, \
                 make and unmake.";
    assert!(table.stderr.lines().any(|line| line == other), "{table:?}");
    let processors = table.stderr.contains("; in the earlier measurement it was Another CPU.");
    assert_eq!(processors, after["processor"].is_string(), "{table:?}");
    assert!(table.stderr.contains("timed once each, which says nothing about noise."), "{table:?}");
    assert!(lines.iter().any(|line| line.starts_with("startpos  raw ") && line.contains("  -  ")), "{table:?}");
    // The earlier measurement has no subject of the cpu backend.
    let other = kogge(&words(&format!("{SHORT} --backend cpu --compare {old}")));
    assert_eq!((other.code, other.stdout.as_str()), (2, ""));
    assert!(other.stderr.contains("Nothing that is measured now"), "{other:?}");
    fs::remove_file(file("old")).expect("a file");
}

#[test]
fn wrong_calls_are_refused() {
    let (none, other) = (file("none"), file("other"));
    fs::write(&other, "{\"command\":\"perft\",\"subjects\":[],\"rows\":[]}").expect("a file");
    let damaged = file("damaged");
    let row = json!({ "subject": 0, "position": "pos3", "deduplicated": false, "depth": 2, "per_second": 0 });
    fs::write(&damaged, json!({ "command": "bench", "subjects": [], "rows": [row] }).to_string()).expect("a file");
    let (none, text, zero) = (none.display(), other.display(), damaged.display());
    for (line, reason) in [
        ("bench --seconds 0", "--seconds"),
        ("bench --quick --seconds 5", "cannot be used with"),
        ("bench --repetitions 0", "--repetitions"),
        ("bench --backend cpu --variant none", "There is no variant \"none\" that this CPU can run"),
        ("bench --backend mailbox --variant all", "Only the cpu backend has variants"),
        ("bench --backend cpu --option group_size=64", "Only the backends opencl and wgpu have options"),
        ("bench --kernels --device cpu", "The cpu backend has nothing to tune"),
        ("bench --kernels --device all", "name it with --device"),
        ("bench --kernels --quick", "cannot be used with"),
        ("bench --backend cpu --device mailbox", "leave --backend out"),
        ("bench --backend cpu --device 7", "There is no device 7 of the cpu backend"),
        ("bench --device 0", "only together with its backend"),
        (&format!("bench --compare {none}"), "could not be read"),
        (&format!("bench --compare {text}"), "but what kogge perft does"),
        (&format!("bench --compare {zero}"), "is damaged: it says that pos3 was counted at 0 leaves a second."),
        ("bench --compare Cargo.toml", "is not what kogge bench --json prints"),
    ] {
        let run = kogge(&words(line));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "kogge {line}: {run:?}");
        assert!(run.stderr.contains(reason), "kogge {line}: {}", run.stderr);
    }
    for made in [other, damaged] {
        fs::remove_file(made).expect("a file");
    }
}
