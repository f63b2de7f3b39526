//! Positions in lanes: the table-free generator, the counter, the closed form and the evaluation.
//!
//! The code is written once over [`Lanes`](vector::Lanes), a vector of bitboards with one position in each lane, and
//! compiled for every width ([`code`]).

#[cfg(x86_variants)]
mod avx2;
#[cfg(x86_variants)]
mod avx512;
pub(crate) mod batch;
pub(crate) mod categories;
mod closed_form;
mod closed_form_values;
pub(crate) mod code;
pub(crate) mod count;
pub(crate) mod evaluation;
mod fill;
pub(crate) mod frame;
pub(crate) mod generate;
#[cfg(target_arch = "aarch64")]
mod neon;
pub(crate) mod planes;
pub(crate) mod tree;
pub(crate) mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
