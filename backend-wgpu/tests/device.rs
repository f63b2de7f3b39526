//! The device suite on the first wgpu device, with both representations of a board, and tests of features that only
//! wgpu has.

use kogge_backend_wgpu::{GpuOptions, Wgpu, WgpuDevice, devices};
use kogge_board::{Backend, BackendError, DeviceKind, Fen, Quad48, Rules, unwatched};
use kogge_gpu::Parameter::{ClosedFormTurns, Immediates, Sliders, Subgroups, Word};
use kogge_gpu::Unordered;
use kogge_testkit::device_suite::{first_device, tiny};
use kogge_testkit::mutants::{self, Mutant};

/// Returns options with which a work-item counts several positions in closed form, as on NVIDIA's GPUs.
fn native() -> GpuOptions {
    GpuOptions::of([(Word, 1), (Sliders, 1), (ClosedFormTurns, 3)])
}

/// Returns options without sub-groups and immediates, which the other variants use if the device has them.
fn emulated() -> GpuOptions {
    tunable().with(Immediates, 0)
}

fn tunable() -> GpuOptions {
    GpuOptions::of([(Word, 0), (Sliders, 1), (Subgroups, 0)])
}

/// Returns options with which successors are always made in any order. The other variants make successors in any order
/// only in ranges.
fn any_order() -> GpuOptions {
    GpuOptions { unordered: Some(Unordered::Always), ..GpuOptions::of([(Word, 1), (Sliders, 0)]) }
}

fn emulated_fill() -> GpuOptions {
    emulated().with(Sliders, 0)
}

/// Returns the errors of kernels that sum over sub-groups, if the device has them.
fn errors_in_subgroups() -> &'static [Mutant] {
    if first_device::<WgpuDevice>().is_some_and(|device| device.has_subgroups) { mutants::SUBGROUPS } else { &[] }
}

kogge_testkit::device_suite! {
    device: WgpuDevice,
    conformance: [native, emulated],
    forms: [native(), emulated()],
    split: [tiny(any_order()), tiny(emulated_fill())],
    nonsense: [native(), emulated(), any_order()],
    unfit: [],
    tuned: [
        (tunable(), "emulated words, carry sliders, 32-byte positions, breadth-first, two plies in closed form"),
        (
            GpuOptions::of([(Sliders, 0)]),
            "emulated words, fill sliders, 32-byte positions, breadth-first, two plies in closed form",
        ),
    ],
    mutants: [
        (native(), mutants::MUTANTS),
        (native(), mutants::CARRY),
        (native(), errors_in_subgroups()),
        (emulated_fill(), mutants::FILL),
        (emulated(), mutants::EMULATED),
        (any_order(), mutants::ANY_ORDER),
    ],
}

#[test]
fn devices_are_told_apart() {
    for device in devices().unwrap_or_default() {
        assert!(!device.name.is_empty() && ["vulkan", "metal", "dx12"].contains(&device.interface), "{device:?}");
        // An emulated GPU must be recognised as a software device.
        let software = ["llvmpipe", "SwiftShader", "Basic Render"].iter().any(|name| device.name.contains(name));
        assert_eq!(software, device.kind == DeviceKind::Software, "{device:?}");
    }
}

#[test]
fn variants_tell_whether_sub_groups_are_used() {
    let Some(device) = first_device::<WgpuDevice>() else { return };
    let variant = |options: &GpuOptions| Wgpu::untuned(&device, options).unwrap().info().variant.clone();
    assert_eq!(variant(&GpuOptions::default()).contains(" in sub-groups"), device.has_subgroups);
    assert!(!variant(&emulated()).contains("sub-groups"));
}

#[test]
fn a_lost_device_is_an_error() {
    let Some(device) = first_device::<WgpuDevice>() else { return };
    let mut backend = Wgpu::untuned(&device, &GpuOptions::default()).unwrap();
    let start = [Quad48::from(&Fen::start().position)];
    assert_eq!(backend.perft(&Rules::STANDARD, &start, 3, &mut unwatched), Ok(vec![8902]));
    backend.interface().device().destroy();
    for _ in 0..2 {
        let error = backend.perft(&Rules::STANDARD, &start, 3, &mut unwatched).unwrap_err();
        assert!(matches!(&error, BackendError::Device { .. }) && error.to_string().contains("lost"), "{error}");
    }
}
