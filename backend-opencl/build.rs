//! Builds the stand-in for the OpenCL library that `ocl` links against; `shim/opencl.c` explains its purpose.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=shim/opencl.c");
    // macOS always has OpenCL, as a framework, and `ocl` links to the framework.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        return;
    }
    cc::Build::new()
        .file("shim/opencl.c")
        .std("c11")
        .warnings(true)
        .extra_warnings(true)
        .define("_CRT_SECURE_NO_WARNINGS", None)
        // Hidden: a driver that is loaded later must find the functions of the real library, never these.
        .flag_if_supported("-fvisibility=hidden")
        .cargo_metadata(false)
        .compile("OpenCL");
    // Only the directory is announced: `ocl` itself asks for the library by name. Cargo puts the directories of build
    // scripts before all others, so that the linker finds this file before any OpenCL library of the system.
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
    println!("cargo::rustc-link-search=native={}", directory.display());
}
