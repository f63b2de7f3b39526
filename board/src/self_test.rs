//! Whether a backend can be trusted: a few counts that everyone knows.

use crate::{Backend, BackendError, Fen, Quad48, Rules};

/// The six standard perft positions and one of Chess960, with their counts at depths 2 and 3.
const KNOWN: [(&str, u64, u64); 7] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 400, 8902),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2039, 97862),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 191, 2812),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 264, 9467),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 1486, 62379),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 2079, 89890),
    ("bqnr1kr1/pppppp1p/6p1/5n2/4B3/3N2PP/PbPPPP2/BQNR1KR1 w GDgd - 2 9", 1132, 36559),
];

/// Checks a backend against counts that are known beforehand, by all its ways of counting. It takes a moment.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if one is wrong, or what the backend reports.
pub fn self_test(backend: &mut impl Backend) -> Result<(), BackendError> {
    for group in KNOWN.chunk_by(|(a, ..), (b, ..)| rules_of(a) == rules_of(b)) {
        let fens: Vec<Fen> = group.iter().filter_map(|(fen, ..)| fen.parse().ok()).collect();
        let Some(rules) = fens.first().map(|fen| fen.rules) else { continue };
        let positions: Vec<Quad48> = fens.iter().map(|fen| Quad48::from(&fen.position)).collect();

        let leaves = backend.perft(&rules, &positions, 3)?;
        for ((fen, _, expected), found) in group.iter().zip(leaves) {
            check(backend, "perft of depth 3", fen, *expected, found)?;
        }
        // The other way there: make all successors here, and count the moves of each.
        let successors = backend.expand(&rules, &positions)?;
        let counts = backend.count(&rules, &successors.positions)?;
        let mut start = 0;
        for ((fen, expected, _), &end) in group.iter().zip(&successors.ends) {
            let found = counts.get(start..end).unwrap_or_default().iter().map(|&count| u64::from(count)).sum();
            check(backend, "the count of the successors' moves", fen, *expected, found)?;
            start = end;
        }
    }
    Ok(())
}

fn rules_of(fen: &str) -> Option<Rules> {
    fen.parse().ok().map(|fen: Fen| fen.rules)
}

fn check(backend: &impl Backend, what: &str, fen: &str, expected: u64, found: u64) -> Result<(), BackendError> {
    if expected == found {
        return Ok(());
    }
    let reason = format!("{what} for \"{fen}\" is {expected}, and it found {found}.");
    Err(BackendError::WrongAnswer { device: backend.info().name.clone(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceInfo, DeviceKind, Successors};

    /// Answers from the table, now and then with an error in one place.
    struct Scripted {
        info: DeviceInfo,
        wrong_leaf: bool,
        wrong_count: bool,
    }

    impl Scripted {
        fn new(wrong_leaf: bool, wrong_count: bool) -> Self {
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
            Self { info, wrong_leaf, wrong_count }
        }
    }

    fn known(position: &Quad48) -> (u64, u64) {
        let mut all = KNOWN.iter().map(|(fen, two, three)| (fen.parse::<Fen>().unwrap(), *two, *three));
        let found = all.find(|(fen, ..)| Quad48::from(&fen.position) == *position);
        found.map(|(_, two, three)| (two, three)).unwrap()
    }

    impl Backend for Scripted {
        fn info(&self) -> &DeviceInfo {
            &self.info
        }

        /// What `expand` has put into the word `white`.
        fn count(&mut self, _: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
            Ok(positions.iter().map(|position| position.white as u32).collect())
        }

        fn expand(&mut self, _: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
            let more = u64::from(self.wrong_count);
            let counts = positions.iter().map(|position| known(position).0 + more);
            let positions: Vec<_> = counts.map(|white| Quad48 { white, ..Quad48::default() }).collect();
            Ok(Successors { ends: (1..=positions.len()).collect(), positions })
        }

        fn perft(&mut self, _: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
            assert_eq!(depth, 3);
            Ok(positions.iter().map(|position| known(position).1 - u64::from(self.wrong_leaf)).collect())
        }
    }

    #[test]
    fn right_answers_pass_and_wrong_ones_name_the_device() {
        assert_eq!(self_test(&mut Scripted::new(false, false)), Ok(()));
        for (wrong_leaf, wrong_count, number) in [(true, false, "8901"), (false, true, "401")] {
            let error = self_test(&mut Scripted::new(wrong_leaf, wrong_count)).unwrap_err();
            assert!(matches!(&error, BackendError::WrongAnswer { device, .. } if device == "scripted"), "{error}");
            assert!(error.to_string().contains(number), "{error}");
        }
    }

    #[test]
    fn known_positions_are_positions() {
        assert!(KNOWN.iter().all(|(fen, ..)| rules_of(fen).is_some()));
    }
}
