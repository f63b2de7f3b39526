//! Tests that nothing stalls, nothing is silent and nothing is left behind: signals, wrong calls, failed writes.

#[cfg(unix)]
use std::path::Path;
use std::process::Stdio;
#[cfg(unix)]
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::support::{KIWIPETE, Run, command, kogge, kogge_with_input, without_devices, words};
#[cfg(unix)]
use kogge_ledger::{LedgerStore, Sqlite};

/// Returns the path of a new folder.
fn folder(name: &str) -> String {
    let folder = format!("{}/faults-{name}", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder
}

/// Waits until `is_so`, but not forever.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(unix)]
fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("there is kill").success());
}

#[cfg(unix)]
#[test]
fn signals_release_leases() {
    let folder = folder("signals");
    // `timeout` sends its signal to the process, and then to its group.
    for signals in [&["-INT"][..], &["-TERM"], &["-HUP"], &["-INT", "-INT"], &["-TERM", "-TERM"]] {
        let file = format!("{folder}/{}{}", signals[0], signals.len());
        let line = ["run", "6", "--fen", KIWIPETE, "--raw", "--ledger", &file, "--backend", "cpu", "--threads", "1"];
        let mut child = command(&line);
        let child = child.args(["--lease", "3600"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let leased = || Sqlite::open(Path::new(&file)).and_then(|mut store| store.tally()).map_or(0, |it| it.leased);
        wait_until("nothing is leased", || leased() > 0);
        signals.iter().for_each(|signal| send(signal, &child));
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!(run.code, 130, "{signals:?}: {run:?}");
        assert!(
            run.stderr.starts_with("Stopped on request: ") && run.stderr.contains(" entries are done and kept"),
            "{run:?}"
        );
        assert_eq!(leased(), 0, "{signals:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn signals_end_engines_with_their_children() {
    let folder = folder("engines");
    for signal in ["-INT", "-TERM", "-HUP"] {
        let (script, note) = (format!("{folder}/engine.sh"), format!("{folder}/{signal}"));
        let engine = format!("echo uciok\nsleep 1000 &\necho $! > '{note}'\nwhile true; do sleep 1; done\n");
        std::fs::write(&script, engine).unwrap();
        let mut child = without_devices(&["diff", "2", "--against", &format!("engine:sh {script}")])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut sleeper = String::new();
        wait_until("the engine does not start", || {
            sleeper = std::fs::read_to_string(&note).unwrap_or_default();
            sleeper.ends_with('\n')
        });
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let status = format!("/proc/{}/status", sleeper.trim());
        // A child that has ended may wait for its new parent.
        let is_over = || std::fs::read_to_string(&status).map_or(true, |status| status.contains("State:\tZ"));
        wait_until("the engine's child goes on", is_over);
    }
}

#[cfg(unix)]
#[test]
fn nohup_protects_a_run() {
    let file = format!("{}/nohup", folder("nohup"));
    let line = ["run", "6", "--fen", KIWIPETE, "--raw", "--ledger", &file, "--backend", "cpu", "--threads", "1"];
    let kogge = env!("CARGO_BIN_EXE_kogge");
    let mut child = Command::new("sh");
    child.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", kogge]).args(line).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    let leased = || Sqlite::open(Path::new(&file)).and_then(|mut store| store.tally()).map_or(0, |it| it.leased);
    wait_until("nothing is leased", || leased() > 0);
    send("-HUP", &child);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(child.try_wait().unwrap(), None, "a hang-up that is ignored ended the run");
    send("-TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn threads_are_at_most_a_few_for_each_core() {
    let start = Instant::now();
    let run = kogge(&words("perft 5 --threads 4096 --backend cpu --json"));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(
        run.code == 0 && run.stderr.starts_with("note: 4096 threads are many more than this machine has"),
        "{run:?}"
    );
    assert_eq!(run.json()[0]["nodes"], 4_865_609);
}

#[test]
fn refused_exports_and_ledgers_leave_nothing_behind() {
    let folder = folder("leftovers");
    let in_folder = |line: &[&str]| Run::from(command(line).current_dir(&folder).output().unwrap());
    for place in ["", ":memory:", "file:x", "file:x?mode=memory"] {
        for line in [&["run", "3", "--ledger", place][..], &["ledger", place]] {
            let run = in_folder(line);
            assert!(run.code == 2 && run.stderr.contains("is no path of a file"), "{line:?}: {run:?}");
        }
    }
    for more in [&["--ply", "6"][..], &["--device", "cpu,cpu"], &["--device", "opencl:99"], &["--fen", "x"]] {
        let run = in_folder(&[&["run", "5", "--ledger", "six.ledger"], more].concat());
        assert_ne!(run.code, 0, "{more:?}: {run:?}");
    }
    let missing = in_folder(&["run", "5", "--ledger", "no/such/six.ledger"]);
    assert!(missing.code == 3 && missing.stderr.contains("no file can be made in the folder no/such ("), "{missing:?}");
    let left = || std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(left(), [""; 0]);

    assert_eq!(in_folder(&["run", "2", "--raw", "--ledger", "two.ledger", "--backend", "cpu"]).code, 0);
    let run = in_folder(&["ledger", "two.ledger", "--export", "-"]);
    assert!(run.code == 2 && run.stderr.contains("cannot be exported to standard output"), "{run:?}");
    std::fs::create_dir(format!("{folder}/taken.csv")).unwrap();
    std::fs::write(format!("{folder}/taken.csv/file"), "").unwrap();
    let run = in_folder(&["ledger", "two.ledger", "--export", "taken.csv"]);
    assert_eq!(run.code, 3, "{run:?}");
    let mut names = left();
    names.sort();
    assert_eq!(names, ["taken.csv", "two.ledger"]);
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for line in ["--help", "perft --help", "--version", "help perft"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = Run::from(command(&words(line)).stdout(full).stderr(Stdio::piped()).output().unwrap());
        assert!(run.code == 3 && run.stderr.contains("output could not be written"), "{line}: {run:?}");
    }
    assert!(kogge(&["help", "perft"]).answer("help perft").contains("Count the leaves of a tree"));
}

#[test]
fn calls_that_mean_nothing_are_refused() {
    let same = kogge(&words("diff 3 --backend cpu --against cpu"));
    assert!(same.code == 2 && same.stderr.contains("Both sides would be the same device (cpu: CPU"), "{same:?}");
    let tuned = kogge(&["tune", "--seconds", "1"]);
    let has_gpu = kogge(&["devices", "--json"]).stdout.contains("e GPU\"");
    assert!(
        has_gpu || tuned.code == 2 && tuned.stderr.contains("A count would use no GPU here") || tuned.code == 3,
        "{tuned:?}"
    );
    let large = kogge(&words("perft 3 --hash 99999999999999T"));
    assert!(large.code == 2 && large.stderr.contains("more than a machine can address"), "{large:?}");
    let said = kogge_with_input(&["uci"], b"position startpos\ngo depth -1\ngo perft -1\ngo perft abc\nquit\n");
    let refused = "is not possible; expected a number from 0.\n";
    let expected: String =
        ["depth -1", "perft -1", "perft abc"].map(|limit| format!("info string \"go {limit}\" {refused}")).concat();
    assert_eq!(said.answer("uci"), expected);
}

#[test]
fn plans_name_times_in_units_for_people() {
    let plan = kogge(&words("perft 24 --plan --backend cpu --plies 4 --memory 64M")).answer("plan");
    assert!(plan.contains(" years"), "{plan}");
}
