//! Magic numbers: where a table has the attacks of a rook or bishop among the pieces that may stand in its way.
//!
//! The product of those pieces with the square's magic number has, in its highest bits, an index at which no other
//! attacks are. The numbers are searched for when they are needed, which takes a few milliseconds; the search always
//! finds the same ones.

use crate::tables::Lines;

/// What a slider moves like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slider {
    Rook,
    Bishop,
}

/// One square's part of the table of attacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Magic {
    /// What the pieces in the way are multiplied by.
    pub(crate) factor: u64,
    /// By how much the product is shifted down.
    pub(crate) shift: u32,
    /// The attacks, at each index.
    pub(crate) attacks: Vec<u64>,
    /// How many numbers were tried.
    #[cfg(test)]
    attempts: u32,
}

/// Files a and h, and ranks 1 and 8.
const SIDES: [u64; 2] = [0x8181_8181_8181_8181, 0xff00_0000_0000_00ff];

impl Slider {
    /// The lines along which it moves from a square.
    pub(crate) fn lines(self, lines: &Lines) -> [u64; 2] {
        let [file, rank, diagonal, antidiagonal, ..] = *lines;
        match self {
            Self::Rook => [file, rank],
            Self::Bishop => [diagonal, antidiagonal],
        }
    }

    /// Where pieces may stand in its way: what stands at the end of a line hides nothing.
    pub(crate) fn mask(self, lines: &Lines) -> u64 {
        let [files, ranks] = SIDES;
        match (self, self.lines(lines)) {
            (Self::Rook, [file, rank]) => (file & !ranks) | (rank & !files),
            (Self::Bishop, [diagonal, antidiagonal]) => (diagonal | antidiagonal) & !files & !ranks,
        }
    }

    /// The squares that it attacks among these pieces.
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

/// Random numbers with few bits set, of which more are magic.
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

/// A square's magic number and attacks.
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
    // Which attempt wrote an entry: entries need not be cleared in between.
    let mut written = vec![0_u32; len];
    for attempt in 1.. {
        let factor = random.next();
        // Too few bits at the top: a waste of time.
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

/// Where the search begins for a rook and for a bishop on each square: those of the seeds from 1 to 255 that find a number
/// soonest, after 43,995 attempts for all squares together. With one seed for all it would be ten million.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::lines;

    /// Square by square until one is occupied or the board ends.
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
