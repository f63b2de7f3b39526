//! Frontiers: lists of positions with multiplicities.

use kogge_board::{Backend, Fen, Position, PositionError, Quad48, Rules, Tally};

use crate::Error;
use crate::calls::{EXPAND_AT_ONCE, expand};

/// A list of positions of one ply of a tree, each with its multiplicity.
///
/// For any frontier of a root, the number of leaves below the root is the sum over all entries of multiplicity times
/// the leaves below the entry. All positions are legal. Their halfmove clocks are zero, so that equal positions have
/// equal bytes; counting ignores the clock.
///
/// ```
/// use kogge_board::Fen;
/// use kogge_driver::Frontier;
/// let root = Frontier::of(&Fen::start());
/// assert_eq!((root.len(), root.ply(), root.total(&[20_u128])?), (1, 0, 20));
/// # Ok::<(), kogge_driver::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frontier {
    rules: Rules,
    ply: u32,
    positions: Vec<Quad48>,
    multiplicities: Vec<u128>,
}

impl Frontier {
    /// Returns the frontier with the root alone.
    pub fn of(root: &Fen) -> Self {
        let position = Quad48::from(&root.position).with_halfmove_clock(0);
        Self { rules: counting(root), ply: 0, positions: vec![position], multiplicities: vec![1] }
    }

    /// Returns a frontier of these entries, `ply` plies below its root.
    ///
    /// # Errors
    /// If a position is not legal under the rules: the error of the first such position.
    pub fn from_entries(
        rules: &Rules,
        ply: u32,
        entries: impl IntoIterator<Item = (Position, u128)>,
    ) -> Result<Self, PositionError> {
        let rules = rules.with_halfmove_clock(false);
        let mut frontier = Self { rules, ply, positions: Vec::new(), multiplicities: Vec::new() };
        for (position, multiplicity) in entries {
            position.check(&rules)?;
            frontier.positions.push(Quad48::from(&position).with_halfmove_clock(0));
            frontier.multiplicities.push(multiplicity);
        }
        Ok(frontier)
    }

    /// The rules that all positions share, with the halfmove clock off.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The number of plies from the root to the positions.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The positions.
    pub fn positions(&self) -> &[Quad48] {
        &self.positions
    }

    /// The number of paths to each position.
    pub fn multiplicities(&self) -> &[u128] {
        &self.multiplicities
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns whether there are no entries, because every game ended before this ply.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the frontier one ply deeper, in generation order.
    ///
    /// # Errors
    /// If the backend fails.
    pub fn expand(&self, backend: &mut dyn Backend) -> Result<Self, Error> {
        let mut deeper =
            Self { rules: self.rules, ply: self.ply + 1, positions: Vec::new(), multiplicities: Vec::new() };
        let entries = self.positions.chunks(EXPAND_AT_ONCE).zip(self.multiplicities.chunks(EXPAND_AT_ONCE));
        for (positions, multiplicities) in entries {
            let successors = expand(backend, &self.rules, positions)?;
            for (children, &multiplicity) in successors.iter().zip(multiplicities) {
                deeper.multiplicities.resize(deeper.multiplicities.len() + children.len(), multiplicity);
            }
            deeper.positions.extend_from_slice(&successors.positions);
        }
        Ok(deeper)
    }

    /// Merges equal positions into one entry with the sum of their multiplicities, and sorts entries by their bytes.
    /// Positions are equal if all 48 bytes are.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a multiplicity exceeds 128 bits.
    pub fn merge(&self) -> Result<Self, Error> {
        let mut entries: Vec<_> = self.positions.iter().copied().zip(self.multiplicities.iter().copied()).collect();
        entries.sort_unstable();
        let mut merged = Self { positions: Vec::new(), multiplicities: Vec::new(), ..*self };
        for (position, multiplicity) in entries {
            match (merged.positions.last(), merged.multiplicities.last_mut()) {
                (Some(last), Some(sum)) if *last == position => {
                    *sum = sum.checked_add(multiplicity).ok_or(Error::Overflow)?;
                }
                _ => {
                    merged.positions.push(position);
                    merged.multiplicities.push(multiplicity);
                }
            }
        }
        Ok(merged)
    }

    /// Returns the sum of multiplicity times count over all entries; `counts` holds one count per entry.
    ///
    /// # Errors
    /// [`Error::Overflow`] if it exceeds 128 bits.
    ///
    /// # Panics
    /// If the number of counts differs from the number of entries.
    pub fn total<T: Tally>(&self, counts: &[T]) -> Result<T, Error> {
        assert_eq!(counts.len(), self.len(), "one count for each entry");
        counts.iter().zip(&self.multiplicities).try_fold(T::default(), |sum, (count, &multiplicity)| {
            count.times(multiplicity).and_then(|product| sum.plus(&product)).ok_or(Error::Overflow)
        })
    }
}

/// Returns the rules for counting the tree of a root: without a halfmove clock.
pub(crate) fn counting(root: &Fen) -> Rules {
    root.rules.with_halfmove_clock(false)
}
