//! Reports the progress of a long run: as bars on a terminal, as JSON lines, or not at all.

use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use kogge::{
    Observer,
    ledger::{DeviceProgress, Event, LedgerError, Snapshot, Source, Watcher},
};
use serde::Serialize;

use super::entry::{Count, Entry};
use crate::monitor::{Reports, duration, end_now, is_interrupted, shows_progress};
use crate::output::{Output, magnitude, number_of, record};

/// The longest interval between JSON lines, in seconds. Lines come every second at first, then less and less often.
const LONGEST_INTERVAL: f64 = 60.0;

/// A device in the JSON.
#[derive(Serialize)]
pub(crate) struct Worker {
    backend: String,
    device: String,
    variant: String,
    entries: u64,
    leaves: u128,
    at_work: usize,
    failed: Option<String>,
}

impl Worker {
    /// A device that has done no work yet.
    pub(crate) fn new(source: &Source) -> Self {
        let Source { backend, device, variant, .. } = source.clone();
        Self { backend, device, variant, entries: 0, leaves: 0, at_work: 0, failed: None }
    }
}

impl From<&DeviceProgress> for Worker {
    fn from(device: &DeviceProgress) -> Self {
        let DeviceProgress { source, entries, leaves, at_work, failed, .. } = device;
        Self { entries: *entries, leaves: *leaves, at_work: *at_work, failed: failed.clone(), ..Self::new(source) }
    }
}

/// Watches a run and reports it; Ctrl-C ends the run.
pub(crate) struct Reporter<'a> {
    shown: bool,
    /// Whether lines on standard error say how far the work is.
    told: bool,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    output: &'a mut Output,
    /// The first error while writing the output.
    written: io::Result<()>,
    printed: Instant,
    reports: Reports,
    bars: Option<Bars>,
}

/// One bar for the whole run, and one line for each device.
struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    devices: Vec<ProgressBar>,
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(output: &'a mut Output) -> Self {
        let shown = !output.json && shows_progress(output.quiet);
        let told = !shown && !output.json && !output.quiet;
        let state = State { output, written: Ok(()), printed: Instant::now(), reports: Reports::new(), bars: None };
        Self { shown, told, state: Mutex::new(state) }
    }

    /// Removes the bars.
    ///
    /// # Errors
    /// If the output could not be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        let state = self.state.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(bars) = state.bars {
            bars.all.clear()?;
        }
        state.written
    }
}

impl Observer for Reporter<'_> {
    fn is_cancelled(&self) -> bool {
        is_interrupted()
    }
}

impl Watcher for Reporter<'_> {
    fn event(&self, event: &Event<'_>) {
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match event {
            Event::Progress(snapshot) => {
                state.progress(snapshot, self.shown);
                if self.told && state.reports.due().is_some() {
                    state.tell(snapshot);
                }
            }
            Event::DeviceFailed { source, reason } => {
                let Source { backend, device, variant, .. } = (*source).clone();
                let sentence = format!("{backend}: {device} is no longer used. {reason}");
                state.complain(&sentence);
                state.line(&record! { event: "device_failed", backend, device, variant, reason });
            }
            &Event::StillCounting { done, entries } => {
                if let Some(bars) = &state.bars {
                    let _ = bars.all.clear();
                }
                end_now(&LedgerError::Stopped { done, entries }.to_string());
            }
            Event::Waiting { leases } => {
                let entries: u64 = leases.iter().map(|lease| lease.entries).sum();
                let longest = leases.iter().map(|lease| lease.ends_in.as_secs_f64()).fold(0.0, f64::max);
                let names: Vec<_> = leases.iter().map(|lease| lease.worker.as_str()).collect();
                let sentence = format!(
                    "Waiting for {} that other processes count ({2}). If these have ended, the wait is over in {1} at most; \"kogge ledger LOCATION \
                     --release\" ends it at once.",
                    number_of(entries, "entry", "entries"),
                    duration(longest),
                    names.join(", ")
                );
                state.above_bars(|output| output.note(&sentence));
            }
            Event::Disputed { place, answer, had, source } => {
                let entry = Entry::new(answer.id, place);
                let (had, found) = (Count::from(**had), Count::from(answer.count));
                let Source { backend, device, variant, .. } = (*source).clone();
                let sentence = format!(
                    "Two answers differ for {entry}: {had} from before, and now {found} by {backend}: {device}."
                );
                state.complain(&sentence);
                let entry =
                    record! { event: "disputed", #[serde(flatten)] entry, had, found, backend, device, variant };
                state.line(&entry);
            }
        }
    }
}

impl State<'_> {
    fn progress(&mut self, snapshot: &Snapshot, shown: bool) {
        let interval = (snapshot.elapsed.as_secs_f64() / LONGEST_INTERVAL).clamp(1.0, LONGEST_INTERVAL);
        if self.output.json && self.printed.elapsed() >= Duration::from_secs_f64(interval) {
            self.printed = Instant::now();
            self.line(&record! {
                event: "progress",
                done: snapshot.done,
                entries: snapshot.entries,
                per_second: snapshot.rate,
                seconds: snapshot.elapsed.as_secs_f64(),
                seconds_left: snapshot.seconds_left(),
                devices: snapshot.devices.iter().map(Worker::from).collect::<Vec<_>>(),
            });
        }
        if shown {
            self.bars.get_or_insert_with(|| Bars::new(snapshot)).show(snapshot);
        }
    }

    fn tell(&self, snapshot: &Snapshot) {
        let Snapshot { done, entries, elapsed, .. } = snapshot;
        let elapsed = duration(elapsed.as_secs_f64());
        self.output.note(&format!("After {elapsed}, {done} of {entries} entries are done: {}.", left(snapshot)));
    }

    /// Prints a line of JSON if `--json` is set.
    fn line(&mut self, line: &impl Serialize) {
        if self.output.json && self.written.is_ok() {
            self.written = self.output.print(line, |_| Ok(()));
        }
    }

    /// Prints an error on standard error, above the bars.
    fn complain(&self, sentence: &str) {
        self.above_bars(|output| output.complain(sentence));
    }

    fn above_bars(&self, print: impl FnOnce(&Output)) {
        match &self.bars {
            Some(bars) => bars.all.suspend(|| print(self.output)),
            None => print(self.output),
        }
    }
}

fn left(snapshot: &Snapshot) -> String {
    let left = snapshot.seconds_left();
    let left = left.map_or("time left unknown".to_owned(), |left| format!("about {} left", duration(left)));
    format!("{} entries/s, {left}", magnitude(snapshot.rate))
}

impl Bars {
    fn new(snapshot: &Snapshot) -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        // The templates are constants; without them, the default bars still show the progress.
        let style = |template| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let total = all.add(ProgressBar::new(snapshot.entries));
        total.set_style(style("{wide_bar} {percent:>3} %  {pos}/{len}  {msg}"));
        let line = |_| {
            let bar = all.add(ProgressBar::new(1));
            bar.set_style(style("  {wide_msg}"));
            bar
        };
        let devices = snapshot.devices.iter().map(line).collect();
        Self { all, total, devices }
    }

    fn show(&self, snapshot: &Snapshot) {
        self.total.set_position(snapshot.done);
        self.total.set_message(left(snapshot));
        let seconds = snapshot.elapsed.as_secs_f64().max(1e-9);
        for (bar, device) in self.devices.iter().zip(&snapshot.devices) {
            let doing = match (&device.failed, device.at_work) {
                (Some(_), _) => "failed".to_owned(),
                (None, 0) => "waits".to_owned(),
                (None, batch) => format!("{:.0} % of a batch of {batch}", 100.0 * device.fraction),
            };
            bar.set_message(format!(
                "{}: {}: {} entries, {} leaves/s, {doing}",
                device.source.backend,
                device.source.device,
                device.entries,
                magnitude(device.leaves as f64 / seconds)
            ));
        }
    }
}
