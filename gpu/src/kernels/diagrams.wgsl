// Counting diagrams: positions without castling rights and en passant. Equal diagrams lie in one shard.
//
// The table must be empty. A slot holds 0 if it is free, else the number (from 1) of the first entry with its diagram that a
// work-item found.

/// A diagram as a position in memory.
struct Diagram {
    first: vec4<u32>,
    second: vec4<u32>,
}

/// Returns a position without castling rights and en passant. The code 7 is a rook that may castle, the code 4 any other.
fn diagram_of(first: vec4<u32>, second: vec4<u32>) -> Diagram {
    let may_castle = first.xy & first.zw & second.xy;
    let occupied = first.xy | first.zw | second.xy;
    return Diagram(first & ~vec4<u32>(may_castle, may_castle), vec4<u32>(second.xy, second.zw & occupied));
}

/// Finds the slot of an entry's diagram. Returns whether the entry took the slot, because it is the first one with this diagram.
///
/// Every search ends, at the latest where it began, because the table has more slots than the shard has entries.
fn take_slot(entry: u32, diagram: Diagram, hash: u32) -> bool {
    let first_slot = share_of(hash, scalars.slot_count);
    var slot = first_slot;
    var is_new = false;
    loop {
        let found = atomicLoad(&slots[slot]);
        if found == 0u {
            // If the exchange failed, look at the slot again, as in `find_slot`.
            let exchange = atomicCompareExchangeWeak(&slots[slot], 0u, entry + 1u);
            is_new = exchange.exchanged;
            if is_new {
                break;
            }
        } else {
            let known = diagram_of(entries[2u * (found - 1u)], entries[2u * (found - 1u) + 1u]);
            if all(known.first == diagram.first) && all(known.second == diagram.second) {
                break;
            }
            slot = select(slot + 1u, 0u, slot + 1u == scalars.slot_count);
            if slot == first_slot {
                atomicStore(&merge_state[FULL], 1u);
                break;
            }
        }
    }
    return is_new;
}

/// Counts the diagrams of a shard's entries in one of several parts; the second hash of a diagram chooses its part. The
/// work-items take the entries in turns.
@compute @workgroup_size(GROUP)
fn count_diagrams(id: Invocation) {
    let step = id.workgroups.x * id.workgroups.y * GROUP;
    var count = 0u;
    for (var entry = group_index(id) * GROUP + id.lane; entry < scalars.end; entry += step) {
        let diagram = diagram_of(entries[2u * entry], entries[2u * entry + 1u]);
        let hash = hashes(diagram.first, diagram.second);
        if share_of(hash.y, scalars.parts) == scalars.part {
            count += select(0u, 1u, take_slot(entry, diagram, hash.x & scalars.hash_mask));
        }
    }
    if count > 0u {
        atomicAdd(&merge_state[FRESH], count);
    }
}
