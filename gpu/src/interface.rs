//! The operations that the host needs from a GPU interface such as OpenCL or wgpu.

use std::time::Duration;

use crate::kernels::{Kernel, Module};
use crate::settings::Mutation;

/// A GPU interface with an open device: buffers in device memory, and kernels that work on them.
///
/// Work is queued and done in call order. Only [`read`](Interface::read), [`read_all`](Interface::read_all) and
/// [`finish`](Interface::finish) wait for the device. Functions that may wait are futures, because a browser cannot block; on
/// other systems the futures are ready when they are returned.
pub trait Interface {
    /// A buffer in device memory.
    type Buffer;

    /// Makes a buffer of `bytes` bytes with undefined contents. Debuggers show its `name`.
    ///
    /// # Errors
    /// [`Failure::OutOfMemory`] if the device has no room for it.
    fn make(&mut self, name: &'static str, bytes: u64) -> impl Future<Output = Result<Self::Buffer, Failure>>;

    /// Notes that a buffer gets a new use, under this name. Its contents are undefined again. Only an interface that checks reads
    /// needs this information.
    fn reuse(&mut self, _buffer: &mut Self::Buffer, _name: &'static str) {}

    /// Writes bytes to the start of a buffer.
    ///
    /// # Errors
    /// If the device fails.
    fn write(&mut self, buffer: &Self::Buffer, bytes: &[u8]) -> Result<(), Failure>;

    /// Waits for all queued work and reads bytes of a buffer, beginning at `offset`.
    ///
    /// # Errors
    /// If the device fails.
    fn read(
        &mut self,
        buffer: &Self::Buffer,
        offset: u64,
        bytes: &mut [u8],
    ) -> impl Future<Output = Result<(), Failure>>;

    /// Waits for all queued work and reads bytes of several buffers, or several parts of one buffer.
    ///
    /// # Errors
    /// If the device fails.
    fn read_all(&mut self, readings: &mut [Reading<'_, Self::Buffer>]) -> impl Future<Output = Result<(), Failure>> {
        async move {
            for Reading { buffer, offset, bytes } in readings {
                self.read(buffer, *offset, bytes).await?;
            }
            Ok(())
        }
    }

    /// Sets the first `bytes` bytes of a buffer to zero. `bytes` must be a multiple of 4.
    ///
    /// # Errors
    /// If the device fails.
    fn clear(&mut self, buffer: &Self::Buffer, bytes: u64) -> Result<(), Failure>;

    /// Compiles the kernels of some modules. Modules that were compiled earlier remain usable.
    ///
    /// # Errors
    /// If the kernels cannot be compiled: a sentence, with the compiler's log if the compiler failed.
    fn compile(&mut self, modules: &[Module]) -> impl Future<Output = Result<Compilation, Failure>>;

    /// Frees the kernels of a module.
    fn forget(&mut self, module: Module);

    /// Puts an error into the kernels that are compiled from now on, in place of any earlier one. Only an interface that compiles sources
    /// needs this.
    fn mutate(&mut self, _mutation: Mutation) {}

    /// Launches a kernel.
    ///
    /// # Safety
    /// The buffers must hold all elements that the kernel reads and writes with these scalars.
    ///
    /// # Errors
    /// [`Failure::OutOfMemory`] if the kernel could not run because memory ran out, or any failure of the device.
    unsafe fn launch(&mut self, launch: &Launch<'_, Self::Buffer>) -> Result<(), Failure>;

    /// Waits for all queued work. If the interface measures kernels on the device, returns the running time of the
    /// kernel that was launched last.
    ///
    /// # Errors
    /// If the device fails.
    fn finish(&mut self) -> impl Future<Output = Result<Option<Duration>, Failure>>;
}

/// Bytes of a buffer that the host reads.
pub struct Reading<'a, B> {
    /// The buffer.
    pub buffer: &'a B,
    /// The offset of the bytes in the buffer.
    pub offset: u64,
    /// Where they go.
    pub bytes: &'a mut [u8],
}

/// A kernel with its arguments.
pub struct Launch<'a, B> {
    /// The kernel, whose [signature](Kernel::signature) names the arguments.
    pub kernel: Kernel,
    /// The number of work-groups. An interface may launch more work-groups; the kernels ignore surplus groups.
    pub groups: usize,
    /// The number of work-items in a work-group.
    pub group_size: usize,
    /// The buffers, in the order of the signature.
    pub buffers: &'a [&'a B],
    /// The scalars, in the order of the signature.
    pub scalars: &'a [u32],
}

/// The times of a compilation and the compiler's log.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Compilation {
    /// The compiler's log, often empty.
    pub log: String,
    /// The time for assembling and checking the source.
    pub source: Duration,
    /// The time for compiling all kernels.
    pub kernels: Duration,
    /// The time for compiling each kernel, by name, if the interface compiles kernels one by one.
    pub each: Vec<(&'static str, Duration)>,
}

/// The reason why a call of an [`Interface`] failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Device memory ran out; the device can still be used with smaller buffers.
    OutOfMemory,
    /// The device is lost for good. The text is the reason, without a full stop.
    Lost(String),
    /// Any other failure, described by a sentence.
    Other(String),
}

impl Failure {
    /// Describes the failure in a sentence.
    pub fn sentence(self) -> String {
        match self {
            Self::OutOfMemory => "its memory ran out.".to_owned(),
            Self::Lost(reason) => format!("the device was lost ({}).", reason.trim_end_matches('.')),
            Self::Other(reason) => reason,
        }
    }
}
