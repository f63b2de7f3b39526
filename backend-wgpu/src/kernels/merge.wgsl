// Merging equal positions: a list of successors, each once, with multiplicities of 128 bits, and a table of their
// places. How it works is said in `breadth_first/merging.rs` of kogge-board. A position is what lies in memory; two are the
// same if all their bits are.
//
// A place holds 0 if it is free, else the number of a successor, counted from 1, or of a candidate, counted from 0 and
// with the highest bit set.

const CANDIDATE: u32 = 0x80000000u;

// What the host and the kernels tell each other of the list: four words before the fresh candidates.
const LEN: u32 = 0u;
// Candidates that have taken a place.
const FRESH: u32 = 1u;
const FULL: u32 = 2u;
const OVERFLOW: u32 = 3u;
const FIRST_FRESH: u32 = 4u;

// The product of two numbers, its lower word first.
fn product(a: u32, b: u32) -> vec2<u32> {
    let low_half = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low_half >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

// A share of `count` things, as large as the hash is among all hashes.
fn share_of(hash: u32, count: u32) -> u32 {
    return product(hash, count).y;
}

fn rotate_left(word: u32, distance: u32) -> u32 {
    return (word << distance) | (word >> (32u - distance));
}

// One word's share in both hashes; after MurmurHash3 (Austin Appleby, 2011).
fn mix(hash: vec2<u32>, word: u32) -> vec2<u32> {
    let x = hash.x ^ (rotate_left(word * 0xcc9e2d51u, 15u) * 0x1b873593u);
    let y = hash.y ^ (rotate_left(word * 0x239b961bu, 16u) * 0xab0e9789u);
    return vec2<u32>(rotate_left(x, 13u) * 5u + 0xe6546b64u, rotate_left(y, 17u) * 5u + 0x0bcaa747u);
}

// Two hashes: where the table keeps a position (x), and which partition it belongs to (y).
fn hashes(first: vec4<u32>, second: vec4<u32>) -> vec2<u32> {
    var hash = vec2<u32>(0x9747b28cu, 0x3c6ef372u);
    for (var word = 0u; word < 4u; word++) {
        hash = mix(hash, first[word]);
    }
    for (var word = 0u; word < 4u; word++) {
        hash = mix(hash, second[word]);
    }
    hash = (hash ^ (hash >> vec2<u32>(16u))) * 0x85ebca6bu;
    hash = (hash ^ (hash >> vec2<u32>(13u))) * 0xc2b2ae35u;
    return hash ^ (hash >> vec2<u32>(16u));
}

// Whether this position is that of a place.
fn is_at(found: u32, first: vec4<u32>, second: vec4<u32>) -> bool {
    if (found & CANDIDATE) != 0u {
        let index = 2u * (found & ~CANDIDATE);
        return all(positions[index] == first) && all(positions[index + 1u] == second);
    }
    let index = 2u * (found - 1u);
    return all(entries[index] == first) && all(entries[index + 1u] == second);
}

// Adds to the multiplicity of a candidate or a successor, four words, the lowest first, with the carry done by hand.
// Returns whether it did not fit.
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

// Puts some entries of a ply into level 0.
@compute @workgroup_size(GROUP)
fn load(
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

var<workgroup> fresh_count: atomic<u32>;
var<workgroup> fresh_base: u32;

// Finds the place of each candidate that belongs to the partition. The multiplicities of candidates are zero before and
// also afterwards, but for those that took a place. The list is read and not written.
@compute @workgroup_size(GROUP)
fn insert(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let candidate = group_index(workgroup, workgroups) * GROUP + lane;
    if lane == 0u {
        atomicStore(&fresh_count, 0u);
    }
    workgroupBarrier();

    var is_fresh = false;
    var taken = 0u;
    if candidate < scalars.end {
        let first = positions[2u * candidate];
        let second = positions[2u * candidate + 1u];
        let hash = hashes(first, second);
        if share_of(hash.y, scalars.partition_of) == scalars.partition_index {
            let place_count = arrayLength(&places);
            taken = share_of(hash.x & scalars.hash_mask, place_count);
            var found = 0u;
            loop {
                found = atomicLoad(&places[taken]);
                if found == 0u {
                    let exchange = atomicCompareExchangeWeak(&places[taken], 0u, CANDIDATE | candidate);
                    // If not, another was faster, or it failed without a reason: the place is looked at again.
                    is_fresh = exchange.exchanged;
                    if is_fresh {
                        found = CANDIDATE | candidate;
                        break;
                    }
                } else if is_at(found, first, second) {
                    break;
                } else {
                    taken = select(taken + 1u, 0u, taken + 1u == place_count);
                }
            }
            if add_multiplicity(found, root_multiplicities[scalars.first + roots[candidate]]) {
                atomicStore(&fresh[OVERFLOW], 1u);
            }
        }
    }
    var rank = 0u;
    if is_fresh {
        rank = atomicAdd(&fresh_count, 1u);
    }
    workgroupBarrier();
    if lane == 0u {
        fresh_base = atomicAdd(&fresh[FRESH], atomicLoad(&fresh_count));
    }
    workgroupBarrier();
    if is_fresh {
        let at = FIRST_FRESH + 2u * (fresh_base + rank);
        atomicStore(&fresh[at], candidate);
        atomicStore(&fresh[at + 1u], taken);
    }
}

// Moves the candidates that took a place to the end of the list, as far as there is room.
@compute @workgroup_size(GROUP)
fn append(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if index < atomicLoad(&fresh[FRESH]) {
        let candidate = atomicLoad(&fresh[FIRST_FRESH + 2u * index]);
        let successor = atomicLoad(&fresh[LEN]) + index;
        let has_room = successor < scalars.room;
        if has_room {
            successors[2u * successor] = positions[2u * candidate];
            successors[2u * successor + 1u] = positions[2u * candidate + 1u];
            atomicStore(&places[atomicLoad(&fresh[FIRST_FRESH + 2u * index + 1u])], successor + 1u);
        }
        for (var word = 0u; word < 4u; word++) {
            let number = atomicExchange(&candidate_multiplicities[4u * candidate + word], 0u);
            if has_room {
                atomicStore(&multiplicities[4u * successor + word], number);
            }
        }
    }
}

// Takes note of what was appended.
@compute @workgroup_size(1)
fn appended(@builtin(workgroup_id) workgroup: vec3<u32>) {
    if workgroup.x == 0u {
        let count = atomicLoad(&fresh[FRESH]);
        let len = atomicLoad(&fresh[LEN]);
        if count > scalars.room - len {
            atomicStore(&fresh[FULL], 1u);
        }
        atomicStore(&fresh[LEN], len + min(count, scalars.room - len));
        atomicStore(&fresh[FRESH], 0u);
    }
}

// A number of 256 bits, the lowest word first.
alias Wide = array<u32, 8>;

// Adds a word at this place.
fn add_word(sum: ptr<function, Wide>, place: u32, word: u32) {
    var carry = word;
    for (var at = place; at < 8u && carry != 0u; at++) {
        let before = (*sum)[at];
        (*sum)[at] = before + carry;
        carry = select(0u, 1u, before + carry < before);
    }
}

// Adds multiplicity times leaves.
fn add_product(sum: ptr<function, Wide>, multiplicity: vec4<u32>, leaves: vec2<u32>) {
    for (var left = 0u; left < 4u; left++) {
        for (var right = 0u; right < 2u; right++) {
            let words = product(multiplicity[left], leaves[right]);
            add_word(sum, left + right, words.x);
            add_word(sum, left + right + 1u, words.y);
        }
    }
}

var<workgroup> wide_sums: array<Wide, WEIGH_GROUP>;

// The sums of multiplicity times leaves, one for each work-group; the groups take all roots in turns. Leaves are 1 at
// depth 0, moves at depth 1, and else totals.
@compute @workgroup_size(WEIGH_GROUP)
fn weigh(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let group = group_index(workgroup, workgroups);
    let step = workgroups.x * workgroups.y * WEIGH_GROUP;
    var sum = Wide();
    for (var root = group * WEIGH_GROUP + lane; root < scalars.end; root += step) {
        var leaves = vec2<u32>(1u, 0u);
        if scalars.depth == 1u {
            leaves.x = counts[root];
        } else if scalars.depth > 1u {
            leaves = known_totals[root + 1u];
        }
        add_product(&sum, root_multiplicities[scalars.first + root], leaves);
    }
    wide_sums[lane] = sum;
    workgroupBarrier();
    if lane == 0u {
        for (var other = 1u; other < WEIGH_GROUP; other++) {
            for (var word = 0u; word < 8u; word++) {
                add_word(&sum, word, wide_sums[other][word]);
            }
        }
        for (var word = 0u; word < 8u; word++) {
            new_sums[8u * group + word] = sum[word];
        }
    }
}
