//! Kogge-Stone fills: all sliding attacks of a side with shifts and masks alone.
//!
//! A direction is the distance it adds to a square's index: +8 is one rank up, +1 one file towards
//! h. An occluded fill doubles its reach in every step (1, 2, 4 squares), so three steps cross the
//! board, however many sliders there are. The idea is known by the name of the Kogge-Stone adder,
//! which propagates carries the same way.

use kogge_board::bits::{NOT_FILE_A, NOT_FILE_H};

/// One rank up.
pub const NORTH: i32 = 8;
/// One rank down.
pub const SOUTH: i32 = -8;
/// One file towards h.
pub const EAST: i32 = 1;
/// One file towards a.
pub const WEST: i32 = -1;
/// Up and towards h.
pub const NORTH_EAST: i32 = 9;
/// Up and towards a.
pub const NORTH_WEST: i32 = 7;
/// Down and towards h.
pub const SOUTH_EAST: i32 = -7;
/// Down and towards a.
pub const SOUTH_WEST: i32 = -9;

/// All squares moved by `distance`, those that leave the board at the top or bottom dropped.
#[inline(always)]
pub const fn shift(board: u64, distance: i32) -> u64 {
    if distance >= 0 { board << distance } else { board >> -distance }
}

/// The squares where a king's step in this direction can land: all but the file that it would wrap to.
#[inline(always)]
pub const fn landing(direction: i32) -> u64 {
    match direction {
        EAST | NORTH_EAST | SOUTH_EAST => NOT_FILE_A,
        WEST | NORTH_WEST | SOUTH_WEST => NOT_FILE_H,
        _ => !0,
    }
}

/// All squares moved one king's step.
#[inline(always)]
pub const fn step<const DIRECTION: i32>(board: u64) -> u64 {
    shift(board, DIRECTION) & landing(DIRECTION)
}

/// The squares that sliders attack in one direction: empty ones and the first occupied one.
#[inline(always)]
pub const fn attacks<const DIRECTION: i32>(sliders: u64, empty: u64) -> u64 {
    let through1 = empty & landing(DIRECTION);
    let through2 = through1 & shift(through1, DIRECTION);
    let through4 = through2 & shift(through2, 2 * DIRECTION);
    let mut fill = sliders;
    fill |= through1 & shift(fill, DIRECTION);
    fill |= through2 & shift(fill, 2 * DIRECTION);
    fill |= through4 & shift(fill, 4 * DIRECTION);
    step::<DIRECTION>(fill)
}

/// The eight lines of attack of a set of sliders, each direction by itself.
///
/// In one direction every square is reached by at most one slider, which is why popcounts of these
/// sets add up to exact move counts.
#[derive(Clone, Copy, Debug)]
pub struct Rays {
    /// Upwards.
    pub north: u64,
    /// Downwards.
    pub south: u64,
    /// Towards file h.
    pub east: u64,
    /// Towards file a.
    pub west: u64,
    /// Upwards, towards file h.
    pub north_east: u64,
    /// Upwards, towards file a.
    pub north_west: u64,
    /// Downwards, towards file h.
    pub south_east: u64,
    /// Downwards, towards file a.
    pub south_west: u64,
}

impl Rays {
    /// Attacks of what slides along ranks and files and of what slides along diagonals.
    #[inline(always)]
    pub const fn of(orthogonal: u64, diagonal: u64, empty: u64) -> Self {
        Self {
            north: attacks::<NORTH>(orthogonal, empty),
            south: attacks::<SOUTH>(orthogonal, empty),
            east: attacks::<EAST>(orthogonal, empty),
            west: attacks::<WEST>(orthogonal, empty),
            north_east: attacks::<NORTH_EAST>(diagonal, empty),
            north_west: attacks::<NORTH_WEST>(diagonal, empty),
            south_east: attacks::<SOUTH_EAST>(diagonal, empty),
            south_west: attacks::<SOUTH_WEST>(diagonal, empty),
        }
    }

    /// Attacks along ranks and files.
    #[inline(always)]
    pub const fn orthogonal(&self) -> u64 {
        self.north | self.south | self.east | self.west
    }

    /// Attacks along diagonals.
    #[inline(always)]
    pub const fn diagonal(&self) -> u64 {
        self.north_east | self.north_west | self.south_east | self.south_west
    }
}

/// All squares that knights attack.
#[inline(always)]
pub const fn knight_attacks(knights: u64) -> u64 {
    let west1 = (knights >> 1) & NOT_FILE_H;
    let east1 = (knights << 1) & NOT_FILE_A;
    let west2 = (knights >> 2) & NOT_FILE_H & (NOT_FILE_H >> 1);
    let east2 = (knights << 2) & NOT_FILE_A & (NOT_FILE_A << 1);
    let near = west1 | east1;
    let far = west2 | east2;
    near << 16 | near >> 16 | far << 8 | far >> 8
}

/// The neighbours of a king (or of several), and its own square.
#[inline(always)]
pub const fn king_attacks(kings: u64) -> u64 {
    let row = kings | (kings << 1) & NOT_FILE_A | (kings >> 1) & NOT_FILE_H;
    row | row << 8 | row >> 8
}

/// The squares attacked by pawns that move up.
#[inline(always)]
pub const fn pawn_attacks_up(pawns: u64) -> u64 {
    step::<NORTH_EAST>(pawns) | step::<NORTH_WEST>(pawns)
}

/// The squares attacked by pawns that move down.
#[inline(always)]
pub const fn pawn_attacks_down(pawns: u64) -> u64 {
    step::<SOUTH_EAST>(pawns) | step::<SOUTH_WEST>(pawns)
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
                at = shift(at, direction) & landing(direction);
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
            let rays = Rays::of(sliders, sliders, empty);
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
        assert_eq!(knight_attacks(1), 1 << 17 | 1 << 10);
        assert_eq!(knight_attacks(1 << 63), 1 << 46 | 1 << 53);
        assert_eq!(king_attacks(1), 0x303);
        assert_eq!(king_attacks(1 << 7), 0xc0c0);
        assert_eq!(pawn_attacks_up(0x8100), 0x42_0000);
        assert_eq!(pawn_attacks_down(0x8100), 0x42);
    }
}
