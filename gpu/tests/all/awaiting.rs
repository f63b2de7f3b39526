//! Counting without a waiting thread: the same answers, the same self-test.

use std::ops::ControlFlow;

use kogge_board::{BackendError, Fen, Quad48};
use kogge_gpu::Parameter::{GroupSize, Positions};
use kogge_gpu::kernels::{Binding, Kernel};
use kogge_gpu::{Gpu, GpuOptions};
use kogge_testkit::twin::{Control, TwinDevice};
use pollster::block_on;

fn open(control: &Control) -> Result<Gpu<TwinDevice>, BackendError> {
    let device = TwinDevice { control: control.clone(), ..TwinDevice::default() };
    let options = GpuOptions::of([(GroupSize, 8), (Positions, 4096)]);
    block_on(Gpu::open_async(&device, &options))
}

#[test]
fn counts_are_right_and_can_be_stopped() {
    let start = Fen::start();
    let positions = [Quad48::from(&start.position); 40];
    let mut gpu = open(&Control::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(!gpu.device_info().name.is_empty());
    let mut go_on = |_, _| ControlFlow::Continue(());
    assert_eq!(block_on(gpu.perft_async(&start.rules, &positions[..2], 4, &mut go_on)), Ok(vec![197_281; 2]));
    let stopped = block_on(gpu.perft_async(&start.rules, &positions, 7, &mut |_, _| ControlFlow::Break(())));
    assert_eq!(stopped, Err(BackendError::Stopped));
    assert_eq!(block_on(gpu.perft_async(&start.rules, &positions[..2], 3, &mut go_on)), Ok(vec![8902; 2]));
}

#[test]
fn kinds_of_moves_are_right_and_can_be_stopped() {
    let start = Fen::start();
    let positions = [Quad48::from(&start.position); 3];
    let mut gpu = open(&Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut shares = Vec::new();
    let mut watch = |_, share| {
        shares.push(share);
        ControlFlow::Continue(())
    };
    let found = block_on(gpu.categories_async(&start.rules, &positions, 4, &mut watch)).expect("kinds");
    for categories in found {
        assert_eq!(categories.to_array(), [197_281, 1576, 0, 0, 0, 469, 0, 0, 8]);
    }
    assert!(shares.is_sorted() && shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    let mut stop = |_, _| ControlFlow::Break(());
    let stopped = block_on(gpu.categories_async(&start.rules, &positions, 7, &mut stop));
    assert_eq!(stopped, Err(BackendError::Stopped));
}

#[test]
fn a_device_that_tells_kinds_wrong_gives_an_error() {
    let start = Fen::start();
    let control = Control::default();
    let mut gpu = open(&control).unwrap_or_else(|error| panic!("{error}"));
    control.corrupt(Kernel::ClassifyMoves, Binding::totals, 2);
    let mut go_on = |_, _| ControlFlow::Continue(());
    let found = block_on(gpu.categories_async(&start.rules, &[Quad48::from(&start.position)], 2, &mut go_on));
    assert!(matches!(found, Err(BackendError::WrongAnswer { .. })), "{found:?}");
}

#[test]
fn a_device_that_counts_wrong_is_not_opened() {
    for (kernel, buffer) in [(Kernel::Count, Binding::new_counts), (Kernel::ClosedForm, Binding::totals)] {
        let control = Control::default();
        control.corrupt(kernel, buffer, 2);
        assert!(matches!(open(&control), Err(BackendError::WrongAnswer { .. })), "{kernel:?}");
    }
}
