//! Sorting candidates by shard.

use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::diagrams::diagram_of;
use super::merge::{count_kept, hashes, is_kept, mul_hi};
use super::position::load_planes;
use super::range::kept_of_scalars;

/// The value that is stored instead of a shard for a candidate that does not pass the filter.
const NO_SHARD: u32 = u32::MAX;

/// Finds the shard of each candidate that passes the filter, and counts the candidates of each shard.
pub(super) fn count_shards(arguments: &Arguments<'_>) {
    let kept = kept_of_scalars(arguments);
    for candidate in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let position = load_planes(arguments, Binding::positions, candidate);
        let mut shard = NO_SHARD;
        if is_kept(arguments, kept, candidate, &position) {
            count_kept(arguments, candidate);
            let [_, share] = hashes(&diagram_of(&position));
            shard = mul_hi(share.wrapping_mul(0x9e37_79b1), arguments.scalar(Scalar::shard_count));
            arguments.add(Binding::new_sorted, shard as usize, 1);
        }
        arguments.set(Binding::candidate_shards, candidate, shard);
    }
}

/// Turns the number of each shard's candidates into the index of its first one.
pub(super) fn scan_shards(arguments: &Arguments<'_>) {
    let mut sum = 0;
    for shard in 0..arguments.scalar(Scalar::shard_count) as usize {
        let count = arguments.word(Binding::new_sorted, shard);
        arguments.set(Binding::new_sorted, shard, sum);
        sum += count;
    }
}

/// Sorts by shard the candidates that pass the filter. After sorting, the index of each shard's first candidate has
/// become the index after its last one.
pub(super) fn sort_by_shard(arguments: &Arguments<'_>) {
    for candidate in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let shard = arguments.word(Binding::candidate_shards, candidate);
        if shard != NO_SHARD {
            let place = arguments.scalar(Scalar::shard_count) + arguments.add(Binding::new_sorted, shard as usize, 1);
            arguments.set(Binding::new_sorted, place as usize, candidate as u32);
        }
    }
}
