//! `Circle32`: three circles of a Venn diagram and the white pieces, in 32 bytes; the format for storage, transfer and
//! hash keys.
//!
//! Packing and unpacking come in two forms, with and without the state. Without the state, they are a few
//! operations on whole words. With the state, its bits are deposited on the lowest empty squares: by one
//! PDEP or PEXT if the CPU has BMI2, otherwise by a loop over the bits, with equal results.
//! The functions for batches detect the CPU's features once.

use bytemuck::{Pod, Zeroable};

use crate::bits::{Bits, lowest};
use crate::position::OUTER_RANKS;
use crate::{Format, PackedPosition, Position, Quad48, State};

/// Four words: the circles s, t and u, and the white pieces.
///
/// With p for pawns, N knights, B bishops, Q queens, R rooks and K kings, s = p|N|B, t = B|Q|R and
/// u = R|K|p: every kind is one region of the three circles, and no piece is in all three. The region
/// common to all three circles holds the state: state bit `i` is on the `i`-th lowest empty square, in s, t and u.
///
/// ```
/// use kogge_board::{Circle32, Fen, Quad48};
/// let quad = Quad48::from(&Fen::start().position);
/// let circle = Circle32::from(&quad);
/// assert_eq!(Quad48::from(&circle), quad);
/// // All four castling rights, bits 1 to 4 of the state, on the second to fifth empty square.
/// assert_eq!(circle.s & circle.t & circle.u, 0b1_1110 << 16);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Circle32 {
    /// Pawns, knights and bishops.
    pub s: u64,
    /// Bishops, queens and rooks.
    pub t: u64,
    /// Rooks, kings and pawns.
    pub u: u64,
    /// All white pieces.
    pub white: u64,
}

const _: () = assert!(size_of::<Circle32>() == 32);

impl Circle32 {
    /// Returns the pieces of a position, without its state.
    #[inline]
    pub const fn pack_pieces(quad: &Quad48) -> Self {
        let pawns = quad.pawns & !OUTER_RANKS;
        Self {
            s: pawns | quad.knights | quad.bishops_queens & !quad.rooks_queens,
            t: quad.bishops_queens | quad.rooks_queens,
            u: quad.rooks_queens & !quad.bishops_queens | quad.kings | pawns,
            white: quad.white,
        }
    }

    /// Returns the pieces with a zero state, and ignores the packed state.
    #[inline]
    pub const fn unpack_pieces(&self) -> Quad48 {
        let Self { s, t, u, white } = *self;
        Quad48 {
            white,
            pawns: s & u & !t,
            knights: s & !t & !u,
            bishops_queens: t & !u,
            rooks_queens: t & !s,
            kings: u & !s & !t,
        }
    }

    /// Returns the squares in all three circles: the empty squares that hold a set bit of the state.
    #[inline]
    pub const fn center(&self) -> u64 {
        self.s & self.t & self.u
    }

    /// Returns all empty squares.
    #[inline]
    pub const fn empty(&self) -> u64 {
        !(self.s | self.t | self.u) | self.center()
    }

    /// Packs a batch.
    ///
    /// # Panics
    /// If the slices are not of the same length.
    pub fn pack_all(quads: &[Quad48], circles: &mut [Self]) {
        assert_eq!(quads.len(), circles.len(), "as many packed positions as positions");
        #[cfg(target_arch = "x86_64")]
        if bmi2::is_available() {
            // SAFETY: the CPU has the instructions.
            return unsafe { bmi2::pack_all(quads, circles) };
        }
        portable::pack_all(quads, circles);
    }

    /// Unpacks a batch without a check.
    ///
    /// # Panics
    /// If the slices are not of the same length.
    pub fn unpack_all(circles: &[Self], quads: &mut [Quad48]) {
        assert_eq!(circles.len(), quads.len(), "as many positions as packed positions");
        #[cfg(target_arch = "x86_64")]
        if bmi2::is_available() {
            // SAFETY: the CPU has the instructions.
            return unsafe { bmi2::unpack_all(circles, quads) };
        }
        portable::unpack_all(circles, quads);
    }

    #[inline(always)]
    fn pack_with(quad: &Quad48, deposit: impl Fn(u16, u64) -> u64) -> Self {
        let Self { s, t, u, white } = Self::pack_pieces(quad);
        let center = deposit(quad.state().0, !(s | t | u));
        Self { s: s | center, t: t | center, u: u | center, white }
    }

    #[inline(always)]
    fn unpack_with(&self, gather: impl Fn(u64, u64) -> u16) -> Quad48 {
        let quad = self.unpack_pieces();
        let state = State(gather(self.center(), self.empty()));
        Quad48 { pawns: quad.pawns | Quad48::state_bits(state), ..quad }
    }
}

impl From<&Quad48> for Circle32 {
    #[inline]
    fn from(quad: &Quad48) -> Self {
        Self::pack_with(quad, |state, empty| {
            #[cfg(target_arch = "x86_64")]
            if bmi2::is_available() {
                // SAFETY: the CPU has the instructions.
                return unsafe { bmi2::deposit(state, empty) };
            }
            portable::deposit(state, empty)
        })
    }
}

impl From<&Circle32> for Quad48 {
    /// Returns the position's words without checking that the position is legal.
    #[inline]
    fn from(circle: &Circle32) -> Self {
        circle.unpack_with(|center, empty| {
            #[cfg(target_arch = "x86_64")]
            if bmi2::is_available() {
                // SAFETY: the CPU has the instructions.
                return unsafe { bmi2::gather(center, empty) };
            }
            portable::gather(center, empty)
        })
    }
}

impl PackedPosition for Circle32 {
    const FORMAT: Format = Format::Circle32;

    fn pack(position: &Position) -> Self {
        Self::from(&Quad48::from(position))
    }

    fn unpack_unchecked(&self) -> Position {
        Quad48::from(self).unpack_unchecked()
    }
}

/// Deposit and gather on any CPU.
mod portable {
    use super::*;

    /// Deposits bit `i` of `state` on the `i`-th lowest bit of `empty`.
    pub(super) fn deposit(state: u16, mut empty: u64) -> u64 {
        let mut center = 0;
        for bit in 0..16 - state.leading_zeros() {
            center |= lowest(empty) & u64::from(state >> bit & 1).wrapping_neg();
            empty &= empty.wrapping_sub(1);
        }
        center
    }

    /// Gathers the state bits that [`deposit`] wrote.
    pub(super) fn gather(center: u64, empty: u64) -> u16 {
        Bits(center).fold(0, |state, bit| state | 1u64 << (empty & (bit - 1)).count_ones()) as u16
    }

    pub(super) fn pack_all(quads: &[Quad48], circles: &mut [Circle32]) {
        for (quad, circle) in quads.iter().zip(circles) {
            *circle = Circle32::pack_with(quad, deposit);
        }
    }

    pub(super) fn unpack_all(circles: &[Circle32], quads: &mut [Quad48]) {
        for (circle, quad) in circles.iter().zip(quads) {
            *quad = circle.unpack_with(gather);
        }
    }
}

/// Deposit by PDEP and gather by PEXT.
#[cfg(target_arch = "x86_64")]
mod bmi2 {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    use super::*;

    /// Returns whether this CPU has BMI2; known at compile time if the program is built for it.
    #[inline]
    pub(super) fn is_available() -> bool {
        is_x86_feature_detected!("bmi2")
    }

    // Arguments and results are words, not positions: these functions cannot be inlined into code for every CPU, and
    // words are passed in registers.

    #[inline]
    #[target_feature(enable = "bmi2")]
    pub(super) fn deposit(state: u16, empty: u64) -> u64 {
        _pdep_u64(u64::from(state), empty)
    }

    #[inline]
    #[target_feature(enable = "bmi2")]
    pub(super) fn gather(center: u64, empty: u64) -> u16 {
        _pext_u64(center, empty) as u16
    }

    #[target_feature(enable = "bmi2")]
    pub(super) fn pack_all(quads: &[Quad48], circles: &mut [Circle32]) {
        for (quad, circle) in quads.iter().zip(circles) {
            *circle = Circle32::pack_with(quad, |state, empty| deposit(state, empty));
        }
    }

    #[target_feature(enable = "bmi2")]
    pub(super) fn unpack_all(circles: &[Circle32], quads: &mut [Quad48]) {
        for (circle, quad) in circles.iter().zip(quads) {
            *quad = circle.unpack_with(|center, empty| gather(center, empty));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fen;

    /// Returns boards from a fixed random sequence, from sparse to contradictory.
    fn words(count: usize) -> Vec<[u64; 6]> {
        let mut seed = 0u64;
        let mut next = || {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let word = (seed ^ seed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word ^ word >> 32
        };
        (0..count).map(|index| std::array::from_fn(|_| (0..index % 4).fold(next(), |word, _| word & next()))).collect()
    }

    #[test]
    fn every_variant_gives_the_same_bytes() {
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 4001] {
            let words = words(count);
            let quads: Vec<Quad48> = words.iter().copied().map(bytemuck::must_cast).collect();
            let circles: Vec<Circle32> = words
                .iter()
                .map(|words| bytemuck::pod_read_unaligned(bytemuck::must_cast_slice(&words[..4])))
                .collect();
            let packed = |pack: fn(&[Quad48], &mut [Circle32])| {
                let mut out = vec![Circle32::default(); count];
                pack(&quads, &mut out);
                out
            };
            let unpacked = |unpack: fn(&[Circle32], &mut [Quad48])| {
                let mut out = vec![Quad48::default(); count];
                unpack(&circles, &mut out);
                out
            };
            assert_eq!(packed(Circle32::pack_all), packed(portable::pack_all));
            assert_eq!(unpacked(Circle32::unpack_all), unpacked(portable::unpack_all));
        }
    }

    #[test]
    fn the_words_are_those_of_the_format() {
        let fen: Fen = "4k3/8/8/8/8/8/8/QRBNK3 b - - 127 1".parse().unwrap();
        // Empty squares from f1 on; state bits 0 and 9 to 15.
        let center = 0b1111_1110_0000_0001 << 5;
        let king = 1 << 60;
        let circle = Circle32 { s: 0b01100 | center, t: 0b00111 | center, u: 0b10010 | king | center, white: 0b11111 };
        assert_eq!(Circle32::pack(&fen.position), circle);
        assert_eq!((circle.center(), circle.empty()), (center, !(0b11111 | king)));
        assert_eq!(circle.unpack(&fen.rules), Ok(fen.position));
        let pieces = Circle32::pack_pieces(&Quad48::from(&fen.position));
        assert_eq!(pieces.center(), 0);
        assert_eq!(circle.unpack_pieces(), pieces.unpack_pieces());
        assert_eq!(circle.unpack_pieces().state(), State(0));
    }
}
