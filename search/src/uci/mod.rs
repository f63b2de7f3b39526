//! UCI, the protocol between chess programs and engines: lines in, lines out.
//!
//! [`serve`] reads commands until `quit` or the end of the input. A search runs on its own thread, so
//! `stop`, `ponderhit` and `isready` work during a search. `go perft` ends before later commands are obeyed, so that
//! scripts can send all commands at once; only `stop` ends it early. No input causes a panic: unknown words are ignored,
//! and an `info string` explains why a command cannot be executed.
//!
//! The protocol is by Stefan Meyer-Kahlen and Rudolf Huber (2006), with the later `go perft` and option `UCI_Chess960`.

mod command;
mod input;

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use kogge_board::{BackendError, Color, Fen, FenError, Move, Quad48, Score, evaluate, known, minimax};

use crate::searcher::STACK;
use crate::{Game, Info, Limits, SearchResult, Searcher, Signals};
use command::{Command, Go, Position};
use input::Commands;

/// The parts of a UCI engine that its program provides: `go perft`, and its options.
pub trait Host: Send {
    /// Returns the declarations of further options, from `name` on.
    fn options(&self) -> Vec<String> {
        Vec::new()
    }

    /// Sets one of these options; `None` if there is no such option.
    ///
    /// # Errors
    /// A sentence if the value is wrong.
    fn set_option(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let _ = (name, value);
        None
    }

    /// Returns the legal moves in generation order, each with the number of leaves below it, for `go perft`.
    ///
    /// # Errors
    /// A sentence if the leaves cannot be counted or `signals` stop the count.
    fn divide(&mut self, root: &Fen, depth: u32, signals: &Signals) -> Result<Vec<(Move, u128)>, String>;
}

/// The time between two checks of a running count.
const TICK: Duration = Duration::from_millis(1);
/// The largest transposition table, in MiB.
const MOST_HASH: usize = 1 << 16;
/// The maximum number of threads, and of best lines.
const MOST_THREADS: usize = 512;
const MOST_LINES: usize = 256;
/// The greatest overhead of a move, in milliseconds.
const MOST_OVERHEAD: u64 = 5_000;

/// Serves UCI until `quit` or the end of the input, where it waits for a search that ends by itself. A thread reads the
/// input; it outlives this call if the output fails while it waits for a line.
///
/// # Errors
/// If the input or the output fails, or if there is not enough memory to start.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    host: Box<dyn Host>,
) -> io::Result<()> {
    let mut session = Session::new(output, host).map_err(|error| io::Error::other(error.to_string()))?;
    let mut commands = Commands::of(input)?;
    loop {
        session.finish_count(&mut commands);
        session.said()?;
        match commands.next().transpose()? {
            Some(Command::Quit) => {
                session.finish(true);
                return session.said();
            }
            Some(command) => session.obey(command),
            None => break,
        }
    }
    let is_unlimited = session.job.as_ref().is_some_and(|job| job.is_unlimited);
    session.finish(is_unlimited);
    session.said()
}

/// The output of both threads.
#[derive(Clone)]
struct Output(Arc<Mutex<Sink>>);

struct Sink {
    to: Box<dyn Write + Send>,
    /// The first failure.
    result: io::Result<()>,
}

impl Output {
    fn say(&self, line: &str) {
        let mut said = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if said.result.is_ok() {
            let Sink { to, .. } = &mut *said;
            let result = writeln!(to, "{line}").and_then(|()| to.flush());
            said.result = result;
        }
    }

    fn note(&self, sentence: &str) {
        self.say(&format!("info string {}", sentence.replace(['\n', '\r'], " ")));
    }
}

/// The searcher and the host, owned by a job's thread while the job runs.
struct Engine {
    searcher: Searcher,
    host: Box<dyn Host>,
}

/// A running search or count.
struct Job {
    thread: JoinHandle<Option<Engine>>,
    signals: Arc<Signals>,
    is_unlimited: bool,
    is_perft: bool,
}

struct Session {
    output: Output,
    /// The searcher and the host; `None` while a job has them, or after a job has failed.
    engine: Option<Engine>,
    job: Option<Job>,
    start: Fen,
    game: Game,
    /// Whether the last `position` was refused; if so, the GUI has a different position.
    is_refused: bool,
    chess960: bool,
}

impl Session {
    fn new(output: impl Write + Send + 'static, host: Box<dyn Host>) -> Result<Self, BackendError> {
        let start = Fen::start();
        let said = Sink { to: Box::new(output), result: Ok(()) };
        Ok(Self {
            output: Output(Arc::new(Mutex::new(said))),
            engine: Some(Engine { searcher: Searcher::new()?, host }),
            job: None,
            start,
            game: Game::new(start),
            is_refused: false,
            chess960: false,
        })
    }

    fn said(&self) -> io::Result<()> {
        let mut said = self.output.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        std::mem::replace(&mut said.result, Ok(()))
    }

    fn obey(&mut self, command: Command) {
        if self.job.as_ref().is_some_and(|job| job.thread.is_finished()) {
            self.finish(false);
        }
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.say("readyok"),
            Command::NewGame => self.change(Searcher::forget),
            Command::Position(position) => {
                let set = self.set_position(&position);
                self.is_refused = set.is_err();
                if let Err(sentence) = set {
                    self.output.note(&sentence);
                }
            }
            Command::Go(go) => self.go(&go),
            Command::Refused(sentence, is_perft) => {
                self.finish(true);
                self.fail(&sentence, is_perft);
            }
            Command::Stop => self.finish(true),
            Command::PonderHit => {
                if let Some(job) = &self.job {
                    job.signals.ponderhit();
                }
            }
            Command::SetOption { name, value } => {
                if let Err(sentence) = self.set_option(&name, &value) {
                    self.output.note(&sentence);
                }
            }
            // `serve` handles it.
            Command::Quit => {}
        }
    }

    /// Waits for a running `go perft`, or stops it if `stop` is among the commands.
    fn finish_count(&mut self, commands: &mut Commands) {
        let Some(job) = self.job.as_ref().filter(|job| job.is_perft) else { return };
        while !job.thread.is_finished() {
            if commands.hear_stop(TICK) {
                job.signals.stop();
            }
        }
        self.finish(false);
    }

    /// Stops the job if `stop` is set, and waits for it.
    fn finish(&mut self, stop: bool) {
        let Some(job) = self.job.take() else { return };
        if stop {
            job.signals.stop();
        }
        match job.thread.join() {
            Ok(engine) => self.engine = engine.or(self.engine.take()),
            Err(_) => self.fail("The search has failed; restart the engine.", job.is_perft),
        }
    }

    /// Explains why there is no search, and plays any legal move if the GUI waits for one.
    fn fail(&self, sentence: &str, is_perft: bool) {
        self.output.note(sentence);
        if is_perft {
            return;
        }
        let position = Quad48::from(self.game.position());
        let (name, score) = match self.game.legal_moves().next() {
            _ if self.is_refused => (None, Score::DRAW),
            Some(any) => (Some(self.names().name(&self.game, any)), evaluate(&position)),
            None => (None, minimax::without_moves(&position)),
        };
        // Programs read a score before every move.
        self.output.say(&format!("info score {}", in_words(score)));
        self.output.say(&format!("bestmove {}", name.as_deref().unwrap_or("(none)")));
    }

    fn names(&self) -> Names {
        Names { chess960: self.chess960 || self.start.is_chess960() }
    }

    /// Returns the searcher and the host once they are idle.
    fn idle(&mut self) -> Option<&mut Engine> {
        self.finish(true);
        self.engine.as_mut()
    }

    /// Changes the searcher once it is idle.
    fn change(&mut self, change: impl FnOnce(&mut Searcher)) {
        if let Some(engine) = self.idle() {
            change(&mut engine.searcher);
        }
    }

    fn introduce(&mut self) {
        let say = |line: &str| self.output.say(line);
        say(concat!("id name kogge ", env!("CARGO_PKG_VERSION")));
        say("id author the kogge developers");
        for (name, default, least, most) in [
            ("Hash", 16, 1, MOST_HASH),
            ("Threads", 1, 1, MOST_THREADS),
            ("MultiPV", 1, 1, MOST_LINES),
            ("Move Overhead", 10, 0, MOST_OVERHEAD as usize),
        ] {
            say(&format!("option name {name} type spin default {default} min {least} max {most}"));
        }
        say("option name Ponder type check default false");
        say("option name UCI_Chess960 type check default false");
        say("option name Clear Hash type button");
        for option in self.engine.iter().flat_map(|engine| engine.host.options()) {
            say(&format!("option {option}"));
        }
        say("uciok");
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = |least: usize, most: usize| match value.parse::<usize>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(format!("The option {name} takes a number from {least} to {most}, not {value:?}.")),
        };
        let check = || match value.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("The option {name} takes true or false, not {value:?}.")),
        };
        match name.to_ascii_lowercase().as_str() {
            "uci_chess960" => self.chess960 = check()?,
            // The GUI decides whether to ponder; `go ponder` works in any case.
            "ponder" => _ = check()?,
            "hash" => {
                let bytes = number(1, MOST_HASH)? << 20;
                let set = self.idle().map_or(Ok(()), |engine| engine.searcher.set_table(bytes));
                set.map_err(|error| error.to_string())?;
            }
            "clear hash" => self.change(Searcher::forget),
            "threads" => {
                let threads = number(1, MOST_THREADS)?;
                self.change(|searcher| searcher.set_threads(threads));
            }
            "multipv" => {
                let lines = number(1, MOST_LINES)?;
                self.change(|searcher| searcher.lines = lines);
            }
            "move overhead" => {
                let overhead = Duration::from_millis(number(0, MOST_OVERHEAD as usize)? as u64);
                self.change(|searcher| searcher.overhead = overhead);
            }
            _ => {
                let set = self.idle().and_then(|engine| engine.host.set_option(name, value));
                set.unwrap_or_else(|| Err(format!("There is no option {name:?}.")))?;
            }
        }
        Ok(())
    }

    /// Sets up the position; an invalid one changes nothing.
    fn set_position(&mut self, Position { fen, moves }: &Position) -> Result<(), String> {
        let start = fen.as_deref().map_or(Ok(Fen::start()), |fen| parse(fen).map_err(|error| error.to_string()))?;
        let mut game = Game::new(start);
        for text in moves {
            let played = find_move(&game, text)?;
            game.play_unchecked(played);
        }
        (self.start, self.game) = (start, game);
        Ok(())
    }

    fn go(&mut self, go: &Go) {
        let since = Instant::now();
        self.finish(true);
        let is_perft = go.perft.is_some();
        if self.is_refused {
            return self.fail("The last position was refused, so there is none to search.", is_perft);
        }
        let mut moves = Vec::new();
        for text in &go.search_moves {
            match find_move(&self.game, text) {
                Ok(found) => moves.push(found),
                Err(sentence) => self.output.note(&sentence),
            }
        }
        let Some(engine) = self.engine.take() else {
            return self.fail("An earlier search has failed; restart the engine.", is_perft);
        };
        let signals = Arc::new(Signals::default());
        let is_unlimited = go.is_unlimited() || go.ponder;
        let black = self.game.turn() == Color::Black;
        let limits = Limits {
            depth: go.depth,
            nodes: go.nodes,
            mate: go.mate,
            move_time: go.move_time.filter(|_| !go.infinite),
            clock: go.clock(black).filter(|_| !go.infinite),
            moves,
            ponder: go.ponder,
            since: Some(since),
        };
        let (game, names) = (self.game.clone(), self.names());
        let (output, perft) = (self.output.clone(), go.perft);
        let (waits, ponder) = (go.is_endless(), go.ponder);
        let theirs = Arc::clone(&signals);
        let lend = move |mut engine: Engine| {
            if let Some(depth) = perft {
                names.divide(&game, depth, &mut *engine.host, &theirs, &output);
                return engine;
            }
            let mut is_scored = false;
            let mut report = |info: &Info| {
                is_scored = true;
                output.say(&names.info(&game, info));
            };
            let found = engine.searcher.search(&game, &limits, &theirs, &mut report);
            if !is_scored {
                output.say(&names.info(&game, &Info::of(&found, since.elapsed())));
            }
            // The protocol forbids a move before `stop` or `ponderhit`.
            while !theirs.is_stopped() && (waits || ponder && !theirs.is_ponderhit()) {
                thread::sleep(Duration::from_millis(1));
            }
            output.say(&names.best(&game, &found));
            engine
        };
        // A thread that fails to start would drop its data, so the data is sent after the start.
        let (sender, receiver) = mpsc::channel();
        let work = move || receiver.recv().ok().map(lend);
        match thread::Builder::new().name("kogge-search".to_owned()).stack_size(STACK).spawn(work) {
            Ok(thread) => {
                self.engine = sender.send(engine).err().map(|unsent| unsent.0);
                self.job = Some(Job { thread, signals, is_unlimited, is_perft });
            }
            Err(error) => {
                self.engine = Some(engine);
                self.fail(&format!("The search could not be started: {error}."), is_perft);
            }
        }
    }
}

/// Reads a FEN or the name of a standard position, with counters clamped to their ranges: GUIs send such counters, and no rule needs them.
fn parse(fen: &str) -> Result<Fen, FenError> {
    let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
    known::root(fen).or_else(|error| match (&error, &fields[..]) {
        (
            FenError::HalfmoveClock(_) | FenError::Fullmove(_) | FenError::Fields(5),
            [board, turn, rights, passed, rest @ ..],
        ) => {
            let clock = rest.first().and_then(|clock| clock.parse::<i64>().ok()).unwrap_or(0).clamp(0, 127);
            format!("{board} {turn} {rights} {passed} {clock} 1").parse()
        }
        _ => Err(error),
    })
}

/// Returns a score in the words of the protocol.
fn in_words(score: Score) -> String {
    score.mate_moves().map_or_else(|| format!("cp {}", score.value()), |moves| format!("mate {moves}"))
}

/// The notation of moves.
#[derive(Clone, Copy)]
struct Names {
    chess960: bool,
}

impl Names {
    fn name(self, game: &Game, played: Move) -> String {
        played.uci(game.rules(), self.chess960)
    }

    fn info(self, game: &Game, info: &Info) -> String {
        let Info { depth, selective_depth, rank, score, line, nodes, time, table_fullness } = info;
        let score = in_words(*score);
        let line: String = line.iter().map(|&played| format!(" {}", self.name(game, played))).collect();
        let line = if line.is_empty() { line } else { format!(" pv{line}") };
        let rate = (*nodes as f64 / time.as_secs_f64().max(1e-3)) as u64;
        format!(
            "info depth {depth} seldepth {selective_depth} multipv {rank} score {score} nodes {nodes} nps {rate} \
             hashfull {table_fullness} time {}{line}",
            time.as_millis()
        )
    }

    fn best(self, game: &Game, found: &SearchResult) -> String {
        match found.line[..] {
            [] => "bestmove (none)".to_owned(),
            [best] => format!("bestmove {}", self.name(game, best)),
            [best, reply, ..] => format!("bestmove {} ponder {}", self.name(game, best), self.name(game, reply)),
        }
    }

    /// Answers `go perft` in the form of Stockfish.
    fn divide(self, game: &Game, depth: u32, host: &mut dyn Host, signals: &Signals, output: &Output) {
        match host.divide(game.fen(), depth, signals) {
            Ok(counts) => {
                for (played, count) in &counts {
                    output.say(&format!("{}: {count}", self.name(game, *played)));
                }
                let total = counts.iter().try_fold(0u128, |sum, (_, count)| sum.checked_add(*count));
                match total {
                    _ if depth == 0 => output.say("\nNodes searched: 1\n"),
                    Some(total) => output.say(&format!("\nNodes searched: {total}\n")),
                    None => output.note("The sum exceeds 2^128."),
                }
            }
            Err(sentence) => output.note(&sentence),
        }
    }
}
/// Reads a move. Castling may be in either notation.
fn find_move(game: &Game, text: &str) -> Result<Move, String> {
    game.parse_uci(text).map_err(|error| error.to_string())
}
