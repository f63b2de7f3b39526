//! Memory for large buffers on Vulkan.
//!
//! wgpu puts buffers into blocks of memory, and a large buffer into a separate block, but does not tell the driver that no other
//! buffer will share this block. NVIDIA's driver then takes 24 ms to make a gigabyte and as long to free it. With
//! `VkMemoryDedicatedAllocateInfo` it takes 1 to 2 ms, and less than 0.3 ms for a buffer of up to 64 MiB (H200, driver 580.159).
//! So all but the smallest buffers are made here, and wgpu takes them over.

use ash::{ext::memory_budget, vk};
use kogge_gpu::Failure;
use wgpu::hal::{api, vulkan};
use wgpu::{BufferDescriptor, BufferUsages, Device};

/// The minimum number of bytes of a large buffer. There are far fewer large buffers than the 4,096 allocations that every driver
/// permits.
const LARGE: u64 = 4 << 20;

/// The usages of the buffers that are made here.
const USAGES: [(BufferUsages, vk::BufferUsageFlags); 3] = [
    (BufferUsages::STORAGE, vk::BufferUsageFlags::STORAGE_BUFFER),
    (BufferUsages::COPY_SRC, vk::BufferUsageFlags::TRANSFER_SRC),
    (BufferUsages::COPY_DST, vk::BufferUsageFlags::TRANSFER_DST),
];

/// Makes a buffer. Its bytes are not defined, so the caller clears it before any other use. At most `filled` percent of the
/// memory may be used. Returns `None` if the buffer is not large, if it has usages other than [`USAGES`], or if the device does
/// not report how much memory is left.
///
/// # Errors
/// [`Failure::OutOfMemory`] if too little is left; if the device fails.
pub(crate) fn large_buffer(
    device: &Device,
    descriptor: &BufferDescriptor<'_>,
    filled: u8,
) -> Option<Result<wgpu::Buffer, Failure>> {
    let known = USAGES.iter().filter(|(usage, _)| descriptor.usage.contains(*usage));
    let (usage, flags) = known
        .fold((BufferUsages::empty(), vk::BufferUsageFlags::empty()), |all, known| (all.0 | known.0, all.1 | known.1));
    if descriptor.size < LARGE || descriptor.usage != usage {
        return None;
    }
    // SAFETY: the device is not destroyed here.
    let raw = unsafe { device.as_hal::<api::Vulkan>() }?;
    if !raw.enabled_device_extensions().contains(&memory_budget::NAME) {
        return None;
    }
    // SAFETY: the buffer belongs to this device and is as described. The caller must clear it before any other use.
    let take_over = |buffer| unsafe { device.create_buffer_from_hal::<api::Vulkan>(buffer, descriptor) };
    Some(dedicated_buffer(&raw, descriptor.size, flags, filled).map(take_over).map_err(|error| match error {
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => Failure::OutOfMemory,
        vk::Result::ERROR_DEVICE_LOST => Failure::Lost("Vulkan says that the device is lost".into()),
        error => Failure::Other(format!("Vulkan says: {error}.")),
    }))
}

fn dedicated_buffer(
    device: &vulkan::Device,
    bytes: u64,
    usage: vk::BufferUsageFlags,
    filled: u8,
) -> Result<vulkan::Buffer, vk::Result> {
    let raw = device.raw_device();
    let info = vk::BufferCreateInfo::default().size(bytes).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
    // SAFETY: the device exists, and the description is complete.
    let buffer = unsafe { raw.create_buffer(&info, None) }?;
    // SAFETY: the buffer belongs to this device.
    let requirements = unsafe { raw.get_buffer_memory_requirements(buffer) };
    match memory_for(device, buffer, &requirements, filled) {
        // SAFETY: the memory is as large as the buffer requires, and nothing else uses it.
        Ok(memory) => Ok(unsafe { vulkan::Buffer::from_raw_managed(buffer, memory, 0, requirements.size) }),
        Err(error) => {
            // SAFETY: nothing uses the buffer.
            unsafe { raw.destroy_buffer(buffer, None) };
            Err(error)
        }
    }
}

/// Makes memory for a buffer, and binds the buffer to it.
fn memory_for(
    device: &vulkan::Device,
    buffer: vk::Buffer,
    requirements: &vk::MemoryRequirements,
    filled: u8,
) -> Result<vk::DeviceMemory, vk::Result> {
    let raw = device.raw_device();
    let memory_type = memory_type(device, requirements, filled).ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
    let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(requirements.size)
        .memory_type_index(memory_type)
        .push_next(&mut dedicated);
    // SAFETY: the buffer may use memory of this type and size, and has no memory yet.
    let memory = unsafe { raw.allocate_memory(&info, None) }?;
    // SAFETY: the memory was made for this buffer.
    let bound = unsafe { raw.bind_buffer_memory(buffer, memory, 0) };
    if bound.is_err() {
        // SAFETY: nothing uses the memory.
        unsafe { raw.free_memory(memory, None) };
    }
    bound.map(|()| memory)
}

/// Returns the first type of the device's own memory that suits the buffer, or `None` if too little of this memory is left.
fn memory_type(device: &vulkan::Device, requirements: &vk::MemoryRequirements, filled: u8) -> Option<u32> {
    let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
    let instance = device.shared_instance().raw_instance();
    // SAFETY: the device's extensions include memory budgets, which need Vulkan 1.1, so the instance has this function.
    unsafe { instance.get_physical_device_memory_properties2(device.raw_physical_device(), &mut properties) };
    let types = properties.memory_properties;
    let is_possible = |&(number, kind): &(usize, &vk::MemoryType)| {
        // Memory with additional properties is for special purposes.
        let usual = vk::MemoryPropertyFlags::DEVICE_LOCAL
            | vk::MemoryPropertyFlags::HOST_VISIBLE
            | vk::MemoryPropertyFlags::HOST_COHERENT
            | vk::MemoryPropertyFlags::HOST_CACHED;
        let flags = kind.property_flags;
        requirements.memory_type_bits >> number & 1 == 1
            && flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
            && usual.contains(flags)
    };
    let mut types = types.memory_types.iter().take(types.memory_type_count as usize).enumerate();
    let (number, kind) = types.find(is_possible)?;
    let heap = kind.heap_index as usize;
    let most = budget.heap_budget[heap] / 100 * u64::from(filled);
    (budget.heap_usage[heap].saturating_add(requirements.size) <= most).then_some(number as u32)
}

#[cfg(test)]
mod tests {
    use kogge_testkit::device_suite::first_device;
    use wgpu::Features;

    use super::*;
    use crate::adapters;
    use crate::runtime::Runtime;

    #[test]
    fn only_large_buffers_are_made_and_memory_runs_out() {
        let Some(found) = first_device::<adapters::WgpuDevice>() else { return };
        let device = Runtime::open(&found.adapter, Features::empty()).unwrap().device;
        let usual = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer = |size, usage| {
            let descriptor = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
            large_buffer(&device, &descriptor, 95)
        };
        assert!(buffer(LARGE - 4, usual).is_none());
        assert!(buffer(LARGE, BufferUsages::COPY_DST | BufferUsages::MAP_READ).is_none());
        let Some(made) = buffer(LARGE, usual) else { return };
        assert_eq!(made.map(|buffer| buffer.size()), Ok(LARGE));
        assert_eq!(buffer(1 << 50, usual).unwrap().err(), Some(Failure::OutOfMemory));
    }
}
