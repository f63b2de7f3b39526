//! A device that fails on command.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kogge_board::{BackendError, DeviceInfo};
use kogge_gpu::interface::{Compilation, Launch, Reading};
use kogge_gpu::kernels::Module;
use kogge_gpu::{Device, Failure, GpuOptions, GpuSettings, Interface};

use super::TestDevice;
use crate::twin::Control;

/// A device that forwards all calls to another device, except a call that must fail by order of its control. Tests can change its
/// host's settings beyond the options.
///
/// The inner device is opened only once: opening it again returns the same interface with its compiled kernels.
pub struct Faulty<D: TestDevice> {
    device: D,
    change: fn(&mut GpuSettings),
    /// The control of failures.
    pub control: Control,
    idle: Arc<Idle<D::Interface>>,
}

/// The interface of a [`Faulty`] device and its compiled modules, while the device is not open.
type Idle<I> = Mutex<Option<(I, Vec<Module>)>>;

impl<D: TestDevice> Faulty<D> {
    /// Wraps a device and changes the settings of its host.
    pub fn new(device: D, change: fn(&mut GpuSettings)) -> Self {
        Self { device, change, control: Control::default(), idle: Arc::default() }
    }
}

impl<D: TestDevice> Device for Faulty<D> {
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
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (interface, compiled) = match idle {
            Some(idle) => idle,
            None => (self.device.connect(settings).await?, Vec::new()),
        };
        let (control, idle) = (self.control.clone(), Arc::clone(&self.idle));
        Ok(FaultyInterface { interface: Some(interface), compiled, control, idle })
    }
}

/// The interface of a [`Faulty`] device.
pub struct FaultyInterface<I> {
    /// The inner interface, present until this one is dropped.
    interface: Option<I>,
    compiled: Vec<Module>,
    control: Control,
    idle: Arc<Idle<I>>,
}

impl<I> FaultyInterface<I> {
    /// Returns the inner interface, or the failure that was ordered for this call.
    fn obey(&mut self) -> Result<&mut I, Failure> {
        self.control.call()?;
        self.interface.as_mut().ok_or_else(|| Failure::Other("It is closed.".to_owned()))
    }
}

impl<I: Interface> Interface for FaultyInterface<I> {
    type Buffer = I::Buffer;

    async fn make(&mut self, name: &'static str, bytes: u64) -> Result<I::Buffer, Failure> {
        let buffer = self.obey()?.make(name, bytes).await?;
        self.control.take(bytes, u64::MAX)?;
        Ok(buffer)
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
        // SAFETY: the caller makes this promise, too.
        unsafe { self.obey()?.launch(launch) }
    }

    async fn finish(&mut self) -> Result<Option<Duration>, Failure> {
        self.obey()?.finish().await
    }
}

impl<I> Drop for FaultyInterface<I> {
    fn drop(&mut self) {
        let compiled = std::mem::take(&mut self.compiled);
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = self.interface.take().map(|it| (it, compiled));
    }
}
