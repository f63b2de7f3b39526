//! Tests with scripted rates, and with a backend that either answers from the published counts or miscounts.

use std::time::{Duration, Instant};
use std::{env, fs, process};

use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind, Fen, Quad48, Rules, Successors};

use super::search::{FIRST_DEPTH, Rates, WORKLOADS, count, search};
use super::*;
use crate::parameters::Parameter::{self, ClosedFormTurns, CountGroups, GroupSize};
use crate::parameters::Values;

/// A backend that is always off by this number of leaves.
struct Abacus {
    info: DeviceInfo,
    error: u128,
}

impl Abacus {
    fn new(error: u128) -> Self {
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
        Self { info, error }
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
            Ok(u128::from(leaves[(depth - FIRST_DEPTH) as usize]) + self.error)
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

const TRIED: [(Parameter, usize); 6] =
    [(GroupSize, 64), (GroupSize, 128), (GroupSize, 256), (CountGroups, 7), (CountGroups, 8), (CountGroups, 9)];

/// Runs a search whose rates come from `answer`.
fn scripted(answer: impl Fn(Parameter, usize) -> Result<Option<Rates>, BackendError>) -> Tuning {
    let deadline = Instant::now() + Duration::from_secs(3600);
    let mut shown = Vec::new();
    let mut progress = |trial: &Trial| shown.push(trial.clone());
    let tuning =
        search(&TRIED, [10.0, 10.0], deadline, &mut progress, |_, parameter, value, _| answer(parameter, value));
    let tuning = tuning.unwrap();
    assert_eq!(tuning.trials, shown);
    tuning
}

#[test]
fn only_what_is_better_by_more_than_noise_is_kept() {
    let tuning = scripted(|parameter, value| {
        Ok(match (parameter, value) {
            (GroupSize, 64) => Some([10.1, 10.2]),
            (GroupSize, 128) => Some([9.5, 12.0]),
            (GroupSize, 256) => Some([10.8, 10.8]),
            (CountGroups, 8) => Some([20.0, 20.0]),
            (CountGroups, 9) => None,
            _ => Some([5.0, 5.0]),
        })
    });
    assert_eq!(tuning.values, Values::from([(GroupSize, 128), (CountGroups, 8)]));
    assert!(tuning.complete);
    let kept = tuning.trials.iter().filter(|trial| matches!(trial.outcome, TrialOutcome::Kept(_)));
    assert_eq!(kept.map(|trial| trial.option).collect::<Vec<_>>(), ["defaults", "work-group", "count groups"]);
    // The defaults come first; one of the values equals the default.
    assert_eq!(tuning.trials.len(), TRIED.len());
}

#[test]
fn what_counts_wrong_or_fails_is_never_kept() {
    let tuning = scripted(|parameter, _| match parameter {
        GroupSize => Err(BackendError::WrongAnswer { device: "Abacus".into(), reason: "it lies.".into() }),
        _ => Err(BackendError::OutOfMemory { device: "Abacus".into(), doing: "counting".into() }),
    });
    assert_eq!(tuning.values, Values::new());
    let outcome = |option| &tuning.trials.iter().find(|trial| trial.option == option).unwrap().outcome;
    let text = "With work-group 64: Abacus cannot be trusted: it lies.".to_owned();
    assert_eq!(outcome("work-group"), &TrialOutcome::Wrong(text));
    assert!(matches!(outcome("count groups"), TrialOutcome::Refused(reason) if reason.contains("out of memory")));
}

#[test]
fn a_search_ends_in_time() {
    let tuning = search(&TRIED, [1.0; 2], Instant::now(), &mut |_| {}, |_, _, _, _| panic!("no time")).unwrap();
    assert!(!tuning.complete && tuning.trials.len() == 1);
}

#[test]
fn a_total_that_is_not_the_published_one_is_a_wrong_answer() {
    let (mut right, mut wrong) = (Abacus::new(0), Abacus::new(1));
    for (index, (_, leaves)) in WORKLOADS.iter().enumerate() {
        for depth in (FIRST_DEPTH..).take(leaves.len()) {
            count(&mut right, index, depth).unwrap();
            let error = count(&mut wrong, index, depth).unwrap_err();
            assert!(matches!(&error, BackendError::WrongAnswer { device, .. } if device == "Abacus"), "{error}");
        }
    }
}

fn with_cache(name: &str, test: impl FnOnce(&Cache)) {
    let folder = env::temp_dir().join(format!("kogge-cache-{}-{name}", process::id()));
    test(&Cache::at(folder.join("sub/tuned.json")));
    fs::remove_dir_all(&folder).unwrap();
}

fn tuned() -> Values {
    Values::from([(GroupSize, 64), (ClosedFormTurns, 2)])
}

fn key(change: impl FnOnce(&mut TunedKey)) -> TunedKey {
    let [backend, device, driver] = ["abacus", "Abacus", "1.0"].map(String::from);
    let mut key = TunedKey { backend, device, driver, kogge: "0.1".into(), kernels: fingerprint(["slide"]) };
    change(&mut key);
    key
}

#[test]
fn what_is_saved_is_loaded_until_it_is_forgotten() {
    with_cache("round-trip", |cache| {
        let (one, other) = (key(|_| {}), key(|key| key.device = "another".into()));
        assert_eq!(cache.load(&one), None);
        cache.save(one.clone(), &Values::new()).unwrap();
        cache.save(other.clone(), &Values::new()).unwrap();
        cache.save(one.clone(), &tuned()).unwrap();
        assert_eq!((cache.load(&one), cache.load(&other)), (Some(tuned()), Some(Values::new())));
        assert_eq!((cache.forget(&one).unwrap(), cache.forget(&one).unwrap()), (true, false));
        assert_eq!((cache.load(&one), cache.load(&other)), (None, Some(Values::new())));
    });
}

#[test]
fn another_device_driver_version_or_kernel_has_nothing() {
    with_cache("keys", |cache| {
        cache.save(key(|_| {}), &tuned()).unwrap();
        assert_eq!(cache.load(&key(|key| key.backend = "fingers".into())), None);
        assert_eq!(cache.load(&key(|key| key.device = "another".into())), None);
        assert_eq!(cache.load(&key(|key| key.driver = "0.0".into())), None);
        assert_eq!(cache.load(&key(|key| key.kernels = fingerprint(["Slide"]))), None);
        assert_eq!(cache.load(&key(|key| key.kogge = "0.0.0".into())), None);
    });
}

#[test]
fn damaged_files_are_as_good_as_none() {
    with_cache("damage", |cache| {
        let key = key(|_| {});
        cache.save(key.clone(), &tuned()).unwrap();
        let text = fs::read_to_string(cache.file()).unwrap();
        for damaged in [
            String::new(),
            text[..text.len() / 2].to_owned(),
            text.replace("\"group_size\": 64", "\"group_size\": -1"),
            text.replace("\"group_size\"", "\"wooden\""),
            text.replace("\"driver\"", "\"coachman\""),
        ] {
            assert_ne!(damaged, text);
            fs::write(cache.file(), &damaged).unwrap();
            assert_eq!(cache.load(&key), None, "{damaged}");
            // The next tuning replaces the file.
            cache.save(key.clone(), &tuned()).unwrap();
            assert_eq!(cache.load(&key), Some(tuned()), "{damaged}");
        }
    });
}

#[test]
fn fingerprints_depend_on_every_letter() {
    // The published value of FNV-1a for these letters.
    assert_eq!(fingerprint(["foo", "bar"]), "85944171f73967e8");
    assert_ne!(fingerprint(["foobaz"]), fingerprint(["foobar"]));
}
