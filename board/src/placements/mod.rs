//! Random legal positions, rich in rare features.
//!
//! A [theme](themes) puts two kings on the board, then the men that the theme is about, then some men anywhere. A man that
//! does not fit, or would make the position illegal, is left out. Themes are written for white to move; half of the positions
//! are then mirrored.
//!
//! ```
//! use kogge_board::placements::{ALL_MEN, placement, themes};
//!
//! let (rules, position) = placement(1, &[themes::en_passant], ALL_MEN);
//! assert_eq!(position.check(&rules), Ok(()));
//! ```

mod sketch;
pub mod themes;

use crate::random::Random;
use crate::{Position, Rules};
pub use sketch::{Sketch, Theme};

/// Castling rules, and a position that is legal under them.
pub type Placement = (Rules, Position);

/// The maximum number of men in a position.
pub const ALL_MEN: u32 = 32;

/// The number of consecutive positions that share their rules, so that they form a batch.
const RUN: u32 = 128;

/// Returns the position for this seed, of one of the themes, with at most `men` men besides the kings.
///
/// The castling files are the orthodox ones unless a right needs others; the halfmove clock is 0 unless the rules keep it.
pub fn placement(seed: u64, themes: &[Theme], men: u32) -> Placement {
    let mut random = Random(seed);
    let mut rules = draw_rules(&mut random);
    let theme = random.pick(themes);
    let position = draw(&mut random, rules, theme, men);
    let unused = (0..4).filter(|right| position.state.castling() >> right & 1 == 0);
    unused.for_each(|right| rules.castling_files[right] = Rules::STANDARD.castling_files[right]);
    (rules, position)
}

/// An endless sequence of positions of all themes, determined by its seed. Consecutive positions share their rules.
#[derive(Clone, Debug)]
pub struct Placements {
    random: Random,
    rules: Rules,
    /// The number of positions left with these rules.
    left: u32,
}

impl Placements {
    /// Starts the sequence.
    pub fn new(seed: u64) -> Self {
        Self { random: Random(seed), rules: Rules::STANDARD, left: 0 }
    }
}

impl Iterator for Placements {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        if self.left == 0 {
            (self.rules, self.left) = (draw_rules(&mut self.random), RUN);
        }
        self.left -= 1;
        let theme = match self.random.below(4) {
            0 => themes::en_passant,
            1 => self.random.pick(&themes::CLOSED_FORM),
            _ => self.random.pick(&themes::MIXED),
        };
        Some((self.rules, draw(&mut self.random, self.rules, theme, ALL_MEN)))
    }
}

/// Draws rules, in half of the cases with castling files of Chess960.
fn draw_rules(random: &mut Random) -> Rules {
    let mut rules = Rules::STANDARD.with_halfmove_clock(random.one_in(3));
    if random.one_in(2) {
        for files in rules.castling_files.chunks_mut(2) {
            // With one castling right, the king may stand in a corner; with two, it needs a file between the rooks.
            let queenside = random.below(7);
            files.copy_from_slice(&[queenside + 1 + random.below(7 - queenside), queenside]);
        }
    }
    rules
}

fn draw(random: &mut Random, rules: Rules, theme: Theme, men: u32) -> Position {
    let is_mirrored = random.one_in(2);
    let mut files = rules.castling_files;
    if is_mirrored {
        // While the position is made, the sides' castling files are exchanged.
        files.rotate_left(2);
    }
    let mut sketch = Sketch::new(*random, Rules { castling_files: files, ..rules }, men);
    theme(&mut sketch);
    *random = sketch.random;
    let mut position = sketch.position;
    if rules.halfmove_clock {
        position.state = position.state.with_halfmove_clock(random.below(128));
    }
    if is_mirrored { position.mirrored() } else { position }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_legal_and_of_every_kind() {
        let (mut checks, mut passing, mut castling, mut men) = (0, 0, 0, Vec::new());
        for (rules, position) in Placements::new(7).take(4096) {
            assert_eq!(position.check(&rules), Ok(()), "{position:?} under {rules:?}");
            checks += u32::from(position.checkers() != 0);
            passing += u32::from(position.state.en_passant_file().is_some());
            castling += u32::from(position.state.castling() != 0);
            men.push(position.occupied().count_ones());
        }
        assert!(checks > 400 && passing > 400 && castling > 1000, "{checks} {passing} {castling}");
        assert!(men.contains(&2) && men.iter().any(|&men| men > 24));
    }

    #[test]
    fn equal_seeds_give_equal_placements() {
        let draw = |seed| Placements::new(seed).take(300).collect::<Vec<_>>();
        assert!(draw(1) == draw(1) && draw(1) != draw(2));
        let rules: std::collections::BTreeSet<_> = draw(1).into_iter().map(|(rules, _)| rules).collect();
        assert!(rules.len() <= 3, "positions with equal rules make batches");
    }
}
