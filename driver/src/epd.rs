//! Perft suites as text: a line for each position with its counts, `FEN ;D1 20 ;D2 400`, or as EPD with other operations.

use kogge_board::{Fen, FenError, known, quote};
use thiserror::Error;

use crate::MAX_DEPTH;

/// A position with published counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The position.
    pub root: Fen,
    /// Depths with their leaves, in the order of the line.
    pub counts: Vec<(u32, u128)>,
}

/// An error in a line of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EpdError {
    /// The line is not text.
    #[error("It is not text in UTF-8; expected a FEN and counts such as \";D1 20\".")]
    Binary,
    /// The line does not begin with a FEN.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// No game reaches the position.
    #[error("{reason}")]
    Unreachable {
        /// The condition that the position violates.
        reason: FenError,
        /// The line, if the rules define the moves of its position, as for [`Fen::parse_unreachable`].
        case: Option<Box<Case>>,
    },
    /// A part is not a count.
    #[error("It holds {} where a depth and its count, such as \"D5 4865609\", was expected.", quote(.0))]
    Count(String),
    /// A quotation mark is not closed.
    #[error("It holds {}, where a quotation mark is not closed.", quote(.0))]
    Quotation(String),
    /// A depth is too large.
    #[error("It gives a count at depth {0}; expected a depth from 0 to {MAX_DEPTH}.")]
    Depth(u32),
    /// The line has a position, but no counts.
    #[error("It has no counts; expected at least one, such as \";D1 20\".")]
    NoCounts(Box<Fen>),
}

/// Reads the lines of a suite, each with its number from 1, without blank lines and comments (`#`).
///
/// A line is a FEN of four or six fields, or the name of a standard position, and then operations with semicolons between them, as in EPD:
/// `FEN ;D1 20 ;D2 400` and `FEN D1 20; D2 400;` mean the same. Counts are `D3 8902`, `d3 8,902` or `perft 3 = 8_902`. The operations
/// `hmvc` and `fmvn` are the clocks of a FEN of four fields; other operations are ignored. In `FEN,20,400,8902`, the counts are those of
/// depth 1, 2 and so on.
///
/// ```
/// let text = b"8/8/8/8/8/1k6/p7/K7 w - - ;D1 0\n\nrubbish";
/// let lines: Vec<_> = kogge_driver::epd::lines(text).collect();
/// assert_eq!(lines[0].1.as_ref().map(|case| case.counts.clone()), Ok(vec![(1, 0)]));
/// assert!(lines[1].0 == 3 && lines[1].1.is_err());
/// ```
pub fn lines(text: &[u8]) -> impl Iterator<Item = (usize, Result<Case, EpdError>)> {
    each(text, parse)
}

/// Reads the positions of EPD, each with the number of its line from 1; as [`lines`], but whatever stands behind the positions, apart from
/// their clocks, is ignored.
///
/// ```
/// let text = b"8/8/8/8/8/1k6/p7/K7 w - - bm a1; hmvc 7;";
/// let (line, fen) = kogge_driver::epd::positions(text).next().unwrap();
/// assert_eq!((line, fen.unwrap().to_string().as_str()), (1, "8/8/8/8/8/1k6/p7/K7 w - - 7 1"));
/// ```
pub fn positions(text: &[u8]) -> impl Iterator<Item = (usize, Result<Fen, EpdError>)> {
    each(text, |line| Ok(known::root(&split(line).0)?))
}

fn each<T>(
    text: &[u8],
    read: impl Fn(&str) -> Result<T, EpdError>,
) -> impl Iterator<Item = (usize, Result<T, EpdError>)> {
    (1..).zip(text.split(|&byte| byte == b'\n')).filter_map(move |(number, line)| {
        let Ok(line) = str::from_utf8(line) else { return Some((number, Err(EpdError::Binary))) };
        // Some editors begin files with a byte order mark, and some programs end them with a NUL.
        let line = line.trim_start_matches('\u{feff}').trim_matches(|char: char| char.is_whitespace() || char == '\0');
        (!line.is_empty() && !line.starts_with('#')).then(|| (number, read(line)))
    })
}

fn parse(line: &str) -> Result<Case, EpdError> {
    let (root, counts) = split(line);
    let reason = match known::root(&root) {
        Ok(root) => {
            let counts = counts?;
            return if counts.is_empty() { Err(EpdError::NoCounts(Box::new(root))) } else { Ok(Case { root, counts }) };
        }
        Err(reason) if reason.is_unreachable() => reason,
        Err(reason) => return Err(reason.into()),
    };
    let counts = counts?;
    let case = Fen::parse_unreachable(&root).ok().map(|root| Box::new(Case { root, counts }));
    Err(EpdError::Unreachable { reason, case })
}

/// Splits a line into its FEN, or the name of a standard position, and the counts.
fn split(line: &str) -> (String, Result<Vec<(u32, u128)>, EpdError>) {
    let (position, rest) = split_position(line);
    let mut clocks = ["0", "1"];
    let counts = match rest.trim_start().strip_prefix(',') {
        Some(list) => parse_list(list),
        None => parse_operations(rest, &mut clocks),
    };
    let root = match position.split_whitespace().count() {
        4 => format!("{position} {}", clocks.join(" ")),
        _ => position.to_owned(),
    };
    (root, counts)
}

/// Splits a line after its position: the name of a standard position, or four fields and the numbers behind them.
fn split_position(line: &str) -> (&str, &str) {
    let head = line.split([';', ',']).next().unwrap_or_default();
    let first = head.split_whitespace().next().unwrap_or_default();
    let fields = if !first.contains('/') && known::root(first).is_ok() { 1 } else { 4 };
    let mut end = 0;
    for (index, word) in head.split_whitespace().enumerate() {
        // A letter begins the first operation.
        if index >= fields && word.starts_with(char::is_alphabetic) {
            break;
        }
        end += head[end..].find(word).unwrap_or(0) + word.len();
    }
    line.split_at(end)
}

/// Reads the counts of depth 1, 2 and so on.
fn parse_list(list: &str) -> Result<Vec<(u32, u128)>, EpdError> {
    let list = list.trim_end_matches([' ', ',', ';']);
    let counts = (1..).zip(list.split(',').filter(|_| !list.is_empty()));
    let counts = counts.map(|(depth, leaves)| checked(depth, number(leaves.trim()), leaves));
    counts.collect()
}

/// Reads the counts among the operations of EPD, and the clocks.
fn parse_operations<'t>(text: &'t str, clocks: &mut [&'t str; 2]) -> Result<Vec<(u32, u128)>, EpdError> {
    let mut is_quoted = false;
    let operations = text.split(|char| {
        is_quoted ^= char == '"';
        char == ';' && !is_quoted
    });
    let mut counts = Ok(Vec::new());
    for operation in operations.map(str::trim) {
        let count = match operation.split_once(char::is_whitespace) {
            Some(("hmvc", clock)) => {
                clocks[0] = clock.trim();
                continue;
            }
            Some(("fmvn", number)) => {
                clocks[1] = number.trim();
                continue;
            }
            _ if operation.matches('"').count() % 2 != 0 => Err(EpdError::Quotation(operation.to_owned())),
            _ => parse_count(operation).transpose(),
        };
        counts = counts.and_then(|mut counts: Vec<_>| {
            counts.extend(count?);
            Ok(counts)
        });
    }
    counts
}

/// Reads a count; `None` for another operation.
fn parse_count(operation: &str) -> Option<Result<(u32, u128), EpdError>> {
    let word = operation.split(|char: char| !char.is_ascii_alphabetic()).next().unwrap_or_default();
    let count = match &*word.to_ascii_lowercase() {
        "d" | "perft" | "depth" => &operation[word.len()..],
        // The names of other operations begin with a small letter.
        _ if operation.is_empty() || !word.is_empty() && !word.starts_with('D') => return None,
        _ => "",
    };
    let mut parts =
        count.split(|char: char| char.is_whitespace() || "=:()".contains(char)).filter(|part| !part.is_empty());
    let (depth, leaves) = match (parts.next(), parts.next(), parts.next()) {
        (Some(depth), Some(leaves), None) => {
            (number(depth).and_then(|depth| u32::try_from(depth).ok()), number(leaves))
        }
        _ => (None, None),
    };
    Some(match depth {
        Some(depth) => checked(depth, leaves, operation),
        None => Err(EpdError::Count(operation.to_owned())),
    })
}

/// Checks a count that was read from a text.
fn checked(depth: u32, leaves: Option<u128>, text: &str) -> Result<(u32, u128), EpdError> {
    match leaves {
        Some(leaves) if depth <= MAX_DEPTH => Ok((depth, leaves)),
        Some(_) => Err(EpdError::Depth(depth)),
        None => Err(EpdError::Count(text.to_owned())),
    }
}

/// Reads a number, in which commas or underscores may separate groups of three digits.
fn number(text: &str) -> Option<u128> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = text.split([',', '_']);
    let first = groups.next().filter(|first| is_digits(first))?;
    let is_grouped = first.len() <= 3 && groups.all(|group| group.len() == 3 && is_digits(group));
    (is_grouped || first == text).then(|| text.replace([',', '_'], "").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &[u8]) -> Result<Case, EpdError> {
        let mut lines = lines(line);
        let (number, case) = lines.next().expect("a line");
        assert_eq!((number, lines.next()), (1, None));
        case
    }

    #[test]
    fn the_usual_forms_are_read() {
        let start = kogge_board::START;
        let four = start.strip_suffix(" 0 1").unwrap();
        for text in [
            format!("{start} ;D1 20 ;D2 400"),
            format!("{start};D1 20;D2 400"),
            format!("{start}; D1 20; D2 400;"),
            format!("  {start} ;D1   20 ; D2\t400 \r"),
            format!("\u{feff}{start} ;D1 20 ;D2 400"),
            format!("{four} ;D1 20 ;D2 400"),
            "startpos ;D1 20 ;D2 400".to_owned(),
            // EPD.
            format!("{four} D1 20; D2 400;"),
            format!("{four} d1 20; acd 3; D2 400; bm e4; id \"D3 1; D4 x\"; c0 \"a comment; D5 y\"; ce 30"),
            format!("{four} hmvc 0; fmvn 1; D1 20; D2 400;\0"),
            format!("{start} D1 20; D2 400"),
            "startpos D1 20; D2 400;\r".to_owned(),
            // Other forms.
            format!("{start}; perft 1 = 20; perft 2 = 400"),
            format!("{start};Perft(1)=20; perft 2: 400"),
            format!("{start}; depth 1 20; D2=400"),
            format!("{start},20,400"),
            format!("{four}, 20, 400,;\r"),
        ] {
            let expected = Case { root: Fen::start(), counts: vec![(1, 20), (2, 400)] };
            assert_eq!(one(text.as_bytes()), Ok(expected), "{text}");
        }
        let large = one(format!("{start} ;D15 340282366920938463463374607431768211455").as_bytes()).unwrap();
        assert_eq!(large.counts, [(15, u128::MAX)]);
        for text in ["D3 8,902; D5 4_865_609; D6 119,060,324", "perft 3 = 8902; d5 4,865,609;D6 119_060_324"] {
            let grouped = one(format!("{four} {text}").as_bytes()).unwrap();
            assert_eq!(grouped.counts, [(3, 8_902), (5, 4_865_609), (6, 119_060_324)]);
        }
        assert_eq!(lines(b"\n  \n# comment\r\n\0").next(), None);
    }

    #[test]
    fn clocks_of_any_kind_are_read() {
        for (text, fen) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - hmvc 7; fmvn 30; D1 5;", "4k3/8/8/8/8/8/8/4K3 w - - 7 30"),
            ("4k3/8/8/8/8/8/8/4K3 w - - D1 5; hmvc 7;", "4k3/8/8/8/8/8/8/4K3 w - - 7 1"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 3 4 D1 5; hmvc 7;", "4k3/8/8/8/8/8/8/4K3 w - - 3 4"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 200 0 ;D1 5", "4k3/8/8/8/8/8/8/4K3 w - - 200 0"),
        ] {
            assert_eq!(one(text.as_bytes()).map(|case| case.root.to_string()), Ok(fen.to_owned()));
        }
        let error = one(b"4k3/8/8/8/8/8/8/4K3 w - - hmvc x; D1 5").unwrap_err().to_string();
        assert!(error.contains("The halfmove clock is \"x\""), "{error}");
    }

    #[test]
    fn positions_that_no_game_reaches_are_told_from_broken_lines() {
        for (position, has_moves) in [
            ("4k3/8/3N1N2/4R3/8/8/8/4K3 b - -", true),
            ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KK2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", false),
        ] {
            let found = one(format!("{position} ;D1 7").as_bytes());
            let Err(EpdError::Unreachable { reason, case }) = found else { panic!("{position}: {found:?}") };
            assert_eq!(case.map(|case| case.counts), has_moves.then(|| vec![(1, 7)]), "{position}: {reason}");
            assert!(matches!(one(format!("{position} ;D1 x").as_bytes()), Err(EpdError::Count(_))), "{position}");
            let found = one(position.as_bytes());
            assert!(matches!(found, Err(EpdError::Unreachable { .. })), "{position}: {found:?}");
        }
    }

    #[test]
    fn broken_lines_are_named_and_the_others_read() {
        let start = kogge_board::START;
        for (line, reason) in [
            (";D1 20".to_owned(), "FEN is empty"),
            ("D1 20".to_owned(), "2 fields"),
            (start.to_owned(), "no counts"),
            (format!("{start} ;"), "no counts"),
            (format!("{start} ;D1"), "\"D1\""),
            (format!("{start} ;D1 x"), "\"D1 x\""),
            (format!("{start} ;D1 -20"), "\"D1 -20\""),
            (format!("{start} ;D+1 20"), "\"D+1 20\""),
            (format!("{start} ;D 20"), "\"D 20\""),
            (format!("{start} ;D1 20 x"), "\"D1 20 x\""),
            (format!("{start} ;D1 20 ;Dl 400"), "\"Dl 400\""),
            (format!("{start} ;D1 20 ;D2 400 D3 8902"), "\"D2 400 D3 8902\""),
            (format!("{start} ;D1 20 ;D3 8 902"), "\"D3 8 902\""),
            (format!("{start} ;D1 20 ;D3 8.902"), "\"D3 8.902\""),
            (format!("{start} ;D1 20 ;D3 89,02"), "\"D3 89,02\""),
            (format!("{start} ;D1 20 ;D3 8902,"), "\"D3 8902,\""),
            (format!("{start} ;D1 20 ;D4 1972,81"), "\"D4 1972,81\""),
            (format!("{start} ;D1 20 ;d2 x"), "\"d2 x\""),
            (format!("{start} ;D1 20 ;perft 2 = x"), "\"perft 2 = x\""),
            (format!("{start} ;D1 20 ;perft 400"), "\"perft 400\""),
            (format!("{start} ;20 ;400"), "\"20\""),
            (format!("{start} ;20 400"), "\"20 400\""),
            (format!("{start},20,,8902"), "holds \"\" where"),
            (format!("{start},20,400x"), "\"400x\""),
            (format!("{start},D1 20"), "\"D1 20\""),
            (format!("{start},"), "no counts"),
            (format!("{start} id \"x\";"), "no counts"),
            (format!("{start} D1 20; id \"x; D2 400;"), "not closed"),
            (format!("{start} 7 D1 20;"), "7 fields"),
            ("8/8/8/8/8/8/8/8 w - D1 20".to_owned(), "5 fields"),
            (format!("{start} ;D300 20"), "depth 300"),
            (format!("{start} ;D99999999999 20"), "D99999999999"),
            (format!("{start} ;D1 {}", "9".repeat(10_000)), "where a depth"),
            ("x".repeat(10_000), "has 1 field;"),
        ] {
            let error = one(line.as_bytes()).expect_err(&line).to_string();
            assert!(error.contains(reason) && error.ends_with('.') && error.len() < 300, "{error}");
        }
        assert_eq!(one(b"\xff\xfe\0\x01"), Err(EpdError::Binary));
        let text = format!("{start} ;D1 20\n\x01\n\n{start} ;D2 400\n");
        let found: Vec<_> = lines(text.as_bytes()).map(|(number, case)| (number, case.is_ok())).collect();
        assert_eq!(found, [(1, true), (2, false), (4, true)]);
    }
}
