//! Perft suites as text: a line for each position with its counts, `FEN ;D1 20 ;D2 400`.

use kogge_board::{Fen, FenError, known};
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
    /// The part before the first semicolon is not a FEN.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A part is not a count.
    #[error("It holds {0:?} where a depth and its count, such as \"D5 4865609\", was expected.")]
    Count(String),
    /// A depth is too large.
    #[error("It gives a count at depth {0}; expected a depth from 0 to {MAX_DEPTH}.")]
    Depth(u32),
    /// The line has no counts.
    #[error("It has no counts; expected at least one, such as \";D1 20\".")]
    NoCounts,
}

/// Reads the lines of a suite, each with its number from 1, without blank lines and comments (`#`).
///
/// A line is a FEN of four or six fields, or the name of a standard position, and then counts `D<depth> <leaves>`, each after or before a
/// semicolon: `FEN ;D1 20 ;D2 400` and `FEN; D1 20; D2 400;` mean the same.
///
/// ```
/// let text = b"8/8/8/8/8/1k6/p7/K7 w - - ;D1 0\n\nrubbish";
/// let lines: Vec<_> = kogge_driver::epd::lines(text).collect();
/// assert_eq!(lines[0].1.as_ref().map(|case| case.counts.clone()), Ok(vec![(1, 0)]));
/// assert!(lines[1].0 == 3 && lines[1].1.is_err());
/// ```
pub fn lines(text: &[u8]) -> impl Iterator<Item = (usize, Result<Case, EpdError>)> {
    (1..).zip(text.split(|&byte| byte == b'\n')).filter_map(|(number, line)| {
        let Ok(line) = str::from_utf8(line) else { return Some((number, Err(EpdError::Binary))) };
        // Some editors begin files with a byte order mark.
        let line = line.trim_start_matches('\u{feff}').trim();
        (!line.is_empty() && !line.starts_with('#')).then(|| (number, parse(line)))
    })
}

fn parse(line: &str) -> Result<Case, EpdError> {
    let mut parts = line.split(';').map(str::trim);
    let root = known::root(parts.next().unwrap_or_default())?;
    let counts: Vec<_> = parts.filter(|part| !part.is_empty()).map(parse_count).collect::<Result<_, _>>()?;
    if counts.is_empty() { Err(EpdError::NoCounts) } else { Ok(Case { root, counts }) }
}

fn parse_count(part: &str) -> Result<(u32, u128), EpdError> {
    let wrong = || EpdError::Count(part.chars().take(40).collect());
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (depth, leaves) = part.split_once(char::is_whitespace).ok_or_else(wrong)?;
    let depth = depth.strip_prefix('D').filter(|depth| digits(depth)).ok_or_else(wrong)?;
    let leaves = Some(leaves.trim()).filter(|leaves| digits(leaves)).ok_or_else(wrong)?;
    match (depth.parse(), leaves.parse()) {
        (Ok(depth), Ok(leaves)) if depth <= MAX_DEPTH => Ok((depth, leaves)),
        (Ok(depth), Ok(_)) => Err(EpdError::Depth(depth)),
        _ => Err(wrong()),
    }
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
        for text in [
            format!("{start} ;D1 20 ;D2 400"),
            format!("{start};D1 20;D2 400"),
            format!("{start}; D1 20; D2 400;"),
            format!("  {start} ;D1   20 ; D2\t400 \r"),
            format!("\u{feff}{start} ;D1 20 ;D2 400"),
            format!("{} ;D1 20 ;D2 400", start.strip_suffix(" 0 1").unwrap()),
            "startpos ;D1 20 ;D2 400".to_owned(),
        ] {
            let expected = Case { root: Fen::start(), counts: vec![(1, 20), (2, 400)] };
            assert_eq!(one(text.as_bytes()), Ok(expected), "{text}");
        }
        let large = one(format!("{start} ;D15 340282366920938463463374607431768211455").as_bytes()).unwrap();
        assert_eq!(large.counts, [(15, u128::MAX)]);
        assert_eq!(lines(b"\n  \n# comment\r\n").next(), None);
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
            (format!("{start} ;D300 20"), "depth 300"),
            (format!("{start} ;D99999999999 20"), "D99999999999"),
            (format!("{start} ;D1 {}", "9".repeat(10_000)), "where a depth"),
            ("x".repeat(10_000), "has 1 field;"),
        ] {
            let error = one(line.as_bytes()).expect_err(&line).to_string();
            assert!(error.contains(reason) && error.ends_with('.') && error.len() < 300, "{error}");
        }
        assert_eq!(one(b"\xff\xfe\0\x01"), Err(EpdError::Binary));
        let text = format!("{start} ;D1 20\n\x00\n\n{start} ;D2 400\n");
        let found: Vec<_> = lines(text.as_bytes()).map(|(number, case)| (number, case.is_ok())).collect();
        assert_eq!(found, [(1, true), (2, false), (4, true)]);
    }
}
