//! The lists of merged positions in device memory, and the kernels that fill and read them.

mod candidates;
mod hashed;
mod insert;
mod leaves;
mod list;
mod numbers;
mod order;
mod plies;
mod runs;
mod selection;
mod shard;
pub(crate) mod sums;

pub(crate) use self::leaves::add_leaves;
pub(crate) use self::plies::Plies;
