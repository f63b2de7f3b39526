// Merging equal positions: a list that holds each successor once, with a multiplicity of 128 bits, and a hash table of
// slots that finds its entries. `merging.rs` of the host describes the whole procedure.
//
// Two positions are equal if all their bits in memory are equal. A slot holds 0 if it is free, else the number of an
// entry, counted from 1, or of a candidate, counted from 0 and with the highest bit set.

const CANDIDATE: u32 = 0x80000000u;

// The words of `merge_state`: the number of entries,
const LEN: u32 = 0u;
// the number of candidates that have taken a slot, or of diagrams,
const FRESH: u32 = 1u;
// whether the list or the table had no room,
const FULL: u32 = 2u;
// and whether a multiplicity exceeded 128 bits.
const OVERFLOW: u32 = 3u;

// Whether the position that a slot refers to is equal to this one, bit by bit.
fn same_position(found: u32, first: vec4<u32>, second: vec4<u32>) -> bool {
    if (found & CANDIDATE) != 0u {
        let index = 2u * (found & ~CANDIDATE);
        return all(positions[index] == first) && all(positions[index + 1u] == second);
    }
    let index = 2u * (found - 1u);
    return all(entries[index] == first) && all(entries[index + 1u] == second);
}

// Returns the product of two numbers, its lower word first.
fn product(a: u32, b: u32) -> vec2<u32> {
    let low_half = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low_half >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

// Returns the hash scaled to a number below `count`.
fn share_of(hash: u32, count: u32) -> u32 {
    return product(hash, count).y;
}

// Rotates the bits of a word towards the highest.
fn rotate_left(word: u32, distance: u32) -> u32 {
    return (word << distance) | (word >> (32u - distance));
}

// Mixes one word into both hashes; after MurmurHash3 (Austin Appleby, 2011).
fn mix(hash: vec2<u32>, word: u32) -> vec2<u32> {
    let x = hash.x ^ (rotate_left(word * 0xcc9e2d51u, 15u) * 0x1b873593u);
    let y = hash.y ^ (rotate_left(word * 0x239b961bu, 16u) * 0xab0e9789u);
    return vec2<u32>(rotate_left(x, 13u) * 5u + 0xe6546b64u, rotate_left(y, 17u) * 5u + 0x0bcaa747u);
}

// Returns two hashes whose every bit depends on all given bits.
fn mixed(hashes: vec2<u32>) -> vec2<u32> {
    var hash = hashes;
    hash = (hash ^ (hash >> vec2<u32>(16u))) * 0x85ebca6bu;
    hash = (hash ^ (hash >> vec2<u32>(13u))) * 0xc2b2ae35u;
    return hash ^ (hash >> vec2<u32>(16u));
}

// Returns two hashes of a position: the first chooses its slot, the second is part of its key.
fn hashes(first: vec4<u32>, second: vec4<u32>) -> vec2<u32> {
    var hash = vec2<u32>(0x9747b28cu, 0x3c6ef372u);
    for (var word = 0u; word < 4u; word++) {
        hash = mix(hash, first[word]);
    }
    for (var word = 0u; word < 4u; word++) {
        hash = mix(hash, second[word]);
    }
    return mixed(hash);
}

// Adds to the multiplicity of a candidate or an entry, four 32-bit words, the lowest first. Returns whether the sum exceeds
// 128 bits.
fn add_multiplicity(found: u32, amount: vec4<u32>) -> bool {
    let is_candidate = (found & CANDIDATE) != 0u;
    let index = 4u * select(found - 1u, found & ~CANDIDATE, is_candidate);
    var carry = 0u;
    for (var word = 0u; word < 4u; word++) {
        let addend = amount[word] + carry;
        carry = select(0u, 1u, addend < carry);
        if addend != 0u {
            var before: u32;
            if is_candidate {
                before = atomicAdd(&candidate_multiplicities[index + word], addend);
            } else {
                before = atomicAdd(&multiplicities[index + word], addend);
            }
            carry |= select(0u, 1u, before + addend < before);
        }
    }
    return carry != 0u;
}

// Copies some entries of a ply to level 0, each as its own root.
@compute @workgroup_size(GROUP)
fn load_entries(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if index < scalars.end {
        successors[2u * index] = entries[2u * (scalars.first + index)];
        successors[2u * index + 1u] = entries[2u * (scalars.first + index) + 1u];
        successor_roots[index] = index;
    }
}

var<workgroup> group_count: atomic<u32>;
var<workgroup> group_base: u32;

// Copies the entries that may have successors in a range to level 0, each as its own root, with their multiplicities,
// as far as there is room. `selected_count` counts them all.
@compute @workgroup_size(GROUP)
fn select_entries(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if lane == 0u {
        atomicStore(&group_count, 0u);
    }
    workgroupBarrier();
    var first_quarters: vec4<u32>;
    var second_quarters: vec4<u32>;
    var is_selected = false;
    var rank = 0u;
    if index < scalars.end {
        first_quarters = entries[2u * (scalars.first + index)];
        second_quarters = entries[2u * (scalars.first + index) + 1u];
        is_selected = may_precede_kept(position_in(first_quarters, second_quarters));
    }
    if is_selected {
        rank = atomicAdd(&group_count, 1u);
    }
    workgroupBarrier();
    if lane == 0u {
        group_base = atomicAdd(&selected_count[0], atomicLoad(&group_count));
    }
    workgroupBarrier();
    let selected = group_base + rank;
    if is_selected && selected < scalars.room {
        successors[2u * selected] = first_quarters;
        successors[2u * selected + 1u] = second_quarters;
        successor_roots[selected] = selected;
        selected_multiplicities[selected] = root_multiplicities[scalars.first + index];
    }
}

// Returns a hash of the other side's pieces, without the pieces of the reference. No move changes them, unless it captures; and most
// captured pieces stand where the reference has them.
fn army_hash(first: vec4<u32>, second: vec4<u32>) -> u32 {
    let planes = array<vec2<u32>, 3>(first.xy, first.zw, second.xy);
    var others = vec2<u32>(0u);
    for (var index = 0u; index < 3u; index++) {
        others |= planes[index] ^ vec2<u32>(reference[2u * index], reference[2u * index + 1u]);
    }
    others &= ~second.zw;
    var hash = vec2<u32>(0x9747b28cu, 0u);
    for (var index = 0u; index < 3u; index++) {
        hash = mix(mix(hash, planes[index].x & others.x), planes[index].y & others.y);
    }
    return mixed(hash).x;
}

// Counts the entries of each part of these hashes.
@compute @workgroup_size(GROUP)
fn count_armies(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if index < scalars.end {
        let part = army_hash(entries[2u * index], entries[2u * index + 1u]) >> scalars.shift;
        atomicAdd(&army_counts[part], 1u);
    }
}

// Puts the numbers of the entries in the order of these parts. `army_counts` holds the place of each part's next entry.
@compute @workgroup_size(GROUP)
fn order_by_army(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if index < scalars.end {
        let part = army_hash(entries[2u * index], entries[2u * index + 1u]) >> scalars.shift;
        let place = atomicAdd(&army_counts[part], 1u);
        if place < scalars.end {
            new_order[place] = index;
        }
    }
}

// Copies some entries of a shard, in their order, to level 0, each as its own root, with their multiplicities. The shards take turns. The
// entries that a shard has left follow after all turns.
@compute @workgroup_size(GROUP)
fn load_ordered(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
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

// What stands for the slot of a candidate that took none.
const NO_SLOT: u32 = 0xffffffffu;

// Finds the slot of a candidate, and adds its root's multiplicity there. Returns the slot if the candidate took it. The list is
// read and not extended. The multiplicities of all candidates are zero before; afterwards only candidates that took a slot
// have other multiplicities.
//
// Every search ends, at the latest where it began: a batch has fewer candidates than the table has free slots, because
// `append` frees the slots of candidates that did not fit.
fn find_slot(candidate: u32, first: vec4<u32>, second: vec4<u32>, hash: u32) -> u32 {
    let first_slot = share_of(hash, scalars.slot_count);
    var is_fresh = false;
    var slot = first_slot;
    var found = 0u;
    loop {
        found = atomicLoad(&slots[slot]);
        if found == 0u {
            let exchange = atomicCompareExchangeWeak(&slots[slot], 0u, CANDIDATE | candidate);
            // If the word was not exchanged, another candidate was faster, or the exchange failed spuriously,
            // which WGSL allows: look at the slot again.
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

// Finds the slot of each candidate that is kept. If not all are kept, `kept_counts` counts the kept candidates of each root.
@compute @workgroup_size(GROUP)
fn insert(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let candidate = group_index(workgroup, workgroups) * GROUP + lane;
    if candidate < scalars.end {
        var slot = NO_SLOT;
        let first = positions[2u * candidate];
        let second = positions[2u * candidate + 1u];
        let hash = hashes(first, second);
        if is_kept(position_in(first, second), hash.y) {
            if scalars.kept != KEPT_ALL {
                atomicAdd(&kept_counts[roots[candidate]], 1u);
            }
            slot = find_slot(candidate, first, second, hash.x & scalars.hash_mask);
        }
        taken[candidate] = slot;
    }
}

// Finds the slot of each candidate of a shard. The work-items take the candidates in turns.
@compute @workgroup_size(GROUP)
fn insert_sorted(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    var start = 0u;
    if scalars.shard_index > 0u {
        start = sorted[scalars.shard_index - 1u];
    }
    let end = sorted[scalars.shard_index];
    let step = workgroups.x * workgroups.y * GROUP;
    for (var index = start + group_index(workgroup, workgroups) * GROUP + lane; index < end; index += step) {
        let candidate = sorted[scalars.shard_count + index];
        let first = positions[2u * candidate];
        let second = positions[2u * candidate + 1u];
        taken[index] = find_slot(candidate, first, second, hashes(first, second).x & scalars.hash_mask);
    }
}

// Appends the candidates that took a slot to the list, as far as there is room. Slots of the others become free: the list is then
// useless, but later batches still search the table. If they do not, slots stay as they are. The work-groups take the candidates of a
// shard in turns.
@compute @workgroup_size(GROUP)
fn append(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let is_sorted = scalars.shard_count > 1u;
    var start = 0u;
    var end = scalars.end;
    if is_sorted {
        end = sorted[scalars.shard_index];
        if scalars.shard_index > 0u {
            start = sorted[scalars.shard_index - 1u];
        }
    }
    let step = workgroups.x * workgroups.y * GROUP;
    for (var group_start = start + group_index(workgroup, workgroups) * GROUP; group_start < end; group_start += step) {
        let index = group_start + lane;
        var slot = NO_SLOT;
        if index < end {
            slot = taken[index];
        }
        if lane == 0u {
            atomicStore(&group_count, 0u);
        }
        workgroupBarrier();
        var rank = 0u;
        if slot != NO_SLOT {
            rank = atomicAdd(&group_count, 1u);
        }
        workgroupBarrier();
        if lane == 0u {
            // Only one work-item reads the length, since the groups add to its neighbour in memory.
            group_base = atomicLoad(&merge_state[LEN]) + atomicAdd(&merge_state[FRESH], atomicLoad(&group_count));
        }
        workgroupBarrier();
        if slot != NO_SLOT {
            var candidate = index;
            if is_sorted {
                candidate = sorted[scalars.shard_count + index];
            }
            let successor = group_base + rank;
            let has_room = successor < scalars.room;
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

// Adds the appended candidates to the list's length, and notes if there was no room for all.
@compute @workgroup_size(1)
fn note_appended(@builtin(workgroup_id) workgroup: vec3<u32>) {
    if workgroup.x == 0u {
        let count = atomicLoad(&merge_state[FRESH]);
        let len = atomicLoad(&merge_state[LEN]);
        if count > scalars.room - len {
            atomicStore(&merge_state[FULL], 1u);
        }
        atomicStore(&merge_state[LEN], len + min(count, scalars.room - len));
        atomicStore(&merge_state[FRESH], 0u);
    }
}

// A number of 256 bits, the lowest word first.
alias Wide = array<u32, 8>;

// Adds a word, carrying into higher ones, modulo 2^256.
fn add_word(sum: ptr<function, Wide>, first: u32, word: u32) {
    var carry = word;
    for (var at = first; at < 8u && carry != 0u; at++) {
        let before = (*sum)[at];
        (*sum)[at] = before + carry;
        carry = select(0u, 1u, before + carry < before);
    }
}

// Adds all words of another sum.
fn add_wide(sum: ptr<function, Wide>, other: Wide) {
    for (var word = 0u; word < 8u; word++) {
        add_word(sum, word, other[word]);
    }
}

// Adds multiplicity times leaves.
fn add_product(sum: ptr<function, Wide>, multiplicity: vec4<u32>, leaves: vec2<u32>) {
    for (var left = 0u; left < 4u; left++) {
        // Few multiplicities need more than two words.
        if multiplicity[left] == 0u {
            continue;
        }
        for (var right = 0u; right < 2u; right++) {
            let words = product(multiplicity[left], leaves[right]);
            add_word(sum, left + right, words.x);
            add_word(sum, left + right + 1u, words.y);
        }
    }
}

var<workgroup> wide_sums: array<Wide, WEIGHTED_SUMS_GROUP>;

// Adds leaves of a kind, weighted by multiplicity, to sums, one for each kind and work-group, after a header; the groups take the
// roots in turns. A root has one leaf at depth 0, as many as moves at depth 1, and its total at greater depths. A kind has `stride`
// totals. If a queue overflowed on the way to the totals, the header notes it. At the depth REACHED_ONCE, a root of multiplicity one has
// one leaf, and others have none.
@compute @workgroup_size(WEIGHTED_SUMS_GROUP)
fn weighted_sums(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let group = group_index(workgroup, workgroups);
    let step = workgroups.x * workgroups.y * WEIGHTED_SUMS_GROUP;
    var sum = Wide();
    for (var root = group * WEIGHTED_SUMS_GROUP + lane; root < scalars.end; root += step) {
        let multiplicity = root_multiplicities[scalars.first + root];
        var leaves = vec2<u32>(1u, 0u);
        if scalars.depth == REACHED_ONCE {
            leaves.x = select(0u, 1u, all(multiplicity == vec4<u32>(1u, 0u, 0u, 0u)));
        } else if scalars.depth == 1u {
            leaves.x = counts[root];
        } else if scalars.depth > 1u {
            leaves = known_totals[scalars.kind * scalars.stride + root + 1u];
        }
        add_product(&sum, multiplicity, leaves);
    }
    wide_sums[lane] = sum;
    for (var lanes = WEIGHTED_SUMS_GROUP / 2u; lanes > 0u; lanes /= 2u) {
        workgroupBarrier();
        if lane < lanes {
            add_wide(&sum, wide_sums[lane + lanes]);
            wide_sums[lane] = sum;
        }
    }
    let has_totals = scalars.depth > 1u && scalars.depth != REACHED_ONCE;
    if has_totals && group == 0u && lane == 0u && known_totals[0].x != 0u {
        sums[0] = 1u;
    }
    if lane == 0u {
        let first_word = 8u * (scalars.kind * WEIGHTED_SUMS_GROUPS + group + 1u);
        for (var word = 0u; word < 8u; word++) {
            add_word(&sum, word, sums[first_word + word]);
        }
        for (var word = 0u; word < 8u; word++) {
            sums[first_word + word] = sum[word];
        }
    }
}
