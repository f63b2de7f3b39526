//! How much memory merged plies may take.

use kogge_board::{DeviceInfo, DeviceKind};

use crate::args::Memory;

/// What is taken to be free where the system does not say so: 4 GiB.
const UNKNOWN: u64 = 4 << 30;

/// Bytes for merged plies on a device: what was asked for; else three quarters of what its backend uses of a GPU's own
/// memory; else half of the memory that the system can give without taking it from others, at most three quarters of what
/// the device may use.
pub(crate) fn share(asked: Memory, info: &DeviceInfo) -> u64 {
    let device = info.memory.map(|bytes| bytes / 4 * 3);
    match (asked.memory, device) {
        (Some(bytes), _) => bytes.get() as u64,
        (None, Some(bytes)) if info.kind == DeviceKind::DiscreteGpu => bytes,
        (None, device) => (available().unwrap_or(UNKNOWN) / 2).min(device.unwrap_or(u64::MAX)),
    }
}

/// Bytes that the system can give, if it says so: Linux does.
fn available() -> Option<u64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use kogge_board::Backend;
    use kogge_movegen_cpu::mailbox::Mailbox;

    use super::*;

    #[test]
    fn free_memory_is_read() {
        let text = "MemTotal:       24099604 kB\nMemFree:          123 kB\nMemAvailable:   22000000 kB\n";
        assert_eq!(available_in(text), Some(22_000_000 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB"), None);
        assert_eq!(available_in("MemAvailable: many kB"), None);
        #[cfg(target_os = "linux")]
        assert!(available() > Some(1 << 20));
    }

    #[test]
    fn a_gpu_is_asked_for_its_own() {
        let mut info = Mailbox::new().info().clone();
        info.memory = Some(1 << 20);
        let none = Memory { memory: None };
        assert_eq!(share(none, &info), 3 << 18, "it may use no more than that");
        info.kind = DeviceKind::DiscreteGpu;
        info.memory = Some(1 << 60);
        assert_eq!(share(none, &info), 3 << 58);
        info.kind = DeviceKind::Cpu;
        assert!(share(none, &info) < 1 << 58);
        assert_eq!(share(Memory { memory: NonZeroUsize::new(4096) }, &info), 4096);
    }
}
