//! Squares, pieces and colours.

use std::fmt;
use std::str::FromStr;

/// One of the 64 squares; a1 = 0, b1 = 1, h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square with this index, or `None` if it is over 63.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// Returns the square on this file and rank; both are taken modulo 8.
    pub const fn at(file: u8, rank: u8) -> Self {
        Self((rank & 7) * 8 + (file & 7))
    }

    /// Returns the square of the lowest set bit, or `None` for the empty board.
    pub const fn of(board: u64) -> Option<Self> {
        Self::new(board.trailing_zeros() as u8)
    }

    /// Returns the index, 0 to 63.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Returns the file, 0 (file a) to 7 (file h).
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Returns the rank, 0 (rank 1) to 7 (rank 8).
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the board with only this square.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Returns the square on the same file and the opposite rank.
    pub const fn flip(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// Returns the square at a distance of files and ranks, if it is on the board.
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
    pub const fn opposite(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Returns the index of the rank where this colour's king and rooks start: 0 or 7.
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
    pub const fn new(number: u8) -> Option<Self> {
        if number < 6 { Some(Self::ALL[number as usize]) } else { None }
    }

    /// Returns the lower-case letter of FEN and UCI.
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
    pub const fn from_letter(letter: char) -> Option<Self> {
        Some(match letter.to_ascii_lowercase() {
            'p' => Self::Pawn,
            'n' => Self::Knight,
            'b' => Self::Bishop,
            'r' => Self::Rook,
            'q' => Self::Queen,
            'k' => Self::King,
            _ => return None,
        })
    }
}

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
