//! The options of wgpu, and the settings that result from them on a device.

use kogge_board::DeviceKind;
use kogge_gpu::source::Word;
use kogge_gpu::tuning::{Partial, Value};
use kogge_gpu::{Defaults, HostOptions, HostSettings, Limits, Unordered};
use serde::{Deserialize, Serialize};

/// The way to find the attacks of sliders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sliders {
    /// Kogge-Stone fills in all eight directions.
    Fill,
    /// Fills, and arithmetic along ranks: one addition carries all sliders' attacks of a direction to their first
    /// blockers. This needs reversed bits, which GPUs compute in one instruction. Boards are flipped by reversing them, too.
    Carry,
}

/// The options of a wgpu device. An option that is `None` takes the tuned value of the device, or the default.
///
/// Only options that can be tuned are serialized.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The options of every interface.
    pub host: HostOptions,
    /// The representation of a board in the kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<Word>,
    /// The way to find the attacks of sliders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sliders: Option<Sliders>,
    /// Whether kernels sum over sub-groups, which not every device has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subgroups: Option<bool>,
    /// Whether the scalars of a launch are immediates, which not every device has. Otherwise they are in a buffer.
    #[serde(skip_serializing)]
    pub immediates: Option<bool>,
    /// When successors are made in any order. The default is [`Unordered::InMerges`], on NVIDIA's GPUs [`Unordered::Always`].
    #[serde(skip_serializing)]
    pub unordered: Option<Unordered>,
}

/// The properties of a device that its settings depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Properties {
    /// The kind of processor.
    pub kind: DeviceKind,
    /// Whether NVIDIA made it.
    pub is_nvidia: bool,
    /// The device's memory in bytes, if it is known.
    pub memory: Option<u64>,
    /// The largest buffer that a kernel can use, in bytes.
    pub max_binding: u64,
    /// Local memory of one work-group, in bytes.
    pub local_memory: usize,
    /// The maximum number of work-items in one work-group.
    pub max_work_group_size: usize,
    /// Whether kernels can use 64-bit integers.
    pub has_int64: bool,
    /// Whether kernels can sum over sub-groups.
    pub has_subgroups: bool,
    /// Whether the scalars of a launch can be immediates.
    pub has_immediates: bool,
}

/// The settings of a wgpu device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    pub(crate) host: HostSettings,
    pub(crate) word: Word,
    pub(crate) sliders: Sliders,
    pub(crate) subgroups: bool,
    pub(crate) immediates: bool,
    /// The moves that a work-group queues in local memory when it makes successors in any order, per work-item.
    pub(crate) unordered_per_lane: usize,
}

kogge_gpu::host_parts!(Options, Settings);

impl Partial for Options {
    fn or(&self, others: &Self) -> Self {
        Self {
            host: self.host.or(&others.host),
            word: self.word.or(others.word),
            sliders: self.sliders.or(others.sliders),
            subgroups: self.subgroups.or(others.subgroups),
            immediates: self.immediates,
            unordered: self.unordered,
        }
    }
}

/// The memory to use if the size of the device's memory is unknown.
const UNKNOWN_MEMORY: u64 = 1 << 30;

/// The maximum memory to use by default. The resulting chunks are large enough by far.
const MOST_MEMORY: u64 = 16 << 30;

/// Returns the number of positions in a level on a GPU with this much memory: one for each kibibyte, within limits. Larger levels need
/// fewer waits. But four levels must fit in a quarter of the memory while plies are merged.
fn positions_on_gpu(memory: u64) -> usize {
    1 << (memory / 1024).clamp(1 << 24, 1 << 26).ilog2()
}

/// Work-groups that count replies on a GPU. wgpu does not tell the number of multiprocessors; with many groups for
/// each, all multiprocessors finish at about the same time.
const COUNT_GROUPS: usize = 8192;

/// Work-items that do quiescence searches on a GPU: as many as the largest GPU runs at once.
const QUIESCENCE_LANES: usize = 1 << 16;

/// Moves that are written at once on a GPU, if memory permits.
const MOVES: u64 = 1 << 27;

/// The maximum number of moves of a position, on average over a work-group, that fit in local memory when successors are made
/// in any order. Groups with more moves are only slower.
const MOST_UNORDERED: usize = 48;

/// The maximum local memory of such a work-group, in bytes, which every device has.
const UNORDERED_MEMORY: usize = 1 << 14;

impl Options {
    /// Completes the options for a device.
    ///
    /// # Errors
    /// A sentence that names the option that does not fit.
    pub fn complete(&self, device: &Properties) -> Result<Settings, String> {
        let gpu = device.kind != DeviceKind::Software;
        // NVIDIA's chips have no 64-bit integers either, and its compiler makes faster code of pairs of words.
        let native = device.has_int64 && !device.is_nvidia;
        let word = self.word.unwrap_or(if native { Word::Native } else { Word::Emulated });
        if word == Word::Native && !device.has_int64 {
            return Err("native words were asked for, and this device has no 64-bit integers.".into());
        }
        let subgroups = self.subgroups.unwrap_or(device.has_subgroups);
        if subgroups && !device.has_subgroups {
            return Err("sub-groups were asked for, and this device has none.".into());
        }
        let immediates = self.immediates.unwrap_or(device.has_immediates);
        if immediates && !device.has_immediates {
            return Err("immediates were asked for, and this device has none.".into());
        }
        let group_size = if gpu { 128 } else { 64 };
        let memory = device.memory.map_or(UNKNOWN_MEMORY, |memory| MOST_MEMORY.min(memory / 2));
        // Moves take at most a quarter of the memory; positions take the rest.
        let quarter = (self.host.memory.unwrap_or(memory) / 4 / size_of::<[u32; 2]>() as u64).max(1);
        let limits = Limits {
            max_group_size: device.max_work_group_size,
            local_memory: device.local_memory as u64,
            max_buffer: device.max_binding,
            device_memory: device.memory.unwrap_or(self.host.memory.unwrap_or(memory)),
        };
        let defaults = Defaults {
            group_size,
            // wgpu cannot limit a kernel's registers, but in a large work-group NVIDIA's compiler uses fewer registers
            // for each work-item, so that more work-items are resident.
            closed_form_group_size: if device.is_nvidia { 512 } else { group_size },
            // The only resident group of a multiprocessor would wait for its slowest lane after each position.
            closed_form_turns: if device.is_nvidia { 3 } else { 1 },
            count_group_size: group_size,
            count_groups: if gpu { COUNT_GROUPS } else { 256 },
            queued_per_lane: 40,
            positions: if gpu { positions_on_gpu(limits.device_memory) } else { 1 << 16 },
            moves: if gpu { MOVES.min(quarter) as usize } else { 1 << 20 },
            memory,
            quiescence_lanes: if gpu { QUIESCENCE_LANES } else { 256 },
            // Lavapipe silently ends every loop of a work-item after 65,536 iterations.
            quiescence_steps: if gpu { 1 << 12 } else { 1 << 6 },
        };
        let host = HostSettings {
            unordered: self.unordered.unwrap_or(if device.is_nvidia { Unordered::Always } else { Unordered::InMerges }),
            ..self.host.complete(&limits, &defaults)?
        };
        // Besides the queue, local memory holds two numbers for the group.
        let room = (UNORDERED_MEMORY / size_of::<u32>() - 2) / host.group_size;
        Ok(Settings {
            host,
            word,
            sliders: self.sliders.unwrap_or(if gpu { Sliders::Carry } else { Sliders::Fill }),
            subgroups,
            immediates,
            unordered_per_lane: room.min(MOST_UNORDERED),
        })
    }

    /// Returns the values that tuning tries on a device.
    pub fn values(device: &Properties) -> Vec<Value<Self>> {
        let Ok(settings) = Self::default().complete(device) else { return Vec::new() };
        let none = Self::default;
        let value = |option, text: &str, options| Value { option, text: text.to_owned(), options };
        let own = [
            value("word", "native", Self { word: Some(Word::Native), ..none() }),
            value("word", "emulated", Self { word: Some(Word::Emulated), ..none() }),
            value("sliders", "fill", Self { sliders: Some(Sliders::Fill), ..none() }),
            value("sliders", "carry", Self { sliders: Some(Sliders::Carry), ..none() }),
            value("sub-groups", "yes", Self { subgroups: Some(true), ..none() }),
            value("sub-groups", "no", Self { subgroups: Some(false), ..none() }),
        ];
        let host =
            HostOptions::values(&settings.host).into_iter().map(|value| value.map(|host| Self { host, ..none() }));
        own.into_iter().chain(host).collect()
    }
}

impl Settings {
    /// Whether the kernels sum over sub-groups.
    pub fn has_subgroups(&self) -> bool {
        self.subgroups
    }

    /// The settings of the host.
    pub fn host_mut(&mut self) -> &mut HostSettings {
        &mut self.host
    }

    /// Describes the settings in words.
    pub fn describe(&self) -> String {
        let word = match self.word {
            Word::Native => "native",
            Word::Emulated => "emulated",
        };
        let sliders = match self.sliders {
            Sliders::Fill => "fill",
            Sliders::Carry => "carry",
        };
        let subgroups = if self.subgroups { " in sub-groups" } else { "" };
        let unordered = match self.host.unordered {
            Unordered::Never => ", successors in generation order",
            Unordered::InMerges => "",
            Unordered::Always => ", successors in any order",
        };
        format!("{word} words, {sliders} sliders, {}{subgroups}{unordered}", self.host.describe())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_gpus_have_large_levels() {
        let positions = [1, 4, 16, 24, 32, 64, 140].map(|gibibytes| positions_on_gpu(gibibytes << 30).ilog2());
        assert_eq!(positions, [24, 24, 24, 24, 25, 26, 26]);
    }
}
