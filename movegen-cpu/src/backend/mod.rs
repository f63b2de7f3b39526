//! The CPU backend: the lane code on all cores, with hash table, merging and minimax.

mod cores;
mod cpu;
mod hash;
mod merge;

mod minimax;
mod ranges;
mod shard;

pub use cpu::Cpu;
