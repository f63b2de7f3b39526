//! Correction history: the error of the evaluation, by pawn structure and side to move.
//!
//! The evaluation makes similar errors in positions with equal pawn structure.

use kogge_board::bits::PAWN_RANKS;
use kogge_board::{Quad48, State};

/// The number of distinguished structures, for each side to move.
const SLOTS: usize = 1 << 14;
/// The resolution of corrections, in parts of a hundredth of a pawn.
const GRAIN: i32 = 256;
/// The greatest correction, in hundredths of a pawn.
const MOST: i32 = 64;

/// The corrections of a thread.
pub(crate) struct Corrections(Vec<i16>);

impl Corrections {
    pub(crate) fn new() -> Self {
        Self(vec![0; 2 * SLOTS])
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    fn slot(position: &Quad48) -> usize {
        let pawns = position.pawns & PAWN_RANKS;
        let mixed = pawns.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (pawns & position.white).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
        let black = position.pawns & u64::from(State::BLACK) != 0;
        usize::from(black) * SLOTS + (mixed >> 40) as usize % SLOTS
    }

    #[inline]
    pub(crate) fn correct(&self, position: &Quad48, evaluation: i32) -> i32 {
        evaluation + i32::from(self.0[Self::slot(position)]) / GRAIN
    }

    /// Learns from a corrected evaluation that was wrong by `error` hundredths of a pawn.
    pub(crate) fn learn(&mut self, position: &Quad48, depth: i32, error: i32) {
        let slot = &mut self.0[Self::slot(position)];
        let weight = (depth + 1).clamp(1, 16);
        let change = error.clamp(-4 * MOST, 4 * MOST) * weight;
        *slot = (i32::from(*slot) + change).clamp(-MOST * GRAIN, MOST * GRAIN) as i16;
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::Fen;

    use super::*;

    fn position(fen: &str) -> Quad48 {
        Quad48::from(&fen.parse::<Fen>().unwrap().position)
    }

    #[test]
    fn what_was_learnt_holds_for_the_same_pawns() {
        let [here, there, other, black] = [
            "4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1",
            "4k3/pp6/5n2/8/8/8/PP6/4K2R w - - 7 9",
            "4k3/pp6/8/8/8/P7/1P6/4K3 w - - 0 1",
            "4k3/pp6/8/8/8/8/PP6/4K3 b - - 0 1",
        ]
        .map(position);
        let mut corrections = Corrections::new();
        for _ in 0..100 {
            let error = 30 - corrections.correct(&here, 0);
            corrections.learn(&here, 6, error);
        }
        assert!((25..=30).contains(&corrections.correct(&there, 0)), "{}", corrections.correct(&there, 0));
        assert_eq!([&other, &black].map(|other| corrections.correct(other, -7)), [-7; 2]);
        corrections.clear();
        assert_eq!(corrections.correct(&here, 5), 5);
    }

    #[test]
    fn corrections_have_an_end() {
        let here = position("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1");
        let mut corrections = Corrections::new();
        for (error, most) in [(i32::MAX, MOST), (i32::MIN + 1, -MOST)] {
            for _ in 0..1_000 {
                corrections.learn(&here, 200, error);
            }
            assert_eq!(corrections.correct(&here, 0), most);
        }
    }
}
