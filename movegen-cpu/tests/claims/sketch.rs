//! Legal positions drawn feature by feature.
//!
//! White is *own*, the side to move; black is *their*, the side whose replies are counted. A man that
//! does not fit or would make the position illegal is left out, so every sketch, shrunk or not, gives a
//! legal position. Finally, half of the positions exchange the colours.

use std::ops::RangeInclusive;

use kogge_board::{Color, Piece, Position, Rules, Square};
use kogge_testkit::Placement;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// The steps (file, rank) to the eight neighbours, orthogonal steps first.
pub(crate) const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];

/// A man of a colour; `None` stands for a slider that moves along its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Man(pub(crate) Color, pub(crate) Option<Piece>);

/// The square that a feature is placed relative to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    OwnKing,
    TheirKing,
    Square(Square),
}

/// Men along a line, in one of [`DIRECTIONS`]. `beside` is the first man's distance from the anchor in files and ranks;
/// each man has a number of steps from the previous one. Squares between them stay empty.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) anchor: Anchor,
    pub(crate) beside: (i8, i8),
    pub(crate) direction: usize,
    pub(crate) men: Vec<(i8, Man)>,
}

/// The squares of the kings. With `gaps`, their king is on its home rank and may castle with rooks that are `gaps`
/// squares away (modulo the available squares) towards file h and file a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kings {
    own: Square,
    their: Square,
    gaps: Option<[Option<u8>; 2]>,
}

impl Kings {
    /// Returns kings with own king `beside` a square and their king on `their`.
    pub(crate) fn at(square: Square, beside: (i8, i8), their: Square) -> Self {
        Self { own: offset(square, beside).unwrap_or(square), their, gaps: None }
    }
}

/// A legal position under construction.
#[derive(Clone)]
struct Sketch {
    rules: Rules,
    position: Position,
    /// Squares that must stay empty.
    keep_empty: u64,
}

impl Sketch {
    fn new(kings: Kings) -> Self {
        let mut sketch = Self { rules: Rules::STANDARD, position: Position::default(), keep_empty: 0 };
        sketch.position.put(Color::Black, Piece::King, kings.their);
        if let Some(gaps) = kings.gaps {
            sketch.castling_rooks(kings.their.file(), gaps);
        }
        // With two kings and two rooks, some square of own king is always legal.
        let squares = (0..64).filter_map(|further| Square::new((kings.own.index() + further) % 64));
        for square in squares {
            if sketch.put(Color::White, Piece::King, square) {
                break;
            }
        }
        sketch
    }

    fn castling_rooks(&mut self, file: u8, gaps: [Option<u8>; 2]) {
        for (side, gap) in gaps.into_iter().enumerate() {
            let room = if side == 0 { 7 - file } else { file };
            let Some(gap) = gap.filter(|_| room > 0) else { continue };
            let rook = if side == 0 { file + 1 + gap % room } else { file - 1 - gap % room };
            self.position.put(Color::Black, Piece::Rook, Square::at(rook, 7));
            self.rules.castling_files[2 + side] = rook;
            let rights = self.position.state.castling() | 4 << side;
            self.position.state = self.position.state.with_castling(rights);
        }
    }

    /// Puts a man on an empty square, unless that would be illegal.
    fn put(&mut self, color: Color, piece: Piece, square: Square) -> bool {
        let mut position = self.position;
        position.put(color, piece, square);
        let fits = (self.position.occupied() | self.keep_empty) & square.bit() == 0;
        // No board is legal before both kings are there; from then on every board must be legal.
        let legal = fits && position.check(&self.rules).is_ok();
        if legal {
            self.position = position;
        }
        legal
    }

    fn add(&mut self, line: Line) {
        let anchor = match line.anchor {
            Anchor::OwnKing => self.position.king(Color::White),
            Anchor::TheirKing => self.position.king(Color::Black),
            Anchor::Square(square) => Some(square),
        };
        let (step, mut at) = (DIRECTIONS[line.direction], anchor.and_then(|anchor| offset(anchor, line.beside)));
        for (steps, Man(color, piece)) in line.men {
            let slider = if line.direction < 4 { Piece::Rook } else { Piece::Bishop };
            for _ in 1..steps {
                at = at.and_then(|at| offset(at, step));
                self.keep_empty |= at.map_or(0, Square::bit) & !self.position.occupied();
            }
            if steps > 0 {
                at = at.and_then(|at| offset(at, step));
            }
            if let Some(square) = at {
                self.put(color, piece.unwrap_or(slider), square);
            }
        }
    }

    fn finish(self, mirror: bool) -> Placement {
        let Self { mut rules, mut position, .. } = self;
        if mirror {
            position = position.mirrored();
            rules.castling_files.rotate_left(2);
        }
        (rules, position)
    }
}

/// Returns the square at a distance, if it is on the board.
fn offset(square: Square, (files, ranks): (i8, i8)) -> Option<Square> {
    let (file, rank) = (square.file() as i8 + files, square.rank() as i8 + ranks);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| Square::at(file as u8, rank as u8))
}

/// Returns positions from kings, then lines, then a number of other men.
pub(crate) fn sketch(
    kings: impl Strategy<Value = Kings>,
    lines: impl Strategy<Value = Vec<Line>>,
    filling: impl Strategy<Value = Line>,
    most: usize,
) -> impl Strategy<Value = Placement> {
    (kings, lines, vec(filling, 0..=most), any::<bool>()).prop_map(|(kings, lines, filling, mirror)| {
        let mut sketch = Sketch::new(kings);
        lines.into_iter().chain(filling).for_each(|line| sketch.add(line));
        sketch.finish(mirror)
    })
}

pub(crate) fn any_square() -> impl Strategy<Value = Square> {
    (0..8u8, 0..8u8).prop_map(|(file, rank)| Square::at(file, rank))
}

/// Returns kings anywhere, theirs with or without castling rights.
pub(crate) fn kings() -> impl Strategy<Value = Kings> {
    prop_oneof![
        3 => (any_square(), any_square()).prop_map(|(own, their)| Kings { own, their, gaps: None }),
        2 => home_kings(),
    ]
}

/// Returns kings with castling rights of theirs, as in orthodox chess or in Chess960.
pub(crate) fn home_kings() -> impl Strategy<Value = Kings> {
    let orthodox = [Just(Some(2)), Just(Some(3))].prop_map(|gaps| (4, gaps));
    let chess960 = (0..8u8, [option::of(0..7u8), option::of(0..7u8)]);
    (any_square(), prop_oneof![orthodox, chess960]).prop_map(|(own, (file, gaps))| Kings {
        own,
        their: Square::at(file, 7),
        gaps: Some(gaps),
    })
}

/// Moves own king so close that it attacks, or may come to attack, squares that their king may want.
pub(crate) fn close_kings(kings: impl Strategy<Value = Kings>) -> impl Strategy<Value = Kings> {
    (kings, -3..=3i8, -3..=3i8).prop_map(|(kings, files, ranks)| Kings {
        own: offset(kings.their, (files, ranks)).unwrap_or(kings.own),
        ..kings
    })
}

pub(crate) fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::White), Just(Color::Black)]
}

/// Returns a man of any kind except a king.
pub(crate) fn any_man() -> impl Strategy<Value = Man> {
    (any_color(), select(&Piece::ALL[..5])).prop_map(|(color, piece)| Man(color, Some(piece)))
}

/// Returns an own man, mostly a slider.
pub(crate) fn own_man() -> impl Strategy<Value = Man> {
    let kinds =
        [None, Some(Piece::Queen), Some(Piece::Rook), Some(Piece::Bishop), Some(Piece::Knight), Some(Piece::Pawn)];
    select(kinds.to_vec()).prop_map(|piece| Man(Color::White, piece))
}

/// Returns a slider that moves along its line.
pub(crate) fn slider(color: Color) -> impl Strategy<Value = Man> {
    select(vec![None, None, Some(Piece::Queen)]).prop_map(move |piece| Man(color, piece))
}

/// Returns a man on any square.
pub(crate) fn anywhere(man: impl Strategy<Value = Man>) -> impl Strategy<Value = Line> {
    (any_square(), man).prop_map(|(square, man)| at(Anchor::Square(square), (0, 0), man))
}

/// Returns a man at a distance from an anchor, in files and ranks.
pub(crate) fn near(
    anchor: Anchor,
    files: RangeInclusive<i8>,
    ranks: RangeInclusive<i8>,
    man: impl Strategy<Value = Man>,
) -> impl Strategy<Value = Line> {
    (files, ranks, man).prop_map(move |(files, ranks, man)| at(anchor, (files, ranks), man))
}

/// Returns a line of one man.
pub(crate) fn at(anchor: Anchor, beside: (i8, i8), man: Man) -> Line {
    Line { anchor, beside, direction: 0, men: vec![(0, man)] }
}

/// Returns men in any direction from an anchor or one of its neighbours.
pub(crate) fn line(
    anchor: impl Strategy<Value = Anchor>,
    beside: i8,
    men: impl Strategy<Value = Vec<(i8, Man)>>,
) -> impl Strategy<Value = Line> {
    let beside = (-beside..=beside, -beside..=beside);
    (anchor, beside, 0..8usize, men).prop_map(|(anchor, beside, direction, men)| Line {
        anchor,
        beside,
        direction,
        men,
    })
}
