//! Other chess programs to compare with: UCI engines, and scripts that are called once for each position.

mod answer;
mod engine;
mod process;
mod script;

pub use engine::Engine;
pub use process::end_programs;
pub use script::Script;
