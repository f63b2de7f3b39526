//! Tuned options: finding, keeping and using them.

use std::time::Duration;
use std::{env, fs, process};

use kogge_board::{Backend, BackendError};
use kogge_gpu::Gpu;
use kogge_gpu::tuning::{Cache, Outcome, Trial, Tunable, tune};

use super::{Options, Tested, first_device};

/// Opens the device with a cache that holds tuned options, and with options that override some of them. Each comes with
/// the description (up to the sizes) of the device opened with it.
pub fn tuned_options<D: Tested>((mut tuned, text): (Options<D>, &str), (mut given, given_text): (Options<D>, &str)) {
    let Some(device) = first_device::<D>() else { return };
    let folder = env::temp_dir().join(format!("kogge-{}-{}", D::BACKEND, process::id()));
    let cache = Cache::at(folder.join("tuned.json"));
    let variant = |options: &Options<D>| -> Result<String, BackendError> {
        Ok(Gpu::with_cache(&device, options, Some(&cache))?.info().variant.clone())
    };
    let untuned = variant(&Options::<D>::default()).unwrap();
    assert!(untuned.ends_with(" (defaults)"), "{untuned}");

    let host = tuned.as_mut();
    host.group_size = Some(32);
    host.closed_form_group_size = Some(16);
    host.count_group_size = Some(8);
    host.count_groups = Some(20);
    host.queued_per_lane = Some(3);
    host.positions = Some(1000);
    host.moves = Some(2000);
    cache.save(&device, &tuned).unwrap();
    assert_eq!(cache.load(&device).as_ref(), Some(&tuned));
    assert_eq!(variant(&Options::<D>::default()), Ok(format!("{text}, work-groups of 32 (tuned)")));
    given.as_mut().group_size = Some(16);
    assert_eq!(variant(&given), Ok(format!("{given_text}, work-groups of 16 (tuned)")));

    // The file is well-formed, but no device has this size.
    tuned.as_mut().group_size = Some(1 << 20);
    cache.save(&device, &tuned).unwrap();
    assert_eq!(variant(&Options::<D>::default()), Ok(untuned));
    fs::remove_dir_all(&folder).unwrap();
}

/// Checks that the values of an option give different descriptions of a device: tuning skips a value whose description it
/// has seen.
pub fn plans<D: Tested>() {
    let Some(device) = first_device::<D>() else { return };
    for values in Tunable::values(&device).chunk_by(|a, b| a.option == b.option) {
        let mut plans: Vec<_> = values.iter().filter_map(|value| device.plan(&value.options).ok()).collect();
        plans.sort();
        let all = plans.len();
        plans.dedup();
        // Chunks are cut to the largest buffer, and only NVIDIA's compiler takes a number of registers.
        let may_coincide = ["positions", "moves", "registers"].contains(&values[0].option);
        assert!(plans.len() == all || may_coincide, "{plans:?}");
    }
}

/// Tunes for a few seconds.
pub fn tuning_in_time<D: Tested>() {
    let Some(device) = first_device::<D>() else { return };
    let tuning = tune(&device, Duration::from_secs(3), &mut |_| {}).unwrap();
    let first = &tuning.trials[0];
    assert!(
        matches!(first, Trial { option: "defaults", outcome: Outcome::Kept([a, b]), .. } if a.min(*b) > 0.0),
        "{first:?}"
    );
    assert!(!tuning.trials.iter().any(|trial| matches!(trial.outcome, Outcome::Wrong(_))), "{:?}", tuning.trials);
    // The device passes the self-test with the tuned options.
    Gpu::untuned(&device, &tuning.options).unwrap();
}
