//! Every device that kogge lists as usable counts the same.

mod support;

use support::kogge;

#[test]
fn every_usable_device_counts_the_same() {
    let devices = kogge(&["devices", "--json"]).json().remove(0);
    let rows = devices["devices"].as_array().cloned().unwrap_or_default();
    let mut counted = Vec::new();
    for row in rows.iter().filter(|row| row["usable"] == true) {
        let backend = row["backend"].as_str().expect("a name");
        let number = row["number"].to_string();
        for (fen, depth, nodes) in [(kogge_board::START, "3", 8902), (support::CHESS960, "2", 984)] {
            let run = kogge(&["perft", depth, "--fen", fen, "--backend", backend, "--device", &number, "--json"]);
            assert_eq!(run.json().remove(0)["nodes"], nodes, "{row}");
        }
        counted.push(backend);
    }
    let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
    assert!(!required.contains("opencl") || counted.contains(&"opencl"), "no OpenCL device is usable: {rows:#?}");
    assert!(counted.contains(&"cpu") && counted.contains(&"mailbox"));
}
