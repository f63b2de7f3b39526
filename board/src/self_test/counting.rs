//! The self-test of counting: published counts and counts of placements, with every way of counting.

use crate::{Backend, BackendError, Fen, Quad48, Rules, Successors, unwatched};

/// Positions and their leaves at some depths, as in an EPD suite. Positions with equal rules are adjacent.
///
/// The list has the six standard perft positions, one of Chess960, and placements, mostly random. They were chosen so
/// that four positions show each deliberate error in the kernels: sliders that miss a direction or wrap around the
/// board's edge; errors in each kind of pin, check, castling, promotion and en-passant capture; and errors in each
/// condition of the closed form. The standard positions alone miss one in six of these errors.
const KNOWN: &str = include_str!("counting.epd");

/// A position and its known counts.
struct KnownLeaves {
    line: &'static str,
    rules: Rules,
    position: Quad48,
    /// The leaves at depths 2 and 3, and at depth 4 if there are few.
    two: u64,
    three: u64,
    four: Option<u64>,
}

impl KnownLeaves {
    fn parse(line: &'static str) -> Option<Self> {
        let fen: Fen = line.split(" ;").next()?.parse().ok()?;
        let leaves = |depth: &str| line.split(" ;").find_map(|field| field.strip_prefix(depth)?.trim().parse().ok());
        let position = Quad48::from(&fen.position);
        Some(Self { line, rules: fen.rules, position, two: leaves("D2")?, three: leaves("D3")?, four: leaves("D4") })
    }
}

fn known() -> Vec<KnownLeaves> {
    KNOWN.lines().filter_map(KnownLeaves::parse).collect()
}

/// The way of counting that a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Count the leaves at this depth below each position.
    Perft(u32),
    /// Expand the positions, count the moves of each successor, and add up these counts for each position.
    Expand,
}

/// A question of the self-test: positions, a way of counting, and the known answers.
pub struct Question {
    /// The rules of all positions.
    pub rules: Rules,
    /// The positions.
    pub positions: Vec<Quad48>,
    /// The way of counting.
    pub way: Way,
    known: Vec<(&'static str, u64)>,
}

impl Question {
    fn new<'a>(
        way: Way,
        known: impl Iterator<Item = &'a KnownLeaves> + Clone,
        leaves: impl Fn(&KnownLeaves) -> u64,
    ) -> Self {
        Self {
            rules: known.clone().next().map_or(Rules::STANDARD, |known| known.rules),
            positions: known.clone().map(|known| known.position).collect(),
            way,
            known: known.map(|known| (known.line, leaves(known))).collect(),
        }
    }

    /// Compares the answers of a device with the known ones.
    ///
    /// # Errors
    /// [`BackendError::WrongAnswer`] for the first wrong answer.
    pub fn check(&self, device: &str, answers: &[u128]) -> Result<(), BackendError> {
        let what = match self.way {
            Way::Perft(depth) => format!("perft of depth {depth}"),
            Way::Expand => "the count of the successors' moves".to_owned(),
        };
        for (index, &(line, expected)) in self.known.iter().enumerate() {
            let found = answers.get(index).copied();
            if found != Some(u128::from(expected)) {
                let fen = line.split(" ;").next().unwrap_or_default();
                let found = found.map_or("nothing".to_owned(), |found| found.to_string());
                let reason = format!("{what} for \"{fen}\" is {expected}, and it found {found}.");
                return Err(BackendError::WrongAnswer { device: device.to_owned(), reason });
            }
        }
        Ok(())
    }

    /// Adds up the counts of the successors' moves for each position.
    pub fn sums(successors: &Successors, counts: &[u128]) -> Vec<u128> {
        let mut start = 0;
        let sum = |&end: &usize| {
            let sum = counts.get(start..end).unwrap_or_default().iter().sum();
            start = end;
            sum
        };
        successors.ends.iter().map(sum).collect()
    }
}

/// Returns the questions of the self-test of counting, for devices that cannot be asked through [`Backend`].
pub fn questions() -> Vec<Question> {
    let known = known();
    let groups = known.chunk_by(|a, b| a.rules == b.rules);
    let of_group = |group: &[KnownLeaves]| {
        [
            Question::new(Way::Perft(3), group.iter(), |known| known.three),
            Question::new(Way::Expand, group.iter(), |known| known.two),
            // The positions one ply deeper cover cases that arise only in deeper trees.
            Question::new(Way::Perft(4), group.iter().filter(|known| known.four.is_some()), |known| {
                known.four.unwrap_or(0)
            }),
        ]
    };
    groups.flat_map(of_group).collect()
}

/// Checks all of a backend's ways of counting against known counts. The check is short.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if a count is wrong, or the error that the backend reports.
pub fn counting<B: Backend + ?Sized>(backend: &mut B) -> Result<(), BackendError> {
    for question in questions() {
        let Question { rules, positions, way, .. } = &question;
        let answers = match *way {
            Way::Perft(depth) => backend.perft(rules, positions, depth, &mut unwatched)?,
            Way::Expand => {
                let successors = backend.expand(rules, positions)?;
                let counts = backend.perft(rules, &successors.positions, 1, &mut unwatched)?;
                Question::sums(&successors, &counts)
            }
        };
        question.check(&backend.info().name, &answers)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_used() {
        let known = known();
        assert_eq!(known.len(), KNOWN.lines().count());
        assert!(known.len() > 60 && known.iter().filter(|known| known.four.is_some()).count() > 15);
        // Few different rules make for large batches.
        assert_eq!(known.chunk_by(|a, b| a.rules == b.rules).count(), 4);
    }
}
