//! Measures how fast a backend counts and expands a batch of positions, beside `python/bench/benchmark.py`.
//!
//!     cargo run --release -p kogge-cli --example batches -- FILE cpu|opencl|wgpu[:DEVICE]...
//!
//! The file holds positions of 48 bytes under the usual rules (`Quad48`), as the benchmark writes them. Each line of the output
//! has a device, an operation, and the rate in positions per second: the median of several runs, copies to and from the device
//! included.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use kogge::{Backend, BackendError, Fen, NamedDevice, Quad48, Request, unwatched};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The minimum time of all runs of an operation, and the minimum number of runs.
const TIME: Duration = Duration::from_millis(500);
const RUNS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, devices @ ..] = &arguments[..] else {
        eprintln!("error: Expected a file of positions, then devices: cpu, opencl, opencl:1, wgpu.");
        return ExitCode::from(2);
    };
    match devices.iter().try_for_each(|device| measure(file, device)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(file: &str, device: &str) -> Outcome<()> {
    let bytes = std::fs::read(file)?;
    if bytes.len() % size_of::<Quad48>() != 0 {
        return Err(format!("{file} does not hold whole positions of 48 bytes.").into());
    }
    let positions: Vec<Quad48> = bytemuck::pod_collect_to_vec(&bytes);
    let rules = Fen::start().rules.with_halfmove_clock(true);
    let mut backend = open(device)?;
    let mut rate =
        |operation: &str, work: &mut dyn FnMut(&mut dyn Backend) -> Result<(), BackendError>| -> Outcome<()> {
            work(&mut *backend)?;
            let (begun, mut times) = (Instant::now(), Vec::new());
            while times.len() < RUNS || begun.elapsed() < TIME {
                let start = Instant::now();
                work(&mut *backend)?;
                times.push(start.elapsed());
            }
            times.sort_unstable();
            println!("{device}\t{operation}\t{:.0}", positions.len() as f64 / times[times.len() / 2].as_secs_f64());
            Ok(())
        };
    rate("count", &mut |backend| backend.perft(&rules, &positions, 1, &mut unwatched).map(drop))?;
    rate("expand", &mut |backend| backend.expand(&rules, &positions).map(drop))
}

/// Opens `cpu`, `opencl` or `wgpu`; `:1` after the name selects device 1.
fn open(device: &str) -> Outcome<Box<dyn Backend>> {
    let named: NamedDevice = device.parse().map_err(|()| format!("{device:?} is no device such as opencl:1."))?;
    Ok(kogge::open(&Request::default().of(named.backend, named.number), None)?.backend)
}
