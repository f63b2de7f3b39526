//! Published counts of the six standard perft positions and of two suites.
//!
//! ```
//! let start = kogge_board::known::standard().remove(0);
//! assert_eq!((start.name, start.leaves(3)), ("startpos", Some(8902)));
//! ```

use crate::fen::quote;
use crate::{Fen, FenError};

/// The tables; `data/README.md` of the repository names their origin.
const COUNTS: &str = include_str!("../data/known-counts.tsv");
const RANDOM: &str = include_str!("../data/random.epd");
const CHESS960: &str = include_str!("../data/chess960.epd");

/// A position and its published counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownCounts {
    /// The name: `startpos`, `kiwipete`, `pos3` to `pos6`, or its line in a suite.
    pub name: &'static str,
    /// The position.
    pub root: Fen,
    /// The number of leaves at depth 1, 2 and so on.
    leaves: Vec<u128>,
    /// The greatest depth whose count at least two programs have published.
    confirmed: u32,
}

impl KnownCounts {
    /// Returns the published number of leaves at a depth, if there is one.
    pub fn leaves(&self, depth: u32) -> Option<u128> {
        let index = usize::try_from(depth).ok()?.checked_sub(1)?;
        self.leaves.get(index).copied()
    }

    /// Iterates over the depths, from 1 on, and their published numbers of leaves.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u128)> {
        (1..).zip(self.leaves.iter().copied())
    }

    /// Reads a line of an EPD suite: a FEN, then ` ;D1 20 ;D2 400` and so on.
    fn from_epd(line: &'static str) -> Option<Self> {
        let mut fields = line.split(';');
        let root = fields.next()?.trim().parse().ok()?;
        let counts = fields.map_while(|field| field.trim().split_once(' '));
        let leaves: Vec<u128> = counts.map_while(|(_, leaves)| leaves.trim().parse().ok()).collect();
        let confirmed = leaves.len() as u32;
        Some(Self { name: line, root, leaves, confirmed })
    }

    /// Returns the greatest depth at which unrelated programs have published equal counts.
    pub fn confirmed(&self) -> u32 {
        self.confirmed
    }

    /// Returns the greatest confirmed depth with at most `leaves` leaves; 0 if there is none.
    pub fn depth_within(&self, leaves: u128) -> u32 {
        (1..=self.confirmed).rev().find(|&depth| self.leaves(depth) <= Some(leaves)).unwrap_or(0)
    }
}

/// Returns the six standard positions, the start position first.
pub fn standard() -> Vec<KnownCounts> {
    let mut standard: Vec<KnownCounts> = Vec::new();
    for (name, fen, depth, leaves, evidence) in COUNTS.lines().filter_map(row) {
        if standard.last().is_none_or(|last| last.name != name) {
            let Ok(root) = fen.parse() else { continue };
            standard.push(KnownCounts { name, root, leaves: Vec::new(), confirmed: 0 });
        }
        if let Some(known) = standard.last_mut()
            && known.leaves.len() + 1 == depth as usize
        {
            known.leaves.push(leaves);
            if evidence != "one" && known.confirmed + 1 == depth {
                known.confirmed = depth;
            }
        }
    }
    standard
}

/// A word of at least this many bytes cannot be meant as a name.
const LONG_NAME: usize = 20;

/// Reads a FEN, or the name of a standard position such as `kiwipete`.
///
/// ```
/// assert_eq!(kogge_board::known::root("startpos"), Ok(kogge_board::Fen::start()));
/// ```
///
/// # Errors
/// If the text is neither.
pub fn root(text: &str) -> Result<Fen, FenError> {
    text.parse().or_else(|error| {
        let (text, standard) = (text.trim(), standard());
        match standard.iter().find(|known| known.name.eq_ignore_ascii_case(text)) {
            Some(known) => Ok(known.root),
            None if error == FenError::Fields(1) && text.len() < LONG_NAME && !text.contains('/') => {
                let names: Vec<_> = standard.iter().map(|known| known.name).collect();
                Err(FenError::Name { text: quote(text), names: names.join(", ") })
            }
            None => Err(error),
        }
    })
}

/// Splits a line of the table: name, FEN, depth, leaves, and the number of programs that have published the count.
fn row(line: &'static str) -> Option<(&'static str, &'static str, u32, u128, &'static str)> {
    let mut fields = line.split('\t');
    let (name, fen) = (fields.next()?, fields.next()?);
    Some((name, fen, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?, fields.next()?))
}

/// Returns a thousand random positions, from bare kings to boards full of queens.
pub fn random() -> Vec<KnownCounts> {
    RANDOM.lines().filter_map(KnownCounts::from_epd).collect()
}

/// Returns the start positions of Chess960 suites.
pub fn chess960() -> Vec<KnownCounts> {
    CHESS960.lines().filter_map(KnownCounts::from_epd).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::START;

    #[test]
    fn every_row_is_used() {
        let standard = standard();
        let names: Vec<_> = standard.iter().map(|known| known.name).collect();
        assert_eq!(names, ["startpos", "kiwipete", "pos3", "pos4", "pos5", "pos6"]);
        assert_eq!(standard[0].root.to_string(), START);
        let rows = COUNTS.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(standard.iter().map(|known| known.leaves.len()).sum::<usize>(), rows);
        for (suite, text) in [(random(), RANDOM), (chess960(), CHESS960)] {
            assert_eq!(suite.len(), text.lines().count());
            for known in suite {
                assert_eq!(known.counts().count(), known.name.matches(";D").count(), "{}", known.name);
            }
        }
    }

    #[test]
    fn a_root_is_a_name_or_a_fen() {
        for known in standard() {
            assert_eq!(root(known.name), Ok(known.root));
            assert_eq!(root(&known.root.to_string()), Ok(known.root));
        }
        assert_eq!(root(" Kiwipete "), root("kiwipete"));
        assert!(matches!(root("pos7"), Err(FenError::Name { .. })));
        assert_eq!(root("8/8/8"), Err(FenError::Fields(1)));
        assert_eq!(root(""), Err(FenError::Empty));
    }

    #[test]
    fn leaves_are_those_of_the_depth() {
        let kiwipete = &standard()[1];
        assert_eq!(kiwipete.leaves(0), None);
        assert_eq!((kiwipete.leaves(1), kiwipete.leaves(5)), (Some(48), Some(193_690_690)));
        assert_eq!(kiwipete.leaves(u32::MAX), None);
        assert_eq!(kiwipete.confirmed(), 9);
        assert!(kiwipete.leaves(10).is_some());
        // The count of the start position at depth 15 has a single publication, too.
        let start = &standard()[0];
        assert_eq!(start.confirmed(), 14);
        assert!(start.leaves(15).is_some());
    }

    #[test]
    fn depths_are_chosen_by_leaves() {
        let start = &standard()[0];
        for (leaves, depth) in [(0, 0), (19, 0), (20, 1), (399, 1), (5_000_000, 5), (u128::MAX, 14)] {
            assert_eq!(start.depth_within(leaves), depth, "{leaves}");
        }
    }
}
