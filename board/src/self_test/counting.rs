//! The self-test of counting: published counts and counts of placements, by every way of counting.

use crate::{Backend, BackendError, Fen, Quad48, Rules};

/// Positions and their leaves at some depths, as in an EPD suite. Positions with equal rules stand together.
///
/// The list has the six standard perft positions, one of Chess960, and placements, mostly random. They were chosen so
/// that four positions show each deliberate error in the kernels: sliders that miss a direction or wrap around the
/// board's edge; each kind of pin, check, castling, promotion and en-passant capture; each condition of the closed
/// form. The standard positions alone miss one in six of these errors.
const KNOWN: &str = include_str!("counting.epd");

/// A position and its known counts.
struct Known {
    line: &'static str,
    rules: Rules,
    position: Quad48,
    /// The leaves at depths 2 and 3, and at depth 4 if there are few.
    two: u64,
    three: u64,
    four: Option<u64>,
}

impl Known {
    fn parse(line: &'static str) -> Option<Self> {
        let fen: Fen = line.split(" ;").next()?.parse().ok()?;
        let leaves = |depth: &str| line.split(" ;").find_map(|field| field.strip_prefix(depth)?.trim().parse().ok());
        let position = Quad48::from(&fen.position);
        Some(Self { line, rules: fen.rules, position, two: leaves("D2")?, three: leaves("D3")?, four: leaves("D4") })
    }
}

fn known() -> Vec<Known> {
    KNOWN.lines().filter_map(Known::parse).collect()
}

/// Checks all of a backend's ways of counting against known counts. The check is short.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if a count is wrong, or the error that the backend reports.
pub fn counting(backend: &mut impl Backend) -> Result<(), BackendError> {
    for group in known().chunk_by(|a, b| a.rules == b.rules) {
        let Some(Known { rules, .. }) = group.first() else { continue };
        let positions: Vec<Quad48> = group.iter().map(|known| known.position).collect();
        let leaves = backend.perft(rules, &positions, 3)?;
        for (known, found) in group.iter().zip(leaves) {
            check(backend, "perft of depth 3", known, known.three, found)?;
        }
        // The second way: expand the positions and count the moves of each successor.
        let successors = backend.expand(rules, &positions)?;
        let counts = backend.count(rules, &successors.positions)?;
        let mut start = 0;
        for (known, &end) in group.iter().zip(&successors.ends) {
            let found = counts.get(start..end).unwrap_or_default().iter().map(|&count| u64::from(count)).sum();
            check(backend, "the count of the successors' moves", known, known.two, found)?;
            start = end;
        }
        // One ply deeper, for positions that arise only in deeper trees.
        let deeper: Vec<(&Known, u64)> = group.iter().filter_map(|known| Some((known, known.four?))).collect();
        let positions: Vec<Quad48> = deeper.iter().map(|(known, _)| known.position).collect();
        let leaves = backend.perft(rules, &positions, 4)?;
        for ((known, expected), found) in deeper.into_iter().zip(leaves) {
            check(backend, "perft of depth 4", known, expected, found)?;
        }
    }
    Ok(())
}

fn check(backend: &impl Backend, what: &str, known: &Known, expected: u64, found: u64) -> Result<(), BackendError> {
    if expected == found {
        return Ok(());
    }
    let fen = known.line.split(" ;").next().unwrap_or_default();
    let reason = format!("{what} for \"{fen}\" is {expected}, and it found {found}.");
    Err(BackendError::WrongAnswer { device: backend.info().name.clone(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceInfo, DeviceKind, Successors};

    /// A backend that answers from the table, optionally with an error in the counts or in the leaves at one depth.
    struct Scripted {
        info: DeviceInfo,
        wrong_depth: Option<u32>,
        wrong_count: bool,
    }

    impl Scripted {
        fn new(wrong_depth: Option<u32>, wrong_count: bool) -> Self {
            let text = || "scripted".to_owned();
            let info = DeviceInfo {
                backend: "scripted",
                name: text(),
                driver: text(),
                kind: DeviceKind::Other,
                memory: None,
                batch: 1,
                variant: text(),
            };
            Self { info, wrong_depth, wrong_count }
        }
    }

    fn found(position: &Quad48) -> Known {
        known().into_iter().find(|known| known.position == *position).unwrap()
    }

    impl Backend for Scripted {
        fn info(&self) -> &DeviceInfo {
            &self.info
        }

        /// Returns the number that `expand` has put into the word `white`.
        fn count(&mut self, _: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
            Ok(positions.iter().map(|position| position.white as u32).collect())
        }

        fn expand(&mut self, _: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
            let more = u64::from(self.wrong_count);
            let counts = positions.iter().map(|position| found(position).two + more);
            let positions: Vec<_> = counts.map(|white| Quad48 { white, ..Quad48::default() }).collect();
            Ok(Successors { ends: (1..=positions.len()).collect(), positions })
        }

        fn perft(&mut self, _: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
            let less = u64::from(self.wrong_depth == Some(depth));
            let leaves = |position| match depth {
                3 => found(position).three,
                _ => found(position).four.unwrap(),
            };
            Ok(positions.iter().map(|position| leaves(position) - less).collect())
        }

        crate::host_merge!();

        crate::host_minimax!();
    }

    #[test]
    fn right_answers_pass_and_wrong_ones_name_the_device() {
        assert_eq!(counting(&mut Scripted::new(None, false)), Ok(()));
        for (depth, count, word) in
            [(Some(3), false, "8901"), (None, true, "401"), (Some(4), false, "perft of depth 4")]
        {
            let error = counting(&mut Scripted::new(depth, count)).unwrap_err();
            assert!(matches!(&error, BackendError::WrongAnswer { device, .. } if device == "scripted"), "{error}");
            assert!(error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn every_line_is_used() {
        let known = known();
        assert_eq!(known.len(), KNOWN.lines().count());
        assert!(known.len() > 60 && known.iter().filter(|known| known.four.is_some()).count() > 15);
        // Few different rules keep batches large.
        assert_eq!(known.chunk_by(|a, b| a.rules == b.rules).count(), 4);
    }
}
