//! The options of OpenCL, and the settings that result from them on a device.

use kogge_board::DeviceKind;
use kogge_gpu::tuning::{Partial, Value};
use kogge_gpu::{Defaults, HostOptions, HostSettings, LastPlies, Limits, MOST_LAST_PLIES, PositionForm, Unordered};
use serde::{Deserialize, Serialize};

use crate::platform::Device;
use crate::variants::magic;

/// The way to find the attacks of sliders.
///
/// The ways differ in how they find pins, checks and attacked squares and count moves. With all of them, fills find the
/// moves of one direction and the rays of sets that may include empty squares. The attacks of a single piece are found
/// by subtraction, line by line (o ^ (o - 2r) are the squares that a slider r attacks one way among the pieces o), except with
/// [`Sliders::Magic`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sliders {
    /// Kogge-Stone fills in all eight directions.
    Fill,
    /// Fills, and arithmetic along ranks: one addition carries all sliders' attacks of a direction to their first
    /// blockers. This needs reversed bits, which NVIDIA's GPUs compute in one instruction. Boards are flipped by reversing them, too.
    Carry,
    /// A variant: magic lookups, slider by slider, in a table of 841 KiB, through the read-only cache.
    Magic,
}

impl Sliders {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Fill, Self::Carry, Self::Magic];

    /// The name of the way.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Carry => "carry",
            Self::Magic => "magic",
        }
    }
}

/// The approximate number of work-items for quiescence searches that a compute unit gets at once.
const RESIDENT: usize = 512;

/// The options of an OpenCL device. An option that is `None` takes the tuned value of the device, or the default.
///
/// Only options that can be tuned are serialized.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The options of every interface.
    pub host: HostOptions,
    /// The way to find the attacks of sliders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sliders: Option<Sliders>,
    /// The maximum number of registers of a work-item, 16 to 255. Only NVIDIA's compiler takes this limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<usize>,
    /// Whether the kernels may use instructions of a known vendor. Otherwise they are standard OpenCL C.
    #[serde(skip_serializing)]
    pub vendor_instructions: Option<bool>,
    /// More options for the OpenCL compiler, such as `-cl-nv-verbose`.
    #[serde(skip_serializing)]
    pub compiler: String,
    /// Prints the kernels that tests change. The arguments are a source in WGSL and the names of its kernels.
    #[doc(hidden)]
    #[serde(skip)]
    pub printer: Option<Printer>,
    /// A variant: the form of positions in device memory.
    #[serde(skip_serializing)]
    pub position_form: Option<PositionForm>,
    /// A variant: the number of plies, 2 to [`MOST_LAST_PLIES`], that each work-item walks depth first below a
    /// position. It makes and unmakes moves with a stack of four-byte undo moves in local memory.
    #[serde(skip_serializing)]
    pub depth_first: Option<u32>,
}

/// Prints OpenCL C from a source in WGSL and the names of its kernels.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Printer(pub fn(&str, &[&str]) -> String);

impl PartialEq for Printer {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Printer {}

/// The maximum number of moves of a position, on average over a group, that fit in local memory when successors are
/// made. Few groups have more moves; such groups are only slower.
const MOST_UNORDERED: usize = 48;

/// The memory of a GPU from which on levels have 2^24 positions, 0.7 GB each. Merging is then faster by a tenth.
const LARGE_MEMORY: u64 = 32 << 30;

/// The settings of an OpenCL device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    pub(crate) host: HostSettings,
    pub(crate) sliders: Sliders,
    /// The moves that a work-group queues in local memory when it makes successors, per work-item.
    pub(crate) unordered_per_lane: usize,
    /// Whether the kernels may use NVIDIA's instructions.
    pub(crate) nvidia: bool,
    /// The maximum number of registers of a work-item, if the compiler takes this limit.
    pub(crate) registers: Option<usize>,
    pub(crate) compiler: String,
    pub(crate) printer: Option<Printer>,
}

kogge_gpu::host_parts!(Options, Settings);

impl Partial for Options {
    fn or(&self, others: &Self) -> Self {
        Self {
            host: self.host.or(&others.host),
            sliders: self.sliders.or(others.sliders),
            registers: self.registers.or(others.registers),
            ..self.clone()
        }
    }
}

impl Options {
    /// Completes the options for a device.
    ///
    /// # Errors
    /// A sentence that names the option that does not fit.
    pub(crate) fn complete(&self, device: &Device) -> Result<Settings, String> {
        let gpu = matches!(device.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
        let nvidia = device.vendor.contains("NVIDIA") && self.vendor_instructions.unwrap_or(true);
        let on_gpu = |size: usize| if gpu { size } else { 64 };
        let units = device.compute_units.max(1) as usize;
        let limits = Limits {
            max_group_size: device.max_work_group_size,
            local_memory: device.local_memory,
            max_buffer: device.max_allocation,
            device_memory: device.memory,
        };
        let defaults = Defaults {
            group_size: if self.depth_first.is_none() { on_gpu(128) } else { 64 },
            closed_form_group_size: on_gpu(if nvidia { 256 } else { 128 }),
            closed_form_turns: 1,
            count_group_size: on_gpu(128),
            count_groups: if gpu { 64 } else { 4 } * units,
            queued_per_lane: 16,
            positions: if !gpu {
                1 << 16
            } else if device.memory < LARGE_MEMORY {
                1 << 22
            } else {
                1 << 24
            },
            moves: if gpu { 1 << 27 } else { 1 << 20 },
            memory: device.memory / 2,
            quiescence_lanes: 0,
            quiescence_steps: 1 << 12,
        };
        let mut host = self.host.complete(&limits, &defaults)?;
        let group_size = host.group_size;
        // As many searches as are resident, so that each takes as many positions as possible, which evens out their
        // lengths.
        host.quiescence_lanes = (RESIDENT / group_size).max(1) * units * group_size;
        host.unordered = Unordered::Always;
        host.form = self.position_form.unwrap_or(PositionForm::Planes32);
        if let Some(plies) = self.depth_first {
            host.last_plies = LastPlies::DepthFirst(plies);
            let stacks = (group_size * stacked(host.last_plies) as usize * 4) as u64;
            if !(2..=MOST_LAST_PLIES).contains(&plies) || stacks > device.local_memory {
                return Err(format!(
                    "a work-item can walk 2 to {MOST_LAST_PLIES} plies depth first, as local memory permits, and {plies} \
                     were asked for."
                ));
            }
        }
        let sliders = self.sliders.unwrap_or(if nvidia { Sliders::Carry } else { Sliders::Fill });
        if sliders == Sliders::Magic {
            host.lines = magic::table();
        }
        let room = (device.local_memory as usize / 4 / group_size).saturating_sub(1);
        Ok(Settings {
            host,
            sliders,
            unordered_per_lane: room.clamp(1, MOST_UNORDERED),
            nvidia,
            // With few registers, twice as many work-groups of the closed form are resident, which outweighs the
            // spills.
            registers: if nvidia { Some(self.registers.unwrap_or(128)) } else { None },
            compiler: self.compiler.clone(),
            printer: self.printer,
        })
    }

    /// Returns the values that tuning tries on a device. Variants are left out.
    pub(crate) fn values(device: &Device) -> Vec<Value<Self>> {
        let Ok(settings) = Self::default().complete(device) else { return Vec::new() };
        let none = Self::default;
        let sliders = [Sliders::Fill, Sliders::Carry].map(|sliders| Value {
            option: "sliders",
            text: sliders.name().to_owned(),
            options: Self { sliders: Some(sliders), ..none() },
        });
        let host =
            HostOptions::values(&settings.host).into_iter().map(|value| value.map(|host| Self { host, ..none() }));
        let registers = Value::numbers("registers", &[96, 168, 255], |n| Self { registers: n, ..none() });
        sliders.into_iter().chain(host).chain(registers).collect()
    }
}

/// Returns the number of undo moves that a work-item stores. Moves of the last two plies need none. At least one, since
/// arrays must not be empty.
pub(crate) const fn stacked(last_plies: LastPlies) -> u32 {
    match last_plies {
        LastPlies::DepthFirst(plies) if plies > 3 => plies - 2,
        _ => 1,
    }
}

impl Settings {
    /// Returns the options of the OpenCL compiler.
    pub(crate) fn compiler_options(&self) -> String {
        let registers = self.registers.map(|registers| format!("-cl-nv-maxrregcount={registers} "));
        format!("-cl-std=CL1.2 {}{}", registers.unwrap_or_default(), self.compiler)
    }

    /// Whether boards are flipped, and attacks along ranks found, by reversing bits.
    pub(crate) fn fast_reverse(&self) -> bool {
        match self.sliders {
            Sliders::Fill => false,
            Sliders::Carry => true,
            Sliders::Magic => self.nvidia,
        }
    }

    /// Describes the settings in words, with the registers, so that tuning can distinguish all settings.
    pub(crate) fn describe(&self) -> String {
        let registers = self.registers.map_or(String::new(), |registers| format!(", {registers} registers"));
        format!("{} sliders, {}{registers}", self.sliders.name(), self.host.describe())
    }
}
