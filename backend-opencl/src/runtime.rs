//! The few OpenCL calls that kogge makes, wrapped as safely as possible.
//!
//! The wrappers use the plain C functions: `ocl`'s own wrappers panic on unknown error codes, and a failing device may
//! return vendor-specific codes.

use std::{
    ffi::{CString, c_char, c_void},
    fmt, ptr,
    sync::Arc,
};

use ocl::ffi::{self, cl_int};

use crate::platform::OpenClDevice;

/// An OpenCL function that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) function: &'static str,
    pub(crate) code: cl_int,
}

impl Failure {
    /// Whether a smaller request might have worked.
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
// SAFETY: several threads may call functions for one object at a time, except to set a kernel's arguments, for which
// `Kernel` needs an exclusive reference.
unsafe impl Sync for Object {}

impl Object {
    /// Wraps the result of a function that creates an object.
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
        // SAFETY: the handle has the kind that the function releases, and was not released before. A failure can be
        // ignored, since nothing could be done about it.
        unsafe { (self.release)(self.handle) };
    }
}

/// A device, the context of its objects, and its in-order queue.
#[derive(Clone)]
pub(crate) struct Queue {
    device: *mut c_void,
    context: Arc<Object>,
    queue: Arc<Object>,
    profiled: bool,
}

// SAFETY: the device's handle is only a number, valid as long as the process; the rest is `Send` by itself.
unsafe impl Send for Queue {}

/// The times of a kernel by the device's clock.
pub(crate) struct Event(Object);

/// Device memory with its size in bytes.
pub struct OpenClBuffer {
    memory: Object,
    bytes: u64,
}

/// A compiled program.
pub(crate) struct Program(Object);

/// A kernel of a program.
pub(crate) struct Kernel(Object);

impl Queue {
    pub(crate) fn new(device: &OpenClDevice, profiled: bool) -> Result<Self, Failure> {
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

    /// Compiles a program. The second value is the compiler's log, even if compiling failed.
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

    /// Allocates device memory. Drivers delay the allocation until the first use, so the first word is written at once to
    /// find out whether there is room.
    pub(crate) fn buffer(&self, bytes: u64) -> Result<OpenClBuffer, Failure> {
        let mut code = 0;
        let bytes = bytes.max(4);
        // SAFETY: no memory of the host is involved.
        let memory = unsafe {
            ffi::clCreateBuffer(self.context.handle, ffi::CL_MEM_READ_WRITE, bytes as usize, ptr::null_mut(), &mut code)
        };
        let memory = Object::new("clCreateBuffer", memory, code, ffi::clReleaseMemObject)?;
        let buffer = OpenClBuffer { memory, bytes };
        self.fill_zero(&buffer, 4)?;
        self.finish()?;
        Ok(buffer)
    }

    /// Sets the first bytes, a multiple of 4, to zero.
    pub(crate) fn fill_zero(&self, buffer: &OpenClBuffer, bytes: u64) -> Result<(), Failure> {
        let pattern = 0_u32;
        buffer.check("clEnqueueFillBuffer", 0, bytes)?;
        // SAFETY: the call copies the pattern, and the buffer has as many bytes.
        let code = unsafe {
            ffi::clEnqueueFillBuffer(
                self.queue.handle,
                buffer.memory.handle,
                ptr::from_ref(&pattern).cast(),
                size_of_val(&pattern),
                0,
                bytes as usize,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueFillBuffer", code)
    }

    /// Writes bytes to the start of a buffer, and waits until they are copied.
    pub(crate) fn write(&self, buffer: &OpenClBuffer, bytes: &[u8]) -> Result<(), Failure> {
        buffer.check("clEnqueueWriteBuffer", 0, bytes.len() as u64)?;
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

    /// Waits for all queued work, and reads bytes from `offset` on.
    pub(crate) fn read(&self, buffer: &OpenClBuffer, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        buffer.check("clEnqueueReadBuffer", offset, bytes.len() as u64)?;
        // SAFETY: the buffer has as many bytes, and the call returns when they have been written.
        let code = unsafe {
            ffi::clEnqueueReadBuffer(
                self.queue.handle,
                buffer.memory.handle,
                ffi::CL_TRUE,
                offset as usize,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueReadBuffer", code)
    }

    pub(crate) fn finish(&self) -> Result<(), Failure> {
        // SAFETY: the handle is a queue.
        check("clFinish", unsafe { ffi::clFinish(self.queue.handle) })
    }

    /// Queues a kernel for `groups` work-groups of `group_size` work-items. Returns its times if the queue is profiled.
    ///
    /// # Safety
    /// The kernel's parameters must be these buffers, followed by these numbers. The kernel must stay within the
    /// buffers.
    pub(crate) unsafe fn launch(
        &self,
        kernel: &mut Kernel,
        groups: usize,
        group_size: usize,
        buffers: &[&OpenClBuffer],
        scalars: &[u32],
    ) -> Result<Option<Event>, Failure> {
        let handles = buffers
            .iter()
            .map(|buffer| (size_of_val(&buffer.memory.handle), ptr::from_ref(&buffer.memory.handle).cast::<c_void>()));
        let numbers = scalars.iter().map(|number| (size_of_val(number), ptr::from_ref(number).cast::<c_void>()));
        for (index, (size, value)) in handles.chain(numbers).enumerate() {
            // SAFETY: the value has that size and is copied by the call.
            check("clSetKernelArg", unsafe { ffi::clSetKernelArg(kernel.0.handle, index as u32, size, value) })?;
        }
        let mut event = ptr::null_mut();
        let (global, local) = (groups * group_size, group_size);
        // SAFETY: one dimension; the caller promises that the kernel stays within its buffers.
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

impl OpenClBuffer {
    /// Checks that the range is within the buffer.
    fn check(&self, function: &'static str, offset: u64, bytes: u64) -> Result<(), Failure> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes && bytes > 0 => Ok(()),
            _ => Err(Failure { function, code: ffi::CL_INVALID_VALUE }),
        }
    }
}

impl Program {
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, Failure> {
        let name = CString::new(name).unwrap_or_default();
        let mut code = 0;
        // SAFETY: the name ends with a zero.
        let kernel = unsafe { ffi::clCreateKernel(self.0.handle, name.as_ptr(), &mut code) };
        Object::new("clCreateKernel", kernel, code, ffi::clReleaseKernel).map(Kernel)
    }
}

impl Event {
    /// Waits for the kernel to end, and returns its time in nanoseconds.
    pub(crate) fn nanoseconds(&self) -> Result<u64, Failure> {
        // SAFETY: the list has one event.
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

/// Queries a property. Calls `call` twice: for the number of bytes, then for the bytes.
fn query(function: &'static str, call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Vec<u8>, Failure> {
    let mut size = 0;
    check(function, call(0, ptr::null_mut(), &mut size))?;
    let mut bytes = vec![0_u8; size];
    check(function, call(size, bytes.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(bytes)
}
