//! A chess engine with planted faults, for tests of what looks for faults in other programs.
//!
//! The engine is written as most engines are: a board of 10 x 12 squares, moves made and undone with a stack, a Zobrist key, and an
//! optional hash table. It shares no code with kogge. Without faults its counts are right, of Chess960 too. [`FAULTS`] lists its
//! faults, and [`DIALECTS`] the ways in which it differs from Stockfish's words. A test's program starts itself again as the
//! engine:
//!
//! ```
//! use kogge_testkit::faulty_engine::speak;
//!
//! let mut output = Vec::new();
//! speak(&["knight-promotion-missing"], "position fen 7k/P7/8/8/8/8/8/K7 w - - 0 1\ngo perft 1\n".as_bytes(), &mut output);
//! assert!(String::from_utf8(output).unwrap().ends_with("\n\nNodes searched: 6\n\n"));
//! ```
//!
//! | module | what it has |
//! |---|---|
//! | `board` | the board, its FEN, the key's numbers |
//! | `attacks` | attacks, checks and pins |
//! | `moves` | the legal moves |
//! | `make` | making and undoing moves |
//! | `perft` | counting, the hash table |
//! | `uci` | the protocol and its dialects |
//! | `faults` | the faults; each is checked where the rule is implemented |

mod attacks;
mod board;
mod faults;
mod make;
mod moves;
mod perft;
#[cfg(test)]
mod tests;
mod uci;

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::{Mutex, mpsc};
use std::thread;

use uci::Engine;

pub use faults::{FAULTS, Part, PlantedFault};
pub use uci::DIALECTS;

/// Is the engine on standard input and output if `speak` is among the arguments of this program; the names of faults and dialects follow
/// it. A test that calls this function makes its program the engine.
pub fn speak_if_told() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "speak");
    if arguments.next().is_some() {
        let names: Vec<_> = arguments.collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        speak(&names, stdin().lock(), stdout());
    }
}

/// Is the engine, with the named [faults](FAULTS) and [dialects](DIALECTS), until `quit`, the end of the input, or a fault that ends
/// it. The output is passed between threads, so it is `stdout()` and not its lock.
///
/// # Panics
/// At a name that is neither a fault nor a dialect.
pub fn speak(names: &[&str], input: impl BufRead, output: impl Write + Send) {
    let mut engine = Engine::new(names);
    let output = Mutex::new(output);
    let lines = input.lines().map_while(Result::ok);
    if !engine.dialect.is_async {
        for line in lines {
            // An output that nobody reads ends the engine.
            if !engine.obey(&line, &output).unwrap_or(false) {
                return;
            }
        }
        return;
    }
    let (dialect, (sender, commands)) = (engine.dialect, mpsc::channel::<String>());
    thread::scope(|scope| {
        let output = &output;
        scope.spawn(move || while commands.recv().is_ok_and(|line| engine.obey(&line, output).unwrap_or(false)) {});
        for line in lines {
            let is_end = line.trim() == "quit";
            let goes_on = match line.trim() {
                "isready" => Engine::answer_ready(dialect, output).is_ok(),
                _ => sender.send(line).is_ok(),
            };
            if !goes_on || is_end {
                return;
            }
        }
        drop(sender);
    });
}
