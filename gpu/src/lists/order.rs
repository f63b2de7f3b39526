//! Puts the entries of a ply in the order of the other side's pieces.
//!
//! A move leaves the other side's pieces as they are, unless it captures. So the successors of entries with the same pieces of the
//! other side are mostly equal only to each other. Most captured pieces have not moved before. Therefore the order ignores pieces where
//! most entries have them.

use bytemuck::Zeroable;
use kogge_board::Planes32;

use super::shard::{PARTS, Shard, planes_of};
use crate::arguments::{CountByOpponent, OrderByOpponent};
use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::kernels::Part;
use crate::runner::{Retry, Runner};

/// Bytes of an entry's number.
pub(super) const NUMBER: u64 = 4;

/// The number of entries for each part of the order on average, and the greatest number of parts, as a power of two.
const ENTRIES_EACH: u64 = 64;
const MOST_BITS: u32 = 20;

/// The number of blocks of entries that show where most entries have their pieces, and the entries of a block.
const BLOCKS: u64 = 16;
const BLOCK: u64 = 16;

/// The order of a list's entries: by part, then by shard.
pub(super) struct Order<I: Interface> {
    /// The numbers of each shard's entries.
    pub(super) numbers: Vec<Buffer<I, u32>>,
    /// The place where each part of each shard begins among the shard's entries, and the end of the last.
    starts: Vec<Vec<u32>>,
    /// The number of entries that are in order: all, unless the list has changed since.
    pub(super) len: u64,
}

impl<I: Interface> Order<I> {
    pub(super) fn bytes(&self) -> u64 {
        self.numbers.iter().map(Buffer::bytes).sum()
    }

    /// Puts the entries of a list's shards in order.
    pub(super) async fn of(runner: &mut Runner<I>, shards: &[Shard<I>]) -> Result<Self, Retry> {
        let len = shards.iter().map(|shard| shard.len).sum::<u64>();
        let bits = (len / ENTRIES_EACH).max(2).ilog2().min(MOST_BITS);
        let words = reference(runner, shards).await?;
        let made = async {
            let reference = runner.list_buffer("reference", words.len()).await?;
            Ok((reference, runner.list_buffer("opponent_counts", 1 << bits).await?))
        };
        let made = made.await.map_err(|failure| runner.failed("to put positions in order", failure));
        let (reference, opponent_counts) = made?;
        runner.write("pieces", &reference, &words)?;
        let mut order = Self { numbers: Vec::new(), starts: Vec::new(), len };
        for shard in shards {
            let (numbers, starts) = Self::of_shard(runner, shard, &reference, &opponent_counts).await?;
            order.numbers.push(numbers);
            order.starts.push(starts);
        }
        Ok(order)
    }

    /// Puts the entries of a shard in order.
    async fn of_shard(
        runner: &mut Runner<I>,
        shard: &Shard<I>,
        reference: &Buffer<I, u32>,
        opponent_counts: &Buffer<I, u32>,
    ) -> Result<(Buffer<I, u32>, Vec<u32>), Retry> {
        let (entries, len, parts) = (&shard.positions, shard.len as usize, opponent_counts.len());
        let (end, shift) = (len as u32, u32::BITS - parts.ilog2());
        let made = runner.list_buffer("order", len).await;
        let numbers = made.map_err(|failure| runner.failed("to put positions in order", failure))?;
        runner.clear("the numbers of positions", opponent_counts, parts)?;
        // SAFETY: the shard has these entries, and each part has a count.
        unsafe { runner.launch(len, CountByOpponent { entries, reference, opponent_counts, end, shift }) }.await?;
        let mut starts = runner.read("the numbers of positions", opponent_counts, 0, parts).await?;
        let mut place = 0_u32;
        for count in &mut starts {
            place = place.wrapping_add(std::mem::replace(count, place));
        }
        if place != end {
            return Err(runner.wrong(format!("it counted {place} positions, and there are {end}.")));
        }
        runner.write("the places of positions", opponent_counts, &starts)?;
        // Whatever the device does, the order holds numbers of entries.
        runner.clear("the order of positions", &numbers, len)?;
        let arguments = OrderByOpponent { entries, reference, opponent_counts, new_order: &numbers, end, shift };
        // SAFETY: as above; the kernel writes only places in the order.
        unsafe { runner.launch(len, arguments) }.await?;
        starts.push(end);
        Ok((numbers, starts))
    }

    /// Returns the place of each shard's first entry that is not among the first `len` of the list.
    pub(super) fn cut(&self, len: u64) -> Vec<u64> {
        let before = |part: usize| self.starts.iter().map(|starts| u64::from(starts[part])).sum::<u64>();
        let parts = self.starts.first().map_or(0, |starts| starts.len().saturating_sub(1));
        // The last part that begins before the cut.
        let (mut part, mut end) = (0, parts);
        while part + 1 < end {
            let middle = part.midpoint(end);
            *(if before(middle) <= len { &mut part } else { &mut end }) = middle;
        }
        let mut rest = len.saturating_sub(before(part));
        let place = |starts: &Vec<u32>| {
            let [start, end] = [starts[part], starts[parts.min(part + 1)]].map(u64::from);
            let taken = rest.min(end - start);
            rest -= taken;
            start + taken
        };
        self.starts.iter().map(place).collect()
    }
}

/// Returns the planes of the other side's pieces that most of some entries have on the same squares, low words first.
async fn reference<I: Interface>(runner: &mut Runner<I>, shards: &[Shard<I>]) -> Result<[u32; 6], Retry> {
    let mut pieces = [[0_u32; 8]; 64];
    let mut looked_at = 0;
    // A hash spreads entries over the shards, so one shard shows what all have.
    if let Some(shard) = shards.iter().find(|shard| shard.len > 0) {
        let (blocks, block) = if shard.len < BLOCKS * BLOCK { (1, shard.len) } else { (BLOCKS, BLOCK) };
        let block = block as usize * PARTS;
        let mut positions = vec![Part::zeroed(); blocks as usize * block];
        let readings = (0..).zip(positions.chunks_mut(block)).map(|(number, block)| {
            let first = (shard.len * number / blocks) as usize * PARTS;
            shard.positions.reading(first, block)
        });
        runner.read_all("positions", readings).await?;
        for position in positions.chunks(PARTS) {
            let Planes32 { codes, own } = planes_of(position);
            for (square, codes_here) in pieces.iter_mut().enumerate() {
                let bit = |plane: u64| (plane & !own) >> square & 1;
                codes_here[codes.iter().rev().fold(0, |code, &plane| 2 * code + bit(plane)) as usize] += 1;
            }
            looked_at += 1;
        }
    }
    let mut planes = [0_u64; 3];
    for (square, codes) in pieces.iter().enumerate() {
        if let Some(code) = (1..8).find(|&code| 2 * codes[code] > looked_at) {
            (0..3).for_each(|plane| planes[plane] |= (code as u64 >> plane & 1) << square);
        }
    }
    let words = planes.map(|plane| [plane as u32, (plane >> 32) as u32]);
    Ok([words[0][0], words[0][1], words[1][0], words[1][1], words[2][0], words[2][1]])
}
