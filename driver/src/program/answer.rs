//! The answers of other programs: moves with their counts, and the sum.

/// The labels that programs print before the sum of a divide, in lower case.
const TOTALS: [&str; 5] = ["nodes searched", "nodes", "total", "total nodes", "leaf nodes"];

/// An answer, as far as it has been read.
#[derive(Default)]
pub(super) struct Answer {
    /// Moves, as the program writes them, with the numbers of leaves below them.
    pub(super) counts: Vec<(String, u128)>,
    /// The sum, once the program has printed it.
    pub(super) total: Option<u128>,
}

impl Answer {
    /// Reads a line, and returns whether it has a count; another line is ignored.
    pub(super) fn read(&mut self, line: &str) -> bool {
        let count = parse_count(line);
        let is_count = count.is_some();
        match count {
            Some(Count::Move(text, count)) => self.counts.push((text, count)),
            Some(Count::Total(total)) => self.total = Some(total),
            None => {}
        }
        is_count
    }

    /// Returns the counts.
    ///
    /// # Errors
    /// A sentence if the program's own sum differs from the sum of the counts.
    pub(super) fn checked(self) -> Result<Vec<(String, u128)>, String> {
        let sum = self.counts.iter().try_fold(0u128, |sum, (_, count)| sum.checked_add(*count));
        match self.total {
            Some(total) if sum != Some(total) => {
                let sum = sum.map_or("more than 2^128".to_owned(), |sum| sum.to_string());
                Err(format!("its counts add up to {sum}, but it says {total}."))
            }
            _ => Ok(self.counts),
        }
    }
}

/// A count in a line of an answer.
#[derive(PartialEq, Eq, Debug)]
enum Count {
    Move(String, u128),
    Total(u128),
}

/// Reads `e2e4: 20` or `e2e4 20`, and `Nodes searched: 400`; ignores other lines.
fn parse_count(line: &str) -> Option<Count> {
    let line = line.trim();
    let (text, count) = line.rsplit_once([':', ' ', '\t'])?;
    let (text, count) = (text.trim_end_matches([':', ' ', '\t']), count.trim().parse().ok()?);
    if TOTALS.contains(&text.to_ascii_lowercase().as_str()) {
        return Some(Count::Total(count));
    }
    let square = |at: usize| {
        let square = text.as_bytes().get(at..at + 2);
        matches!(square, Some([b'a'..=b'h', b'1'..=b'8']))
    };
    let is_move = square(0) && square(2) && matches!(text.as_bytes()[4..], [] | [b'q' | b'r' | b'b' | b'n']);
    is_move.then(|| Count::Move(text.to_owned(), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_engines() {
        let counted = |text: &str, count| Some(Count::Move(text.to_owned(), count));
        for (line, expected) in [
            ("e2e4: 405385", counted("e2e4", 405_385)),
            ("e2e4 405385\r\n", counted("e2e4", 405_385)),
            ("a7a8q: 1", counted("a7a8q", 1)),
            ("e1h1:\t7", counted("e1h1", 7)),
            ("Nodes searched: 4865609", Some(Count::Total(4_865_609))),
            ("Total: 340282366920938463463374607431768211455", Some(Count::Total(u128::MAX))),
            ("Nodes searched  : 20", Some(Count::Total(20))),
            ("", None),
            ("info depth 1 nodes 20", None),
            ("info string NNUE evaluation using x.nnue", None),
            ("Nodes/second: 1000", None),
            ("Total time: 5", None),
            ("e2e4: many", None),
            ("e2e9: 1", None),
            ("a7a8k: 1", None),
            ("é2e4: 1", None),
            ("e2e4: -1", None),
        ] {
            assert_eq!(parse_count(line), expected, "{line:?}");
        }
    }
}
