//! The functions of the module: deep counts, and the list of devices.

use std::num::NonZeroUsize;

use kogge::driver::LEAST_MERGED_DEPTH;
use kogge::{BACKENDS, Backend, DeviceInfo, Driver, Error, costs, known, memory};
use pyo3::prelude::*;

use crate::answers::checked_depth;
use crate::device;
use crate::failure::Failure;
use crate::work;

/// Counts the leaves `depth` plies below a position, up to 2^128.
#[pyfunction]
#[pyo3(signature = (fen, depth, device = "auto", *, merge = true, memory = None, progress = None))]
pub(crate) fn perft(
    py: Python<'_>,
    fen: &str,
    depth: u32,
    device: &str,
    merge: bool,
    memory: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Result<u128, Failure> {
    let root = known::root(fen).map_err(|error| Failure::Position(0, error.to_string()))?;
    let device = device::named(device)?;
    let depth = checked_depth(depth)?;
    let asked = match memory.map(NonZeroUsize::new) {
        Some(None) => {
            return Err(Failure::Input("No position fits in 0 bytes; give more memory, or leave it out.".to_owned()));
        }
        asked => asked.flatten(),
    };
    work::run(py, progress, |watcher| {
        let open = device::open_for(device, depth, |backend, depth| Driver::new(backend, watcher).perft(&root, depth))?;
        let count = |backend: &mut dyn Backend| -> Result<u128, Error> {
            if !merge || depth < LEAST_MERGED_DEPTH {
                return Driver::new(backend, watcher).perft(&root, depth);
            }
            let info = backend.info().clone();
            let settings = memory::settings(asked, &info);
            let merged = Driver::new(backend, watcher).perft_merged(&root, depth, &settings)?;
            if let Some(found) = merged.costs {
                costs::remember(&info, found);
            }
            Ok(merged.leaves)
        };
        Ok(open.with(count)??)
    })
}

/// A device, or a backend without devices.
#[pyclass(module = "kogge", frozen, get_all)]
pub(crate) struct Device {
    /// The backend: `"opencl"`, `"wgpu"`, `"cpu"` or `"mailbox"`.
    backend: &'static str,
    /// The number within the backend; `None` if the backend has no device.
    number: Option<usize>,
    /// The name as its driver gives it.
    name: Option<String>,
    /// The kind, such as `"GPU"`, `"CPU"` or `"software device"`.
    kind: Option<String>,
    /// The driver, the interface and their versions.
    driver: Option<String>,
    /// The variant of the code that the backend uses.
    variant: Option<String>,
    /// The bytes of the device's memory, if they are known.
    memory: Option<u64>,
    /// The reason why it cannot be used; `None` if it can.
    reason: Option<String>,
}

#[pymethods]
impl Device {
    /// The text that the argument `device` of a call takes.
    #[getter]
    fn id(&self) -> String {
        self.number.map_or(self.backend.to_owned(), |number| format!("{}:{number}", self.backend))
    }

    /// Whether it can be used.
    #[getter]
    fn usable(&self) -> bool {
        self.reason.is_none()
    }

    fn __repr__(&self) -> String {
        match (&self.reason, &self.name, &self.kind) {
            (None, Some(name), Some(kind)) => format!("<Device {:?}: {name} ({kind})>", self.id()),
            (reason, ..) => format!("<Device {:?}, unusable: {}>", self.id(), reason.as_deref().unwrap_or("unknown")),
        }
    }
}

/// Lists the devices of all backends.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> Vec<Device> {
    py.detach(|| {
        let mut devices = Vec::new();
        for entry in BACKENDS {
            let backend = entry.name.name();
            let unusable = |number, reason: String| Device {
                backend,
                number,
                name: None,
                kind: None,
                driver: None,
                variant: None,
                memory: None,
                reason: Some(reason),
            };
            let describe = |number, info: DeviceInfo| Device {
                backend,
                number: Some(number),
                name: Some(info.name),
                kind: Some(info.kind.to_string()),
                driver: Some(info.driver),
                variant: Some(info.variant),
                memory: info.memory,
                reason: None,
            };
            match entry.devices() {
                Ok(listed) => devices.extend(listed.iter().enumerate().map(|(number, device)| match device.info() {
                    Ok(info) => describe(number, info),
                    Err(error) => unusable(Some(number), error.to_string()),
                })),
                Err(error) => devices.push(unusable(None, error.to_string())),
            }
        }
        devices
    })
}
