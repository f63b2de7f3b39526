//! A device helps the search: results stay correct, and a slow or failing device does no harm.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use kogge_board::{Backend, BackendError, DeviceInfo, Fen, Leaves, Move, Quad48, Rules, Score, Successors};
use kogge_movegen_cpu::Cpu;
use kogge_search::uci::{Host, serve};
use kogge_search::{Game, Limits, Searcher, Signals};

/// The CPU backend as a slow device that fails after some calls.
struct Device {
    cpu: Cpu,
    calls: u32,
    takes: Duration,
}

impl Device {
    fn boxed(calls: u32, takes: Duration) -> Box<dyn Backend> {
        Box::new(Self { cpu: Cpu::new(Some(1)).unwrap(), calls, takes })
    }

    fn good() -> Box<dyn Backend> {
        Self::boxed(u32::MAX, Duration::ZERO)
    }
}

impl Backend for Device {
    fn info(&self) -> &DeviceInfo {
        self.cpu.info()
    }

    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        self.cpu.count(rules, positions)
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        self.cpu.expand(rules, positions)
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        self.cpu.perft(rules, positions, depth)
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<Vec<Score>, BackendError> {
        sleep(self.takes);
        let Some(left) = self.calls.checked_sub(1) else {
            let (device, doing, reason) = ("The abacus", "evaluating", "A bead is lost.");
            let [device, doing, reason] = [device, doing, reason].map(str::to_owned);
            return Err(BackendError::Device { device, doing, reason });
        };
        self.calls = left;
        self.cpu.minimax(rules, positions, depth, leaves)
    }

    kogge_board::host_merge!();
}

const MIDDLEGAME: &str = "r1bqk2r/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R b KQkq - 4 7";

fn game(fen: &str) -> Game {
    Game::new(&fen.parse::<Fen>().unwrap()).unwrap()
}

#[test]
fn mates_are_still_found() {
    let mut searcher = Searcher::new().unwrap();
    searcher.set_assistant(Some(Device::good()), |error| panic!("{error}")).unwrap();
    let mut evaluated = 0;
    for line in include_str!("../../data/mates.epd").lines().step_by(3) {
        let (fen, moves) = line.split_once(" ;mate ").unwrap();
        searcher.forget();
        let limits = Limits { mate: Some(moves.parse().unwrap()), nodes: Some(2_000_000), ..Limits::default() };
        let found = searcher.search(&game(fen), &limits, &Signals::default(), &mut |_| ());
        assert_eq!(found.score.mate_moves(), moves.parse().ok(), "{line}: {}", found.score);
        evaluated += found.evaluated.unwrap();
    }
    // A busy machine may need several searches.
    for _ in 0..100 {
        evaluated += search_for(&mut searcher, Duration::from_millis(100)).evaluated.unwrap();
        if evaluated > 100 {
            return;
        }
    }
    panic!("only {evaluated} positions were evaluated");
}

fn search_for(searcher: &mut Searcher, move_time: Duration) -> kogge_search::Found {
    let limits = Limits { move_time: Some(move_time), ..Limits::default() };
    let game = game(MIDDLEGAME);
    let found = searcher.search(&game, &limits, &Signals::default(), &mut |_| ());
    assert!(game.moves().iter().any(|(legal, _)| *legal == found.line[0]));
    found
}

#[test]
fn a_device_that_fails_says_so_once_and_the_search_goes_on() {
    let mut searcher = Searcher::new().unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&heard);
    let complain = move |error: &BackendError| hear.lock().unwrap().push(error.to_string());
    searcher.set_assistant(Some(Device::boxed(1, Duration::ZERO)), complain).unwrap();
    // A busy machine may need several searches for a second batch.
    for _ in 0..100 {
        assert!(search_for(&mut searcher, Duration::from_millis(100)).depth > 0);
        if !heard.lock().unwrap().is_empty() {
            break;
        }
    }
    search_for(&mut searcher, Duration::from_millis(100));
    drop(searcher);
    assert_eq!(*heard.lock().unwrap(), ["The abacus failed evaluating: A bead is lost."]);
}

#[test]
fn nobody_waits_for_a_slow_device() {
    const SLOW: Duration = Duration::from_secs(4);
    let mut searcher = Searcher::new().unwrap();
    searcher.set_assistant(Some(Device::boxed(u32::MAX, SLOW)), |error| panic!("{error}")).unwrap();
    let start = Instant::now();
    for _ in 0..2 {
        search_for(&mut searcher, Duration::from_millis(50));
    }
    assert!(start.elapsed() < SLOW, "{:?}", start.elapsed());
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
    searcher.set_assistant(Some(Device::good()), |error| panic!("{error}")).unwrap();
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
            "good" => Ok(Some(Device::good())),
            "failing" => Ok(Some(Device::boxed(0, Duration::ZERO))),
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
    for (backend, time, expected, unexpected) in [
        ("none", 20, "bestmove", "info string"),
        ("good", 20, "info string The device has evaluated ", "without it"),
        ("missing", 20, "info string There is no such device.\nreadyok", "evaluated"),
        ("failing", 3_000, "A bead is lost. The search goes on without it.", "evaluated 1"),
    ] {
        let collected = Collected::default();
        let input = format!("setoption name Backend value {backend}\nisready\ngo movetime {time}\n");
        serve(input.as_bytes(), collected.clone(), Box::new(Devices(String::new()))).unwrap();
        let said = String::from_utf8(collected.0.lock().unwrap().clone()).unwrap();
        assert!(said.contains(expected) && !said.contains(unexpected), "{backend}: {said}");
        assert!(said.lines().last().is_some_and(|line| line.starts_with("bestmove ")), "{backend}: {said}");
    }
}
