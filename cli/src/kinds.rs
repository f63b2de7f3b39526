//! Leaves by kinds of moves, in text and in JSON.

use std::io::{self, Write};
use std::iter::once;

use kogge::Categories;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The leaves of a depth by the moves that lead to them.
pub(crate) struct Kinds {
    pub(crate) depth: u32,
    pub(crate) categories: Categories,
}

impl Serialize for Kinds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("depth", &self.depth)?;
        let kinds = Categories::NAMES.iter().zip(self.categories.to_array());
        kinds.into_iter().try_for_each(|(name, leaves)| map.serialize_entry(name, &leaves))?;
        map.end()
    }
}

/// The heads of the table: the depth, then the kinds.
const HEADS: [&str; Categories::COUNT + 1] =
    ["depth", "nodes", "captures", "e.p.", "castles", "promotions", "checks", "discovered", "double", "mates"];

/// Prints a row for each depth.
pub(crate) fn table<'a>(rows: impl IntoIterator<Item = &'a Kinds>, to: &mut dyn Write) -> io::Result<()> {
    let cells =
        |row: &Kinds| once(row.depth.into()).chain(row.categories.to_array()).map(|cell| cell.to_string()).collect();
    let heads = HEADS.map(str::to_owned).to_vec();
    let lines: Vec<Vec<_>> = once(heads).chain(rows.into_iter().map(cells)).collect();
    let widths: [usize; Categories::COUNT + 1] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0));
    for line in &lines {
        let cells: Vec<_> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(to, "{}", cells.join("  "))?;
    }
    Ok(())
}
