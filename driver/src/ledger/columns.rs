//! The columns that differ between ledgers, for all stores.
//!
//! Only ledgers of ranges keep the sizes of entries and the plans of sources, only ledgers of version 5 keep the leaves by kind, and
//! ledgers of versions 1 and 2 keep no checksums. Queries read a constant where a column is missing, so that the rows of all
//! ledgers look the same.

use std::array;

use kogge_board::Categories;

use super::source::Source;
use super::store::{Answer, Count, Header, Kind, Size};
use crate::Counted;

/// The kinds of moves that have columns: all leaves have the column of counts.
const KINDS: usize = Categories::COUNT - 1;

/// The columns of a count: leaves, positions, paths, the leaves of each kind, and the checksum.
pub(super) const COUNT: usize = 3 + KINDS + 1;

/// The tables of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tables {
    pub(super) kind: Kind,
    pub(super) counted: Counted,
    /// Whether entries have checksums.
    pub(super) checksums: bool,
}

/// All versions of the tables: the version, the entries, what is counted below them, and whether they have checksums.
const VERSIONS: [(i64, Kind, Counted, bool); 5] = [
    (1, Kind::Positions, Counted::Leaves, false),
    (2, Kind::Ranges, Counted::Leaves, false),
    (3, Kind::Positions, Counted::Leaves, true),
    (4, Kind::Ranges, Counted::Leaves, true),
    (5, Kind::Ranges, Counted::Categories, true),
];

impl Tables {
    /// Returns the tables of this version.
    pub(super) fn of(format: i64) -> Option<Self> {
        let version = VERSIONS.into_iter().find(|&(version, ..)| version == format);
        version.map(|(_, kind, counted, checksums)| Self { kind, counted, checksums })
    }

    /// Returns the tables of a new ledger.
    pub(super) fn of_new(header: &Header) -> Self {
        Self { kind: header.kind, counted: header.counted, checksums: true }
    }

    /// Returns the version of the tables: 0 for tables that no ledger has.
    pub(super) fn format(self) -> i64 {
        let Self { kind, counted, checksums } = self;
        let version = VERSIONS.into_iter().find(|&(_, of, below, has)| (of, below, has) == (kind, counted, checksums));
        version.map_or(0, |(version, ..)| version)
    }

    /// Completes the text that makes the tables of ranges. Its comments about kinds stand for the columns of the kinds of moves: of an
    /// entry, of an answer, and their names in a list.
    pub(super) fn schema(self, text: &str, type_name: &str) -> String {
        let kinds = |each: &dyn Fn(&str) -> String| {
            let names = Categories::NAMES[1..].iter().filter(|_| self.counted == Counted::Categories);
            names.map(|name| each(name)).collect::<String>()
        };
        let of_entry = |name: &str| format!("{name} {type_name} CHECK ((count IS NULL) = ({name} IS NULL)), ");
        text.replace("/* kinds of an entry */", &kinds(&of_entry))
            .replace("/* kinds of an answer */", &kinds(&|name| format!("{name} {type_name} NOT NULL, ")))
            .replace("/* kinds */", &kinds(&|name| format!("{name}, ")))
    }

    /// The columns of a count and its checksum.
    pub(super) fn count(self) -> Columns<COUNT> {
        let (is_range, has_kinds) = (self.kind == Kind::Ranges, self.counted == Counted::Categories);
        let first = [("count", true), ("positions", is_range), ("paths", is_range)];
        Columns(array::from_fn(|index| match index {
            0..3 => first[index],
            index if index < COUNT - 1 => (Categories::NAMES[index - 2], has_kinds),
            _ => ("checksum", self.checksums),
        }))
    }

    /// The columns of a source.
    pub(super) fn source(self) -> Columns<5> {
        let is_range = self.kind == Kind::Ranges;
        Columns([("backend", true), ("device", true), ("variant", true), ("kogge", true), ("plan", is_range)])
    }
}

impl Header {
    /// Returns the version of the ledger's tables: see [`FORMAT`](super::FORMAT).
    pub fn format(&self) -> i64 {
        Tables { checksums: self.checksum.is_some(), ..Tables::of_new(self) }.format()
    }
}

/// The names of columns, and whether a ledger has them.
#[derive(Clone, Copy)]
pub(super) struct Columns<const N: usize>([(&'static str, bool); N]);

impl<const N: usize> Columns<N> {
    /// The names of the columns that are there.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.into_iter().filter_map(|(name, is_there)| is_there.then_some(name))
    }

    /// Joins what `each` returns for the columns that are there, which it gets with their indices.
    pub(super) fn join(self, separator: &str, each: impl Fn(usize, &str) -> String) -> String {
        self.names().enumerate().map(|(index, name)| each(index, name)).collect::<Vec<_>>().join(separator)
    }

    /// Lists the columns that are there.
    pub(super) fn list(self) -> String {
        self.names().collect::<Vec<_>>().join(", ")
    }

    /// Lists what `each` returns for the columns that are there, and a constant for each of the others.
    pub(super) fn padded(self, constant: &str, each: impl Fn(&str) -> String) -> String {
        let column = |(name, is_there)| if is_there { each(name) } else { constant.to_owned() };
        self.0.map(column).join(", ")
    }

    /// Keeps the values of the columns that are there.
    fn keep<T>(self, values: [T; N]) -> impl Iterator<Item = T> {
        self.0.into_iter().zip(values).filter_map(|((_, is_there), value)| is_there.then_some(value))
    }
}

impl Answer {
    /// The values for the columns of a count that are there.
    pub(super) fn values(&self, tables: Tables) -> Vec<String> {
        let Count { leaves, size, categories } = self.count;
        let (size, categories) = (size.unwrap_or_default(), categories.unwrap_or_default().to_array());
        let first = [leaves, size.positions.into(), size.paths];
        let all: [u128; COUNT] = array::from_fn(|index| match index {
            0..3 => first[index],
            index if index < COUNT - 1 => categories[index - 2],
            _ => self.checksum().into(),
        });
        tables.count().keep(all).map(|value| value.to_string()).collect()
    }
}

/// A count as a store keeps it, with its checksum.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) count: Count,
    pub(super) checksum: Option<u64>,
}

impl Kept {
    /// Reads a count from the values of its columns: `None` without leaves.
    ///
    /// # Errors
    /// A description of the damage.
    pub(super) fn read(values: [Option<String>; COUNT]) -> Result<Option<Self>, String> {
        let [leaves, positions, paths, kinds @ .., checksum] = values;
        let Some(leaves) = leaves.as_deref().map(number).transpose()? else { return Ok(None) };
        let size = match positions.zip(paths) {
            Some((positions, paths)) => {
                let wrong = |_| format!("{positions:?} is not a number of positions");
                Some(Size { positions: positions.parse().map_err(wrong)?, paths: number(&paths)? })
            }
            None => None,
        };
        let kinds: Option<Vec<String>> = kinds.into_iter().collect();
        let categories = match kinds {
            Some(kinds) => {
                let mut numbers = [leaves; Categories::COUNT];
                for (slot, kind) in numbers[1..].iter_mut().zip(&kinds) {
                    *slot = number(kind)?;
                }
                Some(Categories::from_array(numbers))
            }
            None => None,
        };
        let checksum = checksum.map(|text| checksum_of(&text)).transpose()?;
        Ok(Some(Self { count: Count { leaves, size, categories }, checksum }))
    }
}

impl Tables {
    /// Reads the checksum of the tree and the entries, which only ledgers of versions 1 and 2 lack.
    ///
    /// # Errors
    /// A description of the damage.
    pub(super) fn tree_checksum(self, text: Option<&str>) -> Result<Option<u64>, String> {
        match text {
            None if self.checksums => Err("the checksum of its tree is missing".to_owned()),
            text => text.map(checksum_of).transpose(),
        }
    }
}

/// Reads a checksum.
///
/// # Errors
/// A description of the damage.
fn checksum_of(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a checksum"))
}

/// Reads a number of up to 128 bits.
///
/// # Errors
/// A description of the damage.
pub(super) fn number(text: &str) -> Result<u128, String> {
    text.parse().map_err(|_| format!("{text:?} is not a count"))
}

impl Source {
    /// The values for the columns of a source that are there.
    pub(super) fn values(&self, tables: Tables) -> Vec<&str> {
        let Self { backend, device, variant, kogge, plan } = self;
        tables.source().keep([backend, device, variant, kogge, plan]).map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_their_columns() {
        let columns = [1, 2, 3, 4, 5].map(|format| Tables::of(format).expect("it exists").count().list());
        let expected = [
            "count",
            "count, positions, paths",
            "count, checksum",
            "count, positions, paths, checksum",
            "count, positions, paths, captures, en_passant, castles, promotions, checks, discovered, double, mates, checksum",
        ];
        assert_eq!(columns, expected);
        assert!([i64::MIN, -1, 0, 6, i64::MAX].iter().all(|&format| Tables::of(format).is_none()));
        for (format, kind, counted, checksums) in VERSIONS {
            assert_eq!(Tables { kind, counted, checksums }.format(), format);
        }
    }
}
