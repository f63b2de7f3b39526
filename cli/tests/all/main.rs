//! The binary: answers, refusals, exit codes. A single program is built faster than one for each file, and its tests
//! share the cores.

mod agreement;
mod answers;
mod arguments;
mod backends;
mod bench;
mod check;
mod differences;
mod faults;
mod features;
mod fuzz;
mod ledger;
#[cfg(feature = "postgres")]
mod ledger_server;
mod refusals;
mod selfcheck;
#[path = "../support/mod.rs"]
mod support;
mod tuning;
mod uci;
