//! Distinct positions, ply by ply.
//!
//! Two positions are the same when all 32 bytes of their [`Circle32`] are the same; a hash only says
//! where to look. The positions of a ply are kept in many small tables, each with its share of the
//! hashes: tables fill in parallel, and when one grows, only that one is copied. A ply that does not
//! fit in memory can be collected a share at a time in the same way.

use std::hash::BuildHasher;

use kogge_board::{Circle32, Fen, Quad48, Rules};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::driver::{EXPAND_AT_ONCE, Span, expand};
use crate::{Driver, Error, Frontier};

/// Tables that a ply is shared out to; a power of two.
const TABLES: usize = 256;

/// The distinct positions of one ply.
struct Distinct {
    tables: Vec<FxHashSet<Circle32>>,
}

impl Distinct {
    fn new() -> Self {
        Self { tables: vec![FxHashSet::default(); TABLES] }
    }

    /// Adds positions, on all cores.
    fn insert(&mut self, positions: &[Quad48]) {
        const AT_ONCE: usize = 1 << 14;
        let shares: Vec<Vec<Vec<Circle32>>> = positions.par_chunks(AT_ONCE).map(share_out).collect();
        self.tables.par_iter_mut().enumerate().for_each(|(index, table)| {
            for share in &shares {
                table.extend(&share[index]);
            }
        });
    }

    fn len(&self) -> u64 {
        self.tables.iter().map(|table| table.len() as u64).sum()
    }
}

/// Positions packed, by the table that they belong to.
fn share_out(positions: &[Quad48]) -> Vec<Vec<Circle32>> {
    let mut circles = vec![Circle32::default(); positions.len()];
    Circle32::pack_all(positions, &mut circles);
    let mut shares = vec![Vec::new(); TABLES];
    for circle in circles {
        shares[table_of(&circle)].push(circle);
    }
    shares
}

/// The table of a position. Inside a table the same hash serves, by its lowest and topmost bits, so
/// the choice of the table is left to bits between them.
fn table_of(circle: &Circle32) -> usize {
    (FxBuildHasher.hash_one(circle) >> 40) as usize % TABLES
}

impl Driver<'_> {
    /// The number of distinct positions after each ply from 0 to `plies`.
    ///
    /// Memory: the distinct positions of the last two plies, at 33 bytes each and up to twice that
    /// for empty places in the tables.
    ///
    /// # Errors
    /// [`Error::Cancelled`] with how far the ply at hand was, or the backend's.
    pub fn unique(&mut self, root: &Fen, plies: u32) -> Result<Vec<u64>, Error> {
        let root = Frontier::of(root);
        let mut distinct = Distinct::new();
        distinct.insert(root.positions());
        let mut counts = vec![distinct.len()];
        for _ in 0..plies {
            distinct = self.distinct_successors(root.rules(), distinct)?;
            counts.push(distinct.len());
        }
        Ok(counts)
    }

    /// The distinct successors of all positions, which are given up table by table.
    fn distinct_successors(&mut self, rules: &Rules, parents: Distinct) -> Result<Distinct, Error> {
        let total = parents.len() as usize;
        self.begin(total);
        let mut found = Distinct::new();
        let mut circles = Vec::new();
        let mut positions = Vec::new();
        let mut done = 0;
        let mut parents = parents.tables.into_iter().flatten();
        while done < total {
            self.check_cancelled()?;
            circles.clear();
            circles.extend(parents.by_ref().take(EXPAND_AT_ONCE));
            positions.resize(circles.len(), Quad48::default());
            Circle32::unpack_all(&circles, &mut positions);
            found.insert(&expand(self.backend, rules, &positions)?.positions);
            done += circles.len();
            self.progress.counted = found.len().into();
            self.advance(Span::WHOLE, done, total);
        }
        Ok(found)
    }
}
