//! Numbers of 128 and 256 bits in 32-bit words, and their sums.

use crate::settings::WEIGHTED_SUMS_GROUPS;

/// The number of elements of the sums of `kinds` kinds: a header, then a sum for each kind and work-group.
pub(super) const fn sums_of(kinds: usize) -> usize {
    1 + kinds * WEIGHTED_SUMS_GROUPS
}

/// Returns four words, the lowest first, as a number.
pub(super) fn number(words: &[u32; 4]) -> u128 {
    words.iter().rev().fold(0, |number, &word| number << 32 | u128::from(word))
}

pub(super) fn words(number: &u128) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (number >> shift) as u32)
}

/// Sums numbers of eight words, the lowest first, modulo 2^256.
pub(super) fn wide_sum(numbers: impl IntoIterator<Item = [u32; 8]>) -> [u32; 8] {
    let mut sum = [0_u32; 8];
    for number in numbers {
        let mut carry = 0;
        for (word, more) in sum.iter_mut().zip(number) {
            let added = u64::from(*word) + u64::from(more) + carry;
            *word = added as u32;
            carry = added >> 32;
        }
    }
    sum
}

/// Returns the product of two numbers in eight words, the lowest first.
pub(super) fn product(multiplicity: u128, leaves: u64) -> [u32; 8] {
    let mut product = [0; 8];
    let (mut carry, leaves) = (0, u128::from(leaves));
    for (index, word) in words(&multiplicity).into_iter().enumerate() {
        let sum = u128::from(word) * leaves + carry;
        product[index] = sum as u32;
        carry = sum >> 32;
    }
    product[4..].copy_from_slice(&words(&carry));
    product
}

/// Returns eight words as a number, if it fits in 128 bits.
fn low_half(words: [u32; 8]) -> Option<u128> {
    let [low @ .., _, _, _, _] = words;
    (words[4..] == [0; 4]).then(|| number(&low))
}

/// Returns the first of some numbers of eight words, or zero, if all fit in 128 bits.
pub(super) fn low_halves<const LEN: usize>(numbers: &[[u32; 8]]) -> Option<[u128; LEN]> {
    let mut halves = [0; LEN];
    for (half, &words) in halves.iter_mut().zip(numbers) {
        *half = low_half(words)?;
    }
    Some(halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_sums_carry_into_every_word() {
        assert_eq!(product(u128::MAX, u64::MAX), [1, 0, u32::MAX, u32::MAX, u32::MAX - 1, u32::MAX, 0, 0]);
        assert_eq!(product(3 << 96, 1 << 63), [0, 0, 0, 0, 0x8000_0000, 1, 0, 0]);
        assert_eq!(wide_sum([[u32::MAX; 8], product(1, 1)]), [0; 8]);
        assert_eq!(low_half(product(u128::MAX, 1)), Some(u128::MAX));
        assert_eq!(low_half(product(1 << 127, 2)), None);
    }
}
