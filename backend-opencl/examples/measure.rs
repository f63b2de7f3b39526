//! Measures an OpenCL device. [`kogge_testkit::measure`] explains the command line.

use std::process::ExitCode;

use kogge_backend_opencl::{Device, GpuOptions, OpenCl};
use kogge_testkit::measure::{Outcome, Subject, main as measure, product, values};

struct OpenClSubject;

impl Subject for OpenClSubject {
    type Device = Device;

    fn variants(_: &Device) -> Vec<String> {
        let sliders = ["sliders=fill", "sliders=carry", "magic=true"].map(String::from);
        let breadth_first = product(&sliders, &values("boards48", [false, true]));
        let depth_first = product(&breadth_first, &values("depth_first", [3]));
        [breadth_first, depth_first].concat()
    }

    fn sweep(device: &Device) -> Vec<String> {
        let counting = product(&values("count_group_size", [64, 128, 256]), &groups(device));
        let walks = product(&values("depth_first", [3]), &values("group_size", [32, 64, 256]));
        let mut rows = [values("depth_first", [2, 4, 5]), walks, counting].concat();
        rows.push("vendor_instructions=false".to_owned());
        if device.vendor.contains("NVIDIA") {
            rows.extend(values("registers", [96, 112, 128, 144, 168, 200, 255]));
        }
        rows
    }

    /// Makes NVIDIA's compiler print registers and spills.
    fn be_verbose(device: &Device, options: &mut GpuOptions) {
        if device.vendor.contains("NVIDIA") {
            options.compiler = "-cl-nv-verbose".into();
        }
    }

    fn binary(backend: &OpenCl) -> Outcome<Vec<u8>> {
        Ok(backend.interface().binary()?)
    }
}

/// Returns numbers of work-groups for counting, as multiples of the compute units.
fn groups(device: &Device) -> Vec<String> {
    values("count_groups", [1, 4, 16, 64, 256].map(|groups| groups * device.compute_units))
}

fn main() -> ExitCode {
    measure::<OpenClSubject>()
}
