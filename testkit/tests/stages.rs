//! Bisection finds and names any kernel with an error.

use kogge_board::{Fen, Quad48};
use kogge_gpu::kernels::{Binding, Kernel, SIGNATURES};
use kogge_gpu::{GpuOptions, Parameter, Variants};
use kogge_testkit::conformance;
use kogge_testkit::twin::{Queues, StageDifference, TwinDevice, compare_stages};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn options(boards48: bool) -> GpuOptions {
    let variants = Variants { boards48, depth_first: Some(2), ..Variants::default() };
    GpuOptions { variants, ..GpuOptions::of([(Parameter::GroupSize, 4)]) }
}

#[test]
fn a_twin_does_not_differ_from_itself() {
    for queues in [Queues::Half, Queues::None, Queues::All] {
        for boards48 in [false, true] {
            let device = TwinDevice { queues, ..TwinDevice::default() };
            for (rules, positions) in conformance::placements().iter().step_by(40) {
                let positions = &positions[..positions.len().min(8)];
                assert_eq!(
                    compare_stages(&device, &options(boards48), positions, rules),
                    Ok(()),
                    "{queues:?}, {boards48}"
                );
            }
        }
    }
}

#[test]
fn an_error_in_any_kernel_is_found_and_named() {
    let kiwipete: Fen = KIWIPETE.parse().unwrap();
    let positions = [Quad48::from(&kiwipete.position); 12];
    for signature in &SIGNATURES {
        for &buffer in signature.buffers.iter().filter(|buffer| buffer.is_written()) {
            // Scratch memory for the paths of searches, whose order is unspecified.
            let is_scratch = signature.kernel == Kernel::Quiesce && buffer != Binding::values;
            // Queues are compared after the next kernel has used them.
            let is_queue =
                matches!(signature.kernel, Kernel::ClosedForm | Kernel::ExpandUnordered | Kernel::ClassifyMoves)
                    && matches!(buffer, Binding::new_items | Binding::new_item_count);
            let is_order = matches!(signature.kernel, Kernel::Insert | Kernel::InsertSorted)
                && !matches!(buffer, Binding::merge_state);
            // It only reads them.
            let is_read = signature.kernel == Kernel::Append && buffer == Binding::taken;
            if is_scratch || is_queue || is_order || is_read {
                continue;
            }
            let device = TwinDevice::default();
            let word = match buffer {
                Binding::selected_count => 0,
                Binding::new_item_count => 1,
                _ => 2,
            };
            device.control.corrupt(signature.kernel, buffer, word);
            match compare_stages(&device, &options(false), &positions, &kiwipete.rules) {
                Err(StageDifference::Kernel { kernel, .. }) => assert_eq!(kernel, signature.name, "{}", buffer.name()),
                found => panic!("{} writes a wrong {}: {found:?}", signature.name, buffer.name()),
            }
        }
    }
}
