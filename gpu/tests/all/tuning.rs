//! Tuning the twin: tuned values are used where they fit, and given values override them.

use std::time::Duration;

use kogge_gpu::GpuOptions;
use kogge_gpu::Parameter::ClosedForm;
use kogge_gpu::tuning::{TrialOutcome, tune};
use kogge_testkit::device_suite::tuned_options;
use kogge_testkit::twin::TwinDevice;

#[test]
fn tuned_values_are_used_and_given_values_override() {
    let text = "32-byte positions, breadth-first, two plies in closed form";
    tuned_options::<TwinDevice>((GpuOptions::default(), text), (GpuOptions::of([(ClosedForm, 1)]), text));
}

#[test]
fn a_device_is_tuned() {
    let tuning = tune(&TwinDevice::default(), Duration::from_secs(3600), &mut |_| {}).unwrap();
    let tried: Vec<_> = tuning.trials.iter().map(|trial| (trial.option, trial.value.as_str())).collect();
    assert!(tried.starts_with(&[("defaults", ""), ("work-group", "64")]), "{tried:?}");
    // The default is not tried again, and a quarter of a single position is refused.
    assert!(!tried.contains(&("queued per lane", "4")), "{tried:?}");
    assert!(matches!(
        &tuning.trials.iter().find(|trial| trial.option == "positions").unwrap().outcome,
        TrialOutcome::Refused(_)
    ));
    assert!(tuning.complete);
}
