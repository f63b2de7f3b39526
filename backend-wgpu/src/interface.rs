//! wgpu as an interface of the GPU host.

use std::any::Any;
use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use kogge_gpu::interface::{Compilation, Launch, Reading};
use kogge_gpu::kernels::{Kernel as Name, Module, SIGNATURES, Scalar, Signature};
use kogge_gpu::{Failure, GpuSettings, Interface, Mutation, Parameter};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry,
    BindingType, BufferBinding, BufferBindingType, BufferUsages, ComputePipeline, ComputePipelineDescriptor, Features,
    PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModule, ShaderModuleDescriptor, ShaderRuntimeChecks,
    ShaderSource, ShaderStages,
};

use crate::adapters::WgpuDevice;
use crate::buffer::{Groups, WgpuBuffer};
use crate::clearing::Clearing;
use crate::kernels::{SCALARS, SCALARS_BINDING, binding_of, source, with_immediates};
use crate::recording::Recording;
use crate::runtime::Runtime;
use crate::timer::Timer;

/// The maximum number of launches that are recorded before they are submitted.
const LAUNCHES: usize = 64;

/// The minimum number of work-items of a launch that keeps the device busy while the host records the next one.
const LARGE: usize = 1 << 17;

/// A compiled kernel.
struct Kernel {
    pipeline: ComputePipeline,
    layout: BindGroupLayout,
}

/// The scalars of the recorded launches in a buffer, with one slot for each launch, on devices without immediates.
struct Slots {
    buffer: wgpu::Buffer,
    /// The bytes to write to the buffer before the launches are submitted.
    bytes: Vec<u8>,
    /// The size of a slot.
    size: usize,
}

/// An open device with its compiled kernels.
///
/// Launches are recorded. Recorded launches are submitted when the host reads or writes a buffer, or when there is enough work:
/// many launches, or one large launch while the device is idle, so that the device works while the host records and submits the
/// others.
pub struct WgpuInterface {
    runtime: Runtime,
    settings: GpuSettings,
    /// The kernels, in the table's order; `None` for kernels that are not compiled.
    kernels: [Option<Kernel>; SIGNATURES.len()],
    max_groups: usize,
    /// Clears buffers within a pass, on devices with immediates.
    clearing: Option<Clearing>,
    recording: Recording,
    /// The number of launches that are recorded but not yet submitted.
    launches: usize,
    /// Whether the device is idle, because the host has waited for it.
    is_idle: bool,
    /// The scalars of the recorded launches, unless they are immediates.
    slots: Option<Slots>,
    groups: Groups,
    /// Measures the last launch, if a profile is requested and the device has clocks.
    timer: Option<Timer>,
}

impl WgpuInterface {
    pub(crate) fn open(device: &WgpuDevice, settings: &GpuSettings) -> Result<Self, Failure> {
        let has_clock = settings.profile && device.adapter.features().contains(Features::TIMESTAMP_QUERY);
        let mut features = features(settings);
        features.set(Features::TIMESTAMP_QUERY, has_clock);
        let runtime = Runtime::open(&device.adapter, features)?;
        let timer = has_clock.then(|| Timer::new(&runtime));
        let slots = (!settings.uses(Parameter::Immediates)).then(|| Slots::new(&runtime));
        runtime.check()?;
        Ok(Self {
            runtime,
            settings: settings.clone(),
            kernels: [const { None }; SIGNATURES.len()],
            max_groups: device.max_groups,
            clearing: None,
            recording: Recording::default(),
            launches: 0,
            is_idle: true,
            slots,
            groups: Groups::default(),
            timer,
        })
    }

    /// Returns wgpu's device, for tests that lose it.
    pub fn device(&self) -> &wgpu::Device {
        &self.runtime.device
    }

    fn shader_module(&self, module: Module) -> Result<ShaderModule, Failure> {
        let source = source(&self.settings, module);
        let source = if self.slots.is_some() { source } else { with_immediates(&source) };
        let source = Mutation::apply(self.settings.mutation, source);
        let descriptor = ShaderModuleDescriptor { label: None, source: ShaderSource::Wgsl(source.into()) };
        let checks =
            ShaderRuntimeChecks { force_loop_bounding: false, int_div_checks: false, ..ShaderRuntimeChecks::checked() };
        // SAFETY: every loop ends: in each iteration it removes a square from a board, moves squares until they have left the
        // board, counts to a bound (in the search for a slot, the number of slots), or moves up towards the root of a tree. All
        // divisors are the size of a work-group or the phase of a full board. wgpu checks everything else.
        let module = unsafe { self.runtime.device.create_shader_module_trusted(descriptor, checks) };
        self.runtime.check()?;
        Ok(module)
    }

    fn compile_modules(&mut self, modules: &[Module]) -> Result<Compilation, Failure> {
        let start = Instant::now();
        let sources = modules.iter().map(|module| Ok((module, self.shader_module(*module)?)));
        let sources = sources.collect::<Result<Vec<_>, Failure>>()?;
        let assembled = start.elapsed();
        let start = Instant::now();
        let runtime = &self.runtime;
        // Compiling takes long, so each kernel has its own thread.
        let compiled = thread::scope(|scope| {
            let compile = |name: Name, source| {
                let slots = self.slots.as_ref();
                scope.spawn(move || {
                    let start = Instant::now();
                    let kernel = Kernel::new(runtime, source, name.signature(), slots.is_none());
                    (name, kernel, start.elapsed())
                })
            };
            let kernels_of = |module| Name::of(std::slice::from_ref(module));
            let kernels =
                sources.iter().flat_map(|(module, source)| kernels_of(module).map(move |name| (name, source)));
            let compiling: Vec<_> = kernels.map(|(name, source)| compile(name, source)).collect();
            let needs_clearing = self.clearing.is_none() && self.slots.is_none();
            let clearing = needs_clearing.then(|| scope.spawn(|| Clearing::new(runtime)));
            let compiled = compiling.into_iter().map(|kernel| kernel.join()).collect::<Result<Vec<_>, _>>()?;
            Ok((compiled, clearing.map(|clearing| clearing.join()).transpose()?))
        });
        runtime.check()?;
        let gave_up = |_: Box<dyn Any + Send>| Failure::Other("a compiler gave up.".into());
        let (compiled, clearing) = compiled.map_err(gave_up)?;
        self.clearing = clearing.or(self.clearing.take());
        let mut each = Vec::new();
        for (name, kernel, time) in compiled {
            self.kernels[name as usize] = Some(kernel);
            self.groups.forget(name);
            each.push((name.signature().name, time));
        }
        Ok(Compilation { source: assembled, kernels: start.elapsed(), each, ..Compilation::default() })
    }

    /// Waits for all recorded work and reads bytes of a buffer.
    fn read_raw(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        let most = self.runtime.staging.size() as usize;
        for (piece, start) in bytes.chunks_mut(most).zip((offset..).step_by(most)) {
            self.read_staged(&mut [(buffer, start, piece)])?;
        }
        Ok(())
    }

    /// Waits for all recorded work and reads parts of buffers, which must fit together in the staging buffer.
    fn read_staged(&mut self, parts: &mut [(&wgpu::Buffer, u64, &mut [u8])]) -> Result<(), Failure> {
        let staging = &self.runtime.staging;
        // The copies are submitted with the launches before them.
        let encoder = self.recording.encoder(&self.runtime.device);
        let mut at = 0;
        for (buffer, offset, bytes) in &*parts {
            let size = bytes.len() as u64;
            encoder.copy_buffer_to_buffer(buffer, *offset, staging, at, size);
            at += size;
        }
        self.submit()?;
        self.runtime.take_staged(parts.iter_mut().map(|(.., bytes)| &mut **bytes), at)?;
        self.is_idle = true;
        Ok(())
    }

    fn bind(&self, kernel: &Kernel, launch: &Launch<'_, WgpuBuffer>) -> Result<BindGroup, Failure> {
        let Signature { name, buffers, .. } = launch.kernel.signature();
        let slot = self.slots.as_ref().map(|slots| BindGroupEntry {
            binding: SCALARS_BINDING,
            resource: wgpu::BindingResource::Buffer(BufferBinding {
                buffer: &slots.buffer,
                offset: 0,
                size: NonZeroU64::new(SCALARS as u64),
            }),
        });
        let buffers = buffers.iter().zip(launch.buffers).map(|(&name, buffer)| BindGroupEntry {
            binding: binding_of(name),
            resource: buffer.raw.as_entire_binding(),
        });
        self.groups.of(Some(launch.kernel), launch.buffers, || {
            let group = self.runtime.device.create_bind_group(&BindGroupDescriptor {
                label: Some(name),
                layout: &kernel.layout,
                entries: &buffers.chain(slot).collect::<Vec<_>>(),
            });
            self.runtime.check()?;
            Ok(group)
        })
    }

    fn submit(&mut self) -> Result<(), Failure> {
        if let Some(recorded) = self.recording.finish() {
            // This write happens after all submitted launches, which may still need the slots.
            if let Some(Slots { buffer, bytes, .. }) = self.slots.as_mut().filter(|slots| !slots.bytes.is_empty()) {
                self.runtime.queue.write_buffer(buffer, 0, bytes);
                bytes.clear();
            }
            self.runtime.queue.submit([recorded]);
            (self.launches, self.is_idle) = (0, false);
        }
        self.runtime.check()
    }
}

impl Interface for WgpuInterface {
    type Buffer = WgpuBuffer;

    async fn make(&mut self, name: &'static str, bytes: u64) -> Result<WgpuBuffer, Failure> {
        let (buffer, needs_clearing) = self.runtime.buffer(name, bytes)?;
        if needs_clearing {
            self.recording.encoder(&self.runtime.device).clear_buffer(&buffer, 0, None);
        }
        Ok(self.groups.buffer(buffer))
    }

    fn write(&mut self, buffer: &WgpuBuffer, bytes: &[u8]) -> Result<(), Failure> {
        self.submit()?;
        buffer.is_zero.set(false);
        self.runtime.write(&buffer.raw, bytes)
    }

    async fn read(&mut self, buffer: &WgpuBuffer, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        self.read_raw(&buffer.raw, offset, bytes)
    }

    async fn read_all(&mut self, readings: &mut [Reading<'_, WgpuBuffer>]) -> Result<(), Failure> {
        let size: u64 = readings.iter().map(|reading| reading.bytes.len() as u64).sum();
        if size > self.runtime.staging.size() {
            let mut readings = readings.iter_mut();
            return readings.try_for_each(|reading| self.read_raw(&reading.buffer.raw, reading.offset, reading.bytes));
        }
        let parts = readings.iter_mut().map(|reading| (&reading.buffer.raw, reading.offset, &mut *reading.bytes));
        self.read_staged(&mut parts.collect::<Vec<_>>())
    }

    fn clear(&mut self, buffer: &WgpuBuffer, bytes: u64) -> Result<(), Failure> {
        // After a failure, the work that cleared the buffer may be lost.
        if buffer.is_zero.get() && !self.runtime.has_failed() {
            return Ok(());
        }
        let pass = self.recording.open_pass(self.timer.is_some()).filter(|_| bytes <= Clearing::MOST);
        let Some((pass, clearing)) = pass.zip(self.clearing.as_ref()) else {
            self.recording.encoder(&self.runtime.device).clear_buffer(&buffer.raw, 0, Some(bytes));
            return self.runtime.check();
        };
        let bound = self.groups.of(None, &[buffer], || {
            let entry = BindGroupEntry { binding: 0, resource: buffer.raw.as_entire_binding() };
            let group = self.runtime.device.create_bind_group(&BindGroupDescriptor {
                label: Some("clear"),
                layout: &clearing.layout,
                entries: &[entry],
            });
            self.runtime.check()?;
            Ok(group)
        })?;
        let (words, groups) = Clearing::size(bytes);
        pass.set_pipeline(&clearing.pipeline);
        pass.set_bind_group(0, &bound, &[]);
        pass.set_immediates(0, &words.to_ne_bytes());
        pass.dispatch_workgroups(groups, 1, 1);
        Ok(())
    }

    async fn compile(&mut self, modules: &[Module]) -> Result<Compilation, Failure> {
        self.compile_modules(modules)
    }

    fn mutate(&mut self, mutation: Mutation) {
        self.settings.mutation = Some(mutation);
    }

    fn forget(&mut self, module: Module) {
        for name in Name::of(&[module]) {
            self.kernels[name as usize] = None;
            self.groups.forget(name);
        }
    }

    /// Launches a kernel. The caller's promise is not needed, because wgpu checks every access of a kernel.
    unsafe fn launch(&mut self, launch: &Launch<'_, WgpuBuffer>) -> Result<(), Failure> {
        let Some(kernel) = &self.kernels[launch.kernel as usize] else {
            return Err(Failure::Other("it has not been compiled.".into()));
        };
        let bound = self.bind(kernel, launch)?;
        launch.buffers.iter().for_each(|buffer| buffer.is_zero.set(false));
        let Signature { scalars, .. } = launch.kernel.signature();
        let mut numbers = [0_u32; Scalar::ALL.len()];
        for (&name, &number) in scalars.iter().zip(launch.scalars) {
            numbers[name as usize] = number;
        }
        let pass = self.recording.pass(&self.runtime.device, self.timer.as_mut());
        pass.set_pipeline(&kernel.pipeline);
        match &mut self.slots {
            None => {
                pass.set_bind_group(0, &bound, &[]);
                pass.set_immediates(0, bytemuck::cast_slice(&numbers));
            }
            Some(slots) => pass.set_bind_group(0, &bound, &[slots.add(&numbers)]),
        }
        let (columns, rows) = rectangle(launch.groups, self.max_groups);
        pass.dispatch_workgroups(columns, rows, 1);
        self.launches += 1;
        let starts = self.is_idle && launch.groups * launch.group_size >= LARGE;
        if starts || launch.kernel == Name::CountReplies || self.launches == LAUNCHES {
            return self.submit();
        }
        Ok(())
    }

    async fn finish(&mut self) -> Result<Option<Duration>, Failure> {
        let Some(ticks) = self.timer.as_mut().and_then(Timer::take).cloned() else {
            self.submit()?;
            self.runtime.wait()?;
            self.is_idle = true;
            return Ok(None);
        };
        // Reading waits for all recorded work.
        let timer = &self.timer;
        let encoder = self.recording.encoder(&self.runtime.device);
        timer.iter().for_each(|timer| timer.resolve(encoder));
        let mut times = [0_u64; 2];
        self.read_raw(&ticks, 0, bytemuck::cast_slice_mut(&mut times))?;
        Ok(self.timer.as_ref().map(|timer| timer.between(times)))
    }
}

impl Slots {
    fn new(runtime: &Runtime) -> Self {
        let alignment = runtime.device.limits().min_uniform_buffer_offset_alignment as usize;
        let size = SCALARS.next_multiple_of(alignment);
        let buffer = runtime.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("scalars"),
            size: (LAUNCHES * size) as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, bytes: Vec::new(), size }
    }

    /// Adds the scalars of a launch, and returns their offset in the buffer.
    fn add(&mut self, scalars: &[u32]) -> u32 {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::cast_slice(scalars));
        self.bytes.resize(start + self.size, 0);
        start as u32
    }
}

impl Kernel {
    /// Compiles a kernel, whose scalars are either immediates or in a buffer. The handlers of the device record failures.
    fn new(runtime: &Runtime, module: &ShaderModule, signature: &Signature, immediates: bool) -> Self {
        let device = &runtime.device;
        let entry = |binding, ty, has_dynamic_offset, bytes| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: NonZeroU64::new(bytes) },
            count: None,
        };
        let uniform = || entry(SCALARS_BINDING, BufferBindingType::Uniform, true, SCALARS as u64);
        let buffers = signature.buffers.iter().map(|&name| {
            entry(binding_of(name), BufferBindingType::Storage { read_only: !name.is_written() }, false, 0)
        });
        let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: Some(signature.name),
            entries: &buffers.chain((!immediates).then(uniform)).collect::<Vec<_>>(),
        });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: Some(signature.name),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: if immediates { SCALARS as u32 } else { 0 },
        });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(signature.name),
            layout: Some(&pipeline_layout),
            module,
            entry_point: Some(signature.name),
            // Kernels clear local memory where they need it.
            compilation_options: PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..PipelineCompilationOptions::default()
            },
            cache: None,
        });
        Self { pipeline, layout }
    }
}

fn features(settings: &GpuSettings) -> Features {
    let mut features = Features::empty();
    features.set(Features::SHADER_INT64, settings.uses(Parameter::Word));
    features.set(Features::SUBGROUP, settings.uses(Parameter::Subgroups));
    features.set(Features::IMMEDIATES, settings.uses(Parameter::Immediates));
    features
}

/// Returns the columns and rows of a small rectangle with at least `groups` work-groups and sides of at most `most`.
/// Kernels ignore the few surplus groups.
fn rectangle(groups: usize, most: usize) -> (u32, u32) {
    let rows = groups.div_ceil(most);
    (groups.div_ceil(rows) as u32, rows as u32)
}

#[cfg(test)]
mod tests {
    use kogge_testkit::device_suite::first_device;

    use super::*;
    use crate::GpuOptions;
    use crate::runtime::ready;

    /// Launches a kernel of one work-item.
    fn note_appended(interface: &mut WgpuInterface, state: &WgpuBuffer) {
        let launch = Launch { kernel: Name::NoteAppended, groups: 1, group_size: 1, buffers: &[state], scalars: &[7] };
        // SAFETY: the kernel accesses four words.
        unsafe { interface.launch(&launch) }.unwrap();
    }

    /// Opens the first device and compiles the kernels that merge.
    fn open() -> Option<WgpuInterface> {
        let device = first_device::<WgpuDevice>()?;
        let settings = device.properties().settings(&GpuOptions::default()).unwrap();
        let mut interface = WgpuInterface::open(&device, &settings).unwrap();
        ready(interface.compile(&[Module::Merging])).unwrap().unwrap();
        Some(interface)
    }

    fn make(interface: &mut WgpuInterface, words: u64) -> WgpuBuffer {
        ready(interface.make("buffer", 4 * words)).unwrap().unwrap()
    }

    #[test]
    fn buffers_are_cleared_between_launches_and_without_them() {
        let Some(mut interface) = open() else { return };
        let [state, buffer] = [4, 5000].map(|words| make(&mut interface, words));
        for (cleared, in_pass) in [(1, true), (3, false), (1025, true), (4000, true), (5000, false)] {
            interface.write(&buffer, &[1; 4 * 5000]).unwrap();
            if in_pass {
                note_appended(&mut interface, &state);
            }
            interface.clear(&buffer, 4 * cleared as u64).unwrap();
            let mut bytes = vec![0; 4 * 5000];
            ready(interface.read(&buffer, 0, &mut bytes)).unwrap().unwrap();
            let expected = |index: usize| u8::from(index >= 4 * cleared);
            assert!(bytes.iter().enumerate().all(|(index, &byte)| byte == expected(index)), "{cleared} {in_pass}");
        }
    }

    #[test]
    fn large_buffers_are_zero_and_their_memory_is_used_again() {
        let Some(mut interface) = open() else { return };
        let words = 36 << 20;
        for _ in 0..3 {
            let buffer = make(&mut interface, words);
            interface.clear(&buffer, 4 * words).unwrap();
            for at in [0, words / 2, words - 1] {
                let mut bytes = [1; 4];
                ready(interface.read(&buffer, 4 * at, &mut bytes)).unwrap().unwrap();
                assert_eq!(bytes, [0; 4]);
            }
            interface.write(&buffer, &vec![0xff; 4 * words as usize]).unwrap();
            interface.clear(&buffer, 4).unwrap();
            let mut bytes = [1; 8];
            ready(interface.read(&buffer, 0, &mut bytes)).unwrap().unwrap();
            assert_eq!(bytes, [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        }
    }

    #[test]
    fn bytes_are_read_in_parts_and_in_pieces() {
        let Some(mut interface) = open() else { return };
        let words: Vec<u32> = (0..6 << 20).collect();
        let buffer = make(&mut interface, words.len() as u64);
        let second = make(&mut interface, words.len() as u64);
        let others: Vec<u32> = words.iter().map(|word| !word).collect();
        for (buffer, words) in [(&buffer, &words), (&second, &others)] {
            interface.write(buffer, bytemuck::cast_slice(words)).unwrap();
        }
        // The last two parts together are larger than the staging buffer.
        for (firsts, len) in [(vec![7], 5), (vec![5000, 0, 1_000_001], 16), (vec![3 << 20, 0], 3 << 20)] {
            let mut read = vec![0_u32; firsts.len() * len];
            // The words from 0 on are read from the second buffer.
            let readings = firsts.iter().zip(read.chunks_mut(len)).map(|(&first, read)| {
                let (buffer, bytes) = (if first == 0 { &second } else { &buffer }, bytemuck::cast_slice_mut(read));
                Reading { buffer, offset: 4 * first as u64, bytes }
            });
            ready(interface.read_all(&mut readings.collect::<Vec<_>>())).unwrap().unwrap();
            let expected = firsts.iter().flat_map(|&first| {
                let words = if first == 0 { &others } else { &words };
                &words[first..first + len]
            });
            assert!(read.iter().eq(expected), "{firsts:?} {len}");
        }
        let mut read = vec![0_u32; words.len() - 1];
        ready(interface.read(&buffer, 4, bytemuck::cast_slice_mut(&mut read))).unwrap().unwrap();
        assert!(read == words[1..]);
    }

    #[test]
    fn the_device_can_be_used_after_a_buffer_is_refused() {
        let Some(mut interface) = open() else { return };
        assert!(ready(interface.make("buffer", 1 << 50)).unwrap().is_err());
        ready(interface.finish()).unwrap().unwrap();
        let buffer = make(&mut interface, 4);
        let mut bytes = [1; 16];
        ready(interface.read(&buffer, 0, &mut bytes)).unwrap().unwrap();
        assert_eq!(bytes, [0; 16]);
    }

    #[test]
    fn the_groups_of_launches_are_kept_as_long_as_their_buffers() {
        let Some(mut interface) = open() else { return };
        let states = [4, 4].map(|words| make(&mut interface, words));
        for _ in 0..3 {
            states.iter().for_each(|state| note_appended(&mut interface, state));
        }
        assert_eq!(interface.groups.len(), 2);
        let [first, second] = states;
        // A launch may have written to its buffers, so they are cleared again if that is requested.
        assert!(!first.is_zero.get() && make(&mut interface, 4).is_zero.get());
        drop(first);
        assert_eq!(interface.groups.len(), 1);
        note_appended(&mut interface, &second);
        assert_eq!(interface.groups.len(), 1);
        interface.forget(Module::Merging);
        assert_eq!(interface.groups.len(), 0);
        ready(interface.finish()).unwrap().unwrap();
    }

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
