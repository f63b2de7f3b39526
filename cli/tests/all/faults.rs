//! Tests that nothing stalls, nothing is silent and nothing is left behind: signals, wrong calls, failed writes.

use std::io::{BufRead, BufReader};
#[cfg(target_os = "linux")]
use std::io::{Read, Write};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
#[cfg(unix)]
use std::path::Path;
use std::process::Stdio;
#[cfg(unix)]
use std::process::{Child, Command};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::support::processes::seconds_computed;
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

#[cfg(target_os = "linux")]
fn cores() -> u64 {
    std::thread::available_parallelism().expect("a number of cores").get() as u64
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
        run.code == 0 && run.stderr.starts_with("note: 4096 threads are far more than this machine has"),
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
            assert!(run.code == 2 && run.stderr.contains("is not the path of a file"), "{line:?}: {run:?}");
        }
    }
    for more in [&["--plies", "6"][..], &["--device", "cpu,cpu"], &["--device", "opencl:99"], &["--fen", "x"]] {
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
    let refused = "is not possible; expected a number of at least 0.\n";
    let expected: String =
        ["depth -1", "perft -1", "perft abc"].map(|limit| format!("info string \"go {limit}\" {refused}")).concat();
    // Only a search has a best move and a score, and a program that asked for them waits for them.
    let answer = said.answer("uci");
    let (notes, rest): (Vec<_>, Vec<_>) =
        answer.split_inclusive('\n').partition(|line| line.starts_with("info string "));
    assert_eq!(notes.concat(), expected);
    assert!(
        matches!(rest[..], [score, best] if score.starts_with("info score ") && best.starts_with("bestmove ")),
        "{rest:?}"
    );
}

#[test]
fn plans_name_times_in_units_for_people() {
    let plan = kogge(&words("perft 24 --plan --backend cpu --plies 4 --memory 64M")).answer("plan");
    assert!(plan.contains(" years"), "{plan}");
}

#[test]
fn help_shows_what_a_command_uses_and_fits_a_screen() {
    for name in ["completions", "man", "devices", "position show"] {
        let help = kogge(&words(&format!("{name} --help"))).answer(name);
        assert!(!help.contains("--backend") && !help.contains("--threads"), "{help}");
    }
    for name in ["perft", "run", "ledger", "bench", "suite", "stats", "diff", "tune", "uci", "selfcheck"] {
        let help = kogge(&[name, "--help"]).answer(name);
        assert!(help.contains("--backend") && help.contains("--device"), "{help}");
        assert_eq!(help.contains("opencl:0; or all"), ["perft", "run", "bench", "selfcheck"].contains(&name), "{help}");
        assert!(help.lines().count() <= 60, "{} lines: {help}", help.lines().count());
    }
    // The options are still accepted before every command.
    kogge(&words("--backend cpu --threads 1 completions bash")).answer("completions");
    assert_eq!(kogge(&words("--backend mailbox perft 3 --json")).json()[0]["backend"], "mailbox");
    assert_eq!(kogge(&words("--device mailbox perft 3 --json")).json()[0]["backend"], "mailbox");
}

#[test]
fn devices_mark_the_one_that_a_count_would_use() {
    let listed = kogge(&["devices", "--json"]).json().remove(0);
    let rows = listed["devices"].as_array().expect("a list");
    let preferred: Vec<_> = rows.iter().filter(|row| row["preferred"] == true).collect();
    assert_eq!(preferred.len(), 1, "{listed}");
    if preferred[0]["backend"] != "cpu" {
        let counted = kogge(&words("perft 8 --json"));
        assert_eq!(counted.json()[0]["backend"], preferred[0]["backend"]);
    }
    assert_eq!(kogge(&["devices"]).stdout.matches("; used for large counts\n").count(), 1);
}

#[test]
fn work_without_a_terminal_says_how_far_it_is() {
    let folder = folder("reports");
    let ledger = ["run", "9", "--raw", "--ledger", &format!("{folder}/six")];
    for (line, part) in [(&["perft", "12"][..], "% is done: "), (&ledger, "entries are done: ")] {
        let start = Instant::now();
        let mut child = command(&[line, &["--backend", "cpu"]].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let report =
            lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("note: After ")).expect("a report");
        let took = start.elapsed().as_secs_f64();
        #[cfg(target_os = "linux")]
        let computed = seconds_computed(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        let (seconds, rest) = report["note: After ".len()..].split_once(" s, ").expect("a time in seconds");
        // The first report is due after two seconds. On a busy machine it comes later, but not after more work. Seconds are rounded up.
        let seconds: f64 = seconds.parse().expect("whole seconds");
        assert!(seconds >= 2.0 && seconds <= took.ceil(), "{report} (in {took} s)");
        #[cfg(target_os = "linux")]
        assert!(computed <= 3 * cores(), "{report} ({computed} s computed)");
        assert!(rest.contains(part) && rest.contains("left") && !rest.contains("0.00 leaves/s"), "{report}");
    }
    let mut quiet = command(&words("perft 12 --quiet --backend cpu")).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    quiet.kill().unwrap();
    assert_eq!(quiet.wait_with_output().unwrap().stderr, b"");
}

#[test]
fn a_count_of_days_says_so_before_it_starts() {
    for (line, is_long) in
        [("perft 20 --backend cpu", true), ("perft 20 --raw --backend cpu", true), ("perft 9 --backend cpu", false)]
    {
        let mut child = command(&words(line)).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next().expect("a line").unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let says = first.starts_with("note: This count will take about ") && first.contains(" --ledger FILE\" keeps");
        assert_eq!(says, is_long, "{line}: {first}");
    }
}

#[test]
fn names_in_a_ledger_cannot_change_the_terminal() {
    let folder = folder("names");
    let file = format!("{folder}/two\u{1b}[31m.ledger");
    kogge(&["run", "2", "--raw", "--ledger", &file, "--backend", "cpu", "--quiet"]).answer("run");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute("UPDATE kogge_source SET device = 'CPU\u{1b}[2J\u{9b}', plan = char(27) || 'c'", []).unwrap();
    for line in [
        &["ledger", &file][..],
        &["ledger", &file, "--verify", "1"],
        &["ledger", &file, "--settle"],
        &["run", "3", "--ledger", &file],
    ] {
        let run = kogge(line);
        let bad = |text: &str| text.chars().any(|letter| letter.is_control() && letter != '\n');
        assert!(!bad(&run.stdout) && !bad(&run.stderr), "{line:?}: {run:?}");
    }
}

/// Every damage is named as such, not as an error of SQLite or of no device.
#[test]
fn damage_is_named() {
    let folder = folder("damage");
    for (index, (damage, reason)) in [
        ("DROP TABLE kogge_answer", "no such table"),
        ("ALTER TABLE kogge_entry DROP COLUMN mates", "mates"),
        ("DELETE FROM kogge_ledger", "a row is missing"),
        ("UPDATE kogge_ledger SET depth = 'x'", "a value cannot be read"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = format!("{folder}/{index}");
        kogge(&["run", "2", "--raw", "--ledger", &file, "--backend", "cpu", "--quiet"]).answer("run");
        rusqlite::Connection::open(&file)
            .unwrap()
            .execute_batch(&format!("PRAGMA foreign_keys = OFF; {damage}"))
            .unwrap();
        let run = kogge(&["ledger", &file]);
        assert!(
            run.code == 2 && run.stderr.contains("is damaged: ") && run.stderr.contains(reason),
            "{damage}: {run:?}"
        );
        assert!(run.stderr.contains("restore a copy, or start another ledger"), "{damage}: {run:?}");
    }
    // The partial index of open entries loses its rows.
    let file = format!("{folder}/index");
    kogge(&["run", "2", "--raw", "--ledger", &file, "--backend", "cpu", "--quiet"]).answer("run");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection
        .execute_batch(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE INDEX kogge_entry_open ON kogge_entry (id) WHERE count IS NOT NULL'
                 WHERE name = 'kogge_entry_open';
             PRAGMA writable_schema = RESET;
             REINDEX kogge_entry_open;
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE INDEX kogge_entry_open ON kogge_entry (id) WHERE count IS NULL'
                 WHERE name = 'kogge_entry_open';
             PRAGMA writable_schema = RESET;
             UPDATE kogge_entry NOT INDEXED SET count = NULL, source = NULL, at = NULL, checksum = NULL;
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'kogge_entry_disputed')
                 WHERE name = 'kogge_entry_open';",
        )
        .unwrap();
    drop(connection);
    let run = kogge(&["run", "2", "--raw", "--ledger", &file, "--backend", "cpu", "--quiet"]);
    assert!(run.code == 2 && run.stderr.contains("is damaged: "), "{run:?}");
}

/// A signal while the answer is printed does not deny it.
#[cfg(target_os = "linux")]
#[test]
fn a_count_that_ends_in_the_moment_of_a_signal_says_one_thing() {
    let answer = "Nodes searched: 8902\n";
    // There is room for nothing, or for the answer but not for the line below it, until someone reads.
    for (room, is_read) in [(0, true), (0, false), (answer.len(), false)] {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        // SAFETY: the pipe is open, and this call returns its size.
        let size = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ) } as usize;
        writer.write_all(&vec![b'\n'; size - room]).unwrap();
        let line = words("perft 3 --backend cpu --threads 1");
        let mut child = command(&line).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let place = format!("/proc/{}/wchan", child.id());
        wait_until("nothing is printed", || std::fs::read_to_string(&place).is_ok_and(|at| at.contains("pipe_write")));
        send("-INT", &child);
        if !is_read {
            wait_until("it does not stop", || child.try_wait().unwrap().is_some());
        }
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        let run = Run::from(child.wait_with_output().unwrap());
        let says = if is_read { (0, "") } else { (130, "Stopped on request while the answer was printed.\n") };
        assert_eq!((run.code, &*run.stderr), says, "{printed}");
        assert_eq!(printed.contains(answer), is_read || room > 0, "{printed}");
    }
}

/// Backends whose calls are not watched, such as the mailbox and the host's merging, would go on for minutes.
#[cfg(target_os = "linux")]
#[test]
fn every_command_on_every_backend_stops_at_the_first_signal() {
    let folder = folder("stops");
    let suite = format!("{folder}/long.epd");
    std::fs::write(&suite, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D9 2439530234167\n").unwrap();
    let done = format!("{folder}/done");
    kogge(&["run", "7", "--ledger", &done, "--entries", "1", "--plies", "5", "--backend", "cpu", "--quiet"])
        .answer("run");
    let listed = kogge(&["devices", "--json"]).json().remove(0);
    let rows = listed["devices"].as_array().expect("a list");
    let usable = |name: &str| rows.iter().any(|row| row["backend"] == name && row["usable"] == true);
    let mut random = 7_u64;
    for backend in ["cpu", "mailbox", "opencl", "wgpu"].into_iter().filter(|name| usable(name)) {
        let (ledger, raw) = (format!("{folder}/{backend}"), format!("{folder}/{backend}-raw"));
        for line in [
            "perft 12",
            "perft 12 --raw",
            "divide 12",
            "stats 12",
            "unique 12",
            "best 9",
            "diff 12 --against mailbox",
            &format!("suite {suite}"),
            &format!("run 12 --plies 7 --ledger {ledger}"),
            &format!("run 9 --raw --plies 1 --ledger {raw}"),
            &format!("ledger {done} --verify 1"),
        ] {
            if line.starts_with("diff") && backend == "mailbox" || line.starts_with("ledger") && backend == "cpu" {
                continue;
            }
            let mut child = command(&[&words(line)[..], &["--backend", backend]].concat())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // The drivers of GPUs have handlers of their own before kogge has, but not this thread.
            let threads = format!("/proc/{}/task", child.id());
            wait_until("no signal is caught", || {
                let threads = std::fs::read_dir(&threads).into_iter().flatten().flatten();
                let name = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm"));
                threads.filter_map(|thread| name(thread).ok()).any(|name| name == "ctrl-c\n")
                    || child.try_wait().unwrap().is_some()
            });
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            std::thread::sleep(Duration::from_millis((random >> 33) % 1_000));
            let (start, before) = (Instant::now(), seconds_computed(child.id()));
            let mut after = before;
            send("-INT", &child);
            wait_until(line, || {
                // A process that ended has its times until it is waited for.
                after = seconds_computed(child.id());
                child.try_wait().unwrap().is_some()
            });
            let took = start.elapsed();
            let run = Run::from(child.wait_with_output().unwrap());
            assert!(run.code == 130 && run.stderr.contains("Stopped "), "{line} {backend}: {run:?}");
            // About half a second on each core; calls without a watch would take minutes. A busy machine takes longer, but computes the same.
            assert!(after - before < 5 * cores(), "{line} {backend}: from {before} to {after} s");
            assert!(took < Duration::from_secs(20), "{line} {backend}: {took:?}");
        }
        for file in [&ledger, &raw].into_iter().filter(|file| Path::new(file).exists()) {
            let leased = Sqlite::open(Path::new(file)).and_then(|mut store| store.tally()).map_or(0, |it| it.leased);
            assert_eq!(leased, 0, "{file}");
        }
    }
}
