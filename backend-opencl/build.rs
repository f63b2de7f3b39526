//! Builds the stand-in for the OpenCL library that `ocl` links against; `shim/opencl.c` says what it is for.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=shim/opencl.c");
    // macOS ships OpenCL as a framework, which is always there and which `ocl` names as one.
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
    // Only the directory is announced. `ocl` itself asks for the library by name, and Cargo puts the directories that
    // build scripts fill before all others, so that this file is found before any OpenCL that the system has.
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
    println!("cargo::rustc-link-search=native={}", directory.display());
}
