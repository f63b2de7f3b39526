//! What was tuned, from one run of a program to the next: a file in the user's cache directory.

use etcetera::base_strategy::{BaseStrategy, choose_base_strategy};
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::platform::Device;

/// A file with the best options of each device, by the device's name, its driver and kogge's version.
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
    options: Options,
}

/// What was tuned holds for one driver, and for the kernels of one version.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    device: String,
    driver: String,
    kogge: String,
}

impl Key {
    fn of(device: &Device) -> Self {
        let info = device.info();
        Self { device: info.name, driver: info.driver, kogge: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

impl Cache {
    /// The user's: `opencl.json` in the folder that the environment variable `KOGGE_CACHE_DIR` names, else in `kogge` in
    /// the system's folder for caches. `None` if there is no such folder.
    pub fn of_user() -> Option<Self> {
        let named = env::var_os("KOGGE_CACHE_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let folder = named.or_else(|| choose_base_strategy().ok().map(|user| user.cache_dir().join("kogge")))?;
        Some(Self::at(folder.join("opencl.json")))
    }

    /// The cache in this file, which need not exist.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Its file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What was tuned on a device with its present driver by this version of kogge. A file that cannot be read is as
    /// good as none, but there is a warning.
    pub fn load(&self, device: &Device) -> Option<Options> {
        let key = Key::of(device);
        Some(self.content().entries.into_iter().find(|entry| entry.key == key)?.options)
    }

    /// Keeps what was tuned on a device, instead of what was known before. A damaged file is written anew.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, device: &Device, options: &Options) -> io::Result<()> {
        let key = Key::of(device);
        let mut content = self.content();
        content.entries.retain(|entry| entry.key != key);
        content.entries.push(Entry { key, options: options.clone() });
        self.write(&content)
    }

    /// Removes what was tuned on a device. Returns whether there was anything.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn forget(&self, device: &Device) -> io::Result<bool> {
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
            tracing::warn!("What was tuned is not used: {} cannot be read: {error}.", self.file.display());
            Content::default()
        })
    }

    /// Writes another file and puts it in the place of the first, so that nobody reads half of it.
    fn write(&self, content: &Content) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = self.file.with_extension(format!("{}.new", process::id()));
        fs::write(&new, serde_json::to_vec_pretty(content)?)?;
        fs::rename(&new, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::Backend;

    use super::*;
    use crate::OpenCl;
    use crate::options::{Positions, Sliders, Traversal};
    use crate::tuner::tests::first_device;

    /// Runs a test with a cache of its own and a device.
    fn with_cache(name: &str, test: impl FnOnce(&Cache, Device)) {
        let Some(device) = first_device() else { return };
        let folder = env::temp_dir().join(format!("kogge-cache-{}-{name}", process::id()));
        test(&Cache::at(folder.join("sub/opencl.json")), device);
        fs::remove_dir_all(&folder).unwrap();
    }

    fn tuned() -> Options {
        Options {
            sliders: Some(Sliders::Subtract),
            position_form: Some(Positions::Boards48),
            traversal: Some(Traversal::DepthFirst(3)),
            work_group_size: Some(32),
            replies_group_size: Some(16),
            count_group_size: Some(8),
            groups_per_unit: Some(2),
            queued_per_lane: Some(3),
            positions: Some(1000),
            moves: Some(2000),
            registers: Some(96),
            ..Options::default()
        }
    }

    #[test]
    fn what_is_saved_is_loaded_until_it_is_forgotten() {
        with_cache("round-trip", |cache, device| {
            assert_eq!(cache.load(&device), None);
            cache.save(&device, &Options::default()).unwrap();
            let other = Device { name: "another".into(), ..device.clone() };
            cache.save(&other, &Options::default()).unwrap();
            cache.save(&device, &tuned()).unwrap();
            assert_eq!((cache.load(&device), cache.load(&other)), (Some(tuned()), Some(Options::default())));
            assert_eq!((cache.forget(&device).unwrap(), cache.forget(&device).unwrap()), (true, false));
            assert_eq!((cache.load(&device), cache.load(&other)), (None, Some(Options::default())));
        });
    }

    #[test]
    fn another_device_driver_or_version_has_nothing() {
        with_cache("keys", |cache, device| {
            cache.save(&device, &tuned()).unwrap();
            assert_eq!(cache.load(&Device { name: "another".into(), ..device.clone() }), None);
            assert_eq!(cache.load(&Device { driver: "0.0".into(), ..device.clone() }), None);
            let version = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
            let text = fs::read_to_string(cache.file()).unwrap();
            assert!(text.contains(version), "{text}");
            fs::write(cache.file(), text.replace(version, "\"0.0.0\"")).unwrap();
            assert_eq!(cache.load(&device), None);
        });
    }

    #[test]
    fn damaged_files_are_as_good_as_none() {
        with_cache("damage", |cache, device| {
            cache.save(&device, &tuned()).unwrap();
            let text = fs::read_to_string(cache.file()).unwrap();
            for damaged in [
                String::new(),
                text[..text.len() / 2].to_owned(),
                text.replace("subtract", "guess"),
                text.replace("\"positions\": 1000", "\"positions\": -1"),
                text.replace("\"positions\"", "\"compiler\""),
            ] {
                assert_ne!(damaged, text);
                fs::write(cache.file(), &damaged).unwrap();
                assert_eq!(cache.load(&device), None, "{damaged}");
            }
            let backend = OpenCl::with_cache(&device, &Options::default(), Some(cache)).unwrap();
            assert!(backend.info().variant.ends_with("(defaults)"), "{}", backend.info().variant);
            // A good file in form, whose sizes no device has.
            cache.save(&device, &Options { work_group_size: Some(1 << 20), ..tuned() }).unwrap();
            let backend = OpenCl::with_cache(&device, &Options::default(), Some(cache)).unwrap();
            assert!(backend.info().variant.ends_with("(defaults)"), "{}", backend.info().variant);
        });
    }

    #[test]
    fn options_that_are_given_override() {
        with_cache("override", |cache, device| {
            cache.save(&device, &tuned()).unwrap();
            let variant =
                |options: &Options| OpenCl::with_cache(&device, options, Some(cache)).unwrap().info().variant.clone();
            assert_eq!(
                variant(&Options::default()),
                "subtract sliders, 48-byte positions, the last 3 plies depth-first, work-groups of 32 (tuned)"
            );
            assert_eq!(
                variant(&Options { sliders: Some(Sliders::Fill), work_group_size: Some(16), ..Options::default() }),
                "fill sliders, 48-byte positions, the last 3 plies depth-first, work-groups of 16 (tuned)"
            );
        });
    }
}
