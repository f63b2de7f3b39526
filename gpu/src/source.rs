//! The kernels' source in WGSL, assembled from the files in `kernels/`.
//!
//! Every interface compiles the same source, or what it prints of it in its own language.

use kogge_board::Score;
use kogge_board::evaluation::{Feature, PHASE, TEMPO, TERMS};
use kogge_board::minimax::QUIESCENCE_PLIES;

use crate::MOST_MOVES;
use crate::kernels::{Binding, Module, Scalar};
use crate::parameters::Parameter::{
    self, ClosedFormGroupSize, ClosedFormTurns, CountGroupSize, GroupSize, QueuedPerLane, Sliders, Subgroups,
};
use crate::settings::{GpuSettings, REACHED_ONCE, WEIGHTED_SUMS_GROUP, WEIGHTED_SUMS_GROUPS};

/// The representation of a board in the kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    /// A 64-bit integer. Not every device has 64-bit integers, and no browser has them.
    Native,
    /// Two 32-bit integers.
    Emulated,
}

/// A form of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// The representation of a board.
    pub word: Word,
    /// Whether kernels sum over sub-groups.
    pub subgroups: bool,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 4] = [
        Self { word: Word::Native, subgroups: false },
        Self { word: Word::Native, subgroups: true },
        Self { word: Word::Emulated, subgroups: false },
        Self { word: Word::Emulated, subgroups: true },
    ];

    /// Returns the form that the settings select.
    pub fn of(settings: &GpuSettings) -> Self {
        let word = if settings.uses(Parameter::Word) { Word::Native } else { Word::Emulated };
        Self { word, subgroups: settings.uses(Subgroups) }
    }
}

/// A constant that depends on the device, and its value as text in the common syntax of WGSL and C.
pub type Constant = (&'static str, String);

/// Returns the constants that depend on the device or on the module.
pub fn constants(settings: &GpuSettings, module: Module) -> [Constant; 9] {
    let queue = match module {
        Module::Unordered => settings[GroupSize] * settings.unordered_per_lane,
        Module::Categories => settings[GroupSize] * settings.classified_per_lane,
        _ => settings[ClosedFormGroupSize] * settings[QueuedPerLane],
    };
    let [capture, pawn_by_pawn] = crate::capture_changes(module == Module::Categories);
    [
        ("GROUP", format!("{}u", settings[GroupSize])),
        ("CLOSED_FORM_GROUP", format!("{}u", settings[ClosedFormGroupSize])),
        ("CLOSED_FORM_TURNS", format!("{}u", settings[ClosedFormTurns])),
        ("COUNT_GROUP", format!("{}u", settings[CountGroupSize])),
        ("WEIGHTED_SUMS_GROUP", format!("{WEIGHTED_SUMS_GROUP}u")),
        ("QUEUE", format!("{queue}u")),
        ("CAPTURE_CHANGE", format!("{capture}u")),
        ("PAWN_BY_PAWN_CHANGE", format!("{pawn_by_pawn}u")),
        ("FAST_REVERSE", settings.uses(Sliders).to_string()),
    ]
}

/// The modules that have a source.
pub const MODULES: [Module; 5] =
    [Module::Counting, Module::Merging, Module::Categories, Module::Unordered, Module::Minimax];

/// A direction. Some files are written out once for each of the eight directions.
struct Direction {
    name: &'static str,
    opposite: &'static str,
    /// The distance of a step, positive towards h8.
    offset: i32,
    /// The squares where a step can land without wrapping around the board.
    landing: &'static str,
}

const fn direction(name: &'static str, opposite: &'static str, offset: i32, landing: &'static str) -> Direction {
    Direction { name, opposite, offset, landing }
}

const DIRECTIONS: [Direction; 8] = [
    direction("north", "south", 8, "ALL"),
    direction("south", "north", -8, "ALL"),
    direction("east", "west", 1, "NOT_FILE_A"),
    direction("west", "east", -1, "NOT_FILE_H"),
    direction("north_east", "south_west", 9, "NOT_FILE_A"),
    direction("north_west", "south_east", 7, "NOT_FILE_H"),
    direction("south_east", "north_west", -7, "NOT_FILE_A"),
    direction("south_west", "north_east", -9, "NOT_FILE_H"),
];

/// The words that are replaced in a file for each direction.
#[cfg(test)]
const PLACEHOLDERS: [&str; 7] = ["DIRECTION", "OPPOSITE", "TOWARDS", "BACKWARDS", "DISTANCE", "OFFSET", "LANDING"];

impl Direction {
    /// Returns a file with its words in capitals replaced for this direction.
    fn write(&self, file: &str) -> String {
        let (towards, backwards) = if self.offset > 0 { ("up", "down") } else { ("down", "up") };
        file.replace("DIRECTION", self.name)
            .replace("OPPOSITE", self.opposite)
            .replace("TOWARDS", towards)
            .replace("BACKWARDS", backwards)
            .replace("DISTANCE", &format!("{}u", self.offset.unsigned_abs()))
            .replace("OFFSET", &self.offset.to_string())
            .replace("LANDING", self.landing)
    }

    const fn is_along_rank(&self) -> bool {
        self.offset.abs() == 1
    }

    const fn is_up(&self) -> bool {
        self.offset > 0
    }
}

fn directions(file: &str, condition: fn(&Direction) -> bool) -> String {
    DIRECTIONS.iter().filter(|direction| condition(direction)).map(|direction| direction.write(file)).collect()
}

/// Returns the source of a module, without the settings that stand before it: some files, each after those that it uses.
pub fn source(module: Module, form: Form) -> String {
    use Module::{Categories, Counting, DepthFirst, Merging, Minimax, Unordered};

    let word = match form.word {
        Word::Native => include_str!("kernels/word_native.wgsl"),
        Word::Emulated => include_str!("kernels/word_emulated.wgsl"),
    };
    let scan = match form.subgroups {
        true => include_str!("kernels/scan_by_subgroups.wgsl"),
        false => include_str!("kernels/scan.wgsl"),
    };
    let fills = directions(include_str!("kernels/directions/fill.wgsl"), |_| true);
    let attacks = directions(include_str!("kernels/directions/attacks.wgsl"), |direction| !direction.is_along_rank());
    let emit = directions(include_str!("kernels/directions/emit.wgsl"), |_| true);
    let values = directions(include_str!("kernels/directions/closed_form_values.wgsl"), |_| true);
    let axes = directions(include_str!("kernels/directions/closed_form_axis.wgsl"), Direction::is_up);
    let all: &[_] = &[Counting, Merging, Categories, Unordered, Minimax, DepthFirst];
    let moving: &[_] = &[Counting, Categories, Unordered, Minimax, DepthFirst];
    let generating: &[_] = &[Counting, Minimax];
    let closed_form: &[_] = &[Counting, Categories, Unordered];
    let files: [(&[_], String); 24] = [
        (all, shared_constants()),
        (all, word.into()),
        (all, include_str!("kernels/bits.wgsl").into()),
        (all, bindings() + include_str!("kernels/invocation.wgsl")),
        (all, include_str!("kernels/position.wgsl").into()),
        (&[Merging, Unordered], include_str!("kernels/range.wgsl").into()),
        (&[Merging], include_str!("kernels/merge.wgsl").into()),
        (&[Merging], include_str!("kernels/diagrams.wgsl").into()),
        (&[Merging], include_str!("kernels/shards.wgsl").into()),
        (all, fills + &attacks + include_str!("kernels/fill.wgsl")),
        (moving, include_str!("kernels/frame.wgsl").into()),
        (moving, include_str!("kernels/count.wgsl").into()),
        (moving, include_str!("kernels/make.wgsl").into()),
        (generating, include_str!("kernels/emit.wgsl").to_owned() + &emit),
        (generating, include_str!("kernels/generate.wgsl").into()),
        (&[Minimax], numbers() + include_str!("kernels/evaluation.wgsl")),
        (&[Minimax], include_str!("kernels/minimax.wgsl").into()),
        (closed_form, include_str!("kernels/closed_form.wgsl").into()),
        (&[Counting], values + &axes + include_str!("kernels/closed_form_values.wgsl")),
        (&[Categories], include_str!("kernels/categories.wgsl").into()),
        (&[Unordered], include_str!("kernels/unordered.wgsl").into()),
        (&[Counting], include_str!("kernels/expand.wgsl").into()),
        (&[Counting], scan.into()),
        (&[Counting], include_str!("kernels/perft.wgsl").into()),
    ];
    let needed = files.into_iter().filter(|(users, _)| users.contains(&module));
    needed.map(|(_, text)| text).collect()
}

fn bindings() -> String {
    let scalars: String = Scalar::ALL.iter().map(|scalar| format!("    {}: u32,\n", scalar.name())).collect();
    let buffers = (1..).zip(Binding::ALL).map(|(number, buffer)| {
        let (name, element) = (buffer.name(), buffer.element());
        let access = if buffer.is_written() { "read_write" } else { "read" };
        format!("@group(0) @binding({number}) var<storage, {access}> {name}: array<{element}>;\n")
    });
    format!("struct Scalars {{\n{scalars}}}\n@group(0) @binding(0) var<uniform> scalars: Scalars;\n")
        + &buffers.collect::<String>()
}

fn shared_constants() -> String {
    let constants = [
        ("WEIGHTED_SUMS_GROUPS", WEIGHTED_SUMS_GROUPS as u32),
        ("REACHED_ONCE", REACHED_ONCE),
        ("MOST_MOVES", MOST_MOVES),
    ];
    constants.map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).concat()
}

fn name_of(feature: Feature) -> String {
    let mut name = String::new();
    for letter in format!("{feature:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Returns the numbers of the evaluation and of minimax: constants, and a function that sums all terms.
fn numbers() -> String {
    let constants = [
        ("PHASE", "u32", format!("{PHASE}u")),
        ("TEMPO", "i32", TEMPO.to_string()),
        ("MOST_CENTIPAWNS", "i32", Score::MOST_CENTIPAWNS.to_string()),
        ("MATE", "i32", Score::MATE.to_string()),
        ("LONGEST_MATE", "i32", Score::LONGEST_MATE.to_string()),
        ("QUIESCENCE_PLIES", "u32", format!("{QUIESCENCE_PLIES}u")),
    ];
    let mut source = constants.map(|(name, kind, number)| format!("const {name}: {kind} = {number};\n")).concat();
    source += "\n/// Returns the sum of the middlegame (x) and the endgame weights (y) of a side's features.\n\
               fn weighted_sum(features: Features) -> vec2<i32> {\n    var sum = vec2<i32>();\n";
    for term in &TERMS {
        let (low, high) = (term.squares as u32, term.squares >> 32);
        source += &format!(
            "    sum += vec2<i32>({}, {}) * i32(count_ones(features.{} & join({low:#x}u, {high:#x}u)));\n",
            term.middlegame,
            term.endgame,
            name_of(term.feature)
        );
    }
    source + "    return sum;\n}\n"
}

#[cfg(test)]
mod tests {
    use kogge_board::evaluation::FEATURES;

    use super::*;

    /// The words that are replaced for a direction must not occur elsewhere.
    #[test]
    fn no_word_is_left_to_be_replaced() {
        for source in MODULES.into_iter().flat_map(|module| Form::ALL.map(|form| source(module, form))) {
            for line in source.lines().filter(|line| !line.starts_with("//")) {
                assert!(!PLACEHOLDERS.iter().any(|word| line.contains(word)), "{line}");
            }
        }
    }

    /// The kernels have a field for each feature, in the table's order.
    #[test]
    fn the_kernels_have_the_features_of_the_evaluation() {
        let text = include_str!("kernels/evaluation.wgsl");
        let fields = text.split_once("struct Features {").unwrap().1.split_once('}').unwrap().0;
        let fields: Vec<_> = fields.lines().filter_map(|line| line.trim().strip_suffix(": Board,")).collect();
        assert_eq!(fields.len(), FEATURES);
        for term in &TERMS {
            assert_eq!(fields[term.feature as usize], name_of(term.feature));
        }
    }
}
