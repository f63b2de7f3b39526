// What kernels read and write. Everything in memory is in 32-bit words, the same for both forms of a board.

struct Scalars {
    // The elements that are worked on: from the first one to before the end.
    first: u32,
    end: u32,
    // What the rules say: the four castling files in four bytes, and whether the halfmove clock is kept.
    castling_files: u32,
    halfmove_clock: u32,
    // What is merged: which partition, the bits of the hash that are used, how many entries there is room for (or, in
    // quiescence, moves), how many plies deep the leaves are, and how many work-items do quiescence searches.
    partition_index: u32,
    partition_of: u32,
    hash_mask: u32,
    room: u32,
    depth: u32,
    lanes: u32,
    // How many positions each of these looks at.
    steps: u32,
}

@group(0) @binding(0) var<uniform> scalars: Scalars;

// Positions as `Planes32`, two quarters each: the first two planes, then the third and the own pieces.
@group(0) @binding(1) var<storage, read> positions: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> successors: array<vec4<u32>>;
// Whose tree each position belongs to.
@group(0) @binding(3) var<storage, read> roots: array<u32>;
@group(0) @binding(4) var<storage, read_write> successor_roots: array<u32>;
// Legal moves of each position, and where they begin within their block.
@group(0) @binding(5) var<storage, read> counts: array<u32>;
@group(0) @binding(6) var<storage, read_write> new_counts: array<u32>;
@group(0) @binding(7) var<storage, read> offsets: array<u32>;
@group(0) @binding(8) var<storage, read_write> new_offsets: array<u32>;
// The sum of each block's counts, and where its moves begin.
@group(0) @binding(9) var<storage, read_write> block_sums: array<u32>;
@group(0) @binding(10) var<storage, read> bases: array<u32>;
// Moves: the move, and the index of its position.
@group(0) @binding(11) var<storage, read> items: array<vec2<u32>>;
@group(0) @binding(12) var<storage, read_write> new_items: array<vec2<u32>>;
// How many moves there are. In quiescence: how many positions are taken, and whether there is more to do.
@group(0) @binding(17) var<storage, read> item_count: array<u32>;
@group(0) @binding(18) var<storage, read_write> new_item_count: array<atomic<u32>>;
// Positions as `Quad48`, three parts each, on their way in and out.
@group(0) @binding(13) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(14) var<storage, read_write> successor_quads: array<vec4<u32>>;
// Two words for each root, the lower first; but the first two say whether there was no room for some move.
@group(0) @binding(15) var<storage, read_write> totals: array<atomic<u32>>;
// What is known of each square, three parts each.
@group(0) @binding(16) var<storage, read> lines: array<vec4<u32>>;

// Entries of a ply, as positions, and the multiplicity of each, four words, the lowest first.
@group(0) @binding(19) var<storage, read> entries: array<vec4<u32>>;
@group(0) @binding(20) var<storage, read_write> multiplicities: array<atomic<u32>>;
@group(0) @binding(21) var<storage, read> root_multiplicities: array<vec4<u32>>;
@group(0) @binding(22) var<storage, read_write> candidate_multiplicities: array<atomic<u32>>;
// The table: where entries are found. After four words about the list, the candidates that took a place, and which.
@group(0) @binding(23) var<storage, read_write> places: array<atomic<u32>>;
@group(0) @binding(24) var<storage, read_write> fresh: array<atomic<u32>>;
// Totals again, and sums of them of eight words each.
@group(0) @binding(25) var<storage, read> known_totals: array<vec2<u32>>;
@group(0) @binding(26) var<storage, read_write> new_sums: array<u32>;

// What positions are worth to the side to move.
@group(0) @binding(27) var<storage, read_write> values: array<i32>;
@group(0) @binding(28) var<storage, read> successor_values: array<i32>;
// Quiescence searches: positions that are being looked at, four parts each, and where each work-item is.
@group(0) @binding(29) var<storage, read_write> nodes: array<vec4<u32>>;
@group(0) @binding(30) var<storage, read_write> states: array<vec2<u32>>;

// The work-group's number. There may be more work-groups than are needed.
fn group_index(workgroup: vec3<u32>, workgroups: vec3<u32>) -> u32 {
    return workgroup.y * workgroups.x + workgroup.x;
}
