//! Leaves by kinds of moves, in text and in JSON.

use std::io::{self, Write};
use std::iter::once;

use kogge_board::Categories;
use serde::Serialize;

/// The leaves of a depth by the moves that lead to them.
#[derive(Serialize)]
pub(crate) struct Kinds {
    depth: u32,
    pub(crate) nodes: u128,
    captures: u128,
    en_passant: u128,
    castles: u128,
    promotions: u128,
    checks: u128,
    discovered: u128,
    double: u128,
    mates: u128,
}

/// The heads of the table: the depth, then the kinds.
const HEADS: [&str; Categories::COUNT + 1] =
    ["depth", "nodes", "captures", "e.p.", "castles", "promotions", "checks", "discovered", "double", "mates"];

impl Kinds {
    pub(crate) fn new(depth: u32, categories: &Categories) -> Self {
        let &Categories { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates } =
            categories;
        Self { depth, nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates }
    }

    fn cells(&self) -> [u128; Categories::COUNT + 1] {
        let &Self { depth, nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates } = self;
        [depth.into(), nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates]
    }
}

/// Prints a row for each depth.
pub(crate) fn table<'a>(rows: impl IntoIterator<Item = &'a Kinds>, to: &mut dyn Write) -> io::Result<()> {
    let rows = rows.into_iter().map(|row| row.cells().map(|cell| cell.to_string()));
    let lines: Vec<_> = once(HEADS.map(str::to_owned)).chain(rows).collect();
    let widths: [usize; Categories::COUNT + 1] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0));
    for line in &lines {
        let cells: Vec<_> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(to, "{}", cells.join("  "))?;
    }
    Ok(())
}
