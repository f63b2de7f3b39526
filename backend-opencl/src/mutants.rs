//! Whether the self-test finds errors in the kernels: they are put in, one at a time.

use kogge_board::{BackendError, self_test};

use crate::OpenCl;
use crate::devices;
use crate::kernels::{Module, source};
use crate::options::{Options, Sliders, Traversal};
use crate::platform::Device;
use crate::stages::Session;

/// The device to test with; none only where none is required.
pub(crate) fn first_device() -> Option<Device> {
    let devices = devices().inspect_err(|error| eprintln!("Skipped: {error}")).unwrap_or_default();
    let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
    assert!(!devices.is_empty() || !required.contains("opencl"), "An OpenCL device is required.");
    devices.into_iter().next()
}

/// What the self-test says of kernels in which the one text stands for the other.
fn verdict(device: &Device, options: &Options, from: &str, to: &str) -> Result<(), BackendError> {
    let session = Session::with_source(device, options, |choice| {
        let source = source(choice, Module::Counting);
        assert!(source.contains(from), "the kernels do not say: {from}");
        source.replacen(from, to, 1)
    })?;
    self_test(&mut OpenCl::untested(device, session))
}

#[test]
fn the_self_test_finds_each_error() {
    let Some(device) = first_device() else { return };
    let options =
        |traversal| Options { sliders: Some(Sliders::Carry), traversal: Some(traversal), ..Options::default() };
    for (error, from, to) in [
        (
            "two carries run over the same squares",
            "DIRECTION(any_east, <<, 1, NOT_FILE_A)",
            "#define any_east_attacks east_attacks",
        ),
        ("sliders do not attack north-east", "north_east_attacks(diagonal, empty) |", ""),
        (
            "a landing mask is that of the other side",
            "DIRECTION(south_east, >>, 7, NOT_FILE_A)",
            "DIRECTION(south_east, >>, 7, NOT_FILE_H)",
        ),
        ("a condition of the closed form is left out", "| crowded |", "|"),
    ] {
        let verdict = verdict(&device, &options(Traversal::BreadthFirst), from, to);
        assert!(matches!(verdict, Err(BackendError::WrongAnswer { .. })), "{error}: {verdict:?}");
    }
    let options = options(Traversal::DepthFirst(4));
    let verdict = verdict(&device, &options, "ply & 1 ? their_rooks : own_rooks", "own_rooks");
    assert!(matches!(verdict, Err(BackendError::WrongAnswer { .. })), "marks of castling rooks get lost: {verdict:?}");
}
