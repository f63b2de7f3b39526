//! The board of 10 x 12 squares, and how it reads a FEN.
//!
//! The outer squares are [`OFF`], so a piece that leaves the board meets a square that it cannot enter.

use super::faults::{Fault, Faults};

/// A square: 21 is a1, 28 is h1 and 98 is h8.
pub(super) type Square = u8;
/// The content of a square: a kind, and [`BLACK_BIT`] for black; [`EMPTY`] and [`OFF`].
pub(super) type Piece = u8;

pub(super) const EMPTY: Piece = 0;
pub(super) const PAWN: u8 = 1;
pub(super) const KNIGHT: u8 = 2;
pub(super) const BISHOP: u8 = 3;
pub(super) const ROOK: u8 = 4;
pub(super) const QUEEN: u8 = 5;
pub(super) const KING: u8 = 6;
pub(super) const BLACK_BIT: u8 = 8;
pub(super) const OFF: Piece = 16;

/// The colours, as indices.
pub(super) const WHITE: usize = 0;
pub(super) const BLACK: usize = 1;

pub(super) const A1: Square = 21;
pub(super) const H8: Square = 98;

/// The letters of the kinds, as in a FEN for black.
pub(super) const LETTERS: &[u8; 7] = b".pnbrqk";

/// The 64 squares.
pub(super) const SQUARES: [Square; 64] = {
    let mut squares = [0; 64];
    let mut index = 0;
    while index < 64 {
        squares[index] = square(index as u8 % 8, index as u8 / 8);
        index += 1;
    }
    squares
};

pub(super) const fn square(file: u8, rank: u8) -> Square {
    21 + file + 10 * rank
}

pub(super) const fn file(square: Square) -> u8 {
    square % 10 - 1
}

pub(super) const fn rank(square: Square) -> u8 {
    square / 10 - 2
}

pub(super) const fn step(square: Square, by: i8) -> Square {
    square.wrapping_add_signed(by)
}

pub(super) const fn kind(piece: Piece) -> u8 {
    piece & 7
}

/// Makes a piece of a kind and a colour.
pub(super) const fn man(kind: u8, color: usize) -> Piece {
    if color == WHITE { kind } else { kind | BLACK_BIT }
}

pub(super) const fn is_of(piece: Piece, color: usize) -> bool {
    piece != EMPTY && (piece >> 3) as usize == color
}

/// The direction in which a colour's pawns go.
pub(super) const fn up(color: usize) -> i8 {
    if color == WHITE { 10 } else { -10 }
}

pub(super) fn square_name(square: Square) -> String {
    format!("{}{}", (b'a' + file(square)) as char, rank(square) + 1)
}

/// The numbers of which the Zobrist key is made.
pub(super) struct Keys {
    pub(super) pieces: [[u64; 120]; 16],
    pub(super) castling: [u64; 16],
    pub(super) files: [u64; 8],
    pub(super) black: u64,
}

pub(super) static KEYS: Keys = {
    let mut keys = Keys { pieces: [[0; 120]; 16], castling: [0; 16], files: [0; 8], black: mix(1) };
    let mut index = 0;
    while index < 16 * 120 {
        keys.pieces[index / 120][index % 120] = mix(index as u64 + 100);
        index += 1;
    }
    let mut index = 0;
    while index < 16 {
        keys.castling[index] = mix(index as u64 + 10);
        keys.files[index % 8] = mix(index as u64 + 50);
        index += 1;
    }
    keys
};

/// Mixes a number as in SplitMix64.
const fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// What a move changes and undoing it cannot compute.
#[derive(Clone, Copy)]
pub(super) struct Past {
    pub(super) castling: u8,
    pub(super) passed: Square,
    pub(super) captured: Piece,
    pub(super) captured_on: Square,
    pub(super) key: u64,
}

/// A position, and the past of the moves that led to it.
#[derive(Clone)]
pub(super) struct Board {
    pub(super) faults: Faults,
    pub(super) squares: [Piece; 120],
    pub(super) kings: [Square; 2],
    /// The kings' squares in the FEN, from which they castle.
    pub(super) king_homes: [Square; 2],
    /// The squares of the rooks of the rights K, Q, k and q.
    pub(super) rook_homes: [Square; 4],
    /// The rights K, Q, k and q as bits 0 to 3.
    pub(super) castling: u8,
    /// The square that the last double push passed, or 0.
    pub(super) passed: Square,
    pub(super) side: usize,
    pub(super) key: u64,
    pub(super) past: Vec<Past>,
}

impl Board {
    /// Reads a FEN, X-FEN or Shredder-FEN; `None` if it is none, or if a king is missing.
    pub(super) fn read(fen: &str, faults: Faults) -> Option<Self> {
        let mut fields = fen.split_whitespace();
        let mut board = Self {
            faults,
            squares: [OFF; 120],
            kings: [0; 2],
            king_homes: [0; 2],
            rook_homes: [0; 4],
            castling: 0,
            passed: 0,
            side: WHITE,
            key: 0,
            past: Vec::new(),
        };
        board.place(fields.next()?)?;
        board.side = match fields.next()? {
            "w" => WHITE,
            "b" => BLACK,
            _ => return None,
        };
        for letter in fields.next()?.bytes().filter(|&letter| letter != b'-') {
            board.add_right(letter)?;
        }
        if let &[file @ b'a'..=b'h', rank @ (b'3' | b'6')] = fields.next()?.as_bytes() {
            board.passed = square(file - b'a', rank - b'1');
        }
        board.key = board.whole_key();
        Some(board)
    }

    fn place(&mut self, men: &str) -> Option<()> {
        SQUARES.iter().for_each(|&at| self.squares[usize::from(at)] = EMPTY);
        for (row, line) in men.split('/').enumerate() {
            let mut column = 0;
            for letter in line.bytes() {
                if letter.is_ascii_digit() {
                    column += letter - b'0';
                    continue;
                }
                let kind = LETTERS.iter().position(|&known| known == letter.to_ascii_lowercase())? as u8;
                let color = usize::from(letter.is_ascii_lowercase());
                if row > 7 || column > 7 {
                    return None;
                }
                let at = square(column, 7 - row as u8);
                self.squares[usize::from(at)] = man(kind, color);
                if kind == KING {
                    self.kings[color] = at;
                }
                column += 1;
            }
        }
        self.king_homes = self.kings;
        (self.kings[WHITE] != 0 && self.kings[BLACK] != 0).then_some(())
    }

    /// Adds a castling right: K or Q for the outermost rook, or the rook's file.
    fn add_right(&mut self, letter: u8) -> Option<()> {
        let color = usize::from(letter.is_ascii_lowercase());
        let king = self.kings[color];
        if rank(king) != 7 * color as u8 {
            return None;
        }
        let rook = man(ROOK, color);
        let has_rook = |&at: &Square| self.squares[usize::from(at)] == rook;
        let home = |file| square(file, 7 * color as u8);
        let at = match letter.to_ascii_lowercase() {
            b'k' => (0..8).rev().map(home).find(has_rook)?,
            b'q' => (0..8).map(home).find(has_rook)?,
            file @ b'a'..=b'h' => home(file - b'a'),
            _ => return None,
        };
        let right = 2 * color + usize::from(at < king);
        self.rook_homes[right] = at;
        self.castling |= 1 << right;
        Some(())
    }

    /// Computes the Zobrist key of the whole position.
    fn whole_key(&self) -> u64 {
        let pieces = SQUARES.map(|at| KEYS.pieces[usize::from(self.squares[usize::from(at)])][usize::from(at)]);
        let empty = SQUARES.map(|at| KEYS.pieces[usize::from(EMPTY)][usize::from(at)]);
        let men = pieces.iter().chain(&empty).fold(0, |key, number| key ^ number);
        let side = if self.side == BLACK { KEYS.black } else { 0 };
        men ^ side ^ self.state_key()
    }

    /// The part of the key for the castling rights and the en-passant square.
    pub(super) fn state_key(&self) -> u64 {
        let mut key = 0;
        if !self.faults.has(Fault::KeyLacksCastling) {
            key ^= KEYS.castling[usize::from(self.castling)];
        }
        if self.passed != 0 && !self.faults.has(Fault::KeyLacksEnPassant) {
            key ^= KEYS.files[usize::from(file(self.passed))];
        }
        key
    }
}
