//! Tests `kogge run` on a PostgreSQL server with several processes, one of which is killed.

#[path = "../../driver/tests/support/server.rs"]
mod server;
mod support;

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use kogge_driver::ledger::{Postgres, Store};
use server::Server;
use support::{KIWIPETE, Run, command, kogge};

/// The count of Kiwipete to depth 5, from data/known-counts.tsv.
const KIWIPETE_5: &str = "193690690";

fn start(address: &str, backend: &str, how: &[&str]) -> Child {
    let tree = ["run", "5", "--fen", KIWIPETE, "--ledger", address, "--lease", "2"];
    let device = ["--backend", backend, "--threads", "1", "--quiet"];
    command(&[&tree[..], &device, how].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kogge starts")
}

#[test]
fn processes_share_a_database_and_one_that_is_killed_is_replaced() {
    let server = Server::start();
    let address = server.schema("many");
    let none = kogge(&["ledger", &address]);
    assert_eq!(none.code, 2, "{none:?}");
    assert!(none.stderr.contains("There is no ledger in the database postgres on"), "{none:?}");

    share(&address, &["--raw"], 2038);
    let refused = kogge(&["run", "4", "--fen", KIWIPETE, "--ledger", &address]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("is a ledger of depth 5 from"), "{refused:?}");

    let merged = server.schema("merged");
    share(&merged, &["--ply", "3", "--memory", "64M"], 64);
}

/// Kills a process that holds a lease, and lets others finish the ledger.
fn share(address: &str, how: &[&str], entries: u64) {
    let mut doomed = start(address, "mailbox", how);
    let mut store = Postgres::connect(address, Duration::from_secs(60), || false).expect("the server runs");
    let began = Instant::now();
    // This process dies while it holds a lease.
    while !matches!(store.header(), Ok(Some(_))) || store.tally().expect("it can be read").leased == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing was leased");
        sleep(Duration::from_millis(2));
    }
    doomed.kill().expect("kogge is there");
    doomed.wait().expect("kogge ends");
    assert!(store.tally().expect("it can be read").done < entries);

    for child in ["cpu", "mailbox", "cpu"].map(|backend| start(address, backend, how)) {
        let run = Run::from(child.wait_with_output().expect("kogge ends"));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert_eq!(run.stdout, format!("Nodes searched: {KIWIPETE_5}\n"));
    }
    let json = &kogge(&["ledger", address, "--json"]).json()[0];
    assert_eq!((json["done"].as_u64(), json["nodes"].to_string()), (json["entries"].as_u64(), KIWIPETE_5.to_owned()));
    assert!(json["entries"].as_u64() <= Some(entries));
}

#[test]
fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let run = kogge(&["ledger", "postgres://someone:secret@%2Fno%2Fsuch%2Ffolder/name"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("the database name on /no/such/folder failed when it was connected to"), "{run:?}");
    assert!(!run.stderr.contains("secret"), "{run:?}");
}
