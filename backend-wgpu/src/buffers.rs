//! Device memory: how much of what.

use kogge_board::breadth_first::{MOST_MOVES, Sizes};
use kogge_board::{Planes32, Quad48};

use crate::kernels::lines;
use crate::options::Choice;
use crate::runtime::{Buffer, Failure, Gpu};

/// Roots of a batch, at most.
const ROOTS: usize = 1 << 18;
/// Successors that leave the device at once, at most.
const SUCCESSORS: usize = 1 << 20;

/// The buffers of one level of the tree.
pub(crate) struct Level {
    pub(crate) positions: Buffer<Planes32>,
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
    /// Moves that are being written: the move, and the index of its position.
    pub(crate) items: Buffer<[u32; 2]>,
    /// How many there are. In quiescence: how many positions are taken, and whether there is more to do.
    pub(crate) item_count: Buffer<u32>,
    pub(crate) block_sums: Buffer<u32>,
    /// Two words for each root, the lower first, after two that say whether there was no room for some move.
    pub(crate) totals: Buffer<[u32; 2]>,
    /// Positions on their way in and out.
    pub(crate) quads: Buffer<Quad48>,
    pub(crate) successors: Buffer<Quad48>,
    /// The table [`lines`].
    pub(crate) lines: Buffer<[u64; 6]>,
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

/// How many bytes buffers of these sizes take, and the largest of them.
pub(crate) fn bytes(sizes: &Sizes, levels: usize) -> (u64, u64) {
    let blocks = sizes.positions.div_ceil(sizes.block) as u64;
    let [roots, positions, moves, successors] =
        [sizes.roots, sizes.positions, sizes.moves, sizes.successors].map(|count| count as u64);
    let level = positions * (32 + 3 * 4) + blocks * 4;
    let rest = moves * 8 + blocks * 4 + (roots + 1) * 8 + roots * 48 + successors * 48 + size_of_val(&lines()) as u64;
    let largest = (positions * 32).max(moves * 8).max(successors * 48).max(roots * 48);
    (level * levels as u64 + rest, largest)
}

impl Buffers {
    /// Takes the memory.
    pub(crate) fn new(gpu: &Gpu, sizes: &Sizes, levels: usize) -> Result<Self, Failure> {
        let blocks = sizes.positions.div_ceil(sizes.block);
        let table = gpu.buffer("lines", 64)?;
        gpu.write(&table, &lines())?;
        let level = || {
            Ok(Level {
                positions: gpu.buffer("positions", sizes.positions)?,
                roots: gpu.buffer("roots", sizes.positions)?,
                counts: gpu.buffer("counts", sizes.positions)?,
                offsets: gpu.buffer("offsets", sizes.positions)?,
                bases: gpu.buffer("bases", blocks)?,
            })
        };
        Ok(Self {
            levels: (0..levels).map(|_| level()).collect::<Result<_, Failure>>()?,
            items: gpu.buffer("items", sizes.moves)?,
            item_count: gpu.buffer("item count", 2)?,
            block_sums: gpu.buffer("block sums", blocks)?,
            totals: gpu.buffer("totals", sizes.roots + 1)?,
            quads: gpu.buffer("quads", sizes.roots)?,
            successors: gpu.buffer("successors", sizes.successors)?,
            lines: table,
        })
    }
}
