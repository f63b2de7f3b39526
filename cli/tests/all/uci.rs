//! Tests `kogge uci` by talking to it as a chess program does.

use crate::support::{kogge_with_input, words};

fn transcript(arguments: &str, input: &str) -> String {
    kogge_with_input(&words(arguments), input.as_bytes()).answer(arguments)
}

#[test]
fn a_game_begins() {
    let said = transcript("uci", "uci\nisready\nposition startpos moves e2e4 e7e5\ngo depth 4\n");
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("id name kogge"), "{said}");
    let place =
        |text: &str| lines.iter().position(|line| line.starts_with(text)).unwrap_or_else(|| panic!("{text}: {said}"));
    assert!(place("uciok") < place("readyok") && place("readyok") < place("info depth 4 "), "{said}");
    assert_eq!(place("bestmove "), lines.len() - 1, "{said}");
    assert!(
        said.contains("option name Backend type combo default auto var auto var opencl var wgpu var cpu var mailbox")
    );
    assert!(said.contains("option name Device type spin default -1 "), "{said}");
}

#[test]
fn backends_count_for_it() {
    for input in
        ["setoption name Backend value mailbox\ngo perft 3\n", "setoption name Backend value cpu\ngo perft 3\n"]
    {
        let said = transcript("uci --backend cpu", input);
        assert!(said.contains("\nNodes searched: 8902\n") && said.contains("e2e4: 600\n"), "{said}");
    }
    let said = transcript(
        "uci --backend cpu",
        "setoption name Backend value abacus\nsetoption name Device value 57\ngo perft 1\n",
    );
    assert!(said.contains("info string There is no backend \"abacus\"."), "{said}");
    assert!(said.contains("info string There is no device 57 of the cpu backend"), "{said}");
    let said = transcript("uci --backend cpu", "go perft 12\nstop\nisready\n");
    assert!(said.contains("info string Stopped on request") && said.ends_with("readyok\n"), "{said}");
}

#[test]
fn scripts_get_their_count() {
    // Depth 6 takes longer than reading the next line.
    let said = transcript("uci --backend cpu", "position startpos\ngo perft 6\nquit\n");
    assert!(said.contains("\nNodes searched: 119060324\n"), "{said}");
}

#[test]
fn it_quits_at_once() {
    let said = transcript("uci", "go infinite\nquit\n");
    assert!(said.lines().last().is_some_and(|line| line.starts_with("bestmove ")), "{said}");
}
