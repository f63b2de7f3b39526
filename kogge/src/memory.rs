//! The memory that merged plies may take.

use std::num::NonZeroUsize;

use kogge_board::{Backend, DeviceInfo, DeviceKind};
use kogge_driver::{MergeDevice, MergeSettings};

use crate::costs;

/// The free memory assumed where the system is not asked, or does not answer: 4 GiB.
const UNKNOWN: u64 = 4 << 30;

/// Returns the number of bytes for merged plies on a device: the requested number, if any; on a discrete GPU, nine tenths of
/// its memory; otherwise half of the system's available memory (on macOS, a quarter of its memory), but at most nine tenths of the
/// memory that the backend may use. If other programs use a GPU's memory, the merge notices that while it runs, and takes less.
///
/// ```
/// use std::num::NonZeroUsize;
/// use kogge::{Backend, Cpu, DeviceInfo, DeviceKind, memory};
/// let cpu = Cpu::new(None)?;
/// let gpu = DeviceInfo { kind: DeviceKind::DiscreteGpu, memory: Some(80_000_000_000), ..cpu.info().clone() };
/// assert_eq!(memory::share(None, &gpu), 72_000_000_000);
/// assert_eq!(memory::share(NonZeroUsize::new(1 << 30), &gpu), 1 << 30);
/// # Ok::<(), kogge::BackendError>(())
/// ```
pub fn share(asked: Option<NonZeroUsize>, info: &DeviceInfo) -> u64 {
    let device = info.memory.map(|bytes| bytes / 10 * 9);
    match (asked, device) {
        (Some(bytes), _) => bytes.get() as u64,
        (None, Some(bytes)) if info.kind == DeviceKind::DiscreteGpu => bytes,
        (None, device) => (available().unwrap_or(UNKNOWN) / 2).min(device.unwrap_or(u64::MAX)),
    }
}

/// Returns the settings for merging on a device: its [`share`] of the memory, and its costs in earlier runs.
///
/// ```
/// use std::num::NonZeroUsize;
/// use kogge::{Backend, Cpu, Driver, Fen, memory};
/// let mut cpu = Cpu::new(None)?;
/// let settings = memory::settings(NonZeroUsize::new(1 << 26), cpu.info());
/// assert_eq!(Driver::new(&mut cpu, &()).perft_merged(&Fen::start(), 4, &settings)?.leaves, 197_281);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn settings(asked: Option<NonZeroUsize>, info: &DeviceInfo) -> MergeSettings {
    MergeSettings { costs: costs::known(info), ..MergeSettings::with_memory(share(asked, info)) }
}

/// Returns a device with its [`settings`].
///
/// ```
/// use std::num::NonZeroUsize;
/// use kogge::{Cpu, memory};
/// let device = memory::device(NonZeroUsize::new(1 << 26), Box::new(Cpu::new(None)?));
/// assert_eq!((device.backend.info().backend, device.settings.memory), ("cpu", 1 << 26));
/// # Ok::<(), kogge::BackendError>(())
/// ```
pub fn device(asked: Option<NonZeroUsize>, backend: Box<dyn Backend>) -> MergeDevice {
    MergeDevice { settings: settings(asked, backend.info()), backend }
}

/// Returns devices that merge at the same time. Devices without their own memory divide the system's memory, unless a number of
/// bytes is requested, which each device gets.
///
/// ```
/// use std::num::NonZeroUsize;
/// use kogge::{Backend, Cpu, memory};
/// let half = || Cpu::new(Some(1)).map(|cpu| Box::new(cpu) as Box<dyn Backend>);
/// let devices = memory::devices(NonZeroUsize::new(1 << 26), vec![half()?, half()?]);
/// assert!(devices.iter().all(|device| device.settings.memory == 1 << 26));
/// # Ok::<(), kogge::BackendError>(())
/// ```
pub fn devices(asked: Option<NonZeroUsize>, backends: Vec<Box<dyn Backend>>) -> Vec<MergeDevice> {
    let mut devices: Vec<_> = backends.into_iter().map(|backend| device(asked, backend)).collect();
    let has_own = |device: &MergeDevice| device.backend.info().kind == DeviceKind::DiscreteGpu;
    let sharing = devices.iter().filter(|device| !has_own(device)).count().max(1) as u64;
    if asked.is_none() {
        devices.iter_mut().filter(|device| !has_own(device)).for_each(|device| device.settings.memory /= sharing);
    }
    devices
}

/// Returns the available memory in bytes, if the system reports it as Linux does.
#[cfg(not(any(windows, target_os = "macos")))]
fn available() -> Option<u64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// Returns the available memory in bytes. Windows promises no memory that it lacks, so what other programs have reserved is not
/// available, even if they do not use it.
#[cfg(windows)]
fn available() -> Option<u64> {
    use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: `status` can be written, and its first field has its size, as the function requires.
    let is_known = unsafe { GlobalMemoryStatusEx(&mut status) } != 0;
    is_known.then_some(status.ullAvailPhys.min(status.ullAvailPageFile))
}

/// Returns half of the memory in bytes. macOS has no number for what is available: it fills free memory with copies of files, and
/// compresses what programs have not used for a while.
#[cfg(target_os = "macos")]
fn available() -> Option<u64> {
    let bytes = crate::sysctl(c"hw.memsize")?;
    Some(u64::from_ne_bytes(bytes.try_into().ok()?) / 2)
}

#[cfg(any(test, not(any(windows, target_os = "macos"))))]
fn available_in(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use kogge_board::Backend;
    use kogge_movegen_cpu::mailbox::Mailbox;

    use super::*;

    #[test]
    fn free_memory_is_read() {
        let text = "MemTotal:       24099604 kB\nMemFree:          123 kB\nMemAvailable:   22000000 kB\n";
        assert_eq!(available_in(text), Some(22_000_000 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB"), None);
        assert_eq!(available_in("MemAvailable: many kB"), None);
        #[cfg(any(target_os = "linux", target_os = "macos", windows))]
        assert!(available() > Some(1 << 20));
    }

    #[test]
    fn a_discrete_gpu_gives_its_own_memory() {
        let mut info = Mailbox::new().info().clone();
        info.memory = Some(1_000_000);
        assert_eq!(share(None, &info), 900_000, "the backend may use no more");
        info.kind = DeviceKind::DiscreteGpu;
        info.memory = Some(1_000_000_000_000);
        assert_eq!(share(None, &info), 900_000_000_000);
        info.kind = DeviceKind::Cpu;
        assert!(share(None, &info) < 1 << 58);
        assert_eq!(share(NonZeroUsize::new(4096), &info), 4096);
    }
}
