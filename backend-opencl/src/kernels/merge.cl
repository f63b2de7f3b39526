// Merging equal positions: a list that holds each successor once, with a multiplicity of 128 bits, and a hash table of
// slots that finds its entries. `merging.rs` of the host describes the whole procedure.
//
// Two positions are equal if all their bits in memory are equal. A slot holds 0 if it is free, else the number of an
// entry, counted from 1, or of a candidate, counted from 0 and with the highest bit set.

#define CANDIDATE 0x80000000u

// The words of `merge_state`: the number of entries,
#define LEN 0
// the number of candidates that have taken a slot, or of diagrams,
#define FRESH 1
// whether the list or the table had no room,
#define FULL 2
// and whether a multiplicity exceeded 128 bits.
#define OVERFLOW 3

// Whether two positions are equal, bit by bit.
INLINE bool same_position(Position a, Position b) {
    const ulong different = (a.bit1 ^ b.bit1) | (a.bit2 ^ b.bit2) | (a.bit4 ^ b.bit4) |
                            ((a.own | a.en_passant) ^ (b.own | b.en_passant));
    return different == 0;
}

// Mixes one word into a hash; after MurmurHash3 (Austin Appleby, 2011).
#define MIX(hash, word, first, left, second, left_hash, added)                                                        \
    hash ^= rotate((word) * first, left) * second;                                                                    \
    hash = rotate(hash, left_hash) * 5 + added;

#define MIX_BOTH(word)                                                                                                \
    MIX(slot, word, 0xcc9e2d51u, 15u, 0x1b873593u, 13u, 0xe6546b64u)                                                  \
    MIX(share, word, 0x239b961bu, 16u, 0xab0e9789u, 17u, 0x0bcaa747u)

// Returns a hash whose every bit depends on all given bits.
INLINE uint mixed(uint hash) {
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

// Returns two hashes of a position: the first chooses its slot, the second is part of its key.
INLINE uint2 hashes(Position position) {
    const ulong planes[4] = {position.bit1, position.bit2, position.bit4, position.own | position.en_passant};
    uint slot = 0x9747b28cu, share = 0x3c6ef372u;
    for (uint index = 0; index < 4; ++index) {
        MIX_BOTH((uint) planes[index])
        MIX_BOTH((uint) (planes[index] >> 32))
    }
    return (uint2)(mixed(slot), mixed(share));
}

// Adds to a multiplicity, four 32-bit words, the lowest first; not every device has 64-bit atomics. Returns whether the
// sum exceeds 128 bits.
INLINE bool add_multiplicity(__global uint *restrict multiplicities, size_t index, uint4 amount) {
    const uint words[4] = {amount.x, amount.y, amount.z, amount.w};
    uint carry = 0;
    for (uint word = 0; word < 4; ++word) {
        const uint addend = words[word] + carry;
        carry = addend < carry;
        if (addend) {
            const uint before = atomic_add(&multiplicities[4 * index + word], addend);
            carry |= before + addend < before;
        }
    }
    return carry;
}

// Copies some entries of a ply to level 0, each as its own root.
__kernel KERNEL void load_entries(
    __global const Packed *restrict entries,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint first,
    uint end
) {
    const uint index = get_global_id(0);
    if (index < end) {
        store_position(successors, index, load_position(entries, first + index));
        successor_roots[index] = index;
    }
}

// Copies the entries that may have successors in a range to level 0, each as its own root, with their multiplicities,
// as far as there is room. `selected_count` counts them all.
__kernel KERNEL void select_entries(
    __global const Packed *restrict entries,
    __global const uint *restrict root_multiplicities,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    __global uint *restrict selected_multiplicities,
    __global uint *restrict selected_count,
    uint first,
    uint end,
    uint kept,
    uint room,
    uint first_own_low,
    uint first_own_high,
    uint first_theirs_low,
    uint first_theirs_high,
    uint first_hash,
    uint last_own_low,
    uint last_own_high,
    uint last_theirs_low,
    uint last_theirs_high,
    uint last_hash
) {
    __local uint group_count, group_base;
    const KeyRange range = RANGE_OF_SCALARS;
    const uint index = get_global_id(0);
    if (get_local_id(0) == 0) {
        group_count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    Position entry;
    bool is_selected = false;
    uint rank = 0;
    if (index < end) {
        entry = load_position(entries, first + index);
        is_selected = may_precede_kept(kept, range, entry);
    }
    if (is_selected) {
        rank = atomic_inc(&group_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        group_base = atomic_add(&selected_count[0], group_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint selected = group_base + rank;
    if (is_selected && selected < room) {
        store_position(successors, selected, entry);
        successor_roots[selected] = selected;
        vstore4(vload4((size_t) first + index, root_multiplicities), selected, selected_multiplicities);
    }
}

// Returns a hash of the other side's pieces, without the pieces of the reference. No move changes them, unless it captures; and most
// captured pieces stand where the reference has them.
INLINE uint army_hash(Position position, __global const uint *restrict reference) {
    const ulong planes[3] = {position.bit1, position.bit2, position.bit4};
    ulong others = 0;
    for (uint index = 0; index < 3; ++index) {
        others |= planes[index] ^ ((ulong) reference[2 * index + 1] << 32 | reference[2 * index]);
    }
    others &= ~position.own;
    uint hash = 0x9747b28cu;
    for (uint index = 0; index < 3; ++index) {
        MIX(hash, (uint) (planes[index] & others), 0xcc9e2d51u, 15u, 0x1b873593u, 13u, 0xe6546b64u)
        MIX(hash, (uint) ((planes[index] & others) >> 32), 0xcc9e2d51u, 15u, 0x1b873593u, 13u, 0xe6546b64u)
    }
    return mixed(hash);
}

// Counts the entries of each part of these hashes.
__kernel KERNEL void count_armies(
    __global const Packed *restrict entries,
    __global const uint *restrict reference,
    __global uint *restrict army_counts,
    uint end,
    uint shift
) {
    const uint index = get_global_id(0);
    if (index < end) {
        const uint part = army_hash(load_position(entries, index), reference) >> shift;
        atomic_inc(&army_counts[part]);
    }
}

// Puts the numbers of the entries in the order of these parts. `army_counts` holds the place of each part's next entry.
__kernel KERNEL void order_by_army(
    __global const Packed *restrict entries,
    __global const uint *restrict reference,
    __global uint *restrict army_counts,
    __global uint *restrict new_order,
    uint end,
    uint shift
) {
    const uint index = get_global_id(0);
    if (index < end) {
        const uint part = army_hash(load_position(entries, index), reference) >> shift;
        const uint place = atomic_inc(&army_counts[part]);
        if (place < end) {
            new_order[place] = index;
        }
    }
}

// Copies some entries of a shard, in their order, to level 0, each as its own root, with their multiplicities. The shards take turns. The
// entries that a shard has left follow after all turns.
__kernel KERNEL void load_ordered(
    __global const Packed *restrict entries,
    __global const uint *restrict root_multiplicities,
    __global const uint *restrict order,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    __global uint *restrict selected_multiplicities,
    uint first,
    uint end,
    uint shard_index,
    uint shard_count,
    uint turns,
    uint at
) {
    const uint index = get_global_id(0);
    if (index < end) {
        const uint entry = order[first + index];
        const uint root = index < turns ? index * shard_count + shard_index : at + index - turns;
        store_position(successors, root, load_position(entries, entry));
        successor_roots[root] = root;
        vstore4(vload4(entry, root_multiplicities), root, selected_multiplicities);
    }
}

// What stands for the slot of a candidate that took none.
#define NO_SLOT 0xffffffffu

// Finds the slot of a candidate, and adds its root's multiplicity there. Returns the slot if the candidate took it. The list is
// read and not extended. The multiplicities of all candidates are zero before; afterwards only candidates that took a slot
// have other multiplicities.
//
// Every search ends, at the latest where it began: a batch has fewer candidates than the table has free slots, because
// `append` frees the slots of candidates that did not fit.
INLINE uint find_slot(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const uint *restrict root_multiplicities,
    __global uint *restrict slots,
    __global const Packed *restrict entries,
    __global uint *restrict multiplicities,
    __global uint *restrict candidate_multiplicities,
    __global uint *restrict merge_state,
    uint first,
    uint slot_count,
    uint candidate,
    Position position,
    uint hash
) {
    const uint first_slot = mul_hi(hash, slot_count);
    bool is_fresh = false;
    uint slot = first_slot, found;
    for (;;) {
        found = ((volatile __global uint *) slots)[slot];
        if (found == 0) {
            found = atomic_cmpxchg(&slots[slot], 0u, CANDIDATE | candidate);
            is_fresh = found == 0;
        }
        if (is_fresh) {
            break;
        }
        const Position known = found & CANDIDATE ? load_position(positions, found & ~CANDIDATE)
                                                 : load_position(entries, found - 1);
        if (same_position(known, position)) {
            break;
        }
        slot = slot + 1 == slot_count ? 0 : slot + 1;
        if (slot == first_slot) {
            merge_state[FULL] = 1;
            return NO_SLOT;
        }
    }
    const uint4 amount = vload4(first + (size_t) roots[candidate], root_multiplicities);
    const bool overflow = is_fresh            ? add_multiplicity(candidate_multiplicities, candidate, amount)
                          : found & CANDIDATE ? add_multiplicity(candidate_multiplicities, found & ~CANDIDATE, amount)
                                              : add_multiplicity(multiplicities, found - 1, amount);
    if (overflow) {
        merge_state[OVERFLOW] = 1;
    }
    return is_fresh ? slot : NO_SLOT;
}

// Finds the slot of each candidate that is kept. If not all are kept, `kept_counts` counts the kept candidates of each root.
__kernel KERNEL void insert(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const uint *restrict root_multiplicities,
    __global uint *restrict slots,
    __global const Packed *restrict entries,
    __global uint *restrict multiplicities,
    __global uint *restrict candidate_multiplicities,
    __global uint *restrict taken,
    __global uint *restrict merge_state,
    __global uint *restrict kept_counts,
    uint first,
    uint end,
    uint hash_mask,
    uint slot_count,
    uint kept,
    uint first_own_low,
    uint first_own_high,
    uint first_theirs_low,
    uint first_theirs_high,
    uint first_hash,
    uint last_own_low,
    uint last_own_high,
    uint last_theirs_low,
    uint last_theirs_high,
    uint last_hash
) {
    const KeyRange range = RANGE_OF_SCALARS;
    const uint candidate = get_global_id(0);
    if (candidate < end) {
        uint slot = NO_SLOT;
        const Position position = load_position(positions, candidate);
        const uint2 hash = hashes(position);
        if (is_kept(kept, range, position, hash.y)) {
            if (kept != KEPT_ALL) {
                atomic_inc(&kept_counts[roots[candidate]]);
            }
            slot = find_slot(positions, roots, root_multiplicities, slots, entries, multiplicities, candidate_multiplicities,
                             merge_state, first, slot_count, candidate, position, hash.x & hash_mask);
        }
        taken[candidate] = slot;
    }
}

// Finds the slot of each candidate of a shard. The work-items take the candidates in turns.
__kernel KERNEL void insert_sorted(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const uint *restrict root_multiplicities,
    __global uint *restrict slots,
    __global const Packed *restrict entries,
    __global uint *restrict multiplicities,
    __global uint *restrict candidate_multiplicities,
    __global uint *restrict taken,
    __global uint *restrict merge_state,
    __global const uint *restrict sorted,
    uint first,
    uint shard_index,
    uint shard_count,
    uint hash_mask,
    uint slot_count
) {
    const uint start = shard_index == 0 ? 0 : sorted[shard_index - 1], end = sorted[shard_index];
    for (uint index = start + get_global_id(0); index < end; index += get_global_size(0)) {
        const uint candidate = sorted[shard_count + index];
        const Position position = load_position(positions, candidate);
        taken[index] = find_slot(positions, roots, root_multiplicities, slots, entries, multiplicities, candidate_multiplicities,
                                 merge_state, first, slot_count, candidate, position, hashes(position).x & hash_mask);
    }
}

// Appends the candidates that took a slot to the list, as far as there is room. Slots of the others become free: the list is then
// useless, but later batches still search the table. If they do not, slots stay as they are. The work-groups take the candidates of a
// shard in turns.
__kernel KERNEL void append(
    __global const Packed *restrict positions,
    __global uint *restrict taken_multiplicities,
    __global uint *restrict taken,
    __global const uint *restrict sorted,
    __global uint *restrict slots,
    __global Packed *restrict successors,
    __global uint *restrict new_multiplicities,
    __global uint *restrict merge_state,
    uint end,
    uint shard_index,
    uint shard_count,
    uint keeps_slots,
    uint room
) {
    __local uint group_count, group_base;
    const bool is_sorted = shard_count > 1;
    const uint start = is_sorted && shard_index > 0 ? sorted[shard_index - 1] : 0, last = is_sorted ? sorted[shard_index] : end;
    for (uint group_start = start + get_group_id(0) * GROUP; group_start < last; group_start += get_global_size(0)) {
        const uint index = group_start + get_local_id(0), slot = index < last ? taken[index] : NO_SLOT;
        uint rank = 0;
        if (get_local_id(0) == 0) {
            group_count = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (slot != NO_SLOT) {
            rank = atomic_inc(&group_count);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
            group_base = atomic_add(&merge_state[FRESH], group_count);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (slot != NO_SLOT) {
            const uint candidate = is_sorted ? sorted[shard_count + index] : index;
            const uint successor = merge_state[LEN] + group_base + rank;
            const bool has_room = successor < room;
            if (has_room) {
                store_position(successors, successor, load_position(positions, candidate));
                vstore4(vload4(candidate, taken_multiplicities), successor, new_multiplicities);
            }
            if (keeps_slots) {
                slots[slot] = has_room ? successor + 1 : 0;
            }
            vstore4((uint4)(0), candidate, taken_multiplicities);
        }
    }
}

// Adds the appended candidates to the list's length, and notes if there was no room for all.
__kernel KERNEL void note_appended(__global uint *restrict merge_state, uint room) {
    if (get_global_id(0) == 0) {
        const uint count = merge_state[FRESH], len = merge_state[LEN];
        if (count > room - len) {
            merge_state[FULL] = 1;
        }
        merge_state[LEN] = len + min(count, room - len);
        merge_state[FRESH] = 0;
    }
}

// A number of 256 bits, the lowest word first.
typedef struct {
    ulong words[4];
} Wide;

// Returns the sum of two numbers, modulo 2^256.
INLINE Wide wide_sum(Wide a, Wide b) {
    Wide sum;
    ulong carry = 0;
    for (uint word = 0; word < 4; ++word) {
        const ulong partial = a.words[word] + carry;
        sum.words[word] = partial + b.words[word];
        carry = (partial < carry) | (sum.words[word] < partial);
    }
    return sum;
}

// Returns multiplicity times leaves.
INLINE Wide wide_product(uint4 multiplicity, ulong leaves) {
    const ulong low = (ulong) multiplicity.y << 32 | multiplicity.x, high = (ulong) multiplicity.w << 32 | multiplicity.z;
    const ulong middle = mul_hi(low, leaves), upper = high * leaves;
    const ulong sum = middle + upper;
    return (Wide){{low * leaves, sum, mul_hi(high, leaves) + (sum < middle), 0}};
}

// Adds leaves of a kind, weighted by multiplicity, to sums, one for each kind and work-group, after a header; the groups take the
// roots in turns. A root has one leaf at depth 0, as many as moves at depth 1, and its total at greater depths. A kind has `stride`
// totals. If a queue overflowed on the way to the totals, the header notes it. At the depth REACHED_ONCE, a root of multiplicity one has
// one leaf, and others have none.
__kernel WEIGHTED_SUMS_KERNEL void weighted_sums(
    __global const uint *restrict root_multiplicities,
    __global const uint *restrict counts,
    __global const uint *restrict known_totals,
    __global uint *restrict sums,
    uint first,
    uint end,
    uint depth,
    uint kind,
    uint stride
) {
    __local Wide group_sums[WEIGHTED_SUMS_GROUP];
    const uint local_index = get_local_id(0);
    Wide sum = {{0, 0, 0, 0}};
    for (uint root = get_global_id(0); root < end; root += get_global_size(0)) {
        const uint4 multiplicity = vload4((size_t) first + root, root_multiplicities);
        ulong leaves = 1;
        if (depth == REACHED_ONCE) {
            leaves = multiplicity.x == 1 && (multiplicity.y | multiplicity.z | multiplicity.w) == 0;
        } else if (depth == 1) {
            leaves = counts[root];
        } else if (depth > 1) {
            const uint at = 2 * (kind * stride + root) + 2;
            leaves = (ulong) known_totals[at + 1] << 32 | known_totals[at];
        }
        sum = wide_sum(sum, wide_product(multiplicity, leaves));
    }
    group_sums[local_index] = sum;
    for (uint lanes = WEIGHTED_SUMS_GROUP / 2; lanes > 0; lanes /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_index < lanes) {
            group_sums[local_index] = wide_sum(group_sums[local_index], group_sums[local_index + lanes]);
        }
    }
    const bool has_totals = depth > 1 && depth != REACHED_ONCE;
    if (has_totals && get_global_id(0) == 0 && known_totals[0]) {
        sums[0] = 1;
    }
    if (local_index == 0) {
        for (uint word = 0; word < 4; ++word) {
            const size_t at = 8 * (kind * WEIGHTED_SUMS_GROUPS + get_group_id(0) + 1) + 2 * word;
            sum.words[word] = (ulong) sums[at + 1] << 32 | sums[at];
        }
        sum = wide_sum(sum, group_sums[0]);
        for (uint word = 0; word < 4; ++word) {
            const size_t at = 8 * (kind * WEIGHTED_SUMS_GROUPS + get_group_id(0) + 1) + 2 * word;
            sums[at] = (uint) sum.words[word];
            sums[at + 1] = (uint) (sum.words[word] >> 32);
        }
    }
}
