// Sorts candidates by shard, if a list has several shards: a counting sort. Each candidate is read once, and a shard's kernel
// receives only the shard's candidates.
//
// `new_sorted` begins with a word for each shard: first the number of its candidates, then the index of the first one, and
// after sorting the index after the last one. The candidates follow.

/// The value that is stored instead of a shard for a candidate that does not pass the filter.
const NO_SHARD: u32 = 0xffffffffu;

/// Spreads the diagrams of a range over all shards, although their hashes may differ in few bits.
const SHARD_FACTOR: u32 = 0x9e3779b1u;

/// For as many shards as a group has work-items, the number of the group's candidates and the index of the first one.
var<workgroup> group_counts: array<atomic<u32>, GROUP>;
var<workgroup> group_bases: array<u32, GROUP>;

/// Finds the shard of each candidate that passes the filter, and counts the candidates of each shard. Candidates with equal
/// diagrams get the same shard. If there is a filter, `kept_counts` counts the candidates of each root that pass it.
@compute @workgroup_size(GROUP)
fn count_shards(id: Invocation) {
    let candidate = group_index(id) * GROUP + id.lane;
    var shard = NO_SHARD;
    if candidate < scalars.end {
        let first = positions[2u * candidate];
        let second = positions[2u * candidate + 1u];
        if is_kept(range_of_scalars(), position_in(first, second), hashes(first, second).y, roots[candidate]) {
            if scalars.filter_kind != KEEPS_ALL {
                atomicAdd(&kept_counts[roots[candidate]], 1u);
            }
            let diagram = diagram_of(first, second);
            shard = share_of(hashes(diagram.first, diagram.second).y * SHARD_FACTOR, scalars.shard_count);
        }
        candidate_shards[candidate] = shard;
    }
    for (var first_shard = 0u; first_shard < scalars.shard_count; first_shard += GROUP) {
        atomicStore(&group_counts[id.lane], 0u);
        workgroupBarrier();
        if shard - first_shard < GROUP {
            atomicAdd(&group_counts[shard - first_shard], 1u);
        }
        workgroupBarrier();
        let count = atomicLoad(&group_counts[id.lane]);
        if count > 0u {
            atomicAdd(&new_sorted[first_shard + id.lane], count);
        }
    }
}

/// Turns the number of each shard's candidates into the index of its first one.
@compute @workgroup_size(GROUP)
fn scan_shards(id: Invocation) {
    if id.workgroup.x == 0u && id.lane == 0u {
        var sum = 0u;
        for (var shard = 0u; shard < scalars.shard_count; shard++) {
            let count = atomicLoad(&new_sorted[shard]);
            atomicStore(&new_sorted[shard], sum);
            sum += count;
        }
    }
}

/// Sorts by shard the candidates that pass the filter. After sorting, the index of each shard's first candidate has
/// become the index after its last one.
@compute @workgroup_size(GROUP)
fn sort_by_shard(id: Invocation) {
    let candidate = group_index(id) * GROUP + id.lane;
    var shard = NO_SHARD;
    if candidate < scalars.end {
        shard = candidate_shards[candidate];
    }
    for (var first_shard = 0u; first_shard < scalars.shard_count; first_shard += GROUP) {
        let group_shard = shard - first_shard;
        var rank = 0u;
        atomicStore(&group_counts[id.lane], 0u);
        workgroupBarrier();
        if group_shard < GROUP {
            rank = atomicAdd(&group_counts[group_shard], 1u);
        }
        workgroupBarrier();
        let count = atomicLoad(&group_counts[id.lane]);
        if count > 0u {
            group_bases[id.lane] = atomicAdd(&new_sorted[first_shard + id.lane], count);
        }
        workgroupBarrier();
        if group_shard < GROUP {
            atomicStore(&new_sorted[scalars.shard_count + group_bases[group_shard] + rank], candidate);
        }
    }
}
