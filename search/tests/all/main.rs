//! The search: equality with minimax, mates, tactics, play and UCI.

mod equality;
mod mates;
mod play;
mod tactics;
mod uci;
