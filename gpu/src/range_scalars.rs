//! The scalars that tell kernels which successors are kept.

use kogge_board::merge::{Filter, KeyRange};

/// Returns the scalar `filter_kind` of the kernels, and the range. [`Filter::All`] has any range.
pub(crate) fn parts_of(filter: Filter) -> (u32, KeyRange) {
    match filter {
        Filter::All => (0, KeyRange::WHOLE),
        Filter::Within(range) => (1, range),
        Filter::Before(range) => (2, range),
        Filter::WithinReversed(range) => (3, range),
    }
}

/// The scalars of a range, by their names in the kernels.
pub(crate) struct RangeScalars {
    pub(crate) first_own_low: u32,
    pub(crate) first_own_high: u32,
    pub(crate) first_theirs_low: u32,
    pub(crate) first_theirs_high: u32,
    pub(crate) first_hash: u32,
    pub(crate) last_own_low: u32,
    pub(crate) last_own_high: u32,
    pub(crate) last_theirs_low: u32,
    pub(crate) last_theirs_high: u32,
    pub(crate) last_hash: u32,
}

impl RangeScalars {
    /// Returns the scalars.
    pub(crate) fn of(KeyRange { first, last }: KeyRange) -> Self {
        let low = |board: u64| board as u32;
        let high = |board: u64| (board >> 32) as u32;
        Self {
            first_own_low: low(first.pawns[0]),
            first_own_high: high(first.pawns[0]),
            first_theirs_low: low(first.pawns[1]),
            first_theirs_high: high(first.pawns[1]),
            first_hash: first.hash,
            last_own_low: low(last.pawns[0]),
            last_own_high: high(last.pawns[0]),
            last_theirs_low: low(last.pawns[1]),
            last_theirs_high: high(last.pawns[1]),
            last_hash: last.hash,
        }
    }
}

/// Completes the arguments of a kernel with the scalars that tell which successors are kept:
/// `with_filter!(filter => Kernel { field, .., })`.
macro_rules! with_filter {
    ($filter:expr => $Kernel:ident { $($argument:tt)* }) => {{
        let (filter_kind, range) = crate::range_scalars::parts_of($filter);
        let scalars = crate::range_scalars::RangeScalars::of(range);
        $Kernel {
            $($argument)*
            filter_kind,
            first_own_low: scalars.first_own_low,
            first_own_high: scalars.first_own_high,
            first_theirs_low: scalars.first_theirs_low,
            first_theirs_high: scalars.first_theirs_high,
            first_hash: scalars.first_hash,
            last_own_low: scalars.last_own_low,
            last_own_high: scalars.last_own_high,
            last_theirs_low: scalars.last_theirs_low,
            last_theirs_high: scalars.last_theirs_high,
            last_hash: scalars.last_hash,
        }
    }};
}

pub(crate) use with_filter;
