//! `kogge selfcheck`.

mod report;

use std::num::NonZeroUsize;
use std::time::{SystemTime, UNIX_EPOCH};

use kogge::driver::{
    bench::monotonic,
    selfcheck::{DeviceToCheck, SelfcheckSettings, check},
};
use kogge::movegen_cpu::mailbox::Mailbox;
use kogge::{
    BACKENDS, Backend, BackendError, BackendKind, BackendName, Cpu, Error, Observer, OpenError, Request,
    number_without_backend,
};

use self::report::{Absence, Report, Row};
use crate::args::{self, Common};
use crate::context::{Context, Job};
use crate::machine::Machine;
use crate::monitor::give_time_to_stop;
use crate::outcome::{Answer, Failure};
use crate::selection::Selection;

/// The maximum time for published counts on each device, as a share of the time for the comparison; without a limit, as a share
/// of this time.
const KNOWN_SHARE: f64 = 0.1;
const UNLIMITED: f64 = 60.0;
/// The size of the hash table in a comparison without limit, in bytes: so small that positions replace each other.
const HASH: NonZeroUsize = NonZeroUsize::new(1 << 16).unwrap();

/// Checks devices, and reports the result for the authors.
pub(super) struct Selfcheck {
    seconds: u32,
    seed: u64,
    /// The backends to check, each with a device number or for all devices.
    wanted: Vec<(BackendName, Option<usize>)>,
    request: Request,
}

/// A device or a variant of the CPU code to check.
struct Candidate {
    backend: &'static str,
    /// `None` if the backend has no devices.
    number: Option<usize>,
    opened: Result<Box<dyn Backend>, Absence>,
}

impl Selfcheck {
    pub(super) fn new(args: &args::Selfcheck, common: &Common) -> Result<Self, Failure> {
        let wanted = match Selection::new(common)? {
            Selection::One(Request { backend: BackendName::Auto, device: Some(_), .. }) => {
                return Err(number_without_backend().into());
            }
            Selection::One(Request { backend: BackendName::Auto, .. }) | Selection::All(_) => {
                BACKENDS.iter().map(|entry| (entry.name, None)).collect()
            }
            Selection::One(request) => vec![(request.backend, request.device)],
            Selection::Named(requests) => requests.iter().map(|request| (request.backend, request.device)).collect(),
            Selection::AllOf(entry, _) => vec![(entry.name, None)],
        };
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        Ok(Self { seconds: args.seconds, seed: args.seed.unwrap_or_else(now), wanted, request: Selection::any(common) })
    }

    /// Opens the requested devices.
    ///
    /// # Errors
    /// If the backend does not have a requested device.
    fn open(&self) -> Result<Vec<Candidate>, Failure> {
        let mut found = Vec::new();
        for (name, number) in &self.wanted {
            for entry in BACKENDS.iter().filter(|entry| entry.name == *name) {
                found.extend(self.open_of(entry, *number)?);
            }
        }
        Ok(found)
    }

    fn open_of(&self, entry: &BackendKind, wanted: Option<usize>) -> Result<Vec<Candidate>, Failure> {
        let backend = entry.name.name();
        let absent = |number, reason: BackendError| Candidate {
            backend,
            number,
            opened: Err(Absence::Absent(reason.to_string())),
        };
        let devices = match entry.devices() {
            Ok(devices) => devices,
            Err(reason) => return Ok(vec![absent(None, reason)]),
        };
        let mut variants = vec![(None, None)];
        if entry.name == BackendName::Cpu {
            variants = Cpu::variants().into_iter().map(|variant| (Some(variant), None)).collect();
            variants.extend((self.seconds == 0).then_some((None, Some(HASH))));
        }
        let mut found = Vec::new();
        for number in wanted.map_or((0..devices.len()).collect(), |number| vec![number]) {
            if let Some(device) = devices.get(number).filter(|device| !device.is_usable())
                && let Err(reason) = device.info()
            {
                found.push(absent(Some(number), reason));
                continue;
            }
            for &(variant, hash) in &variants {
                let request = Request { variant, hash, ..self.request.of(entry.name, Some(number)) };
                let opened = match entry.open(&request) {
                    Ok(opened) => Ok(opened.backend),
                    Err(error @ OpenError::Request(_)) => return Err(error.into()),
                    Err(error) => Err(Absence::Broken(error)),
                };
                found.push(Candidate { backend, number: Some(number), opened });
            }
        }
        Ok(found)
    }

    /// Checks the open devices.
    fn check(&self, found: Vec<Candidate>, observer: &dyn Observer) -> Result<Report, Error> {
        let (mut rows, mut opened) = (Vec::new(), Vec::new());
        for Candidate { backend, number, opened: result } in found {
            match result {
                Ok(device) => {
                    opened.push((rows.len(), device));
                    rows.push(Row::new(backend, number));
                }
                Err(missing) => rows.push(Row::missing(backend, number, missing)),
            }
        }
        let mut subjects: Vec<_> = opened
            .iter_mut()
            .map(|(_, device)| DeviceToCheck { compared: device.info().backend != "mailbox", backend: &mut **device })
            .collect();
        let references = (0..rayon::current_num_threads()).map(|_| Box::new(Mailbox::new()) as Box<dyn Backend>);
        let seconds = f64::from(self.seconds);
        let known_seconds = KNOWN_SHARE * if self.seconds == 0 { UNLIMITED } else { seconds };
        let settings = SelfcheckSettings { seconds, known_seconds, seed: self.seed, clock: &monotonic };
        let checked = check(&mut subjects, references.collect(), &settings, observer)?;
        for ((index, device), checked) in opened.iter().zip(checked) {
            rows[*index].fill(device.info(), checked);
        }
        Ok(Report::new(Machine::now(), self.seconds, self.seed, rows))
    }
}

impl Job for Selfcheck {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let monitor = context.monitor("leaves")?;
        if self.seconds == 0 {
            give_time_to_stop();
            context.output.note(&format!("The seed is {}. Ctrl-C ends the comparison with the report.", self.seed));
        }
        let checked = self.check(self.open()?, &monitor);
        monitor.next();
        let report = checked.map_err(|error| match error {
            Error::Cancelled(_) => Failure::Interrupted("Stopped on request; there is no result.".to_owned()),
            error => error.into(),
        })?;
        context.output.print(&report, |to| report.write(to))?;
        report.answer()
    }
}

#[cfg(test)]
mod tests {
    use kogge_testkit::buggy::{buggy, no_black_queenside};

    use super::*;

    fn found(backend: &'static str, opened: Result<Box<dyn Backend>, Absence>) -> Candidate {
        Candidate { backend, number: Some(0), opened }
    }

    fn cpu() -> Cpu {
        Cpu::new(Some(1)).expect("the CPU can be used")
    }

    /// Checks devices for a moment, and returns the text of the report and the answer.
    fn report(found: Vec<Candidate>) -> (String, Result<Answer, Failure>) {
        let selfcheck = Selfcheck { seconds: 1, seed: 5, wanted: Vec::new(), request: Request::default() };
        let report = selfcheck.check(found, &()).expect("nobody stops it");
        let mut text = Vec::new();
        report.write(&mut text).expect("memory takes everything");
        (String::from_utf8(text).expect("UTF-8"), report.answer())
    }

    #[test]
    fn a_device_that_counts_wrongly_is_named() {
        let wrong = buggy(cpu(), no_black_queenside);
        let (text, answer) = report(vec![found("cpu", Ok(Box::new(cpu()))), found("opencl", Ok(Box::new(wrong)))]);
        assert!(matches!(answer, Ok(Answer::No)), "{text}");
        let line = |start: &str| text.lines().skip_while(|line| !line.starts_with(start)).nth(1).unwrap_or_default();
        assert!(line("cpu:0 ").contains("right: 4 self-tests, "), "{text}");
        assert!(line("opencl:0 ").contains("WRONG: ") && line("opencl:0 ").contains("cannot be trusted"), "{text}");
        assert!(text.ends_with("\n1 of 2 devices is wrong.\n"), "{text}");
    }

    #[test]
    fn without_limit_the_hash_table_is_checked_too() {
        let wanted = vec![(BackendName::Cpu, None)];
        let selfcheck = Selfcheck { seconds: 0, seed: 5, wanted, request: Request::default() };
        let found = selfcheck.open().unwrap_or_else(|_| panic!("the CPU can be used"));
        assert_eq!(found.len(), Cpu::variants().len() + 1);
        let last = found.last().and_then(|found| found.opened.as_ref().ok()).expect("the CPU can be used");
        assert!(last.info().variant.contains("hash"), "{}", last.info().variant);
    }

    #[test]
    fn a_device_that_cannot_be_opened_is_named_with_the_reason() {
        let broken = OpenError::Backend(BackendError::Device {
            device: "A GPU".to_owned(),
            doing: "compiling the kernels".to_owned(),
            reason: "no luck.".to_owned(),
        });
        let absent = Absence::Absent("The wgpu backend cannot be used: there is no Vulkan device.".to_owned());
        let missing = vec![found("opencl", Err(Absence::Broken(broken))), found("wgpu", Err(absent))];
        let (text, answer) = report(missing);
        assert!(text.contains("FAILED: A GPU failed compiling the kernels: no luck.\n"), "{text}");
        assert!(text.contains("not there: The wgpu backend cannot be used: there is no Vulkan device.\n"), "{text}");
        assert!(matches!(answer, Err(Failure::Device(_))), "{text}");
    }
}
