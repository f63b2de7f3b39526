//! The OpenCL platforms of this machine and their devices.
//!
//! All queries use the plain C functions. `ocl`'s own queries wait 10 s if there is no platform, and panic on unknown
//! error codes.

use std::{
    ffi::c_void,
    ptr,
    sync::{Mutex, PoisonError},
};

use kogge_board::{DeviceInfo, DeviceKind};
use ocl::{
    core::{DeviceId, PlatformId},
    ffi,
};

/// The number of positions for each compute unit that keeps a device busy.
const POSITIONS_PER_UNIT: usize = 1024;

/// A platform: one vendor's OpenCL.
#[derive(Clone, Debug)]
pub struct Platform {
    /// OpenCL's handle.
    pub id: PlatformId,
    /// The platform's name, such as `NVIDIA CUDA`. All texts are empty if the platform does not answer.
    pub name: String,
    /// The vendor.
    pub vendor: String,
    /// Its OpenCL version, such as `OpenCL 3.0 CUDA 13.0.84`.
    pub version: String,
    /// Its devices, or the reason why they could not be listed. A platform may have none.
    pub devices: Result<Vec<OpenClDevice>, PlatformError>,
}

/// A device of a platform.
#[derive(Clone, Debug)]
pub struct OpenClDevice {
    /// OpenCL's handle.
    pub id: DeviceId,
    /// The handle of its platform.
    pub platform: PlatformId,
    /// The name of its platform.
    pub platform_name: String,
    /// The device's name, such as `NVIDIA H200`.
    pub name: String,
    /// The vendor.
    pub vendor: String,
    /// Its OpenCL version, such as `OpenCL 3.0 CUDA`.
    pub version: String,
    /// The version of its driver, in the vendor's own form.
    pub driver: String,
    /// The kind of processor. A CPU driven through OpenCL is [`DeviceKind::Software`].
    pub kind: DeviceKind,
    /// Global memory, in bytes.
    pub memory: u64,
    /// The largest single buffer, in bytes.
    pub max_allocation: u64,
    /// Local memory of one work-group, in bytes.
    pub local_memory: u64,
    /// Compute units: multiprocessors of a GPU, hardware threads of a CPU.
    pub compute_units: u32,
    /// The maximum number of work-items in one work-group.
    pub max_work_group_size: usize,
    /// Whether kernels can use 64-bit integers, which hold bitboards.
    pub has_int64: bool,
    /// Whether the device takes work at the moment.
    pub available: bool,
    /// Whether its driver compiles OpenCL C at run time.
    pub has_compiler: bool,
}

/// What a machine without OpenCL needs. On Windows, the drivers bring the loader.
const INSTALL: &str = if cfg!(windows) {
    "Install or update your GPU's driver"
} else {
    "Install the OpenCL loader and your GPU's OpenCL driver (on Debian and Ubuntu, ocl-icd-libopencl1 and for instance \
     nvidia-opencl-icd or pocl-opencl-icd)"
};

/// The reason why platforms or devices cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// There is no OpenCL library.
    #[error("The OpenCL library cannot be opened ({reason}). {INSTALL}, or name the library in KOGGE_OPENCL_LIBRARY.")]
    NoLibrary {
        /// The system's reason.
        reason: String,
    },
    /// There is a library, but no platform.
    #[error(
        "The OpenCL library is there, but no OpenCL driver is installed. Install your GPU's OpenCL driver; on Linux it \
         puts a file into /etc/OpenCL/vendors."
    )]
    NoPlatform,
    /// A query failed.
    #[error("OpenCL's {function} failed with error {code}. The driver may need to be reinstalled or updated.")]
    Query {
        /// The OpenCL function.
        function: &'static str,
        /// The error code that it returned, as OpenCL's headers define it.
        code: i32,
    },
}

impl OpenClDevice {
    /// Describes the device as every backend does. The variant is chosen when the device is opened.
    pub fn info(&self) -> DeviceInfo {
        DeviceInfo {
            backend: "opencl",
            name: self.name.clone(),
            driver: format!("{}, driver {}", self.version, self.driver),
            kind: self.kind,
            memory: Some(self.memory),
            batch: self.compute_units as usize * POSITIONS_PER_UNIT,
            variant: "chosen when it is opened".to_owned(),
            counts_diagrams: true,
        }
    }

    /// Returns the reason why kogge cannot compute on this device, as one sentence, or `None` if it can.
    ///
    /// kogge needs OpenCL 1.2, 64-bit integers and a compiler.
    pub fn unusable(&self) -> Option<String> {
        if !self.available {
            Some("The device reports that it is not available.".to_owned())
        } else if !self.has_compiler {
            Some("Its driver cannot compile OpenCL C.".to_owned())
        } else if !self.has_int64 {
            Some("It has no 64-bit integers.".to_owned())
        } else if opencl_version(&self.version) < Some((1, 2)) {
            Some(format!("It has \"{}\"; OpenCL 1.2 is needed.", self.version))
        } else {
            None
        }
    }
}

/// Lists every platform with its devices, in OpenCL's order.
///
/// # Errors
/// If there is no platform. A platform that fails to answer is part of the list.
pub fn platforms() -> Result<Vec<Platform>, PlatformError> {
    // One thread at a time: if a second thread asks PoCL while it starts, PoCL answers that it has no device.
    static LISTING: Mutex<()> = Mutex::new(());
    let _listing = LISTING.lock().unwrap_or_else(PoisonError::into_inner);

    let ids = list("clGetPlatformIDs", |capacity, ids, count| {
        // SAFETY: `list` passes null with capacity 0, or room for `capacity` handles, and a valid count.
        unsafe { ffi::clGetPlatformIDs(capacity, ids, count) }
    });
    let ids = match ids {
        // This is the error of a loader without drivers, and of the shim without a loader.
        Err(PlatformError::Query { code: ffi::CL_PLATFORM_NOT_FOUND_KHR, .. }) => Vec::new(),
        other => other?,
    };
    if ids.is_empty() {
        return Err(match library_failure() {
            Some(reason) => PlatformError::NoLibrary { reason },
            None => PlatformError::NoPlatform,
        });
    }
    Ok(ids.into_iter().map(platform).collect())
}

fn platform(id: *mut c_void) -> Platform {
    let mut platform = Platform {
        // SAFETY: a handle that OpenCL listed, and platforms live as long as the process.
        id: unsafe { PlatformId::from_raw(id) },
        name: String::new(),
        vendor: String::new(),
        version: String::new(),
        devices: Ok(Vec::new()),
    };
    platform.devices = describe(&mut platform);
    platform
}

/// Fills in a platform's texts and lists its devices.
fn describe(platform: &mut Platform) -> Result<Vec<OpenClDevice>, PlatformError> {
    let id = platform.id.as_ptr();
    let text = |parameter| {
        text("clGetPlatformInfo", |size, value, actual| {
            // SAFETY: `id` is a handle that OpenCL listed; `query` passes null or room for `size` bytes.
            unsafe { ffi::clGetPlatformInfo(id, parameter, size, value, actual) }
        })
    };
    platform.name = text(ffi::CL_PLATFORM_NAME)?;
    platform.vendor = text(ffi::CL_PLATFORM_VENDOR)?;
    platform.version = text(ffi::CL_PLATFORM_VERSION)?;
    let ids = list("clGetDeviceIDs", |capacity, devices, count| {
        // SAFETY: as for the platforms, with a platform that OpenCL listed.
        unsafe { ffi::clGetDeviceIDs(id, ffi::CL_DEVICE_TYPE_ALL, capacity, devices, count) }
    });
    match ids {
        Err(PlatformError::Query { code: ffi::CL_DEVICE_NOT_FOUND, .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
        Ok(ids) => ids.into_iter().map(|id| device(platform, id)).collect(),
    }
}

fn device(platform: &Platform, id: *mut c_void) -> Result<OpenClDevice, PlatformError> {
    let info = |parameter| {
        move |size, value, actual| {
            // SAFETY: `id` is a handle that OpenCL listed; `query` passes null or room for `size` bytes.
            unsafe { ffi::clGetDeviceInfo(id, parameter, size, value, actual) }
        }
    };
    let text = |parameter| text("clGetDeviceInfo", info(parameter));
    let number = |parameter| number("clGetDeviceInfo", info(parameter));

    let kind = number(ffi::CL_DEVICE_TYPE)?;
    // Embedded devices have 64-bit integers only as an extension; all others always.
    let has_int64 = text(ffi::CL_DEVICE_PROFILE)? == "FULL_PROFILE"
        || text(ffi::CL_DEVICE_EXTENSIONS)?.split_whitespace().any(|name| name == "cles_khr_int64");
    Ok(OpenClDevice {
        // SAFETY: a handle that OpenCL listed and that is not null; root devices live as long as the process.
        id: unsafe { DeviceId::from_raw(id) },
        platform: platform.id,
        platform_name: platform.name.clone(),
        name: text(ffi::CL_DEVICE_NAME)?,
        vendor: text(ffi::CL_DEVICE_VENDOR)?,
        version: text(ffi::CL_DEVICE_VERSION)?,
        driver: text(ffi::CL_DRIVER_VERSION)?,
        kind: if kind & ffi::CL_DEVICE_TYPE_CPU != 0 {
            DeviceKind::Software
        } else if kind & ffi::CL_DEVICE_TYPE_GPU == 0 {
            DeviceKind::Other
        } else if number(ffi::CL_DEVICE_HOST_UNIFIED_MEMORY)? != 0 {
            DeviceKind::IntegratedGpu
        } else {
            DeviceKind::DiscreteGpu
        },
        memory: number(ffi::CL_DEVICE_GLOBAL_MEM_SIZE)?,
        max_allocation: number(ffi::CL_DEVICE_MAX_MEM_ALLOC_SIZE)?,
        local_memory: number(ffi::CL_DEVICE_LOCAL_MEM_SIZE)?,
        compute_units: number(ffi::CL_DEVICE_MAX_COMPUTE_UNITS)? as u32,
        max_work_group_size: number(ffi::CL_DEVICE_MAX_WORK_GROUP_SIZE)? as usize,
        has_int64,
        available: number(ffi::CL_DEVICE_AVAILABLE)? != 0,
        has_compiler: number(ffi::CL_DEVICE_COMPILER_AVAILABLE)? != 0,
    })
}

/// Lists handles. Calls `call` twice: for the number of handles, then for the handles. No handle is null.
fn list(
    function: &'static str,
    call: impl Fn(u32, *mut *mut c_void, *mut u32) -> i32,
) -> Result<Vec<*mut c_void>, PlatformError> {
    let mut count = 0;
    check(function, call(0, ptr::null_mut(), &mut count))?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut handles = vec![ptr::null_mut(); count as usize];
    check(function, call(count, handles.as_mut_ptr(), &mut count))?;
    handles.truncate(count as usize);
    handles.retain(|handle: &*mut c_void| !handle.is_null());
    Ok(handles)
}

/// Queries a property. Calls `call` twice: for the number of bytes, then for the bytes.
fn query(
    function: &'static str,
    call: impl Fn(usize, *mut c_void, *mut usize) -> i32,
) -> Result<Vec<u8>, PlatformError> {
    let mut size = 0;
    check(function, call(0, ptr::null_mut(), &mut size))?;
    let mut bytes = vec![0u8; size];
    check(function, call(size, bytes.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(bytes)
}

/// Queries a text, up to its terminating zero and without the blanks that some drivers pad with.
fn text(function: &'static str, call: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Result<String, PlatformError> {
    let bytes = query(function, call)?;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).trim().to_owned())
}

/// Queries a number of 4 or 8 bytes (`cl_uint`, `cl_bool`, `cl_ulong`, `size_t`) in the host's byte order.
fn number(function: &'static str, call: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Result<u64, PlatformError> {
    let bytes = query(function, call)?;
    match *bytes.as_slice() {
        [a, b, c, d] => Ok(u32::from_ne_bytes([a, b, c, d]).into()),
        [a, b, c, d, e, f, g, h] => Ok(u64::from_ne_bytes([a, b, c, d, e, f, g, h])),
        _ => Err(PlatformError::Query { function, code: ffi::CL_INVALID_VALUE }),
    }
}

fn check(function: &'static str, code: i32) -> Result<(), PlatformError> {
    if code == ffi::CL_SUCCESS { Ok(()) } else { Err(PlatformError::Query { function, code }) }
}

/// Parses the major and minor number of a device's version, `OpenCL <major>.<minor> <anything>`.
fn opencl_version(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.strip_prefix("OpenCL ")?.split_whitespace().next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the reason why the shim could not open the system's library, or `None` if it did.
#[cfg(not(target_os = "macos"))]
fn library_failure() -> Option<String> {
    use std::ffi::{CStr, c_char};

    unsafe extern "C" {
        fn kogge_opencl_failure() -> *const c_char;
    }
    // SAFETY: the shim's function takes nothing, may be called from any thread, and returns null or a text with a
    // terminating zero that never changes again.
    let failure = unsafe {
        let failure = kogge_opencl_failure();
        if failure.is_null() {
            return None;
        }
        CStr::from_ptr(failure)
    };
    Some(failure.to_string_lossy().into_owned())
}

/// Returns `None`: on macOS the library is part of the system.
#[cfg(target_os = "macos")]
fn library_failure() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::opencl_version;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, expected) in [
            ("OpenCL 1.2 pocl HSTR: pthread", Some((1, 2))),
            ("OpenCL 3.0 CUDA", Some((3, 0))),
            ("OpenCL 2.10", Some((2, 10))),
            ("OpenCL 2", None),
            ("FULL_PROFILE", None),
            ("", None),
        ] {
            assert_eq!(opencl_version(version), expected, "{version:?}");
        }
        assert!(opencl_version("OpenCL 1.1 old") < Some((1, 2)));
        assert!(opencl_version("OpenCL 10.0 future") > Some((1, 2)));
    }
}
