//! Work without the GIL: on chunks of positions, and on a separate thread for long work. Ctrl-C stops both.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kogge::board::Pace;
use kogge::{Backend, BackendError, Observer, Progress, Quad48, Watch};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::device::{self, Device};
use crate::failure::Failure;

/// The maximum number of positions that a call handles on the calling thread: for so few, waking other threads takes longer.
pub(crate) const FEW: usize = 64;

/// The maximum number of positions in one call of a device.
pub(crate) const AT_ONCE: u64 = 1 << 20;

/// The number of positions between two checks for Ctrl-C: a fraction of a second of work.
const BETWEEN_SIGNALS: usize = 1 << 17;

/// The number of positions in one task of a thread.
const TASK: usize = 256;

/// The time between two checks for Ctrl-C, and between two calls of a progress callback.
const INTERVAL: Duration = Duration::from_millis(50);

/// Calls a device for chunks of positions, and joins the answers. A single answer is not copied.
pub(crate) fn in_chunks<T: Send>(
    py: Python<'_>,
    positions: &[Quad48],
    mut pace: Pace,
    device: impl FnOnce() -> Result<Device, Failure> + Send,
    call: impl Fn(&mut dyn Backend, &[Quad48], &mut Watch<'_>) -> Result<T, BackendError> + Sync,
    mut join: impl FnMut(T),
) -> Result<(), Failure> {
    let device = py.detach(device)?;
    let mut rest = positions;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(pace.next(AT_ONCE.min(rest.len() as u64)) as usize);
        let start = Instant::now();
        join(py.detach(|| until_signal(|watch| device.call(|backend| call(backend, chunk, watch))))?);
        py.check_signals()?;
        pace.saw(chunk.len() as u64, start.elapsed());
        rest = after;
    }
    Ok(())
}

/// Makes one call of a device without the GIL, and stops it at Ctrl-C.
fn until_signal<T>(call: impl FnOnce(&mut Watch<'_>) -> Result<T, BackendError>) -> Result<T, Failure> {
    let (mut looked, mut raised) = (Instant::now(), None);
    let answer = call(&mut |_, _| {
        if looked.elapsed() >= INTERVAL {
            raised = Python::attach(|py| py.check_signals()).err();
            looked = Instant::now();
        }
        if raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match raised {
        Some(error) => Err(Failure::Python(error)),
        None => Ok(answer?),
    }
}

/// Fills a row of `width` elements for each position, on all cores.
pub(crate) fn fill<T: Send>(
    py: Python<'_>,
    positions: &[Quad48],
    out: &mut [T],
    width: usize,
    row: impl Fn(&Quad48, &mut [T]) + Sync,
) -> Result<(), Failure> {
    let run = |(positions, out): (&[Quad48], &mut [T])| {
        positions.iter().zip(out.chunks_exact_mut(width)).for_each(|(position, out)| row(position, out));
    };
    if positions.len() <= FEW {
        run((positions, out));
        return Ok(());
    }
    let pool = device::pool()?;
    for (positions, out) in positions.chunks(BETWEEN_SIGNALS).zip(out.chunks_mut(BETWEEN_SIGNALS * width)) {
        py.detach(|| {
            pool.install(|| positions.par_chunks(TASK).zip(out.par_chunks_mut(TASK * width)).for_each(run));
        });
        py.check_signals()?;
    }
    Ok(())
}

/// Computes answers for chunks of positions or records on all cores, and returns them in order; `answer` also receives the number
/// of the first element of its chunk. An element takes about `work` times as long as one move.
pub(crate) fn map_chunks<I: Sync, T: Send>(
    py: Python<'_>,
    elements: &[I],
    work: usize,
    answer: impl Fn(usize, &[I]) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    if elements.len() <= FEW {
        return Ok(vec![answer(0, elements)?]);
    }
    let pool = device::pool()?;
    let between = (BETWEEN_SIGNALS / work.max(1)).max(FEW);
    let each = TASK.min(between / pool.current_num_threads()).max(1);
    let mut answers = Vec::new();
    for (part, elements) in elements.chunks(between).enumerate() {
        let start = part * between;
        let tasks = || {
            let tasks = elements.par_chunks(each).enumerate().map(|(task, chunk)| answer(start + task * each, chunk));
            // All answers are collected before an error is chosen, so that the error with the lowest number is reported.
            tasks.collect::<Vec<_>>()
        };
        for found in py.detach(|| pool.install(tasks)) {
            answers.push(found?);
        }
        py.check_signals()?;
    }
    Ok(answers)
}

/// Passes progress and requests to stop between the working thread and Python's thread.
#[derive(Default)]
pub(crate) struct Watcher {
    progress: Mutex<Progress>,
    is_stopped: AtomicBool,
}

impl Watcher {
    fn last(&self) -> Progress {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watcher {
    fn progress(&self, progress: &Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = *progress;
    }

    fn is_cancelled(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Does long work on another thread, without the GIL. Meanwhile the calling thread checks for Ctrl-C and calls `progress` with
/// the share that is done, from 0 to 1, and the leaves counted so far. An exception of the callback stops the work, too.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watcher) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let progress = progress.map(|callback| callback.clone().unbind());
    let watcher = Watcher::default();
    let result = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, result) = channel();
            let watcher = &watcher;
            scope.spawn(move || {
                // The other thread exists until it has received the result.
                let _ = done.send(work(watcher));
            });
            let mut stopped = None;
            loop {
                match result.recv_timeout(INTERVAL) {
                    // If a result arrives although the work was asked to stop, it is dropped, because the exception must be raised.
                    Ok(result) => return stopped.map_or(result, |error| Err(Failure::Python(error))),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(Failure::Device("The thread that worked has ended without a result.".to_owned()));
                    }
                    Err(RecvTimeoutError::Timeout) if stopped.is_none() => {
                        if let Err(error) = Python::attach(|py| look(py, progress.as_ref(), watcher)) {
                            watcher.is_stopped.store(true, Ordering::Relaxed);
                            stopped = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    })?;
    // The last report always announces the end of the work, even if the work was very short.
    if let Some(callback) = progress {
        let Progress { counted, .. } = watcher.last();
        callback.call1(py, (1.0, counted))?;
    }
    Ok(result)
}

/// Checks for Ctrl-C, and reports progress.
fn look(py: Python<'_>, progress: Option<&Py<PyAny>>, watcher: &Watcher) -> PyResult<()> {
    py.check_signals()?;
    let Some(callback) = progress else { return Ok(()) };
    let Progress { fraction, counted, .. } = watcher.last();
    callback.call1(py, (fraction, counted)).map(drop)
}
