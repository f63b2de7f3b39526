//! `kogge-backend-opencl` and `kogge-backend-wgpu`: counting on any GPUs.

use kogge::{Backend, Fen, Quad48, unwatched};
use kogge_backend_opencl::OpenCl;
use kogge_backend_wgpu::Wgpu;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut backends: Vec<Box<dyn Backend>> = Vec::new();
    // Opening a device compiles and tests its kernels. Without a device, the error names the missing part.
    match OpenCl::open(0, &Default::default()) {
        Ok(device) => backends.push(Box::new(device)),
        Err(error) => eprintln!("{error}"),
    }
    match Wgpu::open(0, &Default::default()) {
        Ok(device) => backends.push(Box::new(device)),
        Err(error) => eprintln!("{error}"),
    }
    let start = Fen::start();
    for backend in &mut backends {
        let leaves = backend.perft(&start.rules, &[Quad48::from(&start.position)], 4, &mut unwatched)?;
        println!("{}: {leaves:?}", backend.info().name);
    }
    Ok(())
}
