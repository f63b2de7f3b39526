//! Squares, pieces and colours.

use std::fmt;
use std::str::FromStr;

/// One of the 64 squares; a1 = 0, b1 = 1, h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square with this index, or `None` if it is over 63.
    ///
    /// ```
    /// use kogge_board::Square;
    /// assert_eq!(Square::new(63), Some(Square::at(7, 7)));
    /// assert_eq!(Square::new(64), None);
    /// ```
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// Returns the square on this file and rank; both are taken modulo 8.
    ///
    /// ```
    /// assert_eq!(kogge_board::Square::at(4, 3).to_string(), "e4");
    /// ```
    pub const fn at(file: u8, rank: u8) -> Self {
        Self((rank & 7) * 8 + (file & 7))
    }

    /// Returns the square of the lowest set bit, or `None` for the empty board.
    ///
    /// ```
    /// use kogge_board::Square;
    /// assert_eq!(Square::of(0b1100), Some(Square::at(2, 0)));
    /// assert_eq!(Square::of(0), None);
    /// ```
    pub const fn of(board: u64) -> Option<Self> {
        Self::new(board.trailing_zeros() as u8)
    }

    /// Returns the index, 0 to 63.
    ///
    /// ```
    /// use kogge_board::Square;
    /// assert_eq!(["a1", "b1", "a2", "h8"].map(|name| name.parse().map(Square::index)), [Ok(0), Ok(1), Ok(8), Ok(63)]);
    /// ```
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Returns the file, 0 (file a) to 7 (file h).
    ///
    /// ```
    /// use kogge_board::Square;
    /// assert_eq!("e4".parse().map(Square::file), Ok(4));
    /// ```
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Returns the rank, 0 (rank 1) to 7 (rank 8).
    ///
    /// ```
    /// use kogge_board::Square;
    /// assert_eq!("e4".parse().map(Square::rank), Ok(3));
    /// ```
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the board with only this square.
    ///
    /// ```
    /// use kogge_board::Square;
    /// let centre = [(3, 3), (4, 3), (3, 4), (4, 4)].map(|(file, rank)| Square::at(file, rank).bit());
    /// assert_eq!(centre.iter().sum::<u64>(), 0x0000_0018_1800_0000);
    /// ```
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Returns the square on the same file and the opposite rank.
    ///
    /// ```
    /// use kogge_board::Square;
    /// assert_eq!("e2".parse().map(Square::flip), "e7".parse());
    /// ```
    pub const fn flip(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// Returns the square at a distance of files and ranks, if it is on the board.
    ///
    /// ```
    /// use kogge_board::Square;
    /// let g1 = Square::at(6, 0);
    /// assert_eq!(g1.offset((-1, 2)), Some(Square::at(5, 2)));
    /// assert_eq!(g1.offset((2, 1)), None);
    /// ```
    pub fn offset(self, (files, ranks): (i8, i8)) -> Option<Self> {
        let (file, rank) = (self.file() as i8 + files, self.rank() as i8 + ranks);
        ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| Self::at(file as u8, rank as u8))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [file, rank] = [b'a' + self.file(), b'1' + self.rank()].map(char::from);
        write!(f, "{file}{rank}")
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ();

    /// Reads `a1` to `h8`, in lower case.
    fn from_str(text: &str) -> Result<Self, ()> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self::at(file - b'a', rank - b'1')),
            _ => Err(()),
        }
    }
}

/// White or black.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Color {
    /// Up the board, from rank 1 towards rank 8.
    White,
    /// Down the board.
    Black,
}

impl Color {
    /// Both colours, white first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// Returns the other colour.
    ///
    /// ```
    /// use kogge_board::Color;
    /// assert_eq!(Color::ALL.map(Color::opposite), [Color::Black, Color::White]);
    /// ```
    pub const fn opposite(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Returns the index of the rank where this colour's king and rooks start: 0 or 7.
    ///
    /// ```
    /// use kogge_board::{Color, Square};
    /// assert_eq!(Color::ALL.map(|color| Square::at(4, color.home_rank()).to_string()), ["e1", "e8"]);
    /// ```
    pub const fn home_rank(self) -> u8 {
        match self {
            Self::White => 0,
            Self::Black => 7,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "white",
            Self::Black => "black",
        })
    }
}

/// A kind of piece; kinds are ordered by value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Piece {
    /// Pawn.
    Pawn = 0,
    /// Knight.
    Knight = 1,
    /// Bishop.
    Bishop = 2,
    /// Rook.
    Rook = 3,
    /// Queen.
    Queen = 4,
    /// King.
    King = 5,
}

impl Piece {
    /// All kinds, pawn first.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];
    /// The kinds that a pawn may promote to, in generation order.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// Returns the kind with this number (0 pawn to 5 king).
    ///
    /// ```
    /// use kogge_board::Piece;
    /// assert_eq!(Piece::new(4), Some(Piece::Queen));
    /// assert_eq!(Piece::new(6), None);
    /// ```
    pub const fn new(number: u8) -> Option<Self> {
        if number < 6 { Some(Self::ALL[number as usize]) } else { None }
    }

    /// Returns the lower-case letter of FEN and UCI.
    ///
    /// ```
    /// use kogge_board::Piece;
    /// assert_eq!(Piece::ALL.map(Piece::letter), ['p', 'n', 'b', 'r', 'q', 'k']);
    /// ```
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
        }
    }

    /// Returns the kind with this letter, in either case.
    ///
    /// ```
    /// use kogge_board::Piece;
    /// assert_eq!(Piece::from_letter('N'), Some(Piece::Knight));
    /// assert_eq!(Piece::from_letter('s'), None);
    /// ```
    pub const fn from_letter(letter: char) -> Option<Self> {
        if letter.is_ascii() { BY_LETTER[letter as usize] } else { None }
    }
}

/// The kinds of pieces by their letters, small and capital.
const BY_LETTER: [Option<Piece>; 128] = {
    let mut kinds = [None; 128];
    let mut next = 0;
    while next < Piece::ALL.len() {
        let piece = Piece::ALL[next];
        kinds[piece.letter() as usize] = Some(piece);
        kinds[piece.letter().to_ascii_uppercase() as usize] = Some(piece);
        next += 1;
    }
    kinds
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_round_trip() {
        for index in 0..64 {
            let square = Square::new(index).unwrap();
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::of(square.bit()), Some(square));
            assert_eq!(Square::at(square.file(), square.rank()), square);
        }
        for text in ["", "a", "a9", "i1", "A1", "a1 ", "é"] {
            assert!(text.parse::<Square>().is_err(), "{text}");
        }
    }

    #[test]
    fn letters_round_trip() {
        for piece in Piece::ALL {
            assert_eq!(Piece::from_letter(piece.letter()), Some(piece));
            assert_eq!(Piece::new(piece as u8), Some(piece));
        }
    }
}
