//! Lists and opens devices. Every command gets its backends from here.
//!
//! [`table::BACKENDS`] lists the backends, each with its [`device::Device`]s; only `gpu.rs` knows the libraries of the GPU
//! interfaces. [`open`] opens the device that a [`Request`] names or that `auto` chooses; a [`Selection`] is several devices.

mod choice;
mod device;
mod estimate;
mod gpu;
mod host;
mod selection;
mod table;

pub(crate) use self::choice::{Estimator, open, tunable};
pub(crate) use self::device::{Request, Tunable};
pub(crate) use self::estimate::Estimate;
pub(crate) use self::selection::{Selection, open_usable};
pub(crate) use self::table::{BACKENDS, Entry, Opened};
