//! Tuning: finds the fastest options of a device, and stores them in a file for later runs.
//!
//! [`tune`] tries the values that [`Tunable::values`] lists, [`Cache`] stores the best, and [`complete`] fills unset
//! options from the cache. Every [`Device`](crate::Device) is [`Tunable`].

mod cache;
mod search;
mod store;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use cache::{Cache, fingerprint};
pub use search::{Outcome, Trial, Tuning, tune};
pub use store::{Store, Stored};

use kogge_board::{Backend, BackendError, DeviceInfo};

/// Options that can be unset. Only options that can be tuned are serialized.
pub trait Partial: Clone + Default + Serialize + DeserializeOwned {
    /// Returns these options. Tunable options that are unset are taken from `others`.
    #[must_use]
    fn or(&self, others: &Self) -> Self;
}

/// A device with options that are worth tuning.
pub trait Tunable {
    /// The options.
    type Options: Partial;
    /// The type of the open backend.
    type Backend: Backend;

    /// Describes the device, without options.
    fn info(&self) -> DeviceInfo;

    /// The [`fingerprint`] of the kernels' source in all its forms. Tuned values hold for these kernels only.
    fn kernels(&self) -> String;

    /// Describes the settings that result from the options on this device, in words that distinguish all values.
    ///
    /// # Errors
    /// A sentence that names the option that does not fit.
    fn plan(&self, options: &Self::Options) -> Result<String, String>;

    /// The values to try, in order.
    fn values(&self) -> Vec<Value<Self::Options>>;

    /// Opens the device with these options and ignores tuned values.
    ///
    /// # Errors
    /// If the options do not fit, or if the device fails or gives wrong answers.
    fn untuned(&self, options: &Self::Options) -> Result<Self::Backend, BackendError>;
}

/// One value of one option.
#[derive(Clone, PartialEq, Debug)]
pub struct Value<O> {
    /// The option's name, to print.
    pub option: &'static str,
    /// The value, to print.
    pub text: String,
    /// Options with only this value set.
    pub options: O,
}

impl<O> Value<O> {
    /// Returns the value with its options made part of other options.
    pub fn map<P>(self, options: impl FnOnce(O) -> P) -> Value<P> {
        Value { option: self.option, text: self.text, options: options(self.options) }
    }

    /// Returns several values of a numeric option.
    pub fn numbers(option: &'static str, numbers: &[usize], set: impl Fn(Option<usize>) -> O) -> Vec<Self> {
        let value = |&number: &usize| Self { option, text: number.to_string(), options: set(Some(number)) };
        numbers.iter().map(value).collect()
    }
}

/// Completes options with the tuned values of the device, and returns ` (tuned)` or ` (defaults)` to describe them.
///
/// Tuned values that the device cannot combine with the given options are ignored, with a warning.
pub fn complete<D: Tunable>(device: &D, options: &D::Options, cache: Option<&Cache>) -> (D::Options, &'static str) {
    if let Some(tuned) = cache.and_then(|cache| cache.load(device)) {
        let both = options.or(&tuned);
        match device.plan(&both) {
            Ok(_) => return (both, " (tuned)"),
            Err(reason) => tracing::warn!("The tuned values of {} are not used: {reason}", device.info().name),
        }
    }
    (options.clone(), " (defaults)")
}

/// Describes the device as it would be opened without options. Compiles nothing.
pub fn planned<D: Tunable>(device: &D) -> DeviceInfo {
    let (options, origin) = complete(device, &D::Options::default(), Cache::of_user().as_ref());
    let variant = match device.plan(&options) {
        Ok(plan) => plan + origin,
        Err(reason) => reason,
    };
    DeviceInfo { variant, ..device.info() }
}
