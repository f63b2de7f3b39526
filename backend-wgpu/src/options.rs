//! What can be chosen about the backend, and what is chosen if nothing is.

use kogge_board::{DeviceKind, Planes32};
use serde::{Deserialize, Serialize};
use wgpu::Features;

use crate::adapters::Device;

/// What a board is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// A 64-bit integer, which not every device has, and no browser.
    Native,
    /// Two 32-bit integers.
    Emulated,
}

/// How the attacks of sliders are found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sliders {
    /// By Kogge-Stone fills in all eight directions.
    Fill,
    /// By fills, and along ranks by arithmetic: one addition carries all sliders' attacks of a direction to their first
    /// blocker. It needs to reverse the bits of a word, which GPUs do in an instruction.
    Carry,
}

/// What can be chosen. `None` stands for what is best on the device as far as it is known: what
/// [`tune`](kogge_board::tuning::tune) found there, else the default.
///
/// Only what can be tuned is serialized.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What a board is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<Word>,
    /// How the attacks of sliders are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sliders: Option<Sliders>,
    /// Whether kernels add up over sub-groups, which not every device has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subgroups: Option<bool>,
    /// Work-items of a work-group, 2 to 1024. It is also the size of a block of the scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_group_size: Option<usize>,
    /// Work-items of a work-group that looks at positions two plies above the leaves, 2 to 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies_group_size: Option<usize>,
    /// Work-items of a work-group that counts the replies to moves, 2 to 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_group_size: Option<usize>,
    /// How many of the latter work-groups there are at most, 1 to 1048576; they take all moves in turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_groups: Option<usize>,
    /// Whether the last two plies are counted in closed form where possible, or every reply's position is looked at.
    #[serde(skip)]
    pub closed_form: Option<bool>,
    /// Moves that are not in closed form and that a work-group can hold in local memory, per work-item: 1 to 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued_per_lane: Option<usize>,
    /// Positions of one level: the chunk of successors that is expanded at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<usize>,
    /// Moves that are written at once: the chunk of leaves' parents that is counted at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<usize>,
    /// Device memory to use at most, in bytes.
    #[serde(skip)]
    pub memory: Option<u64>,
    /// Whether every kernel is waited for and its time measured: [`Wgpu::profile`](crate::Wgpu::profile).
    #[serde(skip)]
    pub profile: bool,
}

/// What was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub(crate) word: Word,
    pub(crate) sliders: Sliders,
    pub(crate) subgroups: bool,
    pub(crate) group: usize,
    pub(crate) replies_group: usize,
    pub(crate) count_group: usize,
    pub(crate) count_groups: usize,
    /// Work-items that do quiescence searches, and how many positions each looks at in one launch.
    pub(crate) quiescence_lanes: usize,
    pub(crate) quiescence_steps: u32,
    pub(crate) queued_per_lane: usize,
    pub(crate) closed_form: bool,
    pub(crate) positions: usize,
    pub(crate) moves: usize,
    pub(crate) memory: u64,
}

/// How much memory is used where it is not known how much there is.
const UNKNOWN_MEMORY: u64 = 1 << 30;

/// The most memory used if nothing else is asked for: chunks are large enough by far.
const MOST_MEMORY: u64 = 16 << 30;

/// Work-groups that count replies on a GPU: many for each of its multiprocessors, whose number wgpu does not tell, so that
/// none is left waiting for the last.
const COUNT_GROUPS: usize = 8192;

/// Work-items that do quiescence searches on a GPU: as many as the largest has at once.
const QUIESCENCE_LANES: usize = 1 << 16;

/// Moves that are written at once on a GPU, where memory permits.
const MOVES: u64 = 1 << 27;
/// NVIDIA's number as a vendor of PCI devices.
const NVIDIA: u32 = 0x10de;

impl Options {
    /// Fills in what was left open, or says what is wrong.
    pub(crate) fn choose(&self, device: &Device) -> Result<Choice, String> {
        let gpu = device.kind != DeviceKind::Software;
        let word = self.word.unwrap_or(if device.has_int64 { Word::Native } else { Word::Emulated });
        if word == Word::Native && !device.has_int64 {
            return Err("native words were asked for, and there are no 64-bit integers on this device.".into());
        }
        let subgroups = self.subgroups.unwrap_or(device.has_subgroups);
        if subgroups && !device.has_subgroups {
            return Err("sub-groups were asked for, and there are none on this device.".into());
        }
        let most = device.max_work_group_size.min(1024);
        let usual = if gpu { 128 } else { 64 };
        let size = |what: &str, asked: Option<usize>, usual: usize| match asked.unwrap_or(usual.min(most)) {
            size if (2..=most).contains(&size) => Ok(size),
            size => Err(format!("{what} must be 2 to {most} on this device, and {size} was asked for.")),
        };
        let group = size("the work-group size", self.work_group_size, usual)?;
        // No interface lets a kernel's registers be limited, but NVIDIA's compiler takes no more than a large work-group
        // leaves to each work-item; then more of them run at once.
        let nvidia = device.adapter.get_info().vendor == NVIDIA;
        let replies_group =
            size("the work-group size for replies", self.replies_group_size, if nvidia { 512 } else { usual })?;
        let count_group = size("the work-group size for counting", self.count_group_size, usual)?;
        let count_groups = self.count_groups.unwrap_or(if gpu { COUNT_GROUPS } else { 256 });
        if !(1..=1 << 20).contains(&count_groups) {
            return Err(format!("1 to 1048576 work-groups can count replies, and {count_groups} were asked for."));
        }
        // Besides the queue, a work-item has a sum, and the group two numbers.
        let local = |queued: usize| (replies_group * (queued + 1) + 2) * size_of::<u32>();
        let fits = |&queued: &usize| local(queued) <= device.local_memory;
        let queued_per_lane = self.queued_per_lane.or((1..=40).rev().find(fits)).unwrap_or(1);
        if !(1..=64).contains(&queued_per_lane) || !fits(&queued_per_lane) {
            return Err(format!(
                "a work-item can queue 1 to 64 moves, as local memory permits, and {queued_per_lane} were asked for."
            ));
        }
        // What is asked for is cut to what one buffer holds: more than one chunk costs next to nothing.
        let within = |what: &str, count: usize, size: usize| match count {
            1..=0x7fff_ffff => Ok(count.min((device.max_binding / size as u64) as usize)),
            _ => Err(format!("the number of {what} must be 1 to 2147483647, and {count} was asked for.")),
        };
        let positions = self.positions.unwrap_or(if gpu { 1 << 24 } else { 1 << 16 });
        let memory = self.memory.unwrap_or(device.memory.map_or(UNKNOWN_MEMORY, |memory| MOST_MEMORY.min(memory / 2)));
        // Moves take a quarter of the memory at most, and leave the rest to positions.
        let quarter = (memory / 4 / size_of::<u64>() as u64).max(1);
        let moves = self.moves.unwrap_or(if gpu { MOVES.min(quarter) as usize } else { 1 << 20 });
        Ok(Choice {
            word,
            sliders: self.sliders.unwrap_or(if gpu { Sliders::Carry } else { Sliders::Fill }),
            subgroups,
            group,
            replies_group,
            count_group,
            count_groups,
            quiescence_lanes: if gpu { QUIESCENCE_LANES } else { 256 },
            // Lavapipe stops all loops of a work-item, without a word, after 65536 turns.
            quiescence_steps: if gpu { 1 << 12 } else { 1 << 6 },
            queued_per_lane,
            closed_form: self.closed_form.unwrap_or(true),
            positions: within("positions", positions, size_of::<Planes32>())?,
            moves: within("moves", moves, size_of::<u64>())?,
            memory,
        })
    }
}

impl Choice {
    /// What the device must be able to do beyond what all can.
    pub(crate) fn features(&self) -> Features {
        let mut features = Features::empty();
        features.set(Features::SHADER_INT64, self.word == Word::Native);
        features.set(Features::SUBGROUP, self.subgroups);
        features
    }

    /// The choices in words.
    pub(crate) fn describe(&self) -> String {
        let word = match self.word {
            Word::Native => "native",
            Word::Emulated => "emulated",
        };
        let sliders = match self.sliders {
            Sliders::Fill => "fill",
            Sliders::Carry => "carry",
        };
        let plies = if self.closed_form { "two plies in closed form" } else { "every reply counted" };
        let subgroups = if self.subgroups { " in sub-groups" } else { "" };
        let group = self.group;
        format!(
            "{word} words, {sliders} sliders, 32-byte positions, breadth-first, {plies}, work-groups of {group}{subgroups}"
        )
    }

    /// The sizes in words.
    pub(crate) fn describe_sizes(&self) -> String {
        let Self { replies_group, count_group, count_groups, queued_per_lane, positions, moves, .. } = self;
        format!(
            "{replies_group} for replies and {count_group} for counting in {count_groups} groups, {queued_per_lane} moves \
             queued, chunks of {positions} positions and {moves} moves"
        )
    }
}
