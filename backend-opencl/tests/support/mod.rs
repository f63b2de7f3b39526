//! What the device tests share.

use kogge_backend_opencl::platform::{Device, platforms};

/// Whether a missing OpenCL device fails the tests instead of skipping some of them.
///
/// `cargo xtask test` lists in `KOGGE_REQUIRE_DEVICES` what must be there.
pub(crate) fn is_required() -> bool {
    let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
    required.split(',').any(|name| name == "opencl")
}

/// The first OpenCL device, or `None` where there is none.
///
/// # Panics
/// If there is none and one is required.
pub(crate) fn first_device() -> Option<Device> {
    let (device, reason) = match platforms() {
        Ok(platforms) => {
            let reason = format!("None of these has a device: {platforms:?}.");
            let mut devices = platforms.into_iter().filter_map(|platform| platform.devices.ok());
            (devices.find_map(|devices| devices.into_iter().next()), reason)
        }
        Err(error) => (None, error.to_string()),
    };
    if device.is_none() {
        assert!(!is_required(), "An OpenCL device is required. {reason}");
        eprintln!("Skipped, for want of an OpenCL device. {reason}");
    }
    device
}
