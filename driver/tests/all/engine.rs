//! Engines over pipes. This test's program, started again, pretends to be an engine.

use std::io::{BufRead, Write, stdin, stdout};
use std::time::{Duration, Instant};

use crate::support::{KIWIPETE, MATE, Watch, fen};
use kogge_board::Fen;
use kogge_driver::{Diff, Driver, Engine, EngineError, Error, play_line};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::buggy::{buggy, no_black_queenside};

/// Longer than any test takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Engines that never come to an end: they talk now and then, without a pause, without an end of the line, or repeat a count.
const TALKERS: [&str; 4] = ["chatty", "flooding", "endless", "repeating"];

/// Acts as a UCI engine that answers `go perft`, with the fault that `part` names.
fn pretend(part: &str, input: impl BufRead, mut output: impl Write) {
    let (mut cpu, mut buggy) = (Cpu::new(Some(1)).unwrap(), buggy(Cpu::new(Some(1)).unwrap(), no_black_queenside));
    let mut driver = if part == "buggy" { Driver::new(&mut buggy, &()) } else { Driver::new(&mut cpu, &()) };
    let mut other = Cpu::new(Some(1)).unwrap();
    let mut here = Fen::start();
    let mut chess960 = false;
    for line in input.lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] if part == "mute" => {}
            ["uci"] => {
                writeln!(output, "id name Pretender ({part})\nid author nobody").unwrap();
                if part != "orthodox" {
                    writeln!(output, "option name UCI_Chess960 type check default false").unwrap();
                }
                writeln!(output, "uciok").unwrap();
            }
            ["setoption", "name", "UCI_Chess960", "value", value] => chess960 = value == "true",
            ["position", "fen", ref rest @ ..] => {
                let (fen, moves) = rest.split_at(6);
                here = play_line(&mut other, &fen.join(" ").parse().unwrap(), moves.get(1..).unwrap_or(&[])).unwrap();
            }
            ["go", "perft", _] if part == "silent" => {}
            ["go", "perft", _] if part == "deadly" => return,
            ["go", "perft", _] if TALKERS.contains(&part) => {
                // Until nobody listens.
                let (text, pause) = match part {
                    "chatty" => ("info depth 1\n", 100),
                    "flooding" => ("info depth 1\n", 0),
                    "endless" => ("info depth 1 ", 0),
                    _ => ("e2e4: 1\n", 1),
                };
                while output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_ok() {
                    std::thread::sleep(Duration::from_millis(pause));
                }
                return;
            }
            ["go", "perft", depth] => {
                let moves = driver.divide(&here, depth.parse().unwrap()).unwrap();
                let mut total = 0;
                writeln!(output, "info string {} moves", moves.len()).unwrap();
                for (played, count) in moves {
                    total += count;
                    writeln!(output, "{}: {count}", played.uci(&here.rules, chess960)).unwrap();
                }
                total += u128::from(part == "innumerate");
                writeln!(output, "\nNodes searched: {total}\n").unwrap();
            }
            // Longer than any patience, so that the engine must be ended.
            ["quit"] if part == "deaf" => std::thread::sleep(2 * PATIENCE),
            ["quit"] => return,
            _ => {}
        }
        output.flush().unwrap();
    }
}

/// As a test, checks the answer of the pretended engine. With an argument `part=...`, acts as this engine.
#[test]
fn pretender() {
    if let Some(part) = std::env::args().find_map(|argument| argument.strip_prefix("part=").map(str::to_owned)) {
        return pretend(&part, stdin().lock(), stdout().lock());
    }
    let mut answer = Vec::new();
    let talk = format!("uci\nposition fen {} moves e2e4 e7e5\ngo perft 1\nquit\n", kogge_board::START);
    pretend("honest", talk.as_bytes(), &mut answer);
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("id name Pretender (honest)\n") && answer.contains("\nuciok\n"), "{answer}");
    assert!(answer.contains("\ng1f3: 1\n") && answer.ends_with("\nNodes searched: 29\n\n"), "{answer}");
}

fn command(part: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("\"{}\" --exact engine::pretender --nocapture part={part}", program.display())
}

fn start(part: &str) -> Engine<'static> {
    Engine::start(&command(part), PATIENCE, &()).unwrap()
}

#[test]
fn an_honest_engine_agrees() {
    for (root, depth, leaves) in [
        (Fen::start(), 3, 8902),
        (fen(KIWIPETE), 2, 2039),
        (fen(MATE), 2, 0),
        (fen("bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9"), 2, 984),
    ] {
        let mut engine = start("honest");
        assert_eq!(engine.name(), "Pretender (honest)");
        let mut cpu = Cpu::new(Some(1)).unwrap();
        assert_eq!(Driver::new(&mut cpu, &()).diff(&mut engine, &root, depth), Ok(Diff::Same { leaves }), "{root}");
    }
}

#[test]
fn a_wrong_engine_is_led_to_its_mistake() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let found = Driver::new(&mut cpu, &()).diff(&mut start("buggy"), &fen(KIWIPETE), 4);
    let Ok(Diff::Different(found)) = found else { panic!("{found:?}") };
    assert_eq!((found.line.len() % 2, found.only_second.len()), (1, 0));
    assert_eq!(found.only_first[0].0, "e8c8");
}

#[test]
fn engines_that_talk_without_an_end_are_given_up() {
    std::thread::scope(|scope| {
        for part in TALKERS {
            scope.spawn(move || {
                let mut engine = Engine::start(&command(part), Duration::from_secs(1), &()).unwrap();
                let error = engine.divide(&Fen::start(), &[], 2).unwrap_err().to_string();
                let reason = match part {
                    "repeating" => "it printed more than 256 counts.",
                    _ => "talked for 10 s without a count when it was asked for \"go perft 2\"; give it more time with --patience",
                };
                assert!(error.contains(reason), "{part}: {error}");
            });
        }
    });
}

#[test]
fn engines_that_fail_are_errors() {
    let divide = |part: &str, root: &Fen| start(part).divide(root, &[], 2).unwrap_err();
    for (part, reason) in [("deadly", "ended when it was asked for \"go perft 2\""), ("innumerate", "add up to 400")] {
        let error = divide(part, &Fen::start()).to_string();
        assert!(error.contains(reason) && error.ends_with('.'), "{error}");
    }
    let chess960 = fen("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1");
    let error = divide("orthodox", &chess960).to_string();
    assert!(error.contains("does not offer Chess960"), "{error}");

    for command in ["", "  ", "no-such-engine-anywhere", "\"\""] {
        let error = Engine::start(command, PATIENCE, &()).map(|engine| engine.name().to_owned()).unwrap_err();
        assert!(matches!(error, Error::Engine(EngineError::Start { .. })), "{error}");
    }
}

#[test]
fn silence_has_an_end() {
    let short = Duration::from_millis(300);
    let start = Instant::now();
    let error = Engine::start(&command("mute"), short, &()).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Engine(EngineError::Silent { .. })), "{error}");
    let mut engine = Engine::start(&command("silent"), Duration::from_secs(10), &()).unwrap();
    let error = engine.divide(&Fen::start(), &[], 1).unwrap_err();
    assert!(error.to_string().contains("said nothing for 10 s when it was asked for \"go perft 1\""), "{error}");
    // An engine that does not quit is ended.
    drop(Engine::start(&command("deaf"), PATIENCE, &()).unwrap());
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn waiting_for_an_engine_can_be_stopped() {
    let watch = Watch::stopping_at(4);
    let stopped = Engine::start(&command("mute"), PATIENCE, &watch).map(|_| ());
    assert!(matches!(stopped, Err(Error::Cancelled(_))));
}
