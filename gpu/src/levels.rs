//! The buffers of the levels of a tree, and their sizes.

use kogge_board::minimax::QUIESCENCE_PLIES;
use kogge_board::{Categories, Quad48};

use crate::MOST_MOVES;
use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::kernels::Part;
use crate::parameters::Parameter::{GroupSize, Moves, Positions};
use crate::runner::Runner;
use crate::settings::GpuSettings;

/// The maximum number of roots in a batch: one launch counts them all, and waits between batches cost little.
const MOST_ROOTS: usize = 1 << 22;
/// At first only the number of positions is halved, until there is room for this number of moves per position.
const MOVES_EACH: usize = 8;
/// The number of positions on the path of a quiescence search, one for each ply. The first of them is one ply above the leaf.
pub(crate) const QUIESCENCE_NODES: usize = 1 + QUIESCENCE_PLIES as usize;
/// The maximum number of moves that a quiescence search stores, for any position.
pub(crate) const MOST_QUIESCENCE_CAPACITY: usize = MOST_MOVES as usize * QUIESCENCE_NODES + 1;
/// The maximum number of successors that leave the device together.
const MOST_SUCCESSORS: usize = 1 << 20;

/// The capacity of the levels' buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
    /// The number of roots in a batch, and so of positions in level 0. At most `positions`.
    pub(crate) roots: usize,
    /// The number of positions in every other level. At least `block` times [`MOST_MOVES`], so that the successors of
    /// any block fit.
    pub(crate) positions: usize,
    /// The number of moves that are written together. There is room for the moves of any block and of any quiescence search.
    pub(crate) moves: usize,
    /// The number of successors that leave the device together. There is room for the successors of any block.
    pub(crate) successors: usize,
    /// The number of positions in a block of the scan. Each part begins with a block.
    pub(crate) block: usize,
}

impl Sizes {
    /// Returns the sizes that the settings ask for, halved `halvings` times, or `None` if `halvings - 1` already gave the
    /// smallest sizes. A large number of positions is halved before the rest, because a tree has several levels of positions
    /// and only one list of moves.
    pub(crate) fn halved(settings: &GpuSettings, halvings: u32) -> Option<Self> {
        let least = settings[GroupSize] * MOST_MOVES as usize;
        let before = (MOVES_EACH * settings[Positions]).div_ceil(settings[Moves]).max(1).ilog2();
        let half = |asked: usize, halvings: u32| least.max(asked.checked_shr(halvings).unwrap_or(0));
        let sizes = |halvings: u32| {
            let positions = half(settings[Positions], halvings);
            let halvings = halvings.saturating_sub(before);
            Self {
                roots: half(MOST_ROOTS.min(settings[Positions]), halvings).min(positions),
                positions,
                moves: half(settings[Moves], halvings).max(MOST_QUIESCENCE_CAPACITY),
                successors: half(MOST_SUCCESSORS.min(settings[Moves]), halvings),
                block: settings[GroupSize],
            }
        };
        (halvings == 0 || sizes(halvings - 1) != sizes(u32::MAX)).then(|| sizes(halvings))
    }

    /// Returns the minimum number of positions in a level: the maximum number of successors of a block.
    pub(crate) const fn least_positions(&self) -> usize {
        self.block * MOST_MOVES as usize
    }

    /// The maximum number of roots whose leaves are counted by kind at once, since each root has a total for each kind.
    pub(crate) fn roots_by_kind(&self) -> usize {
        (self.roots / Categories::COUNT).max(1)
    }

    /// Returns the bytes of all buffers for `levels` levels, and the bytes of the largest buffer.
    pub(crate) fn bytes(&self, levels: usize, settings: &GpuSettings) -> (u64, u64) {
        let position = settings.variants.position_bytes() as u64;
        let quad = size_of::<Quad48>() as u64;
        let blocks = self.positions.div_ceil(self.block) as u64;
        let [roots, positions, moves, successors] =
            [self.roots, self.positions, self.moves, self.successors].map(|count| count as u64);
        let level = |positions: u64| positions * (position + 3 * 4) + positions.div_ceil(self.block as u64) * 4;
        let table = size_of_val(&settings.lines[..]) as u64;
        let rest = moves * 8 + blocks * 4 + (roots + 1) * 8 + (roots + successors) * quad + table;
        let largest = (positions * position).max(moves * 8).max(successors * quad).max(roots * quad);
        (level(roots) + level(positions) * levels.saturating_sub(1) as u64 + rest, largest)
    }
}

/// The buffers of one level of the tree.
pub(crate) struct Level<I: Interface> {
    pub(crate) positions: Buffer<I, Part>,
    /// The root of each position; in minimax, the value of each position.
    pub(crate) roots: Buffer<I, u32>,
    pub(crate) counts: Buffer<I, u32>,
    pub(crate) offsets: Buffer<I, u32>,
    pub(crate) bases: Buffer<I, u32>,
}

/// The buffers of each level, and the buffers that all levels share.
pub(crate) struct Buffers<I: Interface> {
    pub(crate) levels: Vec<Level<I>>,
    pub(crate) items: Buffer<I, [u32; 2]>,
    pub(crate) item_count: Buffer<I, u32>,
    pub(crate) block_sums: Buffer<I, u32>,
    /// A header, then a total for each root.
    pub(crate) totals: Buffer<I, [u32; 2]>,
    /// Positions on their way to and from the device.
    pub(crate) quads: Buffer<I, Quad48>,
    pub(crate) successors: Buffer<I, Quad48>,
    pub(crate) lines: Buffer<I, [u64; 2]>,
}

impl<I: Interface> Level<I> {
    async fn new(interface: &mut I, positions: usize, block: usize, parts: usize) -> Result<Self, Failure> {
        Ok(Self {
            positions: Buffer::new(interface, "positions", positions * parts).await?,
            roots: Buffer::new(interface, "roots", positions).await?,
            counts: Buffer::new(interface, "counts", positions).await?,
            offsets: Buffer::new(interface, "offsets", positions).await?,
            bases: Buffer::new(interface, "bases", positions.div_ceil(block)).await?,
        })
    }
}

impl<I: Interface> Buffers<I> {
    /// Makes the buffers that all levels share, and no level yet.
    pub(crate) async fn new(runner: &mut Runner<I>, sizes: &Sizes) -> Result<Self, Failure> {
        let Runner { interface, settings, .. } = runner;
        // Earlier buffers are freed only when the work that uses them is done.
        interface.finish().await?;
        let lines = Buffer::new(interface, "lines", settings.lines.len()).await?;
        interface.write(lines.raw(), bytemuck::cast_slice(&settings.lines))?;
        let items = Buffer::new(interface, "items", sizes.moves).await?;
        // `count_replies` reads the first item even if there are no items, so the position of this item must exist.
        interface.clear(items.raw(), 8)?;
        Ok(Self {
            levels: Vec::new(),
            items,
            item_count: Buffer::new(interface, "item_count", 2).await?,
            block_sums: Buffer::new(interface, "block_sums", sizes.positions.div_ceil(sizes.block)).await?,
            totals: Buffer::new(interface, "totals", sizes.roots + 1).await?,
            quads: Buffer::new(interface, "quads", sizes.roots).await?,
            successors: Buffer::new(interface, "successor_quads", sizes.successors).await?,
            lines,
        })
    }

    /// Makes the buffers of further levels until there are `levels`.
    pub(crate) async fn deepen(&mut self, runner: &mut Runner<I>, sizes: &Sizes, levels: usize) -> Result<(), Failure> {
        let Runner { interface, settings, .. } = runner;
        while self.levels.len() < levels {
            let positions = if self.levels.is_empty() { sizes.roots } else { sizes.positions };
            self.levels.push(Level::new(interface, positions, sizes.block, settings.variants.position_parts()).await?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Parameter;
    use crate::settings::{Capabilities, GpuOptions, Unordered};

    fn sizes(positions: usize, moves: usize) -> Vec<Sizes> {
        let device = Capabilities {
            defaults: Parameter::usual(true),
            maxima: [].into(),
            max_group_size: 128,
            local_memory: 1 << 16,
            unordered_memory: 1 << 16,
            max_buffer: i32::MAX as u64,
            device_memory: 1 << 36,
            memory: 1 << 34,
            unordered: Unordered::Never,
        };
        let settings = GpuOptions::of([(Positions, positions), (Moves, moves)]).complete(&device).unwrap();
        (0..).map_while(|halvings| Sizes::halved(&settings, halvings)).collect()
    }

    #[test]
    fn positions_are_halved_first() {
        let largest = sizes(1 << 26, 1 << 27);
        let [positions, moves] = [|sizes: &Sizes| sizes.positions, |sizes: &Sizes| sizes.moves]
            .map(|of| largest.iter().map(|sizes| of(sizes).next_power_of_two().ilog2()).collect::<Vec<_>>());
        assert_eq!(positions[..5], [26, 25, 24, 23, 22]);
        assert_eq!(moves[..5], [27, 27, 27, 26, 25]);
        let usual = sizes(1 << 24, 1 << 27);
        assert_eq!(usual[1], Sizes { roots: 1 << 21, positions: 1 << 23, moves: 1 << 26, ..usual[1] });
    }

    #[test]
    fn halved_sizes_shrink_to_the_smallest() {
        for (positions, moves) in [(1, 1), (1 << 26, 1 << 27), (1 << 26, 1), (1, 1 << 27), (1 << 24, 1 << 20)] {
            let all = sizes(positions, moves);
            let least = 128 * MOST_MOVES as usize;
            assert!(all.iter().all(|sizes| sizes.roots <= sizes.positions && sizes.positions >= least), "{all:?}");
            assert!(all.is_sorted_by(|a, b| a.positions >= b.positions && a.moves >= b.moves && a.roots >= b.roots));
            let last = all.last().unwrap();
            assert_eq!((last.positions, last.moves), (least, least.max(MOST_QUIESCENCE_CAPACITY)));
        }
    }
}
