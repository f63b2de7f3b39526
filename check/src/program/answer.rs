//! The answer of a program to the request for a divide, as far as it has been read.

use crate::text::DivideText;

/// The number of lines that an error quotes.
const QUOTED: usize = 3;

/// An answer, and the last lines that were not a part of it.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) text: DivideText,
    others: Vec<String>,
}

impl Answer {
    /// Reads a line, and returns whether it has a count.
    pub(super) fn read(&mut self, line: &str) -> bool {
        let is_count = self.text.read_line(line);
        if !is_count && !line.trim().is_empty() {
            if self.others.len() == QUOTED {
                self.others.remove(0);
            }
            self.others.push(format!("{:?}", line.trim()));
        }
        is_count
    }

    /// Says which lines were read, for an error about an answer without an end.
    pub(super) fn summary(&self) -> String {
        let counts = self.text.moves.len();
        match &self.others[..] {
            [] => format!("it printed {counts} counts and no sum."),
            lines => format!("it printed {counts} counts and no sum; the last other lines were {}.", lines.join(", ")),
        }
    }

    /// The last lines that were not a part of the answer, each in quotation marks.
    pub(super) fn others(&self) -> &[String] {
        &self.others
    }
}
