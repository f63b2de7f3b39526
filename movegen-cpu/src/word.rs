//! Bitboards in lanes: one 64-bit word, or several side by side in a vector register.
//!
//! All of the counting code is written once over [`Word`] and compiled for every width. A lane is a
//! position; nothing crosses from lane to lane but the questions [`Word::any`] and
//! [`Word::nonzero_lanes`].

use std::ops::{BitAnd, BitOr, BitXor, Not};

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;

/// The most lanes that a word has.
pub(crate) const MOST_LANES: usize = 8;

/// One bitboard per lane.
///
/// Implementations over vector registers may be used only where their instructions are there; see
/// the modules.
pub(crate) trait Word:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// How many lanes there are, at most [`MOST_LANES`].
    const LANES: usize;

    /// The same board in every lane.
    fn splat(board: u64) -> Self;

    /// The first [`Word::LANES`] boards of a slice.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(boards: &[u64]) -> Self;

    /// Writes the lanes to the front of an array.
    fn store(self, boards: &mut [u64; MOST_LANES]);

    /// All squares moved by a distance that is known at compile time, towards h8 if it is positive.
    fn shift<const DISTANCE: i32>(self) -> Self;

    /// `1 << index` per lane, for indices below 64.
    fn bit(index: Self) -> Self;

    /// Lane by lane, wrapping.
    fn add(self, other: Self) -> Self;

    /// Lane by lane, wrapping.
    fn sub(self, other: Self) -> Self;

    /// Lane by lane, for factors below 2^32.
    fn mul(self, other: Self) -> Self;

    /// How many bits are set in each lane.
    fn popcount(self) -> Self;

    /// The board turned over: the bytes of each lane reversed.
    fn flip(self) -> Self;

    /// All bits of a lane set where any was.
    fn nonzero(self) -> Self;

    /// Bit i is set where lane i is not zero.
    fn nonzero_lanes(self) -> u32;

    /// Whether any lane is not zero.
    #[inline(always)]
    fn any(self) -> bool {
        self.nonzero_lanes() != 0
    }

    /// This without the bits of the other.
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self & !other
    }

    /// The lowest bit of each lane.
    #[inline(always)]
    fn lowest(self) -> Self {
        self & Self::splat(0).sub(self)
    }
}

/// Each of these boards on some squares only.
///
/// Loops like this one stand in for closures and adapters all through the counting code: those are
/// functions of their own, which the compiler may leave without the caller's vector instructions.
#[inline(always)]
pub(crate) fn and_each<W: Word, const N: usize>(mut boards: [W; N], squares: W) -> [W; N] {
    for index in 0..N {
        boards[index] = boards[index] & squares;
    }
    boards
}

impl Word for u64 {
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(board: u64) -> Self {
        board
    }

    #[inline(always)]
    fn load(boards: &[u64]) -> Self {
        boards[0]
    }

    #[inline(always)]
    fn store(self, boards: &mut [u64; MOST_LANES]) {
        boards[0] = self;
    }

    #[inline(always)]
    fn shift<const DISTANCE: i32>(self) -> Self {
        if DISTANCE >= 0 { self << DISTANCE } else { self >> -DISTANCE }
    }

    #[inline(always)]
    fn bit(index: Self) -> Self {
        1 << (index & 63)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        self.count_ones().into()
    }

    #[inline(always)]
    fn flip(self) -> Self {
        self.swap_bytes()
    }

    #[inline(always)]
    fn nonzero(self) -> Self {
        if self == 0 { 0 } else { !0 }
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        (self != 0).into()
    }
}
