//! Watched counts: reports, stops, and the sizes of parts.

use std::ops::ControlFlow;

use kogge_board::{Backend, BackendError, Fen, Leaves, Quad48, unwatched};
use kogge_gpu::Parameter::{ClosedForm, GroupSize, Positions};
use kogge_gpu::{Gpu, GpuOptions, Unordered, Variants};
use kogge_testkit::twin::TwinDevice;

/// Leaves of the start position at depth 4.
const LEAVES: u128 = 197_281;

/// Devices that count the last plies in different ways.
fn devices() -> impl Iterator<Item = Gpu<TwinDevice>> {
    // Small buffers make many batches and parts.
    let options = GpuOptions::of([(GroupSize, 8), (Positions, 4096)]);
    let variants = Variants { depth_first: Some(3), ..Variants::default() };
    let depth_first = GpuOptions { variants, ..options.clone() };
    [options.clone().with(ClosedForm, 0), options, depth_first].into_iter().flat_map(|options| {
        [Unordered::Never, Unordered::Always].map(|unordered| {
            let options = GpuOptions { unordered: Some(unordered), ..options.clone() };
            crate::open(&TwinDevice::default(), &options)
        })
    })
}

#[test]
fn reports_approach_the_total() {
    let start = Fen::start();
    let positions = [Quad48::from(&start.position); 8];
    for mut gpu in devices() {
        let mut reports = Vec::new();
        let mut watch = |leaves, share| {
            reports.push((leaves, share));
            ControlFlow::Continue(())
        };
        let counts = gpu.perft(&start.rules, &positions, 4, &mut watch);
        assert_eq!(counts, Ok(vec![LEAVES; 8]));
        let all = 8 * LEAVES;
        assert!(reports.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1), "{reports:?}");
        assert!(reports.iter().all(|&(leaves, share)| leaves <= all && (0.0..=1.0).contains(&share)), "{reports:?}");
        for (leaves, share) in reports {
            let exact = leaves as f64 / all as f64;
            assert!((share - exact).abs() < 0.3, "{share} instead of {exact}");
        }
    }
}

#[test]
fn a_stopped_count_leaves_nothing_behind() {
    let start = Fen::start();
    let positions = [Quad48::from(&start.position); 40];
    for mut gpu in devices() {
        // Reports come by time, and this count takes seconds.
        let stopped = gpu.perft(&start.rules, &positions, 5, &mut |_, _| ControlFlow::Break(()));
        assert_eq!(stopped, Err(BackendError::Stopped));
        assert_eq!(gpu.perft(&start.rules, &positions[..2], 3, &mut unwatched), Ok(vec![8902; 2]));
        assert_eq!(gpu.perft(&start.rules, &positions[..1], 4, &mut unwatched), Ok(vec![LEAVES]));
    }
}

/// The host searches near the end of a game by the fifty-move rule.
#[test]
fn a_search_near_the_fifty_move_rule_can_be_stopped() {
    let fen = crate::fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 97 80");
    for mut gpu in devices() {
        let mut reports = 0;
        let mut watch = |_, share: f64| {
            assert!(share < 1.0);
            reports += 1;
            if reports < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let positions = [Quad48::from(&fen.position)];
        let stopped = gpu.minimax(&fen.rules, &positions, 4, Leaves::Quiescent, &mut watch);
        assert_eq!((stopped, reports), (Err(BackendError::Stopped), 2));
    }
}

#[test]
fn a_search_reports_and_can_be_stopped() {
    let start = Fen::start();
    let positions = [Quad48::from(&start.position); 20];
    for leaves in [Leaves::Static, Leaves::Quiescent] {
        for mut gpu in devices() {
            let expected = gpu.minimax(&start.rules, &positions[..1], 3, leaves, &mut unwatched).unwrap()[0];
            let mut reports = Vec::new();
            let mut watch = |searched, share| {
                reports.push((searched, share));
                ControlFlow::Continue(())
            };
            let values = gpu.minimax(&start.rules, &positions, 3, leaves, &mut watch);
            assert_eq!(values, Ok(vec![expected; 20]));
            assert!(reports.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1), "{reports:?}");
            assert!(reports.iter().all(|(_, share)| (0.0..=1.0).contains(share)), "{reports:?}");
            let stopped = gpu.minimax(&start.rules, &positions, 5, leaves, &mut |_, _| ControlFlow::Break(()));
            assert_eq!(stopped, Err(BackendError::Stopped));
            assert_eq!(gpu.minimax(&start.rules, &positions[..1], 3, leaves, &mut unwatched), Ok(vec![expected]));
        }
    }
}
