//! Sets `x86_variants` where the counter is compiled for the vector instructions of x86-64, too.
//!
//! Without optimisation, each variant is a megabyte of code, and compiling all of them took 11 s in place of 5. Nobody counts with such
//! code. Rust has no `cfg` for the level of optimisation, but a build script knows it.
//!
//! Fuzz targets look at parsers and rules, not at variants; instrumented for the fuzzer, all variants take a minute more to compile.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(x86_variants)");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_ARCH", "x86_64") && !is("OPT_LEVEL", "0") && env::var_os("CARGO_CFG_FUZZING").is_none() {
        println!("cargo::rustc-cfg=x86_variants");
    }
}
