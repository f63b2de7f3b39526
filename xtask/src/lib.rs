//! Tools that commands for developers share with the tests of other crates.

pub mod opencl_c;
