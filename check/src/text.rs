//! Reading the output of other programs: the moves of a divide with their counts, and the total.
//!
//! Programs print a divide in many forms. Here a line is cut into words, and a move belongs together with the number that
//! follows it. So `e2e4: 20`, `e2e4 20`, `1. e2-e4 = 20 nodes`, `Nf3 - 20`, `"e2e4": 20,` and `e2e4,20` are all read, also
//! several in a line.

/// Moves as a program writes them, each with the number of leaves below it.
pub type Divide = Vec<(String, u128)>;

/// The answer of a program: moves with counts, and the total.
///
/// ```
/// use kogge_check::DivideText;
///
/// let read = DivideText::read("e2e4: 20\ng1-f3 = 1 234\nO-O 3,394\n\nNodes searched: 4648");
/// let moves: Vec<_> = read.moves.iter().map(|(text, count)| (text.as_str(), *count)).collect();
/// assert_eq!(moves, [("e2e4", 20), ("g1f3", 1234), ("O-O", 3394)]);
/// assert_eq!(read.total, Some(4648));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DivideText {
    /// The moves in the order of the text, as written apart from case and marks, with their counts.
    pub moves: Divide,
    /// The total, if the text has one.
    pub total: Option<u128>,
    /// Lines that have a number or begin with a move, but from which neither a move with its count nor a total could be read.
    pub unread: Vec<String>,
}

/// Parts of words that come before or after a count.
const TOTALS: [&str; 7] = ["nodes", "total", "leaves", "leaf", "perft", "sum", "count"];

/// Parts of words that come before or after some other number.
const OTHERS: [&str; 11] =
    ["nps", "/s", "time", "second", "elapsed", "depth", "moves", "hash", "info", "fen", "position"];

/// Words that follow other numbers.
const UNITS: [&str; 9] = ["ms", "s", "sec", "secs", "msec", "seconds", "nps", "n/s", "moves"];

impl DivideText {
    /// Reads the output of a program.
    pub fn read(text: &str) -> Self {
        let mut read = Self::default();
        text.lines().for_each(|line| {
            read.read_line(line);
        });
        read
    }

    /// Whether a line that begins with a move cannot be read.
    pub fn has_unread_move(&self) -> bool {
        self.unread.iter().any(|line| begins_with_a_move(line))
    }

    /// Returns the moves with their counts.
    ///
    /// # Errors
    /// A sentence if a line that begins with a move cannot be read, or if the total differs from the sum of the counts.
    pub fn checked(self) -> Result<Divide, String> {
        let Self { moves, total, unread } = self;
        if let Some(line) = unread.iter().find(|line| begins_with_a_move(line)) {
            return Err(format!("its line {line:?} cannot be read; expected a line such as \"e2e4: 20\"."));
        }
        let sum = moves.iter().try_fold(0u128, |sum, (_, count)| sum.checked_add(*count));
        match total {
            Some(total) if sum != Some(total) => {
                let sum = sum.map_or("more than 2^128".to_owned(), |sum| sum.to_string());
                Err(format!("its counts add up to {sum}, but it says {total}."))
            }
            _ => Ok(moves),
        }
    }

    /// Reads a line, and returns whether it has a count.
    pub fn read_line(&mut self, line: &str) -> bool {
        let line = line.trim();
        let words = words(line);
        // The line of a search, such as `info depth 3 nodes 8902 pv e2e4`, and a position have numbers that are no counts.
        let is_search =
            words.first().is_some_and(|word| word == "info") && words.get(1).is_none_or(|word| word != "string");
        if is_search || words.iter().any(|word| word.matches('/').count() > 4) {
            return false;
        }
        let before = self.moves.len();
        let mut found = None;
        for word in &words {
            if let Some(number) = number(word) {
                if let Some(found) = found.take() {
                    self.moves.push((found, number));
                }
            } else if let Some(read) = move_of(word) {
                found = Some(read);
            } else if !word.chars().all(|letter| letter.is_ascii_punctuation()) && !is(&word.to_lowercase(), &TOTALS) {
                // A number behind another word does not belong to the move.
                found = None;
            }
        }
        if self.moves.len() > before {
            return true;
        }
        let begins_with_a_move = begins_with_a_move(line);
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let total = if begins_with_a_move { None } else { total_of(&words) };
        self.total = total.or(self.total);
        let has_number = words.iter().any(|word| number(word).is_some());
        if total.is_none() && (begins_with_a_move || has_number && !words.iter().any(|word| is(word, &OTHERS))) {
            self.unread.push(line.to_owned());
        }
        total.is_some()
    }
}

/// Returns whether the first word of a line looks like a move.
pub(crate) fn begins_with_a_move(line: &str) -> bool {
    words(line).first().is_some_and(|word| move_of(word).is_some())
}

fn is(word: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| word.contains(part))
}

/// Returns the total in a line without moves: a number after such a word (`Nodes searched: 20`), before it (`20 nodes in 3 ms`), or
/// alone.
fn total_of(words: &[String]) -> Option<u128> {
    if let [only] = words {
        return number(only);
    }
    let mut is_announced = false;
    // In `perft(5) = 4865609`, the first number is the depth. In `perft: 4865609`, it is the total.
    let mut perhaps = None;
    for (index, word) in words.iter().enumerate() {
        let Some(number) = number(word) else {
            is_announced = !is(word, &OTHERS) && (is_announced || is(word, &TOTALS));
            continue;
        };
        let before = index.checked_sub(1).map_or("", |at| words[at].as_str());
        let after = words.get(index + 1).map_or("", String::as_str);
        let is_other = is(before, &OTHERS) || UNITS.contains(&after) && !is(before, &TOTALS);
        if is_other || !(is_announced || is(after, &TOTALS)) {
            continue;
        }
        if !before.contains("perft") {
            return Some(number);
        }
        perhaps = Some(number);
    }
    perhaps
}

fn words(line: &str) -> Vec<String> {
    // Narrow and no-break spaces group the digits of a number, as in the table of the page.
    let line = line.replace("->", " ").replace("=>", " ").replace(['\u{202f}', '\u{2009}', '\u{a0}'], "");
    let mut words = Vec::new();
    for word in line.split(|letter: char| letter.is_whitespace() || ":;|()[]{}\"`<>".contains(letter)) {
        if let Some(number) = [',', '.'].iter().find_map(|&mark| ungrouped(word, mark)) {
            words.push(number);
        } else {
            words.extend(word.split(',').filter(|word| !word.is_empty()).flat_map(at_equals_sign));
        }
    }
    join_groups(words)
}

/// Returns the digits of a number such as `1,234,567`.
fn ungrouped(word: &str, mark: char) -> Option<String> {
    let mut groups = word.split(mark);
    let is_number = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().filter(|first| is_number(first) && first.len() < 4 && !first.starts_with('0'))?;
    let rest: Vec<_> = groups.collect();
    let is_grouped = !rest.is_empty() && rest.iter().all(|group| is_number(group) && group.len() == 3);
    is_grouped.then(|| format!("{first}{}", rest.concat()))
}

/// Joins groups of digits at the end of a line that spaces separate, as in `e2e4: 1 234 567`.
fn join_groups(mut words: Vec<String>) -> Vec<String> {
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let groups = words.iter().rev().take_while(|word| is_number(word)).count();
    let at = words.len() - groups;
    // In `perft 2 400`, the first number is the depth.
    let follows_depth = at > 0 && is(&words[at - 1].to_lowercase(), &["perft", "depth"]);
    let is_grouped = groups > 1
        && at > 0
        && !follows_depth
        && (1..4).contains(&words[at].len())
        && !words[at].starts_with('0')
        && words[at + 1..].iter().all(|word| word.len() == 3);
    if is_grouped {
        let number = words.drain(at..).collect();
        words.push(number);
    }
    words
}

/// Cuts a word at an equals sign, unless this is a promotion.
fn at_equals_sign(word: &str) -> Vec<String> {
    match word.split_once('=') {
        Some((before, after)) if !after.starts_with(['Q', 'R', 'B', 'N', 'q', 'r', 'b', 'n']) => {
            [before, after].iter().filter(|part| !part.is_empty()).map(|part| (*part).to_owned()).collect()
        }
        _ => vec![word.to_owned()],
    }
}

/// Reads a number, perhaps with separators between its digits.
fn number(word: &str) -> Option<u128> {
    let digits: String = word.chars().filter(|letter| !"_'’".contains(*letter)).collect();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// Returns a word that looks like a move: `e2e4`, `e7e8q` or SAN.
fn move_of(word: &str) -> Option<String> {
    let word = word.trim_matches('\'').trim_end_matches(['+', '#', '!', '?', '.']);
    // The number of a move or of a line may be attached to the move: `1.e2e4`.
    let word = word.rsplit_once('.').map_or(word, |(_, rest)| rest);
    if ["O-O", "0-0", "O-O-O", "0-0-0", "o-o", "o-o-o"].contains(&word) {
        return Some(word.replace(['0', 'o'], "O"));
    }
    long(word).or_else(|| is_san(word).then(|| word.to_owned()))
}

/// Returns a move with both squares in UCI notation: `Ng1-f3`, `e2e4`, `e7xd8=Q`, `E2E4`.
fn long(word: &str) -> Option<String> {
    let squares = word.strip_prefix(['K', 'Q', 'R', 'B', 'N', 'P']).filter(|rest| rest.len() > 3).unwrap_or(word);
    let lower = squares.to_ascii_lowercase();
    let plain: String = lower.chars().filter(|letter| !"-x=/".contains(*letter)).collect();
    let is_move = matches!(
        plain.as_bytes(),
        [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8']
            | [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', b'q' | b'r' | b'b' | b'n' | b'k' | b'p']
    );
    is_move.then_some(plain)
}

/// Whether a word has the form of a move in SAN.
fn is_san(word: &str) -> bool {
    let core = word.strip_suffix(['Q', 'R', 'B', 'N']).map_or(word, |core| core.trim_end_matches('='));
    let letters = core.strip_prefix(['K', 'Q', 'R', 'B', 'N']).unwrap_or(core);
    let Some((origin, to)) = letters.len().checked_sub(2).and_then(|at| letters.split_at_checked(at)) else {
        return false;
    };
    matches!(to.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
        && origin.len() < 4
        && origin.bytes().all(|byte| matches!(byte, b'a'..=b'h' | b'1'..=b'8' | b'x'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn moves(text: &str, expected: &[(&str, u128)]) {
        let read = DivideText::read(text);
        let expected: Vec<_> = expected.iter().map(|&(text, count)| (text.to_owned(), count)).collect();
        assert_eq!(read.moves, expected, "{text}");
    }

    #[test]
    fn lines_of_many_programs_are_read() {
        for text in [
            "e2e4: 20",
            "e2e4 20",
            "e2e4\t20",
            "e2e4 - 20",
            "1. e2e4 = 20",
            "1.e2e4 20",
            " 12) e2-e4 -> 20 nodes",
            "e2e4,20",
            "\"e2e4\": 20,",
            "{'e2e4': 20}",
            "Move.from_uci('e2e4'): 20",
            "Move: e2e4 Nodes: 20",
            "info string e2e4: 20",
            "e2e4: 20 (0.001s)",
            "E2E4 20",
            "Pe2-e4 20",
        ] {
            moves(text, &[("e2e4", 20)]);
        }
        moves("e7e8q: 3\ne7d8=N 4\ne7xd8Q 5", &[("e7e8q", 3), ("e7d8n", 4), ("e7d8q", 5)]);
        moves(
            "Nf3 20\nexd6+ 3\nO-O: 25\n0-0-0 26\nNbxd2 7\ne8=Q# 1\nR1a3 2",
            &[("Nf3", 20), ("exd6", 3), ("O-O", 25), ("O-O-O", 26), ("Nbxd2", 7), ("e8=Q", 1), ("R1a3", 2)],
        );
        // Text copied from the table of the page.
        moves("a2a3\ta3\t181\u{202f}046", &[("a3", 181_046)]);
        moves("{\"a2a3\":20,\"a2a4\":21}", &[("a2a3", 20), ("a2a4", 21)]);
        moves(
            "a2a3: 1.234.567\na2a4: 1\u{a0}234\na5a4: 3,394\nb2b3 1 234 567\na7a8=q: 2\na7b8Q: 3",
            &[("a2a3", 1_234_567), ("a2a4", 1234), ("a5a4", 3394), ("b2b3", 1_234_567), ("a7a8q", 2), ("a7b8q", 3)],
        );
        moves("a2a3: 1,234,567\na2a4: 12'345\na2a4,200", &[("a2a3", 1_234_567), ("a2a4", 12_345), ("a2a4", 200)]);
    }

    #[test]
    fn totals_are_read_and_other_numbers_are_not() {
        for text in [
            "Nodes searched: 8902",
            "8902",
            "Total: 8,902",
            "perft(3) = 8902",
            "perft( 3)= 8902 ( 0.001 sec)",
            "perft 3: 8902 nodes in 12 ms (741833 nps)",
            "Perft: 8902",
            "Total nodes 8902",
            "Leaves = 8902",
            "Depth 3: 8902 nodes, 12 ms",
            "depth: 3 nodes: 8902 captures: 34 checks: 12",
            "Nodes: 8902 Time: 12 NPS: 741833",
            "Nodes 8902 NPS 741833 Time 12",
            "8902 nodes (0.01 s)",
            "info string nodes 8902",
            "Total: 8\u{202f}902",
            "Total: 8\u{a0}902",
            "Total: 8 902",
            "Total nodes: 8.902",
            "Total: 8902 nodes in 0.1s",
            "perft(3) = 8902 in 1.234 s",
        ] {
            assert_eq!(DivideText::read(text), DivideText { total: Some(8902), ..DivideText::default() }, "{text}");
        }
        for text in [
            "Time: 12 ms",
            "Total time (ms) : 12",
            "nps 123456",
            "Nodes/second : 741833",
            "Nodes per second: 741833",
            "info depth 3 nodes 8902 nps 123456",
            "info depth 3 nodes 8902",
            "",
            "go perft",
            "Moves: 20",
            "info depth 2 seldepth 3 nodes 400 nps 4000 pv e2e4 e7e5 time 12",
            "info currmove e2e4 currmovenumber 1",
            "position fen rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1",
            "Fen: rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1",
            "Fen: \"rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1\"",
            "bestmove e2e4 ponder e7e5",
        ] {
            assert_eq!(DivideText::read(text), DivideText::default(), "{text}");
        }
        assert_eq!(DivideText::read("perft 2 400").total, Some(400));
        assert_eq!(DivideText::read("something 12").unread, ["something 12"]);
        for text in ["e2e4: many", "e2e4:", "a7a8=q none"] {
            assert_eq!(DivideText::read(text).unread, [text]);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic() {
        for text in
            ["é", "e2é4: 3", "==", "=Q", "1.", ".", "Q", "QQ", "Ké2", "9999999999999999999999999999999999999999"]
        {
            DivideText::read(text);
        }
    }
}
