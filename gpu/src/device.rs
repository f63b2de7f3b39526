//! A GPU backend: any device of any interface.

use kogge_board::{BackendError, DeviceInfo};
use web_time::Instant;

use crate::interface::{Compiled, Failure, Interface};
use crate::kernels::Module;
use crate::profile::{KernelTime, Opening};
use crate::session::Session;
use crate::settings::HostSettings;
#[cfg(not(target_family = "wasm"))]
use crate::tuning::Tunable;
use crate::tuning::{Partial, Value};

/// A device that an interface offers, before it is opened.
pub trait Device {
    /// The backend's name, as in `--backend`.
    const BACKEND: &'static str;

    /// The interface.
    type Interface: Interface;

    /// The options of the interface.
    type Options: Partial;

    /// The settings of the interface, which result from its options.
    type Settings: AsRef<HostSettings>;

    /// Lists the devices of this interface. [`Gpu::open`] takes an index in this list.
    ///
    /// # Errors
    /// If there is no device. The sentence says what to do about it.
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
    fn settings(&self, options: &Self::Options) -> Result<Self::Settings, String>;

    /// Describes the variant of the code that these settings select.
    fn describe(&self, settings: &Self::Settings) -> String;

    /// The [fingerprint](crate::tuning::fingerprint) of the kernels' source in all its forms.
    fn kernels() -> String;

    /// The values that tuning tries, in order.
    fn values(&self) -> Vec<Value<Self::Options>>;

    /// Opens the device; nothing is compiled yet.
    ///
    /// # Errors
    /// If the driver fails.
    fn connect(&self, settings: &Self::Settings) -> impl Future<Output = Result<Self::Interface, Failure>>;
}

/// An open GPU: a [`Backend`](kogge_board::Backend) over any interface.
///
/// The sizes of its buffers are chosen once, by [`HostOptions`](crate::HostOptions), so that all levels of a tree fit in
/// memory; they do not grow with the tree.
pub struct Gpu<D: Device> {
    pub(crate) info: DeviceInfo,
    pub(crate) session: Session<D::Interface>,
    pub(crate) opening: Opening,
    log: String,
    /// Whether the merge kernels are compiled and have passed their self-test.
    pub(crate) merging_tested: bool,
    /// Whether the kernels that tell the kinds of moves are compiled and have passed their self-test.
    pub(crate) categories_tested: bool,
    /// Whether the minimax kernels are compiled and have passed their self-test.
    pub(crate) minimax_tested: bool,
}

impl<D: Device> Gpu<D> {
    /// Lists the devices of this interface. [`Gpu::open`] takes an index in this list.
    ///
    /// # Errors
    /// If there is no device. The sentence says what to do about it.
    pub fn devices() -> Result<Vec<D>, BackendError> {
        D::list()
    }

    /// Makes the error for a device that cannot be used.
    fn unavailable(device: &str, reason: &str) -> BackendError {
        BackendError::Unavailable { backend: D::BACKEND, reason: format!("on {device}, {reason}") }
    }

    /// Opens a device and compiles the counting kernels, without a self-test.
    ///
    /// # Errors
    /// If the device cannot be used, if the options do not fit, or if the kernels cannot be compiled.
    pub async fn connect(device: &D, options: &D::Options) -> Result<Self, BackendError> {
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
        let host = settings.as_ref().clone();
        let info = DeviceInfo {
            memory: info.memory.or(Some(host.memory)),
            variant: device.describe(&settings),
            ..info.clone()
        };
        let modules = Session::<D::Interface>::counting_modules(&host);
        let session = Session::new(info.name.clone(), interface, host);
        let log = String::new();
        let mut gpu = Self {
            info,
            session,
            opening,
            log,
            merging_tested: false,
            categories_tested: false,
            minimax_tested: false,
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
        let Compiled { log, source, kernels, each } =
            compiled.map_err(|failure| Self::unavailable(&self.info.name, &failure.sentence()))?;
        self.log += &log;
        self.opening.source += source;
        self.opening.kernels += kernels;
        self.opening.compilations.extend(each);
        Ok(())
    }

    /// The open interface, for functions that other interfaces do not have.
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
    /// [`HostOptions::profile`](crate::HostOptions::profile) is set.
    pub fn profile(&mut self) -> Vec<KernelTime> {
        self.session.runner.profile.as_mut().map(|profile| profile.take()).unwrap_or_default()
    }
}

// Tuning opens devices again and again, and waits for them.
#[cfg(not(target_family = "wasm"))]
impl<D: Device> Tunable for D
where
    Gpu<D>: Send,
{
    type Options = D::Options;
    type Backend = Gpu<D>;

    fn info(&self) -> DeviceInfo {
        Device::info(self)
    }

    fn kernels(&self) -> String {
        D::kernels()
    }

    fn plan(&self, options: &D::Options) -> Result<String, String> {
        let settings = self.settings(options)?;
        Ok(format!("{}, {}", self.describe(&settings), settings.as_ref().describe_sizes()))
    }

    fn values(&self) -> Vec<Value<D::Options>> {
        Device::values(self)
    }

    fn untuned(&self, options: &D::Options) -> Result<Gpu<D>, BackendError> {
        Gpu::untuned(self, options)
    }
}
