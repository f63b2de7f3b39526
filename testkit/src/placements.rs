//! Random legal positions for property tests: [`kogge_board::placements`], drawn by their seed.
//!
//! ```
//! use kogge_testkit::placement;
//! use proptest::{prop_assert_eq, proptest};
//!
//! proptest!(|((rules, position) in placement())| {
//!     prop_assert_eq!(position.check(&rules), Ok(()));
//! });
//! ```

use kogge_board::placements::{self, ALL_MEN, Theme, themes};
use proptest::prelude::*;

pub use kogge_board::placements::Placement;

/// Returns any legal position, rich in rare rules.
pub fn placement() -> BoxedStrategy<Placement> {
    themed(&themes::MIXED)
}

/// Returns positions of these themes. A position that fails a test is shrunk by removing men.
pub fn themed(themes: &'static [Theme]) -> BoxedStrategy<Placement> {
    let men = prop_oneof![1 => 0..=ALL_MEN, 15 => Just(ALL_MEN)];
    (any::<u64>().no_shrink(), men).prop_map(|(seed, men)| placements::placement(seed, themes, men)).boxed()
}
