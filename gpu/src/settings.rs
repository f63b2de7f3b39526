//! The host's options, and the settings that result from them on a device.

use kogge_board::Categories;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::kernels::{Kernel, Part};
use crate::lines::table;
use crate::tuning::{Partial, Value};
use crate::watching::PartTime;

/// The initial room for the moves of a quiescence search.
const QUIESCENCE_ROOM: usize = 256;

/// The work-items of a work-group of the kernel `weighted_sums`.
pub const WEIGHTED_SUMS_GROUP: usize = 256;

/// The maximum number of work-groups of `weighted_sums`. Each adds to a sum, and the host adds the sums.
pub const WEIGHTED_SUMS_GROUPS: usize = 1024;

/// The depth at which `weighted_sums` counts the entries of multiplicity one.
pub const REACHED_ONCE: u32 = u32::MAX;

/// Roots that a work-item of `weighted_sums` takes at least, so that few sums are read.
const ROOTS_PER_ITEM: usize = 16;

/// Entries that a work-item of `count_diagrams` takes, so that few numbers are added up. Lavapipe silently ends every loop of a work-item
/// after 65,536 iterations, so that a work-item must not take more in larger lists.
const ENTRIES_PER_ITEM: usize = 16;

/// The number of work-groups of `weighted_sums`, and so of sums, for this many roots.
pub(crate) fn weighted_sums_groups(roots: usize) -> usize {
    roots.div_ceil(WEIGHTED_SUMS_GROUP * ROOTS_PER_ITEM).min(WEIGHTED_SUMS_GROUPS)
}

/// The maximum number of moves whose replies a work-group counts: with at most 218 replies each, their sum fits in 32 bits.
const MOST_GROUP_ITEMS: usize = 1 << 24;

/// Options of the host. An option that is `None` takes the tuned value of the device, or the default.
///
/// Only options that can be tuned are serialized.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostOptions {
    /// Work-items of a work-group, 2 to 1024. A block of the scan has as many positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_size: Option<usize>,
    /// Work-items of a work-group that counts in closed form, 2 to 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_form_group_size: Option<usize>,
    /// Positions that a work-item counts in closed form, 1 to 16. With several, the work-items of a group rarely wait for each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_form_turns: Option<usize>,
    /// Work-items of a work-group that counts the replies to moves, 2 to 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_group_size: Option<usize>,
    /// The maximum number of work-groups that count the replies to moves, 1 to 1048576. They share all moves. There are more if a
    /// group would get more than 16 million moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_groups: Option<usize>,
    /// Moves that a work-group queues in local memory, for each of its work-items: 1 to 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued_per_lane: Option<usize>,
    /// Whether the last two plies are counted in closed form where possible. Otherwise every reply is counted.
    #[serde(skip_serializing)]
    pub closed_form: Option<bool>,
    /// Positions of one level: the size of the chunks in which successors are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<usize>,
    /// Moves that are written at once: the size of the chunks in which leaf parents are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<usize>,
    /// When leaves below merged positions are counted in runs.
    #[serde(skip)]
    pub runs: Option<Runs>,
    /// The maximum of device memory to use, in bytes.
    #[serde(skip_serializing)]
    pub memory: Option<u64>,
    /// Whether the time of each kernel is measured. The host then waits for every kernel.
    #[serde(skip_serializing)]
    pub profile: bool,
    /// An error that tests put into the kernels' source.
    #[serde(skip)]
    pub mutation: Option<Mutation>,
}

/// Reads options such as `group_size=64,sliders=fill`. Names are the fields of the interface's options and of
/// [`HostOptions`].
///
/// # Errors
/// A sentence that names the first part of the text that is no option.
pub fn parse_options<O: Partial>(text: &str) -> Result<O, String> {
    let (mut options, mut host) = (Map::new(), Map::new());
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("{pair} is not of the form NAME=VALUE."))?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Json::from(value));
        let alone = || Json::from_iter([(name, value.clone())]);
        match (serde_json::from_value::<HostOptions>(alone()), serde_json::from_value::<O>(alone())) {
            (Ok(_), _) => host.insert(name.to_owned(), value),
            (_, Ok(_)) => options.insert(name.to_owned(), value),
            (Err(of_host), Err(of_interface)) => {
                return Err(format!("{pair} is no option: {of_interface}; {of_host}."));
            }
        };
    }
    options.insert("host".to_owned(), host.into());
    serde_json::from_value(options.into()).map_err(|error| format!("{text} are no options: {error}."))
}

/// Makes an interface's options and settings give the host its part of them, the field `host`.
#[macro_export]
macro_rules! host_parts {
    ($options:ty, $settings:ty) => {
        impl AsMut<$crate::HostOptions> for $options {
            fn as_mut(&mut self) -> &mut $crate::HostOptions {
                &mut self.host
            }
        }

        impl AsRef<$crate::HostSettings> for $settings {
            fn as_ref(&self) -> &$crate::HostSettings {
                &self.host
            }
        }
    };
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

/// The limits of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum number of work-items of a work-group.
    pub max_group_size: usize,
    /// Local memory of a work-group, in bytes.
    pub local_memory: u64,
    /// The largest buffer that a kernel can use, in bytes.
    pub max_buffer: u64,
    /// The device's memory, in bytes.
    pub device_memory: u64,
}

/// The values of unset options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Defaults {
    /// See [`HostOptions::group_size`].
    pub group_size: usize,
    /// See [`HostOptions::closed_form_group_size`].
    pub closed_form_group_size: usize,
    /// See [`HostOptions::closed_form_turns`].
    pub closed_form_turns: usize,
    /// See [`HostOptions::count_group_size`].
    pub count_group_size: usize,
    /// See [`HostOptions::count_groups`].
    pub count_groups: usize,
    /// The maximum number of moves that a work-item queues, if local memory permits.
    pub queued_per_lane: usize,
    /// See [`HostOptions::positions`].
    pub positions: usize,
    /// See [`HostOptions::moves`].
    pub moves: usize,
    /// See [`HostOptions::memory`].
    pub memory: u64,
    /// Work-items that do quiescence searches.
    pub quiescence_lanes: usize,
    /// Positions that each of them looks at in one launch.
    pub quiescence_steps: u32,
}

/// How the last plies are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastPlies {
    /// The replies to every move are counted one by one.
    Counted,
    /// The last two plies are counted in closed form where possible.
    ClosedForm,
    /// A variant: each work-item walks this many plies below a position depth first, 2 to
    /// [`MOST_LAST_PLIES`](crate::MOST_LAST_PLIES).
    DepthFirst(u32),
}

/// When successors are made in any order, by the kernels of [`Module::Unordered`](crate::kernels::Module::Unordered).
/// Otherwise they are made in generation order.
///
/// The kernels for any order leave out most successors that are not kept, such as those outside a range of a merged ply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
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

    /// Returns whether successors are made in any order. `is_merged` says whether they will be merged.
    pub(crate) fn applies(self, is_merged: bool) -> bool {
        match self {
            Self::Never => false,
            Self::InMerges => is_merged,
            Self::Always => true,
        }
    }
}

/// When and how leaves below merged positions are counted in runs. A run takes some of the positions, in the order of the other side's
/// pieces, and merges their successors with each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Runs {
    /// The least number of positions.
    pub from: u64,
    /// The least number of plies from the positions to the leaves.
    pub depth: u32,
    /// The greatest room for the distinct successors of a run.
    pub entries: u64,
}

impl Default for Runs {
    /// To count two plies below a position takes hardly longer than to merge its successors. Few positions have few equal successors.
    /// A list of 2^24 positions keeps a large GPU busy for some milliseconds. Longer lists get larger runs, because they may have
    /// many shards, and a run takes positions from each.
    fn default() -> Self {
        Self { from: 1 << 17, depth: 3, entries: 1 << 26 }
    }
}

/// The form of positions in device memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionForm {
    /// As [`Planes32`](kogge_board::Planes32), 32 bytes.
    Planes32,
    /// A variant: six bitboards, 48 bytes. They are the boards of [`Quad48`](kogge_board::Quad48) seen by the side to
    /// move. The first and last rank of the pawns' board mark the rooks that may castle.
    Boards48,
}

impl PositionForm {
    /// Both forms.
    pub const ALL: [Self; 2] = [Self::Planes32, Self::Boards48];

    /// The bytes of a position.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Planes32 => 32,
            Self::Boards48 => 48,
        }
    }

    /// The number of parts of a position.
    pub(crate) const fn parts(self) -> usize {
        self.bytes() / size_of::<Part>()
    }
}

/// The host's settings on a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostSettings {
    /// See [`HostOptions::group_size`].
    pub group_size: usize,
    /// See [`HostOptions::closed_form_group_size`].
    pub closed_form_group_size: usize,
    /// See [`HostOptions::closed_form_turns`].
    pub closed_form_turns: usize,
    /// See [`HostOptions::count_group_size`].
    pub count_group_size: usize,
    /// See [`HostOptions::count_groups`].
    pub count_groups: usize,
    /// See [`HostOptions::queued_per_lane`].
    pub queued_per_lane: usize,
    /// Moves that a work-group queues while it tells the kinds of moves, for each of its work-items.
    pub classified_per_lane: usize,
    /// Work-items that do quiescence searches.
    pub quiescence_lanes: usize,
    /// Positions that each of them looks at in one launch.
    pub quiescence_steps: u32,
    /// The initial room for the moves of each search. Only tests change it.
    pub quiescence_room: usize,
    /// How the last plies are counted.
    pub last_plies: LastPlies,
    /// When successors are made in any order.
    pub unordered: Unordered,
    /// The form of positions in device memory.
    pub form: PositionForm,
    /// See [`HostOptions::positions`].
    pub positions: usize,
    /// See [`HostOptions::moves`].
    pub moves: usize,
    /// The maximum memory of the tree's levels, in bytes.
    pub memory: u64,
    /// The device's memory, in bytes.
    pub device_memory: u64,
    /// The largest buffer, in bytes.
    pub max_buffer: u64,
    /// The lookup table of the kernels: [`lines::table`](crate::lines::table), followed by more in some variants.
    pub lines: Vec<[u64; 2]>,
    /// How long the parts of a watched count should take.
    pub part_time: PartTime,
    /// The maximum total of a root on the device. Only tests make it smaller than 64 bits.
    pub most_total: u64,
    /// The maximum number of entries of a shard, if a buffer does not hold fewer. Only tests limit it, with small lists.
    pub shard_entries: u64,
    /// When leaves below merged positions are counted in runs.
    pub runs: Runs,
    /// Whether a merge ignores its limit of memory. The self-test needs little memory besides the levels, and keeps the levels as
    /// they are, because some interfaces take long to make large buffers.
    pub keeps_levels: bool,
    /// See [`HostOptions::profile`].
    pub profile: bool,
    /// See [`HostOptions::mutation`].
    pub mutation: Option<Mutation>,
}

impl HostOptions {
    /// Completes the options with defaults.
    ///
    /// # Errors
    /// A sentence that names the option that does not fit the device.
    pub fn complete(&self, limits: &Limits, defaults: &Defaults) -> Result<HostSettings, String> {
        let most = limits.max_group_size.min(1024);
        let group = |what: &str, asked: Option<usize>, default: usize| match asked.unwrap_or(default.min(most)) {
            size if (2..=most).contains(&size) => Ok(size),
            size => Err(format!("{what} must be 2 to {most} on this device, and {size} was asked for.")),
        };
        let group_size = group("the work-group size", self.group_size, defaults.group_size)?;
        let closed_form_group_size = group(
            "the work-group size for the closed form",
            self.closed_form_group_size,
            defaults.closed_form_group_size,
        )?;
        let closed_form_turns = self.closed_form_turns.unwrap_or(defaults.closed_form_turns);
        if !(1..=16).contains(&closed_form_turns) {
            return Err(format!("a work-item can count 1 to 16 positions, and {closed_form_turns} were asked for."));
        }
        let count_group_size =
            group("the work-group size for counting replies", self.count_group_size, defaults.count_group_size)?;
        let count_groups = self.count_groups.unwrap_or(defaults.count_groups);
        if !(1..=1 << 20).contains(&count_groups) {
            return Err(format!("1 to 1048576 work-groups can count replies, and {count_groups} were asked for."));
        }
        // Besides the queue, local memory holds a sum for each work-item and two numbers for the group.
        let local = |queued: usize| (closed_form_group_size * (queued + 1) + 2) * size_of::<u32>();
        let fits = |queued: &usize| local(*queued) as u64 <= limits.local_memory;
        let queued_per_lane = self.queued_per_lane.or((1..=defaults.queued_per_lane).rev().find(fits)).unwrap_or(1);
        if !(1..=64).contains(&queued_per_lane) || !fits(&queued_per_lane) {
            return Err(format!(
                "a work-item can queue 1 to 64 moves, as local memory permits, and {queued_per_lane} were asked for."
            ));
        }
        // The queue of `classify_moves` shares local memory with a sum for each kind and work-item.
        let fits = |queued: &usize| {
            ((group_size * (queued + Categories::COUNT) + 2) * size_of::<u32>()) as u64 <= limits.local_memory
        };
        let Some(classified_per_lane) = (1..=queued_per_lane).rev().find(fits) else {
            return Err(format!("work-groups of {group_size} need more local memory than this device has."));
        };
        // Additional chunks cost next to nothing, so a chunk is limited to the largest buffer.
        let within = |what: &str, count: usize, bytes: usize| match count {
            1..=0x7fff_ffff => Ok(count.min((limits.max_buffer / bytes as u64) as usize)),
            _ => Err(format!("the number of {what} must be 1 to 2147483647, and {count} was asked for.")),
        };
        let moves = within("moves", self.moves.unwrap_or(defaults.moves), size_of::<[u32; 2]>())?;
        Ok(HostSettings {
            group_size,
            closed_form_group_size,
            closed_form_turns,
            count_group_size,
            count_groups: count_groups.max(moves.div_ceil(MOST_GROUP_ITEMS)),
            queued_per_lane,
            classified_per_lane,
            quiescence_lanes: defaults.quiescence_lanes,
            quiescence_steps: defaults.quiescence_steps,
            quiescence_room: QUIESCENCE_ROOM,
            last_plies: if self.closed_form.unwrap_or(true) { LastPlies::ClosedForm } else { LastPlies::Counted },
            unordered: Unordered::Never,
            form: PositionForm::Planes32,
            positions: within(
                "positions",
                self.positions.unwrap_or(defaults.positions),
                PositionForm::Planes32.bytes(),
            )?,
            moves,
            memory: self.memory.unwrap_or(defaults.memory),
            device_memory: limits.device_memory,
            max_buffer: limits.max_buffer,
            lines: table(),
            part_time: PartTime::default(),
            most_total: u64::MAX,
            shard_entries: u64::MAX,
            runs: self.runs.unwrap_or_default(),
            keeps_levels: false,
            profile: self.profile,
            mutation: self.mutation,
        })
    }

    /// Returns the values around these settings that tuning tries.
    pub fn values(settings: &HostSettings) -> Vec<Value<Self>> {
        let HostSettings { count_groups, positions, moves, .. } = *settings;
        let none = Self::default;
        let groups = [64, 128, 256, 512];
        let values = [
            Value::numbers("work-group", &groups[..3], |n| Self { group_size: n, ..none() }),
            Value::numbers("closed-form work-group", &groups, |n| Self { closed_form_group_size: n, ..none() }),
            Value::numbers("closed-form turns", &[1, 2, 3], |n| Self { closed_form_turns: n, ..none() }),
            Value::numbers("count work-group", &groups[..3], |n| Self { count_group_size: n, ..none() }),
            Value::numbers("count groups", &[count_groups / 16, count_groups / 4, count_groups], |n| Self {
                count_groups: n,
                ..none()
            }),
            Value::numbers("queued per lane", &[4, 8, 16], |n| Self { queued_per_lane: n, ..none() }),
            Value::numbers("positions", &[positions / 4, positions, positions * 4], |n| Self {
                positions: n,
                ..none()
            }),
            Value::numbers("moves", &[moves / 4, moves, moves * 2], |n| Self { moves: n, ..none() }),
        ];
        values.concat()
    }
}

impl Partial for HostOptions {
    fn or(&self, others: &Self) -> Self {
        Self {
            group_size: self.group_size.or(others.group_size),
            closed_form_group_size: self.closed_form_group_size.or(others.closed_form_group_size),
            closed_form_turns: self.closed_form_turns.or(others.closed_form_turns),
            count_group_size: self.count_group_size.or(others.count_group_size),
            count_groups: self.count_groups.or(others.count_groups),
            queued_per_lane: self.queued_per_lane.or(others.queued_per_lane),
            positions: self.positions.or(others.positions),
            moves: self.moves.or(others.moves),
            ..self.clone()
        }
    }
}

impl HostSettings {
    /// Returns the size of a kernel's work-groups.
    pub fn group_size_of(&self, kernel: Kernel) -> usize {
        match kernel {
            Kernel::ClosedForm => self.closed_form_group_size,
            Kernel::CountReplies => self.count_group_size,
            Kernel::WeightedSums => WEIGHTED_SUMS_GROUP,
            _ => self.group_size,
        }
    }

    /// The size of a kernel's work-groups, and the number of groups of a launch with this many items. A work-item takes
    /// several items only in kernels whose number of groups is limited here, and in `insert_sorted` and `append`.
    pub(crate) fn groups_of(&self, kernel: Kernel, items: usize) -> (usize, usize) {
        let group_size = self.group_size_of(kernel);
        let groups = match kernel {
            Kernel::CountReplies | Kernel::ExpandItems | Kernel::ClassifyItems => {
                items.div_ceil(group_size).min(self.count_groups)
            }
            Kernel::ClosedForm => items.div_ceil(group_size * self.closed_form_turns),
            Kernel::CountDiagrams => items.div_ceil(group_size * ENTRIES_PER_ITEM),
            Kernel::WeightedSums => weighted_sums_groups(items),
            _ => items.div_ceil(group_size),
        };
        (group_size, groups)
    }

    /// Describes the settings in words.
    pub fn describe(&self) -> String {
        let traversal = match self.last_plies {
            LastPlies::DepthFirst(plies) => format!("the last {plies} plies depth-first"),
            LastPlies::ClosedForm => "breadth-first, two plies in closed form".to_owned(),
            LastPlies::Counted => "breadth-first, every reply counted".to_owned(),
        };
        format!("{}-byte positions, {traversal}, work-groups of {}", self.form.bytes(), self.group_size)
    }

    /// Describes the sizes in words that distinguish all settings.
    pub fn describe_sizes(&self) -> String {
        format!(
            "{} for the closed form in {} turns and {} for counting in {} groups, {} moves queued, chunks of {} positions and {} moves",
            self.closed_form_group_size,
            self.closed_form_turns,
            self.count_group_size,
            self.count_groups,
            self.queued_per_lane,
            self.positions,
            self.moves
        )
    }
}
