//! Makes the page for browsers: compiles the modules of WebAssembly, puts them beside the files of `web/page`, and checks the size.

mod size;
mod tests;

use std::{
    fs,
    path::{Path, PathBuf},
};

use wasm_bindgen_cli_support::Bindgen;

use crate::{
    Result, archive, metadata, platform, python, root,
    steps::{Run, cargo, command, step},
};

pub(crate) use tests::test;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The flags of the compiler for vector instructions.
const SIMD: &str = "-Ctarget-feature=+simd128";

/// A module of WebAssembly.
struct Module {
    name: &'static str,
    flags: &'static str,
    features: &'static str,
}

/// The modules: for counting on the CPU, without and with vector instructions, and for counting through WebGPU. Every browser
/// with WebGPU has vector instructions.
const MODULES: [Module; 3] = [
    Module { name: "plain", flags: "", features: "" },
    Module { name: "simd", flags: SIMD, features: "" },
    Module { name: "gpu", flags: SIMD, features: "gpu" },
];

/// Checks the code that only browsers run.
pub(crate) fn lint() -> Result {
    platform::add(TARGET)?;
    cargo("clippy")
        .args(["--package", "kogge-web", "--features", "gpu", "--target", TARGET, "--", "-D", "warnings"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", SIMD)
        .run()
}

/// Makes the page, prints its size, and returns its folder.
pub(crate) fn make() -> Result<PathBuf> {
    platform::add(TARGET)?;
    let target = metadata::target()?;
    let folder = target.join("web");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    archive::copy_folder(&root().join("web/page"), &folder)?;
    for module in &MODULES {
        step(&format!("module {}", module.name), || compile(module, &target.join("modules"), &folder.join("wasm")))?;
    }
    size::check(&folder)?;
    eprintln!("The page is in {}.", folder.display());
    Ok(folder)
}

fn compile(module: &Module, target: &Path, folder: &Path) -> Result {
    let Module { name, flags, features } = module;
    cargo("build")
        .args(["--profile", "dist", "--package", "kogge-web", "--lib", "--target", TARGET, "--features", features])
        .arg("--target-dir")
        .arg(target)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags)
        .run()?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(target.join(TARGET).join("dist/kogge_web.wasm")).out_name(name);
    bindgen
        .web(true)?
        .typescript(false)
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.generate(folder)?;
    Ok(())
}

/// Serves a folder to this machine only, until stopped.
pub(crate) fn serve(folder: &Path, port: u16) -> Result {
    server(folder, port).run()
}

fn server(folder: &Path, port: u16) -> Run {
    let port = port.to_string();
    command(python::interpreter()).args(["-m", "http.server", &port, "--bind", "127.0.0.1", "--directory"]).arg(folder)
}
