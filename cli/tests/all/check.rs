//! `kogge check`, and `kogge suite --against`, with an engine that has planted faults. The engine is this test's own program, started
//! again.

use std::fs::File;
use std::io::{BufReader, Read, Write, stdin, stdout};
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::time::Duration;

use kogge_testkit::faulty_engine::speak;
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use serde_json::json;

#[cfg(target_os = "linux")]
use crate::support::processes::interrupted;
use crate::support::{self, Run, kogge, kogge_with_input};

/// Promotions to a knight are missing.
const KNIGHT: &str = "knight-promotion-missing";
const PROMOTION: &str = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
/// No game has three checkers.
const UNREACHABLE: &str = "4k3/8/3N1N2/4R3/8/8/8/4K3 b - - 0 1";
const REASON: &str = "a7a8n is legal: the pawn on a7 reaches the last rank and becomes a knight, and the king on h1 is not in check afterwards.";

/// Copies what is read to a file.
struct Log<R>(R, File);

impl<R: Read> Read for Log<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.write_all(&buffer[..read])?;
        Ok(read)
    }
}

/// Is the engine if `speak` is among the arguments of this program; the names of faults and dialects follow. `mute` says nothing, `rude` has
/// a name with control characters, and `log=FILE` writes what it is told to a file.
#[test]
fn engine() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "speak");
    if arguments.next().is_none() {
        return;
    }
    let (mut names, mut log) = (Vec::new(), None);
    for name in arguments {
        match (&*name, name.strip_prefix("log=")) {
            (_, Some(file)) => log = Some(file.to_owned()),
            ("mute", _) => {
                return stdin().lines().map_while(Result::ok).take_while(|line| line != "quit").for_each(drop);
            }
            ("rude", _) => {
                let text = "id name Rude \u{1b}[31m\u{7}\u{ffff}\u{0}<&\"]]>\n";
                stdout().write_all(text.as_bytes()).expect("kogge listens");
            }
            _ => names.push(name),
        }
    }
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    match log {
        Some(file) => {
            speak(&names, BufReader::new(Log(stdin(), File::create(file).expect("a file"))), stdout());
        }
        None => speak(&names, stdin().lock(), stdout()),
    }
}

/// Returns the target of an engine with these faults and dialects.
fn target(names: &str) -> String {
    let program = std::env::current_exe().expect("a program");
    format!("engine:\"{}\" --exact check::engine --nocapture speak {names}", program.display())
}

/// Runs `kogge check` on an engine for two seconds.
fn check(names: &str, more: &[&str]) -> Run {
    kogge(&[&["check", &target(names), "--seconds", "2", "--seed", "1"], more].concat())
}

/// Checks an engine with the positions of a suite.
fn against(names: &str, suite: &str, more: &[&str]) -> Run {
    kogge_with_input(&[&["suite", "-", "--against", &target(names)], more].concat(), suite.as_bytes())
}

/// A suite of two positions, one of which needs a promotion to a knight.
fn two_lines() -> String {
    format!("{PROMOTION} ;D1 9\n{} ;D1 20 ;D2 400\n", kogge::board::START)
}

fn file(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // An earlier run may have left it.
    let _ = std::fs::remove_file(&file);
    file
}

#[test]
fn a_fault_is_reported() {
    let run = against(KNIGHT, &two_lines(), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    let (fault, rest) = run.stdout.split_once("1 fault was found in kogge's faulty engine.\n").expect("a summary");
    assert_eq!(
        fault,
        format!(
            "\
1. promotions to a rook, bishop or knight (seen 1 time)
   7k/P7/8/8/8/8/8/7K w - - 0 1
   8 . . . . . . . k   missing: a7a8n
   7 P . . . . . . .
   6 . . . . . . . .
   5 . . . . . . . .
   4 . . . . . . . .
   3 . . . . . . . .
   2 . . . . . . . .
   1 . . . . . . . K
     a b c d e f g h
   {REASON}
   > position fen 7k/P7/8/8/8/8/8/7K w - - 0 1
   > go perft 1

"
        )
    );
    assert!(
        rest.starts_with("\n  wrong   right  rule\n      1       0  promotions to a rook, bishop or knight\n"),
        "{rest}"
    );
    assert!(rest.contains("\n2 answers in ") && rest.contains(": 2 positions of the file; 400 leaves"), "{rest}");
    assert!(rest.ends_with(" rules without a fault\n"), "{rest}");

    let quiet = against(KNIGHT, &two_lines(), &["--quiet"]);
    assert_eq!(quiet.stdout, format!("{fault}1 fault was found in kogge's faulty engine.\n"));

    let illegal = against("castles-over-b", "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1 ;D1 18\n", &[]);
    assert!(illegal.stdout.contains("   illegal: e1c1\n"), "{}", illegal.stdout);
    let undo = against("undo-leaves-queen", &format!("{PROMOTION} ;D2 41\n"), &[]);
    assert!(
        undo.stdout.contains("wrong counts at depth 2:\n   7 P . . . . . . .   h1g1: 1, right is 3\n"),
        "{}",
        undo.stdout
    );
    let line = against("captured-rook-keeps-right", "r3k2r/8/8/8/8/8/1B6/4K3 w kq - 0 1 ;D2 300\n", &[]);
    assert!(line.stdout.contains("   after a1h8\n") || line.stdout.contains("   after b2h8\n"), "{}", line.stdout);
}

#[test]
fn a_check_without_a_fault_passes() {
    let run = check("", &["--jobs", "2"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("No fault was found in kogge's faulty engine.\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("--seed 1 repeats the random positions.\n"), "{}", run.stdout);
    let suite = against("", &two_lines(), &["--quiet"]);
    assert_eq!(suite.answer("suite"), "No fault was found in kogge's faulty engine.\n");
}

#[test]
fn a_check_with_a_fault_fails() {
    let run = check("prints-twice", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("1. a move listed more than once (seen "), "{}", run.stdout);
    assert!(
        run.stdout.contains("   repeated: h1h2\n   7 ") && run.stdout.contains("   h1h2 is listed more"),
        "{}",
        run.stdout
    );
}

#[test]
fn backends_are_checked() {
    for backend in ["cpu", "mailbox"] {
        let run = kogge(&["check", backend, "--seconds", "2", "--json"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        let report = run.json().remove(0);
        assert_eq!(
            (&report["program"], &report["faults"], &report["chess960"]),
            (&json!(backend), &json!([]), &json!(true))
        );
        assert!(report["answers"].as_u64() > Some(0), "{report}");
    }
}

#[test]
fn a_report_is_json() {
    let run = against(KNIGHT, &two_lines(), &["--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    let mut reports = run.json();
    assert_eq!(reports.len(), 1);
    let report = reports.remove(0);
    assert_eq!(
        report["faults"],
        json!([{
            "kind": "moves",
            "rule": "under-promotion",
            "title": "promotions to a rook, bishop or knight",
            "times": 1,
            "fen": "7k/P7/8/8/8/8/8/7K w - - 0 1",
            "line": [],
            "depth": 1,
            "missing": ["a7a8n"],
            "extra": [],
            "repeated": [],
            "counts": [],
            "reasons": [REASON],
            "commands": ["position fen 7k/P7/8/8/8/8/8/7K w - - 0 1", "go perft 1"],
            "found_in": PROMOTION,
            "found_at": 1,
        }])
    );
    let expected = json!({
        "command": "check", "program": "kogge's faulty engine", "answers": 2, "positions": 2, "left": 0, "random": 0, "nodes": 400,
        "restarts": 0, "chess960": true, "seed": null, "stopped": false,
    });
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&report[name], value, "{name}");
    }
    let rules = report["rules"].as_array().expect("a list");
    assert!(rules.contains(&json!({"rule": "under-promotion", "passed": 0, "failed": 1})), "{rules:?}");
    assert!(report["seconds"].as_f64() > Some(0.0) && report["waited"].is_number(), "{report}");
    let fields = ["rules", "faults", "seconds", "waited"].len() + expected.as_object().expect("an object").len();
    assert_eq!(report.as_object().expect("an object").len(), fields, "{report}");

    let run = check("sum-adds-one", &["--json"]);
    let report = run.json().remove(0);
    assert_eq!((run.code, &report["seed"], &report["faults"][0]["kind"]), (1, &json!(1), &json!("sum")));
    assert_eq!(report["faults"][0]["rule"], json!(null));
    let undo = against("undo-leaves-queen", &format!("{PROMOTION} ;D2 41\n"), &["--json"]).json().remove(0);
    assert_eq!(undo["faults"][0]["counts"][0], json!({"move": "h1g1", "ours": 3, "theirs": 1}));
}

/// Returns the names of the test cases of a JUnit file, each with the texts of its failures.
fn cases(xml: &str) -> Vec<(String, Vec<String>)> {
    let is_allowed = |letter: char| matches!(letter, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(is_allowed), "{xml:?}");
    let (mut reader, mut cases, mut open) = (Reader::from_str(xml), Vec::<(String, Vec<String>)>::new(), 0);
    let attribute = |tag: &quick_xml::events::BytesStart<'_>, name: &str| {
        let found = tag.try_get_attribute(name).expect("attributes").expect("this attribute");
        found.normalized_value(XmlVersion::Explicit1_0).expect("a value").into_owned()
    };
    loop {
        match reader.read_event().expect("XML") {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() == "testcase" => {
                cases.push((attribute(&tag, "name"), Vec::new()));
            }
            Event::Start(tag) if tag.name().as_ref() == "failure" => {
                let (_, failures) = cases.last_mut().expect("a test case");
                failures.push(attribute(&tag, "message") + "\n" + &reader.read_text(tag.name()).expect("a text"));
            }
            Event::Start(tag) => {
                let tests: usize = attribute(&tag, "tests").parse().expect("a number");
                let failures: usize = attribute(&tag, "failures").parse().expect("a number");
                assert!(tests > 0 && failures <= tests);
                open += 1;
            }
            _ => {}
        }
    }
    assert_eq!(open, 2, "{xml}");
    cases
}

#[test]
fn a_report_is_junit() {
    let file = file("check-junit.xml");
    let path = file.to_str().expect("a path of Unicode");
    let run = against(KNIGHT, &two_lines(), &["--junit", path]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    let xml = std::fs::read_to_string(&file).expect("a file");
    let failed: Vec<_> = cases(&xml).into_iter().filter(|(_, failures)| !failures.is_empty()).collect();
    let [(name, failures)] = &failed[..] else { panic!("{failed:?}") };
    assert_eq!((name.as_str(), failures.len()), ("promotions to a rook, bishop or knight", 1));
    assert!(failures[0].contains(REASON) && failures[0].contains("go perft 1"), "{failures:?}");
    assert!(xml.contains("failures=\"1\""), "{xml}");

    // A fault without a rule has a test case of its own.
    for names in ["rude prints-twice", "rude prints-garbage", "rude"] {
        let run = against(names, &two_lines(), &["--junit", path]);
        let xml = std::fs::read_to_string(&file).expect("a file");
        let failed = cases(&xml).into_iter().filter(|(_, failures)| !failures.is_empty()).count();
        assert_eq!((run.code, failed), if names == "rude" { (0, 0) } else { (1, 1) }, "{names}: {xml}");
        assert!(!run.stdout.contains(['\u{1b}', '\u{7}', '\u{0}']), "{:?}", run.stdout);
    }
    let nowhere = against("", &two_lines(), &["--junit", "/no/such/folder/file.xml"]);
    assert!(nowhere.code == 2 && nowhere.stderr.contains("could not be written"), "{}", nowhere.stderr);
}

#[test]
fn smallest_positions_are_saved_as_a_suite() {
    let file = file("check-saved.epd");
    let path = file.to_str().expect("a path of Unicode");
    let names = "knight-promotion-missing captured-rook-keeps-right undo-misplaces-pawn";
    let suite = format!(
        "{}r3k2r/8/8/8/8/8/1B6/4K3 w kq - 0 1 ;D2 300\n4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1 ;D2 41\n",
        two_lines()
    );
    let run = against(names, &suite, &["--save", path]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    let saved = std::fs::read_to_string(&file).expect("a file");
    let first = "7k/P7/8/8/8/8/8/7K w - - 0 1 ;D1 7 ;id \"promotions to a rook, bishop or knight\"";
    assert!(saved.lines().any(|line| line == first), "{saved}");
    assert_eq!(saved.lines().count(), 3, "{saved}");
    assert!(kogge(&["suite", path]).answer("suite").contains("\n3 passed, 0 failed, 0 skipped, 0 broken\n"), "{saved}");
    let again = kogge(&["suite", path, "--against", &target(names)]);
    assert!(again.code == 1 && again.stdout.contains("\n3 faults were found in "), "{}", again.stdout);
    let mended = kogge(&["suite", path, "--against", &target("")]);
    assert_eq!((mended.code, mended.stderr.as_str()), (0, ""), "{}", mended.stdout);
    // Without a fault, the suite is empty.
    let run = against("", &suite, &["--save", path]);
    assert_eq!((run.code, std::fs::read_to_string(&file).expect("a file").as_str()), (0, ""));
}

#[test]
fn an_engine_is_asked_as_told() {
    let log = file("check-log.txt");
    let logged = format!("divide-command log={}", log.display());
    let run = against(&logged, &two_lines(), &["--ask", "divide {depth}", "--option", "Hash=2", "--option", "hash=4"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let told = std::fs::read_to_string(&log).expect("a file");
    assert!(told.starts_with("uci\nsetoption name Hash value 2\nsetoption name hash value 4\n"), "{told}");
    assert!(told.contains("\ndivide 2\n") && !told.contains("perft"), "{told}");

    let run = against("", &two_lines(), &["--option", "Own Book=a b"]);
    assert_eq!(run.code, 3, "{}", run.stdout);
    assert!(run.stderr.contains("it has no option \"Own Book\"; its options: UCI_Chess960, Hash."), "{}", run.stderr);

    let lines = ["--ask", "position fen {fen}", "--ask", "go perft {depth}"];
    let run = against(KNIGHT, &two_lines(), &lines);
    assert!(
        run.stdout.contains("\n   > position fen 7k/P7/8/8/8/8/8/7K w - - 0 1\n   > go perft 1\n\n"),
        "{}",
        run.stdout
    );
    let run = against("", &two_lines(), &["--ask", "count {depth}"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
    assert!(run.stderr.contains("when it is asked with \"count 1\""), "{}", run.stderr);

    let diff = |names: &str, more: &[&str]| kogge(&[&["diff", "2", "--against", &target(names)], more].concat());
    let run = diff(&logged, &["--ask", "divide {depth}", "--option", "Hash=3"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let told = std::fs::read_to_string(&log).expect("a file");
    assert!(told.contains("\nsetoption name Hash value 3\n") && told.contains("\ndivide 2\n"), "{told}");
    for option in ["Hash", "=1", ""] {
        let run = diff("", &["--option", option]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{option}: {}", run.stderr);
    }
}

#[test]
fn chess960_is_left_out_on_demand() {
    let suite = format!("{}{} ;D1 24\n", two_lines(), support::CHESS960);
    let left = "\n1 position of the file left out (Chess960, or no time)\n";
    for (value, code, is_left) in [("off", 0, true), ("on", 0, false), ("auto", 0, false)] {
        let run = against("", &suite, &["--chess960", value]);
        assert_eq!((run.code, run.stdout.contains(left)), (code, is_left), "{value}: {}{}", run.stdout, run.stderr);
    }
    let run = against("", &format!("{} ;D1 24\n", support::CHESS960), &["--chess960", "off"]);
    assert_eq!((run.code, run.stdout.contains(left)), (2, true), "{}", run.stdout);
    assert!(run.stderr.contains("No position could be asked: all are of Chess960"), "{}", run.stderr);
    let run = check("", &["--chess960", "off"]);
    assert!(run.code == 0 && run.stdout.contains(" of the corpus left out (Chess960, or no time)\n"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn scripts_are_checked() {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_kogge")).parent().expect("it lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binary.to_owned()).chain(std::env::split_paths(&path));
    let paths = std::env::join_paths(paths).expect("paths without colons");
    let suite = file("check-script.epd");
    std::fs::write(&suite, format!("{}{} ;D1 24\n", two_lines(), support::CHESS960)).expect("a file");
    for (name, filter, code) in [("honest", "cat", 0), ("forgetful", "grep -v a7a8n", 1)] {
        let script = file(&format!("check-{name}.sh"));
        let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/perft.sh");
        std::fs::write(&script, format!("'{example}' \"$@\" | {filter}")).expect("a file");
        let target = format!("script:sh \"{}\"", script.display());
        let mut call = support::command(&["suite", suite.to_str().expect("a path of Unicode"), "--against", &target]);
        let run: Run = call.env("PATH", &paths).output().expect("kogge starts").into();
        assert_eq!((run.code, run.stderr.as_str()), (code, ""), "{name}: {}", run.stdout);
        assert_eq!(run.stdout.contains("missing: a7a8n"), code == 1, "{}", run.stdout);
    }
}

#[test]
fn suites_without_counts_are_asked() {
    // The depth follows from the engine's speed.
    let suite = format!("{PROMOTION}\n# a note\n\n{CASTLING}\n");
    let run = against(KNIGHT, &suite, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    assert!(run.stdout.contains("\n2 answers in "), "{}", run.stdout);
    // Caps leave a line out, or limit its depth.
    let capped = against(KNIGHT, &two_lines(), &["--max-nodes", "100", "--json"]);
    assert_eq!(capped.json()[0]["nodes"], json!(20));
}

#[test]
fn positions_that_no_game_reaches_are_skipped_or_asked() {
    let suite = format!("{UNREACHABLE} ;D1 2 ;D2 68\n{}", two_lines());
    let skipped = against("", &suite, &[]);
    assert_eq!(skipped.code, 0, "{}", skipped.stderr);
    assert_eq!(skipped.stderr, "note: 1 line is skipped, not reachable in a game.\n");
    assert!(skipped.stdout.contains("\n2 answers in "), "{}", skipped.stdout);
    let asked = against("", &suite, &["--allow-unreachable"]);
    assert_eq!((asked.code, asked.stderr.as_str()), (0, ""), "{}", asked.stdout);
    assert!(asked.stdout.contains("\n3 answers in "), "{}", asked.stdout);
    // The smallest position is one that games reach, if there is one.
    let file = file("check-unreachable.epd");
    let path = file.to_str().expect("a path of Unicode");
    let knights = "4k3/8/8/8/8/NNNNNNNN/NNNNNNNN/N3K3 w - - 0 1 ;D1 62\n";
    let run = against("knight-wraps", knights, &["--allow-unreachable", "--save", path]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    assert!(run.stdout.contains("1. knights at the edge of the board"), "{}", run.stdout);
    let again = kogge(&["suite", path, "--allow-unreachable"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""), "{}", again.stdout);
    let nothing = against("", &format!("{UNREACHABLE}\n"), &[]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (2, ""), "{}", nothing.stderr);
}

#[test]
fn lines_that_cannot_be_read_are_told() {
    let run = against("", &format!("{}nonsense\n", two_lines()), &[]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stdout.contains("No fault was found in "), "{}", run.stdout);
    assert!(run.stderr.starts_with("error: Line 3 of ") && run.stderr.contains(" is left out. "), "{}", run.stderr);
    assert!(run.stderr.ends_with("One line of the suite could not be read.\n"), "{}", run.stderr);
    for (text, reason) in
        [("nonsense\n", "No line of the suite could be read."), ("", "There is no position to check in ")]
    {
        let run = against("", text, &[]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
}

#[test]
fn wrong_calls_are_refused() {
    for arguments in [
        &["check"][..],
        &["check", "nonsense"],
        &["check", "engine:"],
        &["check", "cpu", "--seconds", "0"],
        &["check", "cpu", "--jobs", "0"],
        &["check", "cpu", "--chess960", "maybe"],
        &["check", "cpu", "--option", "Hash"],
        &["check", "cpu", "--depth", "3"],
    ] {
        let run = kogge(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}: {}", run.stderr);
    }
    for option in [
        &["--jobs", "2"][..],
        &["--ask", "perft {depth}"],
        &["--option", "Hash=1"],
        &["--chess960", "on"],
        &["--patience", "5"],
        &["--save", "file.epd"],
        &["--junit", "file.xml"],
    ] {
        let run = kogge_with_input(&[&["suite", "-"], option].concat(), b"");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{option:?}: {}", run.stderr);
        assert!(run.stderr.contains("--against"), "{option:?}: {}", run.stderr);
    }
}

#[test]
fn programs_that_fail_at_once_are_errors() {
    let missing = kogge(&["check", "engine:no-such-engine-anywhere"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (3, ""), "{}", missing.stderr);
    assert!(missing.stderr.contains("could not be started"), "{}", missing.stderr);
    let mute = check("mute", &["--patience", "1"]);
    assert_eq!((mute.code, mute.stdout.as_str()), (3, ""), "{}", mute.stderr);
    assert!(mute.stderr.contains("lists no moves with counts when it is asked with \"go perft 1\""), "{}", mute.stderr);
    assert_eq!(mute.stderr.lines().count(), 1, "{}", mute.stderr);
}

#[test]
fn a_program_that_ends_is_started_anew() {
    let suite = format!("{PROMOTION} ;D2 41\n{} ;D1 20\n", "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1");
    let run = against("crashes-at-promotion castles-over-b", &suite, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    assert!(
        run.stdout.contains("2 faults were found in ") && run.stdout.contains("castling with a piece in the way"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("ended when it was asked for \"go perft 2\""), "{}", run.stdout);
    assert!(run.stdout.ends_with("The program was started anew 1 time.\n"), "{}", run.stdout);
    let cut = against("closes-output", &two_lines(), &[]);
    assert_eq!(cut.code, 1, "{}", cut.stderr);
    assert!(cut.stdout.starts_with("1. the program ends (seen 1 time)\n"), "{}", cut.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_check_has_a_report() {
    let (run, took) = interrupted(&["check", &target("prints-twice")], Duration::from_secs(4));
    // Nothing may have been answered yet on a busy machine.
    assert!(matches!(run.code, 1 | 130), "{run:?}");
    assert!(run.stdout.contains(" found in kogge's faulty engine.\n"), "{}{}", run.stdout, run.stderr);
    assert!(took < Duration::from_secs(10), "{took:?}");
    let (run, _) = interrupted(&["check", "mailbox"], Duration::from_secs(2));
    assert_eq!(run.code, 130, "{}", run.stderr);
    assert!(run.stdout.starts_with("No fault was found in mailbox.\n"), "{}", run.stdout);
    assert!(
        run.stderr.starts_with("Stopped on request after ") && run.stderr.ends_with(" answers without a fault.\n"),
        "{}",
        run.stderr
    );
}
