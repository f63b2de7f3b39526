//! What is tuned on a device.

use kogge_board::tuning::{Partial, Tunable, Value};
use kogge_board::{BackendError, DeviceInfo};

use crate::Wgpu;
use crate::adapters::Device;
use crate::kernels::fingerprint;
use crate::options::{Options, Sliders, Word};

impl Partial for Options {
    fn or(&self, others: &Self) -> Self {
        Self {
            word: self.word.or(others.word),
            sliders: self.sliders.or(others.sliders),
            subgroups: self.subgroups.or(others.subgroups),
            work_group_size: self.work_group_size.or(others.work_group_size),
            replies_group_size: self.replies_group_size.or(others.replies_group_size),
            count_group_size: self.count_group_size.or(others.count_group_size),
            count_groups: self.count_groups.or(others.count_groups),
            queued_per_lane: self.queued_per_lane.or(others.queued_per_lane),
            positions: self.positions.or(others.positions),
            moves: self.moves.or(others.moves),
            ..self.clone()
        }
    }
}

impl Tunable for Device {
    type Options = Options;
    type Backend = Wgpu;

    fn info(&self) -> DeviceInfo {
        Self::info(self)
    }

    fn kernels(&self) -> String {
        fingerprint()
    }

    fn plan(&self, options: &Options) -> Result<String, String> {
        options.choose(self).map(|choice| format!("{}, {}", choice.describe(), choice.describe_sizes()))
    }

    /// Chunks are tried around the default.
    fn values(&self) -> Vec<Value<Options>> {
        let Ok(choice) = Options::default().choose(self) else { return Vec::new() };
        let (positions, moves) = (choice.positions, choice.moves);
        let none = Options::default;
        let value = |option, text: &str, options| Value { option, text: text.to_owned(), options };
        let mut values = vec![
            value("word", "native", Options { word: Some(Word::Native), ..none() }),
            value("word", "emulated", Options { word: Some(Word::Emulated), ..none() }),
            value("sliders", "fill", Options { sliders: Some(Sliders::Fill), ..none() }),
            value("sliders", "carry", Options { sliders: Some(Sliders::Carry), ..none() }),
            value("sub-groups", "yes", Options { subgroups: Some(true), ..none() }),
            value("sub-groups", "no", Options { subgroups: Some(false), ..none() }),
        ];
        let numbers = [
            Value::numbers("work-group", &[64, 128, 256], |n| Options { work_group_size: n, ..none() }),
            Value::numbers("replies work-group", &[64, 128, 256, 512], |n| Options { replies_group_size: n, ..none() }),
            Value::numbers("count work-group", &[64, 128, 256], |n| Options { count_group_size: n, ..none() }),
            Value::numbers("count groups", &[256, 2048, 8192], |n| Options { count_groups: n, ..none() }),
            Value::numbers("queued per lane", &[4, 8, 16], |n| Options { queued_per_lane: n, ..none() }),
            Value::numbers("positions", &[positions / 4, positions, positions * 4], |n| Options {
                positions: n,
                ..none()
            }),
            Value::numbers("moves", &[moves / 4, moves, moves * 2], |n| Options { moves: n, ..none() }),
        ];
        values.extend(numbers.into_iter().flatten());
        values
    }

    fn untuned(&self, options: &Options) -> Result<Wgpu, BackendError> {
        Wgpu::untuned(self, options)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;
    use std::{env, fs, process};

    use kogge_board::Backend;
    use kogge_board::tuning::{Cache, Outcome, Trial, tune};

    use super::*;
    use crate::adapters::devices;

    /// The first device, if there is one; other tests see to it that there is.
    fn first_device() -> Option<Device> {
        devices().ok()?.into_iter().next()
    }

    fn tuned() -> Options {
        Options {
            word: Some(Word::Emulated),
            sliders: Some(Sliders::Carry),
            subgroups: Some(false),
            work_group_size: Some(32),
            replies_group_size: Some(16),
            count_group_size: Some(8),
            count_groups: Some(20),
            queued_per_lane: Some(3),
            positions: Some(1000),
            moves: Some(2000),
            ..Options::default()
        }
    }

    #[test]
    fn what_was_tuned_is_used_and_options_that_are_given_override() {
        let Some(device) = first_device() else { return };
        let folder = env::temp_dir().join(format!("kogge-wgpu-{}", process::id()));
        let cache = Cache::at(folder.join("tuned.json"));
        let variant =
            |options: &Options| Wgpu::with_cache(&device, options, Some(&cache)).unwrap().info().variant.clone();
        assert_eq!(variant(&Options::default()).contains(" in sub-groups"), device.has_subgroups);
        cache.save(&device, &tuned()).unwrap();
        assert_eq!(cache.load(&device), Some(tuned()));
        assert_eq!(
            variant(&Options::default()),
            "emulated words, carry sliders, 32-byte positions, breadth-first, two plies in closed form, work-groups of 32 \
             (tuned)"
        );
        assert_eq!(
            variant(&Options { sliders: Some(Sliders::Fill), work_group_size: Some(16), ..Options::default() }),
            "emulated words, fill sliders, 32-byte positions, breadth-first, two plies in closed form, work-groups of 16 \
             (tuned)"
        );
        // A good file in form, whose sizes no device has.
        cache.save(&device, &Options { work_group_size: Some(1 << 20), ..tuned() }).unwrap();
        assert!(variant(&Options::default()).ends_with(" (defaults)"));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The search skips what comes to the same as what it has.
    #[test]
    fn plans_tell_values_apart() {
        let Some(device) = first_device() else { return };
        for values in device.values().chunk_by(|a, b| a.option == b.option) {
            let mut plans: Vec<_> = values.iter().filter_map(|value| device.plan(&value.options).ok()).collect();
            plans.sort();
            let all = plans.len();
            plans.dedup();
            // What does not fit in one buffer is cut to what does.
            let cut = ["positions", "moves"].contains(&values[0].option);
            assert!(plans.len() == all || cut, "{plans:?}");
        }
    }

    #[test]
    fn tuning_a_device_ends_when_the_time_is_up() {
        let Some(device) = first_device() else { return };
        let tuning = tune(&device, Duration::from_secs(3), &mut |_| {}).unwrap();
        assert!(
            matches!(tuning.trials[0], Trial { option: "defaults", outcome: Outcome::Kept([a, b]), .. } if a.min(b) > 0.0)
        );
        assert!(!tuning.trials.iter().any(|trial| matches!(trial.outcome, Outcome::Wrong(_))), "{:?}", tuning.trials);
        // What was found can be opened, which counts what is known.
        device.untuned(&tuning.options).unwrap();
    }
}
