//! Counting by merged plies.
//!
//! The plies of a tree are made one after the other. Equal positions of a ply become one entry, whose multiplicity is the
//! number of paths to it. Below the last of these plies, leaves are counted once for each entry. After every ply, the
//! [estimates](estimates::Estimates) decide how to go on, and the multiplicities are checked: they add up to the number of
//! paths to the ply.

mod count;
mod estimates;
mod next;
mod settings;
mod work;

pub use count::Merged;
pub(crate) use estimates::NextPly;
pub use settings::{MergeCosts, MergeSettings};
pub(crate) use work::{Work, root_entry};
