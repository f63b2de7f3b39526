//! For tests only: random legal positions, the suite that every backend must pass, long comparisons, and backends with
//! deliberate bugs.
//!
//! | use | items |
//! |---|---|
//! | property tests | [`placement`] and the other strategies in [`placements`] |
//! | a new backend | [`conformance!`](crate::conformance!) |
//! | a new GPU interface | [`device_suite!`](crate::device_suite!), [`mutants`] |
//! | hours of comparison | [`soak::soak`] |
//! | tests of checks | [`buggy`] |
//! | tests of a GPU's host, and wrong kernels | [`twin`] |

pub mod buggy;
pub mod conformance;
pub mod device_suite;
pub mod mutants;
pub mod placements;
pub mod soak;
pub mod twin;

pub use placements::{Placement, placement};
