//! Random legal positions for property tests.
//!
//! A recipe builds a position: first the squares of the kings, then a list of features that each put a few pieces on the
//! board. A feature that would make the position illegal is left out, so every recipe, shrunk or not, gives a legal
//! position. Recipes are made for white to move; half of the positions are then mirrored.
//!
//! ```
//! use kogge_testkit::placement;
//! use proptest::{prop_assert_eq, proptest};
//!
//! proptest!(|((rules, position) in placement())| {
//!     prop_assert_eq!(position.check(&rules), Ok(()));
//! });
//! ```

use std::ops::Range;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use kogge_board::{Color, Piece, Position, Rules, Square};

/// Rules and a position that is legal under them.
///
/// The castling files are the orthodox ones unless a right needs others; the halfmove clock is 0 unless the
/// rules keep it.
pub type Placement = (Rules, Position);

/// Returns any legal position, of one of the kinds below, so that rare rules occur often.
pub fn placement() -> BoxedStrategy<Placement> {
    prop_oneof![3 => scattered(), 2 => checks_and_pins(), 3 => en_passant(), 3 => castling(), 1 => promotions()].boxed()
}

/// Returns positions with up to 32 pieces anywhere, sometimes very few, sometimes mostly queens or pawns.
pub fn scattered() -> BoxedStrategy<Placement> {
    recipe([anywhere(), anywhere()], Vec::new(), any_piece().boxed(), 64)
}

/// Returns kings in check and in double check, pinned men on every axis, and possible discovered checks.
pub fn checks_and_pins() -> BoxedStrategy<Placement> {
    let lines = prop_oneof![line(), line(), leap()];
    recipe([anywhere(), anywhere()], vec![vec(lines, 1..5).boxed()], any_piece().boxed(), 12)
}

/// Returns en-passant captures by one pawn or two, double pushes that may allow a capture, and kings that a
/// capture would expose.
pub fn en_passant() -> BoxedStrategy<Placement> {
    let aimed = vec((0..3u8, prop_oneof![4 => ray(0..8), 1 => ray(1..2), 1 => ray(3..4)]), 0..4);
    let passing = (0..8u8, 1..4u8, any::<bool>(), aimed).prop_map(|(file, capturers, pushed, aimed)| {
        let (passing, rank, king) = match pushed {
            true => (Feature::EnPassant { file, capturers }, 4, Color::White),
            false => (Feature::DoublePush { file, capturers }, 3, Color::Black),
        };
        let aimed = aimed.into_iter().map(|(neighbour, ray)| {
            let through = Square::at((file + neighbour).clamp(1, 8) - 1, rank);
            Feature::LineThrough { king, through, ray }
        });
        std::iter::once(passing).chain(aimed).collect()
    });
    recipe([anywhere(), anywhere()], vec![passing.boxed()], any_piece().boxed(), 16)
}

/// Returns castling rights of orthodox chess and of Chess960, with free, blocked and attacked paths.
pub fn castling() -> BoxedStrategy<Placement> {
    let attacks = (any_color(), 0..8u8, -1..=1i8, 1..7u8)
        .prop_map(|(color, file, slope, distance)| Feature::HomeAttack { color, file, slope, distance });
    recipe(
        [home(), prop_oneof![home(), anywhere()].boxed()],
        vec![vec(attacks, 0..3).boxed(), vec(line(), 0..2).boxed()],
        any_piece().boxed(),
        14,
    )
}

/// Returns pawns about to promote, by a push or by a capture.
pub fn promotions() -> BoxedStrategy<Placement> {
    let pawns = (any_color(), 0..8u8, 0..4u8, piece_but_pawn(), any::<bool>()).prop_map(
        |(color, file, captures, victim, blocked)| Feature::Promotion { color, file, captures, victim, blocked },
    );
    let kings = prop_oneof![anywhere(), anywhere(), home()].boxed();
    recipe([anywhere(), kings], vec![vec(pawns, 1..5).boxed(), vec(line(), 0..2).boxed()], any_piece().boxed(), 12)
}

/// The square of a king.
#[derive(Clone, Copy, Debug)]
enum King {
    Anywhere(Square),
    /// On the home rank, with the right to castle with a rook at a distance of `gap` squares (modulo the available
    /// squares) kingside and queenside.
    Home {
        file: u8,
        gaps: [Option<u8>; 2],
    },
}

/// The men between a king and a slider on the same line.
#[derive(Clone, Copy, Debug)]
struct Ray {
    /// The index of the direction from the king; the opposite direction is used if there is no room.
    axis: usize,
    /// The steps from the king to the man between, and from there to the slider, modulo the available room.
    steps: [i8; 2],
    /// The man between, if any, and whether it is pinned, that is, of the king's colour.
    between: Option<(bool, Piece)>,
    /// Whether the slider is a queen.
    queen: bool,
}

/// Something that puts pieces on the board.
#[derive(Clone, Copy, Debug)]
enum Feature {
    /// One piece.
    Piece(Color, Piece, Square),
    /// A slider that looks at this colour's king.
    Line { king: Color, ray: Ray },
    /// A slider that looks at this colour's king, which moves so that this square is between them.
    LineThrough { king: Color, through: Square, ray: Ray },
    /// A knight's or a pawn's check to white's king.
    Leap { piece: Piece, index: usize },
    /// Black has just pushed a pawn; white pawns stand beside it, west (1), east (2) or both (3).
    EnPassant { file: u8, capturers: u8 },
    /// White may push a pawn between black pawns.
    DoublePush { file: u8, capturers: u8 },
    /// A slider of the other colour attacks a square of this colour's home rank.
    HomeAttack { color: Color, file: u8, slope: i8, distance: u8 },
    /// A pawn before its last rank, with something to capture there west (1), east (2) or both (3).
    Promotion { color: Color, file: u8, captures: u8, victim: Piece, blocked: bool },
}

fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::White), Just(Color::Black)]
}

fn any_square() -> impl Strategy<Value = Square> {
    (0..8u8, 0..8u8).prop_map(|(file, rank)| Square::at(file, rank))
}

fn piece_but_pawn() -> impl Strategy<Value = Piece> {
    select(&Piece::PROMOTIONS[..])
}

fn any_piece() -> impl Strategy<Value = Feature> {
    let kinds = select(&Piece::ALL[..5]);
    (any_color(), kinds, any_square()).prop_map(|(color, piece, square)| Feature::Piece(color, piece, square))
}

fn anywhere() -> BoxedStrategy<King> {
    let corner = select(vec![Square::at(0, 0), Square::at(7, 0), Square::at(0, 7), Square::at(7, 7)]);
    prop_oneof![4 => any_square(), 1 => corner].prop_map(King::Anywhere).boxed()
}

fn home() -> BoxedStrategy<King> {
    let orthodox = (option::of(Just(2)), option::of(Just(3)))
        .prop_map(|(kingside, queenside)| King::Home { file: 4, gaps: [kingside, queenside] });
    let chess960 = (0..8u8, any::<[Option<u8>; 2]>()).prop_map(|(file, gaps)| King::Home { file, gaps });
    prop_oneof![orthodox, chess960].boxed()
}

fn ray(axes: Range<usize>) -> impl Strategy<Value = Ray> {
    let pinned = prop_oneof![2 => Just(true), 1 => Just(false)];
    let between = option::weighted(0.7, (pinned, select(&Piece::ALL[..5])));
    (axes, [0..64i8, 0..64i8], between, any::<bool>()).prop_map(|(axis, steps, between, queen)| Ray {
        axis,
        steps,
        between,
        queen,
    })
}

fn line() -> impl Strategy<Value = Feature> {
    let king = prop_oneof![3 => Just(Color::White), 1 => Just(Color::Black)];
    (king, ray(0..8)).prop_map(|(king, ray)| Feature::Line { king, ray })
}

fn leap() -> impl Strategy<Value = Feature> {
    let piece = prop_oneof![Just(Piece::Knight), Just(Piece::Pawn)];
    (piece, 0..8usize).prop_map(|(piece, index)| Feature::Leap { piece, index })
}

/// Returns positions from kings, then features of each group in turn, then up to `most` features of the filling.
fn recipe(
    kings: [BoxedStrategy<King>; 2],
    groups: Vec<BoxedStrategy<Vec<Feature>>>,
    filling: BoxedStrategy<Feature>,
    most: usize,
) -> BoxedStrategy<Placement> {
    // A favourite kind gives boards full of queens or pawns, which a random mix never would.
    let favourite = prop_oneof![
        3 => Just(None),
        1 => select(&Piece::ALL[..5]).prop_map(Some),
        1 => Just(Some(Piece::Queen)),
        1 => Just(Some(Piece::Pawn)),
    ];
    let clock = prop_oneof![2 => Just(None), 1 => (0..=127u8).prop_map(Some)];
    (kings, groups, vec(filling, 0..=most), favourite, clock, any::<bool>())
        .prop_map(|(kings, groups, filling, favourite, clock, mirror)| {
            let mut board = Builder::new(kings);
            for feature in groups.into_iter().flatten() {
                board.add(feature);
            }
            for (index, feature) in filling.into_iter().enumerate() {
                board.add(match (feature, favourite) {
                    (Feature::Piece(color, _, square), Some(piece)) if index % 8 != 0 => {
                        Feature::Piece(color, piece, square)
                    }
                    _ => feature,
                });
            }
            board.finish(clock, mirror)
        })
        .boxed()
}

/// A legal position under construction, white to move.
#[derive(Clone, Copy)]
struct Builder {
    rules: Rules,
    position: Position,
    /// Squares that must stay empty, such as the squares between a king and a slider.
    keep_empty: u64,
}

impl Builder {
    /// Returns a board with two kings and their castling rooks. Adjacent kings are moved apart.
    fn new([white, black]: [King; 2]) -> Self {
        let mut board = Self { rules: Rules::STANDARD, position: Position::default(), keep_empty: 0 };
        board.put_king(Color::White, white);
        let alone = board;
        board.put_king(Color::Black, black);
        if board.position.check(&board.rules).is_ok() {
            return board;
        }
        let squares = (0..64).filter_map(Square::new);
        let legal = squares.map(|square| {
            let mut board = alone;
            board.put_king(Color::Black, King::Anywhere(square));
            board
        });
        // A king and two rooks never cover the whole board.
        legal.into_iter().find(|board| board.position.check(&board.rules).is_ok()).unwrap_or(alone)
    }

    fn put_king(&mut self, color: Color, king: King) {
        match king {
            King::Anywhere(square) => self.position.put(color, Piece::King, square),
            King::Home { file, gaps } => {
                self.position.put(color, Piece::King, Square::at(file, color.home_rank()));
                let first_right = if color == Color::White { 0 } else { 2 };
                for (side, gap) in gaps.into_iter().enumerate() {
                    let room = if side == 0 { 7 - file } else { file };
                    let Some(gap) = gap.filter(|_| room > 0) else { continue };
                    let rook = if side == 0 { file + 1 + gap % room } else { file - 1 - gap % room };
                    self.position.put(color, Piece::Rook, Square::at(rook, color.home_rank()));
                    self.rules.castling_files[first_right + side] = rook;
                    let rights = self.position.state.castling() | 1 << (first_right + side);
                    self.position.state = self.position.state.with_castling(rights);
                }
            }
        }
    }

    /// Adds a feature, unless it does not fit or would make the position illegal.
    fn add(&mut self, feature: Feature) {
        let mut board = *self;
        if board.place(feature).is_some()
            && board.position.occupied() & board.keep_empty == 0
            && board.position.check(&board.rules).is_ok()
        {
            *self = board;
        }
    }

    /// Puts a piece on an empty square; a piece of the same kind may stand there already.
    fn put(&mut self, color: Color, piece: Piece, square: Square) -> Option<()> {
        match self.position.piece_at(square) {
            None => self.position.put(color, piece, square),
            Some(found) if found == (color, piece) => {}
            Some(_) => return None,
        }
        Some(())
    }

    /// Puts a feature's pieces on the board; `None` if there is no room.
    fn place(&mut self, feature: Feature) -> Option<()> {
        match feature {
            Feature::Piece(color, piece, square) => self.put(color, piece, square),
            Feature::Line { king, mut ray } => {
                let square = self.position.king(king)?;
                if room(square, ray.axis).is_none_or(|room| room < 2) {
                    ray.axis ^= OPPOSITE;
                }
                let all = room(square, ray.axis).filter(|&room| room >= 2)?;
                let near = 1 + ray.steps[0] % (all - 1);
                let far = 1 + ray.steps[1] % (all - near);
                self.line(king, square, ray, [near, far])
            }
            Feature::LineThrough { king, through, ray } => {
                let behind = 1 + ray.steps[0] % room(through, ray.axis ^ OPPOSITE)?;
                let ahead = 1 + ray.steps[1] % room(through, ray.axis)?;
                let square = step(through, ray.axis, -behind)?;
                self.position.clear(self.position.king(king)?.bit());
                self.put(king, Piece::King, square)?;
                self.line(king, square, ray, [behind, ahead])
            }
            Feature::Leap { piece, index } => {
                let king = self.position.king(Color::White)?;
                let step = if piece == Piece::Knight { KNIGHT_STEPS[index] } else { ([-1, 1][index % 2], 1) };
                self.put(Color::Black, piece, king.offset(step)?)
            }
            Feature::EnPassant { file, capturers } => {
                self.put(Color::Black, Piece::Pawn, Square::at(file, 4))?;
                self.keep_empty |= Square::at(file, 5).bit() | Square::at(file, 6).bit();
                self.position.state = self.position.state.with_en_passant(Some(file));
                self.neighbours(Color::White, Piece::Pawn, Square::at(file, 4), capturers)
            }
            Feature::DoublePush { file, capturers } => {
                self.put(Color::White, Piece::Pawn, Square::at(file, 1))?;
                self.keep_empty |= Square::at(file, 2).bit() | Square::at(file, 3).bit();
                self.neighbours(Color::Black, Piece::Pawn, Square::at(file, 3), capturers)
            }
            Feature::HomeAttack { color, file, slope, distance } => {
                let up = if color == Color::White { 1 } else { -1 };
                let target = Square::at(file, color.home_rank());
                for step in 1..distance as i8 {
                    self.keep_empty |= target.offset((slope * step, up * step))?.bit();
                }
                let slider = if slope == 0 { Piece::Rook } else { Piece::Bishop };
                let distance = distance as i8;
                self.put(color.opposite(), slider, target.offset((slope * distance, up * distance))?)
            }
            Feature::Promotion { color, file, captures, victim, blocked } => {
                let [pawn, last] = if color == Color::White { [6, 7] } else { [1, 0] };
                self.put(color, Piece::Pawn, Square::at(file, pawn))?;
                if blocked {
                    self.put(color.opposite(), victim, Square::at(file, last))?;
                }
                self.neighbours(color.opposite(), victim, Square::at(file, last), captures)
            }
        }
    }

    /// Puts a piece west (1), east (2) or on both sides (3) of a square, as far as the board goes.
    fn neighbours(&mut self, color: Color, piece: Piece, square: Square, sides: u8) -> Option<()> {
        for (side, step) in [(1, -1), (2, 1)] {
            if let Some(beside) = square.offset((step, 0)).filter(|_| sides & side != 0) {
                self.put(color, piece, beside)?;
            }
        }
        Some(())
    }

    /// Puts a slider on a ray from a king, with `near` steps to the man between and `far` steps on to the slider.
    fn line(&mut self, king: Color, from: Square, ray: Ray, [near, far]: [i8; 2]) -> Option<()> {
        for steps in 1..near + far {
            let square = step(from, ray.axis, steps)?;
            match ray.between {
                // Any man that already stands on the ray may stay.
                _ if self.position.occupied() & square.bit() != 0 => {}
                Some((pinned, piece)) if steps == near => {
                    self.put(if pinned { king } else { king.opposite() }, piece, square)?;
                }
                _ => self.keep_empty |= square.bit(),
            }
        }
        let slider = match (ray.queen, ray.axis) {
            (true, _) => Piece::Queen,
            (false, 0..4) => Piece::Rook,
            (false, _) => Piece::Bishop,
        };
        self.put(king.opposite(), slider, step(from, ray.axis, near + far)?)
    }

    fn finish(self, clock: Option<u8>, mirror: bool) -> Placement {
        let Self { mut rules, mut position, .. } = self;
        rules.halfmove_clock = clock.is_some();
        position.state = position.state.with_halfmove_clock(clock.unwrap_or(0));
        if mirror {
            position = position.mirrored();
            rules.castling_files.rotate_left(2);
        }
        (rules, position)
    }
}

/// The steps (file, rank) of a king, orthogonal steps first.
const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The steps (file, rank) of a knight.
const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The bit that distinguishes the index of a direction from the index of the opposite direction.
const OPPOSITE: usize = 2;

/// Returns the square at a distance in a direction, if it is on the board.
fn step(square: Square, axis: usize, steps: i8) -> Option<Square> {
    let (file, rank) = DIRECTIONS[axis];
    square.offset((file * steps, rank * steps))
}

/// Returns the number of steps from a square to the edge in a direction, if any.
fn room(square: Square, axis: usize) -> Option<i8> {
    (1..8).rev().find(|&steps| step(square, axis, steps).is_some())
}
