//! How entries are counted: the one place that says so.

use crate::{Driver, Error, Frontier};

/// How the entries are counted, for people.
pub(super) fn plan(depth_below: u32) -> String {
    format!("every leaf {depth_below} plies below each entry, not deduplicated")
}

/// The number of leaves `depth` plies below each entry of a batch, not multiplied.
pub(super) fn count_batch(driver: &mut Driver<'_>, batch: &Frontier, depth: u32) -> Result<Vec<u128>, Error> {
    driver.count_below(batch, depth)
}
