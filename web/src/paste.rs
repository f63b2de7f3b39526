//! Reading the output of other programs: the moves of a divide with their counts, and the total.
//!
//! Programs print a divide in many forms. Here a line is cut into words; a move and the next number belong together. So
//! `e2e4: 20`, `e2e4 20`, `1. e2-e4 = 20 nodes`, `Nf3 - 20`, `"e2e4": 20,` and `e2e4,20` are all read, also several in a line.

/// What was read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Pasted {
    /// The moves in the order of the text, as written apart from case and marks, with their counts.
    pub moves: Vec<(String, u128)>,
    /// The total, if the text states it.
    pub total: Option<u128>,
    /// Lines that have a number but neither a move nor a total.
    pub unread: Vec<String>,
}

/// Words that announce a total.
const TOTALS: [&str; 7] = ["nodes", "total", "leaves", "leaf", "perft", "sum", "count"];

/// Words of lines with other numbers.
const OTHERS: [&str; 12] =
    ["nps", "n/s", "/s", "time", "second", "elapsed", "depth", "moves:", "hash", "info", "fen", "position"];

/// Reads the output of a program.
pub fn read(text: &str) -> Pasted {
    let mut pasted = Pasted::default();
    for line in text.lines() {
        read_line(line.trim(), &mut pasted);
    }
    pasted
}

fn read_line(line: &str, pasted: &mut Pasted) {
    let before = pasted.moves.len();
    let mut found = None;
    let mut last_number = None;
    for word in words(line) {
        if let Some(number) = number(&word) {
            last_number = Some(number);
            if let Some(found) = found.take() {
                pasted.moves.push((found, number));
            }
        } else if let Some(read) = move_of(&word) {
            found = Some(read);
        }
    }
    let (Some(number), false) = (last_number, pasted.moves.len() > before) else { return };
    let lower = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    // `info nodes 8902 nps 12345` has both kinds of words.
    if has(&TOTALS) && !has(&OTHERS[..6]) {
        pasted.total = Some(number);
    } else if !has(&OTHERS) {
        pasted.unread.push(line.to_owned());
    }
}

/// Cuts a line into words.
fn words(line: &str) -> Vec<String> {
    let line = line.replace("->", " ").replace("=>", " ");
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
    let word = word.trim_end_matches(['+', '#', '!', '?', '.']);
    // The number of a move or of a line may stick to the move: `1.e2e4`.
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
        moves("{\"a2a3\":20,\"a2a4\":21}", &[("a2a3", 20), ("a2a4", 21)]);
        moves("a2a3: 1,234,567\na2a4: 12'345\na2a4,200", &[("a2a3", 1_234_567), ("a2a4", 12_345), ("a2a4", 200)]);
    }

    #[test]
    fn totals_are_read_and_other_numbers_are_not() {
        for text in ["Nodes searched: 8902", "Total: 8,902", "perft(3) = 8902", "Total nodes 8902", "Leaves = 8902"] {
            assert_eq!(read(text), Pasted { total: Some(8902), ..Pasted::default() }, "{text}");
        }
        for text in ["Time: 12 ms", "nps 123456", "info depth 3 nodes 8902 nps 123456", "", "go perft", "Moves: 20"] {
            assert_eq!(read(text), Pasted::default(), "{text}");
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
