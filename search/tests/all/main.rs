//! The search: equality with minimax, mates, tactics, play and UCI.

mod equality;
mod mates;
#[path = "../plain/mod.rs"]
mod plain;
mod play;
mod tactics;
mod uci;
