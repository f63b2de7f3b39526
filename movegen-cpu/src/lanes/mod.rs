//! Positions in lanes: the table-free generator, the counter, the closed form and the evaluation.
//!
//! The code is written once over [`Lanes`](vector::Lanes), a vector of bitboards with one position in each lane, and
//! compiled for every width ([`code`]). Unit tests are compiled for one lane only, because all widths take most of the time of compiling
//! this crate; the tests in `tests` run every width.

#[cfg(all(x86_variants, not(test)))]
mod avx2;
#[cfg(all(x86_variants, not(test)))]
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
#[cfg(all(target_arch = "aarch64", not(test)))]
mod neon;
pub(crate) mod planes;
pub(crate) mod tree;
pub(crate) mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
