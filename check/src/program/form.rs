//! The form in which an engine is asked, and how its answers end.

use std::time::{Duration, Instant};

use super::answer::Answer;
use super::conversation::Conversation;
use crate::error::{CheckError, EngineError};

/// The requests that are tried, the most common one first.
const REQUESTS: [&str; 4] = ["go perft {depth}", "perft {depth}", "divide {depth}", "go divide {depth}"];

/// The time after which an engine with no answer to a tried request does not know it.
const NO_ANSWER: Duration = Duration::from_secs(2);
/// This time for an engine that has answered `isready` in between.
const NO_ANSWER_WHEN_READY: Duration = Duration::from_millis(400);
/// The silence that ends an answer without a sum.
const SILENCE: Duration = Duration::from_millis(300);
/// The number of lines that are read for one request, in case that it began an endless search.
const MOST_LINES: usize = 2000;

/// The end of an engine's answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The sum of the counts.
    Sum,
    /// The answer to `isready`, given after the counts.
    Ready,
    /// Silence.
    Silence,
}

impl End {
    /// The silence after which an answer has ended, if it has counts.
    pub(super) fn silence(self) -> Option<Duration> {
        match self {
            Self::Sum => None,
            // An engine that counts in another thread may have been ready before the last lines.
            Self::Ready => Some(SILENCE / 10),
            Self::Silence => Some(SILENCE),
        }
    }
}

/// The form of requests and answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// The lines of a request, with `{depth}` and perhaps `{fen}`.
    pub(super) ask: Vec<String>,
    pub(super) end: End,
    /// Whether the engine answers `isready` only after its counts.
    pub(super) is_sequential: bool,
}

impl Form {
    /// The text that asks for a depth.
    pub(super) fn request<'a>(&'a self, fen: &'a str, depth: u32) -> impl Iterator<Item = String> + 'a {
        request(&self.ask, fen, depth)
    }

    /// Whether a request names the position, so that the command `position` is not needed.
    pub(super) fn has_position(&self) -> bool {
        has_position(&self.ask)
    }

    /// Finds out how an engine is asked: it lists the twenty moves of the start position for one of the requests. `ask` is the only
    /// request tried, if it is not empty. `knows_ready` is whether the engine answers `isready`. Returns also whether the engine ended in
    /// the middle of the list: then it knows the request, and a check tells where it ends.
    pub(super) fn find(
        engine: &mut Conversation<'_>,
        ask: &[String],
        knows_ready: bool,
    ) -> Result<(Self, bool), CheckError> {
        let tried: Vec<Vec<String>> = match ask {
            [] => REQUESTS.iter().map(|request| vec![(*request).to_owned()]).collect(),
            ask => vec![ask.to_vec()],
        };
        let (mut asked, mut heard) = (Vec::new(), String::new());
        for ask in tried {
            let lines: Vec<String> = request(&ask, kogge_board::START, 1).collect();
            let name = format!("{:?}", lines.join("; "));
            let Attempt { answer, was_ready, has_ended } =
                attempt(engine, &ask, &lines, knows_ready, &format!("when it was asked with {name}"))?;
            asked.push(name);
            if !answer.text.moves.is_empty() {
                let end = match (answer.text.total, was_ready) {
                    (Some(_), _) => End::Sum,
                    _ if has_ended => End::Sum,
                    (None, true) => End::Ready,
                    (None, false) => End::Silence,
                };
                return Ok((Self { ask, end, is_sequential: was_ready }, has_ended));
            }
            if let Some(total) = answer.text.total {
                heard = format!("it gives only a sum ({total}), and a count for each move is needed.");
            } else if heard.is_empty() && !answer.others().is_empty() {
                heard = format!("its last lines were {}.", answer.others().join(", "));
            }
        }
        let command = engine.process.command().to_owned();
        let heard = if heard.is_empty() { "it said nothing.".to_owned() } else { heard };
        Err(EngineError::Unknown { command, asked, heard }.into())
    }
}

fn has_position(ask: &[String]) -> bool {
    ask.iter().any(|line| line.contains("{fen}"))
}

fn request<'a>(ask: &'a [String], fen: &'a str, depth: u32) -> impl Iterator<Item = String> + 'a {
    ask.iter().map(move |line| line.replace("{depth}", &depth.to_string()).replace("{fen}", fen))
}

/// The answer to a request that is tried.
struct Attempt {
    answer: Answer,
    /// Whether the engine said after the counts that it was ready.
    was_ready: bool,
    /// Whether it ended after the first counts.
    has_ended: bool,
}

/// Asks once.
fn attempt(
    engine: &mut Conversation<'_>,
    ask: &[String],
    lines: &[String],
    knows_ready: bool,
    doing: &str,
) -> Result<Attempt, CheckError> {
    engine.process.goes_on(0)?;
    if !has_position(ask) {
        engine.say("position startpos", doing)?;
    }
    for line in lines {
        engine.say(line, doing)?;
    }
    if knows_ready {
        engine.ask_ready(doing);
    }
    let (mut answer, mut is_ready, mut was_ready, mut searches) = (Answer::default(), false, false, false);
    let (start, mut has_ended) = (Instant::now(), false);
    for _ in 0..MOST_LINES {
        let counts = answer.text.moves.len();
        if counts == 0 && start.elapsed() > NO_ANSWER {
            break;
        }
        let wait = match (counts, is_ready) {
            (1.., _) => SILENCE,
            (0, true) => NO_ANSWER_WHEN_READY,
            (0, false) => NO_ANSWER,
        };
        let line = match engine.hear_within(wait, doing) {
            Err(CheckError::Program(EngineError::Ended { .. })) if counts > 0 => {
                has_ended = true;
                break;
            }
            line => line?,
        };
        let Some(line) = line else { break };
        if line.trim() == "readyok" {
            (is_ready, was_ready) = (true, counts > 0);
        } else {
            searches |= line.starts_with("info depth") || line.starts_with("bestmove");
            answer.read(&line);
            if counts == 0 && !answer.text.moves.is_empty() {
                answer.text.total = None;
            }
        }
        if answer.text.total.is_some() && !answer.text.moves.is_empty() && (is_ready || !knows_ready) {
            break;
        }
    }
    if searches && answer.text.moves.is_empty() {
        engine.say("stop", doing)?;
        while engine.hear_within(SILENCE, doing)?.is_some_and(|line| !line.starts_with("bestmove")) {}
    }
    Ok(Attempt { answer, was_ready, has_ended })
}
