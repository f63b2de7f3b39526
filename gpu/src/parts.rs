//! Cutting a level into parts of whole blocks.

use std::ops::Range;

/// Consecutive positions of a level whose moves fit in the buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// The positions, beginning with the first of a block.
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

/// Cuts a level of `len` positions into parts of whole blocks with at most `most` moves each, all of about equal size.
/// Leaves out parts without moves. A block never has more than `most` moves.
pub(crate) fn parts(sums: &[u32], len: usize, block: usize, most: usize) -> Vec<Part> {
    let mut parts = cut(sums, len, block, most);
    parts.retain(|part| part.moves > 0);
    parts
}

/// Cuts a level like [`parts`], but keeps the parts without moves.
pub(crate) fn cut(sums: &[u32], len: usize, block: usize, most: usize) -> Vec<Part> {
    let total: usize = sums.iter().map(|&sum| sum as usize).sum();
    // Parts of equal size keep the device as busy at the end as at the start.
    let fair = total.div_ceil(total.div_ceil(most.max(1)).max(1));
    let mut parts = Vec::new();
    let mut part = Part { positions: 0..0, moves: 0 };
    for (index, &sum) in sums.iter().enumerate() {
        let sum = sum as usize;
        if part.moves >= fair.max(1) || part.moves + sum > most {
            parts.push(part);
            part = Part { positions: index * block..index * block, moves: 0 };
        }
        part.positions.end = len.min((index + 1) * block);
        part.moves += sum;
    }
    parts.push(part);
    parts
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
        let sums = [9, 0, 4, 4, 4, 12, 1];
        let parts = parts(&sums, 20, 3, 12);
        let ranges: Vec<_> = parts.iter().map(|part| (part.positions.clone(), part.moves)).collect();
        assert_eq!(ranges, [(0..6, 9), (6..15, 12), (15..18, 12), (18..20, 1)]);
        assert!(super::parts(&[0, 0], 6, 3, 12).is_empty());
        assert_eq!(cut(&[0, 0], 6, 3, 12), [Part { positions: 0..6, moves: 0 }]);
    }
}
