//! What happens when a device fails, at every moment that it can.

use kogge_board::breadth_first::JudgeStages;
use kogge_board::merge::{Entry, Merge, MergeError, Partition};
use kogge_board::{Fen, breadth_first};

use super::*;
use crate::adapters::devices;

/// A session with small buffers on the first device, if there is one; other tests see to it that there is.
fn session() -> Option<Session> {
    let device = devices().ok()?.into_iter().next()?;
    let options = Options { memory: Some(256 << 20), ..Options::default() };
    Some(Session::new(&device, &options).unwrap_or_else(|error| panic!("{error}")))
}

fn leaves(session: &mut Session, depth: u32) -> Result<Vec<u64>, BackendError> {
    let start = Fen::start();
    breadth_first::perft(session, &start.rules, &[Quad48::from(&start.position)], depth)
}

#[test]
fn what_ran_out_of_memory_is_done_again_with_less() {
    let Some(mut session) = session() else { return };
    assert_eq!(leaves(&mut session, 3), Ok(vec![8902]));
    let before = session.sizes;
    *session.runner.gpu.planned.lock().unwrap() = Some((0, Failure::OutOfMemory));
    assert_eq!(leaves(&mut session, 4), Ok(vec![197_281]));
    assert!(session.sizes.positions < before.positions, "{before:?}, {:?}", session.sizes);
}

/// Whenever it happens: an answer is right or an error, and the next one is right.
#[test]
fn no_failure_makes_a_total_wrong() {
    let Some(device) = devices().ok().and_then(|devices| devices.into_iter().next()) else { return };
    let options = Options { work_group_size: Some(8), positions: Some(1), moves: Some(1), ..Options::default() };
    let mut session = Session::new(&device, &options).unwrap_or_else(|error| panic!("{error}"));
    for failure in [Failure::OutOfMemory, Failure::Other("It was told to.".into()), Failure::Lost("unplugged".into())] {
        let mut after = 0;
        loop {
            (session.buffers, session.halvings) = (None, 0);
            *session.runner.gpu.planned.lock().unwrap() = Some((after, failure.clone()));
            let found = leaves(&mut session, 4);
            if session.runner.gpu.planned.lock().unwrap().take().is_some() {
                assert_eq!(found, Ok(vec![197_281]));
                break;
            }
            // The buffers are the smallest from the start, so that nothing is left to halve.
            match (&failure, found) {
                (Failure::OutOfMemory, Err(BackendError::OutOfMemory { .. })) => {}
                (Failure::Other(_), Err(BackendError::Device { reason, .. })) => {
                    assert_eq!(reason, "It was told to.")
                }
                (Failure::Lost(_), Err(BackendError::Device { reason, .. })) => {
                    assert!(reason.contains("lost (unplugged)"), "{reason}");
                    session.runner.gpu.find_again();
                }
                (_, found) => panic!("{failure:?} after {after} checks: {found:?}"),
            }
            assert_eq!(leaves(&mut session, 3), Ok(vec![8902]), "{failure:?} after {after} checks");
            after += 1;
        }
        assert!(after > 15, "only {after} checks");
    }
}

/// Two plies below the merged successors of the start position.
fn merged_leaves(session: &mut Session) -> Result<u128, MergeError> {
    let start = Fen::start();
    session.begin_merging(256 << 20)?;
    let mut merge = breadth_first::DeviceMerge::new(session, &start.rules, 32);
    merge.reserve(1)?;
    merge.add(&[Entry { position: Quad48::from(&start.position), multiplicity: 1 }])?;
    merge.descend()?;
    merge.reserve(20)?;
    merge.expand(0..1, Partition::WHOLE)?;
    merge.perft(0..20, 2)
}

#[test]
fn no_failure_makes_a_merged_total_wrong() {
    let Some(device) = devices().ok().and_then(|devices| devices.into_iter().next()) else { return };
    let options = Options { work_group_size: Some(8), positions: Some(1), moves: Some(1), ..Options::default() };
    let mut session = Session::new(&device, &options).unwrap_or_else(|error| panic!("{error}"));
    for failure in [Failure::OutOfMemory, Failure::Other("It was told to.".into()), Failure::Lost("unplugged".into())] {
        let mut after = 0;
        loop {
            (session.buffers, session.halvings) = (None, 0);
            *session.runner.gpu.planned.lock().unwrap() = Some((after, failure.clone()));
            let found = merged_leaves(&mut session);
            if session.runner.gpu.planned.lock().unwrap().take().is_some() {
                assert_eq!(found, Ok(8902));
                break;
            }
            match (&failure, found) {
                (_, Err(MergeError::Full | MergeError::Backend(BackendError::OutOfMemory { .. })))
                    if failure == Failure::OutOfMemory => {}
                (Failure::Other(_), Err(MergeError::Backend(BackendError::Device { reason, .. }))) => {
                    assert_eq!(reason, "It was told to.")
                }
                (Failure::Lost(_), Err(MergeError::Backend(BackendError::Device { reason, .. }))) => {
                    assert!(reason.contains("lost (unplugged)"), "{reason}");
                    session.runner.gpu.find_again();
                }
                (_, found) => panic!("{failure:?} after {after} checks: {found:?}"),
            }
            assert_eq!(leaves(&mut session, 3), Ok(vec![8902]), "{failure:?} after {after} checks");
            after += 1;
        }
        assert!(after > 20, "only {after} checks");
    }
}

/// Kernels for 64-bit integers on a device that was opened without.
#[test]
fn kernels_that_the_device_rejects_are_an_error() {
    let Some(device) = devices().ok().and_then(|devices| devices.into_iter().next()) else { return };
    let options = Options { word: Some(crate::Word::Native), ..Options::default() };
    let Ok(choice) = options.choose(&device) else { return };
    let gpu = Gpu::open(&device, wgpu::Features::empty()).unwrap();
    let mut runner = Runner::new(device.name.clone(), gpu, device.max_groups, false).unwrap();
    let failure = runner.compile(&choice, Module::Counting).unwrap_err();
    assert!(!runner.has(Module::Counting));
    assert!(matches!(&failure, Failure::Other(reason) if reason.starts_with("wgpu says: ")), "{failure:?}");
}

/// Most moves of this position are checks or captures next to the king, and none of them qualifies.
#[test]
fn moves_without_room_are_counted_another_way() {
    let Some(device) = devices().ok().and_then(|devices| devices.into_iter().next()) else { return };
    let options = Options { work_group_size: Some(8), moves: Some(1), ..Options::default() };
    let mut session = Session::new(&device, &options).unwrap_or_else(|error| panic!("{error}"));
    let crowded: Fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1".parse().unwrap();
    let positions = [Quad48::from(&crowded.position); 1000];
    let alone = breadth_first::perft(&mut session, &crowded.rules, &positions[..1], 2).unwrap();
    assert!(!session.lost, "{:?}", session.sizes);
    assert_eq!(breadth_first::perft(&mut session, &crowded.rules, &positions, 2), Ok(vec![alone[0]; 1000]));
    assert!(session.lost, "{:?}", session.sizes);
    assert_eq!(leaves(&mut session, 4), Ok(vec![197_281]));
}

/// Whatever is found in it, there is room the second time.
#[test]
fn quiescence_without_room_for_moves_is_done_again() {
    let Some(mut session) = session() else { return };
    session.begin_judging().unwrap();
    let fen: Fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1".parse().unwrap();
    let root = Quad48::from(&fen.position);
    let values = |session: &mut Session| {
        session.prepare(1).unwrap();
        session.upload(&fen.rules, &[root]).unwrap();
        session.quiesce(0, 1, 1).unwrap();
        session.values(1)
    };
    let expected = values(&mut session).unwrap();
    session.quiescence.as_mut().unwrap().room = 10;
    assert_eq!(values(&mut session), Err(StageError::Again));
    assert_eq!(values(&mut session), Ok(expected));
}

#[test]
fn a_lost_device_is_an_error() {
    let Some(mut session) = session() else { return };
    assert_eq!(leaves(&mut session, 3), Ok(vec![8902]));
    session.runner.gpu.device.destroy();
    for _ in 0..2 {
        let error = leaves(&mut session, 3).unwrap_err();
        assert!(matches!(&error, BackendError::Device { .. }) && error.to_string().contains("lost"), "{error}");
    }
}

#[test]
fn a_rejected_call_is_an_error() {
    let Some(mut session) = session() else { return };
    let gpu = &session.runner.gpu;
    let buffer = gpu.buffer::<u32>("two", 2).unwrap();
    let failure = gpu.write(&buffer, &[1, 2, 3]).unwrap_err();
    assert!(matches!(&failure, Failure::Other(reason) if reason.contains("write_buffer")), "{failure:?}");
    assert!(gpu.read(&buffer, 0, 3).is_err());
    gpu.write(&buffer, &[1, 2]).unwrap();
    assert_eq!(gpu.read(&buffer, 0, 2), Ok(vec![1, 2]));
    assert_eq!(gpu.read(&buffer, 1, 1), Ok(vec![2]));
    assert!(gpu.read(&buffer, 1, 2).is_err());
    assert_eq!(leaves(&mut session, 3), Ok(vec![8902]));
}
