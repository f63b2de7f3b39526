//! Tuning: finds the fastest values of a device's parameters, and stores them in a file for later runs.
//!
//! [`tune`] tries the values in the table of parameters, [`Cache`] stores the best ones, and [`complete`] fills unset values from
//! the cache.

mod cache;
#[cfg(not(target_family = "wasm"))]
mod search;
mod store;
#[cfg(test)]
mod tests;

pub use cache::{Cache, TunedKey, fingerprint};
#[cfg(not(target_family = "wasm"))]
pub use search::{Trial, TrialOutcome, Tuning, tune};
pub use store::{Store, StoreItem};

use kogge_board::DeviceInfo;

use crate::device::Device;
use crate::settings::GpuOptions;

/// Completes options with the tuned values of the device, and returns ` (tuned)` or ` (defaults)` to describe them.
///
/// Tuned values that cannot be combined with the given options on this device are ignored, with a warning.
pub fn complete<D: Device>(device: &D, options: &GpuOptions, cache: Option<&Cache>) -> (GpuOptions, &'static str) {
    if let Some(mut values) = cache.and_then(|cache| cache.load(&TunedKey::of(device))) {
        values.extend(&options.values);
        let both = GpuOptions { values, ..options.clone() };
        match device.settings(&both) {
            Ok(_) => return (both, " (tuned)"),
            Err(reason) => tracing::warn!("The tuned values of {} are not used: {reason}", device.info().name),
        }
    }
    (options.clone(), " (defaults)")
}

/// Describes the device as it would be opened without options. Compiles nothing.
pub fn planned<D: Device>(device: &D) -> DeviceInfo {
    let (options, origin) = complete(device, &GpuOptions::default(), Cache::of_user().as_ref());
    let variant = match device.settings(&options) {
        Ok(settings) => settings.plan() + origin,
        Err(reason) => reason,
    };
    DeviceInfo { variant, ..device.info() }
}
