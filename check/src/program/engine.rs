//! Chess engines, driven by UCI or by commands like those of UCI.

use std::time::Duration;

use kogge_board::{Fen, Move};
use kogge_driver::Observer;
use kogge_movegen_cpu::LegalMoves;

use super::answer::Answer;
use super::conversation::Conversation;
use super::form::{End, Form};
use crate::error::CheckError;
use crate::text::DivideText;

/// The maximum time for an engine to answer the greeting.
const GREETING: Duration = Duration::from_secs(10);
/// The maximum time between the answer to `isready` and the sum, where the position has no move, and after a sum without moves.
const READY: Duration = Duration::from_millis(300);

/// An engine, and the way to ask it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSetup {
    /// The program and its arguments, separated by spaces. Double quotes enclose a word with spaces.
    pub command: String,
    /// The time for which the engine may be silent while kogge waits for an answer.
    pub patience: Duration,
    /// The lines that ask for a divide. `{depth}` stands for the depth, and `{fen}` for the position; without `{fen}`, the UCI command
    /// `position` comes before them. If there are none, common requests are tried, beginning with `go perft {depth}`.
    pub ask: Vec<String>,
    /// UCI options with their values.
    pub options: Vec<(String, String)>,
    /// Whether the engine knows Chess960; `None` means that it does if it has the UCI option `UCI_Chess960`.
    pub chess960: Option<bool>,
}

impl EngineSetup {
    /// Returns the setup of an engine about which nothing else is known.
    pub fn new(command: &str, patience: Duration) -> Self {
        Self { command: command.to_owned(), patience, ask: Vec::new(), options: Vec::new(), chess960: None }
    }
}

/// A running engine that lists the moves of a position with their counts, such as Stockfish and its relatives: lines such as
/// `e2e4: 20`, and the sum, `Nodes searched: 400`.
pub struct Engine<'a> {
    setup: EngineSetup,
    name: String,
    /// Whether the engine has answered the greeting of UCI.
    knows_uci: bool,
    has_chess960_option: bool,
    form: Form,
    conversation: Conversation<'a>,
    /// The rules that the engine was told last, as a value of `UCI_Chess960`.
    told: Option<bool>,
    observer: &'a dyn Observer,
}

impl<'a> Engine<'a> {
    /// Starts an engine, greets it, and finds out how it is asked.
    ///
    /// # Errors
    /// If the engine cannot be started, ends, or answers no request.
    pub fn start(setup: EngineSetup, observer: &'a dyn Observer) -> Result<Self, CheckError> {
        let conversation = Conversation::start(&setup.command, setup.patience, observer)?;
        let mut engine = Self {
            name: setup.command.trim().to_owned(),
            knows_uci: true,
            has_chess960_option: false,
            form: Form { ask: setup.ask.clone(), end: End::Sum, is_sequential: false },
            conversation,
            told: None,
            observer,
            setup,
        };
        engine.greet()?;
        let (form, has_ended) = Form::find(&mut engine.conversation, &engine.setup.ask, engine.knows_uci)?;
        engine.form = form;
        if has_ended {
            engine.restart()?;
        }
        Ok(engine)
    }

    /// Ends the engine, and starts it anew.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn restart(&mut self) -> Result<(), CheckError> {
        self.conversation = Conversation::start(&self.setup.command, self.setup.patience, self.observer)?;
        self.told = None;
        if self.knows_uci { self.greet() } else { Ok(()) }
    }

    /// The name that the engine reports, or its command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the engine can be asked about Chess960.
    pub fn knows_chess960(&self) -> bool {
        self.setup.chess960.unwrap_or(self.has_chess960_option)
    }

    fn greet(&mut self) -> Result<(), CheckError> {
        let doing = "when it was greeted with \"uci\"";
        let mut options = Vec::new();
        self.conversation.process.goes_on(0)?;
        self.conversation.say("uci", doing)?;
        let wait = self.setup.patience.min(GREETING);
        loop {
            let Some(line) = self.conversation.hear_within(wait, doing)? else {
                self.knows_uci = false;
                break;
            };
            match line.trim() {
                "uciok" => break,
                line => {
                    if let Some(name) = line.strip_prefix("id name ") {
                        self.name = name.trim().to_owned();
                    }
                    let option = line.strip_prefix("option name ").and_then(|rest| rest.split(" type ").next());
                    options.extend(option.map(|name| name.trim().to_owned()));
                }
            }
        }
        self.has_chess960_option = options.iter().any(|name| name == "UCI_Chess960");
        for (name, value) in &self.setup.options {
            if !options.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let known = if options.is_empty() { "none".to_owned() } else { options.join(", ") };
                return Err(self
                    .conversation
                    .process
                    .wrong(format!("it has no option {name:?}; its options: {known}.")));
            }
            self.conversation.say(&format!("setoption name {name} value {value}"), "when it was given an option")?;
        }
        Ok(())
    }

    /// Returns the commands that ask the engine about a position.
    pub fn commands(&self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Vec<String> {
        let chess960 = root.is_chess960();
        let mut commands = Vec::new();
        if self.has_chess960_option && chess960 {
            commands.push("setoption name UCI_Chess960 value true".to_owned());
        }
        if !self.form.has_position() {
            let mut position = format!("position fen {root}");
            if !line.is_empty() {
                position.push_str(" moves");
            }
            for played in line {
                position.push(' ');
                position.push_str(&played.uci(&root.rules, chess960));
            }
            commands.push(position);
        }
        commands.extend(self.form.request(&here.to_string(), depth));
        commands
    }

    /// Asks for the moves of `here`, the position after `line` from the root, with the number of leaves `depth` - 1 plies below each,
    /// and returns the answer as the engine gives it.
    ///
    /// # Errors
    /// If the engine ends, is silent for too long, or gives no end of its answer.
    pub fn ask(&mut self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Result<DivideText, CheckError> {
        let chess960 = root.is_chess960();
        if chess960 && !self.knows_chess960() {
            let reason = "it does not offer Chess960 (the option UCI_Chess960).".to_owned();
            return Err(self.conversation.process.wrong(reason));
        }
        if self.has_chess960_option && self.told != Some(chess960) {
            let option = format!("setoption name UCI_Chess960 value {chess960}");
            self.conversation.say(&option, "when it was told the rules")?;
            self.told = Some(chess960);
        }
        let commands = self.commands(root, line, here, depth);
        let doing = format!("when it was asked for {:?}", commands.last().map_or("", String::as_str));
        let has_moves = LegalMoves::of(&here.rules, &here.position).next().is_some();
        let asks_ready = self.knows_uci && (self.form.end == End::Ready || !has_moves);
        self.conversation.process.goes_on(0)?;
        for command in commands.iter().filter(|command| !command.starts_with("setoption")) {
            self.conversation.say(command, &doing)?;
        }
        if asks_ready {
            self.conversation.ask_ready(&doing);
        }
        self.answer(has_moves, asks_ready, &doing)
    }

    /// Reads an answer to its end.
    fn answer(&mut self, has_moves: bool, asks_ready: bool, doing: &str) -> Result<DivideText, CheckError> {
        let mut answer = Answer::default();
        let (mut is_ready, mut asks_ready) = (false, asks_ready);
        loop {
            let counts = answer.text.moves.len();
            let wait = match self.form.end.silence() {
                Some(silence) if counts > 0 && (is_ready || self.form.end == End::Silence) => silence,
                _ if is_ready && !has_moves => READY.min(self.setup.patience),
                // All lines of moves were unreadable.
                _ if counts == 0 && answer.text.total.is_some() && !answer.text.unread.is_empty() => READY,
                _ => self.setup.patience,
            };
            let Some(line) = self.conversation.hear_within(wait, doing)? else {
                let process = &mut self.conversation.process;
                if self.form.end == End::Sum && is_ready && answer.text.total.is_none() && counts == 0 {
                    return Err(process.wrong(format!("it printed neither a move nor a sum {doing}.")));
                }
                if wait < self.setup.patience || self.form.end == End::Silence && !has_moves {
                    return Ok(answer.text);
                }
                // The engine has answered, in words that are not understood.
                return Err(if counts > 0 { process.wrong(answer.summary()) } else { process.silent(wait, doing) });
            };
            if line.trim() == "readyok" {
                is_ready = true;
                if has_moves && counts == 0 && answer.text.total.is_some() && self.form.is_sequential {
                    return Ok(answer.text);
                }
                continue;
            }
            if !answer.read(&line) {
                continue;
            }
            let now = answer.text.moves.len();
            self.conversation.process.goes_on(now)?;
            // Before the first move, a number is no sum, such as the number of threads.
            if counts == 0 && now > 0 {
                answer.text.total = None;
            }
            // Without moves, the number may be a sum, or the number of threads.
            if now == 0 && has_moves && !asks_ready && self.form.is_sequential {
                self.conversation.ask_ready(doing);
                asks_ready = true;
            }
            // A program that finds no move has a sum of 0.
            let is_over = now > 0 || !has_moves || answer.text.total == Some(0);
            if self.form.end == End::Sum && answer.text.total.is_some() && is_over {
                return Ok(answer.text);
            }
        }
    }
}
