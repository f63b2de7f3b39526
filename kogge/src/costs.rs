//! The costs of merging on each device, stored for the plans of later runs.

use kogge_board::DeviceInfo;
use kogge_driver::MergeCosts;
use kogge_gpu::tuning::Store;
use serde::{Deserialize, Serialize};

/// All properties that the costs depend on.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    backend: String,
    device: String,
    driver: String,
    kogge: String,
    variant: String,
}

/// The costs, in seconds.
#[derive(Serialize, Deserialize)]
struct Costs {
    ply: f64,
    successor: f64,
    room: f64,
}

impl Key {
    fn of(info: &DeviceInfo) -> Self {
        Self {
            backend: info.backend.to_owned(),
            device: info.name.clone(),
            driver: info.driver.clone(),
            kogge: env!("CARGO_PKG_VERSION").to_owned(),
            variant: info.variant.clone(),
        }
    }
}

/// The user's file, if there is a folder for it.
fn store() -> Option<Store> {
    Store::of_user("costs.json")
}

/// Returns the costs of merging on a device, as measured in earlier runs.
///
/// ```no_run
/// use kogge::{Backend, Cpu, MergeSettings, costs};
/// let cpu = Cpu::new(None)?;
/// let settings = MergeSettings { costs: costs::known(cpu.info()), ..MergeSettings::with_memory(1 << 30) };
/// # Ok::<(), kogge::BackendError>(())
/// ```
pub fn known(info: &DeviceInfo) -> Option<MergeCosts> {
    let Costs { ply, successor, room } = store()?.load(&Key::of(info))?;
    let are_costs =
        [ply, successor].iter().all(|cost| cost.is_finite() && *cost > 0.0) && room.is_finite() && room >= 0.0;
    are_costs.then_some(MergeCosts { ply, successor, room })
}

/// Stores the costs of merging on a device. Failures do not matter, because later plans are only a little worse without
/// the file.
///
/// ```no_run
/// use kogge::{Backend, Cpu, Driver, Fen, MergeSettings, costs};
/// let mut cpu = Cpu::new(None)?;
/// let merged = Driver::new(&mut cpu, &()).perft_merged(&Fen::start(), 9, &MergeSettings::with_memory(1 << 30))?;
/// if let Some(found) = merged.costs {
///     costs::remember(cpu.info(), found);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn remember(info: &DeviceInfo, costs: MergeCosts) {
    let MergeCosts { ply, successor, room } = costs;
    if let Some(store) = store() {
        let _ = store.save(Key::of(info), Costs { ply, successor, room });
    }
}
