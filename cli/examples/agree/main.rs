//! Compares the minimax values of the CPU backend, alpha-beta without other pruning, the mailbox and any other backend on
//! random positions, one to four plies deep, with and without quiescence, until the time is up.
//!
//!     cargo run --release -p kogge-cli --example agree -- SECONDS SEED [opencl[:DEVICE]] [wgpu[:DEVICE]]
//!
//! At the first difference it prints the position, its rules and both values, and exits with 1.

mod compare;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use compare::{Compared, Limits, round};
use kogge_backend_opencl::OpenCl;
use kogge_backend_wgpu::Wgpu;
use kogge_board::Backend;
use kogge_testkit::placement;
use kogge_testkit::soak::soak;
use proptest::strategy::Strategy;

/// These limits let openings be compared four plies deep.
const LIMITS: Limits = Limits {
    leaves: [300_000, 30_000],
    by_mailbox: [10_000, 1_000],
    positions: [[1_000, 400, 200, 60], [8, 6, 4, 2]],
    men: [32, 16],
    end: None,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ([seconds, seed], devices) = match arguments.split_first_chunk() {
        Some((numbers, devices)) => match numbers.each_ref().map(|number| number.parse()) {
            [Ok(seconds), Ok(seed)] => ([seconds, seed], devices),
            _ => return usage(),
        },
        None => return usage(),
    };
    match compare_for(Duration::from_secs(seconds), seed, devices) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            println!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("error: Expected two numbers, SECONDS SEED, and optionally devices: opencl, opencl:1, wgpu.");
    ExitCode::from(2)
}

/// Compares until the time is up.
fn compare_for(time: Duration, seed: u64, devices: &[String]) -> Result<(), String> {
    let mut others = devices.iter().map(|device| open(device)).collect::<Result<Vec<_>, _>>()?;
    for backend in &others {
        println!("{}: {}, {}", backend.info().backend, backend.info().name, backend.info().variant);
    }
    let (mut soak, mut compared) = (soak(seed, placement().boxed()), Compared::default());
    let start = Instant::now();
    let limits = Limits { end: Some(start + time), ..LIMITS };
    while start.elapsed() < time {
        compared += round(&mut soak, &limits, &mut others)?;
        println!("{:.0} s: {compared}", start.elapsed().as_secs_f64());
    }
    println!("No differences.");
    Ok(())
}

/// Opens `opencl` or `wgpu`; `:1` after the name selects device 1.
fn open(device: &str) -> Result<Box<dyn Backend>, String> {
    let (name, number) = device.split_once(':').unwrap_or((device, "0"));
    let number = number.parse().map_err(|_| format!("{number:?} is not a device number."))?;
    let opened: Result<Box<dyn Backend>, _> = match name {
        "opencl" => OpenCl::open(number, &Default::default()).map(|backend| Box::new(backend) as _),
        "wgpu" => Wgpu::open(number, &Default::default()).map(|backend| Box::new(backend) as _),
        _ => return Err(format!("There is no device {device:?}; there are opencl and wgpu.")),
    };
    opened.map_err(|error| error.to_string())
}
