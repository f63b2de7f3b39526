//! Running kernels on a device, with errors that name it.

use std::num::NonZeroU64;
use std::thread;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use kogge_board::BackendError;
use kogge_board::breadth_first::StageError;
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBinding, BufferBindingType, BufferUsages, CommandEncoder, ComputePassDescriptor, ComputePipeline,
    ComputePipelineDescriptor, PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModule,
    ShaderModuleDescriptor, ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

use crate::kernels::{Module, SCALARS, SIGNATURES, STAGES, Signature, Stage, source};
use crate::options::Choice;
use crate::profile::{Opening, Profile};
use crate::runtime::{Buffer, Failure, Gpu};

/// The numbers that kernels get besides buffers.
#[derive(Clone, Copy, Default, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Scalars {
    /// The elements that are worked on: from the first one to before the end.
    pub(crate) first: u32,
    pub(crate) end: u32,
    /// The four castling files in four bytes.
    pub(crate) castling_files: u32,
    /// Whether the halfmove clock is kept.
    pub(crate) halfmove_clock: u32,
    /// What is merged: a partition, and the bits of the hash that are used.
    pub(crate) partition_index: u32,
    pub(crate) partition_of: u32,
    pub(crate) hash_mask: u32,
    /// How many entries there is room for; in quiescence, moves.
    pub(crate) room: u32,
    /// How many plies deep leaves are.
    pub(crate) depth: u32,
    /// How many work-items do quiescence searches, and how many positions each of them looks at.
    pub(crate) lanes: u32,
    pub(crate) steps: u32,
}

/// A compiled kernel.
struct Kernel {
    pipeline: ComputePipeline,
    layout: BindGroupLayout,
}

/// A device and the kernels compiled for it.
///
/// Launches are recorded, and submitted when an answer is wanted, when memory is written that they use, or when there is
/// enough to do.
pub(crate) struct Runner {
    /// The device's name.
    pub(crate) device: String,
    pub(crate) gpu: Gpu,
    pub(crate) profile: Option<Profile>,
    /// In the order of the stages; those of modules that are not compiled are missing.
    kernels: [Option<Kernel>; STAGES.len()],
    max_groups: usize,
    /// What was recorded but not submitted.
    recorded: Option<CommandEncoder>,
    /// The numbers for what was recorded: a slot for each launch.
    scalars: wgpu::Buffer,
    slots: Vec<u8>,
    slot_size: usize,
}

/// Launches that are recorded at most before they are submitted.
const SLOTS: usize = 64;

impl Runner {
    /// A device for which nothing is compiled yet.
    pub(crate) fn new(device: String, gpu: Gpu, max_groups: usize, profiled: bool) -> Result<Self, Failure> {
        let alignment = gpu.device.limits().min_uniform_buffer_offset_alignment as usize;
        let slot_size = size_of::<Scalars>().next_multiple_of(alignment);
        let scalars = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("scalars"),
            size: (SLOTS * slot_size) as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.check()?;
        let profile = profiled.then(Profile::new);
        let (recorded, slots) = (None, Vec::new());
        let kernels = [const { None }; STAGES.len()];
        Ok(Self { device, gpu, profile, kernels, max_groups, recorded, scalars, slots, slot_size })
    }

    /// Whether a module is compiled.
    pub(crate) fn has(&self, module: Module) -> bool {
        STAGES.into_iter().all(|stage| stage.module() != module || self.kernels[stage as usize].is_some())
    }

    /// Forgets a module.
    pub(crate) fn forget(&mut self, module: Module) {
        for stage in STAGES.into_iter().filter(|stage| stage.module() == module) {
            self.kernels[stage as usize] = None;
        }
    }

    /// Compiles the kernels of a module, and says how long that took.
    pub(crate) fn compile(&mut self, choice: &Choice, module: Module) -> Result<Opening, Failure> {
        let gpu = &self.gpu;
        let mut opening = Opening::default();
        let start = Instant::now();
        let source = ShaderSource::Wgsl(source(choice, module).into());
        let descriptor = ShaderModuleDescriptor { label: None, source };
        let checks =
            ShaderRuntimeChecks { force_loop_bounding: false, int_div_checks: false, ..ShaderRuntimeChecks::checked() };
        // SAFETY: no loop is endless: each takes a square from a board in every turn, moves all its squares on until
        // they have left the board, counts up or down to a bound, goes round a table that has a free place, or goes
        // back to the root of a tree. All divisors are the
        // work-group's size or the pieces of a full board. Everything else is checked.
        let source = unsafe { gpu.device.create_shader_module_trusted(descriptor, checks) };
        gpu.check()?;
        opening.source = start.elapsed();
        let start = Instant::now();
        // Compilers take their time, and their kernels do not depend on each other.
        let stages: Vec<_> = STAGES.into_iter().filter(|stage| stage.module() == module).collect();
        let kernels = thread::scope(|scope| {
            let compile = |&stage: &Stage| {
                let source = &source;
                scope.spawn(move || {
                    let (start, signature) = (Instant::now(), SIGNATURES[stage as usize]);
                    let kernel = Kernel::new(gpu, source, &signature);
                    (stage, kernel, (signature.name, start.elapsed()))
                })
            };
            let compiling: Vec<_> = stages.iter().map(compile).collect();
            compiling.into_iter().map(|kernel| kernel.join()).collect::<Result<Vec<_>, _>>()
        });
        gpu.check()?;
        for (stage, kernel, time) in kernels.map_err(|_| Failure::Other("a compiler gave up.".into()))? {
            self.kernels[stage as usize] = Some(kernel);
            opening.compilations.push(time);
        }
        opening.kernels = start.elapsed();
        Ok(opening)
    }

    /// An error that names the device and what it was doing.
    pub(crate) fn failed(&self, doing: &str, failure: Failure) -> StageError {
        match failure {
            Failure::OutOfMemory => StageError::OutOfMemory,
            failure => self.error(doing, failure).into(),
        }
    }

    /// The same where nothing can be done about it.
    pub(crate) fn error(&self, doing: &str, failure: Failure) -> BackendError {
        let (device, doing) = (self.device.clone(), doing.to_owned());
        let reason = match failure {
            Failure::OutOfMemory => return BackendError::OutOfMemory { device, doing },
            Failure::Lost(reason) => format!("the device was lost ({}).", reason.trim_end_matches('.')),
            Failure::Other(reason) => reason,
        };
        BackendError::Device { device, doing, reason }
    }

    /// Records a kernel for so many items, of which a work-group takes a certain number. No items, no kernel.
    pub(crate) fn launch(
        &mut self,
        stage: Stage,
        items: usize,
        per_group: usize,
        scalars: Scalars,
        buffers: &[&wgpu::Buffer],
    ) -> Result<(), StageError> {
        if items == 0 {
            return Ok(());
        }
        let Signature { name, parameters } = SIGNATURES[stage as usize];
        debug_assert!(parameters.len() == buffers.len(), "the kernel {name} has {} buffers", parameters.len());
        let slot = BindGroupEntry {
            binding: SCALARS,
            resource: wgpu::BindingResource::Buffer(BufferBinding {
                buffer: &self.scalars,
                offset: 0,
                size: NonZeroU64::new(size_of::<Scalars>() as u64),
            }),
        };
        let buffers = parameters.iter().zip(buffers).map(|(parameter, buffer)| BindGroupEntry {
            binding: parameter.binding,
            resource: buffer.as_entire_binding(),
        });
        let Some(Kernel { pipeline, layout }) = &self.kernels[stage as usize] else {
            let failure = Failure::Other("it has not been compiled.".into());
            return Err(self.failed(&format!("to run the kernel {name}"), failure));
        };
        let bound = self.gpu.device.create_bind_group(&BindGroupDescriptor {
            label: Some(name),
            layout,
            entries: &buffers.chain([slot]).collect::<Vec<_>>(),
        });
        let recorded = self.recorded.get_or_insert_with(|| self.gpu.device.create_command_encoder(&Default::default()));
        let mut pass =
            recorded.begin_compute_pass(&ComputePassDescriptor { label: Some(name), timestamp_writes: None });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &bound, &[self.slots.len() as u32]);
        let (columns, rows) = rectangle(items.div_ceil(per_group), self.max_groups);
        pass.dispatch_workgroups(columns, rows, 1);
        drop(pass);
        let end = self.slots.len() + self.slot_size;
        self.slots.extend_from_slice(bytemuck::bytes_of(&scalars));
        self.slots.resize(end, 0);
        let submitted = if self.profile.is_some() {
            self.time(stage, items)
        } else if stage == Stage::CountMoves || self.slots.len() == SLOTS * self.slot_size {
            self.submit()
        } else {
            Ok(())
        };
        submitted.map_err(|failure| self.failed(&format!("to run the kernel {name}"), failure))
    }

    /// Submits the launch that was recorded and measures how long it takes.
    fn time(&mut self, stage: Stage, items: usize) -> Result<(), Failure> {
        self.gpu.wait()?;
        let start = Instant::now();
        self.submit()?;
        self.gpu.wait()?;
        if let Some(profile) = &mut self.profile {
            profile.add(stage, items, start.elapsed());
        }
        Ok(())
    }

    /// Submits what was recorded.
    fn submit(&mut self) -> Result<(), Failure> {
        if let Some(recorded) = self.recorded.take() {
            // This comes after what was submitted before, which may still need the slots.
            self.gpu.queue.write_buffer(&self.scalars, 0, &self.slots);
            self.slots.clear();
            self.gpu.queue.submit([recorded.finish()]);
        }
        self.gpu.check()
    }

    /// Waits for all that was recorded, and reads the first `len` elements.
    pub(crate) fn read<T: Pod>(&mut self, what: &str, buffer: &Buffer<T>, len: usize) -> Result<Vec<T>, StageError> {
        self.read_from(what, buffer, 0, len)
    }

    /// The same from element number `first` on.
    pub(crate) fn read_from<T: Pod>(
        &mut self,
        what: &str,
        buffer: &Buffer<T>,
        first: usize,
        len: usize,
    ) -> Result<Vec<T>, StageError> {
        let read = self.submit().and_then(|()| self.gpu.read(buffer, first, len));
        read.map_err(|failure| self.failed(&format!("to give back {what}"), failure))
    }

    /// Writes the first elements, in turn.
    pub(crate) fn write<T: Pod>(&mut self, what: &str, buffer: &Buffer<T>, data: &[T]) -> Result<(), StageError> {
        let written = self.submit().and_then(|()| self.gpu.write(buffer, data));
        written.map_err(|failure| self.failed(&format!("to take {what}"), failure))
    }

    /// Sets the first `len` elements to zero, in turn.
    pub(crate) fn clear<T: Pod>(&mut self, buffer: &Buffer<T>, len: usize) {
        let recorded = self.recorded.get_or_insert_with(|| self.gpu.device.create_command_encoder(&Default::default()));
        recorded.clear_buffer(&buffer.raw, 0, Some((len * size_of::<T>()) as u64));
    }
}

impl Kernel {
    /// Compiles a kernel. What goes wrong is noted by the device.
    fn new(gpu: &Gpu, module: &ShaderModule, signature: &Signature) -> Self {
        let scalars = BindGroupLayoutEntry {
            binding: SCALARS,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: BufferBindingType::Uniform,
                has_dynamic_offset: true,
                min_binding_size: NonZeroU64::new(size_of::<Scalars>() as u64),
            },
            count: None,
        };
        let buffers = signature.parameters.iter().map(|parameter| BindGroupLayoutEntry {
            binding: parameter.binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: BufferBindingType::Storage { read_only: !parameter.writes },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        });
        let layout = gpu.device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: Some(signature.name),
            entries: &buffers.chain([scalars]).collect::<Vec<_>>(),
        });
        let pipeline_layout = gpu.device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: Some(signature.name),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(signature.name),
            layout: Some(&pipeline_layout),
            module,
            entry_point: Some(signature.name),
            // Kernels do that themselves where they need it.
            compilation_options: PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..PipelineCompilationOptions::default()
            },
            cache: None,
        });
        Self { pipeline, layout }
    }
}

/// The smallest rectangle of work-groups, with sides of at most `most`, that has so many. Kernels know that a few of
/// them have nothing to do.
fn rectangle(groups: usize, most: usize) -> (u32, u32) {
    let rows = groups.div_ceil(most);
    (groups.div_ceil(rows) as u32, rows as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_large_enough_and_hardly_larger() {
        for groups in [1, 2, 65_535, 65_536, 131_070, 131_071, 524_288, 1 << 23] {
            let (columns, rows) = rectangle(groups, 65_535);
            assert!(columns <= 65_535 && rows <= 65_535, "{groups}: {columns} x {rows}");
            let all = columns as usize * rows as usize;
            assert!((groups..groups + rows as usize).contains(&all), "{groups}: {columns} x {rows}");
        }
    }
}
