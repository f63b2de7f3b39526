//! Tests that a build without a feature says how to get it, and that a build with the feature uses it.

use crate::support::kogge;

#[test]
fn a_command_that_needs_a_feature_says_how_to_get_it() {
    for (feature, is_on, arguments) in [
        ("postgres", cfg!(feature = "postgres"), &["ledger", "postgres://nobody@%2Fno%2Fsuch%2Ffolder/x"][..]),
        (
            "postgres",
            cfg!(feature = "postgres"),
            &["run", "3", "--ledger", "postgres://nobody@%2Fno%2Fsuch%2Ffolder/x"],
        ),
        ("parquet", cfg!(feature = "parquet"), &["ledger", "no-such-file", "--export", "x.parquet"]),
        ("parquet", cfg!(feature = "parquet"), &["ledger", "no-such-file", "--export", "folder"]),
    ] {
        let run = kogge(arguments);
        let advice = format!("cargo build --release --features {feature}");
        assert_eq!(run.stderr.contains(&advice), !is_on, "{arguments:?}: {run:?}");
        assert!(run.code == 2 || is_on && run.code == 3, "{arguments:?}: {run:?}");
    }
    // A .csv file needs no feature.
    let run = kogge(&["ledger", "no-such-file", "--export", "x.csv"]);
    assert!(run.stderr.contains("There is no ledger in no-such-file"), "{run:?}");
}
