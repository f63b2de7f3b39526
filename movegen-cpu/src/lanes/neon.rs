//! Two lanes in a NEON register.

use std::arch::aarch64::*;

use kogge_board::evaluation::Boards;

use super::vector::{Lanes, MOST_LANES, operators};

/// Two boards. Every 64-bit Arm CPU among the targets of Rust's standard library has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(uint64x2_t);

operators!(Neon, vandq_u64, vorrq_u64, veorq_u64);

// SAFETY of all blocks below: NEON is part of the target. Loads and stores give further reasons.
impl Boards for Neon {
    #[inline(always)]
    fn splat(board: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { vdupq_n_u64(board) })
    }

    #[inline(always)]
    fn shift<const DISTANCE: i32>(self) -> Self {
        // SAFETY: see above. A negative distance shifts right.
        Self(unsafe { vshlq_u64(self.0, vdupq_n_s64(DISTANCE.into())) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vsubq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn flip(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(self.0))) })
    }
}

impl Lanes for Neon {
    const LANES: usize = 2;

    #[inline(always)]
    fn load(boards: &[u64]) -> Self {
        let boards = &boards[..2];
        // SAFETY: see above; the slice holds the two words that are read.
        Self(unsafe { vld1q_u64(boards.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, boards: &mut [u64; MOST_LANES]) {
        // SAFETY: see above; the array holds more than the two words that are written.
        unsafe { vst1q_u64(boards.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn bit(index: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(index.0)) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vaddq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vmull_u32(vmovn_u64(self.0), vmovn_u64(other.0)) })
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(self.0))))) })
    }

    #[inline(always)]
    fn nonzero(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vtstq_u64(self.0, self.0) })
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { u32::from(vgetq_lane_u64::<0>(self.0) != 0) | u32::from(vgetq_lane_u64::<1>(self.0) != 0) << 1 }
    }
}
