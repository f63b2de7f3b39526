//! Lane vectors: one bitboard in a 64-bit word, or several side by side in a vector register.
//!
//! All counting code is written once over [`Lanes`] and compiled for every width. Each lane is a position. Lanes are
//! independent of each other; only [`Lanes::any`] and [`Lanes::nonzero_lanes`] combine lanes.

use std::ops::BitXor;

use kogge_board::evaluation::Boards;

/// The maximum number of lanes of a lane vector.
pub(crate) const MOST_LANES: usize = 8;

/// One bitboard per lane.
///
/// Implementations over vector registers may be used only on CPUs with their instructions; see the modules.
pub(crate) trait Lanes: Boards + BitXor<Output = Self> {
    /// The number of lanes, at most [`MOST_LANES`].
    const LANES: usize;

    /// Loads the first [`Lanes::LANES`] boards of a slice.
    ///
    /// # Panics
    /// If the slice has fewer boards.
    fn load(boards: &[u64]) -> Self;

    /// Writes the lanes to the front of an array.
    fn store(self, boards: &mut [u64; MOST_LANES]);

    /// Returns `1 << index` in each lane, for indices below 64.
    fn bit(index: Self) -> Self;

    /// Adds lane by lane and wraps.
    fn add(self, other: Self) -> Self;

    /// Multiplies lane by lane, for factors below 2^32.
    fn mul(self, other: Self) -> Self;

    /// Counts the set bits of each lane.
    fn popcount(self) -> Self;

    /// Sets all bits of each lane that is not zero.
    fn nonzero(self) -> Self;

    /// Returns a number whose bit i is set if lane i is not zero.
    fn nonzero_lanes(self) -> u32;

    #[inline(always)]
    fn any(self) -> bool {
        self.nonzero_lanes() != 0
    }

    #[inline(always)]
    fn lowest(self) -> Self {
        self & Self::splat(0).sub(self)
    }
}

/// Restricts each of these boards to some squares.
///
/// All counting code uses such loops instead of closures and adapters, because the compiler may compile closures and
/// adapters as functions without the caller's vector instructions.
#[inline(always)]
pub(crate) fn and_each<L: Lanes, const N: usize>(mut boards: [L; N], squares: L) -> [L; N] {
    for index in 0..N {
        boards[index] = boards[index] & squares;
    }
    boards
}

/// Implements the operators of a lane vector by intrinsics.
#[allow(unused_macros, reason = "targets without vector instructions have only words")]
macro_rules! operators {
    ($vector:ty, $and:ident, $or:ident, $xor:ident $(, $parameter:ident)?) => {
        operators!(@ $vector, BitAnd, bitand, $and $(, $parameter)?);
        operators!(@ $vector, BitOr, bitor, $or $(, $parameter)?);
        operators!(@ $vector, BitXor, bitxor, $xor $(, $parameter)?);

        impl$(<const $parameter: bool>)? std::ops::Not for $vector {
            type Output = Self;

            #[inline(always)]
            fn not(self) -> Self {
                self ^ Self::splat(!0)
            }
        }
    };
    (@ $vector:ty, $trait:ident, $method:ident, $intrinsic:ident $(, $parameter:ident)?) => {
        impl$(<const $parameter: bool>)? std::ops::$trait for $vector {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the type is used only where its instructions are enabled and available.
                #[allow(unused_unsafe, reason = "the intrinsics of WebAssembly are safe")]
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

#[allow(unused_imports, reason = "as above")]
pub(super) use operators;

impl Lanes for u64 {
    const LANES: usize = 1;

    #[inline(always)]
    fn load(boards: &[u64]) -> Self {
        boards[0]
    }

    #[inline(always)]
    fn store(self, boards: &mut [u64; MOST_LANES]) {
        boards[0] = self;
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
    fn mul(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        self.count_ones().into()
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
