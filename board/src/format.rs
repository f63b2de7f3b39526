//! The packed formats: their table.
//!
//! | format | bytes | use |
//! |---|---|---|
//! | [`Quad48`] | 48 | computing: the working format of every backend |
//! | [`Circle32`] | 32 | storage, transfer, hash keys |
//! | [`Five42`] | 42 | computing in little memory |
//! | [`Pieces38`] | 38 | few bytes, easy to read for other programs; no halfmove clock |
//! | [`Pieces64`] | 64 | as `Pieces38`, with one 16-bit word per piece |
//!
//! In every format, two positions have equal bytes if and only if the positions are equal; formats without
//! halfmove clock ignore it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Circle32, Five42, Format, PackedPosition, Pieces38, Pieces64, Position, Quad48, Rules, UnpackError, fen};

// The formats are defined by their bytes in memory, and their words are little-endian.
const _: () = assert!(cfg!(target_endian = "little"), "kogge's packed formats need a little-endian machine");

/// Evaluates an expression with the type of a format.
macro_rules! with_type {
    ($format:expr, $type:ident => $value:expr) => {
        with_type!(@ $format, $type, $value, Quad48, Circle32, Five42, Pieces38, Pieces64)
    };
    (@ $format:expr, $type:ident, $value:expr, $($name:ident),*) => {
        match $format {
            $(Format::$name => {
                type $type = $name;
                $value
            })*
        }
    };
}

impl Format {
    /// Returns the number of bytes of a position.
    pub const fn size(self) -> usize {
        with_type!(self, T => size_of::<T>())
    }

    /// Returns whether the format keeps the halfmove clock; if not, the clock unpacks as 0.
    pub const fn keeps_halfmove_clock(self) -> bool {
        !matches!(self, Self::Pieces38)
    }

    /// Returns the bytes of a legal position, in memory order.
    pub fn pack(self, position: &Position) -> Vec<u8> {
        with_type!(self, T => bytemuck::bytes_of(&T::pack(position)).to_vec())
    }

    /// Returns the position in these bytes.
    ///
    /// # Errors
    /// If there are too many or too few bytes; the errors of [`PackedPosition::unpack`].
    pub fn unpack(self, bytes: &[u8], rules: &Rules) -> Result<Position, UnpackError> {
        with_type!(self, T => match bytemuck::try_pod_read_unaligned::<T>(bytes) {
            Ok(packed) => PackedPosition::unpack(&packed, rules),
            Err(_) => Err(UnpackError::Length { format: self, found: bytes.len() }),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An unknown format name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("There is no format {}; expected one of quad48, circle32, five42, pieces38 and pieces64.", fen::quote(.0))]
pub struct FormatError(pub String);

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| FormatError(name.to_owned()))
    }
}

impl PackedPosition for Quad48 {
    const FORMAT: Format = Format::Quad48;

    fn pack(position: &Position) -> Self {
        Self::from(position)
    }

    fn unpack_unchecked(&self) -> Position {
        Self::unpack_unchecked(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fen;

    #[test]
    fn names_round_trip_and_sizes_are_in_them() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert!(format.name().ends_with(&format.size().to_string()));
        }
        let error = "Circle32".parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            error,
            "There is no format \"Circle32\"; expected one of quad48, circle32, five42, pieces38 and pieces64."
        );
        assert!(Format::ALL.iter().all(|format| error.contains(format.name())));
    }

    #[test]
    fn the_start_position_round_trips_in_every_format() {
        let Fen { position, rules, .. } = Fen::start();
        for format in Format::ALL {
            let bytes = format.pack(&position);
            assert_eq!(bytes.len(), format.size());
            assert_eq!(format.unpack(&bytes, &rules), Ok(position), "{format}");
        }
    }

    #[test]
    fn other_lengths_are_refused() {
        for format in Format::ALL {
            for length in [0, format.size() - 1, format.size() + 1, 1000] {
                let error = format.unpack(&vec![0; length], &Rules::STANDARD).unwrap_err();
                assert_eq!(error, UnpackError::Length { format, found: length });
                assert!(error.to_string().contains(&format!("exactly {} bytes", format.size())), "{error}");
            }
        }
    }
}
