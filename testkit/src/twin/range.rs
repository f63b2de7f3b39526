//! Ranges of positions with similar pawns.

use kogge_board::merge::{Filter, Key, KeyRange};
use kogge_gpu::kernels::Scalar;

use super::arguments::Arguments;

fn range_of_scalars(arguments: &Arguments<'_>) -> KeyRange {
    let board = |low, high| u64::from(arguments.scalar(high)) << 32 | u64::from(arguments.scalar(low));
    let first = [
        board(Scalar::first_own_low, Scalar::first_own_high),
        board(Scalar::first_theirs_low, Scalar::first_theirs_high),
    ];
    let last =
        [board(Scalar::last_own_low, Scalar::last_own_high), board(Scalar::last_theirs_low, Scalar::last_theirs_high)];
    KeyRange {
        first: Key { pawns: first, hash: arguments.scalar(Scalar::first_hash) },
        last: Key { pawns: last, hash: arguments.scalar(Scalar::last_hash) },
    }
}

pub(super) fn kept_of_scalars(arguments: &Arguments<'_>) -> Filter {
    match arguments.scalar(Scalar::filter_kind) {
        u32::MAX => Filter::All,
        kind => Filter::Reaching { range: range_of_scalars(arguments), plies: kind / 2, is_reversed: kind % 2 != 0 },
    }
}
