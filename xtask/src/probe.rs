//! Checks, through the system's loader, whether a GPU interface offers a device, on Linux.
//!
//! The check does not use the backends, because `xtask` depends on no crate of kogge: it must build and report missing
//! devices even if they do not build.

use std::{
    ffi::c_void,
    fmt,
    ptr::{null, null_mut},
};

use clap::ValueEnum;
use libloading::{Library, Symbol};

use crate::Result;

/// A GPU interface.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Interface {
    /// The interface of the `opencl` backend.
    Opencl,
    /// The interface of the `wgpu` backend on Linux.
    Vulkan,
}

impl fmt::Display for Interface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Interface::Opencl => "opencl",
            Interface::Vulkan => "vulkan",
        })
    }
}

/// Returns an error if there is no device.
pub(crate) fn probe(interface: Interface) -> Result {
    let devices = match interface {
        // SAFETY: this is the OpenCL loader, whose functions `opencl_devices` declares as the standard does.
        Interface::Opencl => unsafe { opencl_devices(&Library::new("libOpenCL.so.1")?)? },
        // SAFETY: this is the Vulkan loader, whose functions `vulkan_devices` declares as the standard does.
        Interface::Vulkan => unsafe { vulkan_devices(&Library::new("libvulkan.so.1")?)? },
    };
    if devices > 0 { Ok(()) } else { Err("The loader is installed, but no driver offers a device.".into()) }
}

type Handle = *mut c_void;

/// # Safety
/// The library must be an OpenCL loader.
unsafe fn opencl_devices(library: &Library) -> Result<u32> {
    type GetPlatformIds = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32;
    type GetDeviceIds = unsafe extern "C" fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    const ALL_TYPES: u64 = 0xffff_ffff;

    // SAFETY: these are the functions' types in OpenCL's headers. No list is longer than the count passed with it.
    unsafe {
        let get_platforms: Symbol<GetPlatformIds> = library.get(b"clGetPlatformIDs\0")?;
        let get_devices: Symbol<GetDeviceIds> = library.get(b"clGetDeviceIDs\0")?;
        let mut platforms = [null_mut(); 16];
        let mut count = 0;
        // Errors leave the counts at 0. The loader reports a missing driver, and a driver a missing device.
        get_platforms(platforms.len() as u32, platforms.as_mut_ptr(), &mut count);
        let mut devices = 0;
        for &platform in platforms.iter().take(count as usize) {
            let mut count = 0;
            get_devices(platform, ALL_TYPES, 0, null_mut(), &mut count);
            devices += count;
        }
        Ok(devices)
    }
}

/// # Safety
/// The library must be a Vulkan loader.
unsafe fn vulkan_devices(library: &Library) -> Result<u32> {
    /// `VkInstanceCreateInfo` with defaults only.
    #[repr(C)]
    struct InstanceCreateInfo {
        structure_type: i32,
        next: *const c_void,
        flags: u32,
        application_info: *const c_void,
        layer_count: u32,
        layer_names: *const c_void,
        extension_count: u32,
        extension_names: *const c_void,
    }
    const INSTANCE_CREATE_INFO: i32 = 1;
    type CreateInstance = unsafe extern "C" fn(*const InstanceCreateInfo, *const c_void, *mut Handle) -> i32;
    type EnumeratePhysicalDevices = unsafe extern "C" fn(Handle, *mut u32, *mut Handle) -> i32;

    // SAFETY: these are the functions' and the structure's types in Vulkan's headers. The instance is used only if it
    // was made, and the process ends before it would need to be destroyed.
    unsafe {
        let create_instance: Symbol<CreateInstance> = library.get(b"vkCreateInstance\0")?;
        let enumerate: Symbol<EnumeratePhysicalDevices> = library.get(b"vkEnumeratePhysicalDevices\0")?;
        let info = InstanceCreateInfo {
            structure_type: INSTANCE_CREATE_INFO,
            next: null(),
            flags: 0,
            application_info: null(),
            layer_count: 0,
            layer_names: null(),
            extension_count: 0,
            extension_names: null(),
        };
        let mut instance = null_mut();
        if create_instance(&info, null(), &mut instance) != 0 {
            return Ok(0);
        }
        let mut count = 0;
        enumerate(instance, &mut count, null_mut());
        Ok(count)
    }
}
