//! A GPU backend: any device of any interface.

use kogge_board::{BackendError, DeviceInfo, Pace};
use web_time::Instant;

use crate::interface::{Compilation, Failure, Interface};
use crate::kernels::Module;
use crate::minimax::Minimax;
use crate::profile::{KernelTime, Opening};
use crate::session::Session;
use crate::settings::{GpuOptions, GpuSettings};

/// A device that an interface offers, before it is opened.
pub trait Device {
    /// The backend's name, as given to `--backend`.
    const BACKEND: &'static str;

    /// The interface.
    type Interface: Interface;

    /// Lists the devices of this interface. [`Gpu::open`] takes an index in this list.
    ///
    /// # Errors
    /// If there is no device. The error explains what the user can do.
    fn list() -> Result<Vec<Self>, BackendError>
    where
        Self: Sized;

    /// Describes the device, without options.
    fn info(&self) -> DeviceInfo;

    /// The reason why the device cannot be used, as a sentence; `None` if it can be used.
    fn unusable(&self) -> Option<String>;

    /// Completes options for this device.
    ///
    /// # Errors
    /// A sentence that names the option that does not fit.
    fn settings(&self, options: &GpuOptions) -> Result<GpuSettings, String>;

    /// The [fingerprint](crate::tuning::fingerprint) of the kernels' source in all its forms.
    fn kernels() -> String;

    /// Opens the device without compiling anything.
    ///
    /// # Errors
    /// If the driver fails.
    fn connect(&self, settings: &GpuSettings) -> impl Future<Output = Result<Self::Interface, Failure>>;
}

/// An open GPU: a [`Backend`](kogge_board::Backend) over any interface.
///
/// The sizes of its buffers are chosen once, by [`GpuOptions`](crate::GpuOptions), so that all levels of a tree fit in
/// memory; they do not grow with the tree.
pub struct Gpu<D: Device> {
    pub(crate) info: DeviceInfo,
    pub(crate) session: Session<D::Interface>,
    pub(crate) opening: Opening,
    log: String,
    /// Whether the merge kernels are compiled and have passed their self-test.
    pub(crate) merging_tested: bool,
    /// Whether the kernels that distinguish the kinds of moves are compiled and have passed their self-test.
    pub(crate) categories_tested: bool,
    /// Whether the minimax kernels are compiled and have passed their self-test.
    pub(crate) minimax_tested: bool,
    pub(crate) minimax: Minimax<D::Interface>,
    /// The positions of a part of a watched count, and of a count by kind.
    pub(crate) pace: Pace,
    pub(crate) kinds_pace: Pace,
}

impl<D: Device> Gpu<D> {
    /// Lists the devices of this interface. [`Gpu::open`] takes an index in this list.
    ///
    /// # Errors
    /// If there is no device. The error explains what the user can do.
    pub fn devices() -> Result<Vec<D>, BackendError> {
        D::list()
    }

    fn unavailable(device: &str, reason: &str) -> BackendError {
        BackendError::Unavailable { backend: D::BACKEND, reason: format!("on {device}, {reason}") }
    }

    /// Opens a device and compiles the counting kernels, without a self-test.
    ///
    /// # Errors
    /// If the device cannot be used, if the options do not fit, or if the kernels cannot be compiled.
    pub async fn connect(device: &D, options: &GpuOptions) -> Result<Self, BackendError> {
        let info = device.info();
        let unavailable = |reason: &str| Self::unavailable(&info.name, reason);
        if let Some(reason) = device.unusable() {
            return Err(unavailable(&reason));
        }
        let settings = device.settings(options).map_err(|reason| unavailable(&reason))?;
        let failed = |failure: Failure| unavailable(&failure.sentence());
        let start = Instant::now();
        let interface = device.connect(&settings).await.map_err(failed)?;
        let opening = Opening { device: start.elapsed(), ..Opening::default() };
        let info = DeviceInfo {
            memory: info.memory.or(Some(settings.memory)),
            variant: settings.description.clone(),
            ..info.clone()
        };
        let modules = Session::<D::Interface>::counting_modules(&settings);
        let pace = settings.pace;
        let session = Session::new(info.name.clone(), interface, settings);
        let log = String::new();
        let mut gpu = Self {
            info,
            session,
            opening,
            log,
            merging_tested: false,
            categories_tested: false,
            minimax_tested: false,
            minimax: Minimax::new(pace),
            pace,
            kinds_pace: pace,
        };
        gpu.compile(&modules).await?;
        Ok(gpu)
    }

    /// Compiles modules and records the time.
    ///
    /// # Errors
    /// [`BackendError::Unavailable`] with the compiler's log.
    pub(crate) async fn compile(&mut self, modules: &[Module]) -> Result<(), BackendError> {
        let compiled = self.session.runner.interface.compile(modules).await;
        let Compilation { log, source, kernels, each } =
            compiled.map_err(|failure| Self::unavailable(&self.info.name, &failure.sentence()))?;
        self.log += &log;
        self.opening.source += source;
        self.opening.kernels += kernels;
        self.opening.compilations.extend(each);
        Ok(())
    }

    /// The open interface, for functions that only this interface has.
    pub fn interface(&self) -> &D::Interface {
        &self.session.runner.interface
    }

    /// The log of the kernels' compiler, often empty.
    pub fn compiler_log(&self) -> &str {
        &self.log
    }

    /// The times of the steps of opening the device.
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Returns the work of each kernel since the last call. The list is empty unless
    /// [`GpuOptions::profile`](crate::GpuOptions::profile) is set.
    pub fn profile(&mut self) -> Vec<KernelTime> {
        self.session.runner.profile.as_mut().map(|profile| profile.take()).unwrap_or_default()
    }
}
