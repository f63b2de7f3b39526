//! Tests the NEON variant, which needs AArch64: links with a cross compiler and runs in an emulator.

use crate::{
    Result, metadata, platform,
    steps::{cargo, step},
    system::{self, AARCH64},
};

pub(crate) const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Tests that run every instruction of the variant, and count, evaluate, hash and merge; all tests would take too long in an emulator.
const TESTS: &[&str] = &["--test", "claims", "--test", "every_variant"];

/// Builds and runs the tests. On AArch64 itself, the ordinary tests cover this.
pub(crate) fn test() -> Result {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        eprintln!("The variant for NEON is tested in an emulator only on x86-64 Linux.");
        return Ok(());
    }
    step("tools for NEON", || {
        platform::add(TARGET)?;
        system::provide(AARCH64)
    })?;
    step("tests of NEON", || {
        cargo("test")
            .args(["--package", "kogge-movegen-cpu", "--target", TARGET, "--target-dir"])
            // A folder of its own, because another command of Cargo may build in the folder of this machine's tests.
            .arg(metadata::target()?.join("neon"))
            .args(TESTS)
            .env("KOGGE_REQUIRE_VARIANTS", "neon")
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc")
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu")
            .run()
    })
}
