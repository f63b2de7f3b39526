//! The backend: one OpenCL device.

use kogge_board::breadth_first::{self, DeviceMerge};
use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::tuning::{Cache, settle};
use kogge_board::{Backend, BackendError, DeviceInfo, Leaves, Quad48, Rules, Score, Successors, minimax, self_test};

use crate::kernels::Module;
use crate::options::Options;
use crate::platform::{Device, PlatformError, platforms};
use crate::profile::KernelTime;
use crate::stages::Session;

/// An OpenCL device that counts and expands.
///
/// Memory: the buffers' sizes are chosen once, by [`Options::positions`] and [`Options::moves`] and so that all levels
/// of the tree fit in [`Options::memory`]; they do not grow with the tree.
pub struct OpenCl {
    info: DeviceInfo,
    pub(crate) session: Session,
}

/// All devices of all platforms, in OpenCL's order; their indices are those that [`OpenCl::open`] takes.
///
/// # Errors
/// If there is no platform. A platform that fails to list its devices has none here.
pub fn devices() -> Result<Vec<Device>, PlatformError> {
    Ok(platforms()?.into_iter().filter_map(|platform| platform.devices.ok()).flatten().collect())
}

impl OpenCl {
    /// Opens the device with this index in [`devices`], compiles the kernels for it, and has it count what is known.
    ///
    /// # Errors
    /// If there is no such device or it does not do; if the options do not fit; if the kernels cannot be compiled, with
    /// the compiler's log; or if the device gives wrong answers.
    pub fn open(index: usize, options: &Options) -> Result<Self, BackendError> {
        let unavailable = |reason| BackendError::Unavailable { backend: "opencl", reason };
        let devices = devices().map_err(|error| unavailable(error.to_string()))?;
        let device = devices.get(index).ok_or_else(|| {
            let count = devices.len();
            unavailable(format!("there is no device {index}; OpenCL has {count}, counted from 0."))
        })?;
        Self::on(device, options)
    }

    /// The same for a device that was listed before. What the options leave open is as it was tuned, if it was.
    ///
    /// # Errors
    /// As for [`OpenCl::open`].
    pub fn on(device: &Device, options: &Options) -> Result<Self, BackendError> {
        Self::with_cache(device, options, Cache::of_user().as_ref())
    }

    /// The same with what is tuned according to this cache.
    pub(crate) fn with_cache(device: &Device, options: &Options, cache: Option<&Cache>) -> Result<Self, BackendError> {
        let (options, origin) = settle(device, options, cache);
        let mut backend = Self::untuned(device, &options)?;
        backend.info.variant += origin;
        Ok(backend)
    }

    /// A backend of these options, whatever was tuned.
    pub(crate) fn untuned(device: &Device, options: &Options) -> Result<Self, BackendError> {
        let mut backend = Self::untested(device, Session::new(device, options)?);
        self_test(&mut backend)?;
        // What the self-test took is no part of a measurement.
        backend.profile()?;
        Ok(backend)
    }

    /// A backend that has not counted anything yet.
    pub(crate) fn untested(device: &Device, session: Session) -> Self {
        let info =
            DeviceInfo { memory: Some(session.choice.memory), variant: session.choice.describe(), ..device.info() };
        Self { info, session }
    }

    /// What the OpenCL compiler said when it compiled the kernels, often nothing.
    pub fn compiler_log(&self) -> &str {
        &self.session.runner.log
    }

    /// The compiled kernels in the driver's own form: machine code, or NVIDIA's PTX.
    ///
    /// # Errors
    /// If the driver does not give them.
    pub fn binary(&self) -> Result<Vec<u8>, BackendError> {
        let binaries = [Module::Counting, Module::Judging]
            .into_iter()
            .filter_map(|module| self.session.runner.program(module).map(|program| program.binary()));
        let binaries = binaries.collect::<Result<Vec<_>, _>>().map_err(|failure| BackendError::Device {
            device: self.info.name.clone(),
            doing: "to give back the compiled kernels".to_owned(),
            reason: failure.to_string(),
        })?;
        Ok(binaries.concat())
    }

    /// How long each kernel ran since this was last asked, if [`Options::profile`] was set; else nothing.
    ///
    /// # Errors
    /// If the device fails.
    pub fn profile(&mut self) -> Result<Vec<KernelTime>, BackendError> {
        let Some(profile) = &mut self.session.runner.profile else { return Ok(Vec::new()) };
        profile.take().map_err(|failure| BackendError::Device {
            device: self.info.name.clone(),
            doing: "to say how long kernels ran".to_owned(),
            reason: failure.to_string(),
        })
    }
}

impl Backend for OpenCl {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        breadth_first::count(&mut self.session, rules, positions)
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        breadth_first::expand(&mut self.session, rules, positions)
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        self.session.lost = false;
        breadth_first::perft(&mut self.session, rules, positions, depth)
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
        self.session.lost = false;
        self.session.begin_merging(options.memory)?;
        Ok(Box::new(DeviceMerge::new(&mut self.session, rules, options.hash_bits)))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<Vec<Score>, BackendError> {
        if self.session.begin_judging()? {
            minimax::self_test(self).inspect_err(|_| self.session.runner.forget(Module::Judging))?;
        }
        breadth_first::minimax(self, |backend| &mut backend.session, rules, positions, depth, leaves)
    }
}
