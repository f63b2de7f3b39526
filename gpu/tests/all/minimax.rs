//! Minimax on the host over the twin: small buffers, searches in many launches, and searches that run out of room.

use kogge_board::{Backend, BackendError, Leaves, Quad48, host, unwatched};
use kogge_gpu::kernels::{Binding, Kernel};
use kogge_gpu::{Gpu, GpuOptions, Parameter};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::twin::TwinDevice;

use crate::fen;

fn open(device: &TwinDevice, group_size: usize) -> Gpu<TwinDevice> {
    crate::open(device, &GpuOptions::of([(Parameter::GroupSize, group_size)]))
}

/// The values do not depend on the number of simultaneous searches or on the length of launches.
#[test]
fn searches_go_on_in_the_next_launch() {
    let fens = [
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",
    ];
    let positions = fens.map(|text| Quad48::from(&fen(text).position));
    let rules = fen(fens[0]).rules;
    let mut cpu = Cpu::new(None).unwrap();
    for (quiescence_lanes, quiescence_steps) in [(1, 1), (2, 5), (100, 1000)] {
        let device = TwinDevice { quiescence_lanes, quiescence_steps, ..TwinDevice::default() };
        let mut gpu = open(&device, 8);
        for depth in 0..3 {
            let expected =
                host::minimax(&mut cpu, &rules, &positions, depth, Leaves::Quiescent, &mut unwatched).unwrap();
            let found = gpu.minimax(&rules, &positions, depth, Leaves::Quiescent, &mut unwatched);
            assert_eq!(found, Ok(expected), "depth {depth}");
        }
    }
}

/// A search that runs out of room for its moves is repeated with room for all moves, with every work-group size. If the
/// repeated search also reports a lack of room, the device is wrong.
#[test]
fn searches_without_room_are_done_again() {
    let fen = fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1");
    let position = Quad48::from(&fen.position);
    let expected =
        host::minimax(&mut Cpu::new(None).unwrap(), &fen.rules, &[position], 1, Leaves::Quiescent, &mut unwatched)
            .unwrap();
    for group_size in [2, 7, 8] {
        // The search ends in its first launch.
        let device = TwinDevice { quiescence_steps: 1_000_000, ..TwinDevice::default() };
        let mut gpu = open(&device, group_size);
        gpu.minimax(&fen.rules, &[position], 0, Leaves::Static, &mut unwatched).unwrap();
        device.control.launches();
        device.control.corrupt_once(Kernel::Quiesce, Binding::totals, 0);
        assert_eq!(gpu.minimax(&fen.rules, &[position], 1, Leaves::Quiescent, &mut unwatched).as_ref(), Ok(&expected));
        let uploads = device.control.launches().iter().filter(|&&kernel| kernel == Kernel::Upload).count();
        assert_eq!(uploads, 2, "the batch is done again");
        device.control.corrupt(Kernel::Quiesce, Binding::totals, 0);
        let found = gpu.minimax(&fen.rules, &[position], 1, Leaves::Quiescent, &mut unwatched);
        assert!(matches!(found, Err(BackendError::WrongAnswer { .. })), "{found:?}");
    }
}
