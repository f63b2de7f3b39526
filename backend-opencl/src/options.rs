//! What can be chosen about the backend, and what is chosen if nothing is.

use kogge_board::DeviceKind;
use kogge_board::breadth_first::MOST_LAST_PLIES;
use serde::{Deserialize, Serialize};

use crate::platform::Device;

/// How the attacks of sliders are found.
///
/// The ways differ in how limits (pins, checks, attacked squares) are found and moves are counted. Sets of squares that
/// are not pieces, and the moves of one direction, are found by fills in every variant. What a single piece sees is
/// found by subtraction line by line, except with [`Sliders::Magic`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sliders {
    /// By Kogge-Stone fills in all eight directions.
    Fill,
    /// By fills, and along ranks by arithmetic: one addition carries all sliders' attacks of a direction to their first
    /// blocker. It needs to reverse the bits of a word, which NVIDIA's GPUs do in an instruction.
    Carry,
    /// Slider by slider, line by line: o ^ (o - 2r) are the squares that a slider r attacks one way among the pieces o.
    Subtract,
    /// Slider by slider: attacks are looked up in a table of 841 KiB, at an index to which a multiplication by a magic
    /// number gathers the pieces that may stand in the way. The table is read through the read-only cache.
    Magic,
}

impl Sliders {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::Fill, Self::Carry, Self::Subtract, Self::Magic];

    /// The macro by which the kernels know the way.
    pub(crate) const fn define(self) -> &'static str {
        match self {
            Self::Fill => "SLIDERS_FILL",
            Self::Carry => "SLIDERS_CARRY",
            Self::Subtract => "SLIDERS_SUBTRACT",
            Self::Magic => "SLIDERS_MAGIC",
        }
    }
}

/// How the device keeps positions in its memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Positions {
    /// As [`Planes32`](kogge_board::Planes32), 32 bytes.
    Planes32,
    /// As six bitboards, 48 bytes: those of [`Quad48`](kogge_board::Quad48) seen by the side to move, with the rooks that
    /// may castle marked on the pawns' first and last rank.
    Boards48,
}

impl Positions {
    /// All ways.
    pub const ALL: [Self; 2] = [Self::Planes32, Self::Boards48];

    /// Bytes of a position.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Planes32 => 32,
            Self::Boards48 => 48,
        }
    }

    /// The macro by which the kernels know the way.
    pub(crate) const fn define(self) -> &'static str {
        match self {
            Self::Planes32 => "PLANES32",
            Self::Boards48 => "BOARDS48",
        }
    }
}

/// In which order the tree is walked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Traversal {
    /// Level by level down to the last two plies.
    BreadthFirst,
    /// Level by level down to so many last plies, 2 to [`MOST_LAST_PLIES`]. Those each work-item walks by itself below
    /// one position, making and unmaking moves, with a stack of four-byte undo moves in local memory.
    DepthFirst(u32),
}

impl Traversal {
    /// Undo moves that a work-item keeps: none of the last two plies, where moves are made in passing. At least one, since
    /// arrays have elements.
    pub(crate) const fn stacked(self) -> u32 {
        match self {
            Self::DepthFirst(plies) if plies > 3 => plies - 2,
            _ => 1,
        }
    }
}

/// How many work-items of a quiescence search a compute unit is given at once, about.
const RESIDENT: usize = 512;

/// What can be chosen. `None` stands for what is best on the device as far as it is known: what
/// [`tune`](kogge_board::tuning::tune) found there, else the default.
///
/// Only what can be tuned is serialized.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How the attacks of sliders are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sliders: Option<Sliders>,
    /// How the device keeps positions in its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position_form: Option<Positions>,
    /// Whether the kernels use instructions that only one vendor's devices have, where they are known. Without, they are
    /// standard OpenCL C.
    #[serde(skip)]
    pub vendor_instructions: Option<bool>,
    /// In which order the tree is walked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traversal: Option<Traversal>,
    /// Work-items of a work-group, 2 to 1024. It is also the size of a block of the scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_group_size: Option<usize>,
    /// Work-items of a work-group that looks at positions two plies above the leaves, 2 to 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies_group_size: Option<usize>,
    /// Work-items of a work-group that counts the replies to moves, 2 to 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_group_size: Option<usize>,
    /// How many of the latter work-groups each of the device's compute units gets; they take all moves in turns. 1 to 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_per_unit: Option<usize>,
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
    /// Whether the time of each kernel is measured, which costs a little: [`OpenCl::profile`](crate::OpenCl::profile).
    #[serde(skip)]
    pub profile: bool,
    /// Registers that a work-item takes at most, 16 to 255, where the compiler can be told (NVIDIA's).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<usize>,
    /// More options for the OpenCL compiler, such as `-cl-nv-verbose`.
    #[serde(skip)]
    pub compiler: String,
}

/// Moves of a position for which there is room in local memory when successors are made, at most. Few groups of positions
/// have more on average; those that have are only slower.
const MOST_SPREAD: usize = 48;

/// What was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub(crate) sliders: Sliders,
    pub(crate) position_form: Positions,
    pub(crate) traversal: Traversal,
    pub(crate) group: usize,
    pub(crate) replies_group: usize,
    pub(crate) count_group: usize,
    /// Work-groups that count the replies to moves.
    pub(crate) count_groups: usize,
    /// Work-groups that do quiescence searches.
    pub(crate) quiescence_groups: usize,
    pub(crate) queued_per_lane: usize,
    /// Moves that a work-group can hold in local memory when it makes successors, per work-item.
    pub(crate) spread_per_lane: usize,
    pub(crate) closed_form: bool,
    pub(crate) positions: usize,
    pub(crate) moves: usize,
    pub(crate) memory: u64,
    /// Whether the kernels may use NVIDIA's instructions.
    pub(crate) nvidia: bool,
    /// Registers that a work-item takes at most, if the compiler can be told.
    pub(crate) registers: Option<usize>,
    pub(crate) compiler: String,
}

impl Options {
    /// Fills in what was left open, or says what is wrong.
    pub(crate) fn choose(&self, device: &Device) -> Result<Choice, String> {
        let gpu = matches!(device.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
        let nvidia = device.vendor.contains("NVIDIA") && self.vendor_instructions.unwrap_or(true);
        let traversal = self.traversal.unwrap_or(Traversal::BreadthFirst);
        let most = device.max_work_group_size.min(1024);
        let size =
            |what: &str, asked: Option<usize>, on_gpu: usize| match asked.unwrap_or(if gpu { on_gpu } else { 64 }) {
                size if (2..=most).contains(&size) => Ok(size),
                size => Err(format!("{what} must be 2 to {most} on this device, and {size} was asked for.")),
            };
        let group = size(
            "the work-group size",
            self.work_group_size,
            if traversal == Traversal::BreadthFirst { 128 } else { 64 },
        )?;
        let replies_group =
            size("the work-group size for replies", self.replies_group_size, if nvidia { 256 } else { 128 })?;
        let count_group = size("the work-group size for counting", self.count_group_size, 128)?;
        let groups_per_unit = self.groups_per_unit.unwrap_or(if gpu { 64 } else { 4 });
        if !(1..=256).contains(&groups_per_unit) {
            return Err(format!("a compute unit can get 1 to 256 work-groups, and {groups_per_unit} were asked for."));
        }
        // Besides the queue, a work-item has a sum, and the group two numbers.
        let fits = |queued: usize| (replies_group * (queued + 1) + 2) * 4 <= device.local_memory as usize;
        let queued_per_lane = self.queued_per_lane.or((1..=16).rev().find(|&queued| fits(queued))).unwrap_or(1);
        if !(1..=64).contains(&queued_per_lane) || !fits(queued_per_lane) {
            return Err(format!(
                "a work-item can queue 1 to 64 moves, as local memory permits, and {queued_per_lane} were asked for."
            ));
        }
        let stacks = group as u64 * u64::from(traversal.stacked()) * 4;
        if let Traversal::DepthFirst(plies) = traversal
            && (!(2..=MOST_LAST_PLIES).contains(&plies) || stacks > device.local_memory)
        {
            return Err(format!(
                "a work-item can walk 2 to {MOST_LAST_PLIES} plies depth first, as local memory permits, and {plies} were \
                 asked for."
            ));
        }
        let within = |what: &str, count: usize| match count {
            1..=0x7fff_ffff => Ok(count),
            _ => Err(format!("the number of {what} must be 1 to 2147483647, and {count} was asked for.")),
        };
        Ok(Choice {
            sliders: self.sliders.unwrap_or(if nvidia { Sliders::Carry } else { Sliders::Fill }),
            position_form: self.position_form.unwrap_or(Positions::Planes32),
            traversal,
            group,
            replies_group,
            count_group,
            count_groups: groups_per_unit * device.compute_units.max(1) as usize,
            // As many as are resident, so that each has as many positions as possible to even out.
            quiescence_groups: (RESIDENT / group).max(1) * device.compute_units.max(1) as usize,
            queued_per_lane,
            spread_per_lane: (device.local_memory as usize / 4 / group).saturating_sub(1).clamp(1, MOST_SPREAD),
            closed_form: self.closed_form.unwrap_or(true),
            positions: within("positions", self.positions.unwrap_or(if gpu { 1 << 22 } else { 1 << 16 }))?,
            moves: within("moves", self.moves.unwrap_or(if gpu { 1 << 27 } else { 1 << 20 }))?,
            memory: self.memory.unwrap_or(device.memory / 2),
            nvidia,
            // With so few, twice as many work-groups of `replies` fit; that is worth the spills.
            registers: if nvidia { Some(self.registers.unwrap_or(128)) } else { None },
            compiler: self.compiler.clone(),
        })
    }
}

impl Choice {
    /// What the OpenCL compiler is told.
    pub(crate) fn compiler_options(&self) -> String {
        let registers = self.registers.map(|registers| format!("-cl-nv-maxrregcount={registers} "));
        format!("-cl-std=CL1.2 {}{}", registers.unwrap_or_default(), self.compiler)
    }

    /// The choices in words.
    pub(crate) fn describe(&self) -> String {
        let sliders = match self.sliders {
            Sliders::Fill => "fill",
            Sliders::Carry => "carry",
            Sliders::Subtract => "subtract",
            Sliders::Magic => "magic",
        };
        let traversal = match (self.traversal, self.closed_form) {
            (Traversal::DepthFirst(plies), _) => format!("the last {plies} plies depth-first"),
            (_, true) => "breadth-first, two plies in closed form".to_owned(),
            (_, false) => "breadth-first, every reply counted".to_owned(),
        };
        let (bytes, group) = (self.position_form.bytes(), self.group);
        format!("{sliders} sliders, {bytes}-byte positions, {traversal}, work-groups of {group}")
    }

    /// The sizes in words.
    pub(crate) fn describe_sizes(&self) -> String {
        let Self { replies_group, count_group, count_groups, queued_per_lane, positions, moves, .. } = self;
        let registers = self.registers.map_or(String::new(), |registers| format!(", {registers} registers"));
        format!(
            "{replies_group} for replies and {count_group} for counting in {count_groups} groups, {queued_per_lane} moves \
             queued, chunks of {positions} positions and {moves} moves{registers}"
        )
    }
}
