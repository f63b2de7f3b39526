//! A file in the user's cache directory with measurements of devices, for later runs.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use etcetera::base_strategy::{BaseStrategy, choose_base_strategy};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A file with a value of type `V` for each key of type `K`, both structs of named fields. The key contains everything that the
/// value depends on. An unreadable file counts as empty and causes a warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Store {
    file: PathBuf,
}

/// A key or a value of a [`Store`].
pub trait StoreItem: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> StoreItem for T {}

/// The file's content.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content<K, V> {
    entries: Vec<Entry<K, V>>,
}

#[derive(Serialize, Deserialize)]
struct Entry<K, V> {
    #[serde(flatten)]
    key: K,
    #[serde(flatten)]
    value: V,
}

impl Store {
    /// Returns the file of this name in the folder that the environment variable `KOGGE_CACHE_DIR` names, or else in the folder
    /// `kogge` of the system's cache folder. `None` if there is no such folder.
    pub fn of_user(name: &str) -> Option<Self> {
        let named = env::var_os("KOGGE_CACHE_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let folder = named.or_else(|| choose_base_strategy().ok().map(|user| user.cache_dir().join("kogge")))?;
        Some(Self::at(folder.join(name)))
    }

    /// Returns the store in this file; the file need not exist.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the value of a key.
    pub fn load<K: PartialEq + StoreItem, V: StoreItem>(&self, key: &K) -> Option<V> {
        self.entries::<K, V>().into_iter().find(|entry| entry.key == *key).map(|entry| entry.value)
    }

    /// Stores the value of a key, and replaces an earlier value. Replaces a damaged file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save<K: PartialEq + StoreItem, V: StoreItem>(&self, key: K, value: V) -> io::Result<()> {
        let mut entries = self.entries::<K, V>();
        entries.retain(|entry| entry.key != key);
        entries.push(Entry { key, value });
        self.write(entries)
    }

    /// Removes the value of a key. Returns whether there was a value.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn forget<K: PartialEq + StoreItem, V: StoreItem>(&self, key: &K) -> io::Result<bool> {
        let mut entries = self.entries::<K, V>();
        let before = entries.len();
        entries.retain(|entry| entry.key != *key);
        let found = entries.len() < before;
        if found {
            self.write(entries)?;
        }
        Ok(found)
    }

    fn entries<K: StoreItem, V: StoreItem>(&self) -> Vec<Entry<K, V>> {
        let content = match fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Content { entries: Vec::new() }),
            Err(error) => Err(error),
        };
        let content = content.inspect_err(|error| {
            tracing::warn!("What was measured before is not used: {} cannot be read: {error}.", self.file.display());
        });
        content.map_or_else(|_| Vec::new(), |content: Content<K, V>| content.entries)
    }

    /// Writes a new file and renames it over the old one, so that no process reads half a file.
    fn write<K: StoreItem, V: StoreItem>(&self, entries: Vec<Entry<K, V>>) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = self.file.with_extension(format!("{}.new", process::id()));
        fs::write(&new, serde_json::to_vec_pretty(&Content { entries })?)?;
        fs::rename(&new, &self.file)
    }
}
