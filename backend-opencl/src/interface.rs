//! OpenCL as an interface of the GPU host.

use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use kogge_gpu::interface::{Compilation, Launch};
use kogge_gpu::kernels::{Kernel as Name, Module, SIGNATURES};
use kogge_gpu::{Failure, GpuSettings, Interface, Mutation, Parameter};
use ocl::ffi::CL_MEM_OBJECT_ALLOCATION_FAILURE;

use crate::kernels::{compiler_options, source};
use crate::platform::OpenClDevice;
use crate::runtime::{self, Event, Kernel, OpenClBuffer, Program, Queue};

/// The number of bytes from which on a kernel clears a buffer. NVIDIA's `clEnqueueFillBuffer` leaves parts of buffers
/// of 2^31 words or more unfilled, or loses the device.
const CLEARED_BY_KERNEL: u64 = 1 << 30;

/// An open OpenCL device with its compiled kernels.
pub struct OpenClInterface {
    queue: Queue,
    settings: GpuSettings,
    /// The kernels, in the table's order; `None` for kernels that are not compiled.
    kernels: [Option<Kernel>; SIGNATURES.len()],
    /// The kernel that clears large buffers. Only merging has such buffers.
    clear: Option<Kernel>,
    /// The event with the times of the last launch, if kernels are profiled.
    last: Option<Event>,
}

/// Converts a failure without special meaning.
fn other(failure: runtime::Failure) -> Failure {
    Failure::Other(failure.to_string())
}

fn for_memory(failure: runtime::Failure) -> Failure {
    if failure.is_out_of_memory() { Failure::OutOfMemory } else { other(failure) }
}

impl OpenClInterface {
    pub(crate) fn open(device: &OpenClDevice, settings: &GpuSettings) -> Result<Self, Failure> {
        Ok(Self {
            queue: Queue::new(device, settings.profile).map_err(other)?,
            settings: settings.clone(),
            kernels: [const { None }; SIGNATURES.len()],
            clear: None,
            last: None,
        })
    }

    /// Returns the kernels of a compiled program, in the table's order.
    fn kernels_of(&self, module: Module, program: &Program) -> Result<Vec<(Name, Kernel)>, Failure> {
        let kernel = |name: Name| {
            let (text, group_size) = (name.signature().name, self.settings.group_size_of(name));
            let kernel = program.kernel(text).map_err(other)?;
            let most = self.queue.max_work_group_size(&kernel).map_err(other)?;
            if most < group_size {
                let reason =
                    format!("the kernel {text} runs in work-groups of at most {most}, and not of {group_size}.");
                return Err(Failure::Other(reason));
            }
            Ok((name, kernel))
        };
        Name::of(&[module]).map(kernel).collect()
    }
}

impl Interface for OpenClInterface {
    type Buffer = OpenClBuffer;

    async fn make(&mut self, _: &'static str, bytes: u64) -> Result<OpenClBuffer, Failure> {
        self.queue.buffer(bytes).map_err(for_memory)
    }

    fn write(&mut self, buffer: &OpenClBuffer, bytes: &[u8]) -> Result<(), Failure> {
        self.queue.write(buffer, bytes).map_err(other)
    }

    async fn read(&mut self, buffer: &OpenClBuffer, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        self.queue.read(buffer, offset, bytes).map_err(other)
    }

    fn clear(&mut self, buffer: &OpenClBuffer, bytes: u64) -> Result<(), Failure> {
        let Some(kernel) = self.clear.as_mut().filter(|_| bytes >= CLEARED_BY_KERNEL) else {
            return self.queue.fill_zero(buffer, bytes).map_err(other);
        };
        let words = bytes / 4;
        let group_size = self.settings[Parameter::GroupSize];
        let end = u32::try_from(words).map_err(|_| Failure::Other(format!("{words} words are too many to clear.")))?;
        let groups = (words as usize).div_ceil(group_size);
        // SAFETY: the kernel has these parameters, and the host never clears more bytes than the buffer has.
        unsafe { self.queue.launch(kernel, groups, group_size, &[buffer], &[end]) }.map_err(other)?;
        Ok(())
    }

    async fn compile(&mut self, modules: &[Module]) -> Result<Compilation, Failure> {
        let start = Instant::now();
        // Compiling takes long, so each module has its own thread.
        let built = thread::scope(|scope| {
            let build = |&module: &Module| {
                let (queue, settings) = (self.queue.clone(), &self.settings);
                let built = move || Ok((module, queue.build(&source(settings, module)?, &compiler_options(settings))));
                scope.spawn(built)
            };
            let building: Vec<_> = modules.iter().map(build).collect();
            let built =
                |module: ScopedJoinHandle<'_, _>| module.join().unwrap_or(Err("a compiler gave up.".to_owned()));
            building.into_iter().map(built).collect::<Result<Vec<_>, _>>()
        });
        let mut logs = String::new();
        for (module, (program, log)) in built.map_err(Failure::Other)? {
            let program = program.map_err(|failure| {
                Failure::Other(format!("the kernels cannot be compiled. {failure} The compiler says:\n{log}"))
            })?;
            logs += &log;
            for (name, kernel) in self.kernels_of(module, &program)? {
                self.kernels[name as usize] = Some(kernel);
            }
            if module == Module::Merging {
                self.clear = Some(program.kernel("clear").map_err(other)?);
            }
        }
        Ok(Compilation { log: logs, kernels: start.elapsed(), ..Compilation::default() })
    }

    fn mutate(&mut self, mutation: Mutation) {
        self.settings.mutation = Some(mutation);
    }

    fn forget(&mut self, module: Module) {
        for name in Name::of(&[module]) {
            self.kernels[name as usize] = None;
        }
    }

    unsafe fn launch(&mut self, launch: &Launch<'_, OpenClBuffer>) -> Result<(), Failure> {
        let &Launch { kernel, groups, group_size, buffers, scalars } = launch;
        let Some(kernel) = &mut self.kernels[kernel as usize] else {
            return Err(Failure::Other("it has not been compiled.".to_owned()));
        };
        // SAFETY: buffers and scalars match the signature, and a test compares the signatures with the source. The
        // caller promises that the buffers are large enough.
        let event = unsafe { self.queue.launch(kernel, groups, group_size, buffers, scalars) };
        self.last = event.map_err(|failure| match failure.code {
            // The kernel was not run.
            CL_MEM_OBJECT_ALLOCATION_FAILURE => Failure::OutOfMemory,
            _ => other(failure),
        })?;
        Ok(())
    }

    async fn finish(&mut self) -> Result<Option<Duration>, Failure> {
        self.queue.finish().map_err(other)?;
        let time = self.last.take().map(|event| event.nanoseconds()).transpose().map_err(other)?;
        Ok(time.map(Duration::from_nanos))
    }
}
