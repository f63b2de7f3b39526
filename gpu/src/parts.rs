//! Cutting a level into parts of whole blocks.

use std::ops::Range;

/// Consecutive positions of a level whose moves fit in the buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// The positions; the first one is the first of a block.
    pub(crate) positions: Range<usize>,
    /// The number of their moves.
    pub(crate) moves: usize,
}

/// Returns the exclusive sums, modulo 2^32, of block sums.
pub(crate) fn bases(sums: &[u32]) -> Vec<u32> {
    let exclusive = sums.iter().scan(0_u32, |base, &sum| {
        let before = *base;
        *base = base.wrapping_add(sum);
        Some(before)
    });
    exclusive.collect()
}

/// A level that is cut into parts of whole blocks, one after the other.
pub(crate) struct Cut {
    /// The number of moves of each block.
    sums: Vec<u32>,
    /// The number of positions.
    len: usize,
    /// The number of positions in a block.
    block: usize,
    /// The first block that is not in a part yet.
    next: usize,
    /// The numbers of moves of these blocks.
    moves: usize,
}

impl Cut {
    pub(crate) fn new(sums: Vec<u32>, len: usize, block: usize, next: usize) -> Self {
        let moves = sums.iter().skip(next).map(|&sum| sum as usize).sum();
        Self { sums, len, block, next, moves }
    }

    /// Cuts off a part with at most `most` moves; a single block may have more. If `most` stays the same, all parts have
    /// about the same size.
    pub(crate) fn next(&mut self, most: usize) -> Option<Part> {
        let first = self.next;
        if first >= self.sums.len() {
            return None;
        }
        // Parts of equal size keep the device equally busy from start to end.
        let fair = self.moves.div_ceil(self.moves.div_ceil(most.max(1)).max(1)).max(1);
        let mut moves = 0;
        while let Some(&sum) = self.sums.get(self.next) {
            if self.next > first && (moves >= fair || moves + sum as usize > most) {
                break;
            }
            moves += sum as usize;
            self.next += 1;
        }
        self.moves -= moves;
        Some(Part { positions: first * self.block..self.len.min(self.next * self.block), moves })
    }

    /// Cuts the rest into parts with at most `most` moves; some parts may have no moves.
    pub(crate) fn all(mut self, most: usize) -> impl Iterator<Item = Part> {
        std::iter::from_fn(move || self.next(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_wrap() {
        assert_eq!(bases(&[3, u32::MAX, 5]), [0, 3, 2]);
        assert!(bases(&[]).is_empty());
    }

    #[test]
    fn parts_are_whole_blocks_of_about_equal_size() {
        let parts = |sums: &[u32], len, next, most| {
            let parts = Cut::new(sums.to_vec(), len, 3, next).all(most);
            parts.map(|part| (part.positions, part.moves)).collect::<Vec<_>>()
        };
        let sums = [9, 0, 4, 4, 4, 12, 1];
        assert_eq!(parts(&sums, 20, 0, 12), [(0..6, 9), (6..15, 12), (15..18, 12), (18..20, 1)]);
        assert_eq!(parts(&sums, 20, 4, 12), [(12..15, 4), (15..18, 12), (18..20, 1)]);
        assert_eq!(parts(&sums, 20, 0, 100), [(0..20, 34)]);
        assert_eq!(parts(&[0, 0], 6, 0, 12), [(0..6, 0)]);
        assert_eq!(parts(&[], 0, 0, 12), []);
    }

    #[test]
    fn the_size_of_parts_may_change() {
        let mut cut = Cut::new(vec![5; 8], 24, 3, 0);
        assert_eq!(cut.next(1), Some(Part { positions: 0..3, moves: 5 }));
        assert_eq!(cut.next(10), Some(Part { positions: 3..9, moves: 10 }));
        assert_eq!(cut.next(100), Some(Part { positions: 9..24, moves: 25 }));
        assert_eq!(cut.next(100), None);
    }
}
