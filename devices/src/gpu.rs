//! The devices of the GPU interfaces. Only this file uses the libraries of these interfaces.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind};
use kogge_gpu::tuning::{self, Cache, Trial, TunedKey};
use kogge_gpu::{Gpu, GpuOptions, Interface, KernelTime, Opening};

use crate::device::{BackendDevice, Listed, Profile, Request, Tunable, Tuned};

pub(crate) fn opencl() -> Listed {
    list::<kogge_backend_opencl::OpenClDevice>()
}

/// Lists the devices of wgpu. The list is made only once, because listing devices loads drivers.
pub(crate) fn wgpu() -> Listed {
    static DEVICES: OnceLock<Result<Vec<kogge_backend_wgpu::WgpuDevice>, BackendError>> = OnceLock::new();
    let devices = DEVICES.get_or_init(kogge_backend_wgpu::devices).clone()?;
    Ok(devices.into_iter().map(boxed).collect())
}

fn list<D: Usable>() -> Listed {
    Ok(D::list()?.into_iter().map(boxed).collect())
}

fn boxed<D: Usable>(device: D) -> Box<dyn BackendDevice> {
    Box::new(Listing(device))
}

/// A device with an interface that any thread can use.
trait Usable: kogge_gpu::Device<Interface: Interface<Buffer: Send> + Send> + 'static {}

impl<D: kogge_gpu::Device<Interface: Interface<Buffer: Send> + Send> + 'static> Usable for D {}

/// A device of a GPU interface.
struct Listing<D>(D);

impl<D: Usable> Listing<D> {
    fn open_with(&self, options: &str) -> Result<Gpu<D>, BackendError> {
        let unavailable =
            |reason| BackendError::Unavailable { backend: kogge_gpu::Device::info(&self.0).backend, reason };
        Gpu::on(&self.0, &options.parse::<GpuOptions>().map_err(unavailable)?)
    }
}

impl<D: Usable> Profile for Gpu<D> {
    fn kernel_times(&mut self) -> Vec<KernelTime> {
        self.profile()
    }

    fn opening(&self) -> &Opening {
        self.opening()
    }

    fn compiler_log(&self) -> &str {
        self.compiler_log()
    }
}

impl<D: Usable> BackendDevice for Listing<D> {
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

    fn open(&self, request: &Request) -> Result<Box<dyn Backend>, BackendError> {
        Ok(Box::new(self.open_with(request.variant.unwrap_or_default())?))
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

    fn profile(&self, options: &str) -> Result<Box<dyn Profile>, BackendError> {
        Ok(Box::new(self.open_with(&format!("profile=true,{options}"))?))
    }
}
