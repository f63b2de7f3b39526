//! UCI: answers to commands and to arbitrary input.

use std::io::{BufReader, Cursor, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::{Backend, Fen, Move, Quad48, unwatched};
use kogge_movegen_cpu::{Cpu, LegalMoves};
use kogge_search::Signals;
use kogge_search::uci::{Host, serve};

struct Counter;

impl Host for Counter {
    fn options(&self) -> Vec<String> {
        vec!["name Colour type combo default red var red var blue".to_owned()]
    }

    fn set_option(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        (name == "Colour").then(|| match value {
            "red" | "blue" => Ok(()),
            _ => Err(format!("There is no colour {value:?}.")),
        })
    }

    fn divide(&mut self, root: &Fen, depth: u32, _: &Signals) -> Result<Vec<(Move, u128)>, String> {
        let moves: Vec<_> = LegalMoves::of(&root.rules, &root.position).collect();
        let after: Vec<_> =
            moves.iter().map(|&played| Quad48::from(&root.position.play(&root.rules, played))).collect();
        let counts = Cpu::new(Some(1))
            .unwrap()
            .perft(&root.rules, &after, depth.min(4).saturating_sub(1), &mut unwatched)
            .unwrap();
        Ok(moves.into_iter().zip(counts).collect())
    }
}

#[derive(Clone, Default)]
struct Collected(Arc<Mutex<Vec<u8>>>);

impl Write for Collected {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the output for an input that is available at once.
fn transcript(input: &[u8]) -> String {
    answers(input, Box::new(Counter))
}

fn answers(input: &[u8], host: Box<dyn Host>) -> String {
    let collected = Collected::default();
    serve(Cursor::new(input.to_vec()), collected.clone(), host).unwrap();
    let bytes = collected.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn last(input: &str) -> String {
    transcript(input.as_bytes()).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn it_introduces_itself() {
    let said = transcript(b"uci\nisready\nquit\n");
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("id name kogge ") && lines[1].starts_with("id author "), "{said}");
    assert_eq!(lines[lines.len() - 2..], ["uciok", "readyok"]);
    for option in ["Hash", "Threads", "MultiPV", "Move Overhead", "Ponder", "UCI_Chess960", "Clear Hash", "Colour"] {
        assert!(lines.iter().any(|line| line.starts_with(&format!("option name {option} type "))), "{option}");
    }
}

#[test]
fn it_searches_to_every_kind_of_limit() {
    for go in ["depth 3", "nodes 500", "movetime 20", "wtime 100 btime 100", "wtime 0 btime 0", "mate 1 depth 3"] {
        let best = last(&format!("position startpos moves e2e4\ngo {go}\n"));
        assert!(best.starts_with("bestmove "), "go {go}: {best}");
    }
    assert_eq!(last("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\ngo mate 1 depth 9\n"), "bestmove a1a8");
    assert_eq!(last("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo depth 3\n"), "bestmove (none)");
    let only = last("position startpos\ngo depth 4 searchmoves a2a3\n");
    assert!(only.starts_with("bestmove a2a3"), "{only}");
    let said = transcript(b"setoption name MultiPV value 3\nposition startpos\ngo depth 2\n");
    assert_eq!(said.matches("info depth 2 ").count(), 3, "{said}");
    assert_eq!(last("position startpos\ngo infinite\nstop\nquit\n").split(' ').next(), Some("bestmove"));
    let mated = transcript(b"position fen 7k/R7/8/8/8/8/8/1R2K3 b - - 0 1\ngo depth 4\n");
    assert!(mated.contains(" score mate -1 "), "{mated}");
}

#[test]
fn it_counts() {
    let said = transcript(b"position startpos moves e2e4\ngo perft 2\n");
    assert!(said.contains("a7a6: 30\n") && said.contains("\nNodes searched: 600\n"), "{said}");
}

#[test]
fn positions_have_names_and_may_lack_clocks() {
    for (fen, count) in [
        ("kiwipete", 48),
        ("startpos", 20),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 14),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0", 14),
    ] {
        let said = transcript(format!("position fen {fen}\ngo perft 1\n").as_bytes());
        assert!(said.contains(&format!("\nNodes searched: {count}\n")), "{fen}: {said}");
    }
}

#[test]
fn positions_may_lack_the_words_fen_and_moves() {
    let kings = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -";
    for (position, count) in [
        ("kiwipete".to_owned(), 48),
        ("kiwipete moves a1b1".to_owned(), 43),
        (kings.to_owned(), 14),
        (format!("{kings} 0 1"), 14),
        (format!("{kings} moves b4f4"), 2),
        ("startpos e2e4 e7e5".to_owned(), 29),
    ] {
        let said = transcript(format!("position {position}\ngo perft 1\n").as_bytes());
        assert!(said.contains(&format!("\nNodes searched: {count}\n")), "{position}: {said}");
        assert!(!said.contains("info string"), "{position}: {said}");
    }
}

#[test]
fn comments_are_no_commands() {
    assert_eq!(transcript(b"# go perft 1\n  # quit\nisready\n"), "readyok\n");
}

#[test]
fn a_score_comes_before_every_move() {
    for (position, go, score) in [
        // Mate and stalemate.
        ("fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "depth 3", "score mate 0"),
        ("fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "depth x", "score mate 0"),
        ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "nodes 1", "score cp 0"),
        ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "depth x", "score cp 0"),
        // Searches that end at once.
        ("startpos", "nodes 1", "score cp "),
        ("kiwipete", "nodes 1", "score cp "),
        ("startpos", "nodes 0", "score cp "),
        ("startpos", "movetime 0", "score cp "),
        ("startpos", "infinite\nstop", "score cp "),
        ("startpos", "depth x", "score cp "),
        // Refused positions.
        ("startpos moves e2e5", "depth 2", "score cp 0"),
        ("e2e4", "depth 2", "score cp 0"),
    ] {
        let said = transcript(format!("position {position}\ngo {go}\n").as_bytes());
        let lines: Vec<&str> = said.lines().collect();
        let [.., info, best] = lines[..] else { panic!("{position}, go {go}: {said}") };
        assert!(info.starts_with("info ") && info.contains(score), "{position}, go {go}: {said}");
        assert!(best.starts_with("bestmove ") && !said.contains(" pv \n"), "{position}, go {go}: {said}");
    }
    // Without time to search, the score is the evaluation.
    let said = transcript(b"position fen 4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1\ngo nodes 1\n");
    let score = said.split("score cp ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    assert!(score.parse::<i32>().is_ok_and(|score| score > 1000), "{said}");
}

#[test]
fn castling_is_written_as_agreed() {
    let castled = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1";
    for (before, moves) in [("", "e1g1"), ("", "e1h1"), ("setoption name UCI_Chess960 value true\n", "e1h1")] {
        let input = format!("{before}position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves {moves}\ngo perft 1\n");
        let expected = format!("{before}position fen {castled}\ngo perft 1\n");
        assert_eq!(transcript(input.as_bytes()), transcript(expected.as_bytes()), "{moves}");
    }
    let king = "position fen bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9\ngo perft 1\n";
    assert!(!transcript(king.as_bytes()).contains("info string"));
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    for (line, complaint) in [
        ("setoption name Hash value many", "info string The option Hash takes a number from 1 to 65536, not \"many\"."),
        ("setoption name Threads value 0", "info string The option Threads takes a number from 1 to 512"),
        ("setoption name Nonsense value 1", "info string There is no option \"Nonsense\"."),
        ("setoption name Colour value green", "info string There is no colour \"green\"."),
        ("go perft x", "info string \"go perft x\" is not possible; expected a number of at least 0."),
        ("go searchmoves e2e5 depth 1", "info string The move \"e2e5\" is not legal here."),
    ] {
        let said = transcript(format!("position startpos moves d2d4\n{line}\ngo perft 1\n").as_bytes());
        assert!(said.contains(complaint), "{line}: {said}");
        assert!(said.contains("\nNodes searched: 20\n") && said.contains("\nd7d5: 1\n"), "{line}: {said}");
    }
}

#[test]
fn a_position_that_is_refused_is_not_searched() {
    for (line, complaint) in [
        ("position startpos moves e2e4 e7e5 e2e5", "info string The move \"e2e5\" is not legal here."),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "info string There are 0 white kings"),
        ("position 8/8/8/8/8/8/8/8 w - - 0 1", "info string There are 0 white kings"),
        ("position", "info string The FEN is empty"),
        ("position kiwipeet", "info string The text \"kiwipeet\" is neither a FEN nor the name of a position"),
        ("position startpos e2e5", "info string The move \"e2e5\" is not legal here."),
        ("position startpos nonsense", "info string \"nonsense\" is not a move"),
    ] {
        let said = transcript(format!("position startpos\n{line}\ngo depth 2\ngo perft 1\n").as_bytes());
        assert!(said.contains(complaint) && said.contains("\nbestmove (none)\n"), "{line}: {said}");
        assert!(!said.contains("depth") && !said.contains("Nodes searched"), "{line}: {said}");
        let after = last(&format!("{line}\nposition startpos\ngo depth 2\n"));
        assert!(after.starts_with("bestmove ") && after.len() > 12, "{line}: {after}");
    }
}

#[test]
fn counters_out_of_range_do_not_matter() {
    for counters in ["0 0", "5", "130 90", "-1 -1", "many moves"] {
        let best = last(&format!("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - {counters}\ngo depth 2\n"));
        assert_eq!(best, "bestmove a1a8", "{counters}");
    }
}

#[test]
fn a_search_that_may_never_end_ends_with_the_input() {
    for go in ["infinite", "mate 1", "ponder wtime 100 btime 100"] {
        assert!(last(&format!("position startpos\ngo {go}\n")).starts_with("bestmove "), "{go}");
    }
    // The other side's clock is better than none.
    assert!(last("position startpos moves e2e4\ngo wtime 50\n").starts_with("bestmove "));
}

#[test]
fn of_a_line_that_is_too_long_the_rest_is_no_command() {
    let mut input = b"position startpos moves ".to_vec();
    while input.len() < 1 << 20 {
        input.extend_from_slice(b"e2e5 ");
    }
    input.extend_from_slice(b" quit quit quit\nuci\n");
    assert!(transcript(&input).ends_with("uciok\n"));
}

#[test]
fn it_introduces_itself_after_a_search_as_before() {
    let said = transcript(b"uci\nposition startpos\ngo depth 1\nisready\nucinewgame\nuci\n");
    assert_eq!(said.matches("option name Colour").count(), 2, "{said}");
}

/// An input that arrives line by line.
struct Later(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Later {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let len = self.1.len().min(buffer.len());
        buffer[..len].copy_from_slice(&self.1[..len]);
        self.1.drain(..len);
        Ok(len)
    }
}

fn engine(host: Box<dyn Host>) -> (Sender<Vec<u8>>, Collected, thread::JoinHandle<()>) {
    let (sender, receiver) = channel();
    let collected = Collected::default();
    let output = collected.clone();
    let thread = thread::spawn(move || {
        serve(BufReader::new(Later(receiver, Vec::new())), output, host).unwrap();
    });
    (sender, collected, thread)
}

fn wait_for(collected: &Collected, text: &str) -> Duration {
    let start = Instant::now();
    while !String::from_utf8_lossy(&collected.0.lock().unwrap()).contains(text) {
        assert!(start.elapsed() < Duration::from_secs(60), "{text:?} does not come");
        thread::sleep(Duration::from_millis(2));
    }
    start.elapsed()
}

#[test]
fn it_listens_while_it_thinks() {
    let (say, heard, thread) = engine(Box::new(Counter));
    let say = |text: &str| say.send(format!("{text}\n").into_bytes()).unwrap();
    say("position startpos\ngo infinite");
    wait_for(&heard, "info depth 3 ");
    say("isready");
    wait_for(&heard, "readyok");
    assert!(!String::from_utf8_lossy(&heard.0.lock().unwrap()).contains("bestmove"));
    say("stop");
    wait_for(&heard, "bestmove");
    // The mate is found at once, but the answer waits until the opponent has moved.
    heard.0.lock().unwrap().clear();
    say("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\ngo ponder wtime 1000 btime 1000 depth 5");
    wait_for(&heard, "info depth 5 ");
    thread::sleep(Duration::from_millis(50));
    assert!(!String::from_utf8_lossy(&heard.0.lock().unwrap()).contains("bestmove"));
    say("ponderhit");
    wait_for(&heard, "bestmove a1a8");
    say("go infinite\nquit");
    thread.join().unwrap();
}

/// A host whose count lasts until the test lets it end, or until it is stopped.
struct Patient {
    begun: Sender<()>,
    end: Receiver<()>,
}

impl Patient {
    fn boxed() -> (Box<dyn Host>, Receiver<()>, Sender<()>) {
        let ((begun, is_running), (let_end, end)) = (channel(), channel());
        (Box::new(Self { begun, end }), is_running, let_end)
    }
}

impl Host for Patient {
    fn divide(&mut self, root: &Fen, depth: u32, signals: &Signals) -> Result<Vec<(Move, u128)>, String> {
        self.begun.send(()).unwrap();
        while self.end.try_recv().is_err() {
            if signals.is_stopped() {
                return Err("Stopped by the test.".to_owned());
            }
            thread::sleep(Duration::from_millis(1));
        }
        Counter.divide(root, depth, signals)
    }
}

#[test]
fn a_count_ends_before_later_commands_are_obeyed() {
    let (host, is_running, let_end) = Patient::boxed();
    let (say, heard, thread) = engine(host);
    say.send(b"position startpos\ngo perft 1\n".to_vec()).unwrap();
    is_running.recv().unwrap();
    say.send(b"isready\nposition startpos moves e2e4\ngo perft 2\nquit\nstop\n".to_vec()).unwrap();
    // When its receiver is gone, the engine has read the end of the input.
    while say.send(Vec::new()).is_ok() {
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(*heard.0.lock().unwrap(), b"");
    let_end.send(()).unwrap();
    is_running.recv().unwrap();
    let said = String::from_utf8(heard.0.lock().unwrap().clone()).unwrap();
    assert!(said.contains("\nNodes searched: 20\n") && said.ends_with("readyok\n"), "{said}");
    let_end.send(()).unwrap();
    thread.join().unwrap();
    wait_for(&heard, "\nNodes searched: 600\n");
}

#[test]
fn a_count_ends_before_the_input_that_ends_it() {
    for end in ["", "quit\n", "go depth 1\n"] {
        let said = transcript(format!("go perft 3\n{end}").as_bytes());
        assert!(said.contains("\nNodes searched: 8902\n"), "{end}: {said}");
    }
}

#[test]
fn stop_ends_a_count_at_once() {
    // The test never lets a count end. A stop also ends the counts that wait before it.
    let (host, _is_running, _let_end) = Patient::boxed();
    let said = answers(b"go perft 5\nisready\ngo perft 6\nstop\nisready\n", host);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines, ["info string Stopped by the test.", "readyok", "info string Stopped by the test.", "readyok"]);
    let (host, is_running, _let_end) = Patient::boxed();
    let (say, heard, thread) = engine(host);
    say.send(b"go perft 5\n".to_vec()).unwrap();
    is_running.recv().unwrap();
    say.send(b"stop\n".to_vec()).unwrap();
    wait_for(&heard, "Stopped by the test.");
    drop(say);
    thread.join().unwrap();
}

#[test]
fn more_commands_may_wait_than_are_kept() {
    let (host, is_running, let_end) = Patient::boxed();
    let (say, heard, thread) = engine(host);
    say.send([&b"go perft 1\n"[..], &b"isready\n".repeat(1000), b"stop\n"].concat()).unwrap();
    is_running.recv().unwrap();
    let_end.send(()).unwrap();
    drop(say);
    thread.join().unwrap();
    let said = String::from_utf8(heard.0.lock().unwrap().clone()).unwrap();
    assert!(said.contains("\nNodes searched: 20\n") && said.matches("readyok").count() == 1000, "{said}");
}

#[test]
fn nonsense_does_no_harm() {
    const WORDS: &str = "uci isready ucinewgame position go stop ponderhit setoption debug register fen startpos moves e2e4 e7e5 \
        e1g1 a7a8q depth nodes movetime wtime btime winc binc movestogo infinite ponder searchmoves mate name \
        value Hash Threads MultiPV Move Overhead UCI_Chess960 true -1 2 99999999999999999999";
    let mut words: Vec<_> = WORDS.split(' ').collect();
    words.extend([
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "\u{fffd}\0é",
    ]);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    let mut input = Vec::new();
    for _ in 0..1500 {
        for _ in 0..below(9) {
            // Changing table sizes would take time and test nothing.
            let word = words[below(words.len())];
            input.extend_from_slice(word.as_bytes());
            input.push(b" \t "[below(3)]);
        }
        if below(10) == 0 {
            for _ in 0..below(40) {
                input.push(below(256) as u8);
            }
        }
        input.push(b'\n');
    }
    input.extend_from_slice(&[b'x'; 3 << 20]);
    input.extend_from_slice(b"\nstop\nucinewgame\nposition startpos\nisready\ngo depth 2\n");
    let said = transcript(&input);
    let end = said.rfind("readyok").expect("it is still there");
    assert!(said[end..].contains("bestmove "), "{}", &said[end..]);
}
