//! What is known of each square beforehand, and what the kernels look up of it.

use crate::magic::{Slider, magic};
use crate::options::Sliders;

/// The lines through a square and the leaps from it, without the square itself: file, rank, diagonal, antidiagonal,
/// king, knight.
pub(crate) type Lines = [u64; 6];

/// The lines of each square.
pub(crate) fn lines() -> [Lines; 64] {
    let mut lines = [[0; 6]; 64];
    for (from, boards) in lines.iter_mut().enumerate() {
        for to in (0..64).filter(|&to| to != from) {
            let (file, rank) = (to as i32 % 8 - from as i32 % 8, to as i32 / 8 - from as i32 / 8);
            let related = [
                file == 0,
                rank == 0,
                file == rank,
                file == -rank,
                file.abs() <= 1 && rank.abs() <= 1,
                file.abs() * rank.abs() == 2,
            ];
            for (board, related) in boards.iter_mut().zip(related) {
                *board |= u64::from(related) << to;
            }
        }
    }
    lines
}

/// The table that the kernels get, in pairs of words: [`lines`], three pairs a square; then, with [`Sliders::Magic`],
/// two pairs a square, a rook's and a bishop's, each a magic number and where to look (the word's index in the table,
/// and in the upper half the shift); then the attacks.
pub(crate) fn table(sliders: Sliders) -> Vec<[u64; 2]> {
    let lines = lines();
    let mut table: Vec<[u64; 2]> = lines.as_flattened().as_chunks().0.to_vec();
    if sliders != Sliders::Magic {
        return table;
    }
    let first = 2 * (table.len() + 2 * lines.len());
    let mut attacks: Vec<u64> = Vec::new();
    for (square, lines) in (0..).zip(&lines) {
        for slider in [Slider::Rook, Slider::Bishop] {
            let mut found = magic(slider, lines, square);
            table.push([found.factor, u64::from(found.shift) << 32 | (first + attacks.len()) as u64]);
            attacks.append(&mut found.attacks);
        }
    }
    // A power of two of words for each square, and no square has only one.
    table.extend_from_slice(attacks.as_chunks().0);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_corners_and_centre() {
        let lines = lines();
        let [file, rank, diagonal, antidiagonal, king, knight] = lines[0];
        assert_eq!([file, rank], [0x0101_0101_0101_0100, 0xfe]);
        assert_eq!([diagonal, antidiagonal], [0x8040_2010_0804_0200, 0]);
        assert_eq!([king, knight], [0x302, 0x2_0400]);
        assert_eq!(lines[28].map(u64::count_ones), [7, 7, 6, 7, 8, 8]);
    }

    #[test]
    fn magics_point_into_the_table() {
        assert_eq!(table(Sliders::Fill).len(), 192);
        let table = table(Sliders::Magic);
        assert_eq!(table.len(), 192 + 128 + (102_400 + 5_248) / 2);
        let words = table.as_flattened();
        let looked_up = |square: usize, slider: usize, occupied: u64| {
            let [factor, place] = table[192 + 2 * square + slider];
            words[place as u32 as usize + (occupied.wrapping_mul(factor) >> (place >> 32)) as usize]
        };
        // An empty board: everything on the lines is attacked.
        for (square, [file, rank, diagonal, antidiagonal, ..]) in lines().into_iter().enumerate() {
            assert_eq!(looked_up(square, 0, 0), file | rank);
            assert_eq!(looked_up(square, 1, 0), diagonal | antidiagonal);
        }
        // A rook on a1 and a piece on c1; a bishop on h8 and a piece on b2.
        assert_eq!(looked_up(0, 0, 4) & 0xff, 6);
        assert_eq!(looked_up(63, 1, 1 << 9), 0x0040_2010_0804_0200);
    }
}
