//! Engines over pipes. This test's program, started again, pretends to be an engine.

use std::io::{BufRead, Write, stdin, stdout};
use std::time::{Duration, Instant};

use crate::support::{KIWIPETE, MATE, Watch, fen};
use kogge_board::Fen;
use kogge_check::{CheckError, Diff, DivideText, Engine, EngineError, EngineSetup, Script, diff, smallest_difference};
use kogge_driver::{Driver, Error};
use kogge_movegen_cpu::{Cpu, Game};
use kogge_testkit::buggy::{buggy, no_black_queenside};

/// Longer than any test takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Engines that never come to an end: they talk now and then, without a pause, without an end of the line, or repeat a count.
const TALKERS: [&str; 4] = ["chatty", "flooding", "endless", "repeating"];

/// Acts as a UCI engine that answers `go perft`, with the fault that `part` names.
fn pretend(part: &str, input: impl BufRead, mut output: impl Write) {
    let (mut cpu, mut buggy) = (Cpu::new(Some(1)).unwrap(), buggy(Cpu::new(Some(1)).unwrap(), no_black_queenside));
    let mut driver = if part == "buggy" { Driver::new(&mut buggy, &()) } else { Driver::new(&mut cpu, &()) };
    let mut here = Fen::start();
    let mut chess960 = false;
    for line in input.lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            _ if part == "mute" => {}
            ["uci"] | ["isready"] if part == "plain" => {}
            ["isready"] => writeln!(output, "readyok").unwrap(),
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
                let mut game: Game = fen.join(" ").parse().unwrap();
                game.play_line(moves.get(1..).unwrap_or(&[])).unwrap();
                here = *game.fen();
            }
            ["go", "perft", _] if part == "searching" => {
                write!(output, "info depth 1 nodes 20\ninfo depth 2 nodes 400\n").unwrap();
            }
            ["stop"] if part == "searching" => writeln!(output, "bestmove e2e4").unwrap(),
            ["go", "perft", "2"] if part == "silent" => {}
            ["go", "perft", "2"] if part == "deadly" => return,
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
            ["go", "perft", _] if part == "dividing" => {}
            ["go", "perft", depth] | ["divide", depth] => {
                let moves = driver.divide(&here, depth.parse().unwrap()).unwrap();
                let mut total = 0;
                writeln!(output, "info string {} moves", moves.len()).unwrap();
                for (played, count) in moves {
                    total += count;
                    match part {
                        // Other words for the same: castling to the rook, capitals, grouped digits, numbers that are no counts.
                        "dialect" => {
                            let name = played.uci(&here.rules, true);
                            let (squares, promotion) = name.split_at(4);
                            let name = format!("{squares}{}", promotion.to_uppercase());
                            writeln!(
                                output,
                                "info depth 1 currmove {name} currmovenumber 1\n{name} - {}",
                                grouped(count)
                            )
                        }
                        _ => writeln!(output, "{}: {count}", played.uci(&here.rules, chess960)),
                    }
                    .unwrap();
                }
                total += u128::from(part == "innumerate");
                match part {
                    "dialect" => writeln!(output, "Fen: {here}\nTotal: {} nodes in 0.1s", grouped(total)),
                    "endless sum" => writeln!(output, "info depth 2 nodes {total}"),
                    "garbled" => writeln!(output, "e2e4: many\nNodes searched: {total}"),
                    "plain" | "without sum" => Ok(()),
                    "repeats" => writeln!(output, "a2a3: 20\nNodes searched: {}", total + 20),
                    _ => writeln!(output, "\nNodes searched: {total}\n"),
                }
                .unwrap();
            }
            // Longer than any patience, so that the engine must be ended.
            ["quit"] if part == "deaf" => std::thread::sleep(2 * PATIENCE),
            ["quit"] => return,
            _ => {}
        }
        output.flush().unwrap();
    }
}

fn grouped(count: u128) -> String {
    if count < 1000 { count.to_string() } else { format!("{},{:03}", count / 1000, count % 1000) }
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
    format!("\"{}\" --exact engine::pretender --nocapture \"part={part}\"", program.display())
}

fn ask(engine: &mut Engine<'_>, depth: u32) -> Result<DivideText, CheckError> {
    engine.ask(&Fen::start(), &[], &Fen::start(), depth)
}

fn start(part: &str) -> Engine<'static> {
    Engine::start(EngineSetup::new(&command(part), PATIENCE), &()).unwrap()
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
        assert_eq!(
            diff(&mut Driver::new(&mut cpu, &()), &mut engine, &root, depth),
            Ok(Diff::Same { leaves }),
            "{root}"
        );
    }
}

#[test]
fn engines_may_write_castling_promotions_and_numbers_in_their_own_way() {
    for (root, depth, leaves) in
        [(fen(KIWIPETE), 3, 97_862), (fen("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"), 3, 9483), (fen(MATE), 1, 0)]
    {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let found = diff(&mut Driver::new(&mut cpu, &()), &mut start("dialect"), &root, depth);
        assert_eq!(found, Ok(Diff::Same { leaves }), "{root}");
    }
}

#[test]
fn a_move_that_is_listed_twice_is_called_so() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let found = diff(&mut Driver::new(&mut cpu, &()), &mut start("repeats"), &Fen::start(), 2);
    let Ok(Diff::Different(found)) = found else { panic!("{found:?}") };
    assert_eq!(found.repeated, [("a2a3".to_owned(), 20)]);
    assert_eq!((found.only_first.len(), found.only_second.len()), (0, 0));
}

/// As a test, does nothing. With an argument `script=...`, acts as a script.
#[test]
fn script() {
    match std::env::args().find_map(|argument| argument.strip_prefix("script=").map(str::to_owned)).as_deref() {
        Some("sum") => println!("\ne2e4 20\nd2d4\t20\n\n40"),
        Some("without sum") => println!("\ne2e4 20\nd2d4 20"),
        Some("words") => println!("\nI do not know"),
        _ => {}
    }
}

#[test]
fn the_sum_of_a_script_is_optional() {
    let program = std::env::current_exe().unwrap();
    let divide = |part: &str, here: &Fen| {
        let command = format!("\"{}\" --exact engine::script --nocapture \"script={part}\" --", program.display());
        // The test program takes the arguments of a script for names of tests; the first one is found.
        Script::new(&command, PATIENCE, &()).unwrap().ask(here, &[], here, 2).map(|answer| answer.checked().unwrap())
    };
    let both = vec![("e2e4".to_owned(), 20), ("d2d4".to_owned(), 20)];
    assert_eq!(divide("sum", &Fen::start()), Ok(both.clone()));
    assert_eq!(divide("without sum", &Fen::start()), Ok(both));
    assert_eq!(divide("words", &fen(MATE)), Ok(vec![]));
    let error = divide("words", &Fen::start()).unwrap_err().to_string();
    assert!(error.contains("printed no line such as") && error.contains("\"I do not know\""), "{error}");
}

#[test]
fn a_wrong_engine_is_led_to_its_mistake() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let found = diff(&mut Driver::new(&mut cpu, &()), &mut start("buggy"), &fen(KIWIPETE), 4);
    let Ok(Diff::Different(found)) = found else { panic!("{found:?}") };
    assert_eq!((found.line.len() % 2, found.only_second.len()), (1, 0));
    assert_eq!(found.only_first[0].0, "e8c8");
    let smallest = smallest_difference(&mut Driver::new(&mut cpu, &()), &mut start("buggy"), &found).unwrap();
    assert_eq!(smallest.to_string(), "r3k3/8/8/8/8/8/8/7K b q - 0 1");
    // An engine that fails at another position leaves the difference as it is.
    let smallest = smallest_difference(&mut Driver::new(&mut cpu, &()), &mut start("deadly"), &found);
    assert_eq!(smallest.map(|fen| fen.to_string()), Ok(found.position.to_string()));
}

#[test]
fn engines_that_talk_without_an_end_are_given_up() {
    std::thread::scope(|scope| {
        for part in TALKERS {
            scope.spawn(move || {
                let setup = EngineSetup::new(&command(part), Duration::from_secs(1));
                let error =
                    Engine::start(setup, &()).and_then(|mut engine| ask(&mut engine, 2)).unwrap_err().to_string();
                let reason = match part {
                    "repeating" => "it printed more than 256 counts.",
                    _ => "talked for 10 s without a count when it was asked with \"go perft 1\"",
                };
                assert!(error.contains(reason), "{part}: {error}");
            });
        }
    });
}

#[test]
fn engines_that_fail_are_errors() {
    let divide = |part: &str, root: &Fen| {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut driver = Driver::new(&mut cpu, &());
        diff(&mut driver, &mut start(part), root, 2).unwrap_err()
    };
    for (part, reason) in [
        ("deadly", "ended when it was asked for \"go perft 2\""),
        ("innumerate", "add up to 400"),
        ("garbled", "its line \"e2e4: many\" cannot be read"),
    ] {
        let error = divide(part, &Fen::start()).to_string();
        assert!(error.contains(reason) && error.ends_with('.'), "{error}");
    }
    let chess960 = fen("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1");
    let error = divide("orthodox", &chess960).to_string();
    assert!(error.contains("does not offer Chess960"), "{error}");

    for command in ["", "  ", "no-such-engine-anywhere", "\"\""] {
        let error =
            Engine::start(EngineSetup::new(command, PATIENCE), &()).map(|engine| engine.name().to_owned()).unwrap_err();
        assert!(matches!(error, CheckError::Program(EngineError::Start { .. })), "{error}");
    }
}

#[test]
fn the_form_of_requests_is_found() {
    for (part, asked) in [
        ("honest", "go perft 2"),
        ("dividing", "divide 2"),
        ("searching", "divide 2"),
        ("plain", "go perft 2"),
        ("without sum", "go perft 2"),
    ] {
        let patience = if part == "plain" { Duration::from_secs(2) } else { PATIENCE };
        let mut engine = Engine::start(EngineSetup::new(&command(part), patience), &()).unwrap();
        let root = Fen::start();
        assert_eq!(engine.commands(&root, &[], &root, 2).last().map(String::as_str), Some(asked), "{part}");
        for (root, leaves) in [(root, 400), (fen(KIWIPETE), 2039), (fen(MATE), 0)] {
            let mut cpu = Cpu::new(Some(1)).unwrap();
            let found = diff(&mut Driver::new(&mut cpu, &()), &mut engine, &root, 2);
            assert_eq!(found, Ok(Diff::Same { leaves }), "{part}: {root}");
        }
        engine.restart().unwrap();
        assert_eq!(ask(&mut engine, 1).unwrap().moves.len(), 20, "{part}");
    }
    let setup = EngineSetup {
        ask: vec!["position fen {fen}".into(), "divide {depth}".into()],
        ..EngineSetup::new(&command("honest"), PATIENCE)
    };
    let mut engine = Engine::start(setup, &()).unwrap();
    let commands = engine.commands(&Fen::start(), &[], &fen(KIWIPETE), 3);
    assert_eq!(commands, [format!("position fen {KIWIPETE}"), "divide 3".to_owned()]);
    assert_eq!(ask(&mut engine, 2).unwrap().total, Some(400));
}

#[test]
fn silence_has_an_end() {
    let short = Duration::from_millis(300);
    let start = Instant::now();
    let error = Engine::start(EngineSetup::new(&command("mute"), short), &()).map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("lists no moves with counts when it is asked with \"go perft 1\"") && error.contains("--ask"),
        "{error}"
    );
    let mut engine = Engine::start(EngineSetup::new(&command("silent"), Duration::from_secs(5)), &()).unwrap();
    let error = ask(&mut engine, 2).unwrap_err();
    assert!(error.to_string().contains("said nothing for 5 s when it was asked for \"go perft 2\""), "{error}");
    // An engine that does not quit is ended.
    drop(Engine::start(EngineSetup::new(&command("deaf"), PATIENCE), &()).unwrap());
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn waiting_for_an_engine_can_be_stopped() {
    let watch = Watch::stopping_at(4);
    let stopped = Engine::start(EngineSetup::new(&command("mute"), PATIENCE), &watch).map(|_| ());
    assert!(matches!(stopped, Err(CheckError::Count(Error::Cancelled(_)))));
}
