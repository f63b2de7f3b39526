//! Kogge-Stone fills: all sliding attacks of a side with shifts and masks alone.
//!
//! A direction is the distance it adds to a square's index: +8 is one rank up, +1 one file towards
//! h. An occluded fill doubles its reach in every step (1, 2, 4 squares), so three steps cross the
//! board, however many sliders there are. The idea is known by the name of the Kogge-Stone adder,
//! which propagates carries the same way.

use kogge_board::bits::{NOT_FILE_A, NOT_FILE_H};

use crate::word::Word;

/// One rank up.
pub(crate) const NORTH: i32 = 8;
/// One rank down.
pub(crate) const SOUTH: i32 = -8;
/// One file towards h.
pub(crate) const EAST: i32 = 1;
/// One file towards a.
pub(crate) const WEST: i32 = -1;
/// Up and towards h.
pub(crate) const NORTH_EAST: i32 = 9;
/// Up and towards a.
pub(crate) const NORTH_WEST: i32 = 7;
/// Down and towards h.
pub(crate) const SOUTH_EAST: i32 = -7;
/// Down and towards a.
pub(crate) const SOUTH_WEST: i32 = -9;

/// The squares where a king's step in this direction can land: all but the file that it would wrap to.
#[inline(always)]
pub(crate) const fn landing(direction: i32) -> u64 {
    match direction {
        EAST | NORTH_EAST | SOUTH_EAST => NOT_FILE_A,
        WEST | NORTH_WEST | SOUTH_WEST => NOT_FILE_H,
        _ => !0,
    }
}

/// All squares moved one king's step.
#[inline(always)]
pub(crate) fn step<const DIRECTION: i32, W: Word>(board: W) -> W {
    board.shift::<DIRECTION>() & W::splat(landing(DIRECTION))
}

/// The squares through which something slides in one direction, for reaches of 1, 2 and 4 squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Through<W>([W; 3]);

macro_rules! slide {
    ($direction:ident, $through:ident, $attacks:ident) => {
        /// What lets pieces slide in this direction: the empty squares where a step may land.
        #[inline(always)]
        pub(crate) fn $through<W: Word>(empty: W) -> Through<W> {
            let one = empty & W::splat(landing($direction));
            let two = one & one.shift::<$direction>();
            let four = two & two.shift::<{ 2 * $direction }>();
            Through([one, two, four])
        }

        /// The squares that sliders attack in this direction: empty ones and the first occupied one.
        #[inline(always)]
        pub(crate) fn $attacks<W: Word>(sliders: W, &Through([one, two, four]): &Through<W>) -> W {
            let fill = sliders | one & sliders.shift::<$direction>();
            let fill = fill | two & fill.shift::<{ 2 * $direction }>();
            let fill = fill | four & fill.shift::<{ 4 * $direction }>();
            step::<$direction, W>(fill)
        }
    };
}

slide!(NORTH, through_north, attacks_north);
slide!(SOUTH, through_south, attacks_south);
slide!(EAST, through_east, attacks_east);
slide!(WEST, through_west, attacks_west);
slide!(NORTH_EAST, through_north_east, attacks_north_east);
slide!(NORTH_WEST, through_north_west, attacks_north_west);
slide!(SOUTH_EAST, through_south_east, attacks_south_east);
slide!(SOUTH_WEST, through_south_west, attacks_south_west);

/// What slides through a board, in all eight directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slides<W> {
    pub(crate) north: Through<W>,
    pub(crate) south: Through<W>,
    pub(crate) east: Through<W>,
    pub(crate) west: Through<W>,
    pub(crate) north_east: Through<W>,
    pub(crate) north_west: Through<W>,
    pub(crate) south_east: Through<W>,
    pub(crate) south_west: Through<W>,
}

impl<W: Word> Slides<W> {
    /// The board with these squares empty.
    #[inline(always)]
    pub(crate) fn new(empty: W) -> Self {
        Self {
            north: through_north(empty),
            south: through_south(empty),
            east: through_east(empty),
            west: through_west(empty),
            north_east: through_north_east(empty),
            north_west: through_north_west(empty),
            south_east: through_south_east(empty),
            south_west: through_south_west(empty),
        }
    }

    /// Attacks of eight sets of sliders, one for each direction.
    #[inline(always)]
    pub(crate) fn rays(&self, from: &Rays<W>) -> Rays<W> {
        Rays {
            north: attacks_north(from.north, &self.north),
            south: attacks_south(from.south, &self.south),
            east: attacks_east(from.east, &self.east),
            west: attacks_west(from.west, &self.west),
            north_east: attacks_north_east(from.north_east, &self.north_east),
            north_west: attacks_north_west(from.north_west, &self.north_west),
            south_east: attacks_south_east(from.south_east, &self.south_east),
            south_west: attacks_south_west(from.south_west, &self.south_west),
        }
    }

    /// Attacks of what slides along files and ranks and of what slides along diagonals.
    #[inline(always)]
    pub(crate) fn attacks(&self, orthogonal: W, diagonal: W) -> Rays<W> {
        self.rays(&Rays::from_axes([orthogonal, orthogonal, diagonal, diagonal]))
    }
}

/// Something for each of the eight directions: mostly what sliders attack.
///
/// In one direction every square is reached by at most one slider, which is why popcounts of these
/// sets add up to exact move counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rays<W> {
    pub(crate) north: W,
    pub(crate) south: W,
    pub(crate) east: W,
    pub(crate) west: W,
    pub(crate) north_east: W,
    pub(crate) north_west: W,
    pub(crate) south_east: W,
    pub(crate) south_west: W,
}

impl<W: Word> Rays<W> {
    /// The same for both directions of an axis: file, rank, a1-h8 diagonal, h1-a8 diagonal.
    #[inline(always)]
    pub(crate) fn from_axes([file, rank, diagonal, antidiagonal]: [W; 4]) -> Self {
        Self {
            north: file,
            south: file,
            east: rank,
            west: rank,
            north_east: diagonal,
            south_west: diagonal,
            north_west: antidiagonal,
            south_east: antidiagonal,
        }
    }

    /// North, south, east, west, north-east, north-west, south-east, south-west.
    #[inline(always)]
    pub(crate) fn all(&self) -> [W; 8] {
        [
            self.north,
            self.south,
            self.east,
            self.west,
            self.north_east,
            self.north_west,
            self.south_east,
            self.south_west,
        ]
    }

    /// Attacks along files and ranks.
    #[inline(always)]
    pub(crate) fn orthogonal(&self) -> W {
        (self.north | self.south) | (self.east | self.west)
    }

    /// Attacks along diagonals.
    #[inline(always)]
    pub(crate) fn diagonal(&self) -> W {
        (self.north_east | self.north_west) | (self.south_east | self.south_west)
    }

    /// These rays on some squares only.
    #[inline(always)]
    pub(crate) fn and(&self, squares: W) -> Self {
        Self {
            north: self.north & squares,
            south: self.south & squares,
            east: self.east & squares,
            west: self.west & squares,
            north_east: self.north_east & squares,
            north_west: self.north_west & squares,
            south_east: self.south_east & squares,
            south_west: self.south_west & squares,
        }
    }

    /// Where these rays meet others that come the opposite way, for each axis.
    #[inline(always)]
    pub(crate) fn meeting(&self, other: &Self) -> [W; 4] {
        [
            self.north & other.south | self.south & other.north,
            self.east & other.west | self.west & other.east,
            self.north_east & other.south_west | self.south_west & other.north_east,
            self.north_west & other.south_east | self.south_east & other.north_west,
        ]
    }
}

/// The eight leaps of knights, in generation order; in each, every square is reached by at most one.
#[inline(always)]
pub(crate) fn knight_leaps<W: Word>(knights: W) -> [W; 8] {
    let [west1, east1, west2, east2] = knight_files(knights);
    [
        east1.shift::<16>(),
        west1.shift::<16>(),
        east2.shift::<8>(),
        west2.shift::<8>(),
        east2.shift::<-8>(),
        west2.shift::<-8>(),
        east1.shift::<-16>(),
        west1.shift::<-16>(),
    ]
}

/// Knights moved one file west, one east, two west and two east.
#[inline(always)]
fn knight_files<W: Word>(knights: W) -> [W; 4] {
    [
        knights.shift::<-1>() & W::splat(NOT_FILE_H),
        knights.shift::<1>() & W::splat(NOT_FILE_A),
        knights.shift::<-2>() & W::splat(NOT_FILE_H & (NOT_FILE_H >> 1)),
        knights.shift::<2>() & W::splat(NOT_FILE_A & (NOT_FILE_A << 1)),
    ]
}

/// All squares that knights attack.
#[inline(always)]
pub(crate) fn knight_attacks<W: Word>(knights: W) -> W {
    let [west1, east1, west2, east2] = knight_files(knights);
    let (near, far) = (west1 | east1, west2 | east2);
    (near.shift::<16>() | near.shift::<-16>()) | (far.shift::<8>() | far.shift::<-8>())
}

/// The neighbours of a king (or of several), and its own square.
#[inline(always)]
pub(crate) fn king_attacks<W: Word>(kings: W) -> W {
    let row = kings | step::<EAST, W>(kings) | step::<WEST, W>(kings);
    row | row.shift::<8>() | row.shift::<-8>()
}

/// The squares attacked by pawns that move up.
#[inline(always)]
pub(crate) fn pawn_attacks_up<W: Word>(pawns: W) -> W {
    step::<NORTH_EAST, W>(pawns) | step::<NORTH_WEST, W>(pawns)
}

/// The squares attacked by pawns that move down.
#[inline(always)]
pub(crate) fn pawn_attacks_down<W: Word>(pawns: W) -> W {
    step::<SOUTH_EAST, W>(pawns) | step::<SOUTH_WEST, W>(pawns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attacks in one direction, square by square.
    fn walk(sliders: u64, empty: u64, direction: i32) -> u64 {
        let mut reached = 0;
        for from in (0..64).filter(|from| sliders >> from & 1 != 0) {
            let mut at = 1_u64 << from;
            loop {
                at = if direction > 0 { at << direction } else { at >> -direction } & landing(direction);
                reached |= at;
                if at & empty == 0 {
                    break;
                }
            }
        }
        reached
    }

    #[test]
    fn fills_agree_with_walking() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random ^ random >> 29
        };
        for _ in 0..2000 {
            let (sliders, occupied) = (next() & next() & next(), next() & next());
            let empty = !(sliders | occupied);
            let rays = Slides::new(empty).attacks(sliders, sliders);
            for (found, direction) in [
                (rays.north, NORTH),
                (rays.south, SOUTH),
                (rays.east, EAST),
                (rays.west, WEST),
                (rays.north_east, NORTH_EAST),
                (rays.north_west, NORTH_WEST),
                (rays.south_east, SOUTH_EAST),
                (rays.south_west, SOUTH_WEST),
            ] {
                assert_eq!(found, walk(sliders, empty, direction), "{sliders:#x} {empty:#x} {direction}");
            }
        }
    }

    #[test]
    fn steppers_stay_on_the_board() {
        assert_eq!(knight_attacks(1_u64), 1 << 17 | 1 << 10);
        assert_eq!(knight_attacks(1_u64 << 63), 1 << 46 | 1 << 53);
        assert_eq!(king_attacks(1_u64), 0x303);
        assert_eq!(king_attacks(1_u64 << 7), 0xc0c0);
        assert_eq!(pawn_attacks_up(0x8100_u64), 0x42_0000);
        assert_eq!(pawn_attacks_down(0x8100_u64), 0x42);
    }
}
