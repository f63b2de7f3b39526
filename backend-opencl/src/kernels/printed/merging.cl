// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define WEIGHTED_SUMS_GROUPS 1024u
#define REACHED_ONCE 0xffffffffu
#define NONE 0ul
#define NOT_FILE_A 0xfefefefefefefefeul
#define NOT_FILE_H 0x7f7f7f7f7f7f7f7ful
#define THIRD_RANK 0xff0000ul

// Which successors are kept: all, the positions of a range, the positions from which a move may lead into the range, or the positions
// with reversed keys in the range.
#define KEPT_ALL 0u
#define KEPT_BEFORE 2u
#define KEPT_WITHIN_REVERSED 3u
#define CANDIDATE 0x80000000u

// What stands for the slot of a candidate that took none.
#define NO_SLOT 0xffffffffu

// What stands for the shard of a candidate that is not kept.
#define NO_SHARD 0xffffffffu

// Spreads the diagrams of a range, which may differ in few bits of their hashes, over all shards.
#define SHARD_FACTOR 0x9e3779b1u

typedef struct {
    ulong bit1;
    ulong bit2;
    ulong bit4;
    // Pieces of the side to move.
    ulong own;
    // The square where an en-passant capture lands, or none.
    ulong en_passant;
} Position;

// The place of a position in its ply: the pawns of the side to move, the pawns of the other side, and a hash. In a reversed key the
// sides change places: its `own` pawns are the other side's.
typedef struct {
    ulong own;
    ulong theirs;
    uint hash;
} Key;

// All keys from one to another, both included.
typedef struct {
    Key first;
    Key last;
} KeyRange;

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

// A diagram as a position in memory.
typedef struct {
    uint4 first;
    uint4 second;
} Diagram;

// Returns the board of two halves: ranks 1 to 4, and ranks 5 to 8.
INLINE ulong join(uint lower, uint upper) {
    return ((ulong) upper << 32u) | (ulong) lower;
}

// Returns ranks 1 to 4.
INLINE uint low(ulong board) {
    return (uint) board;
}

// Returns ranks 5 to 8.
INLINE uint high(ulong board) {
    return (uint) (board >> 32u);
}

// Returns all squares moved towards h8, by less than 64.
INLINE ulong up(ulong board, uint distance) {
    return board << distance;
}

// Returns all squares moved towards a1, by less than 64.
INLINE ulong down(ulong board, uint distance) {
    return board >> distance;
}

// Whether any square is set.
INLINE bool nonempty(ulong board) {
    return board != 0ul;
}

// Returns the sum of two numbers, modulo 2^64.
INLINE ulong plus(ulong a, ulong b) {
    return a + b;
}

// Returns the product of two words.
INLINE ulong product(uint a, uint b) {
    return (ulong) a * (ulong) b;
}

// Whether one board, as a number, is less than another.
INLINE bool is_lower(ulong a, ulong b) {
    return a < b;
}

// Returns the lowest square, alone.
INLINE ulong lowest(ulong board) {
    return board & (0ul - board);
}

// Returns all squares but the lowest.
INLINE ulong without_lowest(ulong board) {
    return board & (board - 1ul);
}

// Returns the four bytes of half a board in reverse order.
INLINE uint flip_half(uint half_board) {
    const uint swapped = (half_board << 16u) | (half_board >> 16u);
    return ((swapped & 0xff00ffu) << 8u) | ((swapped >> 8u) & 0xff00ffu);
}

// Returns the board upside down, as the other side sees it: rank 1 becomes rank 8, files stay.
INLINE ulong flip(ulong board) {
    return join(flip_half(high(board)), flip_half(low(board)));
}

// Returns the work-group's number. There may be more work-groups than are needed.
INLINE uint group_index(uint3 workgroup, uint3 workgroups) {
    return workgroup.y * workgroups.x + workgroup.x;
}

// Returns the occupied squares.
INLINE ulong occupied_of(Position position) {
    return position.bit1 | position.bit2 | position.bit4;
}

// Returns a position of which these are the quarters in memory. `Planes32` in kogge-board describes the form: the bits 1, 2 and
// 4 of the pieces' codes; the pieces of the side to move and, on an empty square, the square where an en-passant capture lands.
INLINE Position position_in(uint4 first, uint4 second) {
    const ulong bit1 = join(first.x, first.y);
    const ulong bit2 = join(first.z, first.w);
    const ulong bit4 = join(second.x, second.y);
    const ulong own = join(second.z, second.w);
    const ulong occupied = bit1 | bit2 | bit4;
    return (Position){bit1, bit2, bit4, own & occupied, own & ~occupied};
}

// Returns the range that the scalars describe.
INLINE KeyRange range_of_scalars(
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
    const Key first = {join(first_own_low, first_own_high), join(first_theirs_low, first_theirs_high), first_hash};
    const Key last = {join(last_own_low, last_own_high), join(last_theirs_low, last_theirs_high), last_hash};
    return (KeyRange){first, last};
}

// Returns the pawns of both sides.
INLINE ulong pawns_of(Position position) {
    return position.bit1 & ~(position.bit2 | position.bit4);
}

// Whether one key is less than another.
INLINE bool is_less(Key a, Key b) {
    if (is_lower(a.own, b.own)) {
        return true;
    }
    if (is_lower(b.own, a.own)) {
        return false;
    }
    if (is_lower(a.theirs, b.theirs)) {
        return true;
    }
    return !is_lower(b.theirs, a.theirs) && a.hash < b.hash;
}

// Whether the range has the key, or the reversed key, of a position with this hash.
INLINE bool range_has(KeyRange range, Position position, uint hash, bool is_reversed) {
    const ulong pawns = pawns_of(position);
    Key key = {pawns & position.own, pawns & ~position.own, hash};
    if (is_reversed) {
        key = (Key){key.theirs, key.own, hash};
    }
    return !is_less(key, range.first) && !is_less(range.last, key);
}

// Whether pawns, flipped, lie from the least to the greatest, both included.
INLINE bool is_between(ulong pawns, ulong least, ulong greatest) {
    const ulong flipped_pawns = flip(pawns);
    return !is_lower(flipped_pawns, least) && !is_lower(greatest, flipped_pawns);
}

// Returns the squares of the pawn moves that lead to pawns from the least to the greatest. The moves come from this far below
// their squares. A pawn on the last rank becomes another piece.
INLINE ulong pawn_squares_into(ulong pawns, ulong squares, uint distance, ulong least, ulong greatest) {
    ulong found = NONE;
    ulong rest = squares;
    while (nonempty(rest)) {
        const ulong square = lowest(rest);
        if (is_between(pawns ^ (down(square, distance) | (square & 0xfffffffffffffful)), least, greatest)) {
            found |= square;
        }
        rest = without_lowest(rest);
    }
    return found;
}

// Returns the squares of all pawn moves that lead to pawns from the least to the greatest. Captures land on the targets.
INLINE ulong pawn_moves_into(ulong pawns, ulong occupied, ulong targets, ulong least, ulong greatest) {
    const ulong pushed = up(pawns, 8u) & ~occupied;
    return pawn_squares_into(pawns, pushed, 8u, least, greatest)
        | pawn_squares_into(pawns, up(pushed & THIRD_RANK, 8u) & ~occupied, 16u, least, greatest)
        | pawn_squares_into(pawns, up(pawns & NOT_FILE_A, 7u) & targets, 7u, least, greatest)
        | pawn_squares_into(pawns, up(pawns & NOT_FILE_H, 9u) & targets, 9u, least, greatest);
}

// Returns the squares on which the position's pawns may capture.
INLINE ulong pawn_targets(Position position) {
    return (occupied_of(position) & ~position.own) | position.en_passant;
}

// Whether a move may lead from the position into the range, judged by pawns alone.
INLINE bool may_follow(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent);
    const ulong pawns = pawns_of(parent);
    const ulong mine = pawns & parent.own;
    const ulong theirs = pawns & ~parent.own;
    bool follows = is_between(theirs, range.first.own, range.last.own);
    ulong rest = theirs;
    while (nonempty(rest) && !follows) {
        follows = is_between(theirs ^ lowest(rest), range.first.own, range.last.own);
        rest = without_lowest(rest);
    }
    if (!follows || is_lower(range.first.own, range.last.own)) {
        return follows;
    }
    const ulong least = range.first.theirs;
    const ulong greatest = range.last.theirs;
    return is_between(mine, least, greatest)
        || nonempty(pawn_moves_into(mine, occupied, pawn_targets(parent), least, greatest));
}

// Whether a move may lead from the position into the range of reversed keys, judged by pawns alone.
INLINE bool may_follow_reversed(KeyRange range, Position parent) {
    const ulong mine = pawns_of(parent) & parent.own;
    const ulong least = range.first.own;
    const ulong greatest = range.last.own;
    return is_between(mine, least, greatest)
        || nonempty(pawn_moves_into(mine, occupied_of(parent), pawn_targets(parent), least, greatest));
}

// Whether the position may have a successor that is kept.
INLINE bool may_precede_kept(KeyRange range, Position position, uint kept) {
    if (kept == KEPT_WITHIN_REVERSED) {
        return may_follow_reversed(range, position);
    }
    return may_follow(range, position);
}

// Whether a successor with this hash is kept.
INLINE bool is_kept(KeyRange range, Position position, uint hash, uint kept) {
    if (kept == KEPT_ALL) {
        return true;
    }
    if (kept == KEPT_BEFORE) {
        return may_follow(range, position);
    }
    return range_has(range, position, hash, kept == KEPT_WITHIN_REVERSED);
}

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
INLINE uint army_hash(uint4 first, uint4 second, __global const uint *restrict reference) {
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

// Returns the sum of two numbers and a carry.
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

// Returns the product of two boards, as numbers.
INLINE Product board_product(ulong a, ulong b) {
    const ulong lowest_product = product(low(a), low(b));
    const ulong middle = plus(product(low(a), high(b)), join(high(lowest_product), 0u));
    const ulong other = plus(product(high(a), low(b)), join(low(middle), 0u));
    const ulong carried = plus(join(high(middle), 0u), join(high(other), 0u));
    return (Product){join(low(lowest_product), low(other)), plus(product(high(a), high(b)), carried)};
}

// Returns multiplicity times leaves.
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

// Returns a position without castling rights and en passant. The code 7 is a rook that may castle, the code 4 any other.
INLINE Diagram diagram_of(uint4 first, uint4 second) {
    const uint2 may_castle = first.xy & first.zw & second.xy;
    const uint2 occupied = first.xy | first.zw | second.xy;
    return (Diagram){first & ~(uint4)(may_castle, may_castle), (uint4)(second.xy, second.zw & occupied)};
}

// Finds the slot of an entry's diagram. Returns whether the entry took it, since it is the first one with this diagram.
//
// Every search ends, at the latest where it began: the table has more slots than the shard has entries.
INLINE bool take_slot(
    uint entry,
    Diagram diagram,
    uint hash,
    __global const uint4 *restrict entries,
    __global uint *restrict slots,
    __global uint *restrict merge_state,
    uint slot_count
) {
    const uint first_slot = share_of(hash, slot_count);
    uint slot = first_slot;
    bool is_new = false;
    for (;;) {
        const uint found = load_atomic(&slots[slot]);
        if (found == 0u) {
            const Exchange exchange = compare_exchange(&slots[slot], 0u, entry + 1u);
            is_new = exchange.exchanged;
            if (is_new) {
                break;
            }
        } else {
            const Diagram known = diagram_of(entries[2u * (found - 1u)], entries[2u * (found - 1u) + 1u]);
            if (all(known.first == diagram.first) && all(known.second == diagram.second)) {
                break;
            }
            slot = slot + 1u == slot_count ? 0u : slot + 1u;
            if (slot == first_slot) {
                merge_state[2] = 1u;
                break;
            }
        }
    }
    return is_new;
}

// Copies some entries of a ply to level 0, each as its own root.
__kernel KERNEL void load_entries(
    __global uint4 *restrict successors,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict entries,
    uint first,
    uint end
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
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
    __local uint group_count[1];
    __local uint group_base[1];
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
    if (lane == 0u) {
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
            position_in(first_1, second), kept);
    }
    if (is_selected) {
        rank = atomic_add(group_count, 1u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0u) {
        *group_base = atomic_add(&selected_count[0], *group_count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint selected = *group_base + rank;
    if (is_selected && selected < room) {
        successors[2u * selected] = first_1;
        successors[2u * selected + 1u] = second;
        successor_roots[selected] = selected;
        selected_multiplicities[selected] = root_multiplicities[first + index];
    }
}

// Counts the entries of each part of these hashes.
__kernel KERNEL void count_armies(
    __global const uint4 *restrict entries,
    __global const uint *restrict reference,
    __global uint *restrict army_counts,
    uint end,
    uint shift
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
    if (index < end) {
        const uint part = army_hash(entries[2u * index], entries[2u * index + 1u], reference) >> shift;
        atomic_add(&army_counts[part], 1u);
    }
}

// Puts the numbers of the entries in the order of these parts. `army_counts` holds the place of each part's next entry.
__kernel KERNEL void order_by_army(
    __global const uint4 *restrict entries,
    __global const uint *restrict reference,
    __global uint *restrict army_counts,
    __global uint *restrict new_order,
    uint end,
    uint shift
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
    if (index < end) {
        const uint part = army_hash(entries[2u * index], entries[2u * index + 1u], reference) >> shift;
        const uint place = atomic_add(&army_counts[part], 1u);
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
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
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
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint candidate = group_index(workgroup, workgroups) * GROUP + lane;
    if (candidate < end) {
        uint slot = NO_SLOT;
        const uint4 first_1 = positions[2u * candidate];
        const uint4 second = positions[2u * candidate + 1u];
        const uint2 hash = hashes(first_1, second);
        if (is_kept(range_of_scalars(first_own_low, first_own_high, first_theirs_low, first_theirs_high, first_hash,
                last_own_low, last_own_high, last_theirs_low, last_theirs_high, last_hash),
                position_in(first_1, second), hash.y, kept)) {
            if (kept != KEPT_ALL) {
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
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    uint start = 0u;
    if (shard_index > 0u) {
        start = sorted[shard_index - 1u];
    }
    const uint end = sorted[shard_index];
    const uint step = workgroups.x * workgroups.y * GROUP;
    for (uint index = start + group_index(workgroup, workgroups) * GROUP + lane; index < end; index += step) {
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
    uint room
) {
    __local uint group_count[1];
    __local uint group_base[1];
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const bool is_sorted = shard_count > 1u;
    uint start = 0u;
    uint end_1 = end;
    if (is_sorted) {
        end_1 = sorted[shard_index];
        if (shard_index > 0u) {
            start = sorted[shard_index - 1u];
        }
    }
    const uint step = workgroups.x * workgroups.y * GROUP;
    for (uint group_start = start + group_index(workgroup, workgroups) * GROUP; group_start < end_1;
            group_start += step) {
        const uint index = group_start + lane;
        uint slot = NO_SLOT;
        if (index < end_1) {
            slot = taken[index];
        }
        if (lane == 0u) {
            *group_count = 0u;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint rank = 0u;
        if (slot != NO_SLOT) {
            rank = atomic_add(group_count, 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0u) {
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
            const bool has_room = successor < room;
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
__kernel KERNEL void note_appended(__global uint *restrict merge_state, uint room) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    if (workgroup.x == 0u && lane == 0u) {
        const uint count = load_atomic(&merge_state[1]);
        const uint len = load_atomic(&merge_state[0]);
        if (count > room - len) {
            merge_state[2] = 1u;
        }
        merge_state[0] = len + min(count, room - len);
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
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint group = group_index(workgroup, workgroups);
    const uint step = workgroups.x * workgroups.y * WEIGHTED_SUMS_GROUP;
    Wide sum = {0};
    for (uint root = group * WEIGHTED_SUMS_GROUP + lane; root < end; root += step) {
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
    wide_sums[lane] = sum;
    for (uint lanes = WEIGHTED_SUMS_GROUP / 2u; lanes > 0u; lanes /= 2u) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < lanes) {
            sum = wide_sum(sum, wide_sums[lane + lanes]);
            wide_sums[lane] = sum;
        }
    }
    const bool has_totals = depth > 1u && depth != REACHED_ONCE;
    if (has_totals && group == 0u && lane == 0u && known_totals[0].x != 0u) {
        sums[0] = 1u;
    }
    if (lane == 0u) {
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

// Counts the diagrams of a shard's entries in one of several parts, which the second hash of a diagram chooses. The work-items take the
// entries in turns.
__kernel KERNEL void count_diagrams(
    __global const uint4 *restrict entries,
    __global uint *restrict slots,
    __global uint *restrict merge_state,
    uint end,
    uint hash_mask,
    uint slot_count,
    uint part,
    uint parts
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint step = workgroups.x * workgroups.y * GROUP;
    uint count = 0u;
    for (uint entry = group_index(workgroup, workgroups) * GROUP + lane; entry < end; entry += step) {
        const Diagram diagram = diagram_of(entries[2u * entry], entries[2u * entry + 1u]);
        const uint2 hash = hashes(diagram.first, diagram.second);
        if (share_of(hash.y, parts) == part) {
            const uint value = count;
            const bool result = take_slot(entry, diagram, hash.x & hash_mask, entries, slots, merge_state, slot_count);
            count = value + (result ? 1u : 0u);
        }
    }
    if (count > 0u) {
        atomic_add(&merge_state[1], count);
    }
}

// Finds the shard of each candidate that is kept, and counts the candidates of each shard. Candidates with equal diagrams get the same
// shard. If not all are kept, `kept_counts` counts the kept candidates of each root.
__kernel KERNEL void count_shards(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global uint *restrict kept_counts,
    __global uint *restrict candidate_shards,
    __global uint *restrict new_sorted,
    uint end,
    uint shard_count,
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
    __local uint group_counts[GROUP];
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint candidate = group_index(workgroup, workgroups) * GROUP + lane;
    uint shard = NO_SHARD;
    if (candidate < end) {
        const uint4 first = positions[2u * candidate];
        const uint4 second = positions[2u * candidate + 1u];
        if (is_kept(range_of_scalars(first_own_low, first_own_high, first_theirs_low, first_theirs_high, first_hash,
                last_own_low, last_own_high, last_theirs_low, last_theirs_high, last_hash), position_in(first, second),
                hashes(first, second).y, kept)) {
            if (kept != KEPT_ALL) {
                atomic_add(&kept_counts[roots[candidate]], 1u);
            }
            const Diagram diagram = diagram_of(first, second);
            shard = share_of(hashes(diagram.first, diagram.second).y * SHARD_FACTOR, shard_count);
        }
        candidate_shards[candidate] = shard;
    }
    for (uint first_shard = 0u; first_shard < shard_count; first_shard += GROUP) {
        group_counts[lane] = 0u;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (shard - first_shard < GROUP) {
            atomic_add(&group_counts[shard - first_shard], 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint count = group_counts[lane];
        if (count > 0u) {
            atomic_add(&new_sorted[first_shard + lane], count);
        }
    }
}

// Turns the number of each shard's candidates into the index of the first.
__kernel KERNEL void scan_shards(__global uint *restrict new_sorted, uint shard_count) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    if (workgroup.x == 0u && lane == 0u) {
        uint sum = 0u;
        for (uint shard = 0u; shard < shard_count; shard += 1u) {
            const uint count = load_atomic(&new_sorted[shard]);
            new_sorted[shard] = sum;
            sum += count;
        }
    }
}

// Sorts the candidates that are kept by shard. The index of each shard's first candidate becomes their end.
__kernel KERNEL void sort_by_shard(
    __global uint *restrict candidate_shards,
    __global uint *restrict new_sorted,
    uint end,
    uint shard_count
) {
    __local uint group_counts[GROUP];
    __local uint group_bases[GROUP];
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint candidate = group_index(workgroup, workgroups) * GROUP + lane;
    uint shard = NO_SHARD;
    if (candidate < end) {
        shard = candidate_shards[candidate];
    }
    for (uint first_shard = 0u; first_shard < shard_count; first_shard += GROUP) {
        const uint group_shard = shard - first_shard;
        uint rank = 0u;
        group_counts[lane] = 0u;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_shard < GROUP) {
            rank = atomic_add(&group_counts[group_shard], 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint count = group_counts[lane];
        if (count > 0u) {
            group_bases[lane] = atomic_add(&new_sorted[first_shard + lane], count);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_shard < GROUP) {
            new_sorted[shard_count + group_bases[group_shard] + rank] = candidate;
        }
    }
}
