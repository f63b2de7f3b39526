//! The generators and the backends of the CPU.

mod conformance;
mod game;
mod known_counts;
mod legal;
mod mailbox;
mod merging;
mod minimax;
mod order;
mod outside;
mod self_test;
#[path = "../variants/mod.rs"]
mod variants;
