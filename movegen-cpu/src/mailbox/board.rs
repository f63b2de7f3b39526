//! The 10 x 12 board with its piece lists.

use kogge_board::{Color, Piece, Position, Rules, Square, State};

use super::list_move::ListMove;
use super::zobrist;

/// The index of a cell: a1 is 21, h8 is 98; the next file adds 1, the next rank 10.
pub(super) type Cell = u8;

/// The steps along ranks and files.
pub(super) const ORTHOGONAL: [i8; 4] = [10, -10, 1, -1];
/// The steps along diagonals.
pub(super) const DIAGONAL: [i8; 4] = [11, 9, -9, -11];
/// The steps of a king.
pub(super) const KING: [i8; 8] = [10, -10, 1, -1, 11, 9, -9, -11];
/// The steps of a knight.
pub(super) const KNIGHT: [i8; 8] = [21, 19, 12, 8, -8, -12, -19, -21];

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// The cell is on the border.
    Border,
    /// The square is empty.
    Empty,
    /// A piece.
    Piece(Color, Piece),
}

/// The squares of all pieces of one kind and colour, in no particular order.
///
/// It has room for every square, so no position, legal or not, can overflow it. Unused entries are zero, so
/// boards can be compared byte by byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PieceList {
    cells: [Cell; 64],
    len: u8,
}

const EMPTY_LISTS: [[PieceList; 6]; 2] = [[PieceList { cells: [0; 64], len: 0 }; 6]; 2];

impl PieceList {
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells[..usize::from(self.len)]
    }
}

/// A position on which moves are made and unmade.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Board {
    contents: [Content; 120],
    /// The index of each piece's cell in its list; zero for cells without piece.
    indices: [u8; 120],
    lists: [[PieceList; 6]; 2],
    pub(super) rules: Rules,
    pub(super) turn: Color,
    /// The castling rights K Q k q as bits 0 to 3.
    pub(super) rights: u8,
    /// The cell that a pawn has just passed on a double push, if it can legally be captured there.
    pub(super) passed: Option<Cell>,
    pub(super) halfmove_clock: u8,
    /// The Zobrist key of the position.
    pub(super) key: u64,
    pub(super) history: Vec<Undo>,
}

/// The information needed to take a move back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Undo {
    pub(super) played: ListMove,
    /// The captured piece's index in its list.
    pub(super) captured_index: u8,
    /// The promoted pawn's index in its list.
    pub(super) pawn_index: u8,
    pub(super) rights: u8,
    pub(super) passed: Option<Cell>,
    pub(super) halfmove_clock: u8,
    pub(super) key: u64,
}

/// Returns the cell one step further.
#[inline]
pub(super) const fn step(cell: Cell, step: i8) -> Cell {
    cell.wrapping_add_signed(step)
}

/// Returns the step forward of this side's pawns.
#[inline]
pub(super) const fn forward(color: Color) -> i8 {
    match color {
        Color::White => 10,
        Color::Black => -10,
    }
}

/// Returns the Zobrist word of a piece.
fn word(color: Color, piece: Piece, cell: Cell) -> u64 {
    ListMove::square(cell).map_or(0, |square| zobrist::piece(color, piece, square))
}

impl Board {
    /// Makes a board with this position.
    pub(super) fn new(rules: &Rules, position: &Position) -> Self {
        let mut board = Self::empty(rules);
        board.set(position);
        board
    }

    /// Makes a board without pieces.
    pub(super) fn empty(rules: &Rules) -> Self {
        Self {
            contents: [Content::Border; 120],
            indices: [0; 120],
            lists: EMPTY_LISTS,
            rules: *rules,
            turn: Color::White,
            rights: 0,
            passed: None,
            halfmove_clock: 0,
            key: 0,
            history: Vec::new(),
        }
    }

    /// Replaces the position by another one under the same rules and clears the history.
    pub(super) fn set(&mut self, position: &Position) {
        self.lists = EMPTY_LISTS;
        self.indices = [0; 120];
        for square in (0..64).filter_map(Square::new) {
            let cell = ListMove::mailbox(square);
            self.contents[usize::from(cell)] = Content::Empty;
            if let Some((color, piece)) = position.piece_at(square) {
                self.add(color, piece, cell);
            }
        }
        self.turn = position.turn();
        self.rights = position.state.castling();
        self.passed = position.state.en_passant_square().map(ListMove::mailbox);
        if self.passed.is_some_and(|passed| !self.is_passed(passed)) {
            self.passed = None;
        }
        self.halfmove_clock = position.state.halfmove_clock();
        self.key = zobrist::key(position);
        self.history.clear();
    }

    /// Returns whether a pawn of the side not to move can just have passed this cell. Legal positions always pass
    /// this test; in an illegal one, a capture there would make the lists contradict the board.
    fn is_passed(&self, cell: Cell) -> bool {
        let pawn = Content::Piece(self.turn.opposite(), Piece::Pawn);
        self.content(cell) == Content::Empty && self.content(step(cell, -forward(self.turn))) == pawn
    }

    /// Converts the board to a position.
    pub(super) fn position(&self) -> Position {
        let mut position = Position::default();
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in self.pieces(color, piece).iter().copied().filter_map(ListMove::square) {
                    position.put(color, piece, square);
                }
            }
        }
        position.state = self.state();
        position
    }

    /// Returns the state, which is everything except the pieces.
    pub(super) fn state(&self) -> State {
        State::default()
            .with_turn(self.turn)
            .with_castling(self.rights)
            .with_en_passant(self.passed.and_then(ListMove::square).map(Square::file))
            .with_halfmove_clock(self.halfmove_clock)
    }

    #[inline]
    pub(super) fn content(&self, cell: Cell) -> Content {
        self.contents[usize::from(cell)]
    }

    /// Returns the cells of all pieces of one kind and colour.
    #[inline]
    pub(super) fn pieces(&self, color: Color, piece: Piece) -> &[Cell] {
        self.lists[color as usize][piece as usize].cells()
    }

    /// Returns the cell of this side's king; `None` only in positions that are not legal.
    #[inline]
    pub(super) fn king(&self, color: Color) -> Option<Cell> {
        self.pieces(color, Piece::King).first().copied()
    }

    /// Puts a piece on an empty cell, at the end of its list.
    pub(super) fn add(&mut self, color: Color, piece: Piece, cell: Cell) {
        let index = self.lists[color as usize][piece as usize].len;
        self.insert(color, piece, cell, index);
    }

    /// Takes the piece off a cell and returns its index in its list; the list's last entry moves there.
    pub(super) fn remove(&mut self, cell: Cell) -> u8 {
        let Content::Piece(color, piece) = self.content(cell) else { return 0 };
        let index = self.indices[usize::from(cell)];
        let list = &mut self.lists[color as usize][piece as usize];
        list.len -= 1;
        let last = std::mem::take(&mut list.cells[usize::from(list.len)]);
        if last != cell {
            list.cells[usize::from(index)] = last;
            self.indices[usize::from(last)] = index;
        }
        self.indices[usize::from(cell)] = 0;
        self.contents[usize::from(cell)] = Content::Empty;
        self.key ^= word(color, piece, cell);
        index
    }

    /// Puts a piece on an empty cell, at this index of its list, and moves the list's entry there to the end: the
    /// exact reverse of [`Board::remove`].
    pub(super) fn insert(&mut self, color: Color, piece: Piece, cell: Cell, index: u8) {
        let list = &mut self.lists[color as usize][piece as usize];
        if index < list.len {
            let displaced = list.cells[usize::from(index)];
            list.cells[usize::from(list.len)] = displaced;
            self.indices[usize::from(displaced)] = list.len;
        }
        list.cells[usize::from(index)] = cell;
        list.len += 1;
        self.indices[usize::from(cell)] = index;
        self.contents[usize::from(cell)] = Content::Piece(color, piece);
        self.key ^= word(color, piece, cell);
    }

    /// Moves a piece to an empty cell; its index in its list stays the same.
    pub(super) fn shift(&mut self, from: Cell, to: Cell) {
        let Content::Piece(color, piece) = self.content(from) else { return };
        let index = std::mem::take(&mut self.indices[usize::from(from)]);
        self.lists[color as usize][piece as usize].cells[usize::from(index)] = to;
        self.indices[usize::from(to)] = index;
        self.contents[usize::from(to)] = self.content(from);
        self.contents[usize::from(from)] = Content::Empty;
        self.key ^= word(color, piece, from) ^ word(color, piece, to);
    }

    /// Returns the cells from which this side's pieces attack a cell.
    pub(super) fn attackers(&self, cell: Cell, by: Color) -> impl Iterator<Item = Cell> {
        let holds = move |at: Cell, piece| self.content(at) == Content::Piece(by, piece);
        let sliders = move |steps: [i8; 4], slider: Piece| {
            let blockers = steps.into_iter().map(move |direction| self.first_not_empty(cell, direction));
            blockers.filter(move |&at| holds(at, slider) || holds(at, Piece::Queen))
        };
        let steppers = move |steps: [i8; 8], stepper: Piece| {
            steps.into_iter().map(move |direction| step(cell, direction)).filter(move |&at| holds(at, stepper))
        };
        // A pawn attacks from one rank behind the cell, from its side's view.
        let pawns = [-1, 1].into_iter().map(move |side| step(cell, side - forward(by)));
        sliders(ORTHOGONAL, Piece::Rook)
            .chain(sliders(DIAGONAL, Piece::Bishop))
            .chain(steppers(KNIGHT, Piece::Knight))
            .chain(pawns.filter(move |&at| holds(at, Piece::Pawn)))
            .chain(steppers(KING, Piece::King))
    }

    /// Returns the pieces that attack this side's king.
    pub(super) fn checkers(&self, color: Color) -> impl Iterator<Item = Cell> {
        self.king(color).into_iter().flat_map(move |king| self.attackers(king, color.opposite()))
    }

    /// Returns the end of a ray from this cell: a piece or the border.
    fn first_not_empty(&self, cell: Cell, direction: i8) -> Cell {
        let mut at = step(cell, direction);
        while self.content(at) == Content::Empty {
            at = step(at, direction);
        }
        at
    }
}
