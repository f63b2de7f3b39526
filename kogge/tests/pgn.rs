//! Games in PGN are read as they were written, mistakes are named, and no bytes end in a panic.

use std::fmt::Write;

use kogge::pgn::{Mistake, PgnError, PgnGame, PgnLine, PgnMove, PgnReader};
use kogge::{Game, GameResult};
use proptest::prelude::*;

const STARTS: &str = include_str!("../../data/chess960-starts.epd");

fn read(text: &str) -> Vec<Result<PgnGame, PgnError>> {
    PgnReader::new(text.as_bytes()).collect()
}

fn one(text: &str) -> PgnGame {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).unwrap_or_else(|error| panic!("{error}"))
}

fn sans(line: &PgnLine, mut game: Game) -> String {
    let mut text = String::new();
    for found in &line.moves {
        write!(text, "{} ", game.san(found.played)).unwrap();
        game.play(found.played).unwrap();
    }
    text.trim_end().to_owned()
}

const WORDS: &[&[u8]] = &[
    b"[",
    b"[FEN \"",
    b"\"]",
    b"(",
    b")",
    b"{",
    b"}",
    b";",
    b"\n",
    b"%",
    b"1-0 ",
    b"e4 ",
    b"e5 ",
    b"Nf3 ",
    b"O-O ",
    b"$",
    b"$300",
    b"!?",
    b"!!!",
    b"\xe9\xff",
    b"1.",
    b"\xef\xbb\xbf",
    b"8/8/8/8/8/8/8/8 w - - 0 1",
    b"[Event \"x\"]\n",
    b" ",
    b"\\\"",
];

/// A choice of what is written next: a number for the move, and a number for the notes.
type Choice = (u8, u8);

/// Writes a line of random moves, and returns it as it must be read.
fn write_line(to: &mut String, game: &Game, choices: &mut std::slice::Iter<'_, Choice>, nested: u32) -> PgnLine {
    let mut game = game.clone();
    let mut line = PgnLine::default();
    while let Some(&(choice, notes)) = choices.next() {
        let legal: Vec<_> = game.legal_moves().collect();
        if legal.is_empty() {
            break;
        }
        let played = legal[usize::from(choice) % legal.len()];
        let number = game.fen().fullmove;
        let dots = if game.fen().position.turn() == kogge::Color::White { "." } else { "..." };
        match notes % 4 {
            0 => write!(to, "{number}{dots} ").unwrap(),
            1 => write!(to, "{number}{dots}").unwrap(),
            2 => to.push_str("\r\n%an escaped line {\n"),
            _ => {}
        }
        to.push_str(&game.san(played));
        let mut found = PgnMove { played, nags: Vec::new(), comment: String::new(), variations: Vec::new() };
        match notes / 4 % 8 {
            0 => {
                to.push_str("?! $10");
                found.nags = vec![6, 10];
            }
            1 => {
                to.push_str(" {[%clk 0:01] é (not a variation\n1-0} ; \"and\" so on {\n");
                found.comment = "[%clk 0:01] é (not a variation 1-0 \"and\" so on {".to_owned();
            }
            2 | 3 if nested > 0 => {
                for _ in 0..notes / 32 % 3 {
                    to.push_str(" (");
                    found.variations.push(write_line(to, &game, choices, nested - 1));
                    to.push(')');
                }
            }
            4 if nested < 3 => {
                to.push('\n');
                line.moves.push(found);
                break;
            }
            _ => {}
        }
        to.push('\n');
        game.play(played).unwrap();
        line.moves.push(found);
    }
    line
}

fn assert_equal(read: &PgnLine, written: &PgnLine) {
    assert_eq!(read.comment, written.comment);
    assert_eq!(read.moves.len(), written.moves.len());
    for (read, written) in read.moves.iter().zip(&written.moves) {
        assert_eq!((read.played, &read.nags), (written.played, &written.nags));
        assert_eq!(read.comment, written.comment);
        assert_eq!(read.variations.len(), written.variations.len());
        read.variations.iter().zip(&written.variations).for_each(|(read, written)| assert_equal(read, written));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn games_are_read_as_they_were_written(
        games in prop::collection::vec((0..960_usize, 0..4_u8, prop::collection::vec(any::<Choice>(), 0..120)), 1..4)
    ) {
        let mut text = String::new();
        let mut written = Vec::new();
        for (start, result, choices) in &games {
            let fen = STARTS.lines().nth(*start).unwrap().split(" ;").next().unwrap();
            let game: Game = fen.parse().unwrap();
            let (result, name) = [
                (None, "*"), (Some(GameResult::WhiteWins), "1-0"), (Some(GameResult::BlackWins), "0-1"), (Some(GameResult::Draw), "1/2-1/2"),
            ][usize::from(*result)];
            write!(text, "[White \"a \\\"b\\\" \\\\ c]\"]\n[Variant \"Chess 960\"] [FEN \"{fen}\"]\n\n").unwrap();
            let line = write_line(&mut text, &game, &mut choices.iter(), 3);
            writeln!(text, "{name}").unwrap();
            written.push((game, line, result));
        }
        let games = read(&text);
        prop_assert_eq!(games.len(), written.len());
        for (read, (start, line, result)) in games.iter().zip(&written) {
            let read = read.as_ref().unwrap_or_else(|error| panic!("{error}\n{text}"));
            prop_assert_eq!((read.start, read.result), (*start.fen(), *result));
            prop_assert_eq!(read.tag("White"), Some("a \"b\" \\ c]"));
            assert_equal(&read.line, line);
            prop_assert_eq!(read.end().history().len(), line.moves.len());
        }
        for (read, (_, line, _)) in PgnReader::new(text.as_bytes()).without_variations().zip(&written) {
            let moves: Vec<_> = line.moves.iter().map(|found| found.played).collect();
            prop_assert_eq!(read.unwrap().moves().collect::<Vec<_>>(), moves);
        }
    }

    #[test]
    fn no_bytes_end_in_a_panic(words in prop::collection::vec(prop::sample::select(WORDS), 0..60), is_short: bool) {
        let text = words.concat();
        let reader = PgnReader::new(&text[..]);
        let count = if is_short { reader.without_variations().count() } else { reader.count() };
        prop_assert!(count <= words.len());
    }
}

#[test]
fn files_of_all_sorts_are_read() {
    assert_eq!(read("").len(), 0);
    assert_eq!(read("\u{feff}\n% x \n ; a comment\n {another}\n").len(), 0);
    let game = one("\u{feff}[Event \"x\"]\n\n1.e4 e.p. e5 2. Nf3! Nc6 3. Bc4 Bc5 4. 0-0 Nf6 1-0");
    assert_eq!(sans(&game.line, Game::default()), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6");
    assert_eq!(game.result, Some(GameResult::WhiteWins));
    // Some programs do not mark quotation marks.
    let game = one("[White \"A \"quoted\" \\ name\"]  \n[Black \"B\"] e4 *");
    assert_eq!((game.tag("White"), game.tag("Black")), (Some("A \"quoted\" \\ name"), Some("B")));
    // Without results, games end where the next tags begin.
    let games = read("[Event \"1\"]\ne4 [Event \"2\"] [Site \"s\"] d4 d5\n[Event \"3\"]");
    let lengths: Vec<_> = games.iter().map(|game| game.as_ref().unwrap().moves().len()).collect();
    assert_eq!(lengths, [1, 2, 0]);
    // A comment behind the result is not the next game's, and a result may stand in a variation.
    let games = read("e4 (d4 d5 1-0) * {end}\n[Event \"2\"] {begin} d4 *");
    let comments: Vec<_> = games.iter().map(|game| game.as_ref().unwrap().line.comment.as_str()).collect();
    assert_eq!(comments, ["", "begin"]);
    assert_eq!(games[0].as_ref().unwrap().line.moves[0].variations[0].moves.len(), 2);
    // Latin-1.
    let bytes = b"[White \"R\xe9ti\"] e4 *";
    assert_eq!(PgnReader::new(&bytes[..]).next().unwrap().unwrap().tag("White"), Some("Réti"));
    let game = one("[Variant \"From Position\"][FEN \"7k/8/8/8/8/8/6q1/K7 b - - 3 40\"] 40... Qg1+ 41. Kb2 Qg2+ *");
    assert_eq!(game.end().fen().to_string(), "7k/8/8/8/8/8/1K4q1/8 w - - 6 42");
}

#[test]
fn mistakes_are_named_and_the_next_game_is_read() {
    let nested = format!("e4 {}", "(e4 ".repeat(101));
    for (text, message) in [
        (
            "1. e4 e5\n2. Ke3 Nf6 (",
            "line 2: The move \"Ke3\" is not legal here. The position is \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\".",
        ),
        (
            "1. e4 (1. Nf9 1-0 (1. d4)) e5 Ke3",
            "line 1: \"Nf9\" is not a move in SAN; expected something such as e4, Nbd2, exd8=Q+ or O-O. The position is \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\".",
        ),
        (
            "[White \"1-0]\n[Black \"B\"]\ne4",
            "line 1: The tag \"[White \\\"1-0]\" cannot be read; expected a tag such as [White \"Name\"], on one line.",
        ),
        (
            "[Variant \"Atomic\"] e4",
            "line 1: The variant \"Atomic\" is unknown; only games of chess and Chess960 can be read.",
        ),
        (
            "[FEN \"x\"] e4",
            "line 1: The FEN has 1 field; expected six: pieces, side to move, castling, en passant, halfmove clock, move number. Only the last two may be missing, together.",
        ),
        (
            "e4 $256",
            "line 1: The mark \"$256\" is unknown; expected !, ?, !!, ??, !?, ?! or a number such as $10, up to $255.",
        ),
        (
            "e4 !!!",
            "line 1: The mark \"!!!\" is unknown; expected !, ?, !!, ??, !?, ?! or a number such as $10, up to $255.",
        ),
        ("(e4)", "line 1: A variation begins here, where none can."),
        ("e4) e5", "line 1: A variation ends here, where none can."),
        ("e4 (d4", "line 2: The game ends inside a variation; a closing parenthesis is missing."),
        ("e4 é", "line 1: The character 'é' has no meaning here."),
        ("e4 }", "line 1: The character '}' has no meaning here."),
        (&nested, "line 1: There are more than 100 variations inside one another."),
    ] {
        let all = read(&format!("{text}\n[Event \"next\"]\n1. d4 d5 *"));
        let [Err(error), Ok(next)] = &all[..] else { panic!("{text}: {all:?}") };
        assert_eq!(error.to_string(), format!("Game 1, {message}"));
        assert_eq!((next.tag("Event"), next.moves().len()), (Some("next"), 2));
        // Without tags, a game after the result is read.
        if !matches!(
            error.mistake,
            Mistake::Variation | Mistake::Parenthesis("begins") | Mistake::Nested | Mistake::Tag(_)
        ) && !text.ends_with('(')
        {
            let all = read(&format!("{text} 1-0 1. d4 d5 *"));
            assert!(matches!(&all[..], [Err(_), Ok(next)] if next.moves().len() == 2), "{text}: {all:?}");
        }
    }
    let all = read("e4 *\nd4 {never\nends");
    let [Ok(_), Err(error)] = &all[..] else { panic!("{all:?}") };
    assert_eq!(error.to_string(), "Game 2, line 3: The comment that begins in line 2 has no closing brace.");
    let games: Vec<_> = PgnReader::new(&b"e4 (d4 [Event \"2\"] d4 *"[..]).without_variations().collect();
    assert!(matches!(&games[..], [Err(PgnError { mistake: Mistake::Variation, .. }), Ok(_)]), "{games:?}");
}

#[test]
fn errors_fit_a_line_whatever_the_text_holds() {
    for character in ["\u{1}", "\u{83}", "\u{10ffff}", "é", "x"] {
        let text = character.repeat(300);
        for game in [format!("[{text}\n"), format!("[Variant \"{text}\"]\n\n1. e4 *\n"), format!("1. {text} *\n")] {
            for error in PgnReader::new(game.as_bytes()).filter_map(Result::err) {
                let said = error.to_string();
                assert!(said.len() < 400 && !said.contains('\n') && said.ends_with('.'), "{said:?}");
            }
        }
    }
}

#[test]
fn a_file_that_fails_is_said_once() {
    struct Failing(usize);
    impl std::io::Read for Failing {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => {
                    to[..8].copy_from_slice(b"* Ke4 e5");
                    Ok(8)
                }
                _ => Err(std::io::Error::other("the disk is gone")),
            }
        }
    }
    let all: Vec<_> = PgnReader::new(std::io::BufReader::new(Failing(0))).collect();
    let [Err(error)] = &all[..] else { panic!("{all:?}") };
    assert_eq!(error.to_string(), "Game 1, line 1: The file cannot be read: the disk is gone.");
}
