//! A file in the user's cache directory that stores tuned options for later runs.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use etcetera::base_strategy::{BaseStrategy, choose_base_strategy};
use serde::{Deserialize, Serialize};

use super::Tunable;

/// A file with the best options of each device. Its key has everything that the options depend on: the backend, the
/// device and its driver, kogge's version, and the kernels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    file: PathBuf,
}

/// The file's content.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    entries: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    key: Key,
    /// The backend's options, which only this backend can read.
    options: serde_json::Value,
}

/// Tuned options are valid for one driver, which compiles the kernels, for these kernels, and for this version of the
/// host. Kernels also change within a version, while it is being developed.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    backend: String,
    device: String,
    driver: String,
    kogge: String,
    kernels: String,
}

impl Key {
    fn of(device: &impl Tunable) -> Self {
        let info = device.info();
        Self {
            backend: info.backend.to_owned(),
            device: info.name,
            driver: info.driver,
            kogge: env!("CARGO_PKG_VERSION").to_owned(),
            kernels: device.kernels(),
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
    /// Returns the user's cache: `tuned.json` in the folder that the environment variable `KOGGE_CACHE_DIR` names, else
    /// in `kogge` in the system's cache folder. `None` if there is no such folder.
    pub fn of_user() -> Option<Self> {
        let named = env::var_os("KOGGE_CACHE_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let folder = named.or_else(|| choose_base_strategy().ok().map(|user| user.cache_dir().join("kogge")))?;
        Some(Self::at(folder.join("tuned.json")))
    }

    /// Returns the cache in this file, which need not exist.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// The file of the cache.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the tuned options of a device with its present driver and the present kernels and version of kogge. An
    /// unreadable file counts as empty and causes a warning.
    pub fn load<D: Tunable>(&self, device: &D) -> Option<D::Options> {
        let key = Key::of(device);
        let entry = self.content().entries.into_iter().find(|entry| entry.key == key)?;
        serde_json::from_value(entry.options).inspect_err(|error| self.warn(error)).ok()
    }

    /// Stores the tuned options of a device and replaces its earlier ones. Replaces a damaged file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save<D: Tunable>(&self, device: &D, options: &D::Options) -> io::Result<()> {
        let key = Key::of(device);
        let mut content = self.content();
        content.entries.retain(|entry| entry.key != key);
        content.entries.push(Entry { key, options: serde_json::to_value(options)? });
        self.write(&content)
    }

    /// Removes the tuned options of a device. Returns whether there were any.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn forget(&self, device: &impl Tunable) -> io::Result<bool> {
        let key = Key::of(device);
        let mut content = self.content();
        let before = content.entries.len();
        content.entries.retain(|entry| entry.key != key);
        let found = content.entries.len() < before;
        if found {
            self.write(&content)?;
        }
        Ok(found)
    }

    fn content(&self) -> Content {
        let content = match fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Content::default()),
            Err(error) => Err(error),
        };
        content.unwrap_or_else(|error| {
            self.warn(&error);
            Content::default()
        })
    }

    fn warn(&self, error: &impl Display) {
        tracing::warn!("What was tuned is not used: {} cannot be read: {error}.", self.file.display());
    }

    /// Writes a new file and renames it over the old one, so that no process reads half a file.
    fn write(&self, content: &Content) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = self.file.with_extension(format!("{}.new", process::id()));
        fs::write(&new, serde_json::to_vec_pretty(content)?)?;
        fs::rename(&new, &self.file)
    }
}
