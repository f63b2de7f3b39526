//! Two lanes in a register of WebAssembly.

use std::arch::wasm32::*;

use kogge_board::evaluation::Boards;

use super::vector::{Lanes, MOST_LANES, operators};

/// Two boards. The type exists only in modules that are compiled for `simd128`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128(v128);

operators!(Simd128, v128_and, v128_or, v128_xor);

impl Boards for Simd128 {
    #[inline(always)]
    fn splat(board: u64) -> Self {
        Self(u64x2_splat(board))
    }

    #[inline(always)]
    fn shift<const DISTANCE: i32>(self) -> Self {
        let distance = DISTANCE.unsigned_abs();
        Self(if DISTANCE >= 0 { u64x2_shl(self.0, distance) } else { u64x2_shr(self.0, distance) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(u64x2_sub(self.0, other.0))
    }

    #[inline(always)]
    fn flip(self) -> Self {
        Self(u8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(self.0, self.0))
    }
}

impl Lanes for Simd128 {
    const LANES: usize = 2;

    #[inline(always)]
    fn load(boards: &[u64]) -> Self {
        let boards = &boards[..2];
        // SAFETY: the slice holds the two words that are read; the load needs no alignment.
        Self(unsafe { v128_load(boards.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, boards: &mut [u64; MOST_LANES]) {
        // SAFETY: the array holds more than the two words that are written; the store needs no alignment.
        unsafe { v128_store(boards.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn bit(index: Self) -> Self {
        // No instruction shifts each lane by its own distance.
        Self(u64x2(1 << (u64x2_extract_lane::<0>(index.0) & 63), 1 << (u64x2_extract_lane::<1>(index.0) & 63)))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(u64x2_add(self.0, other.0))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(u64x2_mul(self.0, other.0))
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        let words = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(u8x16_popcnt(self.0)));
        Self(u64x2_add(u64x2_shr(words, 32), v128_and(words, u64x2_splat(0xffff_ffff))))
    }

    #[inline(always)]
    fn nonzero(self) -> Self {
        Self(u64x2_ne(self.0, u64x2_splat(0)))
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        u64x2_bitmask(self.nonzero().0).into()
    }

    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }
}
