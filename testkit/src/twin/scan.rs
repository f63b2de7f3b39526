//! The index of each position's first move: an exclusive scan of the counts.

use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;

/// Scans the counts of each block of work-group size.
pub(super) fn scan(arguments: &Arguments<'_>) {
    let (end, size) = (arguments.scalar(Scalar::end) as usize, arguments.group_size);
    for group in 0..arguments.groups {
        let mut sum = 0;
        for index in group * size..end.min((group + 1) * size) {
            arguments.set(Binding::new_offsets, index, sum);
            sum += arguments.word(Binding::counts, index);
        }
        arguments.set(Binding::block_sums, group, sum);
    }
}
