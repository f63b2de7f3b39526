//! Properties of merged positions: those reached by one path only, and their diagrams.

use std::ops::Range;

use kogge_board::merge::{DiagramPart, MergeError};
use rayon::prelude::*;

use super::CpuMerge;
use crate::backend::shard::{Boards, planes32};

impl CpuMerge<'_> {
    /// Counts the successors with multiplicity 1.
    pub(super) fn count_reached_once(&mut self, successors: Range<u64>) -> Result<u64, MergeError> {
        let numbered = self.number();
        let index = self.or_forget(numbered)?;
        let once = index.pieces(successors).map(|(number, range)| {
            let shard = &self.successors.shards[number];
            range.filter(|&index| shard.multiplicity(index) == 1).count() as u64
        });
        let once = once.sum();
        self.index = Some(index);
        Ok(once)
    }

    /// Counts the diagrams in a part of them. Each thread looks at all positions and has a part of this part.
    pub(super) fn count_diagrams(&self, part: u32, parts: u32) -> Result<u64, MergeError> {
        let (pool, shards, len) = (&self.cores.pool, &self.successors.shards, self.successors.len());
        let threads = pool.current_num_threads() as u32;
        let count = |thread| {
            let mut diagrams = DiagramPart::new(part * threads + thread, parts * threads, len)?;
            for Boards(position) in shards.iter().flat_map(|shard| shard.positions()) {
                diagrams.add(&planes32(position))?;
            }
            Ok(diagrams.len() as u64)
        };
        pool.install(|| (0..threads).into_par_iter().with_max_len(1).map(count).sum())
    }
}
