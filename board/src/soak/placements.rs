//! Legal positions with pieces on random squares.

use super::random::Random;
use crate::{Color, Piece, Position, Rules, Square};

/// The number of positions in a row that share their rules, so that they make a batch.
const RUN: u32 = 128;
/// The most men besides kings, castling rooks and the pawns of a capture en passant.
const MEN: u8 = 28;

/// An endless sequence of legal positions with men on random squares, determined by its seed.
///
/// Boards are sparse or full; some have mostly men of one kind. Castling rights, of orthodox chess or Chess960, and captures en
/// passant are frequent.
///
/// ```
/// let (rules, position) = kogge_board::soak::Placements::new(1).next().expect("it never ends");
/// assert_eq!(position.check(&rules), Ok(()));
/// ```
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

    /// Draws the rules of a run.
    fn rules(&mut self) -> Rules {
        let mut rules = Rules::STANDARD.with_halfmove_clock(self.random.one_in(3));
        if self.random.one_in(2) {
            for files in rules.castling_files.chunks_mut(2) {
                // The king needs a file between the rooks.
                let queenside = self.random.below(6);
                files.copy_from_slice(&[queenside + 2 + self.random.below(6 - queenside), queenside]);
            }
        }
        rules
    }

    /// Draws a position with white to move that is legal under these rules.
    fn position(&mut self, rules: &Rules) -> Position {
        let mut board = self.kings(rules);
        for right in 0..4 {
            self.castling(&mut board, rules, right);
        }
        if self.random.one_in(2) {
            self.en_passant(&mut board, rules);
        }
        let favourite = self.random.one_in(2).then(|| self.piece());
        for _ in 0..self.random.below(MEN + 1) {
            let piece = favourite.filter(|_| !self.random.one_in(8)).unwrap_or_else(|| self.piece());
            let (color, square) = (self.color(), self.square());
            change(&mut board, rules, |board| put(board, color, piece, square));
        }
        if rules.halfmove_clock {
            board.state = board.state.with_halfmove_clock(self.random.below(100));
        }
        board
    }

    /// Draws a board with two kings, half of them between their castling rooks' squares.
    fn kings(&mut self, rules: &Rules) -> Position {
        loop {
            let mut board = Position::default();
            for (color, files) in Color::ALL.into_iter().zip(rules.castling_files.chunks(2)) {
                let square = match self.random.one_in(2) {
                    true => Square::at(files[1] + 1 + self.random.below(files[0] - files[1] - 1), color.home_rank()),
                    false => self.square(),
                };
                board.put(color, Piece::King, square);
            }
            if board.check(rules).is_ok() {
                return board;
            }
        }
    }

    /// Adds a castling right and its rook, if the king can have the right.
    fn castling(&mut self, board: &mut Position, rules: &Rules, right: usize) {
        let color = Color::ALL[right / 2];
        let rook = Square::at(rules.castling_files[right], color.home_rank());
        if self.random.one_in(2) {
            change(board, rules, |board| {
                board.state = board.state.with_castling(board.state.castling() | 1 << right);
                put(board, color, Piece::Rook, rook)
            });
        }
    }

    /// Adds a black pawn that was just pushed, and a white pawn beside it.
    fn en_passant(&mut self, board: &mut Position, rules: &Rules) {
        let pushed = Square::at(self.random.below(8), 4);
        let Some(beside) = pushed.offset(([-1, 1][usize::from(self.random.one_in(2))], 0)) else { return };
        change(board, rules, |board| {
            board.state = board.state.with_en_passant(Some(pushed.file()));
            put(board, Color::Black, Piece::Pawn, pushed)?;
            put(board, Color::White, Piece::Pawn, beside)
        });
    }

    fn color(&mut self) -> Color {
        Color::ALL[usize::from(self.random.one_in(2))]
    }

    /// Draws a kind of piece, except the king.
    fn piece(&mut self) -> Piece {
        Piece::ALL[usize::from(self.random.below(5))]
    }

    fn square(&mut self) -> Square {
        Square::at(self.random.below(8), self.random.below(8))
    }
}

impl Iterator for Placements {
    type Item = (Rules, Position);

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            (self.rules, self.left) = (self.rules(), RUN);
        }
        self.left -= 1;
        let mut rules = self.rules;
        if self.random.one_in(2) {
            return Some((rules, self.position(&rules)));
        }
        // With black to move, each side has the other's files while the board is made.
        rules.castling_files.rotate_left(2);
        Some((self.rules, self.position(&rules).mirrored()))
    }
}

/// Changes a board if it stays legal.
fn change(board: &mut Position, rules: &Rules, change: impl FnOnce(&mut Position) -> Option<()>) {
    let mut changed = *board;
    if change(&mut changed).is_some() && changed.check(rules).is_ok() {
        *board = changed;
    }
}

/// Puts a man on an empty square; `None` if it is taken.
fn put(board: &mut Position, color: Color, piece: Piece, square: Square) -> Option<()> {
    board.piece_at(square).is_none().then(|| board.put(color, piece, square))
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
