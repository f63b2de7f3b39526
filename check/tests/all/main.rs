//! Comparison of generators, backends and programs over pipes; and the built-in positions.

mod check;
mod corpus;
mod diff;
mod engine;
mod rules;
mod shrink;
#[path = "../support/mod.rs"]
mod support;
