//! Tests `kogge run` and `kogge ledger` on files: resuming, killing, refusing, checking, exporting.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::support::kills::{self, Kills, Seen};
use crate::support::{CHESS960, KIWIPETE, Run, command, kogge, without_devices};
use kogge_ledger::{Answer, Count, LedgerStore, Size, Source, Sqlite};

/// The counts of Kiwipete to depths 4 and 5, from board/data/known-counts.tsv.
const KIWIPETE_4: &str = "4085603";
const KIWIPETE_5: &str = "193690690";
const KIWIPETE_6: u128 = 8_031_647_685;

/// Returns the path of a file with this name that does not exist.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ledgers");
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let file = folder.join(name);
    for end in ["", "-journal", ".part"] {
        let _ = std::fs::remove_file(folder.join(format!("{name}{end}")));
    }
    file
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the folder's name is text")
}

/// Runs kogge on the CPU.
fn on_cpu(arguments: &[&str]) -> Run {
    let arguments: Vec<_> = arguments.iter().chain(&["--backend", "cpu", "--threads", "2"]).copied().collect();
    kogge(&arguments)
}

/// Returns the arguments that create or resume a ledger of positions of Kiwipete.
fn kiwipete<'a>(depth: &'a str, file: &'a Path) -> Vec<&'a str> {
    vec!["run", depth, "--fen", KIWIPETE, "--ledger", text(file), "--lease", "1", "--raw"]
}

/// Returns the arguments that create or resume a merged ledger of Kiwipete.
fn merged<'a>(depth: &'a str, ply: &'a str, file: &'a Path) -> Vec<&'a str> {
    let tree = ["run", depth, "--fen", KIWIPETE, "--ledger", text(file)];
    [&tree[..], &["--lease", "1", "--plies", ply, "--memory", "64M"]].concat()
}

fn source(backend: &str) -> Source {
    let [device, variant, kogge] = ["a device", "a variant", "0"].map(str::to_owned);
    Source { backend: backend.to_owned(), device, variant, kogge, plan: String::new() }
}

#[test]
fn a_ledger_is_created_completed_and_printed_again() {
    let file = fresh("made");
    let first =
        on_cpu(&["run", "5", "--fen", KIWIPETE, "--ledger", text(&file), "--plies", "2", "--raw"]).answer("run");
    assert!(first.starts_with(&format!("Nodes searched: {KIWIPETE_5}\n")), "{first}");
    assert!(first.contains("2038 entries") && first.contains("cpu: CPU, 2 threads"), "{first}");

    // A complete ledger only prints its total.
    let again = on_cpu(&["run", "5", "--fen", KIWIPETE, "--ledger", text(&file), "--quiet"]).answer("run");
    assert_eq!(again, format!("Nodes searched: {KIWIPETE_5}\n"));

    let shown = kogge(&["ledger", text(&file)]).answer("ledger");
    for part in [
        KIWIPETE,
        "5 plies; 2038 entries at ply 2, reached in 2039 ways",
        "2038 of 2038 entries (100.0 %)",
        &format!("Total     {KIWIPETE_5}"),
    ] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    let json = &kogge(&["ledger", text(&file), "--json"]).json()[0];
    assert_eq!(json["nodes"].to_string(), KIWIPETE_5);
    assert_eq!(json["sum"].to_string(), KIWIPETE_5);
    assert_eq!(json["paths"].to_string(), "2039");
    assert_eq!(json["sources"][0]["backend"], "cpu");
}

#[test]
fn a_changed_digit_is_found() {
    let file = fresh("digit");
    on_cpu(&["run", "4", "--ledger", text(&file), "--plies", "2", "--raw"]).answer("run");
    let check = |more: &[&str]| kogge(&[&["ledger", text(&file), "--check"], more].concat());
    let intact = check(&[]).answer("check");
    assert!(intact.starts_with("400 of 400 entries are counted. Every checksum is right.\nSHA-256 "), "{intact}");
    let hash = check(&["--json"]).json()[0]["sha256"].as_str().map(str::to_owned);
    assert!(hash.is_some_and(|hash| hash.len() == 64 && intact.ends_with(&format!("{hash}\n"))), "{intact}");

    let connection = rusqlite::Connection::open(&file).expect("it is a database");
    let count: String = connection
        .query_row("SELECT count FROM kogge_entry WHERE id = 7", [], |row| row.get(0))
        .expect("it is counted");
    let digit = |first: char| if first == '9' { "8" } else { "9" };
    let changed = format!("{}{}", digit(count.chars().next().expect("it has digits")), &count[1..]);
    connection.execute("UPDATE kogge_entry SET count = ?1 WHERE id = 7", [&changed]).expect("it can be written");
    drop(connection);
    let run = check(&[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("CHANGED   entry 7") && run.stdout.contains(&changed), "{run:?}");
    assert!(run.stdout.ends_with("restore a copy, or start another ledger.\n"), "{run:?}");
    let json = &check(&["--json"]).json()[0];
    assert_eq!((json["changed"][0]["count"].to_string(), &json["sha256"]), (changed, &serde_json::Value::Null));
    // There is no total.
    for run in [kogge(&["ledger", text(&file)]), on_cpu(&["run", "4", "--ledger", text(&file)])] {
        assert!(run.code == 2 && run.stderr.contains("the count of entry 7 "), "{run:?}");
        assert!(!run.stdout.contains("Nodes searched") && !run.stdout.contains("Total"), "{run:?}");
    }
}

#[test]
fn totals_agree_with_perft_for_all_kinds_of_roots() {
    for (index, (depth, fen)) in
        [("4", CHESS960), ("0", KIWIPETE), ("1", KIWIPETE), ("3", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")].iter().enumerate()
    {
        let file = fresh(&format!("root-{index}"));
        let perft = on_cpu(&["perft", depth, "--fen", fen, "--quiet"]).answer("perft");
        let run = on_cpu(&["run", depth, "--fen", fen, "--ledger", text(&file), "--quiet"]).answer("run");
        assert_eq!(run, perft, "{fen} at {depth}");
    }
}

#[test]
fn events_are_json_lines() {
    let file = fresh("events");
    let mut arguments = kiwipete("5", &file);
    arguments.extend(["--json", "--device", "cpu,mailbox"]);
    let run = kogge(&arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines = run.json();
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    assert_eq!((first["event"].as_str(), first["made"].as_bool()), (Some("started"), Some(true)));
    assert_eq!((last["event"].as_str(), last["nodes"].to_string()), (Some("done"), KIWIPETE_5.to_owned()));
    let entries =
        |line: &serde_json::Value, index: usize| line["devices"][index]["entries"].as_u64().expect("a number");
    assert_eq!(first["entries"].as_u64(), Some(entries(last, 0) + entries(last, 1)));
    assert!(entries(last, 0) > entries(last, 1), "the faster device takes more: {last}");
    for line in &lines[1..lines.len() - 1] {
        assert_eq!(line["event"], "progress");
    }
}

/// Returns what another process sees of a ledger in a file.
#[cfg(unix)]
fn seen(file: &Path) -> impl FnMut() -> Seen {
    || kills::look(Sqlite::open(file).as_mut().map(|store| store as _).map_err(|error| error.clone()))
}

#[cfg(unix)]
#[test]
fn killed_fifty_times_the_total_is_right() {
    let file = fresh("killed");
    let arguments = kiwipete("5", &file);
    let mut kills = Kills::new(text(&file), &arguments, &["mailbox"], KIWIPETE_5.parse().expect("a number"));
    kills.kill(50, seen(&file));
    kills.finish(seen(&file));
}

#[cfg(unix)]
#[test]
fn a_merged_run_killed_fifty_times_has_the_right_total_even_if_clocks_are_wrong() {
    let file = fresh("merged-killed");
    let arguments = [&merged("6", "3", &file)[..], &["--entries", "2000"]].concat();
    let mut kills = Kills::new(text(&file), &arguments, &["mailbox", "cpu"], KIWIPETE_6);
    let clock = cfg!(target_os = "linux").then(|| kills::clock(Path::new(env!("CARGO_TARGET_TMPDIR"))));
    kills.clock = clock.as_deref();
    kills.kill(50, seen(&file));
    kills.finish(seen(&file));
    let last =
        Sqlite::open(&file).and_then(|mut store| store.tally()).expect("it was made").span.expect("it is done").1;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs() as i64;
    assert_eq!(last > now + 3_000, clock.is_some(), "some answers come from runs whose clocks are ahead");
    let json = &kogge(&["ledger", text(&file), "--json"]).json()[0];
    assert_eq!((json["positions"].as_u64(), json["paths"].as_u64()), (Some(57_548), Some(97_862)));
}

#[test]
fn two_processes_share_a_file() {
    let file = fresh("shared");
    let arguments = kiwipete("5", &file);
    let start = |backend| {
        let backend = ["--backend", backend, "--threads", "1", "--json"];
        let mut command = command(&[&arguments[..], &backend].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kogge starts")
    };
    let children = [start("cpu"), start("mailbox"), start("cpu")];
    for child in children {
        let run = Run::from(child.wait_with_output().expect("kogge ends"));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert_eq!(run.json().last().expect("a line")["nodes"].to_string(), KIWIPETE_5);
    }
}

#[test]
fn a_worker_that_died_with_a_lease_is_waited_for_no_longer_than_the_lease() {
    let file = fresh("orphaned");
    // The first process stops before it counts anything, and a dead worker still holds a few entries.
    interrupted("5", &file);
    let mut store = Sqlite::open(&file).expect("it was made");
    let start = Instant::now();
    assert_eq!(store.lease("dead", 7, Duration::from_secs(3)).expect("it can be written").len(), 7);
    let total = on_cpu(&[&kiwipete("5", &file)[..], &["--quiet"]].concat()).answer("run");
    assert_eq!(total, format!("Nodes searched: {KIWIPETE_5}\n"));
    assert!(start.elapsed() > Duration::from_secs(2), "the lease was not respected");
    assert_eq!(store.extend("dead", &[0], Duration::from_secs(1)), Ok(0), "the lease is lost");
}

#[test]
fn a_lease_of_a_clock_that_was_ahead_is_no_lease() {
    let file = fresh("ahead");
    interrupted("4", &file);
    let connection = rusqlite::Connection::open(&file).expect("it is a database");
    // An hour ahead, 70 years ahead, and by a worker that does not tell the length of its leases.
    for (ids, worker, seconds) in [
        ("id < 5", "host/1/2/0 10s", 3_600),
        ("id IN (6, 7)", "host/1/2/1 60s", 2_200_000_000),
        ("id = 9", "old", 90_000_i64),
    ] {
        let update = format!(
            "UPDATE kogge_entry SET worker = ?1, leased_until = unixepoch() + ?2 WHERE count IS NULL AND {ids}"
        );
        connection.execute(&update, rusqlite::params![worker, seconds]).expect("it can be written");
    }
    drop(connection);
    let shown = kogge(&["ledger", text(&file)]).answer("ledger");
    assert!(shown.contains("At work   0 devices on 0 entries"), "{shown}");
    let line = [&kiwipete("4", &file)[..], &["--quiet", "--backend", "cpu"]].concat();
    let mut child = command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kogge starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while child.try_wait().expect("it was started").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("kogge is there");
            panic!("the run waits for leases of the future");
        }
        sleep(Duration::from_millis(20));
    }
    let run = Run::from(child.wait_with_output().expect("kogge ends"));
    assert_eq!(run.answer("run"), format!("Nodes searched: {KIWIPETE_4}\n"));
}

#[test]
fn a_wait_for_leases_is_told_and_can_be_ended() {
    let file = fresh("waits");
    interrupted("4", &file);
    let mut store = Sqlite::open(&file).expect("it was made");
    let leased =
        store.lease("\u{1b}[31mdead/1/2/0 3600s", 7, Duration::from_secs(3_600)).expect("it can be written").len();
    let line = [&kiwipete("4", &file)[..], &["--backend", "cpu"]].concat();
    let mut child = command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kogge starts");
    let errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let told =
        errors.lines().map(|line| line.expect("kogge writes UTF-8")).find(|line| !line.starts_with("note: After "));
    let told = told.expect("a note");
    let expected =
        format!("note: Waiting for {leased} entries that other processes count (\\u{{1b}}[31mdead/1/2/0 3600s).");
    assert!(
        told.starts_with(&expected) && told.contains(" the wait is over in 59 min 5") && told.contains("--release"),
        "{told}"
    );
    let released = kogge(&["ledger", text(&file), "--release"]).answer("ledger");
    assert_eq!(released, format!("{leased} entries were leased, and can be counted by any process now.\n"));
    let run = Run::from(child.wait_with_output().expect("kogge ends"));
    assert!(run.stdout.contains(&format!("\nNodes searched: {KIWIPETE_4}\n")), "{run:?}");
    assert_eq!(kogge(&["ledger", text(&file), "--release", "--json"]).json()[0]["entries"], 0);
}

/// Creates a ledger of Kiwipete with most entries open.
fn interrupted(depth: &str, file: &Path) {
    let mut child = command(&[&kiwipete(depth, file)[..], &["--backend", "mailbox", "--quiet"]].concat())
        .spawn()
        .expect("kogge starts");
    let start = Instant::now();
    while Sqlite::open(file).and_then(|mut store| store.header()).map_or(true, |header| header.is_none()) {
        assert!(start.elapsed() < Duration::from_secs(60), "no ledger was made");
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("kogge is there");
    child.wait().expect("kogge ends");
    sleep(Duration::from_millis(1100));
}

#[test]
fn ledgers_of_other_trees_are_refused() {
    let file = fresh("other");
    interrupted("5", &file);
    let before = std::fs::read(&file).expect("it was made");
    let place = text(&file);
    for (arguments, reason) in [
        (vec!["run", "6", "--fen", KIWIPETE, "--ledger", place], "is a ledger of depth 5 from"),
        (vec!["run", "5", "--ledger", place], "is a ledger of depth 5 from"),
        (vec!["run", "5", "--fen", KIWIPETE, "--moves", "a2a3", "--ledger", place], "is a ledger of depth 5 from"),
        (vec!["run", "5", "--fen", KIWIPETE, "--ledger", place, "--plies", "1"], "with its entries at ply 2, not of"),
        (vec!["run", "9", "--ledger", place, "--plies", "2", "--raw", "--entries", "5"], "cannot be used with"),
        (vec!["run", "5", "--fen", KIWIPETE, "--ledger", place, "--plies", "6"], "choose one from 0 to 5"),
        (vec!["run", "5", "--ledger", "/no/such/folder/ledger"], "no file can be made in the folder /no/such/folder"),
        (vec!["ledger", "/no/such/ledger"], "There is no ledger in /no/such/ledger"),
        (vec!["ledger", env!("CARGO_MANIFEST_DIR")], "failed when it was opened"),
        (vec!["ledger", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], "is not a ledger of kogge"),
        (vec!["ledger", place, "--verify", "0"], "a share greater than 0"),
        (vec!["ledger", place, "--verify", "101%"], "a share greater than 0"),
        (vec!["ledger", place, "--verify", "1", "--settle"], "cannot be used with"),
        (vec!["ledger", place, "--export", "ledger.txt"], "neither a .csv nor a .parquet file nor a folder"),
        (vec!["run", "5", "--ledger", place, "--device", "gpu"], "expected a device such as opencl:1"),
        (vec!["run", "5", "--ledger", place, "--device", "cpu,mailbox", "--backend", "cpu"], "leave --backend out"),
        (
            vec!["divide", "5", "--device", "all"],
            "Only kogge perft, run, bench and selfcheck work with several devices",
        ),
        (vec!["perft", "5", "--device", "all", "--plan"], "--hash and --plan work with one device"),
    ] {
        let run = kogge(&arguments);
        assert!(run.code == 2 || run.code == 3, "{arguments:?}: {run:?}");
        assert!(run.stdout.is_empty() && run.stderr.starts_with("error: ") && run.stderr.contains(reason), "{run:?}");
    }
    assert_eq!(std::fs::read(&file).expect("it is there"), before, "a ledger that is refused is left as it is");
}

/// A limit on file sizes simulates a full disk; setting the limit needs no privileges.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_clearly_and_the_ledger_still_opens() {
    let file = fresh("full");
    interrupted("5", &file);
    let size = std::fs::metadata(&file).expect("it was made").len();
    let limited = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", size / 512 + 8);
    let mut arguments = kiwipete("5", &file);
    arguments.extend(["--backend", "cpu"]);
    let run =
        std::process::Command::new("sh").args(["-c", &limited, env!("CARGO_BIN_EXE_kogge")]).args(&arguments).output();
    let run = Run::from(run.expect("there is a shell"));
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.starts_with("error: The ledger in ") && run.stderr.contains("disk"), "{run:?}");
    let json = &kogge(&["ledger", text(&file), "--json"]).json()[0];
    assert!(json["done"].as_u64() < Some(2038) && json["nodes"].is_null(), "{json}");
    let total = on_cpu(&[&kiwipete("5", &file)[..], &["--quiet"]].concat()).answer("run");
    assert_eq!(total, format!("Nodes searched: {KIWIPETE_5}\n"));
}

#[test]
fn another_format_version_is_refused() {
    let file = fresh("version");
    interrupted("5", &file);
    let connection = rusqlite::Connection::open(&file).expect("it is a database");
    connection.execute("UPDATE kogge_ledger SET format = 999", []).expect("it can be written");
    drop(connection);
    for run in [on_cpu(&kiwipete("5", &file)), kogge(&["ledger", text(&file)])] {
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("format version 999, but this kogge reads and writes version 2;"), "{run:?}");
    }
}

#[test]
fn a_wrong_count_is_found_and_settled() {
    let file = fresh("wrong");
    interrupted("4", &file);
    // A wrong answer is recorded before the run counts.
    let mut store = Sqlite::open(&file).expect("it was made");
    let open = store.rows(None, 10_000).expect("it can be read").into_iter().find(|row| row.given.is_none());
    let id = open.expect("most entries are open").entry.id;
    store.record(&source("opencl"), &[Answer { id, count: (1 << 70).into() }]).expect("it can be written");
    let wrong = on_cpu(&[&kiwipete("4", &file)[..], &["--quiet"]].concat()).answer("run");
    assert_ne!(wrong, format!("Nodes searched: {KIWIPETE_4}\n"));

    let place = text(&file);
    let same = without_devices(&["ledger", place, "--verify", "1", "--backend", "cpu"]).output().expect("kogge starts");
    assert_eq!(Run::from(same).code, 2, "the cpu does not check what the cpu counted");
    let verified = without_devices(&["ledger", place, "--verify", "100%"]).output().expect("kogge starts");
    let verified = Run::from(verified);
    assert_eq!((verified.code, verified.stderr.as_str()), (1, ""));
    let difference = format!("DIFFERENT  entry {id}, ");
    assert!(verified.stdout.contains(&difference) && verified.stdout.contains("mailbox"), "{}", verified.stdout);

    // Now there is no total, and an error gives the reason.
    let refused = on_cpu(&kiwipete("4", &file));
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("1 entries of the ledger") && refused.stderr.contains("--settle"), "{refused:?}");
    let shown = kogge(&["ledger", place]).answer("ledger");
    assert!(shown.contains(&format!("Disputed  entry {id}")) && shown.contains("no total before"), "{shown}");

    let settled = without_devices(&["ledger", place, "--settle", "--json"]).output().expect("kogge starts");
    let settled = Run::from(settled);
    assert_eq!(settled.code, 0, "{settled:?}");
    let outcome = &settled.json()[0]["settled"][0];
    assert_eq!((outcome["id"].as_u64(), outcome["answers"].as_array().map(Vec::len)), (Some(id), Some(3)));
    let right = on_cpu(&[&kiwipete("4", &file)[..], &["--quiet"]].concat()).answer("run");
    assert_eq!(right, format!("Nodes searched: {KIWIPETE_4}\n"));
}

#[test]
fn merging_is_the_default() {
    let file = fresh("merged");
    let place = text(&file);
    let first = on_cpu(&["run", "5", "--fen", KIWIPETE, "--ledger", place, "-v"]).answer("run");
    assert!(first.starts_with(&format!("Nodes searched: {KIWIPETE_5}\nPly ")), "{first}");
    assert!(first.contains(" distinct positions.\n") && first.contains("equal positions merged"), "{first}");
    let again = on_cpu(&["run", "5", "--fen", KIWIPETE, "--ledger", place, "--quiet"]).answer("run");
    assert_eq!(again, format!("Nodes searched: {KIWIPETE_5}\n"));
    let raw = on_cpu(&["run", "5", "--fen", KIWIPETE, "--ledger", place, "--raw"]);
    assert!(raw.code == 2 && raw.stderr.contains("with merging, not of depth 5"), "{raw:?}");
    let shown = kogge(&["ledger", place]).answer("ledger");
    for part in ["entries are ranges of the positions at ply", "whole down to ply", &format!("Total     {KIWIPETE_5}")]
    {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
}

#[test]
fn merged_entries_are_checked_and_settled() {
    let file = fresh("merged-wrong");
    let place = text(&file);
    on_cpu(&merged("4", "3", &file)).answer("run");
    let verify = |how: &[&str]| {
        let run = without_devices(&[&["ledger", place, "--verify", "10%"], how].concat()).output();
        Run::from(run.expect("kogge starts"))
    };
    let same = verify(&["--backend", "cpu", "--threads", "2", "--memory", "64M"]);
    assert!(same.code == 2 && same.stderr.contains("another --backend, or merged ones with a --memory"), "{same:?}");
    let other_plan = verify(&["--backend", "cpu", "--threads", "2", "--memory", "160K"]);
    assert_eq!((other_plan.code, other_plan.stderr.as_str()), (0, ""), "{other_plan:?}");
    let note = "had been counted by the same backend, so they are not verified.\n";
    assert!(other_plan.stdout.ends_with(note), "{other_plan:?}");
    let verified = || kogge(&["ledger", place, "--json"]).json()[0]["verified"].as_u64();
    assert_eq!(verified(), Some(0));
    let by_mailbox = verify(&["--memory", "64M"]);
    assert!(by_mailbox.code == 0 && !by_mailbox.stdout.contains("not verified"), "{by_mailbox:?}");
    assert!(verified() > Some(0), "the mailbox checks the CPU");

    let mut store = Sqlite::open(&file).expect("it was made");
    let row = store.rows(None, 10_000).expect("it can be read").swap_remove(3);
    let count = row.given.expect("it is counted").count;
    let size = count.size.map(|size| Size { paths: size.paths + 1, ..size });
    store.record(&source("opencl"), &[Answer { id: 3, count: Count { size, ..count } }]).expect("it can be written");
    let json = &kogge(&["ledger", place, "--json"]).json()[0];
    let dispute = &json["disputes"][0];
    assert_eq!((dispute["id"].as_u64(), dispute["first"].as_str().map(str::len)), (Some(3), Some(40)));
    let answers = dispute["answers"].as_array().expect("a list");
    assert_eq!(answers[0]["count"]["leaves"].to_string(), count.leaves.to_string());
    // Entry 3 may be among the verified entries; then later answers agree with the first one.
    let paths: Vec<_> = answers.iter().map(|answer| answer["count"]["paths"].as_u64()).collect();
    assert!(paths[1..].contains(&paths[0].map(|paths| paths + 1)), "{paths:?}");
    let shown = kogge(&["ledger", place]).answer("ledger");
    assert!(shown.contains("Disputed  entry 3, keys 0"), "{shown}");

    let settled = without_devices(&["ledger", place, "--settle", "--memory", "64M"]).output().expect("kogge starts");
    let settled = Run::from(settled).answer("ledger");
    assert!(settled.contains("entry 3, keys 0") && settled.contains("No entry is disputed."), "{settled}");
    let total = on_cpu(&[&merged("4", "3", &file)[..], &["--quiet"]].concat()).answer("run");
    assert_eq!(total, format!("Nodes searched: {KIWIPETE_4}\n"));
}

#[test]
fn backends_share_a_merged_ledger() {
    let listed = kogge(&["devices", "--json"]).json().remove(0);
    let rows = listed["devices"].as_array().expect("a list");
    let usable = |name: &str| rows.iter().any(|row| row["backend"] == name && row["usable"] == true);
    for gpu in ["mailbox", "opencl", "wgpu"].into_iter().filter(|name| usable(name)) {
        let file = fresh(&format!("merged-{gpu}"));
        let devices = format!("cpu,{gpu}");
        let run = kogge(&[&merged("4", "2", &file)[..], &["--device", &devices, "--entries", "40", "--json"]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{gpu}: {}", run.stdout);
        let lines = run.json();
        let (started, done) = (&lines[0], &lines[lines.len() - 1]);
        assert_eq!((&started["merged"], &started["made"]), (&true.into(), &true.into()));
        assert_eq!((done["nodes"].to_string(), done["positions"].as_u64()), (KIWIPETE_4.to_owned(), Some(2038)));
        let counted = |index: usize| done["devices"][index]["entries"].as_u64().expect("a number");
        assert_eq!(Some(counted(0) + counted(1)), started["entries"].as_u64(), "{done}");
        if gpu != "mailbox" {
            let checked =
                kogge(&["ledger", text(&file), "--verify", "100%", "--memory", "64M", "--backend", "mailbox"]);
            assert_eq!((checked.code, checked.stderr.as_str()), (0, ""), "{checked:?}");
        }
    }
}

/// The table of Kiwipete at depth 4, from data/categories.tsv.
const KINDS: &str = "\
depth    nodes  captures  e.p.  castles  promotions  checks  discovered  double  mates
    4  4085603    757163  1929   128013       15172   25523          42       6     43
";

#[test]
fn kinds_of_moves_are_kept_by_all_backends() {
    let listed = kogge(&["devices", "--json"]).json().remove(0);
    let rows = listed["devices"].as_array().expect("a list");
    let usable = |name: &str| rows.iter().any(|row| row["backend"] == name && row["usable"] == true);
    for name in ["mailbox", "opencl", "wgpu"].into_iter().filter(|name| usable(name)) {
        let file = fresh(&format!("kinds-{name}"));
        let devices = format!("cpu,{name}");
        let run =
            [&merged("4", "2", &file)[..], &["--stats", "--device", &devices, "--entries", "40", "--json"]].concat();
        let run = kogge(&run);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}: {}", run.stdout);
        let done = run.json().pop().expect("there is a last line");
        assert_eq!((done["kinds"]["nodes"].to_string(), &done["kinds"]["double"]), (KIWIPETE_4.to_owned(), &6.into()));
        if name != "mailbox" {
            let checked =
                kogge(&["ledger", text(&file), "--verify", "100%", "--memory", "64M", "--backend", "mailbox"]);
            assert_eq!((checked.code, checked.stderr.as_str()), (0, ""), "{checked:?}");
        }
        let again = on_cpu(&[&merged("4", "2", &file)[..], &["--quiet"]].concat()).answer("run");
        assert_eq!(again, KINDS, "a ledger with kinds is resumed with them");
        let shown = kogge(&["ledger", text(&file)]).answer("ledger");
        assert!(shown.ends_with(&format!("Total     {KIWIPETE_4}\n{KINDS}")), "{shown}");
    }
    let file = fresh("no-kinds");
    on_cpu(&merged("4", "2", &file)).answer("run");
    let other = on_cpu(&[&merged("4", "2", &file)[..], &["--stats"]].concat());
    assert!(other.code == 2 && other.stderr.contains("counting leaves, not of"), "{other:?}");
    let shallow = on_cpu(&["run", "1", "--ledger", text(&fresh("shallow-kinds")), "--stats"]);
    assert!(shallow.code == 2 && shallow.stderr.contains("at least one if leaves are counted by kinds"), "{shallow:?}");
}

#[test]
fn perft_on_several_devices_is_one_count() {
    for (how, merged) in [(&["--plies", "3", "--ranges", "20"][..], true), (&["--raw"], false)] {
        let tree = ["perft", "4", "--fen", KIWIPETE, "--device", "cpu,mailbox", "--json"];
        let run = kogge(&[&tree[..], how].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        let report = run.json().remove(0);
        assert_eq!((report["nodes"].to_string(), &report["deduplicated"]), (KIWIPETE_4.to_owned(), &merged.into()));
        assert_eq!(report["merged"]["positions"].as_u64(), merged.then_some(57_548));
        let devices = report["devices"].as_array().expect("a list");
        assert_eq!(
            devices.iter().map(|device| device["backend"].as_str()).collect::<Vec<_>>(),
            [Some("cpu"), Some("mailbox")]
        );
        let leaves = |device: &serde_json::Value| device["leaves"].as_u64().expect("a number");
        assert_eq!(devices.iter().map(leaves).sum::<u64>().to_string(), KIWIPETE_4);
    }
    let text = kogge(&["perft", "5", "--fen", KIWIPETE, "--device", "cpu,mailbox"]).answer("perft");
    assert!(text.starts_with(&format!("Nodes searched: {KIWIPETE_5}\n")) && text.contains("mailbox: "), "{text}");
    // A list with one device means that device.
    let one = kogge(&["perft", "5", "--fen", KIWIPETE, "--device", "cpu", "--json"]).json().remove(0);
    assert_eq!((one["nodes"].to_string(), one["backend"].as_str()), (KIWIPETE_5.to_owned(), Some("cpu")));
}
