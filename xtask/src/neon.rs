//! The CPU code on AArch64, whose variant with NEON registers no x86-64 machine runs by itself: built for that target
//! by a cross compiler's linker, and tested in an emulator.

use crate::{
    Result,
    steps::{cargo, command, step},
    system::{self, AARCH64},
};

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Tests that meet every instruction that the variant uses; all of them would take too long in an emulator.
const TESTS: &[&str] = &["--lib", "--test", "claims"];

/// Builds and tests. On AArch64 itself, the ordinary tests do all of this.
pub(crate) fn test() -> Result {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        eprintln!("The variant for NEON is tested in an emulator only on x86-64 Linux.");
        return Ok(());
    }
    step("what NEON needs", || {
        command("rustup").args(["target", "add", TARGET]).run()?;
        system::provide(AARCH64)
    })?;
    step("tests of NEON", || {
        cargo("test")
            .args(["--package", "kogge-movegen-cpu", "--target", TARGET])
            .args(TESTS)
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc")
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu")
            .run()
    })
}
