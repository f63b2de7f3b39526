//! The tests that every GPU backend must pass, on the first device of its interface.
//!
//! A backend's crate names its device and its variants in [`device_suite!`](crate::device_suite!); the crate's other tests
//! cover only its own parts. Without a device the tests are skipped, unless `KOGGE_REQUIRE_DEVICES` lists the backend.

mod counting;
mod failures;
mod faulty;
mod interrupted;
mod tuning;

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

pub use kogge_gpu::GpuOptions;
use kogge_gpu::Parameter::{
    self, ClosedFormGroupSize, CountGroupSize, CountGroups, GroupSize, Moves, Positions, QueuedPerLane,
};
use kogge_gpu::{Device, Gpu, Interface};

pub use counting::*;
pub use failures::*;
pub use faulty::Faulty;
pub use interrupted::*;
pub use tuning::*;

/// A device that the suite can test: its parts can be sent to other threads.
pub trait TestDevice: Device<Interface: Interface<Buffer: Send> + Send + 'static> + 'static {}

impl<D> TestDevice for D where D: Device<Interface: Interface<Buffer: Send> + Send + 'static> + 'static {}

/// Returns whether a missing device fails the tests. `cargo xtask test` lists the required backends in
/// `KOGGE_REQUIRE_DEVICES`.
pub fn is_required(backend: &str) -> bool {
    let required = std::env::var("KOGGE_REQUIRE_DEVICES").unwrap_or_default();
    required.split(',').any(|name| name == backend)
}

/// Returns the first device, or `None` without a device.
///
/// # Panics
/// If there is no device and one is required.
pub fn first_device<D: Device>() -> Option<D> {
    let (device, reason) = match D::list() {
        Ok(devices) => (devices.into_iter().next(), String::new()),
        Err(error) => (None, error.to_string()),
    };
    if device.is_none() {
        assert!(!is_required(D::BACKEND), "A device of the backend {} is required. {reason}", D::BACKEND);
        eprintln!("Skipped, because the backend {} has no device. {reason}", D::BACKEND);
    }
    device
}

/// A backend that tests share, opened by the first of them.
type Shared<D> = Arc<Mutex<Option<Gpu<D>>>>;

/// Runs a test on a backend that all tests with these options share; does nothing without a device. Tests with other options may
/// run at the same time.
///
/// # Panics
/// If there is no device and one is required, or if it cannot be opened.
pub fn with_backend<D: TestDevice>(options: &GpuOptions, test: impl FnOnce(&mut Gpu<D>)) {
    let shared = shared::<D>(options);
    let mut backend = shared.lock().unwrap_or_else(PoisonError::into_inner);
    if backend.is_none() {
        let Some(device) = first_device::<D>() else { return };
        *backend = Some(Gpu::untuned(&device, options).unwrap_or_else(|error| panic!("{error}")));
    }
    if let Some(backend) = &mut *backend {
        test(backend);
    }
}

/// Returns the backend with these options, opened or not.
fn shared<D: TestDevice>(options: &GpuOptions) -> Shared<D> {
    static SHARED: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());
    let mut all = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.iter().find_map(|one| {
        let (known, backend) = one.downcast_ref::<(GpuOptions, Shared<D>)>()?;
        (known == options).then(|| Arc::clone(backend))
    });
    known.unwrap_or_else(|| {
        let backend = Shared::<D>::default();
        all.push(Box::new((options.clone(), Arc::clone(&backend))));
        backend
    })
}

/// Returns the options with buffers so small that all work is split.
pub fn tiny(mut options: GpuOptions) -> GpuOptions {
    options.values.extend([
        (GroupSize, 8),
        (ClosedFormGroupSize, 6),
        (CountGroupSize, 3),
        (CountGroups, 5),
        (QueuedPerLane, 1),
        (Positions, 1),
        (Moves, 1),
    ]);
    options
}

/// Returns the options without the closed form.
pub fn every_reply_counted(options: GpuOptions) -> GpuOptions {
    options.with(Parameter::ClosedForm, 0)
}

/// Makes the tests of a backend. Variants are functions that return options.
///
/// * `conformance`: variants that each pass the whole conformance suite of counting;
/// * `forms`: variants with different representations of boards or positions on the device, for the tests of merging,
///   minimax and random batches;
/// * `split`: [`tiny`] variants;
/// * `nonsense`: variants for the test with words that are no positions;
/// * `unfit`: options that do not fit any device, each with a word of the error;
/// * `tuned`: options that stand for tuned ones, and options that override them, each with the description (up to the
///   sizes) of the device opened with them;
/// * `mutants`: errors in the kernels that the self-tests must find, and the options for this test.
#[macro_export]
macro_rules! device_suite {
    (
        device: $device:ty,
        conformance: [$($variant:ident),* $(,)?],
        forms: [$($form:expr),* $(,)?],
        split: [$($split:expr),* $(,)?],
        nonsense: [$($nonsense:expr),* $(,)?],
        unfit: [$($unfit:expr),* $(,)?],
        tuned: [$tuned:expr, $overridden:expr $(,)?],
        mutants: [$(($mutant_options:expr, $mutants:expr)),* $(,)?] $(,)?
    ) => {
        $(mod $variant {
            use super::*;
            use $crate::conformance;
            use $crate::device_suite::{cpu, with_backend};

            #[test]
            fn published_counts() {
                with_backend::<$device>(&super::$variant(), |backend| conformance::published_counts(backend, 300_000));
            }

            #[test]
            fn trivial_batches() {
                with_backend::<$device>(&super::$variant(), |backend| conformance::trivial_batches(backend));
            }

            #[test]
            fn random_placements() {
                with_backend::<$device>(&super::$variant(), |backend| {
                    conformance::random_placements(backend, &mut cpu());
                });
            }

            #[test]
            fn random_playouts() {
                with_backend::<$device>(&super::$variant(), |backend| {
                    conformance::random_playouts(backend, &mut cpu());
                });
            }
        })*

        mod suite {
            use super::*;
            use $crate::device_suite::{self, GpuOptions};

            fn forms() -> Vec<GpuOptions> {
                vec![$($form),*]
            }

            fn split() -> Vec<GpuOptions> {
                vec![$($split),*]
            }

            $crate::device_tests! {
                the_six_standard_positions: standard_positions::<$device>(&forms());
                random_positions: random_suite::<$device>();
                chess960_positions: chess960_suite::<$device>();
                successors_are_those_of_the_reference: successors::<$device>(&forms(), &split());
                leaves_are_those_of_the_reference: leaves::<$device>(&forms(), &split());
                nonsense_is_harmless: nonsense::<$device>(&[$($nonsense),*]);
                merged_plies: merged_plies::<$device>(&forms(), &split());
                merging_without_room: merging_without_room::<$device>(&forms(), &split());
                a_list_far_too_short_is_full_at_once: list_far_too_short::<$device>();
                minimax_scores: minimax_scores::<$device>(&forms(), &split());
                more_groups_than_a_row_holds: more_groups_than_a_row_holds::<$device>();
                a_device_that_is_not_there: missing_device::<$device>();
                options_that_do_not_fit: unfit_options::<$device>(vec![$($unfit),*]);
                little_memory_is_enough: little_memory::<$device>();
                too_little_memory_is_an_error: too_little_memory::<$device>();
                great_depth: great_depth::<$device>();
                more_moves_than_there_is_room_for: more_moves_than_room::<$device>();
                more_successors_than_there_is_room_for: more_successors_than_room::<$device>(&split());
                large_totals_are_split: large_totals::<$device>();
                after_a_lack_of_memory_less_is_used: less_memory::<$device>();
                no_failure_makes_a_total_wrong: interrupted_totals::<$device>();
                no_failure_makes_a_merged_total_wrong: interrupted_merges::<$device>();
                lists_of_many_small_shards: small_shards::<$device>();
                quiescence_without_room_for_moves_is_done_again: quiescence_without_room::<$device>();
                tuned_options_are_used_and_given_options_override: tuned_options::<$device>($tuned, $overridden);
                tuning_ends_in_time: tuning_in_time::<$device>();
            }

            #[test]
            fn the_self_tests_find_each_error() {
                $($crate::mutants::find_each::<$device>(&$mutant_options, $mutants);)*
            }
        }
    };
}

/// Makes a test of this name for each call of a function in [`device_suite`](crate::device_suite).
#[doc(hidden)]
#[macro_export]
macro_rules! device_tests {
    ($($name:ident: $function:ident::<$device:ty>($($argument:expr),* $(,)?);)*) => {
        $(#[test]
        fn $name() {
            device_suite::$function::<$device>($($argument),*);
        })*
    };
}
