//! The driver: a backend, an observer, and the backend's speed as measured so far.

use std::ops::ControlFlow;
use std::time::Instant;

use kogge_board::{Backend, BackendError, Fen, Quad48, Rules, Watch, Watched};

use crate::calls::{count, expand, miscounted};
use crate::pace::{MAX_CALL_DEPTH, Pace};
use crate::{Error, Frontier, Observer, Progress};

/// The deepest tree that one watched call counts. A device holds a level of positions for each ply.
pub(crate) const MAX_WATCHED_DEPTH: u32 = 12;

/// The number of entries that a root is expanded to, unless the device wants more.
pub(crate) const FRONTIER: usize = 1 << 12;
/// The most entries of a root's frontier: 256 MiB.
const MAX_FRONTIER: usize = 1 << 22;

/// Counts trees with a backend, and watches it.
///
/// A backend whose calls can be [watched](kogge_board::Watched) gets all trees in one call. Other backends count in pieces small
/// enough to be stopped. Keep a driver as long as you use its backend: the driver measures the backend's speed, so that each
/// call lasts a fraction of a second but keeps the device busy.
///
/// # Memory
/// Work in pieces goes depth-first over slices of a frontier. The driver holds the frontier (at most 256 MiB) and one slice of
/// successors for each ply above the plies that the backend counts by itself. Slices shrink towards the root to 64
/// positions, so that a further ply costs 0.15 MiB at 35 moves a position and never over 1.7 MiB.
pub struct Driver<'a> {
    pub(crate) backend: &'a mut dyn Backend,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) progress: Progress,
    pace: Pace,
}

/// A piece of the work, as shares of the whole from 0 to 1.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: f64,
    pub(crate) width: f64,
    /// Whether progress counts the positions of this piece as entries.
    pub(crate) entries: bool,
}

impl Span {
    /// The whole work, as a list of entries.
    pub(crate) const WHOLE: Self = Self { start: 0.0, width: 1.0, entries: true };

    /// Returns the part for items `from..to` out of `total`.
    pub(crate) fn part(&self, from: usize, to: usize, total: usize) -> Self {
        let each = self.width / total.max(1) as f64;
        Self { start: self.start + from as f64 * each, width: (to - from) as f64 * each, entries: false }
    }
}

impl<'a> Driver<'a> {
    /// Creates a driver of this backend. The observer `&()` observes nothing.
    pub fn new(backend: &'a mut dyn Backend, observer: &'a dyn Observer) -> Self {
        let pace = Pace::new(backend.info().batch);
        Self { backend, observer, progress: Progress::default(), pace }
    }

    /// Counts the leaves `depth` plies below the root, 1 at depth 0. Every leaf is counted; equal positions are not
    /// merged.
    ///
    /// # Errors
    /// [`Error::Cancelled`] with the progress so far, [`Error::Overflow`] beyond 128 bits, or the backend's error.
    pub fn perft(&mut self, root: &Fen, depth: u32) -> Result<u128, Error> {
        let frontier = match self.backend.watched() {
            Some(_) => self.expanded(root, depth, FRONTIER, MAX_WATCHED_DEPTH)?,
            None => self.frontier(root, depth)?,
        };
        let counts = self.count_below(&frontier, depth - frontier.ply())?;
        frontier.total(&counts)
    }

    /// Counts the leaves `depth` plies below each entry of a frontier, without multiplicities.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    pub fn count_below(&mut self, frontier: &Frontier, depth: u32) -> Result<Vec<u128>, Error> {
        self.begin(frontier.len());
        self.leaves(frontier.rules(), frontier.positions(), depth, Span::WHOLE)
    }

    /// Expands the root to a frontier for work down to `depth`, with enough entries to fill the device and to show
    /// progress, but never more than `MAX_FRONTIER`.
    pub(crate) fn frontier(&mut self, root: &Fen, depth: u32) -> Result<Frontier, Error> {
        let enough = self.backend.info().batch.clamp(FRONTIER, MAX_FRONTIER);
        // The backend gets at least two plies, because it makes no successors for the last.
        self.expanded(root, depth, enough, 2)
    }

    /// Expands the root until there are `enough` entries, or until `plies` plies are left.
    pub(crate) fn expanded(&mut self, root: &Fen, depth: u32, enough: usize, plies: u32) -> Result<Frontier, Error> {
        let mut frontier = Frontier::of(root);
        while frontier.ply() + plies < depth && !frontier.is_empty() && frontier.len() < enough {
            self.check_cancelled()?;
            let counts = count(self.backend, frontier.rules(), frontier.positions())?;
            let next: u64 = counts.iter().copied().map(u64::from).sum();
            if next > MAX_FRONTIER as u64 {
                break;
            }
            frontier = frontier.expand(self.backend)?;
        }
        Ok(frontier)
    }

    /// Counts the leaves `depth` plies below each position, in one call if the backend can be watched and has room, else in
    /// pieces.
    pub(crate) fn leaves(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        span: Span,
    ) -> Result<Vec<u128>, Error> {
        if depth > MAX_WATCHED_DEPTH || positions.is_empty() {
            return self.leaves_in_pieces(rules, positions, depth, span);
        }
        self.check_cancelled()?;
        let before = self.progress.counted;
        let call =
            |watched: &mut dyn Watched, watch: &mut Watch<'_>| watched.perft_watched(rules, positions, depth, watch);
        match self.call_watched(positions.len(), span, call, |&leaves| leaves.into()) {
            Some(Ok(counts)) => {
                self.advance(span, positions.len(), positions.len());
                Ok(counts.into_iter().map(u128::from).collect())
            }
            Some(Err(BackendError::Stopped)) => Err(Error::Cancelled(self.progress)),
            Some(Err(BackendError::Overflow | BackendError::OutOfMemory { .. })) | None => {
                self.progress.counted = before;
                self.leaves_in_pieces(rules, positions, depth, span)
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Makes one call for this many positions, and passes the call's reports on. `leaves` tells the leaves below a position from the
    /// answer. Returns `None` if the backend cannot be watched.
    pub(crate) fn call_watched<T>(
        &mut self,
        positions: usize,
        span: Span,
        call: impl FnOnce(&mut dyn Watched, &mut Watch<'_>) -> Result<Vec<T>, BackendError>,
        leaves: impl Fn(&T) -> u128,
    ) -> Option<Result<Vec<T>, BackendError>> {
        let (before, done) = (self.progress.counted, self.progress.done);
        let Self { backend, progress, observer, .. } = self;
        let mut watch = |counted: u128, share: f64| {
            progress.counted = before.saturating_add(counted);
            progress.fraction = span.start + span.width * share;
            if span.entries {
                progress.done = done + (share * positions as f64) as u64;
            }
            observer.progress(progress);
            if observer.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let answers = call(backend.watched()?, &mut watch);
        Some(answers.and_then(|answers| {
            if answers.len() != positions {
                return Err(miscounted(*backend, answers.len(), positions));
            }
            progress.counted = before.saturating_add(answers.iter().map(leaves).sum());
            Ok(answers)
        }))
    }

    /// Counts the leaves below each position in calls that last a fraction of a second: as many trees at once as the backend can
    /// count in that time. Deeper trees are expanded slice by slice, and their successors counted in the same way.
    fn leaves_in_pieces(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        span: Span,
    ) -> Result<Vec<u128>, Error> {
        let mut found = Vec::with_capacity(positions.len());
        while found.len() < positions.len() {
            self.check_cancelled()?;
            let done = found.len();
            let rest = &positions[done..];
            if self.pace.can_call(depth) {
                let chunk = &rest[..rest.len().min(self.pace.chunk(depth))];
                match self.call(rules, chunk, depth) {
                    Ok(counts) => found.extend(counts.into_iter().map(u128::from)),
                    // The backend has already split its work as far as it can. The driver tries fewer positions at
                    // once, then shallower trees.
                    Err(BackendError::OutOfMemory { .. }) if chunk.len() > 1 => self.pace.shrink(depth, chunk.len()),
                    Err(BackendError::Overflow | BackendError::OutOfMemory { .. }) if depth > 1 => {
                        let part = span.part(done, done + chunk.len(), positions.len());
                        found.extend(self.leaves_by_expansion(rules, chunk, depth, part)?);
                    }
                    Err(error) => return Err(error.into()),
                }
            } else {
                let slice = &rest[..rest.len().min(self.pace.slice(depth))];
                let part = span.part(done, done + slice.len(), positions.len());
                found.extend(self.leaves_by_expansion(rules, slice, depth, part)?);
            }
            self.advance(span, found.len(), positions.len());
        }
        Ok(found)
    }

    /// Counts the leaves below each position through their successors; `depth` is at least 1.
    fn leaves_by_expansion(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        span: Span,
    ) -> Result<Vec<u128>, Error> {
        let successors = expand(self.backend, rules, positions)?;
        self.pace.saw_expansion(positions.len(), successors.positions.len());
        let counts = self.leaves(rules, &successors.positions, depth - 1, span)?;
        let mut start = 0;
        let sums = successors.ends.iter().map(|&end| {
            let own = &counts[start..end];
            start = end;
            own.iter().try_fold(0u128, |sum, &count| sum.checked_add(count)).ok_or(Error::Overflow)
        });
        sums.collect()
    }

    /// Calls the backend once, measures the time, and adds the answer to the progress.
    fn call(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        debug_assert!(depth <= MAX_CALL_DEPTH);
        let start = Instant::now();
        let counts = self.backend.perft(rules, positions, depth)?;
        if counts.len() != positions.len() {
            return Err(miscounted(self.backend, counts.len(), positions.len()));
        }
        let leaves: u128 = counts.iter().copied().map(u128::from).sum();
        self.pace.saw_call(positions.len(), depth, leaves, start.elapsed());
        self.progress.counted = self.progress.counted.saturating_add(leaves);
        Ok(counts)
    }

    /// Starts the progress of a piece of work with this many entries.
    pub(crate) fn begin(&mut self, entries: usize) {
        self.progress = Progress { total: entries as u64, ..Progress::default() };
    }

    /// Reports that `done` of `total` items of a piece of work are done.
    pub(crate) fn advance(&mut self, span: Span, done: usize, total: usize) {
        if span.entries {
            self.progress.done = done as u64;
        }
        self.progress.fraction = span.start + span.width * done as f64 / total.max(1) as f64;
        self.observer.progress(&self.progress);
    }

    /// Returns an error if the observer asks to stop.
    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        if self.observer.is_cancelled() { Err(Error::Cancelled(self.progress)) } else { Ok(()) }
    }
}
