//! The evaluation's sets of squares, for one board or for several boards side by side.

use std::ops::{BitAnd, BitOr, Not};

use crate::bits::{NOT_FILE_A, NOT_FILE_H};

/// A set of squares that describes a side, on a board where the side moves up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Feature {
    /// Its pawns.
    Pawns,
    /// Its knights.
    Knights,
    /// Its bishops.
    Bishops,
    /// Its rooks.
    Rooks,
    /// Its queens.
    Queens,
    /// Its king.
    King,
    /// Pawns without a pawn of the other side ahead on the same or a neighbouring file.
    PassedPawns,
    /// Pawns without a pawn of their own side on the neighbouring files.
    IsolatedPawns,
    /// Pawns behind another pawn of the same side and file.
    DoubledPawns,
    /// Pawns that a pawn protects.
    ProtectedPawns,
    /// Knights and bishops that a pawn protects.
    ProtectedMinors,
    /// All bishops except one.
    BishopPair,
    /// Rooks on files without a pawn of their own side.
    RooksOnHalfOpenFiles,
    /// Rooks on files without any pawn.
    RooksOnOpenFiles,
    /// Pawns on the two ranks before the king, on its file and the neighbouring files.
    KingShield,
    /// Squares that its knights can go to, except squares that enemy pawns attack.
    KnightMobility,
    /// Squares that its bishops and queens can go to along diagonals, except squares that enemy pawns attack.
    DiagonalMobility,
    /// Squares that its rooks and queens can go to along files and ranks, except squares that enemy pawns attack.
    OrthogonalMobility,
    /// Squares next to the enemy king that its knights, bishops, rooks and queens attack.
    KingAttack,
    /// Enemy pieces that its pawns attack.
    PawnThreats,
    /// Enemy men that its pieces attack and that no pawn protects.
    Threats,
}

/// The number of features.
pub const FEATURES: usize = Feature::Threats as usize + 1;

/// A board, or a vector of boards, one in each lane.
pub trait Boards: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Returns the same board in every lane.
    fn splat(board: u64) -> Self;

    /// Moves all squares by a constant distance, towards h8 if it is positive.
    fn shift<const DISTANCE: i32>(self) -> Self;

    /// Subtracts lane by lane and wraps.
    fn sub(self, other: Self) -> Self;

    /// Flips the boards upside down: reverses the bytes of each lane.
    fn flip(self) -> Self;

    /// Removes the squares of another board.
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self & !other
    }
}

impl Boards for u64 {
    #[inline(always)]
    fn splat(board: u64) -> Self {
        board
    }

    #[inline(always)]
    fn shift<const DISTANCE: i32>(self) -> Self {
        if DISTANCE >= 0 { self << DISTANCE } else { self >> -DISTANCE }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn flip(self) -> Self {
        self.swap_bytes()
    }
}

/// One side's men, on a board where that side moves up.
#[derive(Clone, Copy, Debug)]
pub struct Men<B> {
    /// Its pawns.
    pub pawns: B,
    /// Its knights.
    pub knights: B,
    /// Its bishops.
    pub bishops: B,
    /// Its rooks.
    pub rooks: B,
    /// Its queens.
    pub queens: B,
    /// Its king.
    pub king: B,
    /// All its men.
    pub all: B,
}

/// The squares that one side's pieces attack, on a board where that side moves up.
#[derive(Clone, Copy, Debug)]
pub struct PieceAttacks<B> {
    /// Squares that its knights attack.
    pub knights: B,
    /// Squares that its bishops and queens attack along diagonals.
    pub diagonal: B,
    /// Squares that its rooks and queens attack along files and ranks.
    pub orthogonal: B,
}

impl<B: Boards> PieceAttacks<B> {
    /// Returns all attacked squares.
    #[inline(always)]
    pub fn all(&self) -> B {
        self.knights | self.diagonal | self.orthogonal
    }
}

impl<B: Boards> Men<B> {
    /// Returns the men on these squares of a position. The other boards are the words of a
    /// [`Quad48`](crate::Quad48), the pawns without state bits.
    #[inline(always)]
    pub fn new(pawns: B, knights: B, bishops_queens: B, rooks_queens: B, kings: B, squares: B) -> Self {
        let queens = bishops_queens & rooks_queens & squares;
        Self {
            pawns: pawns & squares,
            knights: knights & squares,
            bishops: (bishops_queens & squares).without(queens),
            rooks: (rooks_queens & squares).without(queens),
            queens,
            king: kings & squares,
            all: squares,
        }
    }

    /// Returns the men on the flipped board.
    #[inline(always)]
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self {
            pawns: self.pawns.flip(),
            knights: self.knights.flip(),
            bishops: self.bishops.flip(),
            rooks: self.rooks.flip(),
            queens: self.queens.flip(),
            king: self.king.flip(),
            all: self.all.flip(),
        }
    }

    /// Returns the sets of all features, in the order of [`Feature`].
    #[inline(always)]
    pub fn features(&self, their: &Self, attacks: &PieceAttacks<B>) -> [B; FEATURES] {
        let &Self { pawns, knights, bishops, rooks, queens, king, all } = self;
        let files = up(down(pawns));
        let stoppers = down(their.pawns).shift::<-8>();
        let protected = pawn_attacks_up(pawns);
        let half_open = rooks.without(files);
        let before_king = king.shift::<8>() | king.shift::<16>();
        let hostile = pawn_attacks_down(their.pawns);
        let allowed = !(all | hostile);
        let attacked = attacks.all();
        [
            pawns,
            knights,
            bishops,
            rooks,
            queens,
            king,
            pawns.without(stoppers | beside(stoppers)),
            pawns.without(beside(files)),
            pawns & up(pawns).shift::<8>(),
            pawns & protected,
            (knights | bishops) & protected,
            bishops & bishops.sub(B::splat(1)),
            half_open,
            half_open.without(up(down(their.pawns))),
            pawns & (before_king | beside(before_king)),
            attacks.knights & allowed,
            attacks.diagonal & allowed,
            attacks.orthogonal & allowed,
            attacked & neighbours(their.king),
            protected & their.all.without(their.pawns | their.king),
            attacked & their.all.without(their.king | hostile),
        ]
    }
}

/// Returns the squares of a board and all squares above them.
#[inline(always)]
fn up<B: Boards>(board: B) -> B {
    let board = board | board.shift::<8>();
    let board = board | board.shift::<16>();
    board | board.shift::<32>()
}

/// Returns the squares of a board and all squares below them.
#[inline(always)]
fn down<B: Boards>(board: B) -> B {
    let board = board | board.shift::<-8>();
    let board = board | board.shift::<-16>();
    board | board.shift::<-32>()
}

/// Returns the squares to the left and right of the squares of a board.
#[inline(always)]
fn beside<B: Boards>(board: B) -> B {
    board.shift::<1>() & B::splat(NOT_FILE_A) | board.shift::<-1>() & B::splat(NOT_FILE_H)
}

#[inline(always)]
fn neighbours<B: Boards>(king: B) -> B {
    let row = king | beside(king);
    (row | row.shift::<8>() | row.shift::<-8>()).without(king)
}

#[inline(always)]
fn pawn_attacks_up<B: Boards>(pawns: B) -> B {
    beside(pawns).shift::<8>()
}

#[inline(always)]
fn pawn_attacks_down<B: Boards>(pawns: B) -> B {
    beside(pawns).shift::<-8>()
}
