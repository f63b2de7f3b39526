//! Random command lines. Half of them are right, and their answers are compared with those of shakmaty, another library; the others are
//! right ones with a mistake, which are refused or answered.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::process::Stdio;

use kogge::board::Random;
use serde_json::Value;
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, PositionError, perft};

use crate::support::{Run, command};

/// The number of command lines: right ones, and as many with mistakes. `KOGGE_COMMAND_LINES` changes it.
const LINES: usize = 150;

/// Returns one of some values.
fn one_of<'a, T>(random: &mut Random, all: &'a [T]) -> &'a T {
    &all[random.index(all.len())]
}

fn is_heads(random: &mut Random) -> bool {
    random.index(2) == 0
}

/// A random game: its positions, and the moves between them.
struct Game {
    mode: CastlingMode,
    positions: Vec<Chess>,
    moves: Vec<Move>,
}

impl Game {
    fn new(random: &mut Random) -> Self {
        let (mode, lines) = match random.index(3) {
            0 => (CastlingMode::Chess960, include_str!("../../../board/data/chess960.epd")),
            _ => (CastlingMode::Standard, include_str!("../../../board/data/random.epd")),
        };
        let lines: Vec<_> = lines.lines().filter_map(|line| line.split(" ;").next()).collect();
        let fen: Fen = one_of(random, &lines).parse().expect("the files have positions");
        let first = fen.into_position(mode).or_else(PositionError::ignore_too_much_material);
        let first = first.or_else(PositionError::ignore_impossible_check).expect("the positions are legal");
        let mut game = Self { mode, positions: vec![first], moves: Vec::new() };
        for _ in 0..random.index(40) {
            let mut position = game.last().clone();
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let played = *one_of(random, &moves);
            position.play_unchecked(played);
            game.moves.push(played);
            game.positions.push(position);
        }
        game
    }

    fn last(&self) -> &Chess {
        &self.positions[self.positions.len() - 1]
    }

    /// Spells a position of the game, and the moves from it to the last position.
    fn spell(&self, random: &mut Random) -> (String, Vec<String>) {
        let from = if is_heads(random) { self.moves.len() } else { random.index(self.moves.len() + 1) };
        let position = &self.positions[from];
        let modes = [EnPassantMode::Legal, EnPassantMode::PseudoLegal, EnPassantMode::Always];
        let mode = *one_of(random, &modes);
        let text = match random.index(3) {
            0 => Epd::from_position(position, mode).to_string(),
            _ => Fen::from_position(position, mode).to_string(),
        };
        let text = if is_heads(random) { shredder(position, &text) } else { text };
        let is_san = is_heads(random);
        let moves = (from..self.moves.len()).map(|index| match is_san {
            true => SanPlus::from_move(self.positions[index].clone(), self.moves[index]).to_string(),
            false => self.moves[index].to_uci(self.mode).to_string(),
        });
        (text, moves.collect())
    }
}

/// Names castling rights by the files of the rooks.
fn shredder(position: &Chess, fen: &str) -> String {
    let rooks = position.castles().castling_rights();
    let letters = Color::ALL.map(|color| {
        let files = rooks.into_iter().filter(|rook| rook.rank() == color.backrank()).map(|rook| rook.file().char());
        let files = files.map(|file| if color.is_white() { file.to_ascii_uppercase() } else { file });
        files.rev().collect::<String>()
    });
    let rights = Some(letters.concat()).filter(|rights| !rights.is_empty()).unwrap_or_else(|| "-".to_owned());
    let mut fields: Vec<_> = fen.split(' ').collect();
    fields[2] = &rights;
    fields.join(" ")
}

fn after(position: &Chess, played: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(played);
    after
}

/// Calls `leaf` with the last moves of all lines of this length.
fn last_moves(position: &Chess, depth: u32, leaf: &mut impl FnMut(Move, &Chess)) {
    for &played in &position.legal_moves() {
        let after = after(position, played);
        if depth == 1 { leaf(played, &after) } else { last_moves(&after, depth - 1, leaf) }
    }
}

/// Returns the numbers of a row of `kogge stats`.
fn kinds(position: &Chess, depth: u32) -> BTreeMap<&'static str, u64> {
    const NAMES: [&str; 9] =
        ["nodes", "captures", "en_passant", "castles", "promotions", "checks", "discovered", "double", "mates"];
    let mut sums = [0; 9];
    last_moves(position, depth, &mut |played, after| {
        let checkers = after.checkers();
        let mover = after.turn().other();
        let arrived = match played.castling_side() {
            None => played.to().into(),
            Some(side) => shakmaty::Bitboard::from(side.king_to(mover)) | side.rook_to(mover),
        };
        let is = [
            true,
            played.is_capture(),
            played.is_en_passant(),
            played.is_castle(),
            played.is_promotion(),
            checkers.any(),
            checkers.count() == 1 && (checkers & arrived).is_empty(),
            checkers.count() == 2,
            after.is_checkmate(),
        ];
        sums.iter_mut().zip(is).for_each(|(sum, is)| *sum += u64::from(is));
    });
    NAMES.into_iter().zip(sums).collect()
}

/// Returns the number of distinct positions of a ply, and the number of those that one line reaches.
fn distinct(position: &Chess, ply: u32) -> (usize, usize) {
    let mut lines = BTreeMap::<String, usize>::new();
    let mut add =
        |after: &Chess| *lines.entry(Epd::from_position(after, EnPassantMode::Legal).to_string()).or_default() += 1;
    if ply == 0 {
        add(position)
    } else {
        last_moves(position, ply, &mut |_, after| add(after))
    }
    (lines.len(), lines.values().filter(|&&lines| lines == 1).count())
}

/// Reads moves in UCI notation; castling may be spelled in either way.
fn moves<'a>(position: &Chess, spelled: impl Iterator<Item = &'a Value>) -> Vec<Move> {
    let read = |text: &str| text.parse::<UciMove>().ok()?.to_move(position).ok();
    spelled.map(|text| text.as_str().and_then(read).unwrap_or_else(|| panic!("{text} is no move"))).collect()
}

/// A check of the JSON objects of an answer.
type Check = Box<dyn Fn(&[Value])>;

/// A right command line, and the check of its answer.
struct Line {
    arguments: Vec<String>,
    input: String,
    /// The exit code.
    code: i32,
    check: Check,
}

fn line(random: &mut Random) -> Line {
    let game = Game::new(random);
    let position = game.last().clone();
    let (text, played) = game.spell(random);
    let is_cpu = is_heads(random);
    let depth = 1 + random.index(3) as u32;
    let (mut input, mut code) = (String::new(), 0);
    let mut command = vec![];
    let name = *one_of(random, &["perft", "divide", "stats", "best", "unique", "position", "suite"]);
    command.push(name.to_owned());
    let check: Check = match name {
        "perft" => {
            let depth = random.index(4) as u32;
            command.push(depth.to_string());
            let ways: [&[&str]; 4] = [&[], &["--raw"], &["--plies", "2", "--memory", "32M"], &["--hash", "1M"]];
            command.extend(ways[random.index(if is_cpu { 4 } else { 3 })].iter().map(|&way| way.to_owned()));
            let expected = perft(&position, depth);
            Box::new(move |json| assert_eq!(json[0]["nodes"], expected))
        }
        "divide" => {
            command.push(depth.to_string());
            Box::new(move |json| {
                let rows = json[0]["moves"].as_array().expect("a list");
                let found = moves(&position, rows.iter().map(|row| &row["move"]));
                let found: HashSet<_> = found.into_iter().zip(rows.iter().map(|row| row["nodes"].as_u64())).collect();
                let below = |&played: &Move| (played, Some(perft(&after(&position, played), depth - 1)));
                assert_eq!(found, position.legal_moves().iter().map(below).collect());
            })
        }
        "stats" => {
            command.push(depth.to_string());
            Box::new(move |json| {
                for (row, depth) in json[0]["plies"].as_array().expect("a list").iter().zip(1..) {
                    assert_eq!(row["depth"], depth);
                    for (name, number) in kinds(&position, depth) {
                        assert_eq!(row[name], number, "{name} of depth {depth}");
                    }
                }
            })
        }
        "best" => {
            // Captures beyond the last ply would take the mailbox minutes.
            command.extend(["1", "--quiescence", if is_cpu { "on" } else { "off" }].map(str::to_owned));
            Box::new(move |json| {
                let mates = |played: &Move| after(&position, *played).is_checkmate();
                let legal = position.legal_moves();
                assert_eq!(json[0]["mate"] == 1, legal.iter().any(mates));
                let best = moves(&position, json[0]["line"].as_array().expect("a list").iter().take(1));
                assert_eq!(best.is_empty(), legal.is_empty());
                assert!(best.iter().all(|best| legal.contains(best) && (json[0]["mate"] != 1 || mates(best))));
            })
        }
        "unique" => {
            let depth = random.index(3) as u32;
            command.extend([depth.to_string(), "--memory".to_owned(), "32M".to_owned()]);
            Box::new(move |json| {
                for (row, ply) in json[0]["plies"].as_array().expect("a list").iter().zip(0..=depth) {
                    let numbers = (row["positions"].as_u64(), row["once"].as_u64());
                    let (positions, once) = distinct(&position, ply);
                    assert_eq!(numbers, (Some(positions as u64), Some(once as u64)), "ply {ply}");
                }
            })
        }
        "position" => {
            command.extend(["show".to_owned(), text.clone()]);
            Box::new(move |json| {
                let rows = json[0]["moves"].as_array().expect("a list");
                let found: HashSet<_> = moves(&position, rows.iter().map(|row| &row["uci"])).into_iter().collect();
                assert_eq!(found, position.legal_moves().iter().copied().collect());
                for row in rows {
                    let played = moves(&position, std::iter::once(&row["uci"]))[0];
                    assert_eq!(row["san"], SanPlus::from_move(position.clone(), played).to_string());
                }
                let state = match (rows.is_empty(), position.is_check()) {
                    (false, _) => "play",
                    (true, true) => "checkmate",
                    (true, false) => "stalemate",
                };
                assert_eq!((&json[0]["state"], &json[0]["check"]), (&state.into(), &position.is_check().into()));
            })
        }
        _ => {
            let (text, _) = Game { moves: vec![], positions: vec![position.clone()], ..game }.spell(random);
            let wrong = u64::from(random.index(4) == 0);
            code = if depth < 2 { 0 } else { wrong as i32 };
            let counts = (1..=depth).map(|depth| (depth, perft(&position, depth) + if depth == 2 { wrong } else { 0 }));
            let counts: Vec<_> = counts.map(|(depth, count)| format!(" ;D{depth} {count}")).collect();
            input = format!("{text}{}\n", counts.concat());
            command.push("-".to_owned());
            Box::new(move |json| {
                let status = if wrong == 1 && depth > 1 { "FAIL" } else { "PASS" };
                assert_eq!(json[0]["status"], status);
                assert!(status == "PASS" || json[0]["found"] == perft(&position, 2), "{json:?}");
            })
        }
    };
    if !matches!(name, "position" | "suite") {
        command.extend(["--fen".to_owned(), text]);
    }
    if name != "suite" && !played.is_empty() {
        command.push("--moves".to_owned());
        command.extend(played);
    }
    if name != "position" {
        command.extend(["--backend", if is_cpu { "cpu" } else { "mailbox" }, "--threads", "1"].map(str::to_owned));
    }
    command.push("--json".to_owned());
    Line { arguments: command, input, code, check }
}

fn run(arguments: &[String], input: &str) -> Run {
    let mut call = command(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    call.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = call.spawn().expect("kogge starts");
    // A line that is refused reads no input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("kogge ends").into()
}

/// Adds a mistake to arguments or input. The counts stay small.
fn mistake(random: &mut Random, arguments: &mut Vec<String>, input: &mut String) {
    let bytes = b"pnbrqkPNBRQK12345678/ wb-KQkqABCDEFGHabcdefgh09=+x#Ox\xc3\xa9";
    let change = |random: &mut Random, text: &mut String| {
        let mut changed = text.clone().into_bytes();
        for _ in 0..=random.index(3) {
            let (at, byte) = (random.index(changed.len().max(1)), *one_of(random, bytes));
            match random.index(3) {
                0 if !changed.is_empty() => drop(changed.remove(at)),
                1 if !changed.is_empty() => changed[at] = byte,
                _ => changed.insert(at.min(changed.len()), byte),
            }
        }
        *text = String::from_utf8_lossy(&changed).into_owned();
    };
    // Numbers could become large.
    let is_text = |text: &String| text.bytes().any(|byte| byte.is_ascii_lowercase()) && !text.starts_with("--");
    match random.index(4) {
        0 => {
            let at = random.index(arguments.len() + 1);
            let wrong = ["--fne", "-1", "129", "", "--depth", "--device", "gpu:x", "\u{1b}[31m", "--", "1e9"];
            arguments.insert(at, (*one_of(random, &wrong)).to_owned());
        }
        1 => drop(arguments.remove(random.index(arguments.len()))),
        _ if !input.is_empty() => change(random, input),
        _ => {
            let texts: Vec<_> = (1..arguments.len()).filter(|&at| is_text(&arguments[at])).collect();
            let at = if texts.is_empty() { 0 } else { *one_of(random, &texts) };
            change(random, &mut arguments[at]);
        }
    }
}

#[test]
fn right_lines_have_the_answers_of_another_library_and_wrong_ones_are_refused() {
    let lines = std::env::var("KOGGE_COMMAND_LINES").ok().and_then(|lines| lines.parse().ok()).unwrap_or(LINES);
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for _ in 0..lines {
        let Line { mut arguments, mut input, code, check } = line(&mut random);
        let right = run(&arguments, &input);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            assert_eq!((right.code, right.stderr.as_str()), (code, ""));
            check(&right.json());
        }));
        assert!(checked.is_ok(), "kogge {arguments:?} with the input {input:?}: {right:?}");

        mistake(&mut random, &mut arguments, &mut input);
        let wrong = run(&arguments, &input);
        let is_said = wrong.stderr.contains("error: ") || wrong.code < 2;
        let is_known = (0..=3).contains(&wrong.code) && !wrong.stderr.contains("panicked");
        assert!(is_said && is_known, "kogge {arguments:?} with the input {input:?}: {wrong:?}");
        refused += usize::from(wrong.code == 2);
    }
    assert!(refused > lines / 4, "only {refused} of {lines} mistakes were refused");
}
