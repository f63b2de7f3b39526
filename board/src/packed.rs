//! The common trait of the packed formats, and their names.

use bytemuck::Pod;
use thiserror::Error;

use crate::{Position, PositionError, Rules};

/// A position packed into a fixed number of bytes.
///
/// The type may hold any bytes; [`PackedPosition::unpack`] accepts only bytes that a legal position packs to.
///
/// ```
/// use kogge_board::{Circle32, Fen, PackedPosition, Pieces38};
/// let fen = Fen::start();
/// let bytes = bytemuck::bytes_of(&Circle32::pack(&fen.position)).to_vec();
/// let packed: Circle32 = bytemuck::pod_read_unaligned(&bytes);
/// assert_eq!(packed.unpack(&fen.rules)?, fen.position);
/// assert!(Pieces38::default().unpack(&fen.rules).is_err());
/// # Ok::<(), kogge_board::UnpackError>(())
/// ```
pub trait PackedPosition: Pod + Eq {
    /// The format's name and properties.
    const FORMAT: Format;

    /// Packs a legal position. For other positions the result is unspecified.
    fn pack(position: &Position) -> Self;

    /// Returns the position in these bytes without a check. Arbitrary bytes give a meaningless position, but no panic.
    fn unpack_unchecked(&self) -> Position;

    /// Returns the position in these bytes.
    ///
    /// # Errors
    /// If the position is not legal, or if it packs to other bytes.
    fn unpack(&self, rules: &Rules) -> Result<Position, UnpackError> {
        let position = self.unpack_unchecked();
        position.check(rules)?;
        if Self::pack(&position) == *self { Ok(position) } else { Err(UnpackError::NotCanonical(Self::FORMAT)) }
    }
}

/// The reason why bytes are not a packed position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnpackError {
    /// The number of bytes is wrong for the format.
    #[error("The {format} format has exactly {} bytes; {found} were given.", .format.size())]
    Length {
        /// The format.
        format: Format,
        /// The number of bytes given.
        found: usize,
    },
    /// The position is legal, but its packed form differs from these bytes.
    #[error(
        "The bytes hold a legal position, but not as the {0} format writes it; pack the position again to get its one form."
    )]
    NotCanonical(Format),
    /// The position is not legal.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// The name of a packed format, for choosing one at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// [`Quad48`](crate::Quad48).
    Quad48,
    /// [`Circle32`](crate::Circle32).
    Circle32,
    /// [`Five42`](crate::Five42).
    Five42,
    /// [`Pieces38`](crate::Pieces38).
    Pieces38,
    /// [`Pieces64`](crate::Pieces64).
    Pieces64,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Quad48, Self::Circle32, Self::Five42, Self::Pieces38, Self::Pieces64];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quad48 => "quad48",
            Self::Circle32 => "circle32",
            Self::Five42 => "five42",
            Self::Pieces38 => "pieces38",
            Self::Pieces64 => "pieces64",
        }
    }
}
