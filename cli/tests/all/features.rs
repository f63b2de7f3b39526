//! Tests that a build without a feature says how to get it, and that a build with the feature uses it.
//!
//! `cargo test -p kogge-cli --no-default-features --test all features` tests a build for the CPU only.

use crate::support::{Run, kogge, without_devices};

fn advice(feature: &str) -> String {
    format!("cargo build --release --features {feature}")
}

#[test]
fn a_command_that_needs_a_feature_says_how_to_get_it() {
    const ADDRESS: &str = "postgres://nobody@%2Fno%2Fsuch%2Ffolder/x";
    let ledger = ("ledger", cfg!(feature = "ledger"));
    // Without ledgers, nothing asks for their other features.
    let of_ledgers = |feature, is_on| if ledger.1 { (feature, is_on) } else { ledger };
    let postgres = of_ledgers("postgres", cfg!(feature = "postgres"));
    let parquet = of_ledgers("parquet", cfg!(feature = "parquet"));
    for ((feature, is_on), arguments) in [
        (postgres, &["ledger", ADDRESS][..]),
        (postgres, &["run", "3", "--ledger", ADDRESS]),
        (parquet, &["ledger", "no-such-file", "--export", "x.parquet"]),
        (parquet, &["ledger", "no-such-file", "--export", "folder"]),
        (ledger, &["ledger", "no-such-file"]),
        (ledger, &["run", "3", "--ledger", "no-such-folder/x"]),
    ] {
        let run = kogge(arguments);
        assert_eq!(run.stderr.contains(&advice(feature)), !is_on, "{arguments:?}: {run:?}");
        assert!(run.code == 2 || is_on && run.code == 3, "{arguments:?}: {run:?}");
    }
    for ((feature, is_on), arguments) in
        [(("search", cfg!(feature = "search")), &["uci"][..]), (ledger, &["perft", "3", "--device", "cpu,mailbox"])]
    {
        let run = kogge(arguments);
        assert_eq!(run.stderr.contains(&advice(feature)), !is_on, "{arguments:?}: {run:?}");
        assert_eq!(run.code, if is_on { 0 } else { 2 }, "{arguments:?}: {run:?}");
    }
    // A .csv file needs no other feature than ledgers.
    let run = kogge(&["ledger", "no-such-file", "--export", "x.csv"]);
    assert!(!ledger.1 || run.stderr.contains("There is no ledger in no-such-file"), "{run:?}");
}

#[test]
fn a_backend_that_needs_a_feature_says_how_to_get_it() {
    for (feature, is_on) in [("opencl", cfg!(feature = "opencl")), ("wgpu", cfg!(feature = "wgpu"))] {
        for arguments in [
            &["perft", "3", "--backend", feature][..],
            &["perft", "3", "--device", feature],
            &["perft", "3", "--device", "all", "--backend", feature],
            &["bench", "--quick", "--backend", feature],
            &["tune", "--backend", feature],
            &["tune"],
        ] {
            let run: Run = without_devices(arguments).output().expect("kogge starts").into();
            assert_eq!(run.stderr.contains(&advice(feature)), !is_on, "{arguments:?}: {run:?}");
            assert_eq!(run.code, 3, "{arguments:?}: {run:?}");
        }
        let listed = without_devices(&["devices"]).output().expect("kogge starts");
        assert_eq!(String::from_utf8_lossy(&listed.stdout).contains(&advice(feature)), !is_on);
    }
}
