//! The options of a device, and the settings that result from them.

use std::ops::Index;
use std::str::FromStr;
use std::time::Duration;

use kogge_board::{Categories, Pace, Planes32};

use crate::kernels::Kernel;
use crate::lines::table;
use crate::parameters::{Parameter, Parameter::*, Row, TABLE, Values};
use crate::variants::Variants;

/// The initial capacity for the moves of a quiescence search.
const QUIESCENCE_CAPACITY: usize = 256;

/// The work-items of a work-group of the kernel `weighted_sums`.
pub const WEIGHTED_SUMS_GROUP: usize = 256;

/// The maximum number of work-groups of `weighted_sums`. Each group makes a sum, and the host adds the sums.
pub const WEIGHTED_SUMS_GROUPS: usize = 1024;

/// The depth that makes `weighted_sums` count the entries of multiplicity one.
pub const REACHED_ONCE: u32 = u32::MAX;

/// The minimum number of roots for each work-item of `weighted_sums`, so that there are few sums to read.
const ROOTS_PER_ITEM: usize = 16;

/// The number of entries for each work-item of `count_diagrams`, so that there are few numbers to add. Lavapipe silently ends
/// every loop of a work-item after 65,536 iterations, so the number must not grow with the list.
const ENTRIES_PER_ITEM: usize = 16;

/// The number of work-groups of `weighted_sums`, which is the number of sums.
pub(crate) fn weighted_sums_groups(roots: usize) -> usize {
    roots.div_ceil(WEIGHTED_SUMS_GROUP * ROOTS_PER_ITEM).min(WEIGHTED_SUMS_GROUPS)
}

/// The maximum number of moves whose replies a work-group counts: with at most 218 replies each, their sum fits in 32 bits.
const MOST_GROUP_ITEMS: usize = 1 << 24;

/// The maximum number of moves of a position, on average over a work-group, that fit in local memory when successors are made in
/// any order. Few groups have more moves, and such groups are only slower.
const MOST_UNORDERED: usize = 48;

/// The options of a device.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GpuOptions {
    /// Values of parameters. The other parameters take the tuned value of the device, or the default.
    pub values: Values,
    /// The maximum of device memory to use, in bytes.
    pub memory: Option<u64>,
    /// When leaves below merged positions are counted in runs.
    pub runs: Option<Runs>,
    /// When successors are made in any order.
    pub unordered: Option<Unordered>,
    /// Whether the time of each kernel is measured. The host then waits for every kernel.
    pub profile: bool,
    /// More options for the OpenCL compiler, such as `-cl-nv-verbose`.
    pub compiler: String,
    /// The variants of the kernels.
    pub variants: Variants,
    /// An error that tests put into the kernels' source.
    pub mutation: Option<Mutation>,
}

/// An error in a kernel's source: the first occurrence of one text is replaced by another. The self-tests must find it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mutation {
    /// The text to replace.
    pub from: &'static str,
    /// The replacement.
    pub to: &'static str,
}

impl Mutation {
    /// Puts the error into the source, at the first occurrence of the text.
    pub fn apply(mutation: Option<Self>, source: String) -> String {
        match mutation {
            Some(Self { from, to }) => source.replacen(from, to, 1),
            None => source,
        }
    }
}

/// The properties of a device that its settings depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// The default of each parameter that the device has.
    pub defaults: Values,
    /// Maximum values that are smaller than usual.
    pub maxima: Values,
    /// The maximum number of work-items of a work-group.
    pub max_group_size: usize,
    /// Local memory of a work-group, in bytes.
    pub local_memory: u64,
    /// The local memory of a work-group that makes successors in any order, in bytes.
    pub unordered_memory: u64,
    /// The largest buffer that a kernel can use, in bytes.
    pub max_buffer: u64,
    /// The device's memory, in bytes.
    pub device_memory: u64,
    /// The memory to use by default, in bytes.
    pub memory: u64,
    /// When successors are made in any order by default.
    pub unordered: Unordered,
}

/// When successors are made in any order, by the kernels of [`Module::Unordered`](crate::kernels::Module::Unordered).
/// Otherwise they are made in generation order.
///
/// These kernels leave out most successors that do not pass a filter, such as a range of a merged ply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unordered {
    /// Never. The interface needs no such kernels.
    Never,
    /// Where successors are merged. The kernels are compiled before the first merge.
    InMerges,
    /// Always.
    Always,
}

impl Unordered {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Never, Self::InMerges, Self::Always];

    /// Returns whether successors are made in any order. `is_merged` is true if they will be merged.
    pub(crate) fn applies(self, is_merged: bool) -> bool {
        match self {
            Self::Never => false,
            Self::InMerges => is_merged,
            Self::Always => true,
        }
    }
}

/// The conditions for counting leaves below merged positions in runs, and the size of runs. A run takes some positions in the
/// order of the other side's pieces, and merges their successors with each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Runs {
    /// The minimum number of positions.
    pub from: u64,
    /// The minimum number of plies from the positions to the leaves.
    pub depth: u32,
    /// The maximum capacity for the distinct successors of a run.
    pub entries: u64,
}

impl Default for Runs {
    /// Counting two plies below a position takes hardly longer than merging its successors. A list of few positions has few
    /// equal successors. A list of 2^24 positions keeps a large GPU busy for some milliseconds. Longer lists get larger runs,
    /// because they may have many shards, and a run takes positions from each shard.
    fn default() -> Self {
        Self { from: 1 << 17, depth: 3, entries: 1 << 26 }
    }
}

/// The settings of a device, which result from options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuSettings {
    /// The variant of the code in words, without the sizes.
    pub description: String,
    /// The parameters that the device has.
    values: Values,
    /// The number of moves per work-item that a work-group can queue while it distinguishes the kinds of moves.
    pub classified_per_lane: usize,
    /// The number of moves per work-item that a work-group can queue while it makes successors in any order.
    pub unordered_per_lane: usize,
    /// The number of work-items that do quiescence searches.
    pub quiescence_lanes: usize,
    /// The number of positions that each of these work-items visits in one launch.
    pub quiescence_steps: u32,
    /// The initial capacity for the moves of each search. Only tests change it.
    pub quiescence_capacity: usize,
    /// When successors are made in any order.
    pub unordered: Unordered,
    /// The variants of the kernels.
    pub variants: Variants,
    /// The maximum memory of the tree's levels, in bytes.
    pub memory: u64,
    /// The device's memory, in bytes.
    pub device_memory: u64,
    /// The largest buffer, in bytes.
    pub max_buffer: u64,
    /// The lookup table of the kernels: [`lines::table`](crate::lines::table), followed by further tables in some variants.
    pub lines: Vec<[u64; 2]>,
    /// The pace of a watched count: the number of positions in a part. A count can be stopped between its parts.
    pub pace: Pace,
    /// The maximum total of a root on the device. Only tests make it smaller than 64 bits.
    pub most_total: u64,
    /// The maximum number of entries in a shard; the size of a buffer may reduce it. Only tests set it, for small lists.
    pub shard_entries: u64,
    /// When leaves below merged positions are counted in runs.
    pub runs: Runs,
    /// Whether a merge ignores its limit of memory. The self-test needs little memory besides the levels, and keeps the levels
    /// unchanged, because some interfaces take long to make large buffers.
    pub keeps_levels: bool,
    /// See [`GpuOptions::profile`].
    pub profile: bool,
    /// See [`GpuOptions::compiler`].
    pub compiler: String,
    /// See [`GpuOptions::mutation`].
    pub mutation: Option<Mutation>,
}

impl Capabilities {
    /// Returns the maximum of a parameter. Parameters in earlier rows must already have their values.
    fn most(&self, row: &Row, values: &Values) -> usize {
        let most = match row.parameter {
            GroupSize | ClosedFormGroupSize | CountGroupSize => self.max_group_size,
            // Besides the queue, local memory holds a sum for each work-item.
            QueuedPerLane => queued_words(self.local_memory, values[&ClosedFormGroupSize]).saturating_sub(1),
            parameter => self.maxima.get(&parameter).copied().unwrap_or(usize::MAX),
        };
        most.min(row.most)
    }
}

/// Returns the number of words per work-item that a work-group can store in local memory, besides two numbers for the group.
fn queued_words(local_memory: u64, group_size: usize) -> usize {
    (local_memory as usize / size_of::<u32>()).saturating_sub(2) / group_size
}

impl GpuOptions {
    /// Returns options with values of some parameters.
    pub fn of<const N: usize>(values: [(Parameter, usize); N]) -> Self {
        Self { values: Values::from(values), ..Self::default() }
    }

    /// Returns the options with a changed value.
    #[must_use]
    pub fn with(mut self, parameter: Parameter, value: usize) -> Self {
        self.values.insert(parameter, value);
        self
    }

    /// Completes the options for a device.
    ///
    /// # Errors
    /// A sentence that names the option that does not fit.
    pub fn complete(&self, device: &Capabilities) -> Result<GpuSettings, String> {
        let mut values = Values::new();
        for row in &TABLE {
            let asked = self.values.get(&row.parameter).copied();
            let Some(&default) = device.defaults.get(&row.parameter) else {
                if asked.is_some() {
                    return Err(format!(
                        "the option \"{}\" was asked for, and this device does not have it.",
                        row.label
                    ));
                }
                continue;
            };
            let most = device.most(row, &values);
            let value = asked.unwrap_or(default.min(most).max(row.least));
            row.check(value, most)?;
            values.insert(row.parameter, value);
        }
        let group_size = values[&GroupSize];
        self.variants.check(group_size, device.local_memory)?;
        // The queue of `classify_moves` shares local memory with a sum for each kind and work-item.
        let classified = queued_words(device.local_memory, group_size).saturating_sub(Categories::COUNT);
        if classified == 0 {
            return Err(format!("work-groups of {group_size} need more local memory than this device has."));
        }
        // More chunks cost almost nothing, so a chunk is limited to the largest buffer.
        for (chunk, bytes) in [(Positions, size_of::<Planes32>()), (Moves, size_of::<[u32; 2]>())] {
            values.entry(chunk).and_modify(|count| *count = (*count).min((device.max_buffer / bytes as u64) as usize));
        }
        let least_groups = values[&Moves].div_ceil(MOST_GROUP_ITEMS);
        values.entry(CountGroups).and_modify(|groups| *groups = (*groups).max(least_groups));
        let mut settings = GpuSettings {
            description: String::new(),
            classified_per_lane: classified.min(values[&QueuedPerLane]),
            unordered_per_lane: queued_words(device.unordered_memory, group_size).clamp(1, MOST_UNORDERED),
            values,
            quiescence_lanes: 256,
            quiescence_steps: 1 << 12,
            quiescence_capacity: QUIESCENCE_CAPACITY,
            unordered: self.unordered.unwrap_or(device.unordered),
            variants: self.variants,
            memory: self.memory.unwrap_or(device.memory),
            device_memory: device.device_memory,
            max_buffer: device.max_buffer,
            lines: table(),
            pace: Pace::new(1 << 14, Duration::from_millis(150), 2),
            most_total: u64::MAX,
            shard_entries: u64::MAX,
            runs: self.runs.unwrap_or_default(),
            keeps_levels: false,
            profile: self.profile,
            compiler: self.compiler.clone(),
            mutation: self.mutation,
        };
        settings.description = settings.describe();
        Ok(settings)
    }
}

impl FromStr for GpuOptions {
    type Err = String;

    /// Reads options such as `group_size=64,sliders=fill,memory=1000000`. A plus sign in `compiler` is a space.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let wrong = || format!("{pair} is no option of the form NAME=VALUE.");
            let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
            let switch = || value.parse().map_err(|_| wrong());
            match name {
                "memory" => options.memory = Some(value.parse().map_err(|_| wrong())?),
                "profile" => options.profile = switch()?,
                "compiler" => options.compiler = value.replace('+', " "),
                "magic" => options.variants.magic = switch()?,
                "boards48" => options.variants.boards48 = switch()?,
                "depth_first" => options.variants.depth_first = Some(value.parse().map_err(|_| wrong())?),
                "unordered" => {
                    let index = ["never", "in_merges", "always"].iter().position(|name| *name == value);
                    options.unordered = Some(Unordered::ALL[index.ok_or_else(wrong)?]);
                }
                _ => options.values.extend([Parameter::parse(name, value).ok_or_else(wrong)?]),
            }
        }
        Ok(options)
    }
}

impl Index<Parameter> for GpuSettings {
    type Output = usize;

    /// Returns the value of a parameter, or zero if the device does not have it.
    fn index(&self, parameter: Parameter) -> &usize {
        self.values.get(&parameter).unwrap_or(&0)
    }
}

impl GpuSettings {
    /// Returns the values that tuning tries around these settings, in order.
    pub fn tried(&self) -> Vec<(Parameter, usize)> {
        let tried = |(parameter, value): (&Parameter, &usize)| {
            let parameter = *parameter;
            parameter.row().tried(*value).into_iter().map(move |tried| (parameter, tried))
        };
        self.values.iter().flat_map(tried).collect()
    }

    /// Whether a parameter with the values no (0) and yes (1) is set to yes.
    pub fn uses(&self, parameter: Parameter) -> bool {
        self[parameter] == 1
    }

    /// Returns the size of a kernel's work-groups.
    pub fn group_size_of(&self, kernel: Kernel) -> usize {
        match kernel {
            Kernel::ClosedForm => self[ClosedFormGroupSize],
            Kernel::CountReplies => self[CountGroupSize],
            Kernel::WeightedSums => WEIGHTED_SUMS_GROUP,
            _ => self[GroupSize],
        }
    }

    /// The size of a kernel's work-groups, and the number of groups of a launch. A work-item takes
    /// several items only in kernels whose number of groups is limited here, and in `insert_sorted` and `append`.
    pub(crate) fn groups_of(&self, kernel: Kernel, items: usize) -> (usize, usize) {
        let group_size = self.group_size_of(kernel);
        let groups = match kernel {
            Kernel::CountReplies | Kernel::ExpandItems | Kernel::ClassifyItems => {
                items.div_ceil(group_size).min(self[CountGroups])
            }
            Kernel::ClosedForm => items.div_ceil(group_size * self[ClosedFormTurns]),
            Kernel::CountDiagrams => items.div_ceil(group_size * ENTRIES_PER_ITEM),
            Kernel::WeightedSums => weighted_sums_groups(items),
            _ => items.div_ceil(group_size),
        };
        (group_size, groups)
    }

    fn describe(&self) -> String {
        let Variants { magic, depth_first, .. } = self.variants;
        let named = |parameter: Parameter, what: &str| {
            let value = self.values.get(&parameter).map(|&value| parameter.row().text(value));
            value.map_or(String::new(), |value| format!("{value} {what}, "))
        };
        let sliders = if magic { "magic sliders, ".to_owned() } else { named(Sliders, "sliders") };
        let traversal = match depth_first {
            Some(plies) => format!("the last {plies} plies depth-first"),
            None if self.uses(ClosedForm) => "breadth-first, two plies in closed form".to_owned(),
            None => "breadth-first, every reply counted".to_owned(),
        };
        let (words, bytes, group_size) = (named(Word, "words"), self.variants.position_bytes(), self[GroupSize]);
        let subgroups = if self.uses(Subgroups) { " in sub-groups" } else { "" };
        let registers = match self[Registers] {
            0 => String::new(),
            registers => format!(", {registers} registers"),
        };
        format!(
            "{words}{sliders}{bytes}-byte positions, {traversal}, work-groups of {group_size}{subgroups}{registers}"
        )
    }

    /// Describes the variant of the code and the sizes in words.
    pub fn plan(&self) -> String {
        format!(
            "{}, {} for the closed form in {} turns and {} for counting in {} groups, {} moves queued, chunks of {} positions and {} \
             moves",
            self.description,
            self[ClosedFormGroupSize],
            self[ClosedFormTurns],
            self[CountGroupSize],
            self[CountGroups],
            self[QueuedPerLane],
            self[Positions],
            self[Moves]
        )
    }
}
