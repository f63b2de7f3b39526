//! Random numbers from a seed.

/// A mixed counter. Equal seeds give equal numbers.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub(crate) u64);

impl Random {
    /// Starts from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a random number of 53 bits, at least 0 and less than 1.
    pub fn unit(&mut self) -> f64 {
        ((self.next() << 32 | self.next()) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a random index into a list of `len` values; 0 if there are none.
    pub fn index(&mut self, len: usize) -> usize {
        self.next() as usize % len.max(1)
    }

    /// Returns a generator with numbers of its own.
    pub fn fork(&mut self) -> Self {
        Self(self.next() << 32 | self.next())
    }

    /// Returns the next random number, less than 2^32.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
    }

    pub(crate) fn below(&mut self, end: u8) -> u8 {
        (self.next() % u64::from(end.max(1))) as u8
    }

    pub(crate) fn within(&mut self, least: i8, most: i8) -> i8 {
        least + self.below((most - least + 1) as u8) as i8
    }

    /// Returns whether an event with a probability of one in `many` happens.
    pub(crate) fn one_in(&mut self, many: u8) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.index(values.len())]
    }
}
