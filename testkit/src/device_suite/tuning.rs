//! Tuned options: finding, keeping and using them.

use std::time::Duration;
use std::{env, fs, process};

use kogge_board::{Backend, BackendError};
use kogge_gpu::Parameter::{
    ClosedFormGroupSize, CountGroupSize, CountGroups, GroupSize, Moves, Positions, QueuedPerLane,
};
use kogge_gpu::tuning::{Cache, Trial, TrialOutcome, TunedKey, tune};
use kogge_gpu::{Gpu, GpuOptions};

use super::{TestDevice, first_device};

/// Opens the device with a cache that holds tuned options, and with options that override some of them. Each comes with
/// the description (up to the sizes) of the device opened with it.
pub fn tuned_options<D: TestDevice>(
    (mut tuned, text): (GpuOptions, &str),
    (mut given, given_text): (GpuOptions, &str),
) {
    let Some(device) = first_device::<D>() else { return };
    let folder = env::temp_dir().join(format!("kogge-{}-{}", D::BACKEND, process::id()));
    let cache = Cache::at(folder.join("tuned.json"));
    let variant = |options: &GpuOptions| -> Result<String, BackendError> {
        Ok(Gpu::with_cache(&device, options, Some(&cache))?.info().variant.clone())
    };
    let untuned = variant(&GpuOptions::default()).unwrap();
    assert!(untuned.ends_with(" (defaults)"), "{untuned}");

    tuned.values.extend([(GroupSize, 32), (ClosedFormGroupSize, 16), (CountGroupSize, 8), (CountGroups, 20)]);
    tuned.values.extend([(QueuedPerLane, 3), (Positions, 1000), (Moves, 2000)]);
    cache.save(TunedKey::of(&device), &tuned.values).unwrap();
    assert_eq!(cache.load(&TunedKey::of(&device)), Some(tuned.values.clone()));
    assert_eq!(variant(&GpuOptions::default()), Ok(format!("{text}, work-groups of 32 (tuned)")));
    given.values.insert(GroupSize, 16);
    assert_eq!(variant(&given), Ok(format!("{given_text}, work-groups of 16 (tuned)")));

    // The file is well-formed, but no device supports this size.
    tuned.values.insert(GroupSize, 1 << 20);
    cache.save(TunedKey::of(&device), &tuned.values).unwrap();
    assert_eq!(variant(&GpuOptions::default()), Ok(untuned));
    fs::remove_dir_all(&folder).unwrap();
}

/// Tunes for a few seconds.
pub fn tuning_in_time<D: TestDevice>() {
    let Some(device) = first_device::<D>() else { return };
    let tuning = tune(&device, Duration::from_secs(3), &mut |_| {}).unwrap();
    let first = &tuning.trials[0];
    assert!(
        matches!(first, Trial { option: "defaults", outcome: TrialOutcome::Kept([a, b]), .. } if a.min(*b) > 0.0),
        "{first:?}"
    );
    assert!(!tuning.trials.iter().any(|trial| matches!(trial.outcome, TrialOutcome::Wrong(_))), "{:?}", tuning.trials);
    // The device passes the self-test with the tuned options.
    Gpu::untuned(&device, &GpuOptions { values: tuning.values, ..GpuOptions::default() }).unwrap();
}
