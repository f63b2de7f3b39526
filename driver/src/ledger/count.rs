//! Counts the entries of a ledger.

use crate::{Driver, Error, Frontier};

/// Describes how entries are counted.
pub(super) fn plan(depth_below: u32) -> String {
    format!("every leaf {depth_below} plies below each entry, not deduplicated")
}

/// Counts the leaves `depth` plies below each entry of a batch, without multiplicities.
pub(super) fn count_batch(driver: &mut Driver<'_>, batch: &Frontier, depth: u32) -> Result<Vec<u128>, Error> {
    driver.count_below(batch, depth)
}
