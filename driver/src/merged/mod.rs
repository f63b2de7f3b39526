//! Counting by merged plies.
//!
//! The plies of a tree are made one after the other. Equal positions of a ply become one entry, whose multiplicity is the
//! number of paths to it. Below the last of these plies, leaves are counted once for each entry. After every ply, the
//! [estimates](estimates::Estimates) decide how to go on, and the multiplicities are checked: they add up to the number of
//! paths to the ply.
//!
//! A last ply that does not fit is made in [ranges](ranges::Ranges) of positions with similar pawns. Plies before it may not fit, either.
//! Such plies lie between the last whole ply and the last ply: only those of their positions are in memory that may lead into the
//! next ranges.

mod count;
mod counter;
mod estimates;
mod next;
mod pieces;
mod ranges;
mod route;
mod sample;
mod settings;
mod whole;
mod work;

pub use count::MergedCount;
pub use counter::{RangeCounter, RangePlies};
pub use ranges::RangeCount;
pub(crate) use ranges::Ranges;
pub use settings::{MergeCosts, MergeSettings, Quantity};
pub(crate) use work::{Work, root_entry};
