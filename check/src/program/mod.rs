//! Other chess programs to compare with: UCI engines, and scripts that are called once for each position.

mod answer;
mod conversation;
mod engine;
mod form;
mod group;
mod process;
mod script;

pub use engine::{Engine, EngineSetup};
pub use process::end_programs;
pub use script::Script;
