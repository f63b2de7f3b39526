//! The driver over real backends, and over backends that fail or miscount.

mod bench;
mod best;
mod counting;
mod distinct;
mod estimates;
mod merging;
mod ranges;
mod reference_data;
mod results;
mod selfcheck;
mod stats;
#[path = "../support/mod.rs"]
mod support;
