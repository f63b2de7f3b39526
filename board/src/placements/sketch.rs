//! A position under construction, white to move.

use std::ops::Range;

use crate::position::DIRECTIONS;
use crate::random::Random;
use crate::{Color, Piece, Position, Rules, Square};

/// The content of a position.
pub type Theme = fn(&mut Sketch);

/// The bit that distinguishes the index of a direction from the index of the opposite direction.
const OPPOSITE: usize = 2;

/// A legal position under construction, white to move.
#[derive(Clone, Copy, Debug)]
pub struct Sketch {
    pub(super) random: Random,
    pub(super) position: Position,
    rules: Rules,
    /// Squares that must stay empty, such as the squares between a king and a slider.
    pub(super) keep_empty: u64,
    /// The maximum number of men, kings included.
    most: u32,
}

/// The square of a king.
#[derive(Clone, Copy, Debug)]
pub(super) enum King {
    /// Any square, often a corner.
    Anywhere,
    /// The home rank, mostly with rooks that may castle.
    Home,
    /// At most three files and ranks from black's king.
    Close,
    At(Square),
}

/// A man; without a piece, it is a slider that moves along its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Man(pub(super) Color, pub(super) Option<Piece>);

/// The men between a king and a slider on the same line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    /// The index of the direction from the king; the opposite direction is used if there is no room.
    axis: usize,
    /// The steps from the king to the man between, and from that man to the slider, modulo the available room.
    steps: [i8; 2],
    /// The man between king and slider, if any, and whether it is pinned, that is, of the king's colour.
    between: Option<(bool, Piece)>,
    is_queen: bool,
}

impl Sketch {
    pub(super) fn new(random: Random, rules: Rules, men: u32) -> Self {
        Self { random, position: Position::default(), rules, keep_empty: 0, most: men + 2 }
    }

    pub(super) fn one_in(&mut self, many: u8) -> bool {
        self.random.one_in(many)
    }

    pub(super) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        self.random.pick(values)
    }

    /// Draws a number of repetitions.
    pub(super) fn times(&mut self, least: u8, most: u8) -> Range<u8> {
        0..least + self.random.below(most - least + 1)
    }

    pub(super) fn color(&mut self) -> Color {
        self.pick(&Color::ALL)
    }

    pub(super) fn piece(&mut self) -> Piece {
        self.pick(&Piece::ALL[..5])
    }

    pub(super) fn square(&mut self) -> Square {
        Square::at(self.random.below(8), self.random.below(8))
    }

    /// Puts the kings on the board, and the rooks that may castle with them.
    pub(super) fn kings(&mut self, mut own: King, their: King) {
        loop {
            self.position = Position::default();
            let theirs = self.king(Color::Black, their);
            self.position.put(Color::Black, Piece::King, theirs);
            let ours = self.king(Color::White, own);
            self.position.put(Color::White, Piece::King, ours);
            if theirs != ours && self.position.check(&self.rules).is_ok() {
                break;
            }
            own = King::Anywhere;
        }
        for (right, king) in [own, own, their, their].into_iter().enumerate() {
            let color = Color::ALL[right / 2];
            if matches!(king, King::Home) && self.one_in(2) {
                self.attempt(|sketch| {
                    sketch.position.state =
                        sketch.position.state.with_castling(sketch.position.state.castling() | 1 << right);
                    sketch.put(color, Piece::Rook, Square::at(sketch.rules.castling_files[right], color.home_rank()))
                });
            }
        }
    }

    fn king(&mut self, color: Color, king: King) -> Square {
        match king {
            King::At(square) => square,
            King::Close => {
                let beside = (self.random.within(-3, 3), self.random.within(-3, 3));
                let theirs = self.position.king(Color::Black);
                theirs.and_then(|square| square.offset(beside)).unwrap_or_else(|| self.square())
            }
            King::Anywhere if self.one_in(5) => Square::at(self.pick(&[0, 7]), self.pick(&[0, 7])),
            King::Anywhere => self.square(),
            King::Home => {
                let first_right = if color == Color::White { 0 } else { 2 };
                let [kingside, queenside] = [0, 1].map(|side| self.rules.castling_files[first_right + side]);
                let between = kingside - queenside - 1;
                let file = match self.random.below(8) {
                    0 => self.random.below(8),
                    1..6 if (kingside, queenside) == (7, 0) => 4,
                    _ if between > 0 => queenside + 1 + self.random.below(between),
                    _ => self.pick(&[kingside.saturating_sub(1), (queenside + 1).min(7)]),
                };
                Square::at(file, color.home_rank())
            }
        }
    }

    /// Applies a change to the board, and takes it back if it does not fit or makes the position illegal.
    pub(super) fn attempt(&mut self, change: impl FnOnce(&mut Self) -> Option<()>) {
        let before = *self;
        let fits = change(self).is_some()
            && self.position.occupied() & self.keep_empty == 0
            && self.position.occupied().count_ones() <= self.most
            && self.position.check(&self.rules).is_ok();
        if !fits {
            *self = Self { random: self.random, ..before };
        }
    }

    /// Puts a piece on an empty square; a piece of the same kind may stand there already.
    pub(super) fn put(&mut self, color: Color, piece: Piece, square: Square) -> Option<()> {
        match self.position.piece_at(square) {
            None => self.position.put(color, piece, square),
            Some(found) if found == (color, piece) => {}
            Some(_) => return None,
        }
        Some(())
    }

    /// Puts a piece west (1), east (2) or on both sides (3) of a square, as far as the board goes.
    pub(super) fn neighbours(&mut self, color: Color, piece: Piece, square: Square, sides: u8) -> Option<()> {
        for (side, step) in [(1, -1), (2, 1)] {
            if let Some(beside) = square.offset((step, 0)).filter(|_| sides & side != 0) {
                self.put(color, piece, beside)?;
            }
        }
        Some(())
    }

    /// Adds up to `most` men anywhere. A favourite kind of piece gives boards full of queens or pawns, which a random mix
    /// never would.
    pub(super) fn fill(&mut self, most: u8) {
        let favourite = match self.random.below(6) {
            0 => Some(self.piece()),
            1 => Some(Piece::Queen),
            2 => Some(Piece::Pawn),
            _ => None,
        };
        for index in self.times(0, most) {
            let man = Man(self.color(), favourite.filter(|_| index % 8 != 0).or(Some(self.piece())));
            let square = self.square();
            self.line(Some(square), 0, &[(0, man)]);
        }
    }

    /// Adds up to `most` of these men anywhere.
    pub(super) fn scatter(&mut self, most: u8, man: fn(&mut Self) -> Man) {
        for _ in self.times(0, most) {
            let (man, square) = (man(self), self.square());
            self.line(Some(square), 0, &[(0, man)]);
        }
    }

    /// Puts men along a line, each a number of steps from the one before. The squares between them stay empty; a man that does
    /// not fit is left out.
    pub(super) fn line(&mut self, from: Option<Square>, direction: usize, men: &[(i8, Man)]) {
        let mut at = from;
        for &(steps, Man(color, piece)) in men {
            for step in 1..=steps {
                at = at.and_then(|at| at.offset(DIRECTIONS[direction]));
                if step < steps {
                    self.keep_empty |= at.map_or(0, Square::bit) & !self.position.occupied();
                }
            }
            let slider = if direction < 4 { Piece::Rook } else { Piece::Bishop };
            if let Some(square) = at.filter(|at| self.position.piece_at(*at).is_none()) {
                self.attempt(|sketch| sketch.put(color, piece.unwrap_or(slider), square));
            }
        }
    }

    pub(super) fn ray(&mut self, axes: Range<u8>) -> Ray {
        let axis = (axes.start + self.random.below(axes.end - axes.start)).into();
        let steps = [self.random.below(64) as i8, self.random.below(64) as i8];
        let between = (!self.one_in(3)).then(|| (!self.one_in(3), self.piece()));
        Ray { axis, steps, between, is_queen: self.one_in(2) }
    }

    /// Puts a slider of the other colour on a line with this colour's king.
    pub(super) fn look(&mut self, king: Color, mut ray: Ray) -> Option<()> {
        let square = self.position.king(king)?;
        if room(square, ray.axis).is_none_or(|room| room < 2) {
            ray.axis ^= OPPOSITE;
        }
        let all = room(square, ray.axis).filter(|&room| room >= 2)?;
        let near = 1 + ray.steps[0] % (all - 1);
        let far = 1 + ray.steps[1] % (all - near);
        self.cast(king, square, ray, [near, far])
    }

    /// Puts a slider of the other colour on a line with this colour's king, and moves the king so that a square is between
    /// them.
    pub(super) fn look_through(&mut self, king: Color, through: Square, ray: Ray) -> Option<()> {
        let behind = 1 + ray.steps[0] % room(through, ray.axis ^ OPPOSITE)?;
        let ahead = 1 + ray.steps[1] % room(through, ray.axis)?;
        let square = step(through, ray.axis, -behind)?;
        self.position.clear(self.position.king(king)?.bit());
        self.put(king, Piece::King, square)?;
        self.cast(king, square, ray, [behind, ahead])
    }

    /// Puts a slider on a ray from a king: `near` steps to the man between, and `far` more steps to the slider.
    fn cast(&mut self, king: Color, from: Square, ray: Ray, [near, far]: [i8; 2]) -> Option<()> {
        for steps in 1..near + far {
            let square = step(from, ray.axis, steps)?;
            match ray.between {
                // Any man that already stands on the ray may stay.
                _ if self.position.occupied() & square.bit() != 0 => {}
                Some((is_pinned, piece)) if steps == near => {
                    self.put(if is_pinned { king } else { king.opposite() }, piece, square)?;
                }
                _ => self.keep_empty |= square.bit(),
            }
        }
        let slider = match (ray.is_queen, ray.axis) {
            (true, _) => Piece::Queen,
            (false, 0..4) => Piece::Rook,
            (false, _) => Piece::Bishop,
        };
        self.put(king.opposite(), slider, step(from, ray.axis, near + far)?)
    }
}

fn step(square: Square, axis: usize, steps: i8) -> Option<Square> {
    let (file, rank) = DIRECTIONS[axis];
    square.offset((file * steps, rank * steps))
}

/// Returns the number of steps from a square to the edge in a direction, if any.
fn room(square: Square, axis: usize) -> Option<i8> {
    (1..8).rev().find(|&steps| step(square, axis, steps).is_some())
}
