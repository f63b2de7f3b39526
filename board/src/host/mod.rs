//! Merging and minimax in the host's memory, for backends that only count and expand.
//!
//! The device finds the moves; the host merges equal positions, evaluates leaves and backs values up.

mod merge;
mod minimax;

pub use merge::{HostMerge, sum_entries};
pub use minimax::minimax;
