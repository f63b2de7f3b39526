// The buffers and scalars of all kernels. Memory holds 32-bit words only, the same for both representations of a board.

struct Scalars {
    /// The elements to work on: from the first one up to, but not including, the end.
    first: u32,
    end: u32,
    /// The rules: the four castling files in four bytes, and whether the halfmove clock is kept.
    castling_files: u32,
    halfmove_clock: u32,
    /// Merging: the shard, the used bits of the hash, the number of slots, the part of the diagrams, and which candidates are kept.
    shard_index: u32,
    shard_count: u32,
    hash_mask: u32,
    slot_count: u32,
    part: u32,
    parts: u32,
    /// Whether the table is searched again after candidates are appended, and the number of lower bits of a hash that an order ignores.
    keeps_slots: u32,
    shift: u32,
    filter_kind: u32,
    /// The number of entries that every shard gives in turn, and the place of the shard's first entry after them.
    turns: u32,
    at: u32,
    /// The number of entries that fit in the list; in a quiescence search, the number of moves that fit for each lane.
    capacity: u32,
    /// The number of items that fit.
    item_capacity: u32,
    /// The number of plies down to the leaves.
    depth: u32,
    /// The kind of moves, and the number of totals of each kind.
    kind: u32,
    stride: u32,
    /// Quiescence searches: the number of lanes, and the number of positions that each looks at in one launch.
    lanes: u32,
    steps: u32,
    /// The least and the greatest key of a range.
    first_own_low: u32,
    first_own_high: u32,
    first_theirs_low: u32,
    first_theirs_high: u32,
    first_hash: u32,
    last_own_low: u32,
    last_own_high: u32,
    last_theirs_low: u32,
    last_theirs_high: u32,
    last_hash: u32,
}

@group(0) @binding(0) var<uniform> scalars: Scalars;

/// Positions as `Planes32`, two quarters each: the first two planes, then the third and the own pieces.
@group(0) @binding(1) var<storage, read> positions: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> successors: array<vec4<u32>>;
/// The root of each position's tree.
@group(0) @binding(3) var<storage, read> roots: array<u32>;
@group(0) @binding(4) var<storage, read_write> successor_roots: array<u32>;
/// The number of legal moves of each position, and the index of its first move within its block.
@group(0) @binding(5) var<storage, read> counts: array<u32>;
@group(0) @binding(6) var<storage, read_write> new_counts: array<u32>;
@group(0) @binding(7) var<storage, read> offsets: array<u32>;
@group(0) @binding(8) var<storage, read_write> new_offsets: array<u32>;
/// The sum of each block's counts, and the index of its first move.
@group(0) @binding(9) var<storage, read_write> block_sums: array<u32>;
@group(0) @binding(10) var<storage, read> bases: array<u32>;
/// Items: the packed move, and the index of its position.
@group(0) @binding(11) var<storage, read> items: array<vec2<u32>>;
@group(0) @binding(12) var<storage, read_write> new_items: array<vec2<u32>>;
/// The number of items. In quiescence searches: the number of positions taken, and whether a search is still running.
@group(0) @binding(13) var<storage, read> item_count: array<u32>;
@group(0) @binding(14) var<storage, read_write> new_item_count: array<atomic<u32>>;
/// Positions as `Quad48`, three parts each, on their way to and from the device.
@group(0) @binding(15) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(16) var<storage, read_write> successor_quads: array<vec4<u32>>;
/// Two words for each root, the lower first, after a header of two words; the first of these is 1 if a queue overflowed.
@group(0) @binding(17) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(18) var<storage, read> known_totals: array<vec2<u32>>;
/// The lines through each square and the leaps from it, three parts each.
@group(0) @binding(19) var<storage, read> lines: array<vec4<u32>>;

/// The entries of a ply, as positions, and the multiplicity of each, four words, the lowest first.
@group(0) @binding(20) var<storage, read> entries: array<vec4<u32>>;
@group(0) @binding(21) var<storage, read_write> multiplicities: array<array<atomic<u32>, 4>>;
@group(0) @binding(22) var<storage, read_write> new_multiplicities: array<vec4<u32>>;
@group(0) @binding(23) var<storage, read> root_multiplicities: array<vec4<u32>>;
@group(0) @binding(24) var<storage, read_write> candidate_multiplicities: array<array<atomic<u32>, 4>>;
@group(0) @binding(25) var<storage, read_write> taken_multiplicities: array<vec4<u32>>;
/// The hash table; the slot that each candidate took, if it took one; and the four words of the state.
@group(0) @binding(26) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(27) var<storage, read_write> taken: array<u32>;
@group(0) @binding(28) var<storage, read_write> merge_state: array<atomic<u32>>;
/// Weighted sums, eight words each, the lowest first, after a header of eight words; the first of these is 1 if a queue overflowed.
@group(0) @binding(29) var<storage, read_write> sums: array<u32>;

/// The values of positions to the side to move.
@group(0) @binding(30) var<storage, read_write> values: array<i32>;
@group(0) @binding(31) var<storage, read> successor_values: array<i32>;
/// Quiescence searches: the positions on the path of each lane, four parts each, and the state of each lane.
@group(0) @binding(32) var<storage, read_write> nodes: array<vec4<u32>>;
@group(0) @binding(33) var<storage, read_write> states: array<vec2<u32>>;

/// The multiplicities of the entries that were selected, and their number; and the number of each root's kept candidates.
@group(0) @binding(34) var<storage, read_write> selected_multiplicities: array<vec4<u32>>;
@group(0) @binding(35) var<storage, read_write> selected_count: array<atomic<u32>>;
@group(0) @binding(36) var<storage, read_write> kept_counts: array<atomic<u32>>;
/// The shard of each candidate; and the candidates sorted by shard, after the end of each shard's candidates.
@group(0) @binding(37) var<storage, read_write> candidate_shards: array<u32>;
@group(0) @binding(38) var<storage, read> sorted: array<u32>;
@group(0) @binding(39) var<storage, read_write> new_sorted: array<atomic<u32>>;
/// The pieces that an order ignores; the number of entries in each part of the hashes of the opponent's pieces; and the numbers of the entries in the
/// order of these parts.
@group(0) @binding(40) var<storage, read> reference: array<u32>;
@group(0) @binding(41) var<storage, read_write> opponent_counts: array<atomic<u32>>;
@group(0) @binding(42) var<storage, read> order: array<u32>;
@group(0) @binding(43) var<storage, read_write> new_order: array<u32>;

/// Returns the work-group's number. There may be more work-groups than are needed.
fn group_index(workgroup: vec3<u32>, workgroups: vec3<u32>) -> u32 {
    return workgroup.y * workgroups.x + workgroup.x;
}
