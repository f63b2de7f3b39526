//! The 10 x 12 board with its piece lists.

use kogge_board::{Color, ListMove, Piece, Position, Rules, Square, State, zobrist};

use super::make::Undo;

/// Index of a cell: a1 is 21, h8 is 98; the next file is one more, the next rank ten more.
pub(super) type Cell = u8;

/// Steps along ranks and files.
pub(super) const ORTHOGONAL: [i8; 4] = [10, -10, 1, -1];
/// Steps along diagonals.
pub(super) const DIAGONAL: [i8; 4] = [11, 9, -9, -11];
/// A king's steps.
pub(super) const KING: [i8; 8] = [10, -10, 1, -1, 11, 9, -9, -11];
/// A knight's steps.
pub(super) const KNIGHT: [i8; 8] = [21, 19, 12, 8, -8, -12, -19, -21];

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Nothing: the cell is on the border.
    Border,
    /// Nothing: the square is empty.
    Empty,
    /// This piece.
    Piece(Color, Piece),
}

/// The squares of all pieces of one kind and colour, in no particular order.
///
/// There is room for every square, so that no position, legal or not, can overflow it. Unused places
/// are zero, so that boards can be compared byte by byte.
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
    /// Where each piece's cell stands in its list; zero for cells without piece.
    places: [u8; 120],
    lists: [[PieceList; 6]; 2],
    pub(super) rules: Rules,
    pub(super) turn: Color,
    /// K Q k q as bits 0 to 3.
    pub(super) rights: u8,
    /// The cell that a pawn has just passed, if some pawn can legally capture it there.
    pub(super) passed: Option<Cell>,
    pub(super) halfmove_clock: u8,
    /// The Zobrist key of all this.
    pub(super) key: u64,
    pub(super) history: Vec<Undo>,
}

/// The cell one step further.
#[inline]
pub(super) const fn step(cell: Cell, step: i8) -> Cell {
    cell.wrapping_add_signed(step)
}

/// A step forward for this side's pawns.
#[inline]
pub(super) const fn forward(color: Color) -> i8 {
    match color {
        Color::White => 10,
        Color::Black => -10,
    }
}

/// The Zobrist word of a piece.
fn word(color: Color, piece: Piece, cell: Cell) -> u64 {
    ListMove::square(cell).map_or(0, |square| zobrist::piece(color, piece, square))
}

impl Board {
    /// A board with this position.
    pub(super) fn new(rules: &Rules, position: &Position) -> Self {
        let mut board = Self::empty(rules);
        board.set(position);
        board
    }

    /// A board without pieces.
    pub(super) fn empty(rules: &Rules) -> Self {
        Self {
            contents: [Content::Border; 120],
            places: [0; 120],
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

    /// Reads another position of the same tree in and forgets how the present one came about.
    pub(super) fn set(&mut self, position: &Position) {
        self.lists = EMPTY_LISTS;
        self.places = [0; 120];
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
        self.key = position.zobrist();
        self.history.clear();
    }

    /// Whether a pawn of the side not to move can have passed this cell. In a legal position it has;
    /// in others, capturing there would make the lists contradict the board.
    fn is_passed(&self, cell: Cell) -> bool {
        let pawn = Content::Piece(self.turn.opposite(), Piece::Pawn);
        self.content(cell) == Content::Empty && self.content(step(cell, -forward(self.turn))) == pawn
    }

    /// Writes the position out.
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

    /// Everything that is no piece.
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

    /// The cells of all pieces of one kind and colour.
    #[inline]
    pub(super) fn pieces(&self, color: Color, piece: Piece) -> &[Cell] {
        self.lists[color as usize][piece as usize].cells()
    }

    /// Where this side's king stands; `None` only in positions that are not legal.
    #[inline]
    pub(super) fn king(&self, color: Color) -> Option<Cell> {
        self.pieces(color, Piece::King).first().copied()
    }

    /// Puts a piece on an empty cell, at the end of its list.
    pub(super) fn add(&mut self, color: Color, piece: Piece, cell: Cell) {
        let place = self.lists[color as usize][piece as usize].len;
        self.insert(color, piece, cell, place);
    }

    /// Takes the piece off a cell and gives the place it had in its list, where the list's last
    /// entry now is.
    pub(super) fn remove(&mut self, cell: Cell) -> u8 {
        let Content::Piece(color, piece) = self.content(cell) else { return 0 };
        let place = self.places[usize::from(cell)];
        let list = &mut self.lists[color as usize][piece as usize];
        list.len -= 1;
        let last = std::mem::take(&mut list.cells[usize::from(list.len)]);
        if last != cell {
            list.cells[usize::from(place)] = last;
            self.places[usize::from(last)] = place;
        }
        self.places[usize::from(cell)] = 0;
        self.contents[usize::from(cell)] = Content::Empty;
        self.key ^= word(color, piece, cell);
        place
    }

    /// Puts a piece on an empty cell, at this place of its list, whose entry becomes the list's last:
    /// exactly what undoes [`Board::remove`].
    pub(super) fn insert(&mut self, color: Color, piece: Piece, cell: Cell, place: u8) {
        let list = &mut self.lists[color as usize][piece as usize];
        if place < list.len {
            let displaced = list.cells[usize::from(place)];
            list.cells[usize::from(list.len)] = displaced;
            self.places[usize::from(displaced)] = list.len;
        }
        list.cells[usize::from(place)] = cell;
        list.len += 1;
        self.places[usize::from(cell)] = place;
        self.contents[usize::from(cell)] = Content::Piece(color, piece);
        self.key ^= word(color, piece, cell);
    }

    /// Moves a piece to an empty cell; its place in its list stays the same.
    pub(super) fn shift(&mut self, from: Cell, to: Cell) {
        let Content::Piece(color, piece) = self.content(from) else { return };
        let place = std::mem::take(&mut self.places[usize::from(from)]);
        self.lists[color as usize][piece as usize].cells[usize::from(place)] = to;
        self.places[usize::from(to)] = place;
        self.contents[usize::from(to)] = self.content(from);
        self.contents[usize::from(from)] = Content::Empty;
        self.key ^= word(color, piece, from) ^ word(color, piece, to);
    }

    /// The cells from which this side's pieces attack a cell.
    pub(super) fn attackers(&self, cell: Cell, by: Color) -> impl Iterator<Item = Cell> {
        let holds = move |at: Cell, piece| self.content(at) == Content::Piece(by, piece);
        let sliders = move |steps: [i8; 4], slider: Piece| {
            let blockers = steps.into_iter().map(move |direction| self.first_not_empty(cell, direction));
            blockers.filter(move |&at| holds(at, slider) || holds(at, Piece::Queen))
        };
        let steppers = move |steps: [i8; 8], stepper: Piece| {
            steps.into_iter().map(move |direction| step(cell, direction)).filter(move |&at| holds(at, stepper))
        };
        // A pawn attacks from one rank behind the cell, as its side sees it.
        let pawns = [-1, 1].into_iter().map(move |side| step(cell, side - forward(by)));
        sliders(ORTHOGONAL, Piece::Rook)
            .chain(sliders(DIAGONAL, Piece::Bishop))
            .chain(steppers(KNIGHT, Piece::Knight))
            .chain(pawns.filter(move |&at| holds(at, Piece::Pawn)))
            .chain(steppers(KING, Piece::King))
    }

    /// The pieces that attack this side's king.
    pub(super) fn checkers(&self, color: Color) -> impl Iterator<Item = Cell> {
        self.king(color).into_iter().flat_map(move |king| self.attackers(king, color.opposite()))
    }

    /// Where a ray from this cell ends: on a piece or on the border.
    fn first_not_empty(&self, cell: Cell, direction: i8) -> Cell {
        let mut at = step(cell, direction);
        while self.content(at) == Content::Empty {
            at = step(at, direction);
        }
        at
    }
}
