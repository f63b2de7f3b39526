//! The wgpu adapters of this machine, each with its interface.
//!
//! On Linux the interface is Vulkan; on Windows, Vulkan or DX12; on Apple's systems, Metal. A GPU that two interfaces
//! offer is listed twice.

use kogge_board::{BackendError, DeviceInfo, DeviceKind};
use wgpu::{
    Adapter, AdapterInfo, Backends, DeviceType, DownlevelFlags, Features, Instance, InstanceDescriptor, InstanceFlags,
    Limits, MemoryBudgetThresholds,
};

use crate::buffer::BUFFERS;
use crate::kernels::SCALARS;
use crate::options::Properties;
use crate::runtime::{FILLED, ready};

/// NVIDIA's PCI vendor number.
const NVIDIA: u32 = 0x10de;

/// An adapter: one device, through one interface.
#[derive(Clone, Debug)]
pub struct WgpuDevice {
    pub(crate) adapter: Adapter,
    /// The device's name, such as `NVIDIA H200`.
    pub name: String,
    /// The interface: `vulkan`, `metal` or `dx12`.
    pub interface: &'static str,
    /// The driver's name and version, in the driver's own form.
    pub driver: String,
    /// The kind of processor.
    pub kind: DeviceKind,
    /// The device's own memory in bytes, or the memory that it shares with the host; `None` if the interface does not
    /// report it.
    pub memory: Option<u64>,
    /// The largest buffer that a kernel can use, in bytes.
    pub max_binding: u64,
    /// Local memory of one work-group, in bytes.
    pub local_memory: usize,
    /// The maximum number of work-items in one work-group.
    pub max_work_group_size: usize,
    /// The maximum number of work-groups along one dimension of a launch.
    pub max_groups: usize,
    /// Whether kernels can use 64-bit integers. Otherwise a board consists of two halves.
    pub has_int64: bool,
    /// Whether kernels can sum over sub-groups.
    pub has_subgroups: bool,
    /// Whether the scalars of a launch can be immediates. Otherwise they are in a buffer.
    pub has_immediates: bool,
    unusable: Option<&'static str>,
}

/// The interfaces that list adapters. OpenGL is left out, because these interfaces offer its devices with better
/// support.
const INTERFACES: Backends = Backends::VULKAN.union(Backends::METAL).union(Backends::DX12);

/// Lists all adapters. [`Wgpu::open`](crate::Wgpu::open) takes an index in this list.
///
/// # Errors
/// If there is no adapter. The error explains what the user can do.
pub fn devices() -> Result<Vec<WgpuDevice>, BackendError> {
    let unavailable = |reason: &str| BackendError::Unavailable { backend: "wgpu", reason: reason.into() };
    let instance = Instance::new(InstanceDescriptor {
        backends: INTERFACES,
        flags: InstanceFlags::empty(),
        // If memory runs out, making a buffer must fail, because a later use cannot report the failure.
        memory_budget_thresholds: MemoryBudgetThresholds { for_resource_creation: Some(FILLED), for_device_loss: None },
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapters = ready(instance.enumerate_adapters(INTERFACES)).unwrap_or_default();
    let mut devices: Vec<(AdapterInfo, WgpuDevice)> = Vec::new();
    for adapter in adapters {
        let info = adapter.get_info();
        if !devices.iter().any(|(known, _)| is_same(known, &info)) {
            let device = WgpuDevice::new(adapter, &info);
            devices.push((info, device));
        }
    }
    if devices.is_empty() {
        return Err(unavailable(if cfg!(target_os = "linux") {
            "there is no Vulkan device. Install the Vulkan loader and your GPU's Vulkan driver (on Debian and Ubuntu, \
             libvulkan1 and for instance mesa-vulkan-drivers)."
        } else {
            "there is no device. Install or update your GPU's driver."
        }));
    }
    Ok(devices.into_iter().map(|(_, device)| device).collect())
}

/// Whether an adapter is listed twice, because its driver is registered twice. Adapters without a bus address cannot be
/// distinguished from others of the same model.
fn is_same(known: &AdapterInfo, info: &AdapterInfo) -> bool {
    known == info && !info.device_pci_bus_id.is_empty()
}

impl WgpuDevice {
    fn new(adapter: Adapter, info: &AdapterInfo) -> Self {
        let limits = adapter.limits();
        let driver = [info.driver.trim(), info.driver_info.trim()].join(" ");
        Self {
            name: info.name.trim().to_owned(),
            interface: info.backend.to_str(),
            driver: driver.trim().to_owned(),
            kind: match info.device_type {
                DeviceType::DiscreteGpu => DeviceKind::DiscreteGpu,
                DeviceType::IntegratedGpu => DeviceKind::IntegratedGpu,
                DeviceType::Cpu => DeviceKind::Software,
                DeviceType::VirtualGpu | DeviceType::Other => DeviceKind::Other,
            },
            memory: memory(&adapter),
            max_binding: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
            local_memory: limits.max_compute_workgroup_storage_size as usize,
            max_work_group_size: limits.max_compute_workgroup_size_x.min(limits.max_compute_invocations_per_workgroup)
                as usize,
            max_groups: limits.max_compute_workgroups_per_dimension as usize,
            has_int64: adapter.features().contains(Features::SHADER_INT64),
            has_subgroups: adapter.features().contains(Features::SUBGROUP),
            has_immediates: adapter.features().contains(Features::IMMEDIATES)
                && limits.max_immediate_size as usize >= SCALARS,
            unusable: unusable(&adapter, &limits),
            adapter,
        }
    }

    /// Describes the device in the form that all backends use. The variant is chosen when the device is opened.
    pub fn info(&self) -> DeviceInfo {
        let int64 = if self.has_int64 { "64-bit integers" } else { "no 64-bit integers" };
        DeviceInfo {
            backend: "wgpu",
            name: self.name.clone(),
            driver: format!("{}, {}", self.interface, self.driver),
            kind: self.kind,
            memory: self.memory,
            batch: if self.kind == DeviceKind::Software { 1 << 12 } else { 1 << 17 },
            variant: format!("{int64}, buffers of up to {} MiB, chosen when it is opened", self.max_binding >> 20),
            counts_diagrams: true,
        }
    }

    pub(crate) fn properties(&self) -> Properties {
        Properties {
            kind: self.kind,
            is_nvidia: self.adapter.get_info().vendor == NVIDIA,
            memory: self.memory,
            max_binding: self.max_binding,
            local_memory: self.local_memory,
            max_work_group_size: self.max_work_group_size,
            has_int64: self.has_int64,
            has_subgroups: self.has_subgroups,
            has_immediates: self.has_immediates,
        }
    }

    /// Returns the reason why the device cannot be used, or `None` if it can.
    pub fn unusable(&self) -> Option<&'static str> {
        self.unusable
    }
}

fn unusable(adapter: &Adapter, limits: &Limits) -> Option<&'static str> {
    if !adapter.get_downlevel_capabilities().flags.contains(DownlevelFlags::COMPUTE_SHADERS) {
        return Some("it has no compute shaders.");
    }
    if limits.max_storage_buffers_per_shader_stage < BUFFERS as u32 {
        return Some("its kernels can use too few buffers at once.");
    }
    None
}

/// Returns the device's memory: the largest heap that Vulkan reports as local to the device.
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn memory(adapter: &Adapter) -> Option<u64> {
    /// `VK_MEMORY_HEAP_DEVICE_LOCAL_BIT`
    const DEVICE_LOCAL: u32 = 1;
    // SAFETY: the adapter's handle is not destroyed here.
    let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }?;
    let instance = adapter.shared_instance().raw_instance();
    // SAFETY: the physical device belongs to this instance, which the adapter keeps alive.
    let properties = unsafe { instance.get_physical_device_memory_properties(adapter.raw_physical_device()) };
    let heaps = properties.memory_heaps.iter().take(properties.memory_heap_count as usize);
    heaps.filter(|heap| heap.flags.as_raw() & DEVICE_LOCAL != 0).map(|heap| heap.size).max()
}

/// Returns `None`: other interfaces do not report memory.
#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
fn memory(_: &Adapter) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use wgpu::Backend;

    use super::*;

    #[test]
    fn adapters_are_listed_once_for_each_interface() {
        let gpu = |backend, bus: &str| AdapterInfo {
            name: "GPU".into(),
            device_pci_bus_id: bus.into(),
            ..AdapterInfo::new(DeviceType::DiscreteGpu, backend)
        };
        let known = gpu(Backend::Vulkan, "0000:01:00.0");
        assert!(is_same(&known, &known));
        assert!(!is_same(&known, &gpu(Backend::Vulkan, "0000:02:00.0")), "two of the same make");
        assert!(!is_same(&known, &gpu(Backend::Dx12, "0000:01:00.0")), "by another interface");
        assert!(!is_same(&known, &AdapterInfo { driver: "other".into(), ..known.clone() }), "by another driver");
        let nowhere = gpu(Backend::Metal, "");
        assert!(!is_same(&nowhere, &nowhere));
    }
}
