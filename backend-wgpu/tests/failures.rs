//! What goes wrong, and what is said then.

mod support;

use kogge_backend_wgpu::{Options, Wgpu, devices};
use kogge_board::{Backend, BackendError, DeviceKind, Fen, Quad48, Rules};
use support::first_device;

fn open(options: &Options) -> Option<Result<Wgpu, BackendError>> {
    first_device().map(|device| Wgpu::on(&device, options))
}

#[test]
fn a_device_that_is_not_there() {
    let Ok(devices) = devices() else { return };
    let error = Wgpu::open(devices.len(), &Options::default()).err().expect("devices are counted from 0");
    assert!(error.to_string().contains(&format!("no device {}", devices.len())), "{error}");
}

#[test]
fn devices_are_told_apart() {
    for device in devices().unwrap_or_default() {
        assert!(!device.name.is_empty() && ["vulkan", "metal", "dx12"].contains(&device.interface), "{device:?}");
        // A CPU that plays at being a GPU must be known as such.
        let software = ["llvmpipe", "SwiftShader", "Basic Render"].iter().any(|name| device.name.contains(name));
        assert_eq!(software, device.kind == DeviceKind::Software, "{device:?}");
    }
}

#[test]
fn options_that_do_not_fit() {
    for (options, word) in [
        (Options { work_group_size: Some(1), ..Options::default() }, "work-group"),
        (Options { work_group_size: Some(1 << 20), ..Options::default() }, "work-group"),
        (Options { count_groups: Some(0), ..Options::default() }, "count replies"),
        (Options { positions: Some(0), ..Options::default() }, "positions"),
        (Options { moves: Some(usize::MAX), ..Options::default() }, "moves"),
    ] {
        let Some(result) = open(&options) else { return };
        let error = result.err().unwrap_or_else(|| panic!("{options:?}"));
        assert!(matches!(&error, BackendError::Unavailable { .. }) && error.to_string().contains(word), "{error}");
    }
}

#[test]
fn too_little_memory_is_an_error() {
    let options = Options { memory: Some(1 << 20), ..Options::default() };
    let Some(result) = open(&options) else { return };
    let error = result.err().expect("no level fits");
    assert!(matches!(&error, BackendError::OutOfMemory { .. }) && error.to_string().contains("1048576"), "{error}");
}

/// Deeper than memory has room for at the usual sizes: the levels get smaller.
#[test]
fn great_depth_and_little_memory() {
    let options = Options { memory: Some(256 << 20), ..Options::default() };
    let Some(backend) = open(&options) else { return };
    let stalemate: Fen = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
    let start = Quad48::from(&Fen::start().position);
    let mut backend = backend.unwrap();
    assert_eq!(backend.perft(&Rules::STANDARD, &[Quad48::from(&stalemate.position)], 100), Ok(vec![0]));
    assert_eq!(backend.perft(&Rules::STANDARD, &[start], 4), Ok(vec![197_281]));
    let error = backend.perft(&Rules::STANDARD, &[start], 1 << 20).unwrap_err();
    assert!(matches!(&error, BackendError::OutOfMemory { .. }), "{error}");
}
