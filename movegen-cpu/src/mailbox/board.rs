//! The 10 x 12 board with its piece lists.

use kogge_board::{Color, Piece, Position, Rules, Square, State, zobrist};

use super::list_move::ListMove;

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

/// Returns the Zobrist word of a piece on a cell.
#[inline]
fn piece_key(color: Color, piece: Piece, cell: Cell) -> u64 {
    ListMove::square(cell).map_or(0, |square| zobrist::piece(color, piece, square))
}

/// The number of cells in memory.
const CELLS: usize = 128;

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
/// It has room for every square, so no position, legal or not, can overflow it. Unused entries are zero, so boards can
/// be compared byte by byte.
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
    /// The 120 cells and 8 more border cells: the number is a power of two, so no index needs a check.
    contents: [Content; CELLS],
    /// The index of each piece's cell in its list; zero for cells without piece.
    indices: [u8; CELLS],
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

#[inline]
pub(super) const fn step(cell: Cell, step: i8) -> Cell {
    cell.wrapping_add_signed(step)
}

#[inline]
const fn at(cell: Cell) -> usize {
    cell as usize % CELLS
}

#[inline]
pub(super) const fn forward(color: Color) -> i8 {
    match color {
        Color::White => 10,
        Color::Black => -10,
    }
}

impl Board {
    pub(super) fn new(rules: &Rules, position: &Position) -> Self {
        let mut board = Self::empty(rules);
        board.set(position);
        board
    }

    pub(super) fn empty(rules: &Rules) -> Self {
        Self {
            contents: [Content::Border; CELLS],
            indices: [0; CELLS],
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
        self.indices = [0; CELLS];
        for square in (0..64).filter_map(Square::new) {
            let cell = ListMove::mailbox(square);
            self.contents[at(cell)] = Content::Empty;
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
        self.key = position.zobrist_key();
        self.history.clear();
    }

    /// Returns whether a pawn of the side not to move can have passed this cell with its last move. Legal positions
    /// always pass this test; in an illegal position, a capture there would make the lists contradict the board.
    fn is_passed(&self, cell: Cell) -> bool {
        let pawn = Content::Piece(self.turn.opposite(), Piece::Pawn);
        self.content(cell) == Content::Empty && self.content(step(cell, -forward(self.turn))) == pawn
    }

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

    pub(super) fn state(&self) -> State {
        State::default()
            .with_turn(self.turn)
            .with_castling(self.rights)
            .with_en_passant(self.passed.and_then(ListMove::square).map(Square::file))
            .with_halfmove_clock(self.halfmove_clock)
    }

    /// Returns the part of the key that depends on the state.
    #[inline]
    pub(super) fn state_key(&self) -> u64 {
        // The second digit of a cell counts files from 1.
        let passed = self.passed.map_or(0, |cell| zobrist::en_passant(cell % 10 - 1));
        zobrist::turn(self.turn) ^ zobrist::castling(self.rights) ^ passed
    }

    #[inline]
    pub(super) fn content(&self, cell: Cell) -> Content {
        self.contents[at(cell)]
    }

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

    /// Removes the piece from a cell and returns its index in its list; the list's last entry takes this index.
    pub(super) fn remove(&mut self, cell: Cell) -> u8 {
        let Content::Piece(color, piece) = self.content(cell) else { return 0 };
        let index = self.indices[at(cell)];
        let list = &mut self.lists[color as usize][piece as usize];
        list.len -= 1;
        let last = std::mem::take(&mut list.cells[usize::from(list.len)]);
        if last != cell {
            list.cells[usize::from(index)] = last;
            self.indices[at(last)] = index;
        }
        self.indices[at(cell)] = 0;
        self.contents[at(cell)] = Content::Empty;
        self.key ^= piece_key(color, piece, cell);
        index
    }

    /// Puts a piece on an empty cell, at this index of its list, and moves the entry at this index to the end: the
    /// exact reverse of [`Board::remove`].
    pub(super) fn insert(&mut self, color: Color, piece: Piece, cell: Cell, index: u8) {
        let list = &mut self.lists[color as usize][piece as usize];
        if index < list.len {
            let displaced = list.cells[usize::from(index)];
            list.cells[usize::from(list.len)] = displaced;
            self.indices[at(displaced)] = list.len;
        }
        list.cells[usize::from(index)] = cell;
        list.len += 1;
        self.indices[at(cell)] = index;
        self.contents[at(cell)] = Content::Piece(color, piece);
        self.key ^= piece_key(color, piece, cell);
    }

    /// Moves a piece to an empty cell; its index in its list stays the same.
    pub(super) fn shift(&mut self, from: Cell, to: Cell) {
        let Content::Piece(color, piece) = self.content(from) else { return };
        let index = std::mem::take(&mut self.indices[at(from)]);
        self.lists[color as usize][piece as usize].cells[usize::from(index)] = to;
        self.indices[at(to)] = index;
        self.contents[at(to)] = self.content(from);
        self.contents[at(from)] = Content::Empty;
        self.key ^= piece_key(color, piece, from) ^ piece_key(color, piece, to);
    }

    /// Calls `found` with each cell from which this side's pieces attack a cell, until it returns true. Returns whether it
    /// did.
    #[inline]
    fn any_attacker(&self, cell: Cell, by: Color, mut found: impl FnMut(Cell) -> bool) -> bool {
        for (steps, slider) in [(ORTHOGONAL, Piece::Rook), (DIAGONAL, Piece::Bishop)] {
            for direction in steps {
                let at = self.first_not_empty(cell, direction);
                let content = self.content(at);
                let attacks = content == Content::Piece(by, slider) || content == Content::Piece(by, Piece::Queen);
                if attacks && found(at) {
                    return true;
                }
            }
        }
        for (steps, stepper) in [(KNIGHT, Piece::Knight), (KING, Piece::King)] {
            for direction in steps {
                let at = step(cell, direction);
                if self.content(at) == Content::Piece(by, stepper) && found(at) {
                    return true;
                }
            }
        }
        for side in [-1, 1] {
            // A pawn attacks from one rank behind the cell, as its side sees the board.
            let at = step(cell, side - forward(by));
            if self.content(at) == Content::Piece(by, Piece::Pawn) && found(at) {
                return true;
            }
        }
        false
    }

    pub(super) fn is_attacked(&self, cell: Cell, by: Color) -> bool {
        self.any_attacker(cell, by, |_| true)
    }

    pub(super) fn is_check(&self, color: Color) -> bool {
        self.king(color).is_some_and(|king| self.is_attacked(king, color.opposite()))
    }

    pub(super) fn checkers(&self, color: Color) -> Vec<Cell> {
        let mut checkers = Vec::new();
        if let Some(king) = self.king(color) {
            self.any_attacker(king, color.opposite(), |checker| {
                checkers.push(checker);
                false
            });
        }
        checkers
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
