//! Device memory: how much of what.

use kogge_board::Quad48;
use kogge_board::breadth_first::{MOST_MOVES, Sizes};

use crate::options::{Choice, Positions};
use crate::runtime::{Buffer, Failure, Packed, Queue};

/// Roots of a batch, at most.
const ROOTS: usize = 1 << 18;
/// Successors that leave the device at once, at most.
const SUCCESSORS: usize = 1 << 20;

/// The buffers of one level of the tree.
pub(crate) struct Level {
    pub(crate) positions: Buffer<Packed>,
    /// Whose tree each position belongs to; in minimax, what each position is worth.
    pub(crate) roots: Buffer<u32>,
    /// Legal moves of each position, and where they begin within their block.
    pub(crate) counts: Buffer<u32>,
    pub(crate) offsets: Buffer<u32>,
    /// Where the moves of each block begin.
    pub(crate) bases: Buffer<u32>,
}

/// All buffers.
pub(crate) struct Buffers {
    pub(crate) levels: Vec<Level>,
    /// Moves that are being written.
    pub(crate) items: Buffer<u64>,
    /// How many there are.
    pub(crate) item_count: Buffer<u32>,
    /// Whether there was no room for all of them.
    pub(crate) lost: Buffer<u32>,
    /// How many successors there are.
    pub(crate) successor_count: Buffer<u32>,
    pub(crate) block_sums: Buffer<u32>,
    /// Two words for each root, the lower first.
    pub(crate) totals: Buffer<[u32; 2]>,
    /// Positions on their way in and out.
    pub(crate) quads: Buffer<Quad48>,
    pub(crate) successors: Buffer<Quad48>,
    /// The [table](crate::tables::table) of lines and perhaps of attacks.
    pub(crate) lines: Buffer<[u64; 2]>,
}

/// The sizes after halving what was asked for this many times; `None` if they were as small as can be before that.
pub(crate) fn sizes(choice: &Choice, halvings: u32) -> Option<Sizes> {
    let least = choice.group * MOST_MOVES as usize;
    let half = |asked: usize, halvings: u32| least.max(asked.checked_shr(halvings).unwrap_or(0));
    let sizes = |halvings| Sizes {
        roots: half(ROOTS.min(choice.positions), halvings),
        positions: half(choice.positions, halvings),
        moves: half(choice.moves, halvings),
        successors: half(SUCCESSORS.min(choice.moves), halvings),
        block: choice.group,
    };
    (halvings == 0 || sizes(halvings) != sizes(halvings - 1)).then(|| sizes(halvings))
}

/// How many bytes buffers of these sizes, with positions in this form, and a table take, and the largest of them.
pub(crate) fn bytes(sizes: &Sizes, levels: usize, form: Positions, table: &[[u64; 2]]) -> (u64, u64) {
    let position = form.bytes() as u64;
    let blocks = sizes.positions.div_ceil(sizes.block) as u64;
    let [roots, positions, moves, successors] =
        [sizes.roots, sizes.positions, sizes.moves, sizes.successors].map(|count| count as u64);
    let level = positions * (position + 3 * 4) + blocks * 4;
    let rest = moves * 8 + blocks * 4 + roots * (8 + 48) + successors * 48 + size_of_val(table) as u64;
    let largest = (positions * position).max(moves * 8).max(successors * 48).max(roots * 48);
    (level * levels as u64 + rest, largest)
}

impl Buffers {
    /// Takes the memory.
    pub(crate) fn new(
        queue: &Queue,
        sizes: &Sizes,
        levels: usize,
        form: Positions,
        table: &[[u64; 2]],
    ) -> Result<Self, Failure> {
        let blocks = sizes.positions.div_ceil(sizes.block);
        let lines = queue.buffer(table.len())?;
        queue.write(&lines, table)?;
        let level = || {
            Ok(Level {
                positions: queue.buffer(sizes.positions * (form.bytes() / size_of::<Packed>()))?,
                roots: queue.buffer(sizes.positions)?,
                counts: queue.buffer(sizes.positions)?,
                offsets: queue.buffer(sizes.positions)?,
                bases: queue.buffer(blocks)?,
            })
        };
        Ok(Self {
            levels: (0..levels).map(|_| level()).collect::<Result<_, Failure>>()?,
            items: queue.buffer(sizes.moves)?,
            item_count: queue.buffer(1)?,
            lost: queue.buffer(1)?,
            successor_count: queue.buffer(1)?,
            block_sums: queue.buffer(blocks)?,
            totals: queue.buffer(sizes.roots)?,
            quads: queue.buffer(sizes.roots)?,
            successors: queue.buffer(sizes.successors)?,
            lines,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Sliders, Traversal};

    fn choice() -> Choice {
        Choice {
            sliders: Sliders::Fill,
            position_form: Positions::Planes32,
            traversal: Traversal::BreadthFirst,
            group: 64,
            replies_group: 64,
            count_group: 64,
            count_groups: 8,
            quiescence_groups: 8,
            queued_per_lane: 40,
            spread_per_lane: 40,
            closed_form: true,
            positions: 1 << 22,
            moves: 1 << 25,
            memory: 1 << 30,
            nvidia: false,
            registers: None,
            compiler: String::new(),
        }
    }

    #[test]
    fn sizes_halve_down_to_what_a_block_needs() {
        let choice = choice();
        let least = 64 * MOST_MOVES as usize;
        let mut previous = sizes(&choice, 0).unwrap();
        assert_eq!((previous.positions, previous.moves), (1 << 22, 1 << 25));
        let mut halvings = 1;
        while let Some(next) = sizes(&choice, halvings) {
            for form in Positions::ALL {
                assert!(bytes(&next, 5, form, &[]).0 < bytes(&previous, 5, form, &[]).0);
            }
            let [small, large] = Positions::ALL.map(|form| bytes(&next, 5, form, &[]).0);
            assert_eq!(large - small, 5 * 16 * next.positions as u64);
            assert!([next.roots, next.positions, next.moves, next.successors].iter().all(|&count| count >= least));
            previous = next;
            halvings += 1;
        }
        assert_eq!([previous.roots, previous.positions, previous.moves, previous.successors], [least; 4]);
        assert_eq!(sizes(&choice, u32::MAX), None);
    }
}
