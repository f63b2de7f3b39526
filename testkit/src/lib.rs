//! For tests only: random legal positions, the suite that every backend must pass, and backends with deliberate bugs.
//!
//! | use | items |
//! |---|---|
//! | property tests | [`placement`], [`placements::themed`] |
//! | a new backend | [`conformance!`](crate::conformance!) |
//! | a new GPU interface | [`device_suite!`](crate::device_suite!), [`mutants`] |
//! | tests of checks | [`Wrapped`], [`buggy`] |
//! | tests of what tests engines | [`faulty_engine`] |
//! | tests of a GPU's host, and wrong kernels | [`twin`] |

pub mod buggy;
pub mod conformance;
#[cfg(feature = "gpu")]
pub mod device_suite;
pub mod faulty_engine;
#[cfg(feature = "gpu")]
pub mod mutants;
pub mod placements;
#[cfg(feature = "gpu")]
pub mod twin;
mod wrapped;

pub use placements::{Placement, placement};
pub use wrapped::Wrapped;
