//! Reading the output of other programs: the moves of a divide with their counts, and the total.
//!
//! Programs print a divide in many forms. Here a line is cut into words, and a move belongs together with the number that
//! follows it. So `e2e4: 20`, `e2e4 20`, `1. e2-e4 = 20 nodes`, `Nf3 - 20`, `"e2e4": 20,` and `e2e4,20` are all read, also
//! several in a line.

/// What was read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DivideText {
    /// The moves in the order of the text, as written apart from case and marks, with their counts.
    pub moves: Vec<(String, u128)>,
    /// The total, if the text has one.
    pub total: Option<u128>,
    /// Lines that have a number but neither a move nor a total.
    pub unread: Vec<String>,
}

/// Parts of words that come before or after a total.
const TOTALS: [&str; 7] = ["nodes", "total", "leaves", "leaf", "perft", "sum", "count"];

/// Parts of words that come before or after some other number.
const OTHERS: [&str; 11] =
    ["nps", "/s", "time", "second", "elapsed", "depth", "moves", "hash", "info", "fen", "position"];

/// Words that follow other numbers.
const UNITS: [&str; 9] = ["ms", "s", "sec", "secs", "msec", "seconds", "nps", "n/s", "moves"];

/// Reads the output of a program.
pub fn read(text: &str) -> DivideText {
    let mut pasted = DivideText::default();
    for line in text.lines() {
        read_line(line.trim(), &mut pasted);
    }
    pasted
}

fn read_line(line: &str, pasted: &mut DivideText) {
    let before = pasted.moves.len();
    let words = words(line);
    let mut found = None;
    for word in &words {
        if let Some(number) = number(word) {
            if let Some(found) = found.take() {
                pasted.moves.push((found, number));
            }
        } else if let Some(read) = move_of(word) {
            found = Some(read);
        }
    }
    if pasted.moves.len() > before {
        return;
    }
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    // The lines of a search, such as `info depth 3 nodes 8902 nps 12345`, contain no total.
    let is_search =
        words.first().is_some_and(|word| word == "info") && words.get(1).is_none_or(|word| word != "string");
    let total = if is_search { None } else { total_of(&words) };
    pasted.total = total.or(pasted.total);
    if total.is_none() && words.iter().any(|word| number(word).is_some()) && !words.iter().any(|word| is(word, &OTHERS))
    {
        pasted.unread.push(line.to_owned());
    }
}

fn is(word: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| word.contains(part))
}

/// Returns the total in a line without moves: a number after such a word (`Nodes searched: 20`) or before it (`20 nodes in
/// 3 ms`).
fn total_of(words: &[String]) -> Option<u128> {
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
    // Narrow spaces group the digits of a number, as in the table of the page.
    let line = line.replace("->", " ").replace("=>", " ").replace(['\u{202f}', '\u{2009}'], "");
    let mut words = Vec::new();
    for word in line.split(|letter: char| letter.is_whitespace() || ":;|()[]{}\"`<>".contains(letter)) {
        let is_grouped = |word: &str| {
            let mut groups = word.split(',');
            let is_number = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
            groups.next().is_some_and(|first| is_number(first) && first.len() < 4)
                && groups.all(|group| is_number(group) && group.len() == 3)
        };
        if is_grouped(word) {
            words.push(word.replace(',', ""));
        } else {
            words.extend(word.split(',').filter(|word| !word.is_empty()).flat_map(at_equals_sign));
        }
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
        let read = read(text);
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
        moves("a2a3: 1,234,567\na2a4: 12'345\na2a4,200", &[("a2a3", 1_234_567), ("a2a4", 12_345), ("a2a4", 200)]);
    }

    #[test]
    fn totals_are_read_and_other_numbers_are_not() {
        for text in [
            "Nodes searched: 8902",
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
        ] {
            assert_eq!(read(text), DivideText { total: Some(8902), ..DivideText::default() }, "{text}");
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
        ] {
            assert_eq!(read(text), DivideText::default(), "{text}");
        }
        assert_eq!(read("something 12").unread, ["something 12"]);
    }

    #[test]
    fn any_text_is_read_without_a_panic() {
        for text in
            ["é", "e2é4: 3", "==", "=Q", "1.", ".", "Q", "QQ", "Ké2", "9999999999999999999999999999999999999999"]
        {
            read(text);
        }
    }
}
