//! Prints the kernels for interfaces that do not take WGSL.

use std::{fs, path::PathBuf};

use kogge_gpu::{
    kernels::Module,
    source::{MODULES, printable},
};
use kogge_xtask::opencl_c;

use crate::{Result, root};

/// Returns the file of a module in OpenCL C.
fn path(module: Module) -> PathBuf {
    let name = format!("{module:?}").to_lowercase();
    root().join("backend-opencl/src/kernels/printed").join(name).with_extension("cl")
}

/// Returns a module in OpenCL C.
fn opencl(module: Module) -> Result<String> {
    let (source, kernels) = printable(module, None);
    let text = opencl_c::print(&source, &kernels)?;
    Ok(format!(
        "// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.\n\n{text}"
    ))
}

/// Writes all modules.
pub(crate) fn print() -> Result {
    for module in MODULES {
        let path = path(module);
        fs::write(&path, opencl(module)?)?;
        println!("{}", path.display());
    }
    Ok(())
}

#[test]
fn the_printed_kernels_are_those_of_the_source() {
    for module in MODULES {
        let printed = fs::read_to_string(path(module)).expect("the file can be read");
        assert!(
            printed == opencl(module).expect("it can be printed"),
            "{module:?} changed: run `cargo xtask kernels`."
        );
    }
}
