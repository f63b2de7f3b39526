//! Kills runs of a ledger repeatedly.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use kogge_ledger::LedgerProgress;

use super::{command, kogge};

/// Kills runs of the mailbox, and then lets the CPU finish and returns its answer. Every second run is killed after a short random
/// time, perhaps while it creates the ledger; the others are killed after they have counted some entries and before they have
/// counted all.
pub fn kill_and_resume(
    ledger: &str,
    arguments: &[&str],
    mut tally: impl FnMut() -> Option<LedgerProgress>,
    kills: u32,
    total: u128,
) -> String {
    let mut random = 12_345_u64;
    let mut done = || tally().map_or(0, |tally| tally.done);
    for killed in 1..=kills {
        let before = done();
        let quick = ["--backend", "mailbox", "--quiet"];
        let mut child = command(&[arguments, &quick].concat()).stdout(Stdio::null()).spawn().expect("kogge starts");
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        sleep(Duration::from_millis((random >> 33) % 20));
        let deadline = Instant::now() + Duration::from_secs(60);
        while killed % 2 == 0 && done() == before {
            assert!(Instant::now() < deadline, "nothing is counted");
            sleep(Duration::from_millis(2));
        }
        child.kill().expect("kogge is there");
        assert!(!child.wait().expect("kogge ends").success(), "the run was over before it was killed");
        // The ledger of a killed run can always be read.
        if killed % 10 == 0 {
            let shown = kogge(&["ledger", ledger, "--json"]);
            let sum = shown.json()[0]["sum"].to_string().parse::<u128>().expect("a count");
            assert!((1..total).contains(&sum), "{shown:?}");
        }
    }
    assert!(tally().is_some_and(|tally| tally.done > 0 && tally.done < tally.entries), "work is left for the CPU");
    kogge(&[arguments, &["--quiet", "--backend", "cpu", "--threads", "2"]].concat()).answer("run")
}
