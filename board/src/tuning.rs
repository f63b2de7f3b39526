//! Which options are fastest on a device: found by trying, kept in a file, used from then on. What is the same for every
//! backend that can be tuned.
//!
//! A backend implements [`Tunable`] for its devices; [`tune`] tries what [`Tunable::values`] lists, [`Cache`] keeps what
//! was best, and [`settle`] takes from it what the options that are given leave open.

mod cache;
mod search;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use cache::{Cache, fingerprint};
pub use search::{Outcome, Trial, Tuning, tune};

use crate::{Backend, BackendError, DeviceInfo};

/// Options that can be left open. What is serialized of them is what can be tuned.
pub trait Partial: Clone + Default + Serialize + DeserializeOwned {
    /// These, and what can be tuned and they leave open from others.
    #[must_use]
    fn or(&self, others: &Self) -> Self;
}

/// A device with options that are worth tuning.
pub trait Tunable {
    /// The options.
    type Options: Partial;
    /// What the device is opened as.
    type Backend: Backend;

    /// The device, whatever the options.
    fn info(&self) -> DeviceInfo;

    /// The [`fingerprint`] of the kernels' source, in all its forms: what was tuned holds for these kernels.
    fn kernels(&self) -> String;

    /// What the options come to on this device, in words that tell all values apart.
    ///
    /// # Errors
    /// What is wrong with them, as a sentence.
    fn plan(&self, options: &Self::Options) -> Result<String, String>;

    /// What there is to be tried, in this order.
    fn values(&self) -> Vec<Value<Self::Options>>;

    /// Opens the device with these options, whatever was tuned.
    ///
    /// # Errors
    /// If the options do not fit, or if the device fails or gives wrong answers.
    fn untuned(&self, options: &Self::Options) -> Result<Self::Backend, BackendError>;
}

/// One value of one option.
#[derive(Clone, PartialEq, Debug)]
pub struct Value<O> {
    /// The option's name, for people.
    pub option: &'static str,
    /// The value, for people.
    pub text: String,
    /// Options of which no other is set.
    pub options: O,
}

impl<O> Value<O> {
    /// Several values of an option that is a number.
    pub fn numbers(option: &'static str, numbers: &[usize], set: impl Fn(Option<usize>) -> O) -> Vec<Self> {
        let value = |&number: &usize| Self { option, text: number.to_string(), options: set(Some(number)) };
        numbers.iter().map(value).collect()
    }
}

/// The options with what was tuned on the device where they leave something open, and ` (tuned)` or ` (defaults)` to be
/// said of them.
///
/// What was tuned is left out, with a warning, if the device cannot do it together with the options that were given.
pub fn settle<D: Tunable>(device: &D, options: &D::Options, cache: Option<&Cache>) -> (D::Options, &'static str) {
    if let Some(tuned) = cache.and_then(|cache| cache.load(device)) {
        let both = options.or(&tuned);
        match device.plan(&both) {
            Ok(_) => return (both, " (tuned)"),
            Err(reason) => tracing::warn!("What was tuned on {} is not used: {reason}", device.info().name),
        }
    }
    (options.clone(), " (defaults)")
}

/// What the device would be opened as without options; nothing is compiled.
pub fn planned<D: Tunable>(device: &D) -> DeviceInfo {
    let (options, origin) = settle(device, &D::Options::default(), Cache::of_user().as_ref());
    let variant = match device.plan(&options) {
        Ok(plan) => plan + origin,
        Err(reason) => reason,
    };
    DeviceInfo { variant, ..device.info() }
}
