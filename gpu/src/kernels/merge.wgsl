// Merging equal positions: a list that holds each successor once, with a multiplicity of 128 bits, and a hash table of
// slots that finds its entries. `merging.rs` of the host describes the whole procedure.
//
// Two positions are equal if all their bits in memory are equal. A slot holds 0 if it is free, else the number of an
// entry, counted from 1, or of a candidate, counted from 0 and with the highest bit set.

const CANDIDATE: u32 = 0x80000000u;

/// The words of `merge_state`: the number of entries,
const LEN: u32 = 0u;
/// the number of candidates that have taken a slot, or the number of diagrams,
const FRESH: u32 = 1u;
/// whether the list or the table had no room,
const FULL: u32 = 2u;
/// and whether a multiplicity exceeded 128 bits.
const OVERFLOW: u32 = 3u;

/// Whether the position that a slot refers to is equal to this one, bit by bit. Both halves are read together.
fn same_position(found: u32, first: vec4<u32>, second: vec4<u32>) -> bool {
    if (found & CANDIDATE) != 0u {
        let index = 2u * (found & ~CANDIDATE);
        return all(positions[index] == first) & all(positions[index + 1u] == second);
    }
    let index = 2u * (found - 1u);
    return all(entries[index] == first) & all(entries[index + 1u] == second);
}

/// Returns the hash scaled to a number below `count`.
fn share_of(hash: u32, count: u32) -> u32 {
    return high(product(hash, count));
}

/// Rotates the bits of a word towards the highest.
fn rotate_left(word: u32, distance: u32) -> u32 {
    return (word << distance) | (word >> (32u - distance));
}

/// Mixes one word into both hashes; after MurmurHash3 (Austin Appleby, 2011).
fn mix_word(hash: vec2<u32>, word: u32) -> vec2<u32> {
    let x = hash.x ^ (rotate_left(word * 0xcc9e2d51u, 15u) * 0x1b873593u);
    let y = hash.y ^ (rotate_left(word * 0x239b961bu, 16u) * 0xab0e9789u);
    return vec2<u32>(rotate_left(x, 13u) * 5u + 0xe6546b64u, rotate_left(y, 17u) * 5u + 0x0bcaa747u);
}

/// Returns two hashes whose every bit depends on all given bits.
fn mixed(words: vec2<u32>) -> vec2<u32> {
    var hash = words;
    hash = (hash ^ (hash >> vec2<u32>(16u))) * 0x85ebca6bu;
    hash = (hash ^ (hash >> vec2<u32>(13u))) * 0xc2b2ae35u;
    return hash ^ (hash >> vec2<u32>(16u));
}

/// Returns two hashes of a position: the first chooses its slot, the second is part of its key.
fn hashes(first: vec4<u32>, second: vec4<u32>) -> vec2<u32> {
    var hash = vec2<u32>(0x9747b28cu, 0x3c6ef372u);
    hash = mix_word(mix_word(mix_word(mix_word(hash, first.x), first.y), first.z), first.w);
    hash = mix_word(mix_word(mix_word(mix_word(hash, second.x), second.y), second.z), second.w);
    return mixed(hash);
}

/// Adds to a word of the multiplicity of a candidate or an entry. Returns the carry into the next word.
fn add_to_word(found: u32, word: u32, amount: u32, carry: u32) -> u32 {
    let addend = amount + carry;
    var next = u32(addend < carry);
    if addend != 0u {
        var before = 0u;
        if (found & CANDIDATE) != 0u {
            before = atomicAdd(&candidate_multiplicities[found & ~CANDIDATE][word], addend);
        } else {
            before = atomicAdd(&multiplicities[found - 1u][word], addend);
        }
        next |= u32(before + addend < before);
    }
    return next;
}

/// Adds to the multiplicity of a candidate or an entry, four 32-bit words, the lowest first; not every device has 64-bit atomics.
/// Returns whether the sum exceeds 128 bits.
fn add_multiplicity(found: u32, amount: vec4<u32>) -> bool {
    var carry = add_to_word(found, 0u, amount.x, 0u);
    carry = add_to_word(found, 1u, amount.y, carry);
    carry = add_to_word(found, 2u, amount.z, carry);
    carry = add_to_word(found, 3u, amount.w, carry);
    return carry != 0u;
}

/// Copies some entries of a ply to level 0; each becomes a root.
@compute @workgroup_size(GROUP)
fn load_entries(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        successors[2u * index] = entries[2u * (scalars.first + index)];
        successors[2u * index + 1u] = entries[2u * (scalars.first + index) + 1u];
        successor_roots[index] = index;
    }
}

var<workgroup> group_count: atomic<u32>;
var<workgroup> group_base: u32;

/// Looks at `end` entries, every `stride`-th from the first. Copies to level 0 those that may have successors in a range, with their
/// multiplicities, as far as there is room; each becomes a root. `selected_count` also counts the entries without room.
@compute @workgroup_size(GROUP)
fn select_entries(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    let number = scalars.first + index * scalars.stride;
    if id.lane == 0u {
        atomicStore(&group_count, 0u);
    }
    workgroupBarrier();
    var first = vec4<u32>();
    var second = vec4<u32>();
    var is_selected = false;
    var rank = 0u;
    if index < scalars.end {
        first = entries[2u * number];
        second = entries[2u * number + 1u];
        is_selected = may_precede_kept(range_of_scalars(), position_in(first, second));
    }
    if is_selected {
        rank = atomicAdd(&group_count, 1u);
    }
    workgroupBarrier();
    if id.lane == 0u {
        group_base = atomicAdd(&selected_count[0], atomicLoad(&group_count));
    }
    workgroupBarrier();
    let selected = group_base + rank;
    if is_selected && selected < scalars.capacity {
        successors[2u * selected] = first;
        successors[2u * selected + 1u] = second;
        successor_roots[selected] = selected;
        selected_multiplicities[selected] = root_multiplicities[number];
    }
}

/// Returns a plane of the pieces that an order ignores.
fn reference_plane(index: u32) -> vec2<u32> {
    return vec2<u32>(reference[2u * index], reference[2u * index + 1u]);
}

/// Returns a hash of the other side's pieces without the pieces of the reference. Only a capture changes them, and most
/// captured pieces stand where the reference has them.
fn opponent_hash(first: vec4<u32>, second: vec4<u32>) -> u32 {
    let differ = (first.xy ^ reference_plane(0u)) | (first.zw ^ reference_plane(1u)) | (second.xy ^ reference_plane(2u));
    let others = differ & ~second.zw;
    var hash = vec2<u32>(0x9747b28cu, 0u);
    hash = mix_word(mix_word(hash, first.x & others.x), first.y & others.y);
    hash = mix_word(mix_word(hash, first.z & others.x), first.w & others.y);
    hash = mix_word(mix_word(hash, second.x & others.x), second.y & others.y);
    return mixed(hash).x;
}

/// Counts the entries of each part of these hashes.
@compute @workgroup_size(GROUP)
fn count_by_opponent(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        let part = opponent_hash(entries[2u * index], entries[2u * index + 1u]) >> scalars.shift;
        atomicAdd(&opponent_counts[part], 1u);
    }
}

/// Puts the numbers of the entries in the order of these parts. `opponent_counts` holds the index for each part's next entry.
@compute @workgroup_size(GROUP)
fn order_by_opponent(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        let part = opponent_hash(entries[2u * index], entries[2u * index + 1u]) >> scalars.shift;
        let place = atomicAdd(&opponent_counts[part], 1u);
        if place < scalars.end {
            new_order[place] = index;
        }
    }
}

/// Copies some entries of a shard, in their order and with their multiplicities, to level 0; each becomes a root. The shards
/// contribute entries in turns. After all turns, the remaining entries of each shard follow.
@compute @workgroup_size(GROUP)
fn load_ordered(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        let entry = order[scalars.first + index];
        let turn = index * scalars.shard_count + scalars.shard_index;
        let root = select(scalars.at + index - scalars.turns, turn, index < scalars.turns);
        successors[2u * root] = entries[2u * entry];
        successors[2u * root + 1u] = entries[2u * entry + 1u];
        successor_roots[root] = root;
        selected_multiplicities[root] = root_multiplicities[entry];
    }
}

/// The value that is stored instead of a slot for a candidate that took none.
const NO_SLOT: u32 = 0xffffffffu;

/// Finds the slot of a candidate, and adds the multiplicity of the candidate's root to the slot's multiplicity. Returns the slot
/// if the candidate took it. This function reads the list and does not extend it. The multiplicities of all candidates must be
/// zero before; afterwards they are nonzero only for candidates that took a slot.
///
/// Every search ends, at the latest where it began, because a batch has fewer candidates than the table has free slots:
/// `append` frees the slots of candidates that did not fit.
fn find_slot(candidate: u32, first: vec4<u32>, second: vec4<u32>, hash: u32) -> u32 {
    let first_slot = share_of(hash, scalars.slot_count);
    var is_fresh = false;
    var slot = first_slot;
    var found = 0u;
    loop {
        found = atomicLoad(&slots[slot]);
        if found == 0u {
            let exchange = atomicCompareExchangeWeak(&slots[slot], 0u, CANDIDATE | candidate);
            // If the exchange failed, another candidate was faster, or the exchange failed spuriously, which WGSL
            // allows; so look at the slot again.
            is_fresh = exchange.exchanged;
            if is_fresh {
                found = CANDIDATE | candidate;
                break;
            }
        } else if same_position(found, first, second) {
            break;
        } else {
            slot = select(slot + 1u, 0u, slot + 1u == scalars.slot_count);
            if slot == first_slot {
                atomicStore(&merge_state[FULL], 1u);
                return NO_SLOT;
            }
        }
    }
    if add_multiplicity(found, root_multiplicities[scalars.first + roots[candidate]]) {
        atomicStore(&merge_state[OVERFLOW], 1u);
    }
    return select(NO_SLOT, slot, is_fresh);
}

/// Takes the root from each candidate from which no moves may lead into the range. In `insert`, this rule would slow down all other merges.
@compute @workgroup_size(GROUP)
fn drop_others(id: Invocation) {
    let candidate = group_index(id) * GROUP + id.lane;
    if candidate < scalars.end {
        let position = position_in(positions[2u * candidate], positions[2u * candidate + 1u]);
        let pawns = pawns_of(position);
        let squares = squares_of(position, filter_plies());
        if !may_reach(range_of_scalars(), filter_plies(), pawns & position.own, pawns & ~position.own, squares) {
            successor_roots[candidate] = NO_ROOT;
        }
    }
}

/// Finds the slot of each candidate that passes the filter. If there is a filter, `kept_counts` counts the candidates of each
/// root that pass it.
@compute @workgroup_size(GROUP)
fn insert(id: Invocation) {
    let candidate = group_index(id) * GROUP + id.lane;
    if candidate < scalars.end {
        var slot = NO_SLOT;
        let first = positions[2u * candidate];
        let second = positions[2u * candidate + 1u];
        let hash = hashes(first, second);
        if is_kept(range_of_scalars(), position_in(first, second), hash.y, roots[candidate]) {
            if scalars.filter_kind != KEEPS_ALL {
                atomicAdd(&kept_counts[roots[candidate]], 1u);
            }
            slot = find_slot(candidate, first, second, hash.x & scalars.hash_mask);
        }
        taken[candidate] = slot;
    }
}

/// Finds the slot of each candidate of a shard. The work-items take the candidates in turns.
@compute @workgroup_size(GROUP)
fn insert_sorted(id: Invocation) {
    var start = 0u;
    if scalars.shard_index > 0u {
        start = sorted[scalars.shard_index - 1u];
    }
    let end = sorted[scalars.shard_index];
    let step = id.workgroups.x * id.workgroups.y * GROUP;
    for (var index = start + group_index(id) * GROUP + id.lane; index < end; index += step) {
        let candidate = sorted[scalars.shard_count + index];
        let first = positions[2u * candidate];
        let second = positions[2u * candidate + 1u];
        taken[index] = find_slot(candidate, first, second, hashes(first, second).x & scalars.hash_mask);
    }
}

/// Appends the candidates that took a slot to the list, as far as there is room. The slots of the other candidates are freed,
/// because later batches still search the table, although the list is then invalid. If no later batch searches the table, the
/// slots stay unchanged. The work-groups take the candidates of a shard in turns.
@compute @workgroup_size(GROUP)
fn append(id: Invocation) {
    let is_sorted = scalars.shard_count > 1u;
    var start = 0u;
    var end = scalars.end;
    if is_sorted {
        end = sorted[scalars.shard_index];
        if scalars.shard_index > 0u {
            start = sorted[scalars.shard_index - 1u];
        }
    }
    let step = id.workgroups.x * id.workgroups.y * GROUP;
    for (var group_start = start + group_index(id) * GROUP; group_start < end; group_start += step) {
        let index = group_start + id.lane;
        var slot = NO_SLOT;
        if index < end {
            slot = taken[index];
        }
        if id.lane == 0u {
            atomicStore(&group_count, 0u);
        }
        workgroupBarrier();
        var rank = 0u;
        if slot != NO_SLOT {
            rank = atomicAdd(&group_count, 1u);
        }
        workgroupBarrier();
        if id.lane == 0u {
            // Only one work-item reads the length, because other groups add to its neighbour in memory.
            group_base = atomicLoad(&merge_state[LEN]) + atomicAdd(&merge_state[FRESH], atomicLoad(&group_count));
        }
        workgroupBarrier();
        if slot != NO_SLOT {
            var candidate = index;
            if is_sorted {
                candidate = sorted[scalars.shard_count + index];
            }
            let successor = group_base + rank;
            let has_room = successor < scalars.capacity;
            if has_room {
                successors[2u * successor] = positions[2u * candidate];
                successors[2u * successor + 1u] = positions[2u * candidate + 1u];
                new_multiplicities[successor] = taken_multiplicities[candidate];
            }
            if scalars.keeps_slots != 0u {
                atomicStore(&slots[slot], select(0u, successor + 1u, has_room));
            }
            taken_multiplicities[candidate] = vec4<u32>();
        }
    }
}

/// Adds the appended candidates to the list's length, and notes if there was no room for all.
@compute @workgroup_size(GROUP)
fn note_appended(id: Invocation) {
    if id.workgroup.x == 0u && id.lane == 0u {
        let count = atomicLoad(&merge_state[FRESH]);
        let len = atomicLoad(&merge_state[LEN]);
        if count > scalars.capacity - len {
            atomicStore(&merge_state[FULL], 1u);
        }
        atomicStore(&merge_state[LEN], len + min(count, scalars.capacity - len));
        atomicStore(&merge_state[FRESH], 0u);
    }
}

/// A number of 256 bits, the lowest 64 bits first.
struct Wide {
    first: Board,
    second: Board,
    third: Board,
    fourth: Board,
}

/// The lower 64 bits of a sum, and the carry into the next 64 bits.
struct Sum {
    value: Board,
    carry: u32,
}

fn carried_sum(a: Board, b: Board, carry: u32) -> Sum {
    let partial = plus(a, b);
    let value = plus(partial, join(carry, 0u));
    return Sum(value, u32(is_lower(partial, a)) | u32(is_lower(value, partial)));
}

/// Returns the sum of two numbers, modulo 2^256.
fn wide_sum(a: Wide, b: Wide) -> Wide {
    let first = carried_sum(a.first, b.first, 0u);
    let second = carried_sum(a.second, b.second, first.carry);
    let third = carried_sum(a.third, b.third, second.carry);
    let fourth = carried_sum(a.fourth, b.fourth, third.carry);
    return Wide(first.value, second.value, third.value, fourth.value);
}

/// A number of 128 bits.
struct Product {
    lower: Board,
    upper: Board,
}

fn board_product(a: Board, b: Board) -> Product {
    let lowest_product = product(low(a), low(b));
    let middle = plus(product(low(a), high(b)), join(high(lowest_product), 0u));
    let other = plus(product(high(a), low(b)), join(low(middle), 0u));
    let carried = plus(join(high(middle), 0u), join(high(other), 0u));
    return Product(join(low(lowest_product), low(other)), plus(product(high(a), high(b)), carried));
}

fn wide_product(multiplicity: vec4<u32>, leaves: Board) -> Wide {
    let lower = board_product(join(multiplicity.x, multiplicity.y), leaves);
    let upper = board_product(join(multiplicity.z, multiplicity.w), leaves);
    let second = carried_sum(lower.upper, upper.lower, 0u);
    return Wide(lower.lower, second.value, plus(upper.upper, join(second.carry, 0u)), NONE);
}

/// Reads 64 bits of a sum, the lower word first.
fn board_of_sum(at: u32) -> Board {
    return join(sums[at], sums[at + 1u]);
}

/// Writes 64 bits of a sum, the lower word first.
fn set_board_of_sum(at: u32, board: Board) {
    sums[at] = low(board);
    sums[at + 1u] = high(board);
}

var<workgroup> wide_sums: array<Wide, WEIGHTED_SUMS_GROUP>;

/// Adds leaves of a kind, weighted by multiplicity, to sums after a header, one for each kind and work-group; the groups take the
/// roots in turns. A root has one leaf at depth 0, the number of its moves at depth 1, and its total at greater depths. A kind
/// has `stride` totals. If a queue overflowed on the way to the totals, the header records it. At the depth REACHED_ONCE, a root
/// counts as one leaf if its multiplicity is one, and as none otherwise.
@compute @workgroup_size(WEIGHTED_SUMS_GROUP)
fn weighted_sums(id: Invocation) {
    let group = group_index(id);
    let step = id.workgroups.x * id.workgroups.y * WEIGHTED_SUMS_GROUP;
    var sum = Wide();
    for (var root = group * WEIGHTED_SUMS_GROUP + id.lane; root < scalars.end; root += step) {
        let multiplicity = root_multiplicities[scalars.first + root];
        var leaves = join(1u, 0u);
        if scalars.depth == REACHED_ONCE {
            leaves = join(u32(all(multiplicity == vec4<u32>(1u, 0u, 0u, 0u))), 0u);
        } else if scalars.depth == 1u {
            leaves = join(counts[root], 0u);
        } else if scalars.depth > 1u {
            let total = known_totals[scalars.kind * scalars.stride + root + 1u];
            leaves = join(total.x, total.y);
        }
        sum = wide_sum(sum, wide_product(multiplicity, leaves));
    }
    wide_sums[id.lane] = sum;
    for (var lanes = WEIGHTED_SUMS_GROUP / 2u; lanes > 0u; lanes /= 2u) {
        workgroupBarrier();
        if id.lane < lanes {
            sum = wide_sum(sum, wide_sums[id.lane + lanes]);
            wide_sums[id.lane] = sum;
        }
    }
    let has_totals = scalars.depth > 1u && scalars.depth != REACHED_ONCE;
    if has_totals && group == 0u && id.lane == 0u && known_totals[0].x != 0u {
        sums[0] = 1u;
    }
    if id.lane == 0u {
        let first_word = 8u * (scalars.kind * WEIGHTED_SUMS_GROUPS + group + 1u);
        let before = Wide(
            board_of_sum(first_word),
            board_of_sum(first_word + 2u),
            board_of_sum(first_word + 4u),
            board_of_sum(first_word + 6u),
        );
        sum = wide_sum(sum, before);
        set_board_of_sum(first_word, sum.first);
        set_board_of_sum(first_word + 2u, sum.second);
        set_board_of_sum(first_word + 4u, sum.third);
        set_board_of_sum(first_word + 6u, sum.fourth);
    }
}
