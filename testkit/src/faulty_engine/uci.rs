//! The protocol: UCI with `go perft`, or a dialect of it.

use std::io::{self, Write};
use std::sync::Mutex;

use super::board::{Board, LETTERS, square_name};
use super::faults::{FAULTS, Fault, Faults};
use super::make::Move;
use super::perft::{Counter, Table};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The dialects: the name and what it changes.
pub const DIALECTS: &[(&str, &str)] = &[
    ("perft-command", "The engine knows `perft N` and not `go perft N`, to which it answers `bestmove`."),
    ("divide-command", "The engine knows `divide N` and not `go perft N`, to which it answers `bestmove`."),
    ("no-sum", "The engine prints no sum."),
    ("castles-to-rook", "The engine writes castling as the king's and the rook's square, in orthodox chess too."),
    ("capital-promotions", "The engine writes promotions with a capital letter."),
    ("no-uci", "The engine answers neither `uci` nor `isready`."),
    ("async", "The engine answers `isready` at once, while it counts."),
    (
        "hash",
        "The engine counts with a hash table of the size of the option Hash. Faults of the table turn it on, too.",
    ),
    ("slow=N", "The engine counts at most N leaves per second."),
];

/// How the engine speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Dialect {
    /// The word before the depth, if it is not `go perft`.
    word: Option<&'static str>,
    no_sum: bool,
    castles_to_rook: bool,
    capital_promotions: bool,
    no_uci: bool,
    pub(super) is_async: bool,
}

/// An engine.
pub(super) struct Engine {
    pub(super) dialect: Dialect,
    faults: Faults,
    has_table: bool,
    mebibytes: usize,
    is_chess960: bool,
    board: Option<Board>,
    counter: Counter,
}

impl Engine {
    /// Makes an engine with the named faults and dialects.
    ///
    /// # Panics
    /// At an unknown name.
    pub(super) fn new(names: &[&str]) -> Self {
        let mut engine = Self {
            dialect: Dialect::default(),
            faults: Faults::default(),
            has_table: false,
            mebibytes: 16,
            is_chess960: false,
            board: None,
            counter: Counter::default(),
        };
        names.iter().for_each(|name| engine.plant(name));
        engine.has_table |= engine.faults.need_table();
        engine.board = Board::read(START, engine.faults);
        engine.renew_table();
        engine
    }

    fn plant(&mut self, name: &str) {
        let dialect = &mut self.dialect;
        match name {
            "perft-command" => dialect.word = Some("perft"),
            "divide-command" => dialect.word = Some("divide"),
            "no-sum" => dialect.no_sum = true,
            "castles-to-rook" => dialect.castles_to_rook = true,
            "capital-promotions" => dialect.capital_promotions = true,
            "no-uci" => dialect.no_uci = true,
            "async" => dialect.is_async = true,
            "hash" => self.has_table = true,
            _ => {
                if let Some(rate) = name.strip_prefix("slow=") {
                    let rate =
                        rate.parse().unwrap_or_else(|_| panic!("{name}: expected a number of leaves per second"));
                    self.counter.leaves_per_second = Some(rate);
                    return;
                }
                let planted = FAULTS.iter().find(|planted| planted.name == name);
                let planted = planted.unwrap_or_else(|| panic!("{name} is no fault and no dialect"));
                self.faults = self.faults.with(planted.fault);
            }
        }
    }

    fn renew_table(&mut self) {
        self.counter.table = self.has_table.then(|| Table::new(self.mebibytes));
    }

    /// Answers `isready`.
    pub(super) fn answer_ready(dialect: Dialect, output: &Mutex<impl Write>) -> io::Result<()> {
        if dialect.no_uci { Ok(()) } else { say(output, "readyok\n") }
    }

    /// Obeys a command, and returns whether the engine goes on.
    ///
    /// # Errors
    /// If nobody reads the output.
    pub(super) fn obey(&mut self, line: &str, output: &Mutex<impl Write>) -> io::Result<bool> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] | ["stop"] => {}
            ["uci"] if self.dialect.no_uci => {}
            ["uci"] => say(
                output,
                "id name kogge's faulty engine\nid author kogge\noption name UCI_Chess960 type check default false\n\
                 option name Hash type spin default 16 min 1 max 1024\nuciok\n",
            )?,
            ["isready"] => Self::answer_ready(self.dialect, output)?,
            ["ucinewgame"] => self.renew_table(),
            ["setoption", "name", "UCI_Chess960", "value", value] => self.is_chess960 = value == "true",
            ["setoption", "name", "Hash", "value", value] => {
                self.mebibytes = value.parse().map_or(16, |mebibytes: usize| mebibytes.clamp(1, 1024));
                self.renew_table();
            }
            ["setoption", ..] => {}
            ["position", ref rest @ ..] => self.set_position(rest),
            ["quit"] => return Ok(false),
            ["go", "perft", depth] if self.dialect.word.is_none() => return self.answer(depth, output),
            [word, depth] if self.dialect.word == Some(word) => return self.answer(depth, output),
            ["go", ..] => {
                let moves = self.board.as_mut().map(Board::moves).unwrap_or_default();
                let first = moves.first().map_or("(none)".to_owned(), |&made| self.text(made));
                say(output, &format!("bestmove {first}\n"))?;
            }
            _ => say(output, &format!("Unknown command: '{line}'\n"))?,
        }
        Ok(true)
    }

    /// Sets the position. As in many engines, moves from the first illegal one on are ignored.
    fn set_position(&mut self, words: &[&str]) {
        let moves_at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let fen = match words[..moves_at] {
            ["startpos"] => START.to_owned(),
            ["fen", ref fields @ ..] => fields.join(" "),
            _ => return,
        };
        self.board = Board::read(&fen, self.faults);
        for word in words.iter().skip(moves_at + 1) {
            let moves = self.board.as_mut().map(Board::moves).unwrap_or_default();
            let chosen = moves.into_iter().find(|&made| {
                [false, true].iter().any(|&to_rook| self.plain_text(made, to_rook).eq_ignore_ascii_case(word))
            });
            let (Some(board), Some(made)) = (&mut self.board, chosen) else { return };
            board.make(made);
        }
    }

    /// Writes a move in lower case.
    fn plain_text(&self, made: Move, castles_to_rook: bool) -> String {
        let homes = self.board.as_ref().map(|board| board.rook_homes).unwrap_or_default();
        let to = match made.right() {
            Some(right) if castles_to_rook => homes[right],
            _ => made.to,
        };
        let mut text = square_name(made.from) + &square_name(to);
        if made.promotion != 0 {
            text.push(LETTERS[usize::from(made.promotion)].into());
        }
        text
    }

    /// Writes a move as this engine prints it.
    fn text(&self, made: Move) -> String {
        let mut text = self.plain_text(made, self.is_chess960 || self.dialect.castles_to_rook);
        if made.promotion != 0 && self.faults.has(Fault::PromotionsLackLetter) {
            text.pop();
        }
        if let Some(letter) = text.get(4..).map(str::to_uppercase)
            && self.dialect.capital_promotions
        {
            text.replace_range(4.., &letter);
        }
        text
    }

    /// Counts, prints the answer, and returns whether the engine goes on.
    fn answer(&mut self, depth: &str, output: &Mutex<impl Write>) -> io::Result<bool> {
        let (Some(mut board), Ok(depth)) = (self.board.take(), depth.parse::<u32>()) else { return Ok(true) };
        let mut counts = if depth > 0 { self.counter.divide(&mut board, depth) } else { Vec::new() };
        let is_silent = counts.is_empty() && board.is_in_check() && self.faults.has(Fault::SilentAtMate);
        let garbled = counts.iter().position(|&(made, _)| board.is_king_step(made));
        self.board = Some(board);
        if is_silent {
            return Ok(true);
        }
        let mut sum = if depth > 0 { counts.iter().map(|&(_, count)| count).sum() } else { 1 };
        if self.faults.has(Fault::SumAddsOne) {
            sum += 1;
        }
        if self.faults.has(Fault::ShortCounts) {
            counts.iter_mut().for_each(|(_, count)| *count &= 0xFFFF);
            sum &= 0xFFFF;
        }
        let mut lines: Vec<String> =
            counts.iter().map(|&(made, count)| format!("{}: {count}\n", self.text(made))).collect();
        if let Some(at) = garbled
            && self.faults.has(Fault::PrintsGarbage)
        {
            lines[at].replace_range(2..4, "e9");
        }
        if let Some(first) = lines.first().cloned()
            && self.faults.has(Fault::PrintsTwice)
        {
            lines.insert(0, first);
        }
        if lines.len() > 10 && self.faults.has(Fault::ClosesOutput) {
            say(output, &lines[..lines.len() / 2].concat())?;
            return Ok(false);
        }
        if !self.dialect.no_sum {
            lines.push(format!("\nNodes searched: {sum}\n\n"));
        }
        say(output, &lines.concat())?;
        Ok(true)
    }
}

fn say(output: &Mutex<impl Write>, text: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    output.write_all(text.as_bytes())?;
    output.flush()
}
