//! Published counts of the six standard perft positions: what is measured and what counters are held against.
//!
//! ```
//! let start = kogge_board::known::standard().remove(0);
//! assert_eq!((start.name, start.leaves(3)), ("startpos", Some(8902)));
//! ```

use crate::Fen;

/// The tables, whose origin `data/README.md` says.
const COUNTS: &str = include_str!("../../data/known-counts.tsv");
const RANDOM: &str = include_str!("../../data/random.epd");

/// A position and how many leaves lie below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// What it is called: `startpos`, `kiwipete`, or `pos3` to `pos6`.
    pub name: &'static str,
    /// The position.
    pub root: Fen,
    /// The leaves at depth 1, 2 and so on.
    leaves: Vec<u128>,
    /// To which depth more than one program has published them.
    confirmed: u32,
}

impl Known {
    /// The published number of leaves at a depth, if there is one.
    pub fn leaves(&self, depth: u32) -> Option<u128> {
        let index = usize::try_from(depth).ok()?.checked_sub(1)?;
        self.leaves.get(index).copied()
    }

    /// The greatest depth to which unrelated programs have published the same numbers.
    pub fn confirmed(&self) -> u32 {
        self.confirmed
    }

    /// The greatest of these depths with at most so many leaves; 0 if there is none.
    pub fn depth_within(&self, leaves: u128) -> u32 {
        (1..=self.confirmed).rev().find(|&depth| self.leaves(depth) <= Some(leaves)).unwrap_or(0)
    }
}

/// The six positions, the start position first.
pub fn standard() -> Vec<Known> {
    let mut standard: Vec<Known> = Vec::new();
    for (name, fen, depth, leaves, evidence) in COUNTS.lines().filter_map(row) {
        if standard.last().is_none_or(|last| last.name != name) {
            let Ok(root) = fen.parse() else { continue };
            standard.push(Known { name, root, leaves: Vec::new(), confirmed: 0 });
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

/// A line of the table: name, FEN, depth, leaves, and by how many programs they were published.
fn row(line: &'static str) -> Option<(&'static str, &'static str, u32, u128, &'static str)> {
    let mut fields = line.split('\t');
    let (name, fen) = (fields.next()?, fields.next()?);
    Some((name, fen, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?, fields.next()?))
}

/// A thousand random positions, from bare kings to boards full of queens: what packing is measured with.
pub fn random() -> Vec<Fen> {
    RANDOM.lines().filter_map(|line| line.split(';').next()?.trim().parse().ok()).collect()
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
        assert_eq!(random().len(), RANDOM.lines().count());
    }

    #[test]
    fn leaves_are_those_of_the_depth() {
        let kiwipete = &standard()[1];
        assert_eq!(kiwipete.leaves(0), None);
        assert_eq!((kiwipete.leaves(1), kiwipete.leaves(5)), (Some(48), Some(193_690_690)));
        assert_eq!(kiwipete.leaves(u32::MAX), None);
        // At depth 8 there is a single publication.
        assert_eq!(kiwipete.confirmed(), 7);
        assert!(kiwipete.leaves(8).is_some());
    }

    #[test]
    fn depths_are_chosen_by_leaves() {
        let start = &standard()[0];
        for (leaves, depth) in [(0, 0), (19, 0), (20, 1), (399, 1), (5_000_000, 5), (u128::MAX, 14)] {
            assert_eq!(start.depth_within(leaves), depth, "{leaves}");
        }
    }
}
