//! The few OpenCL calls that kogge makes, as safe as they can be.
//!
//! They are made through the plain C functions: `ocl`'s own wrappers panic on an error code that they do not know, and
//! a device that has just failed is where vendors' own codes turn up.

use std::{
    ffi::{CString, c_char, c_void},
    fmt, ptr,
    sync::Arc,
};

use bytemuck::{Pod, Zeroable};
use kogge_board::Quad48;
use ocl::ffi::{self, cl_int};

use crate::platform::Device;

/// An OpenCL function that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) function: &'static str,
    pub(crate) code: cl_int,
}

impl Failure {
    /// Whether less of it might have worked.
    pub(crate) const fn is_out_of_memory(self) -> bool {
        matches!(
            self.code,
            ffi::CL_MEM_OBJECT_ALLOCATION_FAILURE
                | ffi::CL_OUT_OF_RESOURCES
                | ffi::CL_OUT_OF_HOST_MEMORY
                | ffi::CL_INVALID_BUFFER_SIZE
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.code {
            ffi::CL_DEVICE_NOT_AVAILABLE => " (device not available)",
            ffi::CL_MEM_OBJECT_ALLOCATION_FAILURE => " (memory object allocation failure)",
            ffi::CL_OUT_OF_RESOURCES => " (out of resources, which is also what some drivers say of a crashed kernel)",
            ffi::CL_OUT_OF_HOST_MEMORY => " (out of host memory)",
            ffi::CL_BUILD_PROGRAM_FAILURE => " (build failure)",
            ffi::CL_INVALID_WORK_GROUP_SIZE => " (invalid work-group size)",
            ffi::CL_INVALID_BUFFER_SIZE => " (invalid buffer size)",
            ffi::CL_INVALID_COMMAND_QUEUE => " (invalid command queue: the device was lost)",
            _ => "",
        };
        write!(f, "OpenCL's {} failed with error {}{name}.", self.function, self.code)
    }
}

fn check(function: &'static str, code: cl_int) -> Result<(), Failure> {
    if code == ffi::CL_SUCCESS { Ok(()) } else { Err(Failure { function, code }) }
}

/// An OpenCL object, released when the last reference to it is dropped.
struct Object {
    handle: *mut c_void,
    release: unsafe extern "system" fn(*mut c_void) -> cl_int,
}

// SAFETY: OpenCL's objects may be used and released from any thread.
unsafe impl Send for Object {}
// SAFETY: its functions may be called for one object from several threads at a time, except for the setting of a
// kernel's arguments, for which `Kernel` needs an exclusive reference.
unsafe impl Sync for Object {}

impl Object {
    /// Takes what a function that creates an object returned.
    fn new(
        function: &'static str,
        handle: *mut c_void,
        code: cl_int,
        release: unsafe extern "system" fn(*mut c_void) -> cl_int,
    ) -> Result<Self, Failure> {
        check(function, code)?;
        if handle.is_null() {
            Err(Failure { function, code: ffi::CL_INVALID_VALUE })
        } else {
            Ok(Self { handle, release })
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the handle is of the kind that the function releases, and was not released before. A failure would
        // leave nothing to be done.
        unsafe { (self.release)(self.handle) };
    }
}

/// A device, the context in which its objects live, and the queue in which it is given work, in order.
#[derive(Clone)]
pub(crate) struct Queue {
    device: *mut c_void,
    context: Arc<Object>,
    queue: Arc<Object>,
    profiled: bool,
}

// SAFETY: the device's handle is only a number, valid as long as the process; the rest is `Send` by itself.
unsafe impl Send for Queue {}

/// When a kernel ran, by the device's clock.
pub(crate) struct Event(Object);

/// Device memory for a number of elements.
pub(crate) struct Buffer<T> {
    memory: Object,
    len: usize,
    element: std::marker::PhantomData<T>,
}

/// A compiled program.
pub(crate) struct Program(Object);

/// A kernel of a program.
pub(crate) struct Kernel(Object);

/// A value for a kernel's parameter.
#[derive(Clone, Copy)]
pub(crate) enum Argument<'a> {
    /// A buffer.
    Buffer(&'a dyn AnyBuffer),
    /// A number.
    Uint(u32),
}

/// A part of a position as the device keeps it: a position is two or three of them.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Packed([u64; 2]);

impl Packed {
    /// Its two words.
    pub(crate) const fn words(self) -> [u64; 2] {
        self.0
    }
}

/// A position whose moves are looked at, as the kernels keep it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Node([u64; 8]);

/// What a buffer can hold.
pub(crate) trait Element: Pod {
    /// How the kernels see it: a C type, of which an element is one or several.
    const NAME: &'static str;
}

impl Element for u32 {
    const NAME: &'static str = "uint";
}

impl Element for [u32; 4] {
    const NAME: &'static str = "uint";
}

impl Element for [u64; 4] {
    const NAME: &'static str = "ulong";
}

impl Element for [u32; 2] {
    const NAME: &'static str = "uint";
}

impl Element for u64 {
    const NAME: &'static str = "ulong";
}

impl Element for [u64; 2] {
    const NAME: &'static str = "ulong2";
}

impl Element for Quad48 {
    const NAME: &'static str = "ulong2";
}

impl Element for Packed {
    const NAME: &'static str = "Packed";
}

impl Element for Node {
    const NAME: &'static str = "Node";
}

impl<T> Buffer<T> {
    /// How many elements it has room for.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }
}

/// A buffer of any type.
pub(crate) trait AnyBuffer {
    fn handle(&self) -> *mut c_void;
    fn element(&self) -> &'static str;
}

impl<T: Element> AnyBuffer for Buffer<T> {
    fn handle(&self) -> *mut c_void {
        self.memory.handle
    }

    fn element(&self) -> &'static str {
        T::NAME
    }
}

impl Queue {
    /// Opens a device.
    pub(crate) fn new(device: &Device, profiled: bool) -> Result<Self, Failure> {
        let (platform, device) = (device.platform.as_ptr(), device.id.as_raw());
        let properties = [ffi::CL_CONTEXT_PLATFORM as isize, platform as isize, 0];
        let mut code = 0;
        // SAFETY: the properties end with a zero, there is one device, and no callback.
        let context =
            unsafe { ffi::clCreateContext(properties.as_ptr(), 1, &device, None, ptr::null_mut(), &mut code) };
        let context = Object::new("clCreateContext", context, code, ffi::clReleaseContext)?;
        let properties = if profiled { ffi::CL_QUEUE_PROFILING_ENABLE } else { 0 };
        // SAFETY: context and device belong together.
        let queue = unsafe { ffi::clCreateCommandQueue(context.handle, device, properties, &mut code) };
        let queue = Object::new("clCreateCommandQueue", queue, code, ffi::clReleaseCommandQueue)?;
        Ok(Self { device, context: Arc::new(context), queue: Arc::new(queue), profiled })
    }

    /// Compiles a program; the second value is the compiler's log, whether it failed or not.
    pub(crate) fn build(&self, source: &str, options: &str) -> (Result<Program, Failure>, String) {
        let pointer = source.as_ptr().cast::<c_char>();
        let length = source.len();
        let mut code = 0;
        // SAFETY: one text with its length.
        let program = unsafe { ffi::clCreateProgramWithSource(self.context.handle, 1, &pointer, &length, &mut code) };
        let program = match Object::new("clCreateProgramWithSource", program, code, ffi::clReleaseProgram) {
            Ok(program) => program,
            Err(failure) => return (Err(failure), String::new()),
        };
        let options = CString::new(options).unwrap_or_default();
        // SAFETY: one device of the program's context, options that end with a zero, and no callback.
        let code =
            unsafe { ffi::clBuildProgram(program.handle, 1, &self.device, options.as_ptr(), None, ptr::null_mut()) };
        let log = query("clGetProgramBuildInfo", |size, value, actual| {
            // SAFETY: `query` passes null or room for `size` bytes.
            unsafe {
                ffi::clGetProgramBuildInfo(program.handle, self.device, ffi::CL_PROGRAM_BUILD_LOG, size, value, actual)
            }
        });
        let log = log.map(|log| String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_owned());
        (check("clBuildProgram", code).map(|()| Program(program)), log.unwrap_or_default())
    }

    /// Device memory for `len` elements, filled with zeros.
    pub(crate) fn buffer<T: Element>(&self, len: usize) -> Result<Buffer<T>, Failure> {
        self.filled_buffer(len, len)
    }

    /// Device memory for `len` elements, of which all but the first may be anything. What may be larger than some gibibytes
    /// must not be filled: of 2^31 words or more, NVIDIA's driver fills not all, or loses the device.
    pub(crate) fn large_buffer<T: Element>(&self, len: usize) -> Result<Buffer<T>, Failure> {
        self.filled_buffer(len, 1)
    }

    /// Device memory, the first elements filled with zeros. Drivers put off taking memory until it is used; filling some
    /// of it shows at once whether there is enough.
    fn filled_buffer<T: Element>(&self, len: usize, zeros: usize) -> Result<Buffer<T>, Failure> {
        let mut code = 0;
        let size = len.max(1) * size_of::<T>();
        // SAFETY: no memory of the host's is involved.
        let memory = unsafe {
            ffi::clCreateBuffer(self.context.handle, ffi::CL_MEM_READ_WRITE, size, ptr::null_mut(), &mut code)
        };
        let memory = Object::new("clCreateBuffer", memory, code, ffi::clReleaseMemObject)?;
        let buffer = Buffer { memory, len: len.max(1), element: std::marker::PhantomData };
        self.clear(&buffer, zeros.max(1))?;
        self.finish()?;
        Ok(buffer)
    }

    /// Sets the first `len` elements to zero, in turn.
    pub(crate) fn clear<T: Element>(&self, buffer: &Buffer<T>, len: usize) -> Result<(), Failure> {
        let pattern = 0_u32;
        let size = len.min(buffer.len) * size_of::<T>();
        assert!(size.is_multiple_of(size_of_val(&pattern)), "elements are whole words");
        // SAFETY: the pattern is copied by the call, and the size is no more than the buffer's.
        let code = unsafe {
            ffi::clEnqueueFillBuffer(
                self.queue.handle,
                buffer.memory.handle,
                ptr::from_ref(&pattern).cast(),
                size_of_val(&pattern),
                0,
                size,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueFillBuffer", code)
    }

    /// Writes the first elements, and waits until that is done.
    pub(crate) fn write<T: Element>(&self, buffer: &Buffer<T>, data: &[T]) -> Result<(), Failure> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        assert!(data.len() <= buffer.len, "{} elements into a buffer of {}", data.len(), buffer.len);
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the buffer has as many bytes, and the call returns when they have been read.
        let code = unsafe {
            ffi::clEnqueueWriteBuffer(
                self.queue.handle,
                buffer.memory.handle,
                ffi::CL_TRUE,
                0,
                bytes.len(),
                bytes.as_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueWriteBuffer", code)
    }

    /// Waits for all that was queued, and reads `len` elements from number `first` on.
    pub(crate) fn read<T: Element>(&self, buffer: &Buffer<T>, first: usize, len: usize) -> Result<Vec<T>, Failure> {
        assert!(first + len <= buffer.len, "{first} and {len} elements from a buffer of {}", buffer.len);
        let mut data = vec![T::zeroed(); len];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut data);
        if !bytes.is_empty() {
            // SAFETY: the buffer has as many bytes, and the call returns when they have been written; every pattern of
            // bits is an element.
            let code = unsafe {
                ffi::clEnqueueReadBuffer(
                    self.queue.handle,
                    buffer.memory.handle,
                    ffi::CL_TRUE,
                    first * size_of::<T>(),
                    bytes.len(),
                    bytes.as_mut_ptr().cast(),
                    0,
                    ptr::null(),
                    ptr::null_mut(),
                )
            };
            check("clEnqueueReadBuffer", code)?;
        }
        Ok(data)
    }

    /// Waits until all that was queued is done.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        // SAFETY: the queue is one.
        check("clFinish", unsafe { ffi::clFinish(self.queue.handle) })
    }

    /// Queues a kernel for `groups` work-groups of `group` work-items. Returns when it ran, if the queue is profiled.
    ///
    /// # Safety
    /// With these arguments, of which there must be as many as the kernel has parameters and of the right types, the
    /// kernel must stay within its buffers.
    pub(crate) unsafe fn launch(
        &self,
        kernel: &mut Kernel,
        groups: usize,
        group: usize,
        arguments: &[Argument<'_>],
    ) -> Result<Option<Event>, Failure> {
        for (index, argument) in arguments.iter().enumerate() {
            let handle;
            let (size, value): (usize, *const c_void) = match argument {
                Argument::Buffer(buffer) => {
                    handle = buffer.handle();
                    (size_of_val(&handle), ptr::from_ref(&handle).cast())
                }
                Argument::Uint(number) => (size_of_val(number), ptr::from_ref(number).cast()),
            };
            // SAFETY: the value has that size and is copied by the call.
            check("clSetKernelArg", unsafe { ffi::clSetKernelArg(kernel.0.handle, index as u32, size, value) })?;
        }
        let mut event = ptr::null_mut();
        let (global, local) = (groups * group, group);
        // SAFETY: one dimension; what the kernel does is the caller's promise.
        let code = unsafe {
            ffi::clEnqueueNDRangeKernel(
                self.queue.handle,
                kernel.0.handle,
                1,
                ptr::null(),
                &global,
                &local,
                0,
                ptr::null(),
                if self.profiled { &mut event } else { ptr::null_mut() },
            )
        };
        check("clEnqueueNDRangeKernel", code)?;
        if event.is_null() {
            return Ok(None);
        }
        Object::new("clEnqueueNDRangeKernel", event, code, ffi::clReleaseEvent).map(|event| Some(Event(event)))
    }

    /// The largest work-group that a kernel can run in.
    pub(crate) fn max_work_group_size(&self, kernel: &Kernel) -> Result<usize, Failure> {
        let bytes = query("clGetKernelWorkGroupInfo", |size, value, actual| {
            // SAFETY: kernel and device belong together; `query` passes null or room for `size` bytes.
            unsafe {
                ffi::clGetKernelWorkGroupInfo(
                    kernel.0.handle,
                    self.device,
                    ffi::CL_KERNEL_WORK_GROUP_SIZE,
                    size,
                    value,
                    actual,
                )
            }
        })?;
        let word = bytes.first_chunk::<{ size_of::<usize>() }>();
        word.map(|&bytes| usize::from_ne_bytes(bytes))
            .ok_or(Failure { function: "clGetKernelWorkGroupInfo", code: ffi::CL_INVALID_VALUE })
    }
}

impl Program {
    /// One of the program's kernels.
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, Failure> {
        let name = CString::new(name).unwrap_or_default();
        let mut code = 0;
        // SAFETY: the name ends with a zero.
        let kernel = unsafe { ffi::clCreateKernel(self.0.handle, name.as_ptr(), &mut code) };
        Object::new("clCreateKernel", kernel, code, ffi::clReleaseKernel).map(Kernel)
    }

    /// What the compiler made for the device: machine code, or NVIDIA's PTX.
    pub(crate) fn binary(&self) -> Result<Vec<u8>, Failure> {
        let sizes = query("clGetProgramInfo", |size, value, actual| {
            // SAFETY: `query` passes null or room for `size` bytes.
            unsafe { ffi::clGetProgramInfo(self.0.handle, ffi::CL_PROGRAM_BINARY_SIZES, size, value, actual) }
        })?;
        let size = sizes.first_chunk::<{ size_of::<usize>() }>().map_or(0, |&bytes| usize::from_ne_bytes(bytes));
        let mut binary = vec![0_u8; size];
        let pointer = binary.as_mut_ptr();
        // SAFETY: there is one device, so one pointer, and behind it as many bytes as its binary has.
        let code = unsafe {
            ffi::clGetProgramInfo(
                self.0.handle,
                ffi::CL_PROGRAM_BINARIES,
                size_of_val(&pointer),
                ptr::from_ref(&pointer).cast_mut().cast(),
                ptr::null_mut(),
            )
        };
        check("clGetProgramInfo", code)?;
        Ok(binary)
    }
}

impl Event {
    /// Waits for the kernel to end and returns how long it ran, in nanoseconds.
    pub(crate) fn nanoseconds(&self) -> Result<u64, Failure> {
        // SAFETY: one event.
        check("clWaitForEvents", unsafe { ffi::clWaitForEvents(1, &self.0.handle) })?;
        let time = |parameter| {
            let mut time = 0_u64;
            // SAFETY: the value has 8 bytes.
            let code = unsafe {
                ffi::clGetEventProfilingInfo(
                    self.0.handle,
                    parameter,
                    size_of_val(&time),
                    ptr::from_mut(&mut time).cast(),
                    ptr::null_mut(),
                )
            };
            check("clGetEventProfilingInfo", code).map(|()| time)
        };
        Ok(time(ffi::CL_PROFILING_COMMAND_END)?.saturating_sub(time(ffi::CL_PROFILING_COMMAND_START)?))
    }
}

/// Asks for a property's bytes: once for their number, once for themselves.
fn query(function: &'static str, call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Vec<u8>, Failure> {
    let mut size = 0;
    check(function, call(0, ptr::null_mut(), &mut size))?;
    let mut bytes = vec![0_u8; size];
    check(function, call(size, bytes.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(bytes)
}
