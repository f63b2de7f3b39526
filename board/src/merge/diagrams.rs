//! Distinct diagrams: positions without castling rights and en passant.

use super::{MergeError, hashes};
use crate::Planes32;

/// The bytes of memory that a [`DiagramPart`] takes for each diagram, at most.
pub const DIAGRAM_BYTES: u64 = 64;

/// The maximum fill of a table.
const FILL: f64 = 0.75;

/// Some diagrams of a ply, each once: all whose second [hash](hashes) falls into one of several equal parts.
///
/// The diagrams of a ply need nearly as much memory as its positions. Counting in parts, one after the other, needs less. All
/// squares are compared, so the number of diagrams does not depend on the hash.
///
/// ```
/// use kogge_board::merge::DiagramPart;
/// use kogge_board::{Fen, Planes32};
///
/// let mut diagrams = DiagramPart::new(0, 1, 10)?;
/// for castling in ["KQkq", "Kq", "-"] {
///     let fen: Fen = format!("r3k2r/8/8/8/8/8/8/R3K2R w {castling} - 0 1").parse()?;
///     diagrams.add(&Planes32::pack(&fen.rules, &fen.position))?;
/// }
/// assert_eq!(diagrams.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DiagramPart {
    part: u32,
    parts: u32,
    /// Diagrams in the slot of their hash or after it, with no empty slot in between. An empty slot is zero, which is not a
    /// diagram.
    slots: Vec<Planes32>,
    len: usize,
}

impl DiagramPart {
    /// Makes a table for part number `part` of `parts`, counted from 0. `expected` is the number of diagrams in all parts
    /// together; with more, the table grows.
    ///
    /// # Errors
    /// [`MergeError::Full`] if there is no memory for the table.
    pub fn new(part: u32, parts: u32, expected: u64) -> Result<Self, MergeError> {
        // Parts differ a little in size.
        let share = 1.02 * expected as f64 / f64::from(parts.max(1)) + 64.0;
        let slots = vacant((share / FILL) as usize)?;
        Ok(Self { part, parts, slots, len: 0 })
    }

    /// Adds the diagram of a position, if it belongs to this part and is new.
    ///
    /// # Errors
    /// [`MergeError::Full`] if the table must grow and there is no memory.
    #[inline]
    pub fn add(&mut self, position: &Planes32) -> Result<(), MergeError> {
        let diagram = diagram(position);
        let [place, share] = hashes(&diagram);
        if ((u64::from(share) * u64::from(self.parts)) >> 32) as u32 != self.part {
            return Ok(());
        }
        if self.len as f64 >= FILL * self.slots.len() as f64 {
            self.grow()?;
        }
        let slot = find(&self.slots, &diagram, place);
        if self.slots[slot] != diagram {
            self.slots[slot] = diagram;
            self.len += 1;
        }
        Ok(())
    }

    /// Returns the number of distinct diagrams.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no diagrams.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[cold]
    fn grow(&mut self) -> Result<(), MergeError> {
        let mut slots = vacant(self.slots.len() + self.slots.len() / 4 + 16)?;
        for diagram in self.slots.drain(..).filter(|diagram| *diagram != Planes32::default()) {
            let slot = find(&slots, &diagram, hashes(&diagram)[0]);
            slots[slot] = diagram;
        }
        self.slots = slots;
        Ok(())
    }
}

const fn diagram(position: &Planes32) -> Planes32 {
    let &Planes32 { codes: [a, b, c], own } = position;
    // The code 7 is a rook that may castle, the code 4 any other.
    let castling = a & b & c;
    Planes32 { codes: [a & !castling, b & !castling, c], own: own & (a | b | c) }
}

/// Returns the slot of a diagram: where it is, or the empty slot where it belongs.
fn find(slots: &[Planes32], diagram: &Planes32, hash: u32) -> usize {
    let mut slot = ((u64::from(hash) * slots.len() as u64) >> 32) as usize;
    while slots[slot] != *diagram && slots[slot] != Planes32::default() {
        slot = if slot + 1 == slots.len() { 0 } else { slot + 1 };
    }
    slot
}

fn vacant(len: usize) -> Result<Vec<Planes32>, MergeError> {
    let mut slots = Vec::new();
    slots.try_reserve_exact(len).map_err(|_| MergeError::Full)?;
    slots.resize(len, Planes32::default());
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_grows_and_parts_add_up() {
        let position = |index: u64| Planes32 { codes: [index + 1, 0, 0], own: 0 };
        for (parts, expected) in [(1, 0), (1, 5_000), (3, 100), (7, 5_000)] {
            let mut sum = 0;
            for part in 0..parts {
                let mut diagrams = DiagramPart::new(part, parts, expected).unwrap();
                assert!(diagrams.is_empty());
                for index in (0..5_000).chain(1_000..2_000) {
                    diagrams.add(&position(index)).unwrap();
                }
                assert!(parts == 1 || diagrams.len() < 5_000);
                sum += diagrams.len();
            }
            assert_eq!(sum, 5_000, "{parts} parts");
        }
    }

    #[test]
    fn castling_rooks_and_en_passant_make_no_difference_but_colours_and_kinds_do() {
        let rook = |code: u64, own| Planes32 { codes: [code & 1, code >> 1 & 1, code >> 2 & 1], own };
        let mut diagrams = DiagramPart::new(0, 1, 0).unwrap();
        for (position, len) in [
            (rook(7, 1), 1),
            (rook(4, 1), 1),
            (rook(4, 1 | 1 << 20), 1),
            (rook(4, 0), 2),
            (rook(7, 0), 2),
            (rook(6, 1), 3),
        ] {
            diagrams.add(&position).unwrap();
            assert_eq!(diagrams.len(), len, "{position:?}");
        }
    }

    #[test]
    fn a_table_takes_no_more_memory_than_is_said() {
        let expected = 1_000_000;
        let diagrams = DiagramPart::new(0, 1, expected).unwrap();
        assert!(diagrams.slots.capacity() as u64 * size_of::<Planes32>() as u64 <= DIAGRAM_BYTES * expected);
    }
}
