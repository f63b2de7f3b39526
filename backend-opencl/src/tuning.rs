//! What is tuned on an OpenCL device.

use kogge_board::tuning::{Partial, Tunable, Value};
use kogge_board::{BackendError, DeviceInfo};

use crate::OpenCl;
use crate::kernels::fingerprint;
use crate::options::{Options, Positions, Sliders, Traversal};
use crate::platform::Device;

impl Partial for Options {
    fn or(&self, others: &Self) -> Self {
        Self {
            sliders: self.sliders.or(others.sliders),
            position_form: self.position_form.or(others.position_form),
            traversal: self.traversal.or(others.traversal),
            work_group_size: self.work_group_size.or(others.work_group_size),
            replies_group_size: self.replies_group_size.or(others.replies_group_size),
            count_group_size: self.count_group_size.or(others.count_group_size),
            groups_per_unit: self.groups_per_unit.or(others.groups_per_unit),
            queued_per_lane: self.queued_per_lane.or(others.queued_per_lane),
            positions: self.positions.or(others.positions),
            moves: self.moves.or(others.moves),
            registers: self.registers.or(others.registers),
            ..self.clone()
        }
    }
}

impl Tunable for Device {
    type Options = Options;
    type Backend = OpenCl;

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
        let value = |option, text, options| Value { option, text, options };
        let named = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
        let sliders =
            Sliders::ALL.map(|sliders| value("sliders", named(&sliders), Options { sliders: Some(sliders), ..none() }));
        let forms = Positions::ALL
            .map(|form| value("position form", named(&form), Options { position_form: Some(form), ..none() }));
        let depth_first = Options { traversal: Some(Traversal::DepthFirst(3)), ..none() };
        let numbers = [
            Value::numbers("work-group", &[64, 128, 256], |n| Options { work_group_size: n, ..none() }),
            Value::numbers("replies work-group", &[64, 128, 256], |n| Options { replies_group_size: n, ..none() }),
            Value::numbers("count work-group", &[64, 128, 256], |n| Options { count_group_size: n, ..none() }),
            Value::numbers("groups per unit", &[4, 16, 64], |n| Options { groups_per_unit: n, ..none() }),
            Value::numbers("queued per lane", &[4, 8, 16], |n| Options { queued_per_lane: n, ..none() }),
            Value::numbers("registers", &[96, 168, 255], |n| Options { registers: n, ..none() }),
            Value::numbers("positions", &[positions / 4, positions, positions * 4], |n| Options {
                positions: n,
                ..none()
            }),
            Value::numbers("moves", &[moves / 4, moves, moves * 2], |n| Options { moves: n, ..none() }),
        ];
        let mut values = [sliders.to_vec(), forms.to_vec()].concat();
        values.push(value("traversal", "3 plies depth-first".to_owned(), depth_first));
        values.extend(numbers.into_iter().flatten());
        values
    }

    fn untuned(&self, options: &Options) -> Result<OpenCl, BackendError> {
        OpenCl::untuned(self, options)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;
    use std::{env, fs, process};

    use kogge_board::Backend;
    use kogge_board::tuning::{Cache, Outcome, Trial, tune};

    use super::*;
    use crate::mutants::first_device;

    fn tuned() -> Options {
        Options {
            sliders: Some(Sliders::Subtract),
            position_form: Some(Positions::Boards48),
            traversal: Some(Traversal::DepthFirst(3)),
            work_group_size: Some(32),
            replies_group_size: Some(16),
            count_group_size: Some(8),
            groups_per_unit: Some(2),
            queued_per_lane: Some(3),
            positions: Some(1000),
            moves: Some(2000),
            registers: Some(96),
            ..Options::default()
        }
    }

    #[test]
    fn what_was_tuned_is_used_and_options_that_are_given_override() {
        let Some(device) = first_device() else { return };
        let folder = env::temp_dir().join(format!("kogge-opencl-{}", process::id()));
        let cache = Cache::at(folder.join("tuned.json"));
        let variant =
            |options: &Options| OpenCl::with_cache(&device, options, Some(&cache)).unwrap().info().variant.clone();
        assert!(variant(&Options::default()).ends_with(" (defaults)"));
        cache.save(&device, &tuned()).unwrap();
        assert_eq!(cache.load(&device), Some(tuned()));
        assert_eq!(
            variant(&Options::default()),
            "subtract sliders, 48-byte positions, the last 3 plies depth-first, work-groups of 32 (tuned)"
        );
        assert_eq!(
            variant(&Options { sliders: Some(Sliders::Fill), work_group_size: Some(16), ..Options::default() }),
            "fill sliders, 48-byte positions, the last 3 plies depth-first, work-groups of 16 (tuned)"
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
            // Only NVIDIA's compiler can be told how many registers there are.
            let expected = if values[0].option == "registers" { plans.len() } else { all };
            assert_eq!(plans.len(), expected, "{plans:?}");
        }
    }

    #[test]
    fn tuning_a_device_ends_when_the_time_is_up() {
        let Some(device) = first_device() else { return };
        let tuning = tune(&device, Duration::from_secs(4), &mut |_| {}).unwrap();
        assert!(
            matches!(tuning.trials[0], Trial { option: "defaults", outcome: Outcome::Kept([a, b]), .. } if a.min(b) > 0.0)
        );
        assert!(!tuning.trials.iter().any(|trial| matches!(trial.outcome, Outcome::Wrong(_))), "{:?}", tuning.trials);
        // What was found can be opened, which counts what is known.
        device.untuned(&tuning.options).unwrap();
    }
}
