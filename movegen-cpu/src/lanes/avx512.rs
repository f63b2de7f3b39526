//! Eight lanes in an AVX-512 register.

use std::arch::x86_64::*;

use kogge_board::evaluation::Boards;

use super::vector::{Lanes, MOST_LANES, operators};

/// Eight boards. With `POPCOUNT`, the CPU counts bits in vectors (`avx512vpopcntdq`).
///
/// Every method relies on its instructions: use the type only inside functions that enable `avx512f`, `avx512bw` and,
/// with `POPCOUNT`, `avx512vpopcntdq`, on a CPU that has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512<const POPCOUNT: bool>(__m512i);

operators!(Avx512<POPCOUNT>, _mm512_and_si512, _mm512_or_si512, _mm512_xor_si512, POPCOUNT);

// SAFETY of all blocks below: the type is used only inside functions that enable the instructions, on a CPU that has
// them, as its documentation demands. Loads and stores give further reasons.
impl<const POPCOUNT: bool> Boards for Avx512<POPCOUNT> {
    #[inline(always)]
    fn splat(board: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_epi64(board.cast_signed()) })
    }

    #[inline(always)]
    fn shift<const DISTANCE: i32>(self) -> Self {
        let distance = Self::splat(DISTANCE.unsigned_abs().into()).0;
        // SAFETY: see above. The compiler turns this into one shift by a constant.
        Self(unsafe {
            if DISTANCE >= 0 { _mm512_sllv_epi64(self.0, distance) } else { _mm512_srlv_epi64(self.0, distance) }
        })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn flip(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let order = _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
            _mm512_shuffle_epi8(self.0, order)
        })
    }
}

impl<const POPCOUNT: bool> Lanes for Avx512<POPCOUNT> {
    const LANES: usize = 8;

    #[inline(always)]
    fn load(boards: &[u64]) -> Self {
        let boards = &boards[..8];
        // SAFETY: see above; the slice holds the eight words that are read.
        Self(unsafe { _mm512_loadu_si512(boards.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, boards: &mut [u64; MOST_LANES]) {
        // SAFETY: see above; the array holds the eight words that are written.
        unsafe { _mm512_storeu_si512(boards.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn bit(index: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sllv_epi64(Self::splat(1).0, index.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mul_epu32(self.0, other.0) })
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        // SAFETY: see above. Without the instruction, the nibbles' counts come from a 16-byte shuffle; then the bytes of
        // each lane are summed.
        Self(unsafe {
            if POPCOUNT {
                _mm512_popcnt_epi64(self.0)
            } else {
                let nibble = _mm512_set1_epi8(0x0f);
                let counts = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
                let low = _mm512_shuffle_epi8(counts, _mm512_and_si512(self.0, nibble));
                let high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi64::<4>(self.0), nibble));
                _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512())
            }
        })
    }

    #[inline(always)]
    fn nonzero(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_maskz_set1_epi64(_mm512_test_epi64_mask(self.0, self.0), -1) })
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) }.into()
    }
}
