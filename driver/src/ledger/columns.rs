//! The columns that differ between the kinds of ledgers, for all stores.
//!
//! Only ledgers of ranges keep the sizes of entries and the plans of sources. Queries read a constant where a column is missing, so
//! that rows of both kinds look the same.

use super::source::Source;
use super::store::{Count, Kind, Size};

/// Columns of a table, of which ledgers of positions have only the first few.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    names: &'static [&'static str],
    /// The number of columns that ledgers of this kind have.
    there: usize,
}

impl Kind {
    /// The columns of a count.
    pub(super) fn count(self) -> Columns {
        Columns { names: &["count", "positions", "paths"], there: if self == Self::Positions { 1 } else { 3 } }
    }

    /// The columns of a source.
    pub(super) fn source(self) -> Columns {
        let names = &["backend", "device", "variant", "kogge", "plan"];
        Columns { names, there: if self == Self::Positions { 4 } else { 5 } }
    }
}

impl Columns {
    /// The names of the columns that are there.
    pub(super) fn names(self) -> &'static [&'static str] {
        &self.names[..self.there]
    }

    /// Joins what `each` returns for the columns that are there, which it gets with their indices.
    pub(super) fn join(self, separator: &str, each: impl Fn(usize, &str) -> String) -> String {
        let parts = self.names().iter().enumerate().map(|(index, name)| each(index, name));
        parts.collect::<Vec<_>>().join(separator)
    }

    /// Lists the columns that are there.
    pub(super) fn list(self) -> String {
        self.names().join(", ")
    }

    /// Lists what `each` returns for the columns that are there, and a constant for each of the others.
    pub(super) fn padded(self, constant: &str, each: impl Fn(&str) -> String) -> String {
        let there = self.names().iter().map(|name| each(name));
        let others = self.names[self.there..].iter().map(|_| constant.to_owned());
        there.chain(others).collect::<Vec<_>>().join(", ")
    }
}

impl Count {
    /// The values for the columns of a count that are there.
    pub(super) fn values(&self) -> Vec<String> {
        let size = self.size.iter().flat_map(|size| [size.positions.to_string(), size.paths.to_string()]);
        std::iter::once(self.leaves.to_string()).chain(size).collect()
    }

    /// Reads a count from the values of its three columns: `None` without leaves.
    ///
    /// # Errors
    /// A description of the damage.
    pub(super) fn read([leaves, positions, paths]: [Option<String>; 3]) -> Result<Option<Self>, String> {
        let Some(leaves) = leaves else { return Ok(None) };
        let size = match positions.zip(paths) {
            Some((positions, paths)) => {
                let wrong = |_| format!("{positions:?} is not a number of positions");
                Some(Size { positions: positions.parse().map_err(wrong)?, paths: number(&paths)? })
            }
            None => None,
        };
        Ok(Some(Self { leaves: number(&leaves)?, size }))
    }
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
    pub(super) fn values(&self, kind: Kind) -> Vec<&str> {
        let Self { backend, device, variant, kogge, plan } = self;
        let all = [backend, device, variant, kogge, plan];
        all.into_iter().take(kind.source().there).map(String::as_str).collect()
    }
}
