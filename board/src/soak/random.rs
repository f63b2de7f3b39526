//! Random numbers from a seed.

/// A mixed counter. Equal seeds give equal numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns the next random number, less than 2^32.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
    }

    /// Returns a random number less than `end`.
    pub(super) fn below(&mut self, end: u8) -> u8 {
        (self.next() % u64::from(end.max(1))) as u8
    }

    /// Returns whether an event with a probability of one in `many` happens.
    pub(super) fn one_in(&mut self, many: u8) -> bool {
        self.below(many) == 0
    }
}
