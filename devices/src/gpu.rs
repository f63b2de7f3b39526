//! The devices of the GPU interfaces. No other file of this binary uses their libraries.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind};
use kogge_gpu::tuning::{self, Cache, Trial, TunedKey};
use kogge_gpu::{Gpu, GpuOptions, Interface};

use crate::device::{Device, Listed, Request, Tunable, Tuned};

/// Lists the devices of OpenCL.
pub(crate) fn opencl() -> Listed {
    list::<kogge_backend_opencl::Device>()
}

/// Lists the devices of wgpu. The list is made only once, because making it loads drivers.
pub(crate) fn wgpu() -> Listed {
    static DEVICES: OnceLock<Result<Vec<kogge_backend_wgpu::Device>, BackendError>> = OnceLock::new();
    let devices = DEVICES.get_or_init(kogge_backend_wgpu::devices).clone()?;
    Ok(devices.into_iter().map(boxed).collect())
}

fn list<D: Usable>() -> Listed {
    Ok(D::list()?.into_iter().map(boxed).collect())
}

fn boxed<D: Usable>(device: D) -> Box<dyn Device> {
    Box::new(Listing(device))
}

/// A device with an interface that any thread can use.
trait Usable: kogge_gpu::Device<Interface: Interface<Buffer: Send> + Send> + 'static {}

impl<D: kogge_gpu::Device<Interface: Interface<Buffer: Send> + Send> + 'static> Usable for D {}

/// A device of a GPU interface.
struct Listing<D>(D);

impl<D: Usable> Device for Listing<D> {
    fn kind(&self) -> DeviceKind {
        kogge_gpu::Device::info(&self.0).kind
    }

    fn is_usable(&self) -> bool {
        self.0.unusable().is_none()
    }

    fn info(&self) -> Result<DeviceInfo, BackendError> {
        match self.0.unusable() {
            None => Ok(tuning::planned(&self.0)),
            Some(reason) => {
                let DeviceInfo { backend, name, .. } = kogge_gpu::Device::info(&self.0);
                Err(BackendError::Unavailable { backend, reason: format!("{name}: {reason}") })
            }
        }
    }

    fn open(&self, _: &Request) -> Result<Box<dyn Backend>, BackendError> {
        Ok(Box::new(Gpu::on(&self.0, &GpuOptions::default())?))
    }

    fn into_tunable(self: Box<Self>) -> Option<Box<dyn Tunable>> {
        Some(self)
    }
}

impl<D: Usable> Tunable for Listing<D> {
    fn bare_info(&self) -> DeviceInfo {
        kogge_gpu::Device::info(&self.0)
    }

    fn forget(&self, cache: &Cache) -> io::Result<bool> {
        cache.forget(&TunedKey::of(&self.0))
    }

    fn tune(&self, cache: &Cache, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuned, BackendError> {
        let tuning = tuning::tune(&self.0, time, progress)?;
        let saved = cache.save(TunedKey::of(&self.0), &tuning.values);
        Ok(Tuned { info: tuning::planned(&self.0), trials: tuning.trials, complete: tuning.complete, saved })
    }
}
