//! `Circle32` without state on AVX-512: two or four positions at a time.
//!
//! The words of a position lie side by side, so most of the work is moving each word to its lane:
//! one permutation fetches one operand for eight words of the result. The operands are chosen so that all
//! words need the same logic. Words are numbered by their order in [`Quad48`] (white, pawns, knights,
//! bishops|queens, rooks|queens, kings) and in [`Circle32`](crate::Circle32) (s, t, u, white).

use std::arch::x86_64::*;

use bytemuck::must_cast;

use crate::Quad48;
use crate::position::OUTER_RANKS;

/// Returns whether this CPU has AVX-512F; known at compile time if the program is built for it.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// Packs two positions at a time, as the words s, t, u and white, and returns the number of positions. Each word is `a | b | (c & !d)`. Without a third term, `c` equals `d`.
#[target_feature(enable = "avx512f")]
pub(super) fn pack_all_pieces(quads: &[Quad48], circles: &mut [[u64; 4]]) -> usize {
    //                   s, t, u, white
    let a = pair_index([1, 3, 1, 0]);
    let b = pair_index([2, 4, 5, 0]);
    let c = pair_index([3, 3, 4, 0]);
    let d = pair_index([4, 3, 3, 0]);
    let pieces: __m512i = must_cast([[!OUTER_RANKS, !0]; 4]);
    let pairs = quads.as_chunks::<2>().0;
    let packed = circles.as_chunks_mut::<2>().0;
    for (pair, packed) in pairs.iter().zip(packed) {
        let [first, second, third]: [[u64; 4]; 3] = must_cast(*pair);
        let low: __m512i = must_cast([first, second]);
        let high: __m512i = must_cast([second, third]);
        let operand = |index| _mm512_permutex2var_epi64(low, index, high);
        let sliders = _mm512_andnot_si512(operand(d), operand(c));
        let either = _mm512_or_si512(_mm512_and_si512(operand(a), pieces), operand(b));
        *packed = must_cast(_mm512_or_si512(either, sliders));
    }
    2 * pairs.len()
}

/// Returns the permutation indices of these words of two positions: words 0 to 7 of the twelve have
/// indices 0 to 7, and words 4 to 11 also have indices 8 to 15.
fn pair_index(words: [u64; 4]) -> __m512i {
    let number = |word| if word < 8 { word } else { word + 4 };
    must_cast([words, words.map(|word| number(word + 6))])
}

/// Unpacks four positions at a time, and returns the number of positions. Each word is `a & (b ^ m) & (c ^ n)`, where m and n are all zeros or
/// all ones.
#[target_feature(enable = "avx512f")]
pub(super) fn unpack_all_pieces(circles: &[[u64; 4]], quads: &mut [Quad48]) -> usize {
    let [s, t, u, white] = [0, 1, 2, 3];
    let a = four_times([white, s, s, t, t, u], 4);
    let b = four_times([white, u, t, u, s, s], 4);
    let m = four_times([0, 0, !0, !0, !0, !0], 0);
    let c = four_times([white, t, u, u, s, t], 4);
    let n = four_times([0, !0, !0, !0, !0, !0], 0);
    let fours = circles.as_chunks::<4>().0;
    let unpacked = quads.as_chunks_mut::<4>().0;
    for (four, unpacked) in fours.iter().zip(unpacked) {
        let [low, high]: [__m512i; 2] = must_cast(*four);
        let operand = |index| _mm512_permutex2var_epi64(low, index, high);
        // The truth table of x & (y ^ z).
        const AND_XOR: i32 = 0b0110_0000;
        let third = |i: usize| {
            let word = _mm512_ternarylogic_epi64::<AND_XOR>(operand(a[i]), operand(b[i]), m[i]);
            _mm512_ternarylogic_epi64::<AND_XOR>(word, operand(c[i]), n[i])
        };
        *unpacked = must_cast([third(0), third(1), third(2)]);
    }
    4 * fours.len()
}

/// Returns the six numbers four times in a row, increased by `step` each time.
fn four_times(numbers: [u64; 6], step: u64) -> [__m512i; 3] {
    must_cast([0, 1, 2, 3].map(|position| numbers.map(|number| number + position * step)))
}
