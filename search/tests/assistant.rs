//! A device helps the search: results stay correct, and a slow or failing device does no harm.

use std::io::{BufReader, Cursor, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::{Backend, BackendError, Fen, Move, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_search::uci::{Host, serve};
use kogge_search::{Found, Game, Limits, Searcher, Signals};
use kogge_testkit::Wrapped;

/// A stack for the deepest search.
const STACK: usize = 4 << 20;
/// Longer than any step takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The CPU backend as a device that fails after some calls. It sends the number of positions of each call, and each call waits for the
/// gate, if there is one, before it answers.
fn device(mut calls: u32, gate: Option<Receiver<()>>) -> (Box<dyn Backend>, Receiver<usize>) {
    let (evaluated, calls_of) = channel();
    let device = Wrapped::new(Cpu::new(Some(1)).unwrap()).minimax(move |cpu, rules, positions, depth, leaves| {
        // A test that is over listens no more.
        let _ = evaluated.send(positions.len());
        if let Some(gate) = &gate {
            let _ = gate.recv();
        }
        let Some(left) = calls.checked_sub(1) else {
            let (device, doing, reason) = ("The abacus", "evaluating", "A bead is lost.");
            let [device, doing, reason] = [device, doing, reason].map(str::to_owned);
            return Err(BackendError::Device { device, doing, reason });
        };
        calls = left;
        cpu.minimax(rules, positions, depth, leaves, &mut unwatched)
    });
    (Box::new(device), calls_of)
}

/// Returns a device whose calls answer when the sender allows it, or is gone.
fn gated() -> (Box<dyn Backend>, Receiver<usize>, Sender<()>) {
    let (open, gate) = channel();
    let (device, calls_of) = device(u32::MAX, Some(gate));
    (device, calls_of, open)
}

fn good() -> Box<dyn Backend> {
    device(u32::MAX, None).0
}

const MIDDLEGAME: &str = "r1bqk2r/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R b KQkq - 4 7";

fn game(fen: &str) -> Game {
    Game::new(&fen.parse::<Fen>().unwrap()).unwrap()
}

#[test]
fn mates_are_still_found() {
    let mut searcher = Searcher::new().unwrap();
    let (device, calls) = device(u32::MAX, None);
    searcher.set_assistant(Some(device), |error| panic!("{error}")).unwrap();
    for line in include_str!("../../data/mates.epd").lines().step_by(3) {
        let (fen, moves) = line.split_once(" ;mate ").unwrap();
        searcher.forget();
        let limits = Limits { mate: Some(moves.parse().unwrap()), nodes: Some(2_000_000), ..Limits::default() };
        let found = searcher.search(&game(fen), &limits, &Signals::default(), &mut |_| ());
        assert_eq!(found.score.mate_moves(), moves.parse().ok(), "{line}: {}", found.score);
    }
    // Calls of the searches before do not count. When a call begins, the one before it is finished.
    searcher.forget();
    while calls.try_recv().is_ok() {}
    let found = search_until(&mut searcher, || {
        let call = || calls.recv_timeout(PATIENCE).expect("the device is asked");
        let mut successors = 0;
        while successors < 1000 {
            successors += call();
        }
        call();
        call();
    });
    assert!(found.evaluated > Some(20), "{found:?}");
}

/// Searches until `wait` returns.
fn search_until(searcher: &mut Searcher, wait: impl FnOnce()) -> Found {
    let (game, signals) = (game(MIDDLEGAME), Signals::default());
    let found = thread::scope(|scope| {
        let search = || searcher.search(&game, &Limits::default(), &signals, &mut |_| ());
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, search).unwrap();
        let stop = StopAtEnd(&signals);
        wait();
        drop(stop);
        thread.join().unwrap()
    });
    assert!(game.moves().iter().any(|(legal, _)| *legal == found.line[0]));
    found
}

/// Stops a search also if the wait for its end has failed.
struct StopAtEnd<'a>(&'a Signals);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[test]
fn a_device_that_fails_says_so_once_and_the_search_goes_on() {
    let mut searcher = Searcher::new().unwrap();
    let (hear, heard) = channel();
    let complain = move |error: &BackendError| hear.send(error.to_string()).unwrap();
    searcher.set_assistant(Some(device(1, None).0), complain).unwrap();
    let mut first = String::new();
    search_until(&mut searcher, || first = heard.recv_timeout(PATIENCE).expect("an error"));
    assert_eq!(first, "The abacus failed evaluating: A bead is lost.");
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    assert!(searcher.search(&game(MIDDLEGAME), &limits, &Signals::default(), &mut |_| ()).depth > 0);
    drop(searcher);
    assert!(heard.try_recv().is_err(), "it complains once");
}

#[test]
fn nobody_waits_for_a_slow_device() {
    let mut searcher = Searcher::new().unwrap();
    let (device, calls, open) = gated();
    searcher.set_assistant(Some(device), |error| panic!("{error}")).unwrap();
    // The device never answers while these searches run: a search that waits for it would never end.
    search_until(&mut searcher, || _ = calls.recv_timeout(PATIENCE).expect("the device is asked"));
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let found = searcher.search(&game(MIDDLEGAME), &limits, &Signals::default(), &mut |_| ());
    assert_eq!(found.evaluated, Some(0));
    drop(open);
}

#[test]
fn without_a_device_nothing_changes() {
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let search = |searcher: &mut Searcher| {
        searcher.forget();
        searcher.search(&game(MIDDLEGAME), &limits, &Signals::default(), &mut |_| ())
    };
    let mut searcher = Searcher::new().unwrap();
    let before = search(&mut searcher);
    searcher.set_assistant(Some(good()), |error| panic!("{error}")).unwrap();
    assert!(search(&mut searcher).evaluated.is_some());
    searcher.set_assistant(None, |_| ()).unwrap();
    assert_eq!((before.evaluated, search(&mut searcher)), (None, before));
}

/// A host with devices that an option chooses.
struct Devices(String);

impl Host for Devices {
    fn set_option(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        (name == "Backend").then(|| {
            self.0 = value.to_owned();
            Ok(())
        })
    }

    fn divide(&mut self, _: &Fen, _: u32, _: &Signals) -> Result<Vec<(Move, u128)>, String> {
        Ok(Vec::new())
    }

    fn assistant(&mut self) -> Result<Option<Box<dyn Backend>>, String> {
        match &self.0[..] {
            "good" => Ok(Some(good())),
            "failing" => Ok(Some(device(0, None).0)),
            "missing" => Err("There is no such device.".to_owned()),
            _ => Ok(None),
        }
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

#[test]
fn an_option_chooses_it() {
    for (backend, awaited, expected, unexpected) in [
        ("none", "info depth 2 ", "bestmove", "info string"),
        ("good", "info depth 2 ", "info string The device has evaluated ", "without it"),
        ("missing", "info depth 2 ", "info string There is no such device.\nreadyok", "evaluated"),
        ("failing", "A bead is lost.", "A bead is lost. The search goes on without it.", "evaluated 1"),
    ] {
        let collected = Collected::default();
        // The search ends when the output has the awaited text.
        let said = || String::from_utf8(collected.0.lock().unwrap().clone()).unwrap();
        let begin = format!("setoption name Backend value {backend}\nisready\ngo infinite\n");
        let end = Await { awaited, output: collected.clone(), stop: Cursor::new("stop\n") };
        serve(BufReader::new(Cursor::new(begin).chain(end)), collected.clone(), Box::new(Devices(String::new())))
            .unwrap();
        let said = said();
        assert!(said.contains(expected) && !said.contains(unexpected), "{backend}: {said}");
        assert!(said.lines().last().is_some_and(|line| line.starts_with("bestmove ")), "{backend}: {said}");
    }
}

/// An input that stops the search when an output has a text.
struct Await {
    awaited: &'static str,
    output: Collected,
    stop: Cursor<&'static str>,
}

impl Read for Await {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let start = Instant::now();
        while !String::from_utf8_lossy(&self.output.0.lock().unwrap()).contains(self.awaited) {
            assert!(start.elapsed() < PATIENCE, "{:?} does not come", self.awaited);
            thread::sleep(Duration::from_millis(2));
        }
        self.stop.read(buffer)
    }
}
