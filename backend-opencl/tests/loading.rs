//! Tests of the stand-in for the OpenCL library: the linker finds it first, it forwards calls to the real library, and
//! without one its error is clear.
//!
//! The environment of a process decides once which library is opened. Therefore each test runs itself again in a new
//! process.

use std::{
    env,
    process::Command,
    ptr,
    time::{Duration, Instant},
};

use kogge_backend_opencl::platform::{OpenClDevice, PlatformError, platforms};
use kogge_testkit::device_suite::{first_device, is_required};
use ocl::{ffi, prm::Ulong};

/// Runs `check` in a new process in which the variable has the value.
///
/// `test` is the name of the calling test: the new process runs this test again and calls this function with the
/// variable set.
fn with_variable(test: &str, variable: &str, value: &str, check: impl FnOnce()) {
    if env::var_os(variable).is_some_and(|actual| actual == *value) {
        return check();
    }
    let output = Command::new(env::current_exe().expect("a test knows its own path"))
        .args(["--exact", test])
        .env(variable, value)
        .output()
        .expect("a test can run itself");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && report.contains("1 passed"), "{test} with {variable}={value}: {report}");
}

#[test]
fn without_a_library_the_error_is_clear_and_quick() {
    let name = "/nonexistent/libOpenCL.so";
    with_variable("without_a_library_the_error_is_clear_and_quick", "KOGGE_OPENCL_LIBRARY", name, || {
        let start = Instant::now();
        let error = platforms().expect_err("there is no library to list platforms");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert!(matches!(&error, PlatformError::NoLibrary { reason } if reason.contains(name)), "{error:?}");
        assert!(error.to_string().contains("KOGGE_OPENCL_LIBRARY"), "{error}");
    });
}

#[test]
fn without_a_library_every_kind_of_function_fails() {
    let name = "/nonexistent/libOpenCL.so";
    with_variable("without_a_library_every_kind_of_function_fails", "KOGGE_OPENCL_LIBRARY", name, || {
        let null = ptr::null_mut();
        let mut code = 0;
        // SAFETY: the shim has no library to forward to, and uses only the pointer to `code`.
        unsafe {
            assert_eq!(ffi::clFinish(null), ffi::CL_PLATFORM_NOT_FOUND_KHR);
            assert_eq!(ffi::clCreateBuffer(null, 0, 8, null, &mut code), null);
            assert_eq!(ffi::clCreateBuffer(null, 0, 8, null, ptr::null_mut()), null);
            assert_eq!(ffi::clGetExtensionFunctionAddressForPlatform(null, c"clNone".as_ptr()), null);
        }
        assert_eq!(code, ffi::CL_PLATFORM_NOT_FOUND_KHR);
    });
}

/// The C library takes the role of an OpenCL library that lacks a function.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_function_that_the_library_lacks_is_an_invalid_operation() {
    let test = "a_function_that_the_library_lacks_is_an_invalid_operation";
    with_variable(test, "KOGGE_OPENCL_LIBRARY", "libc.so.6", || {
        let expected = PlatformError::Query { function: "clGetPlatformIDs", code: ffi::CL_INVALID_OPERATION };
        assert_eq!(platforms().expect_err("the C library has no platforms"), expected);
    });
}

/// Loaders on Linux read the drivers' names from a directory.
#[cfg(target_os = "linux")]
#[test]
fn without_a_driver_the_error_is_another() {
    let empty = concat!(env!("CARGO_TARGET_TMPDIR"), "/no-drivers");
    std::fs::create_dir_all(empty).expect("the directory for tests is writable");
    with_variable("without_a_driver_the_error_is_another", "OCL_ICD_VENDORS", empty, || {
        let start = Instant::now();
        let error = platforms().expect_err("there is no driver");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        if !is_required("opencl") && matches!(error, PlatformError::NoLibrary { .. }) {
            eprintln!("Skipped, for want of an OpenCL loader.");
            return;
        }
        assert_eq!(error, PlatformError::NoPlatform);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn the_binary_starts_without_any_opencl() {
    let output = Command::new("ldd").arg(env::current_exe().expect("a test knows its own path")).output();
    let output = output.expect("ldd is part of the C library's tools");
    let libraries = String::from_utf8_lossy(&output.stdout);
    assert!(libraries.contains("libc"), "{libraries}");
    assert!(!libraries.contains("OpenCL"), "the program needs OpenCL to start:\n{libraries}");
}

#[test]
fn devices_are_described() {
    let Some(device) = first_device::<OpenClDevice>() else { return };
    for text in [&device.platform_name, &device.name, &device.vendor, &device.driver] {
        assert!(!text.is_empty(), "{device:?}");
    }
    assert!(device.version.starts_with("OpenCL "), "{device:?}");
    assert!(device.memory >= device.max_allocation && device.max_allocation >= 1 << 20, "{device:?}");
    assert!(device.local_memory >= 1 << 10, "{device:?}");
    assert!(device.compute_units >= 1 && device.max_work_group_size >= 1, "{device:?}");
    assert_eq!(device.unusable(), None, "{device:?}");
}

/// Calls of every shape go through the shim: many arguments, 64-bit flags, sizes, errors through a pointer.
#[test]
fn a_kernel_computes_in_64_bits() -> ocl::Result<()> {
    let Some(device) = first_device::<OpenClDevice>() else {
        return Ok(());
    };
    let source = "__kernel void shift(__global ulong *words, ulong mask) {
        size_t i = get_global_id(0);
        words[i] = (words[i] << i) & mask;
    }";
    let queue = ocl::ProQue::builder()
        .platform(device.platform.into())
        .device(ocl::Device::from(device.id))
        .src(source)
        .dims(64)
        .build()?;
    let words = queue.create_buffer::<Ulong>()?;
    words.write(&vec![Ulong::from(3); 64]).enq()?;
    let mask = 0xffff_0000_ffff_0000u64;
    let kernel = queue.kernel_builder("shift").arg(&words).arg(mask).build()?;
    // SAFETY: the kernel writes one word per work-item, and the buffer has as many words as there are work-items.
    unsafe { kernel.enq()? };
    let mut results = vec![Ulong::from(0); 64];
    words.read(&mut results).enq()?;
    for (i, result) in results.into_iter().enumerate() {
        assert_eq!(u64::from(result), (3 << i) & mask, "word {i}");
    }
    Ok(())
}
