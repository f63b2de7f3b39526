//! A device that fails on command.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kogge_board::{BackendError, DeviceInfo};
use kogge_gpu::interface::{Compilation, Launch, Reading};
use kogge_gpu::kernels::Module;
use kogge_gpu::{Device, Failure, GpuOptions, GpuSettings, Interface};

use super::Tested;

/// A device that forwards all calls to another device, except a call ordered to fail. Tests can change its host's settings
/// beyond the options.
///
/// It is connected once: opening it again returns the same interface with its compiled kernels.
pub struct Faulty<D: Tested> {
    device: D,
    change: fn(&mut GpuSettings),
    shared: Arc<Mutex<Shared<D::Interface>>>,
}

/// The orders of a [`Faulty`] device, and its interface while it is not open.
struct Shared<I> {
    /// The number of calls that succeed, and the failure of the next call.
    order: Option<(usize, Failure)>,
    /// The bytes of all buffers made so far.
    made: u64,
    idle: Option<(I, Vec<Module>)>,
}

fn lock<I>(shared: &Mutex<Shared<I>>) -> MutexGuard<'_, Shared<I>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<D: Tested> Faulty<D> {
    /// Wraps a device and changes the settings of its host.
    pub fn new(device: D, change: fn(&mut GpuSettings)) -> Self {
        Self { device, change, shared: Arc::new(Mutex::new(Shared { order: None, made: 0, idle: None })) }
    }

    /// Orders a failure after this number of successful calls.
    pub fn fail(&self, after: usize, failure: Failure) {
        lock(&self.shared).order = Some((after, failure));
    }

    /// Cancels the order. Returns whether it was still open.
    pub fn cancel(&self) -> bool {
        lock(&self.shared).order.take().is_some()
    }

    /// Returns the bytes of all buffers made since the last call.
    pub fn take_made(&self) -> u64 {
        std::mem::take(&mut lock(&self.shared).made)
    }
}

impl<D: Tested> Device for Faulty<D> {
    const BACKEND: &'static str = D::BACKEND;

    type Interface = FaultyInterface<D::Interface>;

    fn list() -> Result<Vec<Self>, BackendError> {
        Ok(D::list()?.into_iter().map(|device| Self::new(device, |_| {})).collect())
    }

    fn info(&self) -> DeviceInfo {
        Device::info(&self.device)
    }

    fn unusable(&self) -> Option<String> {
        self.device.unusable()
    }

    fn settings(&self, options: &GpuOptions) -> Result<GpuSettings, String> {
        let mut settings = self.device.settings(options)?;
        (self.change)(&mut settings);
        Ok(settings)
    }

    fn kernels() -> String {
        <D as Device>::kernels()
    }

    async fn connect(&self, settings: &GpuSettings) -> Result<FaultyInterface<D::Interface>, Failure> {
        let idle = lock(&self.shared).idle.take();
        let (interface, compiled) = match idle {
            Some(idle) => idle,
            None => (self.device.connect(settings).await?, Vec::new()),
        };
        Ok(FaultyInterface { interface: Some(interface), compiled, shared: Arc::clone(&self.shared) })
    }
}

/// The interface of a [`Faulty`] device.
pub struct FaultyInterface<I> {
    /// The inner interface, present until the drop.
    interface: Option<I>,
    compiled: Vec<Module>,
    shared: Arc<Mutex<Shared<I>>>,
}

impl<I> FaultyInterface<I> {
    /// Returns the interface, or the failure ordered for this call.
    fn obey(&mut self) -> Result<&mut I, Failure> {
        let mut shared = lock(&self.shared);
        match shared.order.take() {
            Some((0, failure)) => return Err(failure),
            Some((calls, failure)) => shared.order = Some((calls - 1, failure)),
            None => {}
        }
        self.interface.as_mut().ok_or_else(|| Failure::Other("It is closed.".to_owned()))
    }
}

impl<I: Interface> Interface for FaultyInterface<I> {
    type Buffer = I::Buffer;

    async fn make(&mut self, name: &'static str, bytes: u64) -> Result<I::Buffer, Failure> {
        lock(&self.shared).made += bytes;
        self.obey()?.make(name, bytes).await
    }

    fn write(&mut self, buffer: &I::Buffer, bytes: &[u8]) -> Result<(), Failure> {
        self.obey()?.write(buffer, bytes)
    }

    async fn read(&mut self, buffer: &I::Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        self.obey()?.read(buffer, offset, bytes).await
    }

    async fn read_all(&mut self, readings: &mut [Reading<'_, I::Buffer>]) -> Result<(), Failure> {
        self.obey()?.read_all(readings).await
    }

    fn clear(&mut self, buffer: &I::Buffer, bytes: u64) -> Result<(), Failure> {
        self.obey()?.clear(buffer, bytes)
    }

    async fn compile(&mut self, modules: &[Module]) -> Result<Compilation, Failure> {
        let missing: Vec<_> = modules.iter().copied().filter(|module| !self.compiled.contains(module)).collect();
        if missing.is_empty() {
            return Ok(Compilation::default());
        }
        let compiled = self.obey()?.compile(&missing).await?;
        self.compiled.extend(missing);
        Ok(compiled)
    }

    fn forget(&mut self, module: Module) {
        self.compiled.retain(|&known| known != module);
        if let Some(interface) = &mut self.interface {
            interface.forget(module);
        }
    }

    unsafe fn launch(&mut self, launch: &Launch<'_, I::Buffer>) -> Result<(), Failure> {
        // SAFETY: the caller makes this promise too.
        unsafe { self.obey()?.launch(launch) }
    }

    async fn finish(&mut self) -> Result<Option<Duration>, Failure> {
        self.obey()?.finish().await
    }
}

impl<I> Drop for FaultyInterface<I> {
    fn drop(&mut self) {
        let compiled = std::mem::take(&mut self.compiled);
        lock(&self.shared).idle = self.interface.take().map(|interface| (interface, compiled));
    }
}
