//! The GPU host over the twin. A single program compiles the host once, and its tests share the cores.

mod awaiting;
mod conformance;
mod failures;
mod merging;
mod minimax;
mod queues;
mod tuning;
mod watching;
