//! The backend: one wgpu device.

use std::time::Instant;

use kogge_board::breadth_first::{self, DeviceMerge};
use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::tuning::{Cache, settle};
use kogge_board::{Backend, BackendError, DeviceInfo, Leaves, Quad48, Rules, Score, Successors, minimax, self_test};

use crate::adapters::{Device, devices};
use crate::kernels::Module;
use crate::options::Options;
use crate::profile::{KernelTime, Opening};
use crate::stages::Session;

/// A device that counts and expands, through Vulkan, Metal or DX12.
///
/// Memory: the buffers' sizes are chosen once, by [`Options::positions`] and [`Options::moves`], so that each fits in what
/// a kernel can use at once, and so that all levels of the tree fit in [`Options::memory`]; they do not grow with the
/// tree.
pub struct Wgpu {
    info: DeviceInfo,
    pub(crate) session: Session,
}

impl Wgpu {
    /// Opens the device with this index in [`devices`], compiles the kernels for it, and has it count what is known.
    ///
    /// # Errors
    /// If there is no such device or it does not do; if the options do not fit; if the kernels cannot be compiled; or if
    /// the device gives wrong answers.
    pub fn open(index: usize, options: &Options) -> Result<Self, BackendError> {
        let devices = devices()?;
        let device = devices.get(index).ok_or_else(|| {
            let reason = format!("there is no device {index}; wgpu has {}, counted from 0.", devices.len());
            BackendError::Unavailable { backend: "wgpu", reason }
        })?;
        Self::on(device, options)
    }

    /// The same for a device that was listed before. What the options leave open is as it was tuned, if it was.
    ///
    /// # Errors
    /// As for [`Wgpu::open`].
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
        let session = Session::new(device, options)?;
        let info =
            DeviceInfo { memory: Some(session.choice.memory), variant: session.choice.describe(), ..device.info() };
        let mut backend = Self { info, session };
        let start = Instant::now();
        self_test(&mut backend)?;
        backend.session.opening.self_test = start.elapsed();
        // What the self-test took is no part of a measurement.
        backend.profile();
        Ok(backend)
    }

    /// How long the parts of opening the device took.
    pub fn opening(&self) -> &Opening {
        &self.session.opening
    }

    /// How long each kernel ran since this was last asked, if [`Options::profile`] was set; else nothing.
    pub fn profile(&mut self) -> Vec<KernelTime> {
        self.session.runner.profile.as_mut().map(|profile| profile.take()).unwrap_or_default()
    }
}

impl Backend for Wgpu {
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
        breadth_first::perft(&mut self.session, rules, positions, depth)
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
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
