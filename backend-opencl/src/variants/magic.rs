//! Magic bitboards: lookups of a rook's or bishop's attacks by the pieces on its lines.
//!
//! The pieces on the lines are multiplied by the square's magic number. The highest bits of the product are an index
//! into the table of attacks; different attacks never have the same index. Finding the numbers takes a few
//! milliseconds, and the search always finds the same ones.

use kogge_gpu::lines::{self, Lines};

/// A slider that moves along files and ranks or along diagonals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slider {
    Rook,
    Bishop,
}

/// One square's part of the table of attacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Magic {
    /// The factor of the pieces in the way.
    pub(crate) factor: u64,
    /// The distance by which the product is shifted right.
    pub(crate) shift: u32,
    /// The attacks for each index.
    pub(crate) attacks: Vec<u64>,
    /// The number of factors that were tried.
    #[cfg(test)]
    attempts: u32,
}

/// Files a and h, and ranks 1 and 8.
const SIDES: [u64; 2] = [0x8181_8181_8181_8181, 0xff00_0000_0000_00ff];

impl Slider {
    pub(crate) fn lines(self, lines: &Lines) -> [u64; 2] {
        let [file, rank, diagonal, antidiagonal, ..] = *lines;
        match self {
            Self::Rook => [file, rank],
            Self::Bishop => [diagonal, antidiagonal],
        }
    }

    /// Returns the squares where a piece hides others. A piece at the end of a line hides nothing.
    pub(crate) fn mask(self, lines: &Lines) -> u64 {
        let [files, ranks] = SIDES;
        match (self, self.lines(lines)) {
            (Self::Rook, [file, rank]) => (file & !ranks) | (rank & !files),
            (Self::Bishop, [diagonal, antidiagonal]) => (diagonal | antidiagonal) & !files & !ranks,
        }
    }

    pub(crate) fn attacks(self, lines: &Lines, square: u32, occupied: u64) -> u64 {
        let piece = 1_u64 << square;
        let along = |line: u64| {
            let blockers = occupied & line;
            let up = blockers.wrapping_sub(piece << 1);
            let down = blockers.reverse_bits().wrapping_sub(piece.reverse_bits() << 1).reverse_bits();
            (up ^ down) & line
        };
        let [one, other] = self.lines(lines).map(along);
        one | other
    }
}

/// Random numbers with few bits set. Such numbers are more often magic.
struct Sparse(u64);

impl Sparse {
    fn next(&mut self) -> u64 {
        let mut random = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        };
        random() & random() & random()
    }
}

/// Finds a square's magic number and attacks.
pub(crate) fn magic(slider: Slider, lines: &Lines, square: u32) -> Magic {
    let mask = slider.mask(lines);
    let len = 1_usize << mask.count_ones();
    let shift = 64 - mask.count_ones();
    let mut all = Vec::with_capacity(len);
    let mut occupied = 0_u64;
    loop {
        all.push((occupied, slider.attacks(lines, square, occupied)));
        // The next subset of the mask, in the order of their numbers.
        occupied = occupied.wrapping_sub(mask) & mask;
        if occupied == 0 {
            break;
        }
    }
    let seed = SEEDS[slider as usize][square as usize];
    let mut random = Sparse(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut attacks = vec![0_u64; len];
    // The number of the attempt that wrote each entry, so that entries need not be cleared.
    let mut written = vec![0_u32; len];
    for attempt in 1.. {
        let factor = random.next();
        // With few bits at the top, a factor is hardly ever magic.
        if (mask.wrapping_mul(factor) >> 56).count_ones() < 6 {
            continue;
        }
        let fits = all.iter().all(|&(occupied, seen)| {
            let index = (occupied.wrapping_mul(factor) >> shift) as usize;
            let free = written[index] != attempt;
            if free {
                written[index] = attempt;
                attacks[index] = seen;
            }
            free || attacks[index] == seen
        });
        if fits {
            return Magic {
                factor,
                shift,
                attacks,
                #[cfg(test)]
                attempts: attempt,
            };
        }
    }
    unreachable!("every square has magic numbers, and the search finds the same ones each time")
}

/// The seeds of the search for a rook and for a bishop on each square: the seed from 1 to 255 that finds a number
/// first. All squares together take 43,995 attempts; with one seed for all squares they would take ten million.
#[rustfmt::skip]
const SEEDS: [[u8; 64]; 2] = [
    [
        20, 208, 93, 239, 146, 107, 58, 202, 84, 81, 173, 69, 200, 207, 221, 77,
        245, 174, 100, 3, 188, 69, 236, 240, 163, 163, 199, 189, 6, 151, 21, 48,
        135, 118, 155, 189, 195, 68, 18, 42, 42, 130, 167, 138, 250, 34, 203, 198,
        17, 245, 197, 3, 203, 207, 228, 104, 56, 47, 97, 244, 229, 15, 206, 136,
    ],
    [
        23, 239, 89, 73, 102, 33, 27, 179, 236, 4, 84, 4, 140, 226, 240, 174,
        205, 23, 240, 22, 73, 230, 100, 223, 211, 92, 40, 49, 213, 115, 191, 177,
        225, 60, 29, 255, 168, 49, 61, 178, 149, 19, 56, 12, 123, 77, 112, 39,
        27, 11, 16, 199, 145, 34, 125, 239, 179, 174, 61, 72, 135, 64, 236, 23,
    ],
];

/// Returns the table of lines, followed by the magic lookups: for each square two pairs, a rook's and a bishop's, each
/// a magic number and the location of the attacks (the word's index in the table, with the shift in the upper half);
/// then the attacks.
pub(crate) fn table() -> Vec<[u64; 2]> {
    let (squares, mut table) = (lines::lines(), lines::table());
    let first = 2 * (table.len() + 2 * squares.len());
    let mut attacks: Vec<u64> = Vec::new();
    for (square, lines) in (0..).zip(&squares) {
        for slider in [Slider::Rook, Slider::Bishop] {
            let mut found = magic(slider, lines, square);
            table.push([found.factor, u64::from(found.shift) << 32 | (first + attacks.len()) as u64]);
            attacks.append(&mut found.attacks);
        }
    }
    // The number of words of each square is a power of two greater than one.
    table.extend_from_slice(attacks.as_chunks().0);
    table
}

#[cfg(test)]
mod tests {
    use kogge_gpu::lines::lines;

    use super::*;

    #[test]
    fn magics_point_into_the_table() {
        let table = table();
        assert_eq!(table.len(), 192 + 128 + (102_400 + 5_248) / 2);
        let words = table.as_flattened();
        let looked_up = |square: usize, slider: usize, occupied: u64| {
            let [factor, at] = table[192 + 2 * square + slider];
            words[at as u32 as usize + (occupied.wrapping_mul(factor) >> (at >> 32)) as usize]
        };
        // On an empty board, all squares of the lines are attacked.
        for (square, [file, rank, diagonal, antidiagonal, ..]) in lines().into_iter().enumerate() {
            assert_eq!(looked_up(square, 0, 0), file | rank);
            assert_eq!(looked_up(square, 1, 0), diagonal | antidiagonal);
        }
        // A rook on a1 and a piece on c1; a bishop on h8 and a piece on b2.
        assert_eq!(looked_up(0, 0, 4) & 0xff, 6);
        assert_eq!(looked_up(63, 1, 1 << 9), 0x0040_2010_0804_0200);
    }

    /// Walks square by square until a square is occupied or the board ends.
    fn walked(slider: Slider, square: u32, occupied: u64) -> u64 {
        let directions = match slider {
            Slider::Rook => [(0, 1), (0, -1), (1, 0), (-1, 0)],
            Slider::Bishop => [(1, 1), (1, -1), (-1, 1), (-1, -1)],
        };
        let mut attacks = 0;
        for (east, north) in directions {
            let (mut file, mut rank) = (square as i32 % 8 + east, square as i32 / 8 + north);
            while (0..8).contains(&file) && (0..8).contains(&rank) {
                let bit = 1 << (8 * rank + file);
                attacks |= bit;
                if occupied & bit != 0 {
                    break;
                }
                (file, rank) = (file + east, rank + north);
            }
        }
        attacks
    }

    #[test]
    fn every_square_has_the_right_attacks() {
        let lines = lines();
        let mut random = Sparse(1);
        let (mut entries, mut attempts) = (0, 0);
        for slider in [Slider::Rook, Slider::Bishop] {
            for (square, lines) in (0..).zip(&lines) {
                let magic = magic(slider, lines, square);
                entries += magic.attacks.len();
                attempts += magic.attempts;
                for _ in 0..1000 {
                    let occupied = random.next() | random.next();
                    let index = ((occupied & slider.mask(lines)).wrapping_mul(magic.factor) >> magic.shift) as usize;
                    assert_eq!(magic.attacks[index], walked(slider, square, occupied), "{slider:?} on {square}");
                }
            }
        }
        assert_eq!(entries, 102_400 + 5_248);
        assert_eq!(attempts, 43_995);
    }
}
