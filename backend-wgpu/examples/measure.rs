//! Measures a wgpu device. [`kogge_testkit::measure`] explains the command line.

use std::process::ExitCode;

use kogge_backend_wgpu::Device;
use kogge_testkit::measure::{Subject, main as measure, product, values};

struct WgpuSubject;

impl Subject for WgpuSubject {
    type Device = Device;

    /// Returns both representations of a board, or one if the device has only one.
    fn forms(device: &Device) -> Vec<String> {
        let words = ["native", "emulated"].into_iter();
        values("word", words.filter(|&word| device.has_int64 || word == "emulated"))
    }

    fn variants(device: &Device) -> Vec<String> {
        product(&Self::forms(device), &values("sliders", ["fill", "carry"]))
    }

    fn sweep(device: &Device) -> Vec<String> {
        let sizes = [32, 64, 128, 256, 512]
            .map(|size| format!("group_size={size},closed_form_group_size={size},count_group_size={size}"));
        product(&Self::variants(device), &sizes)
    }
}

fn main() -> ExitCode {
    measure::<WgpuSubject>()
}
