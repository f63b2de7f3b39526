//! Tests `kogge run` on a PostgreSQL server with several processes, one of which is killed.

#[path = "../../../ledger/tests/support/server.rs"]
mod server;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::support::kills::{self, Kills};
use crate::support::{KIWIPETE, Run, command, kogge};
use kogge_ledger::{LedgerStore, Postgres};
use server::Server;

/// The count of Kiwipete to depth 5, from board/data/known-counts.tsv.
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
    share(&merged, &["--plies", "3", "--memory", "64M"], 64);
    let checked = kogge(&["ledger", &merged, "--check"]).answer("check");
    assert!(checked.contains("Every checksum is right.\nSHA-256 "), "{checked}");
}

/// Kills a process that holds a lease, and lets others finish the ledger.
fn share(address: &str, how: &[&str], entries: u64) {
    let mut doomed = start(address, "mailbox", how);
    let mut store =
        Postgres::connect(address, Duration::from_secs(2), Duration::from_secs(60), || false).expect("the server runs");
    // This process dies while it holds a lease.
    wait_until("nothing was leased", || {
        matches!(store.header(), Ok(Some(_))) && store.tally().expect("it can be read").leased > 0
    });
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

#[cfg(unix)]
#[test]
fn an_interrupt_while_the_server_is_away_is_no_failure() {
    let server = Server::start();
    let address = server.schema("away");
    let child = start(&address, "mailbox", &["--raw"]);
    let mut store = Postgres::connect(&address, Duration::from_secs(2), Duration::from_secs(60), || false)
        .expect("the server runs");
    wait_until("nothing was counted", || {
        matches!(store.header(), Ok(Some(_))) && store.tally().expect("it can be read").done > 0
    });
    server.stop();
    // The other process notices that within the length of a lease, and says so two seconds later.
    sleep(Duration::from_secs(6));
    let began = Instant::now();
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let run = Run::from(child.wait_with_output().expect("kogge ends"));
    assert_eq!((run.code, run.stdout.as_str()), (130, ""), "{run:?}");
    let (note, end) = run.stderr.split_once('\n').expect("a note");
    assert!(note.starts_with("note: The database has been out of reach for "), "{run:?}");
    assert!(end.starts_with("Stopped on request while the database postgres on"), "{run:?}");
    assert!(began.elapsed() < Duration::from_secs(10), "it took {:?}", began.elapsed());
}

/// Waits until a condition holds.
fn wait_until(otherwise: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{otherwise}");
        sleep(Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_merged_run_killed_fifty_times_has_the_right_total_even_if_clocks_are_wrong() {
    let server = Server::start();
    let address = server.schema("killed");
    let tree = ["run", "6", "--fen", KIWIPETE, "--ledger", &address, "--lease", "1"];
    let arguments = [&tree[..], &["--plies", "3", "--memory", "64M", "--entries", "2000"]].concat();
    let mut kills = Kills::new(&address, &arguments, &["mailbox", "cpu"], 8_031_647_685);
    let clock = kills::clock(server.folder());
    kills.clock = Some(&clock);
    let mut store = Postgres::connect(&address, Duration::from_secs(2), Duration::from_secs(60), || false)
        .expect("the server runs");
    let mut seen = || kills::look(Ok(&mut store));
    // The server's clock decides alone; it is wrong for a time.
    for seconds in [0, 3_600, 0, 2_200_000_000, 0] {
        server.stop();
        server.begin_with(|command| kills::set_clock(command, &clock, seconds));
        kills.kill(10, &mut seen);
    }
    kills.finish(&mut seen);
    let last = seen().and_then(|(tally, _)| tally.span).expect("it is done").1;
    assert!(last > 3_000_000_000, "some answers come from a time when the clock was ahead");
    let json = &kogge(&["ledger", &address, "--json"]).json()[0];
    assert_eq!((json["positions"].as_u64(), json["paths"].as_u64()), (Some(57_548), Some(97_862)));
}

#[test]
fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let run = kogge(&["ledger", "postgres://someone:secret@%2Fno%2Fsuch%2Ffolder/name"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("the database name on /no/such/folder failed when it was connected to"), "{run:?}");
    assert!(!run.stderr.contains("secret"), "{run:?}");
}

#[test]
fn an_address_that_cannot_be_read_is_not_repeated() {
    for address in [
        "postgres://someone:sec@ret@host/name",
        "postgres://someone:1/sec@host/name",
        "postgres:/x:sec@host",
        "postgres://sec@",
        "mysql://someone:sec@host/name",
        "host=host user=someone password=sec",
    ] {
        let run = kogge(&["ledger", address]);
        assert_eq!(run.code, 2, "{address}: {run:?}");
        assert!(run.stderr.contains("The database's address cannot be read"), "{address}: {run:?}");
        assert!(!run.stderr.contains("sec") && !run.stderr.contains("ret@"), "{address}: {run:?}");
    }
}

#[test]
fn a_password_comes_from_the_environment() {
    let access = "local all kogge trust\nlocal all guest scram-sha-256\n";
    let server = Server::start_with("", &[("pg_hba.conf", access)]);
    let mut client = postgres::Client::connect(&server.address("public"), postgres::NoTls).expect("it runs");
    client.batch_execute("CREATE USER guest PASSWORD 'p@ss'").expect("the user is new");
    let address = server.address("public").replace("//kogge@", "//guest@");
    let with = |password: &str| -> Run {
        let mut call = command(&["ledger", &address]);
        call.env("PGPASSWORD", password).env("PGPASSFILE", "/dev/null").output().expect("kogge starts").into()
    };
    let right = with("p@ss");
    assert!(right.code == 2 && right.stderr.contains("There is no ledger in"), "{right:?}");
    let wrong = with("mistaken");
    assert!(wrong.code == 3 && wrong.stderr.contains("password authentication failed"), "{wrong:?}");
    assert!(!wrong.stderr.contains("mistaken"), "{wrong:?}");
    assert!(with("").stderr.contains("password missing"), "{:?}", with(""));
}
