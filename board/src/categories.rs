//! Leaves by the kinds of moves that lead to them.

/// The leaves of a tree by the kinds of moves that lead to them.
///
/// ```
/// use kogge_board::Categories;
/// let one = Categories { nodes: 20, checks: 1, ..Categories::default() };
/// assert_eq!(one.times(3).and_then(|three| three.plus(&one)).map(|four| four.nodes), Some(80));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Categories {
    /// All leaves.
    pub nodes: u128,
    /// Captures, en passant included.
    pub captures: u128,
    /// Captures en passant.
    pub en_passant: u128,
    /// Castlings.
    pub castles: u128,
    /// Promotions, with or without capture.
    pub promotions: u128,
    /// Checks of every kind, mates included.
    pub checks: u128,
    /// Checks by exactly one piece, which is not the piece that moved. In castling the rook moves too, so its check counts
    /// as direct.
    pub discovered: u128,
    /// Checks by two pieces.
    pub double: u128,
    /// Checks that leave no legal move.
    pub mates: u128,
}

impl Categories {
    /// The number of categories.
    pub const COUNT: usize = 9;

    /// The names of the numbers, in the order of the fields.
    pub const NAMES: [&str; Self::COUNT] =
        ["nodes", "captures", "en_passant", "castles", "promotions", "checks", "discovered", "double", "mates"];

    /// The single leaf of a tree of depth 0, which no move leads to.
    pub const ROOT: Self = Self::from_array([1, 0, 0, 0, 0, 0, 0, 0, 0]);

    /// Returns the numbers in the order of the fields.
    pub const fn to_array(&self) -> [u128; Self::COUNT] {
        let &Self { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates } = self;
        [nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates]
    }

    /// Returns the categories with these numbers, in the order of the fields.
    pub const fn from_array(numbers: [u128; Self::COUNT]) -> Self {
        let [nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates] = numbers;
        Self { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates }
    }

    /// Returns the sums of both, or `None` if one exceeds 128 bits.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.with(&other.to_array(), u128::checked_add)
    }

    /// Returns every number times a multiplicity, or `None` if one exceeds 128 bits.
    pub fn times(&self, multiplicity: u128) -> Option<Self> {
        self.with(&[multiplicity; Self::COUNT], u128::checked_mul)
    }

    fn with(&self, others: &[u128; Self::COUNT], operation: fn(u128, u128) -> Option<u128>) -> Option<Self> {
        let mut numbers = self.to_array();
        for (number, &other) in numbers.iter_mut().zip(others) {
            *number = operation(*number, other)?;
        }
        Some(Self::from_array(numbers))
    }
}
