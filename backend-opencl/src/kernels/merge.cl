// Merging equal positions: a list that holds each successor once, with a multiplicity of 128 bits, and a hash table of
// slots that finds its entries. `merging.rs` of the host describes the whole procedure.
//
// Two positions are equal if all their bits in memory are equal. A slot holds 0 if it is free, else the number of an
// entry, counted from 1, or of a candidate, counted from 0 and with the highest bit set.

#define CANDIDATE 0x80000000u

// The words of `merge_state`: the number of entries,
#define LEN 0
// the number of candidates that have taken a slot,
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

// Returns a hash of the side to move's pieces. A parent has the same one for the other side's pieces, unless the move captures.
INLINE uint army_hash(Position position) {
    const ulong planes[3] = {position.bit1 & position.own, position.bit2 & position.own, position.bit4 & position.own};
    uint hash = 0x9747b28cu;
    for (uint index = 0; index < 3; ++index) {
        MIX(hash, (uint) planes[index], 0xcc9e2d51u, 15u, 0x1b873593u, 13u, 0xe6546b64u)
        MIX(hash, (uint) (planes[index] >> 32), 0xcc9e2d51u, 15u, 0x1b873593u, 13u, 0xe6546b64u)
    }
    return mixed(hash);
}

// The number of slots in the window of an army that a search looks at, before it looks at the whole table.
#define NEAR_SLOTS 32u

// Spreads the keys of a range, which may differ in few bits of their hashes, over all shards.
#define SHARD_FACTOR 0x9e3779b1u

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

// Counts the entries of each part of the hashes of the other side's pieces.
__kernel KERNEL void count_armies(
    __global const Packed *restrict entries,
    __global uint *restrict army_counts,
    uint end,
    uint shift
) {
    const uint index = get_global_id(0);
    if (index < end) {
        atomic_inc(&army_counts[army_hash(flipped(load_position(entries, index))) >> shift]);
    }
}

// Puts the numbers of the entries in the order of these parts. `army_counts` holds the place of each part's next entry.
__kernel KERNEL void order_by_army(
    __global const Packed *restrict entries,
    __global uint *restrict army_counts,
    __global uint *restrict new_order,
    uint end,
    uint shift
) {
    const uint index = get_global_id(0);
    if (index < end) {
        const uint place = atomic_inc(&army_counts[army_hash(flipped(load_position(entries, index))) >> shift]);
        if (place < end) {
            new_order[place] = index;
        }
    }
}

// Copies entries to level 0, each as its own root, with their multiplicities, as far as there is room. If only the successors
// within a range are kept, entries from which no move may lead into it are left out. `selected_count` counts the others. If
// `ordered` is set, `order` holds the numbers of the entries.
__kernel KERNEL void select_entries(
    __global const Packed *restrict entries,
    __global const uint *restrict root_multiplicities,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    __global uint *restrict selected_multiplicities,
    __global uint *restrict selected_count,
    __global const uint *restrict order,
    uint first,
    uint end,
    uint kept,
    uint ordered,
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
    uint number = 0, rank = 0;
    if (index < end) {
        number = ordered ? order[first + index] : first + index;
        entry = load_position(entries, number);
        is_selected = kept != KEPT_WITHIN || may_follow(range, entry);
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
        vstore4(vload4(number, root_multiplicities), selected, selected_multiplicities);
    }
}

// Finds the slot of each candidate that belongs to the shard and is kept, and adds its root's multiplicity there. The list is
// read and not extended. The multiplicities of all candidates are zero before; afterwards only candidates that took a slot
// have other multiplicities. If not all are kept, `kept_counts` counts the kept candidates of each root.
//
// Every search ends, at the latest where it began: a batch has fewer candidates than the table has free slots, because
// `append` frees the slots of candidates that did not fit.
__kernel KERNEL void insert(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const uint *restrict root_multiplicities,
    __global uint *restrict slots,
    __global const Packed *restrict entries,
    __global uint *restrict multiplicities,
    __global uint *restrict candidate_multiplicities,
    __global uint *restrict fresh,
    __global uint *restrict merge_state,
    __global uint *restrict kept_counts,
    uint first,
    uint end,
    uint shard_index,
    uint shard_count,
    uint hash_mask,
    uint slot_count,
    uint window,
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
    __local uint fresh_count, fresh_base;
    const uint candidate = get_global_id(0);
    if (get_local_id(0) == 0) {
        fresh_count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    bool is_fresh = false;
    uint slot = 0, rank = 0;
    if (candidate < end) {
        const Position position = load_position(positions, candidate);
        const uint2 hash = hashes(position);
        const bool is_in_shard = mul_hi(hash.y * SHARD_FACTOR, shard_count) == shard_index;
        bool is_kept = is_in_shard;
        if (is_in_shard && kept != KEPT_ALL) {
            const KeyRange range = RANGE_OF_SCALARS;
            is_kept = kept == KEPT_WITHIN ? range_has(range, position, hash.y) : may_follow(range, position);
            if (is_kept) {
                atomic_inc(&kept_counts[roots[candidate]]);
            }
        }
        if (is_kept) {
            const uint first_slot = mul_hi(hash.x & hash_mask, slot_count);
            bool is_full = false;
            // The search begins in the window of the army, if there are windows, and goes on in the whole table.
            uint near = 0, found = 0;
            slot = first_slot;
            if (window < slot_count) {
                near = NEAR_SLOTS;
                slot = mul_hi(army_hash(position) & hash_mask, slot_count - window) + mul_hi(hash.x & hash_mask, window);
            }
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
                slot = near == 1 ? first_slot : slot + 1 == slot_count ? 0 : slot + 1;
                if (near > 0) {
                    --near;
                } else if (slot == first_slot) {
                    is_full = true;
                    break;
                }
            }
            if (is_full) {
                merge_state[FULL] = 1;
            } else {
                const uint4 amount = vload4(first + (size_t) roots[candidate], root_multiplicities);
                const bool overflow =
                    is_fresh            ? add_multiplicity(candidate_multiplicities, candidate, amount)
                    : found & CANDIDATE ? add_multiplicity(candidate_multiplicities, found & ~CANDIDATE, amount)
                                        : add_multiplicity(multiplicities, found - 1, amount);
                if (overflow) {
                    merge_state[OVERFLOW] = 1;
                }
            }
        }
    }
    if (is_fresh) {
        rank = atomic_inc(&fresh_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        fresh_base = atomic_add(&merge_state[FRESH], fresh_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_fresh) {
        vstore2((uint2)(candidate, slot), fresh_base + rank, fresh);
    }
}

// Appends the candidates that took a slot to the list, as far as there is room. Slots of the others become free:
// the list is then useless, but later batches still search the table.
__kernel KERNEL void append(
    __global const Packed *restrict positions,
    __global uint *restrict candidate_multiplicities,
    __global uint *restrict fresh,
    __global uint *restrict slots,
    __global Packed *restrict successors,
    __global uint *restrict multiplicities,
    __global uint *restrict merge_state,
    uint room
) {
    const uint index = get_global_id(0);
    if (index < merge_state[FRESH]) {
        const uint2 taken = vload2(index, fresh);
        const uint candidate = taken.x, successor = merge_state[LEN] + index;
        if (successor < room) {
            store_position(successors, successor, load_position(positions, candidate));
            vstore4(vload4(candidate, candidate_multiplicities), successor, multiplicities);
            slots[taken.y] = successor + 1;
        } else {
            slots[taken.y] = 0;
        }
        vstore4((uint4)(0), candidate, candidate_multiplicities);
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

// Adds leaves weighted by multiplicity to sums, one for each work-group, after a header; the groups take the roots in turns. A
// root has one leaf at depth 0, as many as moves at depth 1, and its total at greater depths. If a queue overflowed on the way to
// the totals, the header notes it.
__kernel WEIGHTED_SUMS_KERNEL void weighted_sums(
    __global const uint *restrict root_multiplicities,
    __global const uint *restrict counts,
    __global const uint *restrict known_totals,
    __global uint *restrict sums,
    uint first,
    uint end,
    uint depth
) {
    __local Wide group_sums[WEIGHTED_SUMS_GROUP];
    const uint local_index = get_local_id(0);
    Wide sum = {{0, 0, 0, 0}};
    for (uint root = get_global_id(0); root < end; root += get_global_size(0)) {
        ulong leaves = 1;
        if (depth == 1) {
            leaves = counts[root];
        } else if (depth > 1) {
            leaves = (ulong) known_totals[2 * root + 3] << 32 | known_totals[2 * root + 2];
        }
        sum = wide_sum(sum, wide_product(vload4((size_t) first + root, root_multiplicities), leaves));
    }
    group_sums[local_index] = sum;
    for (uint lanes = WEIGHTED_SUMS_GROUP / 2; lanes > 0; lanes /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_index < lanes) {
            group_sums[local_index] = wide_sum(group_sums[local_index], group_sums[local_index + lanes]);
        }
    }
    if (depth > 1 && get_global_id(0) == 0 && known_totals[0]) {
        sums[0] = 1;
    }
    if (local_index == 0) {
        for (uint word = 0; word < 4; ++word) {
            const size_t at = 8 * (get_group_id(0) + 1) + 2 * word;
            sum.words[word] = (ulong) sums[at + 1] << 32 | sums[at];
        }
        sum = wide_sum(sum, group_sums[0]);
        for (uint word = 0; word < 4; ++word) {
            const size_t at = 8 * (get_group_id(0) + 1) + 2 * word;
            sums[at] = (uint) sum.words[word];
            sums[at + 1] = (uint) (sum.words[word] >> 32);
        }
    }
}
