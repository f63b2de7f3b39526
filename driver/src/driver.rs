//! The driver: a backend, and an observer of its work.

use std::ops::ControlFlow;

use kogge_board::{Backend, BackendError, Categories, DeviceInfo, Fen, Quad48, Rules, Tally, Watch};

use crate::calls::{count_moves, miscounted};
use crate::{Error, Frontier, Observer, Progress};

/// The number of entries of a frontier that devices share: enough to divide the work evenly.
const FRONTIER: usize = 1 << 12;
/// The maximum number of entries of such a frontier.
const MAX_FRONTIER: usize = 1 << 18;

/// Counts trees with a backend, and reports its progress to an observer.
///
/// The backend gets each batch of trees in one call; it reports during the call, and the observer can stop it.
pub struct Driver<'a> {
    pub(crate) backend: &'a mut dyn Backend,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) progress: Progress,
}

impl<'a> Driver<'a> {
    /// Creates a driver of this backend. The observer `&()` ignores all reports.
    pub fn new(backend: &'a mut dyn Backend, observer: &'a dyn Observer) -> Self {
        Self { backend, observer, progress: Progress::default() }
    }

    /// Describes the device.
    pub fn info(&self) -> &DeviceInfo {
        self.backend.info()
    }

    /// Counts the leaves `depth` plies below the root; at depth 0, the root is one leaf. Every leaf is counted; equal
    /// positions are not merged.
    ///
    /// # Errors
    /// [`Error::Cancelled`] with the progress so far, [`Error::Overflow`] beyond 128 bits, or the backend's error.
    pub fn perft(&mut self, root: &Fen, depth: u32) -> Result<u128, Error> {
        self.tally(root, depth)
    }

    /// Counts the leaves `depth` plies below the root by the moves that lead to them. At depth 0, there is one leaf and no
    /// move. Equal positions are not merged.
    ///
    /// # Errors
    /// As [`Driver::perft`], or if the backend cannot distinguish the kinds of moves.
    pub fn stats(&mut self, root: &Fen, depth: u32) -> Result<Categories, Error> {
        self.tally(root, depth)
    }

    fn tally<T: Tally>(&mut self, root: &Fen, depth: u32) -> Result<T, Error> {
        let frontier = Frontier::of(root);
        self.begin(1);
        let counts = self.count(frontier.rules(), frontier.positions(), depth, None)?;
        frontier.total(&counts)
    }

    /// Counts the leaves `depth` plies below each entry of a frontier, without multiplicities.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    pub fn count_below<T: Tally>(&mut self, frontier: &Frontier, depth: u32) -> Result<Vec<T>, Error> {
        self.begin(frontier.len());
        self.count(frontier.rules(), frontier.positions(), depth, None)
    }

    /// Expands the root to a frontier of some thousand entries, one for each path, for devices that share work down to
    /// `depth`.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    pub fn frontier(&mut self, root: &Fen, depth: u32) -> Result<Frontier, Error> {
        let mut frontier = Frontier::of(root);
        // At least two plies are left to the backend, because it makes no successors for the last one.
        while frontier.ply() + 2 < depth && !frontier.is_empty() && frontier.len() < FRONTIER {
            self.check_cancelled()?;
            let moves: u128 = count_moves(self.backend, frontier.rules(), frontier.positions())?.into_iter().sum();
            if moves > MAX_FRONTIER as u128 {
                break;
            }
            frontier = frontier.expand(self.backend)?;
        }
        Ok(frontier)
    }

    /// Counts the leaves `depth` plies below each position. The share of the work that the positions are, from 0 to 1; by
    /// default, they are all of it.
    pub(crate) fn count<T: Tally>(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        share: Option<[f64; 2]>,
    ) -> Result<Vec<T>, Error> {
        let before = self.progress.counted;
        let counts = {
            let (backend, mut watch) = self.begin_call(positions.len(), share)?;
            T::count(backend, rules, positions, depth, &mut *watch)
        };
        let counts = self.end_call(positions.len(), share, counts)?;
        let leaves = counts.iter().fold(0, |sum: u128, count| sum.saturating_add(count.leaves()));
        self.progress.counted = before.saturating_add(leaves);
        self.observer.progress(&self.progress);
        Ok(counts)
    }

    /// Returns the backend for one call for a number of positions, and a watch that forwards its reports to the observer.
    pub(crate) fn begin_call(
        &mut self,
        positions: usize,
        share: Option<[f64; 2]>,
    ) -> Result<(&mut (dyn Backend + 'a), Box<Watch<'_>>), Error> {
        self.check_cancelled()?;
        let Self { backend, progress, observer, .. } = self;
        let before = progress.counted;
        let [start, end] = share.unwrap_or([0.0, 1.0]);
        let watch = move |counted: u128, done: f64| {
            progress.counted = before.saturating_add(counted);
            progress.fraction = start + (end - start) * done;
            if share.is_none() {
                progress.done = (done * positions as f64) as u64;
            }
            observer.progress(progress);
            if observer.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        Ok((&mut **backend, Box::new(watch)))
    }

    /// Checks that the backend has answered this call, and reports to the observer that it is done.
    pub(crate) fn end_call<T>(
        &mut self,
        positions: usize,
        share: Option<[f64; 2]>,
        answers: Result<Vec<T>, BackendError>,
    ) -> Result<Vec<T>, Error> {
        match answers {
            Ok(answers) if answers.len() == positions => {
                self.progress.fraction = share.map_or(1.0, |[_, end]| end);
                if share.is_none() {
                    self.progress.done = positions as u64;
                }
                self.observer.progress(&self.progress);
                Ok(answers)
            }
            Ok(answers) => Err(miscounted(self.backend, answers.len(), positions).into()),
            Err(BackendError::Stopped) => Err(Error::Cancelled(self.progress)),
            Err(error) => Err(error.into()),
        }
    }

    /// Starts the progress of work on a number of entries.
    pub(crate) fn begin(&mut self, entries: usize) {
        self.progress = Progress { total: entries as u64, ..Progress::default() };
    }

    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        if self.observer.is_cancelled() { Err(Error::Cancelled(self.progress)) } else { Ok(()) }
    }
}
