//! Measures a wgpu device. [`kogge_testkit::measure`] explains the command line.
//!
//! wgpu's own options: `word` (`native`, `emulated`), `sliders` (`fill`, `carry`), `subgroups` (`true`, `false`), `unordered`
//! (`never`, `in_merges`, `always`).

use std::process::ExitCode;

use kogge_backend_wgpu::{Device, Options, Sliders, Word};
use kogge_gpu::Unordered;
use kogge_testkit::measure::{Outcome, Subject, main as measure, product, values};

struct WgpuSubject;

impl Subject for WgpuSubject {
    type Device = Device;

    fn set(options: &mut Options, name: &str, value: &str) -> Outcome<bool> {
        match (name, value) {
            ("word", "native") => options.word = Some(Word::Native),
            ("word", "emulated") => options.word = Some(Word::Emulated),
            ("sliders", "fill") => options.sliders = Some(Sliders::Fill),
            ("sliders", "carry") => options.sliders = Some(Sliders::Carry),
            ("unordered", "never") => options.unordered = Some(Unordered::Never),
            ("unordered", "in_merges") => options.unordered = Some(Unordered::InMerges),
            ("unordered", "always") => options.unordered = Some(Unordered::Always),
            ("subgroups", _) => options.subgroups = Some(value.parse()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

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
