// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define CANDIDATE 0x80000000u

// What stands for the slot of a candidate that took none.
#define NO_SLOT 0xffffffffu

// A number of 256 bits, the lowest 64 bits first.
typedef struct {
    ulong first;
    ulong second;
    ulong third;
    ulong fourth;
} Wide;

// The lower 64 bits of a sum, and the carry into the next.
typedef struct {
    ulong value;
    uint carry;
} Sum;

// A number of 128 bits.
typedef struct {
    ulong lower;
    ulong upper;
} Product;

// Whether the position that a slot refers to is equal to this one, bit by bit. Both halves are read at once.
INLINE bool same_position(
    uint found,
    uint4 first,
    uint4 second,
    __global const uint4 *restrict positions,
    __global const uint4 *restrict entries
) {
    if ((found & CANDIDATE) != 0u) {
        const uint index = 2u * (found & 0x7fffffffu);
        return all(positions[index] == first) & all(positions[index + 1u] == second);
    }
    const uint index = 2u * (found - 1u);
    return all(entries[index] == first) & all(entries[index + 1u] == second);
}

// Returns the hash scaled to a number below `count`.
INLINE uint share_of(uint hash, uint count) {
    return high(product(hash, count));
}

// Rotates the bits of a word towards the highest.
INLINE uint rotate_left(uint word, uint distance) {
    return (word << distance) | (word >> (32u - distance));
}

// Mixes one word into both hashes; after MurmurHash3 (Austin Appleby, 2011).
INLINE uint2 mix_word(uint2 hash, uint word) {
    const uint x = hash.x ^ (rotate_left(word * 0xcc9e2d51u, 15u) * 0x1b873593u);
    const uint y = hash.y ^ (rotate_left(word * 0x239b961bu, 16u) * 0xab0e9789u);
    return (uint2)(rotate_left(x, 13u) * 5u + 0xe6546b64u, rotate_left(y, 17u) * 5u + 0xbcaa747u);
}

// Returns two hashes whose every bit depends on all given bits.
INLINE uint2 mixed(uint2 words) {
    uint2 hash = words;
    hash = (hash ^ (hash >> (uint2)(16u))) * 0x85ebca6bu;
    hash = (hash ^ (hash >> (uint2)(13u))) * 0xc2b2ae35u;
    return hash ^ (hash >> (uint2)(16u));
}

// Returns two hashes of a position: the first chooses its slot, the second is part of its key.
INLINE uint2 hashes(uint4 first, uint4 second) {
    uint2 hash = (uint2)(0x9747b28cu, 0x3c6ef372u);
    hash = mix_word(mix_word(mix_word(mix_word(hash, first.x), first.y), first.z), first.w);
    hash = mix_word(mix_word(mix_word(mix_word(hash, second.x), second.y), second.z), second.w);
    return mixed(hash);
}

// Adds to a word of the multiplicity of a candidate or an entry. Returns the carry into the next word.
INLINE uint add_to_word(
    uint found,
    uint word,
    uint amount,
    uint carry,
    __global uint (*restrict multiplicities)[4],
    __global uint (*restrict candidate_multiplicities)[4]
) {
    const uint addend = amount + carry;
    uint next = (uint) (addend < carry);
    if (addend != 0u) {
        uint before = 0u;
        if ((found & CANDIDATE) != 0u) {
            before = atomic_add(&candidate_multiplicities[found & 0x7fffffffu][word], addend);
        } else {
            before = atomic_add(&multiplicities[found - 1u][word], addend);
        }
        next |= (uint) (before + addend < before);
    }
    return next;
}

// Adds to the multiplicity of a candidate or an entry, four 32-bit words, the lowest first; not every device has 64-bit atomics.
// Returns whether the sum exceeds 128 bits.
INLINE bool add_multiplicity(
    uint found,
    uint4 amount,
    __global uint (*restrict multiplicities)[4],
    __global uint (*restrict candidate_multiplicities)[4]
) {
    uint carry = add_to_word(found, 0u, amount.x, 0u, multiplicities, candidate_multiplicities);
    carry = add_to_word(found, 1u, amount.y, carry, multiplicities, candidate_multiplicities);
    carry = add_to_word(found, 2u, amount.z, carry, multiplicities, candidate_multiplicities);
    carry = add_to_word(found, 3u, amount.w, carry, multiplicities, candidate_multiplicities);
    return carry != 0u;
}

// Returns a plane of the pieces that an order ignores.
INLINE uint2 reference_plane(uint index, __global const uint *restrict reference) {
    return (uint2)(reference[2u * index], reference[2u * index + 1u]);
}

// Returns a hash of the other side's pieces, without the pieces of the reference. No move changes them, unless it captures; and most
// captured pieces stand where the reference has them.
INLINE uint opponent_hash(uint4 first, uint4 second, __global const uint *restrict reference) {
    const uint2 differ = (first.xy ^ reference_plane(0u, reference)) | (first.zw ^ reference_plane(1u, reference))
        | (second.xy ^ reference_plane(2u, reference));
    const uint2 others = differ & ~second.zw;
    uint2 hash = (uint2)(0x9747b28cu, 0u);
    hash = mix_word(mix_word(hash, first.x & others.x), first.y & others.y);
    hash = mix_word(mix_word(hash, first.z & others.x), first.w & others.y);
    hash = mix_word(mix_word(hash, second.x & others.x), second.y & others.y);
    return mixed(hash).x;
}

// Finds the slot of a candidate, and adds its root's multiplicity there. Returns the slot if the candidate took it. The list is
// read and not extended. The multiplicities of all candidates are zero before; afterwards only candidates that took a slot
// have other multiplicities.
//
// Every search ends, at the latest where it began: a batch has fewer candidates than the table has free slots, because
// `append` frees the slots of candidates that did not fit.
INLINE uint find_slot(
    uint candidate,
    uint4 first_1,
    uint4 second,
    uint hash,
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global const uint4 *restrict entries,
    __global uint (*restrict multiplicities)[4],
    __global const uint4 *restrict root_multiplicities,
    __global uint (*restrict candidate_multiplicities)[4],
    __global uint *restrict slots,
    __global uint *restrict merge_state,
    uint first,
    uint slot_count
) {
    const uint first_slot = share_of(hash, slot_count);
    bool is_fresh = false;
    uint slot = first_slot;
    uint found = 0u;
    for (;;) {
        found = load_atomic(&slots[slot]);
        if (found == 0u) {
            const Exchange exchange = compare_exchange(&slots[slot], 0u, CANDIDATE | candidate);
            is_fresh = exchange.exchanged;
            if (is_fresh) {
                found = CANDIDATE | candidate;
                break;
            }
        } else if (same_position(found, first_1, second, positions, entries)) {
            break;
        } else {
            slot = slot + 1u == slot_count ? 0u : slot + 1u;
            if (slot == first_slot) {
                merge_state[2] = 1u;
                return NO_SLOT;
            }
        }
    }
    const bool result = add_multiplicity(found, root_multiplicities[first + roots[candidate]], multiplicities,
        candidate_multiplicities);
    if (result) {
        merge_state[3] = 1u;
    }
    return is_fresh ? slot : NO_SLOT;
}

INLINE Sum carried_sum(ulong a, ulong b, uint carry) {
    const ulong partial = plus(a, b);
    const ulong value = plus(partial, join(carry, 0u));
    return (Sum){value, (uint) is_lower(partial, a) | (uint) is_lower(value, partial)};
}

// Returns the sum of two numbers, modulo 2^256.
INLINE Wide wide_sum(Wide a, Wide b) {
    const Sum first = carried_sum(a.first, b.first, 0u);
    const Sum second = carried_sum(a.second, b.second, first.carry);
    const Sum third = carried_sum(a.third, b.third, second.carry);
    const Sum fourth = carried_sum(a.fourth, b.fourth, third.carry);
    return (Wide){first.value, second.value, third.value, fourth.value};
}

INLINE Product board_product(ulong a, ulong b) {
    const ulong lowest_product = product(low(a), low(b));
    const ulong middle = plus(product(low(a), high(b)), join(high(lowest_product), 0u));
    const ulong other = plus(product(high(a), low(b)), join(low(middle), 0u));
    const ulong carried = plus(join(high(middle), 0u), join(high(other), 0u));
    return (Product){join(low(lowest_product), low(other)), plus(product(high(a), high(b)), carried)};
}

INLINE Wide wide_product(uint4 multiplicity, ulong leaves) {
    const Product lower = board_product(join(multiplicity.x, multiplicity.y), leaves);
    const Product upper = board_product(join(multiplicity.z, multiplicity.w), leaves);
    const Sum second = carried_sum(lower.upper, upper.lower, 0u);
    return (Wide){lower.lower, second.value, plus(upper.upper, join(second.carry, 0u)), NONE};
}

// Reads 64 bits of a sum, the lower word first.
INLINE ulong board_of_sum(uint at, __global uint *restrict sums) {
    return join(sums[at], sums[at + 1u]);
}

// Writes 64 bits of a sum, the lower word first.
INLINE void set_board_of_sum(uint at, ulong board, __global uint *restrict sums) {
    sums[at] = low(board);
    sums[at + 1u] = high(board);
}

// Copies some entries of a ply to level 0, each as its own root.
__kernel KERNEL void load_entries(
    __global uint4 *restrict successors,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict entries,
    uint first,
    uint end
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
    if (index < end) {
        successors[2u * index] = entries[2u * (first + index)];
        successors[2u * index + 1u] = entries[2u * (first + index) + 1u];
        successor_roots[index] = index;
    }
}

// Copies the entries that may have successors in a range to level 0, each as its own root, with their multiplicities,
// as far as there is room. `selected_count` counts them all.
__kernel KERNEL void select_entries(
    __global uint4 *restrict successors,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict entries,
    __global const uint4 *restrict root_multiplicities,
    __global uint4 *restrict selected_multiplicities,
    __global uint *restrict selected_count,
    uint first,
    uint end,
    uint filter_kind,
    uint capacity,
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
    __local uint group_count[1];
    __local uint group_base[1];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
    if (id.lane == 0u) {
        *group_count = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 first_1 = (uint4)(0);
    uint4 second = (uint4)(0);
    bool is_selected = false;
    uint rank = 0u;
    if (index < end) {
        first_1 = entries[2u * (first + index)];
        second = entries[2u * (first + index) + 1u];
        is_selected = may_precede_kept(range_of_scalars(first_own_low, first_own_high, first_theirs_low,
            first_theirs_high, first_hash, last_own_low, last_own_high, last_theirs_low, last_theirs_high, last_hash),
            position_in(first_1, second), filter_kind);
    }
    if (is_selected) {
        rank = atomic_add(group_count, 1u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id.lane == 0u) {
        *group_base = atomic_add(&selected_count[0], *group_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint selected = *group_base + rank;
    if (is_selected && selected < capacity) {
        successors[2u * selected] = first_1;
        successors[2u * selected + 1u] = second;
        successor_roots[selected] = selected;
        selected_multiplicities[selected] = root_multiplicities[first + index];
    }
}

// Counts the entries of each part of these hashes.
__kernel KERNEL void count_by_opponent(
    __global const uint4 *restrict entries,
    __global const uint *restrict reference,
    __global uint *restrict opponent_counts,
    uint end,
    uint shift
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
    if (index < end) {
        const uint part = opponent_hash(entries[2u * index], entries[2u * index + 1u], reference) >> shift;
        atomic_add(&opponent_counts[part], 1u);
    }
}

// Puts the numbers of the entries in the order of these parts. `opponent_counts` holds the place of each part's next entry.
__kernel KERNEL void order_by_opponent(
    __global const uint4 *restrict entries,
    __global const uint *restrict reference,
    __global uint *restrict opponent_counts,
    __global uint *restrict new_order,
    uint end,
    uint shift
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
    if (index < end) {
        const uint part = opponent_hash(entries[2u * index], entries[2u * index + 1u], reference) >> shift;
        const uint place = atomic_add(&opponent_counts[part], 1u);
        if (place < end) {
            new_order[place] = index;
        }
    }
}

// Copies some entries of a shard, in their order, to level 0, each as its own root, with their multiplicities. The shards take turns. The
// entries that a shard has left follow after all turns.
__kernel KERNEL void load_ordered(
    __global uint4 *restrict successors,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict entries,
    __global const uint4 *restrict root_multiplicities,
    __global uint4 *restrict selected_multiplicities,
    __global const uint *restrict order,
    uint first,
    uint end,
    uint shard_index,
    uint shard_count,
    uint turns,
    uint at
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
    if (index < end) {
        const uint entry = order[first + index];
        const uint turn = index * shard_count + shard_index;
        const uint root = index < turns ? turn : at + index - turns;
        successors[2u * root] = entries[2u * entry];
        successors[2u * root + 1u] = entries[2u * entry + 1u];
        successor_roots[root] = root;
        selected_multiplicities[root] = root_multiplicities[entry];
    }
}

// Finds the slot of each candidate that is kept. If not all are kept, `kept_counts` counts the kept candidates of each root.
__kernel KERNEL void insert(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global const uint4 *restrict entries,
    __global uint (*restrict multiplicities)[4],
    __global const uint4 *restrict root_multiplicities,
    __global uint (*restrict candidate_multiplicities)[4],
    __global uint *restrict slots,
    __global uint *restrict taken,
    __global uint *restrict merge_state,
    __global uint *restrict kept_counts,
    uint first,
    uint end,
    uint hash_mask,
    uint slot_count,
    uint filter_kind,
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
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint candidate = group_index(id) * GROUP + id.lane;
    if (candidate < end) {
        uint slot = NO_SLOT;
        const uint4 first_1 = positions[2u * candidate];
        const uint4 second = positions[2u * candidate + 1u];
        const uint2 hash = hashes(first_1, second);
        if (is_kept(range_of_scalars(first_own_low, first_own_high, first_theirs_low, first_theirs_high, first_hash,
                last_own_low, last_own_high, last_theirs_low, last_theirs_high, last_hash),
                position_in(first_1, second), hash.y, filter_kind)) {
            if (filter_kind != FILTER_ALL) {
                atomic_add(&kept_counts[roots[candidate]], 1u);
            }
            slot = find_slot(candidate, first_1, second, hash.x & hash_mask, positions, roots, entries, multiplicities,
                root_multiplicities, candidate_multiplicities, slots, merge_state, first, slot_count);
        }
        taken[candidate] = slot;
    }
}

// Finds the slot of each candidate of a shard. The work-items take the candidates in turns.
__kernel KERNEL void insert_sorted(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global const uint4 *restrict entries,
    __global uint (*restrict multiplicities)[4],
    __global const uint4 *restrict root_multiplicities,
    __global uint (*restrict candidate_multiplicities)[4],
    __global uint *restrict slots,
    __global uint *restrict taken,
    __global uint *restrict merge_state,
    __global const uint *restrict sorted,
    uint first,
    uint shard_index,
    uint shard_count,
    uint hash_mask,
    uint slot_count
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    uint start = 0u;
    if (shard_index > 0u) {
        start = sorted[shard_index - 1u];
    }
    const uint end = sorted[shard_index];
    const uint step = id.workgroups.x * id.workgroups.y * GROUP;
    for (uint index = start + group_index(id) * GROUP + id.lane; index < end; index += step) {
        const uint candidate = sorted[shard_count + index];
        const uint4 first_1 = positions[2u * candidate];
        const uint4 second = positions[2u * candidate + 1u];
        const uint value = index;
        taken[value] = find_slot(candidate, first_1, second, hashes(first_1, second).x & hash_mask, positions, roots,
            entries, multiplicities, root_multiplicities, candidate_multiplicities, slots, merge_state, first,
            slot_count);
    }
}

// Appends the candidates that took a slot to the list, as far as there is room. Slots of the others become free: the list is then
// useless, but later batches still search the table. If they do not, slots stay as they are. The work-groups take the candidates of a
// shard in turns.
__kernel KERNEL void append(
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global uint4 *restrict new_multiplicities,
    __global uint4 *restrict taken_multiplicities,
    __global uint *restrict slots,
    __global uint *restrict taken,
    __global uint *restrict merge_state,
    __global const uint *restrict sorted,
    uint end,
    uint shard_index,
    uint shard_count,
    uint keeps_slots,
    uint capacity
) {
    __local uint group_count[1];
    __local uint group_base[1];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const bool is_sorted = shard_count > 1u;
    uint start = 0u;
    uint end_1 = end;
    if (is_sorted) {
        end_1 = sorted[shard_index];
        if (shard_index > 0u) {
            start = sorted[shard_index - 1u];
        }
    }
    const uint step = id.workgroups.x * id.workgroups.y * GROUP;
    for (uint group_start = start + group_index(id) * GROUP; group_start < end_1; group_start += step) {
        const uint index = group_start + id.lane;
        uint slot = NO_SLOT;
        if (index < end_1) {
            slot = taken[index];
        }
        if (id.lane == 0u) {
            *group_count = 0u;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint rank = 0u;
        if (slot != NO_SLOT) {
            rank = atomic_add(group_count, 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id.lane == 0u) {
            const uint value = load_atomic(&merge_state[0]);
            const uint result = atomic_add(&merge_state[1], *group_count);
            *group_base = value + result;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (slot != NO_SLOT) {
            uint candidate = index;
            if (is_sorted) {
                candidate = sorted[shard_count + index];
            }
            const uint successor = *group_base + rank;
            const bool has_room = successor < capacity;
            if (has_room) {
                successors[2u * successor] = positions[2u * candidate];
                successors[2u * successor + 1u] = positions[2u * candidate + 1u];
                new_multiplicities[successor] = taken_multiplicities[candidate];
            }
            if (keeps_slots != 0u) {
                slots[slot] = has_room ? successor + 1u : 0u;
            }
            taken_multiplicities[candidate] = (uint4)(0);
        }
    }
}

// Adds the appended candidates to the list's length, and notes if there was no room for all.
__kernel KERNEL void note_appended(__global uint *restrict merge_state, uint capacity) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    if (id.workgroup.x == 0u && id.lane == 0u) {
        const uint count = load_atomic(&merge_state[1]);
        const uint len = load_atomic(&merge_state[0]);
        if (count > capacity - len) {
            merge_state[2] = 1u;
        }
        merge_state[0] = len + min(count, capacity - len);
        merge_state[1] = 0u;
    }
}

// Adds leaves of a kind, weighted by multiplicity, to sums, one for each kind and work-group, after a header; the groups take the
// roots in turns. A root has one leaf at depth 0, as many as moves at depth 1, and its total at greater depths. A kind has `stride`
// totals. If a queue overflowed on the way to the totals, the header notes it. At the depth REACHED_ONCE, a root of multiplicity one has
// one leaf, and others have none.
__kernel WEIGHTED_SUMS_KERNEL void weighted_sums(
    __global const uint *restrict counts,
    __global const uint2 *restrict known_totals,
    __global const uint4 *restrict root_multiplicities,
    __global uint *restrict sums,
    uint first,
    uint end,
    uint depth,
    uint kind,
    uint stride
) {
    __local Wide wide_sums[WEIGHTED_SUMS_GROUP];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint group = group_index(id);
    const uint step = id.workgroups.x * id.workgroups.y * WEIGHTED_SUMS_GROUP;
    Wide sum = {0};
    for (uint root = group * WEIGHTED_SUMS_GROUP + id.lane; root < end; root += step) {
        const uint4 multiplicity = root_multiplicities[first + root];
        ulong leaves = join(1u, 0u);
        if (depth == REACHED_ONCE) {
            leaves = join((uint) all(multiplicity == (uint4)(1u, 0u, 0u, 0u)), 0u);
        } else if (depth == 1u) {
            leaves = join(counts[root], 0u);
        } else if (depth > 1u) {
            const uint2 total = known_totals[kind * stride + root + 1u];
            leaves = join(total.x, total.y);
        }
        sum = wide_sum(sum, wide_product(multiplicity, leaves));
    }
    wide_sums[id.lane] = sum;
    for (uint lanes = WEIGHTED_SUMS_GROUP / 2u; lanes > 0u; lanes /= 2u) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id.lane < lanes) {
            sum = wide_sum(sum, wide_sums[id.lane + lanes]);
            wide_sums[id.lane] = sum;
        }
    }
    const bool has_totals = depth > 1u && depth != REACHED_ONCE;
    if (has_totals && group == 0u && id.lane == 0u && known_totals[0].x != 0u) {
        sums[0] = 1u;
    }
    if (id.lane == 0u) {
        const uint first_word = 8u * (kind * WEIGHTED_SUMS_GROUPS + group + 1u);
        const Wide before = {board_of_sum(first_word, sums), board_of_sum(first_word + 2u, sums),
            board_of_sum(first_word + 4u, sums), board_of_sum(first_word + 6u, sums)};
        sum = wide_sum(sum, before);
        set_board_of_sum(first_word, sum.first, sums);
        set_board_of_sum(first_word + 2u, sum.second, sums);
        set_board_of_sum(first_word + 4u, sum.third, sums);
        set_board_of_sum(first_word + 6u, sum.fourth, sums);
    }
}
