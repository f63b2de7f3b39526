//! A device of any backend, and a request to open one.

use std::num::NonZeroUsize;

use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind};

#[cfg(feature = "tuning")]
use crate::gpu::GpuDevice;
use crate::name::BackendName;

/// A request for one device.
#[derive(Clone, Copy, Default, Debug)]
pub struct Request {
    /// The backend.
    pub backend: BackendName,
    /// The number of the device within the backend.
    pub device: Option<usize>,
    /// The maximum number of CPU threads.
    pub threads: Option<NonZeroUsize>,
    /// The size of the hash table in bytes.
    pub hash: Option<NonZeroUsize>,
    /// The variant of the CPU backend's code, or the options of a GPU, such as `group_size=64,sliders=fill`.
    pub variant: Option<&'static str>,
}

impl Request {
    /// Returns a request for another backend with the same number of threads.
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use kogge::{BackendName, Request};
    /// let cpu = Request { threads: NonZeroUsize::new(2), hash: NonZeroUsize::new(1 << 20), ..Request::default() };
    /// let gpu = cpu.of(BackendName::Opencl, Some(1));
    /// assert_eq!((gpu.threads, gpu.hash), (cpu.threads, None));
    /// ```
    pub fn of(self, backend: BackendName, device: Option<usize>) -> Self {
        Self { backend, device, threads: self.threads, ..Self::default() }
    }
}

/// A device of a backend, not opened yet.
pub enum BackendDevice {
    /// The machine itself, for the CPU backend and the mailbox. It must be opened before it can be described.
    Host {
        /// The kind of processor.
        kind: DeviceKind,
        /// Opens the backend.
        open: fn(&Request) -> Result<Box<dyn Backend>, BackendError>,
    },
    /// A device of a GPU interface. A build without the features `opencl` and `wgpu` has none.
    #[cfg(feature = "tuning")]
    Gpu(GpuDevice),
}

/// The devices of a backend, in the order of their numbers, or the reason why there are none.
pub type Listed = Result<Vec<BackendDevice>, BackendError>;

impl BackendDevice {
    /// Returns the kind of processor.
    ///
    /// ```
    /// use kogge::{BACKENDS, DeviceKind};
    /// let hosts = BACKENDS.iter().filter(|backend| !backend.is_gpu()).flat_map(|backend| backend.devices().unwrap_or_default());
    /// assert!(hosts.map(|device| device.kind()).eq([DeviceKind::Cpu; 2]), "the CPU, and the mailbox on the CPU");
    /// ```
    pub fn kind(&self) -> DeviceKind {
        match self {
            Self::Host { kind, .. } => *kind,
            #[cfg(feature = "tuning")]
            Self::Gpu(device) => device.bare_info().kind,
        }
    }

    /// Returns whether the device can be used, as far as this is known before opening it.
    ///
    /// ```no_run
    /// use kogge::{BACKENDS, BackendDevice};
    /// let devices = BACKENDS.iter().flat_map(|backend| backend.devices().unwrap_or_default());
    /// println!("{} devices can be used.", devices.filter(BackendDevice::is_usable).count());
    /// ```
    pub fn is_usable(&self) -> bool {
        match self {
            Self::Host { .. } => true,
            #[cfg(feature = "tuning")]
            Self::Gpu(device) => device.unusable().is_none(),
        }
    }

    /// Describes the device with the options that it would be opened with.
    ///
    /// ```
    /// use kogge::{BACKENDS, BackendName};
    /// let cpu = BACKENDS.iter().find(|backend| backend.name == BackendName::Cpu).unwrap();
    /// let info = cpu.devices()?[0].info()?;
    /// println!("{} with the code for {}", info.name, info.variant);
    /// # assert_eq!(info.backend, "cpu");
    /// # Ok::<(), kogge::BackendError>(())
    /// ```
    ///
    /// # Errors
    /// If it cannot be used, with the reason.
    pub fn info(&self) -> Result<DeviceInfo, BackendError> {
        match self {
            Self::Host { open, .. } => Ok(open(&Request::default())?.info().clone()),
            #[cfg(feature = "tuning")]
            Self::Gpu(device) => device.info(),
        }
    }

    /// Opens the device.
    ///
    /// ```
    /// use kogge::{BACKENDS, BackendName, Driver, Fen, Request};
    /// let mailbox = BACKENDS.iter().find(|backend| backend.name == BackendName::Mailbox).unwrap();
    /// let mut device = mailbox.devices()?[0].open(&Request::default())?;
    /// assert_eq!(Driver::new(&mut *device, &()).perft(&Fen::start(), 3)?, 8902);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it cannot be used, with the reason.
    pub fn open(&self, request: &Request) -> Result<Box<dyn Backend>, BackendError> {
        match self {
            Self::Host { open, .. } => open(request),
            #[cfg(feature = "tuning")]
            Self::Gpu(device) => device.open(request.variant.unwrap_or_default()),
        }
    }
}
