//! Commands of the protocol.
//!
//! Every line has one command or none. Unknown words are ignored, as the protocol demands.

use std::str::SplitAsciiWhitespace;
use std::time::Duration;

use crate::Clock;

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Uci,
    IsReady,
    NewGame,
    Position(Position),
    Go(Go),
    Stop,
    PonderHit,
    SetOption {
        name: String,
        value: String,
    },
    Quit,
    /// A `go` that cannot be obeyed: the reason as a sentence, and whether a count was asked for, which has no best move.
    Refused(String, bool),
}

/// `position`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Position {
    /// The start position if `None`.
    pub(crate) fen: Option<String>,
    pub(crate) moves: Vec<String>,
}

/// `go`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Go {
    pub(crate) search_moves: Vec<String>,
    pub(crate) ponder: bool,
    pub(crate) infinite: bool,
    /// White's and black's clocks, if given.
    pub(crate) clocks: [Option<Clock>; 2],
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) mate: Option<u32>,
    pub(crate) move_time: Option<Duration>,
    pub(crate) perft: Option<u32>,
}

impl Command {
    /// Reads the command of a line, if there is one, and ignores words before it. A line that begins with `#` is a comment.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        if line.trim_start().starts_with('#') {
            return None;
        }
        while let Some(word) = words.next() {
            return Some(match word {
                "uci" => Self::Uci,
                "isready" => Self::IsReady,
                "ucinewgame" => Self::NewGame,
                "position" => Self::Position(position(words)),
                "go" => {
                    let is_perft = words.clone().any(|word| word == "perft");
                    go(words).map_or_else(|sentence| Self::Refused(sentence, is_perft), Self::Go)
                }
                "stop" => Self::Stop,
                "ponderhit" => Self::PonderHit,
                "setoption" => set_option(words)?,
                "quit" => Self::Quit,
                // Known commands without effect.
                "debug" | "register" => return None,
                _ => continue,
            });
        }
        None
    }
}

/// Reads a position. The words `fen` and `moves` may be missing.
fn position(words: SplitAsciiWhitespace<'_>) -> Position {
    let mut words = words.peekable();
    let is_start = |word: &str| matches!(word, "startpos" | "fen");
    if words.clone().any(is_start) {
        while words.next_if(|word| !is_start(word)).is_some() {}
    }
    let fen = if words.next_if_eq(&"startpos").is_some() {
        None
    } else {
        words.next_if_eq(&"fen");
        let mut fields = Vec::new();
        while let Some(field) = words.next_if(|word| *word != "moves") {
            fields.push(field);
        }
        Some(fields.join(" "))
    };
    words.next_if_eq(&"moves");
    Position { fen, moves: words.map(str::to_owned).collect() }
}

/// Reads limits of a search or a count.
///
/// # Errors
/// A sentence if a number of plies, positions or moves is none: what would be done instead is not what was asked for.
fn go(words: SplitAsciiWhitespace<'_>) -> Result<Go, String> {
    let mut go = Go::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(text) = words.next_if(|word| is_move(word)) {
                    go.search_moves.push(text.to_owned());
                }
            }
            _ if LIMITS.contains(&word) => match words.next_if(|word| number(word).is_some()) {
                Some(text) if text.starts_with('-') && COUNTS.contains(&word) => {
                    return Err(format!("\"go {word} {text}\" is not possible; expected a number of at least 0."));
                }
                Some(text) => go.set(word, number(text).unwrap_or(0)),
                None => match words.peek() {
                    Some(other) if COUNTS.contains(&word) && !LIMITS.contains(other) && !FLAGS.contains(other) => {
                        return Err(format!("\"go {word} {other}\" is not possible; expected a number of at least 0."));
                    }
                    // A small count is better than an unwanted search.
                    _ if word == "perft" => go.set(word, 1),
                    _ => {}
                },
            },
            _ => {}
        }
    }
    Ok(go)
}

/// The words of `go` that a number follows, and those that none follows. A clock may be overdrawn; the numbers of `COUNTS` are never
/// negative.
const LIMITS: [&str; 10] =
    ["wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft"];
const FLAGS: [&str; 3] = ["ponder", "infinite", "searchmoves"];
const COUNTS: [&str; 4] = ["depth", "nodes", "mate", "perft"];

impl Go {
    /// Reads a limit. An overdrawn clock counts as empty.
    fn set(&mut self, name: &str, number: i64) {
        let number = number.max(0).unsigned_abs();
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        // A thousand years are enough.
        let time = Duration::from_millis(number.min(1 << 45));
        let [white, black] = &mut self.clocks;
        match name {
            "wtime" => white.get_or_insert_default().left = time,
            "btime" => black.get_or_insert_default().left = time,
            "winc" => white.get_or_insert_default().increment = time,
            "binc" => black.get_or_insert_default().increment = time,
            "movestogo" => {
                for clock in [white, black] {
                    clock.get_or_insert_default().moves_to_go = Some(small);
                }
            }
            "depth" => self.depth = Some(small),
            "nodes" => self.nodes = Some(number),
            "mate" => self.mate = Some(small),
            "movetime" => self.move_time = Some(time),
            _ => self.perft = Some(small),
        }
    }

    /// Returns the clock of the side to move, or the opponent's if no other is given.
    pub(crate) fn clock(&self, black: bool) -> Option<Clock> {
        self.clocks[usize::from(black)].or(self.clocks[usize::from(!black)])
    }

    /// Returns whether the search may run forever if no mate is found.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.is_endless() || Self { mate: None, ..self.clone() }.is_endless()
    }

    /// Returns whether only `stop` ends the search.
    pub(crate) fn is_endless(&self) -> bool {
        self.infinite
            || self.depth.is_none()
                && self.nodes.is_none()
                && self.mate.is_none()
                && self.move_time.is_none()
                && self.clocks == [None; 2]
                && self.perft.is_none()
    }
}

fn is_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    (4..=5).contains(&bytes.len()) && bytes[0].is_ascii_lowercase() && bytes[1].is_ascii_digit()
}

/// Reads a whole number. Some programs send numbers beyond 64 bits for no limit.
fn number(text: &str) -> Option<i64> {
    let is_large = text.len() > 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_large { Some(text.parse().unwrap_or(i64::MAX)) } else { text.parse().ok() }
}

/// Splits an option into the words after `name` and the words after `value`; both may have spaces.
fn set_option(mut words: SplitAsciiWhitespace<'_>) -> Option<Command> {
    words.find(|word| *word == "name")?;
    let name: Vec<&str> = words.by_ref().take_while(|word| *word != "value").collect();
    let value: Vec<&str> = words.collect();
    (!name.is_empty()).then(|| Command::SetOption { name: name.join(" "), value: value.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parsed(line: &str) -> Command {
        Command::parse(line).unwrap_or_else(|| panic!("{line:?} means something"))
    }

    fn go(line: &str) -> Go {
        let Command::Go(go) = parsed(line) else { panic!("{line:?}") };
        go
    }

    #[test]
    fn commands() {
        for (line, command) in [
            ("uci", Command::Uci),
            ("  isready \t", Command::IsReady),
            ("joho stop", Command::Stop),
            ("ucinewgame", Command::NewGame),
            ("ponderhit", Command::PonderHit),
            ("quit now", Command::Quit),
        ] {
            assert_eq!(parsed(line), command, "{line:?}");
        }
        for line in ["", " ", "joho", "debug on", "register later", "setoption", "UCI", "# go perft 3", " #quit"] {
            assert_eq!(Command::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn positions() {
        let position = |fen: Option<&str>, moves: &[&str]| {
            let moves = moves.iter().map(|&text| text.to_owned()).collect();
            Command::Position(Position { fen: fen.map(str::to_owned), moves })
        };
        assert_eq!(parsed("position startpos"), position(None, &[]));
        assert_eq!(parsed("position startpos moves e2e4 e7e5"), position(None, &["e2e4", "e7e5"]));
        assert_eq!(parsed("position fen a b  c moves d"), position(Some("a b c"), &["d"]));
        assert_eq!(parsed("position fen"), position(Some(""), &[]));
        assert_eq!(parsed("position"), position(Some(""), &[]));
        assert_eq!(parsed("position startpos e2e4 e7e5"), position(None, &["e2e4", "e7e5"]));
        assert_eq!(parsed("position kiwipete"), position(Some("kiwipete"), &[]));
        assert_eq!(parsed("position kiwipete moves a1b1"), position(Some("kiwipete"), &["a1b1"]));
        assert_eq!(parsed("position a b c d moves e"), position(Some("a b c d"), &["e"]));
        assert_eq!(parsed("position joho fen a"), position(Some("a"), &[]));
        assert_eq!(parsed("position joho startpos"), position(None, &[]));
    }

    #[test]
    fn limits() {
        let clock = |left, increment, moves_to_go| {
            let [left, increment] = [left, increment].map(Duration::from_millis);
            Some(Clock { left, increment, moves_to_go })
        };
        let both = go("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 5");
        assert_eq!(both.clocks, [clock(1000, 10, Some(5)), clock(2000, 20, Some(5))]);
        assert_eq!(go("go wtime -50").clocks, [clock(0, 0, None), None]);
        assert_eq!(go("go depth 7 nodes 8 mate 9").depth, Some(7));
        assert_eq!(go("go nodes 99999999999").nodes, Some(99_999_999_999));
        assert_eq!(go("go nodes 18446744073709551615").nodes, Some(i64::MAX as u64));
        assert_eq!(go("go movetime 250").move_time, Some(Duration::from_millis(250)));
        assert_eq!(go("go perft 3").perft, Some(3));
        assert_eq!(go("go perft").perft, Some(1));
        for line in [
            "go depth -1",
            "go perft -1",
            "go perft many",
            "go perft x",
            "go perft 3x",
            "go nodes -7",
            "go mate x",
            "go wtime 100 depth abc",
        ] {
            assert!(matches!(parsed(line), Command::Refused(..)), "{line}");
        }
        assert_eq!(
            parsed("go perft -1"),
            Command::Refused("\"go perft -1\" is not possible; expected a number of at least 0.".to_owned(), true)
        );
        assert_eq!(go("go ponder searchmoves e2e4 e7e8q depth 3").search_moves, ["e2e4", "e7e8q"]);
        assert_eq!(go("go searchmoves e2e4 depth 3").depth, Some(3));
        assert_eq!(go("go depth infinite"), Go { infinite: true, ..Go::default() });
        assert_eq!(go("go depth 99999999999999").depth, Some(u32::MAX));
        assert!(go("go").is_endless() && go("go infinite depth 3").is_endless() && go("go ponder").is_endless());
        assert!(!go("go depth 3").is_endless() && !go("go wtime 1").is_endless());
        assert!(go("go mate 3").is_unlimited() && !go("go mate 3").is_endless());
        assert!(!go("go mate 3 nodes 9").is_unlimited() && go("go").is_unlimited());
        assert_eq!([false, true].map(|black| go("go wtime 7").clock(black)), [clock(7, 0, None); 2]);
        assert_eq!([false, true].map(|black| both.clock(black)), both.clocks);
    }

    #[test]
    fn options() {
        let option = |name: &str, value: &str| Command::SetOption { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(parsed("setoption name Move Overhead value 30"), option("Move Overhead", "30"));
        assert_eq!(parsed("setoption name Clear Hash"), option("Clear Hash", ""));
        assert_eq!(parsed("setoption name A value b  c value d"), option("A", "b c value d"));
    }
}
