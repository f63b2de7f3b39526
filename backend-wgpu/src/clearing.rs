//! A kernel that sets the start of a buffer to zero.
//!
//! wgpu's own command for clearing ends the compute pass. The kernel needs immediates.

use std::num::NonZeroU64;

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModuleDescriptor,
    ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

use crate::runtime::Runtime;

/// The kernel. This immediate is the number of words.
const SOURCE: &str = "
var<immediate> words: u32;
@group(0) @binding(0) var<storage, read_write> cleared: array<u32>;

@compute @workgroup_size(256)
fn clear(@builtin(global_invocation_id) place: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var index = place.x; index < words; index += workgroups.x * 256u) {
        cleared[index] = 0u;
    }
}
";

/// The words that a work-group should clear, and the maximum number of work-groups.
const WORDS_EACH: u64 = 1024;
const MOST_GROUPS: u64 = 32_768;

/// The compiled kernel.
pub(crate) struct Clearing {
    pub(crate) pipeline: ComputePipeline,
    pub(crate) layout: BindGroupLayout,
}

impl Clearing {
    /// The maximum number of bytes.
    pub(crate) const MOST: u64 = 1 << 31;

    /// Compiles the kernel. The handlers of the device record failures.
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let device = &runtime.device;
        let descriptor = ShaderModuleDescriptor { label: Some("clear"), source: ShaderSource::Wgsl(SOURCE.into()) };
        let checks = ShaderRuntimeChecks { force_loop_bounding: false, ..ShaderRuntimeChecks::checked() };
        // SAFETY: the loop ends, because there is at least one work-group and there are at most 2^29 words, so the index grows
        // without overflow. Accesses are checked.
        let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
        let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: Some("clear"),
            entries: &[BindGroupLayoutEntry {
                binding: 0,
                visibility: ShaderStages::COMPUTE,
                ty: BindingType::Buffer {
                    ty: BufferBindingType::Storage { read_only: false },
                    has_dynamic_offset: false,
                    min_binding_size: NonZeroU64::new(4),
                },
                count: None,
            }],
        });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: Some("clear"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: size_of::<u32>() as u32,
        });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some("clear"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("clear"),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pipeline, layout }
    }

    pub(crate) const fn size(bytes: u64) -> (u32, u32) {
        let words = bytes / 4;
        let groups = words.div_ceil(WORDS_EACH);
        (words as u32, if groups < MOST_GROUPS { groups } else { MOST_GROUPS } as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fit_every_device() {
        assert_eq!(Clearing::size(4), (1, 1));
        assert_eq!(Clearing::size(4096), (1024, 1));
        assert_eq!(Clearing::size(4100), (1025, 2));
        assert_eq!(Clearing::size(Clearing::MOST), (1 << 29, 32_768));
    }
}
