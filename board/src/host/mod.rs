//! Merging and minimax in the host's memory, for backends that only count and expand.
//!
//! The device finds the moves; the host merges equal positions, evaluates leaves and backs values up.

mod merge;
mod minimax;

use crate::merge::{Merge, MergeOptions};
use crate::{Backend, BackendError, Rules};

pub use merge::HostMerge;
pub use minimax::{minimax, minimax_checked};

/// Returns a [`HostMerge`], for the [`Backend::merge`] of a backend without code of its own.
///
/// # Errors
/// None; the signature matches [`Backend::merge`].
pub fn merge<'a, B: Backend>(
    backend: &'a mut B,
    rules: &Rules,
    options: &MergeOptions,
) -> Result<Box<dyn Merge + 'a>, BackendError> {
    Ok(Box::new(HostMerge::new(backend, rules, *options)))
}

/// Implements [`Backend::merge`](crate::Backend::merge) by [`host::merge`](crate::host::merge()).
#[macro_export]
macro_rules! host_merge {
    () => {
        fn merge(
            &mut self,
            rules: &$crate::Rules,
            options: &$crate::merge::MergeOptions,
        ) -> Result<Box<dyn $crate::merge::Merge + '_>, $crate::BackendError> {
            $crate::host::merge(self, rules, options)
        }
    };
}

/// Implements [`Backend::minimax`](crate::Backend::minimax) by [`host::minimax`](crate::host::minimax()).
#[macro_export]
macro_rules! host_minimax {
    () => {
        fn minimax(
            &mut self,
            rules: &$crate::Rules,
            positions: &[$crate::Quad48],
            depth: u32,
            leaves: $crate::Leaves,
        ) -> Result<Vec<$crate::Score>, $crate::BackendError> {
            $crate::host::minimax(self, rules, positions, depth, leaves)
        }
    };
}
