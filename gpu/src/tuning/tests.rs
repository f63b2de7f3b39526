//! Tests with a device that answers from the published counts, and miscounts or fails with some options.

use std::time::{Duration, Instant};
use std::{env, fs, process};

use serde::Deserialize;

use super::search::{FIRST_DEPTH, Rates, WORKLOADS, count, search};
use super::*;
use kogge_board::{DeviceKind, Fen, Quad48, Rules, Successors};

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    beads: Option<usize>,
    rows: Option<usize>,
    /// An option that is not tuned.
    #[serde(skip)]
    wooden: bool,
}

impl Partial for Options {
    fn or(&self, others: &Self) -> Self {
        Self { beads: self.beads.or(others.beads), rows: self.rows.or(others.rows), ..self.clone() }
    }
}

/// A device that miscounts with 13 beads and has at most 9 rows.
#[derive(Clone)]
struct Abacus {
    info: DeviceInfo,
    beads: usize,
    kernels: &'static str,
}

impl Abacus {
    fn new() -> Self {
        let info = DeviceInfo {
            backend: "abacus",
            name: "Abacus".into(),
            driver: "1.0".into(),
            kind: DeviceKind::Other,
            memory: None,
            batch: 1,
            variant: String::new(),
            counts_diagrams: false,
        };
        Self { info, beads: 10, kernels: "slide" }
    }
}

impl Tunable for Abacus {
    type Options = Options;
    type Backend = Self;

    fn info(&self) -> DeviceInfo {
        self.info.clone()
    }

    fn kernels(&self) -> String {
        fingerprint([self.kernels])
    }

    fn plan(&self, options: &Options) -> Result<String, String> {
        match options.rows.unwrap_or(7) {
            rows @ ..10 => Ok(format!("{rows} rows of {} beads", options.beads.unwrap_or(10))),
            rows => Err(format!("there are no {rows} rows.")),
        }
    }

    fn values(&self) -> Vec<Value<Options>> {
        let beads = Value::numbers("beads", &[5, 10, 13], |beads| Options { beads, ..Options::default() });
        let rows = Value::numbers("rows", &[7, 8, 99], |rows| Options { rows, ..Options::default() });
        [beads, rows].concat()
    }

    fn untuned(&self, options: &Options) -> Result<Self, BackendError> {
        let planned = self.plan(options);
        planned.map_err(|reason| BackendError::Unavailable { backend: "abacus", reason })?;
        Ok(Self { beads: options.beads.unwrap_or(10), ..self.clone() })
    }
}

impl Backend for Abacus {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn expand(&mut self, _: &Rules, _: &[Quad48]) -> Result<Successors, BackendError> {
        Err(BackendError::Overflow)
    }

    fn perft(
        &mut self,
        _: &Rules,
        positions: &[Quad48],
        depth: u32,
        _: &mut kogge_board::Watch<'_>,
    ) -> Result<Vec<u128>, BackendError> {
        let known = |position: &Quad48| {
            let is_root = |fen: &str| fen.parse().is_ok_and(|fen: Fen| Quad48::from(&fen.position) == *position);
            let (_, leaves) = WORKLOADS.iter().find(|(fen, _)| is_root(fen)).ok_or(BackendError::Overflow)?;
            Ok(u128::from(leaves[(depth - FIRST_DEPTH) as usize]) + u128::from(self.beads == 13))
        };
        positions.iter().map(known).collect()
    }

    fn merge(
        &mut self,
        rules: &Rules,
        options: &kogge_board::merge::MergeOptions,
    ) -> Result<Box<dyn kogge_board::merge::Merge + '_>, BackendError> {
        Ok(Box::new(kogge_board::host::HostMerge::new(self, rules, *options)))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: kogge_board::Leaves,
        watch: &mut kogge_board::Watch<'_>,
    ) -> Result<Vec<kogge_board::Score>, BackendError> {
        kogge_board::host::minimax(self, rules, positions, depth, leaves, watch)
    }

    fn categories(
        &mut self,
        _: &Rules,
        _positions: &[Quad48],
        _depth: u32,
        _: &mut kogge_board::Watch<'_>,
    ) -> Result<Vec<kogge_board::Categories>, BackendError> {
        let reason = "it cannot tell the kinds of moves; use another backend.".to_owned();
        Err(BackendError::Unavailable { backend: self.info.backend, reason })
    }
}

fn values() -> Vec<Value<Options>> {
    Abacus::new().values()
}

/// Runs a search whose rates come from `answer`.
fn scripted(answer: impl Fn(&Value<Options>) -> Result<Option<Rates>, BackendError>) -> Tuning<Options> {
    let deadline = Instant::now() + Duration::from_secs(3600);
    let mut shown = Vec::new();
    let mut progress = |trial: &Trial| shown.push(trial.clone());
    let tuning = search(&values(), [10.0, 10.0], deadline, &mut progress, |_, value, _| answer(value)).unwrap();
    assert_eq!(tuning.trials, shown);
    tuning
}

#[test]
fn only_what_is_better_by_more_than_noise_is_kept() {
    let tuning = scripted(|value| {
        Ok(match (value.option, value.text.as_str()) {
            ("beads", "5") => Some([10.1, 10.2]),
            ("beads", "10") => Some([9.5, 12.0]),
            ("beads", "13") => Some([10.8, 10.8]),
            ("rows", "8") => Some([20.0, 20.0]),
            ("rows", "99") => None,
            _ => Some([5.0, 5.0]),
        })
    });
    assert_eq!(tuning.options, Options { beads: Some(10), rows: Some(8), wooden: false });
    assert!(tuning.complete);
    let kept = tuning.trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Kept(_)));
    assert_eq!(kept.map(|trial| trial.option).collect::<Vec<_>>(), ["defaults", "beads", "rows"]);
    // The defaults come first; one value is the default already.
    assert_eq!(tuning.trials.len(), values().len());
}

#[test]
fn what_counts_wrong_or_fails_is_never_kept() {
    let tuning = scripted(|value| match value.option {
        "beads" => Err(BackendError::WrongAnswer { device: "Abacus".into(), reason: "it lies.".into() }),
        _ => Err(BackendError::OutOfMemory { device: "Abacus".into(), doing: "counting".into() }),
    });
    assert_eq!(tuning.options, Options::default());
    let outcome = |option| &tuning.trials.iter().find(|trial| trial.option == option).unwrap().outcome;
    let text = "With beads 5: Abacus cannot be trusted: it lies.".to_owned();
    assert_eq!(outcome("beads"), &Outcome::Wrong(text));
    assert!(matches!(outcome("rows"), Outcome::Refused(reason) if reason.contains("out of memory")));
}

#[test]
fn a_device_is_tuned() {
    let tuning = tune(&Abacus::new(), Duration::from_secs(3600), &mut |_| {}).unwrap();
    let tried: Vec<_> = tuning.trials.iter().map(|trial| (trial.option, trial.value.as_str())).collect();
    // One value of each option is the default, which was tried first. 10 beads are tried only if 5 were better, and 7
    // rows never.
    let expected = [("defaults", ""), ("beads", "5"), ("beads", "10"), ("beads", "13"), ("rows", "8"), ("rows", "99")];
    assert!(tried == expected || tried == [&expected[..2], &expected[3..]].concat(), "{tried:?}");
    let outcome = |value| &tuning.trials.iter().find(|trial| trial.value == value).unwrap().outcome;
    let wrong = "With beads 13: Abacus cannot be trusted: it counted [";
    assert!(matches!(outcome("13"), Outcome::Wrong(reason) if reason.starts_with(wrong)));
    assert!(matches!(outcome("99"), Outcome::Refused(reason) if reason.contains("no 99 rows")));
    assert!(tuning.complete && tuning.options.beads != Some(13) && tuning.options.rows != Some(99));
    assert!(!tune(&Abacus::new(), Duration::ZERO, &mut |_| {}).unwrap().complete);
}

#[test]
fn a_total_that_is_not_the_published_one_is_a_wrong_answer() {
    let mut right = Abacus::new();
    let mut wrong = right.untuned(&Options { beads: Some(13), ..Options::default() }).unwrap();
    for (index, (_, leaves)) in WORKLOADS.iter().enumerate() {
        for depth in (FIRST_DEPTH..).take(leaves.len()) {
            count(&mut right, index, depth).unwrap();
            let error = count(&mut wrong, index, depth).unwrap_err();
            assert!(matches!(&error, BackendError::WrongAnswer { device, .. } if device == "Abacus"), "{error}");
        }
    }
}

/// Runs a test with a cache of its own.
fn with_cache(name: &str, test: impl FnOnce(&Cache)) {
    let folder = env::temp_dir().join(format!("kogge-cache-{}-{name}", process::id()));
    test(&Cache::at(folder.join("sub/tuned.json")));
    fs::remove_dir_all(&folder).unwrap();
}

const TUNED: Options = Options { beads: Some(5), rows: Some(9), wooden: false };

/// Returns the device with a changed description.
fn but(change: impl FnOnce(&mut Abacus)) -> Abacus {
    let mut device = Abacus::new();
    change(&mut device);
    device
}

#[test]
fn what_is_saved_is_loaded_until_it_is_forgotten() {
    with_cache("round-trip", |cache| {
        let (device, other) = (Abacus::new(), but(|device| device.info.name = "another".into()));
        assert_eq!(cache.load(&device), None);
        cache.save(&device, &Options::default()).unwrap();
        cache.save(&other, &Options::default()).unwrap();
        cache.save(&device, &Options { wooden: true, ..TUNED }).unwrap();
        assert_eq!((cache.load(&device), cache.load(&other)), (Some(TUNED), Some(Options::default())));
        assert_eq!((cache.forget(&device).unwrap(), cache.forget(&device).unwrap()), (true, false));
        assert_eq!((cache.load(&device), cache.load(&other)), (None, Some(Options::default())));
    });
}

#[test]
fn another_device_driver_version_or_kernel_has_nothing() {
    with_cache("keys", |cache| {
        let device = Abacus::new();
        cache.save(&device, &TUNED).unwrap();
        assert_eq!(cache.load(&but(|device| device.info.backend = "fingers")), None);
        assert_eq!(cache.load(&but(|device| device.info.name = "another".into())), None);
        assert_eq!(cache.load(&but(|device| device.info.driver = "0.0".into())), None);
        assert_eq!(cache.load(&but(|device| device.kernels = "Slide")), None);
        let version = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
        let text = fs::read_to_string(cache.file()).unwrap();
        assert!(text.contains(version), "{text}");
        fs::write(cache.file(), text.replace(version, "\"0.0.0\"")).unwrap();
        assert_eq!(cache.load(&device), None);
    });
}

#[test]
fn damaged_files_are_as_good_as_none() {
    with_cache("damage", |cache| {
        let device = Abacus::new();
        cache.save(&device, &TUNED).unwrap();
        let text = fs::read_to_string(cache.file()).unwrap();
        for damaged in [
            String::new(),
            text[..text.len() / 2].to_owned(),
            text.replace("\"rows\": 9", "\"rows\": -1"),
            text.replace("\"rows\"", "\"wooden\""),
            text.replace("\"driver\"", "\"coachman\""),
        ] {
            assert_ne!(damaged, text);
            fs::write(cache.file(), &damaged).unwrap();
            assert_eq!(cache.load(&device), None, "{damaged}");
            // The next tuning replaces the file.
            cache.save(&device, &TUNED).unwrap();
            assert_eq!(cache.load(&device), Some(TUNED), "{damaged}");
        }
    });
}

#[test]
fn what_was_tuned_is_used_where_it_fits_and_nothing_else_is_given() {
    with_cache("settle", |cache| {
        let device = Abacus::new();
        let none = Options::default();
        assert_eq!(complete(&device, &none, Some(cache)), (none.clone(), " (defaults)"));
        cache.save(&device, &TUNED).unwrap();
        assert_eq!(complete(&device, &none, Some(cache)), (TUNED, " (tuned)"));
        assert_eq!(complete(&device, &none, None), (none.clone(), " (defaults)"));
        let given = Options { rows: Some(3), wooden: true, ..none.clone() };
        assert_eq!(complete(&device, &given, Some(cache)), (Options { beads: Some(5), ..given }, " (tuned)"));
        // The file is well-formed, but asks for too many rows.
        cache.save(&device, &Options { rows: Some(11), ..TUNED }).unwrap();
        assert_eq!(complete(&device, &none, Some(cache)), (none.clone(), " (defaults)"));
    });
}

#[test]
fn fingerprints_depend_on_every_letter() {
    // The published value of FNV-1a for these letters.
    assert_eq!(fingerprint(["foo", "bar"]), "85944171f73967e8");
    assert_ne!(fingerprint(["foobaz"]), fingerprint(["foobar"]));
}
