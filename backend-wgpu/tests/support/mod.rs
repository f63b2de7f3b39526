//! What the device tests share.

use std::sync::{Mutex, OnceLock, PoisonError};

use kogge_backend_wgpu::{Device, Options, Wgpu, devices};

/// Whether a missing device fails the tests instead of skipping some of them.
///
/// `cargo xtask test` lists in `KOGGE_REQUIRE_DEVICES` what must be there.
fn is_required() -> bool {
    let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
    required.split(',').any(|name| name == "wgpu")
}

/// The first device, or `None` where there is none.
///
/// # Panics
/// If there is none and one is required.
pub(crate) fn first_device() -> Option<Device> {
    match devices() {
        Ok(devices) => devices.into_iter().next(),
        Err(error) => {
            assert!(!is_required(), "A wgpu device is required. {error}");
            eprintln!("Skipped, for want of a wgpu device. {error}");
            None
        }
    }
}

/// Runs a test with a backend that all tests of the same options share, or not at all without a device.
///
/// # Panics
/// If there is no device and one is required, or if it cannot be opened.
#[allow(dead_code, reason = "not every test file opens devices in this way")]
pub(crate) fn with_backend(options: &Options, test: impl FnOnce(&mut Wgpu)) {
    static BACKENDS: OnceLock<Mutex<Vec<(Options, Wgpu)>>> = OnceLock::new();
    let mut backends = BACKENDS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let index = match backends.iter().position(|(known, _)| known == options) {
        Some(index) => index,
        None => {
            let Some(device) = first_device() else { return };
            let backend = Wgpu::on(&device, options).unwrap_or_else(|error| panic!("{error}"));
            backends.push((options.clone(), backend));
            backends.len() - 1
        }
    };
    test(&mut backends[index].1);
}
