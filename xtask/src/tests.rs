//! The tests of the workspace, with all features.

use std::{collections::BTreeSet, thread};

use crate::{
    REQUIRED_DEVICES, Result, metadata,
    steps::{self, Run, cargo, step},
};

/// The variable that names the variants of the CPU code whose tests fail on a CPU that lacks them.
const REQUIRED_VARIANTS: &str = "KOGGE_REQUIRE_VARIANTS";

/// Builds the tests and runs the tests in the documentation. Tests of these GPU backends fail without a device.
pub(crate) fn build(gpus: &[&str]) -> Result {
    step("build the tests", || test(gpus).args(["--tests", "--no-run"]).run())?;
    step("doc tests", || test(gpus).arg("--doc").run())
}

/// The name of the tests of a device. They mostly wait for compilers of kernels, which use one core, so they run beside the other tests.
const DEVICE: &str = "device";

/// Runs all tests but the tests in the documentation.
pub(crate) fn run(gpus: &[&str]) -> Result {
    note_missing_variants();
    let others: BTreeSet<_> = metadata::tests()?.into_iter().filter(|name| name != DEVICE).collect();
    let others = others.iter().flat_map(|name| ["--test", name]);
    steps::announce("tests");
    let (beside, others) = thread::scope(|scope| {
        let devices =
            scope.spawn(|| test(gpus).args(["--test", DEVICE]).run_beside().map_err(|error| error.to_string()));
        let others = test(gpus).args(["--lib", "--bins"]).args(others).run();
        (devices.join(), others)
    });
    others?;
    Ok(beside.map_err(|_| "A thread failed.")??)
}

fn test(gpus: &[&str]) -> Run {
    let test = cargo("test").args(["--workspace", "--all-features"]);
    test.env(REQUIRED_DEVICES, &gpus.join(",")).env(REQUIRED_VARIANTS, &required_variants())
}

/// Returns the variants of the CPU code that must be tested: those in the environment variable, or else the variants that any current CPU can
/// run.
fn required_variants() -> String {
    let current = match () {
        () if cfg!(target_arch = "x86_64") => "portable,bmi,avx2",
        () if cfg!(target_arch = "aarch64") => "portable,neon",
        () => "portable",
    };
    std::env::var(REQUIRED_VARIANTS).unwrap_or_else(|_| current.to_owned())
}

/// Says which variants are not tested, unless the caller has chosen the variants.
fn note_missing_variants() {
    #[cfg(target_arch = "x86_64")]
    if std::env::var_os(REQUIRED_VARIANTS).is_none() && !is_x86_feature_detected!("avx512vpopcntdq") {
        eprintln!(
            "The variants for AVX-512 are not tested, or not all: this CPU lacks the instructions, and QEMU does not emulate them. \
             With {REQUIRED_VARIANTS}=avx512-popcount the tests fail on such a CPU."
        );
    }
}
