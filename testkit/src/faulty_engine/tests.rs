//! Without faults, the engine counts as kogge does. Each fault changes an answer.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kogge_board::placements::{ALL_MEN, placement, themes};
use kogge_board::{Backend, Fen, Quad48, known, unwatched};
use kogge_movegen_cpu::{Cpu, mailbox};

use super::{DIALECTS, FAULTS, Part, speak, speak_if_told};

/// Returns what an engine with these faults prints.
fn said(names: &[&str], input: &str) -> String {
    let mut output = Vec::new();
    speak(names, input.as_bytes(), &mut output);
    String::from_utf8(output).expect("the engine prints text")
}

fn request(fen: &str, depth: u32) -> String {
    format!("position fen {fen}\ngo perft {depth}\n")
}

/// Returns the sums of all answers.
fn sums(text: &str) -> Vec<u128> {
    text.lines().filter_map(|line| line.strip_prefix("Nodes searched: ")?.parse().ok()).collect()
}

#[test]
fn engine() {
    speak_if_told();
}

/// Starts the engine as a program, and gives it these lines.
fn start(names: &[&str], input: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args(["--exact", "faulty_engine::tests::engine", "--nocapture", "speak"]).args(names);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the engine starts");
    child.stdin.as_mut().expect("an input").write_all(input.as_bytes()).expect("the engine listens");
    child
}

#[test]
fn known_positions_are_counted_rightly() {
    for known in known::standard().into_iter().chain(known::chess960()) {
        let depth = known.depth_within(if known.name.len() < 10 { 10_000_000 } else { 100_000 });
        let leaves = known.leaves(depth).expect("a published count");
        for names in [&[][..], &["hash"]] {
            assert_eq!(
                sums(&said(names, &request(&known.root.to_string(), depth))),
                [leaves],
                "{} {names:?}",
                known.name
            );
        }
    }
}

#[test]
fn random_positions_are_counted_rightly() {
    let mut cpu = Cpu::new(None).expect("a variant");
    let mut input = "setoption name UCI_Chess960 value true\n".to_owned();
    let (mut expected_sums, mut expected_moves) = (Vec::new(), Vec::new());
    for seed in 0..2000 {
        let (rules, position) = placement(seed, &themes::MIXED, ALL_MEN);
        let fen = Fen::new(position, rules).to_string();
        for depth in 1..=3 {
            input.push_str(&request(&fen, depth));
            let leaves = cpu.perft(&rules, &[Quad48::from(&position)], depth, &mut unwatched).expect("a count");
            expected_sums.push((fen.clone(), leaves[0]));
            let mut moves: Vec<_> =
                mailbox::legal_moves(&rules, &position).iter().map(|played| played.uci(&rules, true)).collect();
            moves.sort();
            expected_moves.push(moves);
        }
    }
    let text = said(&[], &input);
    let fens = expected_sums.iter().map(|(fen, _)| fen.clone());
    assert_eq!(fens.zip(sums(&text)).collect::<Vec<_>>(), expected_sums);
    let listed = text.split("Nodes searched").take(expected_moves.len()).map(|answer| {
        let words = answer.lines().filter_map(|line| line.split_once(": "));
        let mut moves: Vec<_> = words.map(|(word, _)| word.to_owned()).filter(|word| !word.is_empty()).collect();
        moves.sort();
        moves
    });
    assert!(listed.eq(expected_moves));
}

#[test]
fn each_fault_shows() {
    let shown = FAULTS.iter().filter(|planted| planted.part != Part::Process);
    for planted in shown {
        let input: String = planted.shown_by.iter().map(|&(fen, depth)| request(fen, depth)).collect();
        let (wrong, right) = (said(&[planted.name], &input), said(&[], &input));
        assert_ne!(wrong, right, "{}", planted.name);
        let counts = |text: &str| text.lines().map(str::to_owned).collect::<HashSet<_>>();
        let (&(fen, depth), earlier) = planted.shown_by.split_last().expect("a position");
        let asked_alone = said(&[planted.name], &request(fen, 1));
        match planted.part {
            // No smaller depth shows the fault.
            Part::Moves | Part::Make if depth > 1 => {
                let shallower = request(fen, depth - 1);
                assert_eq!(said(&[planted.name], &shallower), said(&[], &shallower), "{}", planted.name);
            }
            Part::Undo | Part::Hash => assert_eq!(asked_alone, said(&[], &request(fen, 1)), "{}", planted.name),
            Part::Moves => assert_ne!(counts(&wrong).len(), counts(&right).len(), "{}", planted.name),
            _ => assert!(earlier.is_empty(), "{}", planted.name),
        }
    }
}

#[test]
fn a_table_that_collides_changes_its_answers() {
    let planted = FAULTS.iter().find(|planted| planted.name == "table-collides").expect("a fault");
    let (fen, depth) = planted.shown_by[0];
    let answers = sums(&said(&[planted.name], &request(fen, depth).repeat(2)));
    assert_ne!(answers[0], answers[1]);
}

#[test]
fn several_faults_show_at_once() {
    let input = request("1n5k/2P5/8/8/8/8/8/4K3 w - - 0 1", 1);
    let listed = said(&["knight-promotion-missing", "promotion-to-left-missing"], &input);
    assert!(listed.starts_with("c7c8q: 1\nc7c8r: 1\nc7c8b: 1\ne1"), "{listed}");
}

/// Returns the request that shows a fault.
fn shown(name: &str) -> String {
    let planted = FAULTS.iter().find(|planted| planted.name == name).expect("a fault");
    let (fen, depth) = planted.shown_by[0];
    request(fen, depth)
}

#[test]
fn an_engine_crashes() {
    let mut child = start(&["crashes-at-promotion"], &shown("crashes-at-promotion"));
    assert!(!child.wait().expect("an end").success());
}

#[test]
fn an_engine_hangs() {
    let mut child = start(&["hangs-at-en-passant"], &(shown("hangs-at-en-passant") + "quit\n"));
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("a running engine").is_none());
    child.kill().and_then(|()| child.wait()).expect("an end");
    assert_eq!(sums(&said(&[], &shown("hangs-at-en-passant"))), [1]);
}

#[test]
fn an_engine_prints_nothing_or_garbage() {
    assert_eq!(said(&["silent-at-mate"], &shown("silent-at-mate")), "");
    assert_eq!(said(&[], &shown("silent-at-mate")), "\nNodes searched: 0\n\n");
    assert!(said(&["prints-garbage"], &shown("prints-garbage")).starts_with("e1e9: 1\n"));
    let cut = said(&["closes-output"], &(shown("closes-output") + "isready\n"));
    assert_eq!(cut.lines().count(), 10, "{cut}");
}

#[test]
fn names_are_unique() {
    let names = FAULTS.iter().map(|planted| planted.name).chain(DIALECTS.iter().map(|dialect| dialect.0));
    let names: Vec<_> = names.collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    assert!(FAULTS.len() <= 64);
}

#[test]
fn dialects_change_the_words() {
    let castles = request("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 1);
    let promotes = request("7k/P7/8/8/8/8/8/K7 w - - 0 1", 1);
    assert!(said(&[], &castles).contains("e1g1: 1\n"));
    assert!(said(&["castles-to-rook"], &castles).contains("e1h1: 1\n"));
    assert!(said(&[], &promotes).contains("a7a8q: 1\n"));
    assert!(said(&["capital-promotions"], &promotes).contains("a7a8Q: 1\n"));
    assert!(!said(&["no-sum"], &promotes).contains("Nodes"));
    assert_eq!(said(&["no-uci"], "uci\nisready\n"), "");
    assert!(said(&[], "uci\nisready\n").ends_with("uciok\nreadyok\n"));
    for (dialect, command) in [("perft-command", "perft 2"), ("divide-command", "divide 2")] {
        assert_eq!(sums(&said(&[dialect], &format!("{command}\n"))), [400]);
        assert!(said(&[dialect], "go perft 2\n").starts_with("bestmove "));
        assert!(said(&[], command).starts_with("Unknown command"));
    }
    let moved = "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1h1\ngo perft 1\n";
    assert!(said(&[], moved).contains("f8c5: 1\n"));
}

#[test]
fn an_engine_is_as_slow_as_told() {
    let start = Instant::now();
    assert_eq!(sums(&said(&["slow=1000"], "go perft 2\n")), [400]);
    assert!(start.elapsed() > Duration::from_millis(350));
}

#[test]
fn an_engine_is_ready_while_it_counts() {
    let mut child = start(&["async", "slow=2000"], "go perft 2\nisready\nquit\n");
    let lines = BufReader::new(child.stdout.take().expect("an output")).lines().map_while(Result::ok);
    let lines: Vec<_> = lines.filter(|line| line == "readyok" || line.starts_with("Nodes")).collect();
    assert_eq!(lines, ["readyok", "Nodes searched: 400"]);
    assert!(child.wait().expect("an end").success());
}

#[test]
fn positions_that_show_faults_are_legal() {
    for (fen, _) in FAULTS.iter().flat_map(|planted| planted.shown_by) {
        let parsed: Result<Fen, _> = fen.parse();
        assert!(parsed.is_ok(), "{fen}: {parsed:?}");
    }
}

#[test]
fn no_fault_ends_the_engine_by_chance() {
    let names: Vec<_> =
        FAULTS.iter().filter(|planted| planted.part != Part::Process).map(|planted| planted.name).collect();
    let fens = (0..400).map(|seed| {
        let (rules, position) = placement(seed, &themes::MIXED, ALL_MEN);
        Fen::new(position, rules).to_string()
    });
    for (index, fen) in fens.enumerate() {
        let pair = [names[index % names.len()], names[index / names.len() * 7 % names.len()]];
        for chosen in [&pair[..], &names[..]] {
            // The second answer is about the board that the first has left.
            let input = request(&fen, 3) + "go perft 3\n";
            assert_eq!(sums(&said(chosen, &input)).len(), 2, "{chosen:?}: {fen}");
        }
    }
}
