//! The devices that this process has opened. Opening a GPU takes about a second, so each device stays open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kogge::movegen_cpu::Code;
use kogge::{Backend, BackendError, BackendName, Error, Estimate, NamedDevice, Request};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// A device that is open. Only one call at a time computes on it.
#[derive(Clone)]
pub(crate) struct Device(Arc<Mutex<Box<dyn Backend>>>);

impl Device {
    /// Waits until no other call computes on the device, and computes on it. Parallel work of the caller itself runs in the pool.
    ///
    /// The caller must not hold the GIL, because the other call may need it. Nor may the caller be a thread of the pool: while
    /// such a thread waits for its own work, it takes up the work of other calls, which might wait for the device that it holds.
    pub(crate) fn with<T: Send>(&self, work: impl FnOnce(&mut dyn Backend) -> T + Send) -> Result<T, Failure> {
        let pool = pool()?;
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let backend = &mut **held;
        Ok(pool.install(|| work(backend)))
    }

    /// Waits until no other call computes on the device, and makes one call that needs no threads except the device's.
    pub(crate) fn call<T>(&self, call: impl FnOnce(&mut dyn Backend) -> T) -> T {
        call(&mut **self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The threads and devices of one process. After a fork, the child has neither threads nor connections to the driver, so
/// it opens its devices again.
struct Process {
    id: u32,
    pool: Option<Arc<ThreadPool>>,
    devices: HashMap<NamedDevice, Device>,
}

static PROCESS: Mutex<Option<Process>> = Mutex::new(None);

/// Gives `work` access to the devices that this process has opened.
fn with_process<T>(work: impl FnOnce(&mut Process) -> T) -> T {
    let mut held = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let id = std::process::id();
    if held.as_ref().is_some_and(|process| process.id != id) {
        // Dropping the parent's pool would wait for threads that do not exist here.
        std::mem::forget(held.take());
    }
    work(held.get_or_insert_with(|| Process { id, pool: None, devices: HashMap::new() }))
}

/// Returns the threads for work on single positions.
pub(crate) fn pool() -> Result<Arc<ThreadPool>, Failure> {
    with_process(|process| {
        if let Some(pool) = &process.pool {
            return Ok(pool.clone());
        }
        let pool = ThreadPoolBuilder::new().thread_name(|index| format!("kogge-python-{index}")).build();
        let pool =
            Arc::new(pool.map_err(|error| Failure::Device(format!("The threads could not be started: {error}.")))?);
        process.pool = Some(pool.clone());
        Ok(pool)
    })
}

/// Returns the code of the CPU, for a few positions on the calling thread.
pub(crate) fn code() -> Result<&'static Code, Failure> {
    static CODE: OnceLock<Result<Code, BackendError>> = OnceLock::new();
    CODE.get_or_init(Code::chosen).as_ref().map_err(|error| error.clone().into())
}

/// Reads the argument `device` of a call.
pub(crate) fn named(text: &str) -> Result<NamedDevice, Failure> {
    let wrong = || {
        Failure::Input(format!(
            "There is no device {text:?}; expected \"auto\", \"cpu\", \"mailbox\", \"opencl\" or \"wgpu\", or one of several \
             devices by its number, such as \"opencl:1\"."
        ))
    };
    let device: NamedDevice = text.parse().map_err(|()| wrong())?;
    // `auto:0` is refused, because the device that it names would depend on the machine.
    if device.backend == BackendName::Auto && device.number.is_some() { Err(wrong()) } else { Ok(device) }
}

/// Whether a call on this device may run on the calling thread instead, with the same answer.
pub(crate) fn is_cpu(device: NamedDevice) -> bool {
    matches!(device.backend, BackendName::Auto | BackendName::Cpu) && device.number.is_none()
}

/// Opens a device, or returns the open one. `auto` takes the best GPU that works, else the CPU.
pub(crate) fn open(device: NamedDevice) -> Result<Device, Failure> {
    if let Some(open) = with_process(|process| process.devices.get(&device).cloned()) {
        return Ok(open);
    }
    let request = Request { backend: device.backend, device: device.number, ..Request::default() };
    let backend = kogge::open(&request, None)?.backend;
    // Another thread may have opened the device in the meantime; all calls must share one.
    Ok(with_process(|process| process.devices.entry(device).or_insert(Device(Arc::new(Mutex::new(backend)))).clone()))
}

/// The CPU, on all cores.
pub(crate) const CPU: NamedDevice = NamedDevice { backend: BackendName::Cpu, number: None };

/// Opens the device for work in which copying positions takes longer than computing: for `auto`, the CPU.
pub(crate) fn open_near(device: NamedDevice) -> Result<Device, Failure> {
    open(if device.backend == BackendName::Auto { CPU } else { device })
}

/// Opens the device for work whose time is estimated by `count`, which does the work to any smaller depth on the CPU. `auto`
/// takes the CPU for small work, because the CPU finishes before a GPU has started.
pub(crate) fn open_for(
    device: NamedDevice,
    depth: u32,
    mut count: impl FnMut(&mut dyn Backend, u32) -> Result<u128, Error> + Send,
) -> Result<Device, Failure> {
    if device.backend != BackendName::Auto {
        return open(device);
    }
    let cpu = open(CPU)?;
    let estimate = cpu.with(|backend| Estimate::tree(depth, |depth| count(backend, depth)))??;
    if estimate.is_small() { Ok(cpu) } else { open(device) }
}
