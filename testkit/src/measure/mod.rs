//! Measurements of a GPU backend, with a check of every count. A backend's example names its options and variants, and
//! [`main`] does the rest.
//!
//! ```text
//! measure [--device N] [--seconds S] [--binary FILE] [SECTION...] [NAME=VALUE,...] [default]
//! ```
//!
//! Sections, all by default, in this order:
//! * `start`: the time from the start to the first answer, twice;
//! * `conform`: random positions against the CPU, with every variant of the kernels;
//! * `perft`: the six standard positions, to increasing depths while a count takes less than S seconds (10);
//! * `profile`: the time of each kernel;
//! * `minimax`: leaves evaluated in the six standard positions, statically and by quiescence, and the time of each kernel;
//! * `sweep`: the rate with each variant and with other values of each option.
//!
//! An argument such as `closed_form_group_size=384,moves=1000000` measures these options only: a table has a row for each such
//! argument, and the section `minimax` a table for each. `default` stands for no option. Option names are those of
//! [`GpuOptions`](kogge_gpu::GpuOptions); the section `sweep` writes its rows in this form.
//!
//! Without `--device` the first GPU is measured, or the first device if there is no GPU. `--binary` writes the compiled
//! kernels to a file, if the interface provides them. The devices are listed first; tables are Markdown.

mod counting;
mod merged;
mod minimax;
mod rows;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kogge_board::{BackendError, DeviceKind};
use kogge_gpu::tuning::planned;
use kogge_gpu::{Device, Gpu, GpuOptions};

use crate::device_suite::Tested;

pub use merged::main as merged;
pub use rows::{product, values};

/// A result of a measurement.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const SECTIONS: [&str; 6] = ["start", "conform", "perft", "profile", "minimax", "sweep"];

/// The parts of a measurement that differ between backends. Options are written as on the command line, such as
/// `sliders=carry,group_size=64`.
pub trait Subject {
    /// The backend's device.
    type Device: Tested;

    /// Returns the options that the sections `start`, `perft` and `profile` measure.
    fn forms(_: &Self::Device) -> Vec<String> {
        vec!["default".to_owned()]
    }

    /// Returns all variants of the kernels.
    fn variants(device: &Self::Device) -> Vec<String>;

    /// Returns the rows of the section `sweep` besides the variants and the host's options.
    fn sweep(device: &Self::Device) -> Vec<String>;

    /// Makes the compiler verbose. Its log is printed.
    fn be_verbose(_: &Self::Device, _: &mut GpuOptions) {}

    /// Returns the compiled kernels.
    ///
    /// # Errors
    /// If the interface or the driver does not provide them.
    fn binary(_: &Gpu<Self::Device>) -> Outcome<Vec<u8>> {
        Err("This interface does not give the compiled kernels.".into())
    }
}

/// The parsed command line.
struct Plan<S: Subject> {
    device: S::Device,
    binary: Option<String>,
    seconds: f64,
    sections: Vec<String>,
    /// The options to measure, as on the command line.
    rows: Vec<String>,
    /// The time that the first list of the devices took.
    listed: Duration,
}

/// Runs the measurements of the command line.
pub fn main<S: Subject>() -> ExitCode {
    match Plan::<S>::parse().and_then(|plan| plan.measure()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Lists and prints the devices, and returns them with the index of the first GPU.
fn devices<D: Tested>() -> Outcome<(Vec<D>, usize)> {
    let devices = D::list()?;
    for (index, device) in devices.iter().enumerate() {
        let info = planned(device);
        let unusable = device.unusable().unwrap_or_default();
        println!("device {index}: {} ({}, {}), memory {:?} {unusable}", info.name, info.kind, info.driver, info.memory);
        println!("    {}", info.variant);
    }
    let gpu = |device: &D| matches!(Device::info(device).kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
    let first = devices.iter().position(gpu).unwrap_or(0);
    Ok((devices, first))
}

impl<S: Subject> Plan<S> {
    fn parse() -> Outcome<Self> {
        let start = Instant::now();
        S::Device::list()?;
        let listed = start.elapsed();
        let (devices, mut index) = devices::<S::Device>()?;
        let (mut binary, mut seconds, mut sections, mut rows) = (None, 10.0, Vec::new(), Vec::new());
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value."));
            match argument.as_str() {
                "--device" => index = value()?.parse()?,
                "--seconds" => seconds = value()?.parse()?,
                "--binary" => binary = Some(value()?),
                section if SECTIONS.contains(&section) => sections.push(argument),
                _ => {
                    rows::options(&argument)?;
                    rows.push(argument);
                }
            }
        }
        if sections.is_empty() && rows.is_empty() {
            sections = SECTIONS.map(String::from).to_vec();
        }
        let device = devices.into_iter().nth(index).ok_or(format!("There is no device {index}."))?;
        Ok(Self { device, binary, seconds, sections, rows, listed })
    }

    fn measure(&self) -> Outcome {
        self.describe()?;
        for section in &self.sections {
            println!("\n## {section}\n");
            match section.as_str() {
                "start" => self.start()?,
                "conform" => self.conform()?,
                "perft" => self.perft()?,
                "profile" => self.profile()?,
                "minimax" if self.rows.is_empty() => self.minimax("default")?,
                "minimax" => {
                    for row in &self.rows {
                        println!("{row}:\n");
                        self.minimax(row)?;
                    }
                }
                _ => self.sweep()?,
            }
        }
        if !self.rows.is_empty() && self.sections.is_empty() {
            println!();
            self.table(self.rows.clone())?;
        }
        Ok(())
    }

    /// Opens the device once, describes it, and prints the compiler's log.
    fn describe(&self) -> Outcome {
        let mut options = GpuOptions::default();
        S::be_verbose(&self.device, &mut options);
        let start = Instant::now();
        let backend = self.open(&options)?;
        let info = kogge_board::Backend::info(&backend);
        println!("\nmeasuring {} ({}), {}, batches of {}", info.name, info.driver, info.variant, info.batch);
        println!("{}", self.device.settings(&options)?.plan());
        println!("opened, compiled and self-tested in {:.1} s", start.elapsed().as_secs_f64());
        for line in backend.compiler_log().lines().filter(|line| !line.trim().is_empty()) {
            println!("compiler: {line}");
        }
        if let Some(file) = &self.binary {
            std::fs::write(file, S::binary(&backend)?)?;
        }
        Ok(())
    }

    /// Opens the device with these options.
    fn open(&self, options: &GpuOptions) -> Result<Gpu<S::Device>, BackendError> {
        Gpu::on(&self.device, options)
    }

    /// Opens the device with options written as on the command line.
    fn open_row(&self, row: &str) -> Outcome<Gpu<S::Device>> {
        Ok(self.open(&rows::options(row)?)?)
    }
}
