//! The native part of the Python package `kogge`. The package's stubs document its classes and functions for users.
//!
//! * `positions.rs`, `sources.rs` and `rules.rs` have the class `Positions`: an array of positions in one buffer.
//! * `device.rs` keeps open devices, and `work.rs` runs work on them without the GIL.

mod answers;
mod buffer;
mod device;
mod failure;
mod functions;
mod games;
mod legal;
mod moves;
mod planes;
mod playouts;
mod positions;
mod records;
mod rules;
mod sources;
mod status;
mod unique;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _kogge(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<positions::Positions>()?;
    module.add_class::<rules::Rules>()?;
    module.add_class::<functions::Device>()?;
    module.add_function(wrap_pyfunction!(functions::perft, module)?)?;
    module.add_function(wrap_pyfunction!(functions::devices, module)?)?;
    module.add_function(wrap_pyfunction!(records::unpack_bulletformat, module)?)?;
    module.add_function(wrap_pyfunction!(records::unpack_marlinformat, module)?)?;
    module.add_function(wrap_pyfunction!(records::pack_bulletformat, module)?)?;
    module.add_function(wrap_pyfunction!(records::pack_marlinformat, module)?)?;
    module.add("PositionError", py.get_type::<failure::PositionError>())?;
    module.add("MoveError", py.get_type::<failure::MoveError>())?;
    module.add("DeviceError", py.get_type::<failure::DeviceError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("START", kogge::board::START)?;
    Ok(())
}
