// Merging equal positions: a list of successors, each once, with multiplicities of 128 bits, and a table of their
// places. How it works is said in `breadth_first/merging.rs` of kogge-board.
//
// A place holds 0 if it is free, else the number of a successor, counted from 1, or of a candidate, counted from 0 and
// with the highest bit set.

#define CANDIDATE 0x80000000u

// What the host and the kernels tell each other of the list.
#define LEN 0
// Candidates that have taken a place.
#define FRESH 1
#define FULL 2
#define OVERFLOW 3

INLINE bool same_position(Position a, Position b) {
    const ulong different = (a.bit1 ^ b.bit1) | (a.bit2 ^ b.bit2) | (a.bit4 ^ b.bit4) |
                            ((a.own | a.en_passant) ^ (b.own | b.en_passant));
    return different == 0;
}

// One word's share in a hash; after MurmurHash3 (Austin Appleby, 2011).
#define MIX(hash, word, first, left, second, left_hash, added)                                                        \
    hash ^= rotate((word) * first, left) * second;                                                                    \
    hash = rotate(hash, left_hash) * 5 + added;

#define MIX_BOTH(word)                                                                                                \
    MIX(place, word, 0xcc9e2d51u, 15u, 0x1b873593u, 13u, 0xe6546b64u)                                                 \
    MIX(share, word, 0x239b961bu, 16u, 0xab0e9789u, 17u, 0x0bcaa747u)

INLINE uint mixed(uint hash) {
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

// Two hashes: where the table keeps a position (x), and which partition it belongs to (y).
INLINE uint2 hashes(Position position) {
    const ulong planes[4] = {position.bit1, position.bit2, position.bit4, position.own | position.en_passant};
    uint place = 0x9747b28cu, share = 0x3c6ef372u;
    for (uint index = 0; index < 4; ++index) {
        MIX_BOTH((uint) planes[index])
        MIX_BOTH((uint) (planes[index] >> 32))
    }
    return (uint2)(mixed(place), mixed(share));
}

// Adds to a multiplicity, four 32-bit words, the lowest first, with the carry done by hand. Returns whether it did not
// fit.
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

// Makes all places free.
__kernel KERNEL void vacate(__global uint *restrict places, uint place_count) {
    const size_t place = get_global_id(0);
    if (place < place_count) {
        places[place] = 0;
    }
}

// Puts some entries of a ply into level 0.
__kernel KERNEL void load(
    __global const Packed *restrict entries,
    uint first,
    uint len,
    __global Packed *restrict positions,
    __global uint *restrict roots
) {
    const uint index = get_global_id(0);
    if (index < len) {
        store_position(positions, index, load_position(entries, first + index));
        roots[index] = index;
    }
}

// Finds the place of each candidate that belongs to the partition. The multiplicities of candidates are zero before and
// also afterwards, but for those that took a place. The list is read and not written.
__kernel KERNEL void insert(
    __global const Packed *restrict candidates,
    __global const uint *restrict roots,
    __global const uint *restrict root_multiplicities,
    uint first_root,
    uint len,
    uint partition_index,
    uint partition_of,
    uint hash_mask,
    __global uint *restrict places,
    uint place_count,
    __global const Packed *restrict successors,
    __global uint *restrict multiplicities,
    __global uint *restrict candidate_multiplicities,
    __global uint *restrict fresh_candidates,
    __global uint *restrict fresh_places,
    __global uint *restrict state
) {
    __local uint fresh_count, fresh_base;
    const uint candidate = get_global_id(0);
    if (get_local_id(0) == 0) {
        fresh_count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    bool fresh = false;
    uint place = 0, rank = 0;
    if (candidate < len) {
        const Position position = load_position(candidates, candidate);
        const uint2 hash = hashes(position);
        if (mul_hi(hash.y, partition_of) == partition_index) {
            place = mul_hi(hash.x & hash_mask, place_count);
            uint found = 0;
            for (;;) {
                found = ((volatile __global uint *) places)[place];
                if (found == 0) {
                    found = atomic_cmpxchg(&places[place], 0u, CANDIDATE | candidate);
                    fresh = found == 0;
                }
                if (fresh) {
                    break;
                }
                const Position known = found & CANDIDATE ? load_position(candidates, found & ~CANDIDATE)
                                                         : load_position(successors, found - 1);
                if (same_position(known, position)) {
                    break;
                }
                place = place + 1 == place_count ? 0 : place + 1;
            }
            const uint4 amount = vload4(first_root + (size_t) roots[candidate], root_multiplicities);
            const bool overflow = fresh               ? add_multiplicity(candidate_multiplicities, candidate, amount)
                                  : found & CANDIDATE ? add_multiplicity(candidate_multiplicities, found & ~CANDIDATE, amount)
                                                      : add_multiplicity(multiplicities, found - 1, amount);
            if (overflow) {
                state[OVERFLOW] = 1;
            }
        }
    }
    if (fresh) {
        rank = atomic_inc(&fresh_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        fresh_base = atomic_add(&state[FRESH], fresh_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (fresh) {
        fresh_candidates[fresh_base + rank] = candidate;
        fresh_places[fresh_base + rank] = place;
    }
}

// Moves the candidates that took a place to the end of the list, as far as there is room.
__kernel KERNEL void append(
    __global const Packed *restrict candidates,
    __global uint *restrict candidate_multiplicities,
    __global const uint *restrict fresh_candidates,
    __global const uint *restrict fresh_places,
    __global const uint *restrict state,
    uint room,
    __global uint *restrict places,
    __global Packed *restrict successors,
    __global uint *restrict multiplicities
) {
    const uint index = get_global_id(0);
    if (index < state[FRESH]) {
        const uint candidate = fresh_candidates[index], successor = state[LEN] + index;
        if (successor < room) {
            store_position(successors, successor, load_position(candidates, candidate));
            vstore4(vload4(candidate, candidate_multiplicities), successor, multiplicities);
            places[fresh_places[index]] = successor + 1;
        }
        vstore4((uint4)(0), candidate, candidate_multiplicities);
    }
}

// Takes note of what was appended.
__kernel KERNEL void appended(uint room, __global uint *restrict state) {
    if (get_global_id(0) == 0) {
        const uint fresh = state[FRESH], len = state[LEN];
        if (fresh > room - len) {
            state[FULL] = 1;
        }
        state[LEN] = len + min(fresh, room - len);
        state[FRESH] = 0;
    }
}

// A number of 256 bits, the lowest word first.
typedef struct {
    ulong words[4];
} Wide;

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

// Multiplicity times leaves.
INLINE Wide weighed(uint4 multiplicity, ulong leaves) {
    const ulong low = (ulong) multiplicity.y << 32 | multiplicity.x, high = (ulong) multiplicity.w << 32 | multiplicity.z;
    const ulong middle = mul_hi(low, leaves), upper = high * leaves;
    const ulong sum = middle + upper;
    return (Wide){{low * leaves, sum, mul_hi(high, leaves) + (sum < middle), 0}};
}

// The sums of multiplicity times leaves, one for each work-group. There are as many groups as the host takes sums of,
// and they take all roots in turns. Leaves are 1 at depth 0, moves at depth 1, and else totals.
__kernel KERNEL void weigh(
    __global const uint *restrict multiplicities,
    uint first,
    uint len,
    uint depth,
    __global const uint *restrict counts,
    __global const uint *restrict totals,
    __global ulong *restrict sums
) {
    __local Wide group_sums[GROUP];
    const uint local_index = get_local_id(0);
    Wide sum = {{0, 0, 0, 0}};
    for (uint root = get_global_id(0); root < len; root += get_global_size(0)) {
        ulong leaves = 1;
        if (depth == 1) {
            leaves = counts[root];
        } else if (depth > 1) {
            leaves = (ulong) totals[2 * root + 1] << 32 | totals[2 * root];
        }
        sum = wide_sum(sum, weighed(vload4((size_t) first + root, multiplicities), leaves));
    }
    group_sums[local_index] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_index == 0) {
        for (uint lane = 1; lane < GROUP; ++lane) {
            sum = wide_sum(sum, group_sums[lane]);
        }
        for (uint word = 0; word < 4; ++word) {
            sums[4 * get_group_id(0) + word] = sum.words[word];
        }
    }
}
