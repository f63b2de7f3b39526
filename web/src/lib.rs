//! kogge in a browser: the page's logic, and its modules of WebAssembly.
//!
//! | for | look at |
//! |---|---|
//! | a position as the page shows it | [`position`] |
//! | the reason why a move is legal or not, and divides pasted from other programs | [`kogge_check`] |
//! | counting a tree in short steps, so that it can be watched and stopped | [`tree`] |
//! | the functions that the page calls | `bindings`, only in WebAssembly |
//!
//! The same source becomes several modules: with and without vector instructions for counting on the CPU, and with WebGPU
//! (feature `gpu`). A module runs on one thread and shares nothing; the page starts a worker for each core. The folder
//! `page` has everything that is not Rust. `cargo xtask web` puts both together.

#[cfg(target_arch = "wasm32")]
pub mod bindings;
pub mod position;
pub mod tree;
#[cfg(all(target_arch = "wasm32", feature = "gpu"))]
pub mod webgpu;
