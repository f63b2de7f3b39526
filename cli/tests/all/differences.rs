//! Tests `kogge diff` against a wrong engine. The engine is this test's own program, started again.

use std::io::{BufRead, Write, stdin, stdout};
#[cfg(unix)]
use std::path::Path;

use crate::support::{self, Run, command, kogge};
use serde_json::json;

const ROOT: &str = "8/8/8/8/8/p1k5/8/K7 w - - 0 1";

/// The engine answers two plies below the root, and one ply after a1b1, without the pawn's moves.
const ROOT_DIVIDED: &str = "a1a2: 6\na1b1: 6\n\nNodes searched: 12";
const CHILD_DIVIDED: &str = "c3b3: 1\nc3b4: 1\nc3c4: 1\nc3d2: 1\nc3d3: 1\nc3d4: 1\n\nNodes searched: 6";

const REASON: &str =
    "a3a2 is legal: the pawn on a3 goes to a2, which is empty, and the king on c3 is not in check afterwards.";

fn pretend(input: impl BufRead, mut output: impl Write) {
    let mut position = String::new();
    for line in input.lines().map_while(Result::ok) {
        let answer = match line.as_str() {
            "uci" => "id name Forgetful\nuciok",
            "go perft 1" if position == "position startpos" => "e2e4: 1\nNodes searched: 1",
            "go perft 2" if position == format!("position fen {ROOT}") => ROOT_DIVIDED,
            "go perft 1" if position == format!("position fen {ROOT} moves a1b1") => CHILD_DIVIDED,
            "quit" | "go perft 1" | "go perft 2" => return,
            other => {
                position = other.to_owned();
                continue;
            }
        };
        writeln!(output, "{answer}").and_then(|()| output.flush()).expect("kogge listens");
    }
}

/// Tests the engine's answers. With `pretend` among the arguments, this function is the engine.
#[test]
fn pretender() {
    if std::env::args().any(|argument| argument == "pretend") {
        return pretend(stdin().lock(), stdout().lock());
    }
    let mut said = Vec::new();
    pretend(format!("uci\nposition fen {ROOT}\ngo perft 2\nquit\nuci\n").as_bytes(), &mut said);
    assert_eq!(said, format!("id name Forgetful\nuciok\n{ROOT_DIVIDED}\n").as_bytes());
}

fn diff(more: &[&str]) -> Run {
    let engine = format!(
        "engine:\"{}\" --exact differences::pretender --nocapture pretend",
        std::env::current_exe().unwrap().display()
    );
    kogge(&[&["diff", "2", "--fen", ROOT, "--against", &engine], more].concat())
}

#[test]
fn a_difference_is_described() {
    let run = diff(&[]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    assert_eq!(
        run.stdout,
        format!(
            "\
The moves differ after a1b1:
  8/8/8/8/8/p1k5/8/1K6 b - - 1 1
only cpu makes a3a2 (count 1)
{REASON}
Look at it with: kogge position show \"{ROOT}\" --moves a1b1
"
        )
    );
}

#[test]
fn a_difference_is_in_the_json() {
    let run = diff(&["--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let report = run.json().remove(0);
    assert_eq!((&report["first"], &report["second"]), (&json!("cpu"), &json!("Forgetful")));
    assert_eq!((&report["same"], &report["nodes"]), (&json!(false), &json!(null)));
    assert_eq!(
        report["difference"],
        json!({
            "line": ["a1b1"],
            "fen": "8/8/8/8/8/p1k5/8/1K6 b - - 1 1",
            "depth": 1,
            "only_first": [{"move": "a3a2", "nodes": 1}],
            "only_second": [],
            "repeated": [],
            "counts": [],
            "reasons": [REASON],
            "smallest": null,
        })
    );
}

/// The example of the page about other programs.
#[cfg(unix)]
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/perft.sh");

/// Compares with a script of this text, which finds `kogge` in the path.
#[cfg(unix)]
fn diff_script(name: &str, text: &str, arguments: &[&str]) -> Run {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.sh"));
    std::fs::write(&file, text).expect("a file can be written");
    let binary = Path::new(env!("CARGO_BIN_EXE_kogge")).parent().expect("it lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binary.to_owned()).chain(std::env::split_paths(&path));
    let script = format!("script:sh \"{}\"", file.display());
    let mut call = command(&[&["diff"], arguments, &["--against", &script]].concat());
    call.env("PATH", std::env::join_paths(paths).expect("paths without colons"));
    call.output().expect("kogge starts").into()
}

/// Returns the script of the example with another command in its pipe, which changes the answers.
#[cfg(unix)]
fn changed(filter: &str) -> String {
    format!("'{SCRIPT}' \"$@\" | {filter}")
}

#[cfg(unix)]
#[test]
fn the_example_script_agrees() {
    let example = std::fs::read_to_string(SCRIPT).expect("the example");
    let page = include_str!("../../../docs/other-programs.md");
    assert!(page.contains(&format!("```sh\n{example}```\n")), "the page has another script");
    for (number, (arguments, count)) in [
        (&["3", "--fen", "kiwipete"][..], 97_862),
        (&["2", "--fen", support::CHESS960], 984),
        (&["2", "--moves", "e2e4", "e7e5"], 835),
        (&["3", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], 0),
    ]
    .into_iter()
    .enumerate()
    {
        let run = diff_script(&format!("honest{number}"), &example, arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}: {}", run.stdout);
        assert!(run.stdout.ends_with(&format!(" count {count}.\n")), "{arguments:?}: {}", run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn a_wrong_script_is_led_to_its_mistake() {
    // Without the pawn's moves and the sum, the script's mistake is one ply below the root.
    let script = changed("grep '^[a-h]' | grep -v '^a3a2 ' | sed 's/^a1b1 7/a1b1 6/'");
    let run = diff_script("forgetful", &script, &["2", "--fen", ROOT]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("The moves differ after a1b1:\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nonly cpu makes a3a2 (count 1)\n"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn scripts_that_fail_are_errors() {
    for (name, text, reason) in [
        ("innumerate", &*changed("sed 's/^13$/14/'"), "its counts add up to 13, but it says 14."),
        ("failing", "echo a1a2 6; exit 7", "ended when it was called for depth 2 (exit code 7)."),
        (
            "idle",
            "echo hello",
            "it printed no line such as \"e2e4 20\" when it was called for depth 2; it printed 0 counts and no sum; the last other lines were \"hello\".",
        ),
        ("silent", "exec sleep 1000", "said nothing for 1 s when it was called for depth 2"),
    ] {
        let run =
            diff_script(name, text, &["2", "--fen", ROOT, "--patience", if name == "silent" { "1" } else { "60" }]);
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(reason) && run.stderr.lines().count() == 1, "{name}: {}", run.stderr);
    }
}
