//! The columns that differ between ledgers, for all stores.
//!
//! Only ledgers of ranges keep the sizes of entries and the plans of sources, and only ledgers of versions 3 and 4 keep checksums.
//! Queries read a constant where a column is missing, so that the rows of all ledgers look the same.

use super::source::Source;
use super::store::{Answer, Count, Header, Kind, Size};

/// The tables of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tables {
    pub(super) kind: Kind,
    /// Whether entries have checksums.
    pub(super) checksums: bool,
}

impl Tables {
    /// Returns the tables of this version.
    pub(super) fn of(format: i64) -> Option<Self> {
        let all = [Kind::Positions, Kind::Ranges].into_iter().flat_map(|kind| [(kind, false), (kind, true)]);
        all.map(|(kind, checksums)| Self { kind, checksums }).find(|tables| tables.format() == format)
    }

    /// Returns the version of the tables.
    pub(super) const fn format(self) -> i64 {
        match (self.kind, self.checksums) {
            (Kind::Positions, false) => 1,
            (Kind::Ranges, false) => 2,
            (Kind::Positions, true) => 3,
            (Kind::Ranges, true) => 4,
        }
    }

    /// Returns the version of new ledgers.
    pub(super) const fn newest(kind: Kind) -> i64 {
        Self { kind, checksums: true }.format()
    }

    /// The columns of a count and its checksum.
    pub(super) fn count(self) -> Columns<4> {
        let is_range = self.kind == Kind::Ranges;
        Columns([("count", true), ("positions", is_range), ("paths", is_range), ("checksum", self.checksums)])
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
        Tables { kind: self.kind, checksums: self.checksum.is_some() }.format()
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
        let size = self.count.size.unwrap_or_default();
        let all = [self.count.leaves, size.positions.into(), size.paths, self.checksum().into()];
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
    /// Reads a count from the values of its four columns: `None` without leaves.
    ///
    /// # Errors
    /// A description of the damage.
    pub(super) fn read([leaves, positions, paths, checksum]: [Option<String>; 4]) -> Result<Option<Self>, String> {
        let Some(leaves) = leaves else { return Ok(None) };
        let size = match positions.zip(paths) {
            Some((positions, paths)) => {
                let wrong = |_| format!("{positions:?} is not a number of positions");
                Some(Size { positions: positions.parse().map_err(wrong)?, paths: number(&paths)? })
            }
            None => None,
        };
        let checksum = checksum.map(|text| checksum_of(&text)).transpose()?;
        Ok(Some(Self { count: Count { leaves: number(&leaves)?, size }, checksum }))
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
        let columns = [1, 2, 3, 4].map(|format| Tables::of(format).expect("it exists").count().list());
        let expected = ["count", "count, positions, paths", "count, checksum", "count, positions, paths, checksum"];
        assert_eq!(columns, expected);
        assert!([i64::MIN, -1, 0, 5, i64::MAX].iter().all(|&format| Tables::of(format).is_none()));
        for kind in [Kind::Positions, Kind::Ranges] {
            for checksums in [false, true] {
                let tables = Tables { kind, checksums };
                assert_eq!(Tables::of(tables.format()), Some(tables));
            }
        }
    }
}
