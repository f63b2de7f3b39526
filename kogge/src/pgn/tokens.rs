//! The words of PGN.

use std::io::BufRead;

use super::mistake::Mistake;
use crate::GameResult;

/// A word of PGN.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Tag(String, String),
    Move(String),
    Nag(u8),
    Comment(String),
    VariationStart,
    VariationEnd,
    /// The end of a game; a result that is not known is `None`.
    Result(Option<GameResult>),
}

/// Reads words from lines.
pub(super) struct Tokens<R> {
    input: R,
    line: Vec<u8>,
    /// The next byte of the line.
    at: usize,
    /// The number of the line, from 1.
    pub(super) number: usize,
}

impl<R: BufRead> Tokens<R> {
    pub(super) const fn new(input: R) -> Self {
        Self { input, line: Vec::new(), at: 0, number: 0 }
    }

    /// Reads the next word, or `None` at the end of the input.
    pub(super) fn read(&mut self) -> Result<Option<Token>, Mistake> {
        loop {
            let Some(&byte) = self.line.get(self.at) else {
                if self.next_line()? {
                    continue;
                }
                return Ok(None);
            };
            let first = self.at;
            self.at += 1;
            return Ok(Some(match byte {
                // A dot follows a move's number.
                b'.' => continue,
                _ if byte.is_ascii_whitespace() => continue,
                b';' => {
                    self.at = self.line.len();
                    Token::Comment(text(self.line[first + 1..].trim_ascii()))
                }
                b'{' => Token::Comment(self.comment()?),
                b'(' => Token::VariationStart,
                b')' => Token::VariationEnd,
                b'*' => Token::Result(None),
                b'[' => self.tag(first)?,
                b'$' => {
                    let digits = self.take(first + 1, |byte| byte.is_ascii_digit());
                    let wrong = || Mistake::Nag(format!("${digits}"));
                    Token::Nag(digits.parse().map_err(|_| wrong())?)
                }
                b'!' | b'?' => {
                    let marks = self.take(first, |byte| matches!(byte, b'!' | b'?'));
                    let nag = ["!", "?", "!!", "??", "!?", "?!"].iter().position(|known| *known == marks);
                    Token::Nag(nag.ok_or_else(|| Mistake::Nag(marks.to_string()))? as u8 + 1)
                }
                b'e' if self.line[first..].starts_with(b"e.p.") => {
                    self.at = first + 4;
                    continue;
                }
                _ if is_of_a_move(byte) => {
                    let word = self.take(first, is_of_a_move);
                    match word.as_str() {
                        "1-0" => Token::Result(Some(GameResult::WhiteWins)),
                        "0-1" => Token::Result(Some(GameResult::BlackWins)),
                        "1/2-1/2" => Token::Result(Some(GameResult::Draw)),
                        number if number.bytes().all(|byte| byte.is_ascii_digit()) => continue,
                        _ => Token::Move(word),
                    }
                }
                _ => {
                    let rest = text(&self.line[first..]);
                    return Err(Mistake::Character(rest.chars().next().unwrap_or_default()));
                }
            }));
        }
    }

    /// Reads the next line that is not escaped, if there is one.
    fn next_line(&mut self) -> Result<bool, Mistake> {
        loop {
            self.line.clear();
            self.at = 0;
            if self.input.read_until(b'\n', &mut self.line).map_err(|error| Mistake::Read(error.to_string()))? == 0 {
                return Ok(false);
            }
            self.number += 1;
            if self.number == 1 && self.line.starts_with("\u{feff}".as_bytes()) {
                self.at = 3;
            }
            if self.line.get(self.at) != Some(&b'%') {
                return Ok(true);
            }
        }
    }

    /// Takes bytes from the first one on; all are ASCII.
    fn take(&mut self, first: usize, holds: impl Fn(u8) -> bool) -> String {
        let rest = &self.line[first..];
        let length = rest.iter().position(|&byte| !holds(byte)).unwrap_or(rest.len());
        self.at = first + length;
        text(&rest[..length])
    }

    /// Reads a comment to its brace; the comment may have many lines, which become one.
    fn comment(&mut self) -> Result<String, Mistake> {
        let begin = self.number;
        let mut comment = Vec::new();
        loop {
            let rest = &self.line[self.at..];
            let end = rest.iter().position(|&byte| byte == b'}');
            let part = rest[..end.unwrap_or(rest.len())].trim_ascii();
            if !comment.is_empty() && !part.is_empty() {
                comment.push(b' ');
            }
            comment.extend_from_slice(part);
            if let Some(end) = end {
                self.at += end + 1;
                return Ok(text(&comment));
            }
            if !self.next_line()? {
                return Err(Mistake::Comment(begin));
            }
        }
    }

    /// Reads a tag such as `[White "Carlsen, Magnus"]`.
    fn tag(&mut self, first: usize) -> Result<Token, Mistake> {
        // The rest of a line with a wrong tag is no text of a game.
        self.at = self.line.len();
        let inside = self.line[first + 1..].trim_ascii_start();
        let length = inside.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let (name, rest) = inside.split_at(length.unwrap_or(inside.len()));
        let mut value = Vec::new();
        let mut bytes = rest.trim_ascii_start().iter();
        let is_open = !name.is_empty() && bytes.next() == Some(&b'"');
        let closed = is_open
            && loop {
                match bytes.next() {
                    Some(b'"') => break true,
                    Some(b'\\') if matches!(bytes.as_slice().first(), Some(b'"' | b'\\')) => value.extend(bytes.next()),
                    Some(byte) => value.push(*byte),
                    None => break false,
                }
            };
        let rest = bytes.as_slice().trim_ascii_start();
        if !closed || rest.first() != Some(&b']') {
            // Some programs do not mark quotation marks in a value. The tag then ends where the line does.
            let whole = self.line[first..].trim_ascii_end().strip_suffix(b"\"]").filter(|_| is_open);
            if let Some((_, value)) = whole.and_then(|whole| whole.split_at_checked(first_quote(whole)? + 1)) {
                return Ok(Token::Tag(text(name), text(value)));
            }
            return Err(Mistake::Tag(text(self.line[first..].trim_ascii())));
        }
        let token = Token::Tag(text(name), text(&value));
        self.at = self.line.len() - rest.len() + 1;
        Ok(token)
    }
}

fn first_quote(line: &[u8]) -> Option<usize> {
    line.iter().position(|&byte| byte == b'"')
}

/// Returns whether a byte can stand in a move, its number or a result.
const fn is_of_a_move(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'=' | b'-' | b'/')
}

/// Reads UTF-8, or else Latin-1, in which older files are written.
fn text(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}
