//! Describes the machine.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use serde::Serialize;

/// The load per core, before the measurement, above which a machine counts as busy.
const BUSY: f64 = 0.2;

#[derive(Serialize)]
pub(crate) struct Machine {
    /// Operating system and architecture.
    pub(crate) system: String,
    /// The name of the CPU, as Linux, macOS or Windows reports it.
    pub(crate) processor: Option<String>,
    /// The number of threads that can run at the same time.
    pub(crate) cores: usize,
    /// The average number of running and waiting threads in the last minute, as Linux reports it.
    load: Option<f64>,
}

impl Machine {
    pub(crate) fn now() -> Self {
        let read = |file| std::fs::read_to_string(file).ok();
        Self {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: match std::env::consts::OS {
                "windows" => std::env::var("PROCESSOR_IDENTIFIER").ok(),
                "macos" => brand(),
                _ => read("/proc/cpuinfo").as_deref().and_then(processor),
            },
            cores: available_parallelism().map_or(1, NonZeroUsize::get),
            load: read("/proc/loadavg").as_deref().and_then(load),
        }
    }

    pub(crate) fn busy(&self) -> Option<String> {
        let load = self.load.filter(|load| *load > BUSY * self.cores as f64)?;
        Some(format!(
            "The machine was busy before anything was measured: a load of {load:.1} on {} cores in the last minute.",
            self.cores
        ))
    }
}

/// Returns the name of the CPU on macOS.
#[cfg(target_os = "macos")]
fn brand() -> Option<String> {
    let text = kogge::sysctl(c"machdep.cpu.brand_string")?;
    Some(std::ffi::CStr::from_bytes_until_nul(&text).ok()?.to_string_lossy().into_owned())
}

/// Returns nothing: only macOS has this name.
#[cfg(not(target_os = "macos"))]
fn brand() -> Option<String> {
    None
}

fn processor(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_linux_is_read() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.50GHz\n\nmodel name\t: Other\n";
        assert_eq!(processor(text).as_deref(), Some("Some CPU @ 2.50GHz"));
        assert_eq!(processor("processor: 0"), None);
        assert_eq!(load("1.71 1.74 2.04 2/345 6789\n"), Some(1.71));
        assert_eq!(load("much"), None);
    }

    #[test]
    fn a_busy_machine_is_noisy() {
        let machine = |load| Machine { system: String::new(), processor: None, cores: 10, load };
        assert_eq!(machine(None).busy(), None);
        assert_eq!(machine(Some(1.9)).busy(), None);
        let sentence = machine(Some(2.1)).busy().expect("a sentence");
        assert!(sentence.contains("a load of 2.1 on 10 cores"), "{sentence}");
    }
}
