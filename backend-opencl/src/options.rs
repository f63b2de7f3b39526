//! What can be chosen about the backend, and what is chosen if nothing is.

use kogge_board::DeviceKind;

use crate::platform::Device;

/// How the attacks of sliders are found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sliders {
    /// By Kogge-Stone fills in all eight directions.
    Fill,
    /// By fills, and along ranks by arithmetic: one addition carries all sliders' attacks of a direction to their first
    /// blocker. It needs to reverse the bits of a word, which NVIDIA's GPUs do in an instruction.
    Subtract,
}

/// What can be chosen. `None` stands for what is best on the device as far as it is known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// How the attacks of sliders are found.
    pub sliders: Option<Sliders>,
    /// Whether the kernels use instructions that only one vendor's devices have, where they are known. Without, they are
    /// standard OpenCL C.
    pub vendor_instructions: Option<bool>,
    /// Work-items of a work-group, 2 to 1024. It is also the size of a block of the scan.
    pub work_group_size: Option<usize>,
    /// Moves whose replies one work-item counts, 1 to 1024.
    pub items_per_lane: Option<usize>,
    /// Whether the last two plies are counted in closed form where possible, or every reply's position is looked at.
    pub closed_form: Option<bool>,
    /// Moves that are not in closed form and that a work-group can hold in local memory, per work-item: 1 to 64.
    pub queued_per_lane: Option<usize>,
    /// Positions of one level: the chunk of successors that is expanded at once.
    pub positions: Option<usize>,
    /// Moves that are written at once: the chunk of leaves' parents that is counted at once.
    pub moves: Option<usize>,
    /// Device memory to use at most, in bytes.
    pub memory: Option<u64>,
    /// Whether the time of each kernel is measured, which costs a little: [`OpenCl::profile`](crate::OpenCl::profile).
    pub profile: bool,
    /// More options for the OpenCL compiler, such as `-cl-nv-verbose`.
    pub compiler: String,
}

/// What was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub(crate) sliders: Sliders,
    pub(crate) group: usize,
    pub(crate) items_per_lane: usize,
    pub(crate) queued_per_lane: usize,
    pub(crate) closed_form: bool,
    pub(crate) positions: usize,
    pub(crate) moves: usize,
    pub(crate) memory: u64,
    /// Whether the kernels may use NVIDIA's instructions.
    pub(crate) nvidia: bool,
    pub(crate) compiler: String,
}

impl Options {
    /// Fills in what was left open, or says what is wrong.
    pub(crate) fn choose(&self, device: &Device) -> Result<Choice, String> {
        let gpu = matches!(device.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
        let nvidia = device.vendor.contains("NVIDIA") && self.vendor_instructions.unwrap_or(true);
        let group = self.work_group_size.unwrap_or(if gpu { 128 } else { 64 });
        let most = device.max_work_group_size.min(1024);
        if !(2..=most).contains(&group) {
            return Err(format!("the work-group size must be 2 to {most} on this device, and {group} was asked for."));
        }
        let items_per_lane = self.items_per_lane.unwrap_or(16);
        if !(1..=1024).contains(&items_per_lane) {
            return Err(format!("a work-item can take 1 to 1024 items, and {items_per_lane} were asked for."));
        }
        let queued_per_lane = self.queued_per_lane.unwrap_or(40);
        let local = (group * (queued_per_lane + 1) + 2) * 4;
        if !(1..=64).contains(&queued_per_lane) || local as u64 > device.local_memory {
            return Err(format!(
                "a work-item can queue 1 to 64 moves, as local memory permits, and {queued_per_lane} were asked for."
            ));
        }
        let within = |what: &str, count: usize| match count {
            1..=0x7fff_ffff => Ok(count),
            _ => Err(format!("the number of {what} must be 1 to 2147483647, and {count} was asked for.")),
        };
        Ok(Choice {
            sliders: self.sliders.unwrap_or(if nvidia { Sliders::Subtract } else { Sliders::Fill }),
            group,
            items_per_lane,
            queued_per_lane,
            closed_form: self.closed_form.unwrap_or(true),
            positions: within("positions", self.positions.unwrap_or(if gpu { 1 << 22 } else { 1 << 16 }))?,
            moves: within("moves", self.moves.unwrap_or(if gpu { 1 << 25 } else { 1 << 20 }))?,
            memory: self.memory.unwrap_or(device.memory / 2),
            nvidia,
            compiler: self.compiler.clone(),
        })
    }
}

impl Choice {
    /// The choices in words.
    pub(crate) fn describe(&self) -> String {
        let sliders = match self.sliders {
            Sliders::Fill => "fill",
            Sliders::Subtract => "subtract",
        };
        let plies = if self.closed_form { "two plies in closed form" } else { "every reply counted" };
        format!("{sliders} sliders, 32-byte positions, breadth-first, {plies}, work-groups of {}", self.group)
    }
}
