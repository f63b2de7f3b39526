//! Backends for tests of the driver, with trees whose counts can be calculated by hand.

#![allow(dead_code, reason = "every test file uses its own part")]
#![allow(unreachable_pub, reason = "each test file is a crate of its own")]

pub mod tree;
pub mod wrong_merge;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind, Fen, Quad48, known};
use kogge_driver::{Driver, Error, MergeSettings, MergedCount, Observer, Progress};
use kogge_testkit::Wrapped;

pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
pub const POSITION_3: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
pub const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";

/// Reads a FEN or the name of a standard position.
pub fn fen(text: &str) -> Fen {
    known::root(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the tab-separated fields of the lines of a table that are not comments.
pub fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

pub fn merged(backend: &mut dyn Backend, root: &Fen, depth: u32, settings: &MergeSettings) -> MergedCount {
    let counted = Driver::new(backend, &()).perft_merged(root, depth, settings);
    counted.unwrap_or_else(|error| panic!("{root} at {depth}, {settings:?}: {error}"))
}

/// Asserts that a result is the error about a device that merges this ply wrongly.
#[track_caller]
pub fn assert_not_trusted<T: std::fmt::Debug>(result: Result<T, Error>, ply: u32) {
    let Err(Error::Backend(BackendError::WrongAnswer { device, reason })) = result else { panic!("{result:?}") };
    assert_eq!(device, wrong_merge::WrongMerge::DEVICE);
    assert!(reason.starts_with(&format!("it merged ply {ply} into positions with ")), "{reason}");
}

pub fn info(name: &str, batch: usize) -> DeviceInfo {
    DeviceInfo {
        backend: "mock",
        name: name.into(),
        driver: String::new(),
        kind: DeviceKind::Other,
        memory: None,
        batch,
        variant: String::new(),
        counts_diagrams: false,
    }
}

/// Records all progress, and stops after a number of questions.
#[derive(Default)]
pub struct Watch {
    pub seen: Mutex<Vec<Progress>>,
    /// The number of the question at which to stop; 0 means never.
    pub stop_at: usize,
    asked: AtomicUsize,
}

impl Watch {
    pub fn stopping_at(stop_at: usize) -> Self {
        Self { stop_at, ..Self::default() }
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        self.seen.lock().unwrap().push(*progress);
    }

    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 == self.stop_at
    }
}

/// Records whether a wrong device has erred. Used as an observer, it makes the first device that has counted leaves wait until then.
/// Otherwise, a right device might do all the work before the wrong one begins.
#[derive(Clone, Default)]
pub struct Erred {
    has_erred: Arc<AtomicBool>,
    first: Arc<OnceLock<ThreadId>>,
}

impl Erred {
    /// Records that the device has erred.
    pub fn tell(&self) {
        self.has_erred.store(true, Ordering::Relaxed);
    }

    /// Waits until the device has erred.
    ///
    /// # Panics
    /// If the device does not err within a minute.
    pub fn wait(&self) {
        let start = Instant::now();
        while !self.has_erred.load(Ordering::Relaxed) {
            assert!(start.elapsed() < Duration::from_secs(60), "no device erred");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Observer for Erred {
    fn progress(&self, progress: &Progress) {
        let current = thread::current().id();
        if progress.counted > 0 && *self.first.get_or_init(|| current) == current {
            self.wait();
        }
    }
}

/// Returns a backend that takes additional time for each position when it counts leaves.
pub fn slow<B: Backend + 'static>(backend: B, longer: Duration) -> impl Backend {
    Wrapped::new(backend).before(move |positions: &[Quad48]| {
        thread::sleep(longer * positions.len() as u32);
        Ok(())
    })
}
