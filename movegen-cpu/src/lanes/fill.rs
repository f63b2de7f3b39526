//! Kogge-Stone fills: all sliding attacks of a side with shifts and masks alone.
//!
//! A direction is the distance it adds to a square's index: +8 is one rank up, +1 one file towards h. An occluded fill
//! doubles its reach in every step (1, 2, 4 squares), so three steps cross the board for any number of sliders. The
//! Kogge-Stone adder propagates carries in the same way; hence the name.

use kogge_board::bits::{NOT_FILE_A, NOT_FILE_H};

use super::vector::Lanes;

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

/// Returns the squares where a king's step in this direction can land: all squares except a file where the step would wrap.
#[inline(always)]
pub(crate) const fn landing(direction: i32) -> u64 {
    match direction {
        EAST | NORTH_EAST | SOUTH_EAST => NOT_FILE_A,
        WEST | NORTH_WEST | SOUTH_WEST => NOT_FILE_H,
        _ => !0,
    }
}

/// Moves all squares by one king's step.
#[inline(always)]
pub(crate) fn step<const DIRECTION: i32, L: Lanes>(board: L) -> L {
    board.shift::<DIRECTION>() & L::splat(landing(DIRECTION))
}

/// The squares that sliders can pass in one direction, for reaches of 1, 2 and 4 squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Through<L>([L; 3]);

macro_rules! slide {
    ($direction:ident, $through:ident, $attacks:ident) => {
        /// Returns the squares that sliders can pass in this direction: the empty squares where a step may land.
        #[inline(always)]
        pub(crate) fn $through<L: Lanes>(empty: L) -> Through<L> {
            let one = empty & L::splat(landing($direction));
            let two = one & one.shift::<$direction>();
            let four = two & two.shift::<{ 2 * $direction }>();
            Through([one, two, four])
        }

        /// Returns the squares that sliders attack in this direction: the empty squares and the first occupied one.
        #[inline(always)]
        pub(crate) fn $attacks<L: Lanes>(sliders: L, &Through([one, two, four]): &Through<L>) -> L {
            let fill = sliders | one & sliders.shift::<$direction>();
            let fill = fill | two & fill.shift::<{ 2 * $direction }>();
            let fill = fill | four & fill.shift::<{ 4 * $direction }>();
            step::<$direction, L>(fill)
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

/// Defines the types and methods that need an entry for each direction.
macro_rules! directions {
    ($($direction:ident $through:ident $attacks:ident),*) => {
        /// The squares that sliders can pass on a board, in all eight directions.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Slides<L> {
            $(pub(crate) $direction: Through<L>,)*
        }

        /// A set of squares for each of the eight directions, mostly the squares that sliders attack.
        ///
        /// In each direction at most one slider reaches a square, so the popcounts of these sets sum to exact move counts.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Rays<L> {
            $(pub(crate) $direction: L,)*
        }

        impl<L: Lanes> Slides<L> {
            /// Prepares the board with these squares empty.
            #[inline(always)]
            pub(crate) fn new(empty: L) -> Self {
                Self { $($direction: $through(empty)),* }
            }

            /// Returns the attacks of eight sets of sliders, one for each direction.
            #[inline(always)]
            pub(crate) fn rays(&self, from: &Rays<L>) -> Rays<L> {
                Rays { $($direction: $attacks(from.$direction, &self.$direction)),* }
            }
        }

        impl<L: Lanes> Rays<L> {
            /// Returns the sets in the order of the directions.
            #[inline(always)]
            pub(crate) fn all(&self) -> [L; 8] {
                [$(self.$direction),*]
            }

            /// Restricts the rays to some squares.
            #[inline(always)]
            pub(crate) fn and(&self, squares: L) -> Self {
                Self { $($direction: self.$direction & squares),* }
            }
        }
    };
}

directions!(north through_north attacks_north, south through_south attacks_south, east through_east attacks_east,
    west through_west attacks_west, north_east through_north_east attacks_north_east,
    north_west through_north_west attacks_north_west, south_east through_south_east attacks_south_east,
    south_west through_south_west attacks_south_west);

impl<L: Lanes> Slides<L> {
    /// Returns the attacks of sliders along files and ranks and of sliders along diagonals.
    #[inline(always)]
    pub(crate) fn attacks(&self, orthogonal: L, diagonal: L) -> Rays<L> {
        self.rays(&Rays::from_axes([orthogonal, orthogonal, diagonal, diagonal]))
    }
}

impl<L: Lanes> Rays<L> {
    /// Returns rays with one set for both directions of each axis: file, rank, a1-h8 diagonal, h1-a8 diagonal.
    #[inline(always)]
    pub(crate) fn from_axes([file, rank, diagonal, antidiagonal]: [L; 4]) -> Self {
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

    #[inline(always)]
    pub(crate) fn orthogonal(&self) -> L {
        (self.north | self.south) | (self.east | self.west)
    }

    #[inline(always)]
    pub(crate) fn diagonal(&self) -> L {
        (self.north_east | self.north_west) | (self.south_east | self.south_west)
    }

    /// Returns the squares where these rays meet opposite rays of another set, for each axis.
    #[inline(always)]
    pub(crate) fn meeting(&self, other: &Self) -> [L; 4] {
        [
            self.north & other.south | self.south & other.north,
            self.east & other.west | self.west & other.east,
            self.north_east & other.south_west | self.south_west & other.north_east,
            self.north_west & other.south_east | self.south_east & other.north_west,
        ]
    }
}

/// Returns the targets of the eight leaps of knights, in generation order; each leap brings at most one knight to a square.
#[inline(always)]
pub(crate) fn knight_leaps<L: Lanes>(knights: L) -> [L; 8] {
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

/// Moves knights one file west, one file east, two files west and two files east.
#[inline(always)]
fn knight_files<L: Lanes>(knights: L) -> [L; 4] {
    [
        knights.shift::<-1>() & L::splat(NOT_FILE_H),
        knights.shift::<1>() & L::splat(NOT_FILE_A),
        knights.shift::<-2>() & L::splat(NOT_FILE_H & (NOT_FILE_H >> 1)),
        knights.shift::<2>() & L::splat(NOT_FILE_A & (NOT_FILE_A << 1)),
    ]
}

#[inline(always)]
pub(crate) fn knight_attacks<L: Lanes>(knights: L) -> L {
    let [west1, east1, west2, east2] = knight_files(knights);
    let (near, far) = (west1 | east1, west2 | east2);
    (near.shift::<16>() | near.shift::<-16>()) | (far.shift::<8>() | far.shift::<-8>())
}

/// Returns the squares of kings and their neighbours.
#[inline(always)]
pub(crate) fn king_attacks<L: Lanes>(kings: L) -> L {
    let row = kings | step::<EAST, L>(kings) | step::<WEST, L>(kings);
    row | row.shift::<8>() | row.shift::<-8>()
}

#[inline(always)]
pub(crate) fn pawn_attacks_up<L: Lanes>(pawns: L) -> L {
    step::<NORTH_EAST, L>(pawns) | step::<NORTH_WEST, L>(pawns)
}

#[inline(always)]
pub(crate) fn pawn_attacks_down<L: Lanes>(pawns: L) -> L {
    step::<SOUTH_EAST, L>(pawns) | step::<SOUTH_WEST, L>(pawns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the attacks in one direction, square by square.
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
