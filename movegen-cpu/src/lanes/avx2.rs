//! Four lanes in an AVX2 register.

use std::arch::x86_64::*;

use kogge_board::evaluation::Boards;

use super::vector::{Lanes, MOST_LANES, operators};

/// Four boards.
///
/// Every method relies on AVX2: use the type only inside functions that enable `avx2`, on a CPU that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(__m256i);

operators!(Avx2, _mm256_and_si256, _mm256_or_si256, _mm256_xor_si256);

// SAFETY of all blocks below: the type is used only inside functions that enable AVX2, on a CPU that has it, as its
// documentation demands. Loads and stores give further reasons.
impl Boards for Avx2 {
    #[inline(always)]
    fn splat(board: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_set1_epi64x(board.cast_signed()) })
    }

    #[inline(always)]
    fn shift<const DISTANCE: i32>(self) -> Self {
        let distance = Self::splat(DISTANCE.unsigned_abs().into()).0;
        // SAFETY: see above. The compiler turns this into one shift by a constant.
        Self(unsafe {
            if DISTANCE >= 0 { _mm256_sllv_epi64(self.0, distance) } else { _mm256_srlv_epi64(self.0, distance) }
        })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn flip(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let order = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
            _mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order))
        })
    }
}

impl Lanes for Avx2 {
    const LANES: usize = 4;

    #[inline(always)]
    fn load(boards: &[u64]) -> Self {
        let boards = &boards[..4];
        // SAFETY: see above; the slice holds the four words that are read.
        Self(unsafe { _mm256_loadu_si256(boards.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, boards: &mut [u64; MOST_LANES]) {
        // SAFETY: see above; the array holds more than the four words that are written.
        unsafe { _mm256_storeu_si256(boards.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn bit(index: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sllv_epi64(Self::splat(1).0, index.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_mul_epu32(self.0, other.0) })
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        // SAFETY: see above. The nibbles' counts come from a 16-byte shuffle; then the bytes of each
        // lane are summed.
        Self(unsafe {
            let nibble = _mm256_set1_epi8(0x0f);
            let counts = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(self.0, nibble));
            let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi64::<4>(self.0), nibble));
            _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256())
        })
    }

    #[inline(always)]
    fn nonzero(self) -> Self {
        // SAFETY: see above.
        !Self(unsafe { _mm256_cmpeq_epi64(self.0, _mm256_setzero_si256()) })
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe {
            let zero = _mm256_cmpeq_epi64(self.0, _mm256_setzero_si256());
            !_mm256_movemask_pd(_mm256_castsi256_pd(zero)).cast_unsigned() & 0xf
        }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }
}
