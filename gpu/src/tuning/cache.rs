//! The tuned options of each device, stored for later runs.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::store::Store;
use crate::device::Device;
use crate::parameters::Values;

/// A file with the best values of each device. Its key contains everything that the options depend on: the backend, the
/// device and its driver, kogge's version, and the kernels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache(Store);

#[derive(Serialize, Deserialize)]
struct Tuned {
    /// The [`Values`]; another version of kogge may not know all of them.
    options: serde_json::Value,
}

/// The things that tuned values depend on. Tuned values are valid for one driver (which compiles the kernels), for these kernels,
/// and for this version of the host. Kernels may change between two builds of the same version during development.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TunedKey {
    pub(super) backend: String,
    pub(super) device: String,
    pub(super) driver: String,
    pub(super) kogge: String,
    pub(super) kernels: String,
}

impl TunedKey {
    /// Returns the key of a device with its current driver, the current kernels and the current version of kogge.
    pub fn of<D: Device>(device: &D) -> Self {
        let info = device.info();
        Self {
            backend: info.backend.to_owned(),
            device: info.name,
            driver: info.driver,
            kogge: env!("CARGO_PKG_VERSION").to_owned(),
            kernels: D::kernels(),
        }
    }
}

/// Returns the 64-bit FNV-1a hash of some texts in hexadecimal. Different texts almost certainly have different
/// fingerprints.
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let bytes = texts.into_iter().flat_map(str::bytes);
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

impl Cache {
    /// Returns the user's cache, `tuned.json`. `None` if there is no folder for it.
    pub fn of_user() -> Option<Self> {
        Store::of_user("tuned.json").map(Self)
    }

    /// Returns the cache in this file; the file need not exist.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self(Store::at(file))
    }

    /// The file of the cache.
    pub fn file(&self) -> &Path {
        self.0.file()
    }

    /// Returns the tuned values of a device. An unreadable file counts as empty and causes a warning.
    pub fn load(&self, key: &TunedKey) -> Option<Values> {
        let Tuned { options } = self.0.load(key)?;
        let unreadable = |error: &serde_json::Error| {
            tracing::warn!("What was tuned is not used: {} cannot be read: {error}.", self.file().display());
        };
        serde_json::from_value(options).inspect_err(unreadable).ok()
    }

    /// Stores the tuned values of a device and replaces its earlier ones. Replaces a damaged file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, key: TunedKey, values: &Values) -> io::Result<()> {
        self.0.save(key, Tuned { options: serde_json::to_value(values)? })
    }

    /// Removes the tuned values of a device. Returns whether there were any.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn forget(&self, key: &TunedKey) -> io::Result<bool> {
        self.0.forget::<TunedKey, Tuned>(key)
    }
}
