//! Tests `kogge diff` against a wrong engine. The engine is this test's own program, started again.

mod support;

use std::io::{BufRead, Write, stdin, stdout};

use serde_json::json;
use support::{Run, kogge};

const ROOT: &str = "8/8/8/8/8/p1k5/8/K7 w - - 0 1";

/// The answers of the engine: two plies below the root, and one ply after a1b1, without the pawn's moves.
const ROOT_DIVIDED: &str = "a1a2: 6\na1b1: 6\n\nNodes searched: 12";
const CHILD_DIVIDED: &str = "c3b3: 1\nc3b4: 1\nc3c4: 1\nc3d2: 1\nc3d3: 1\nc3d4: 1\n\nNodes searched: 6";

fn pretend(input: impl BufRead, mut output: impl Write) {
    let mut position = String::new();
    for line in input.lines().map_while(Result::ok) {
        let answer = match line.as_str() {
            "uci" => "id name Forgetful\nuciok",
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
    let engine =
        format!("engine:\"{}\" --exact pretender --nocapture pretend", std::env::current_exe().unwrap().display());
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
            "counts": [],
        })
    );
}
