//! The kernels: their source, put together from pieces, and the one table of what they read and write.

use kogge_board::breadth_first::MOST_MOVES;
use kogge_board::evaluation::{FEATURES, PHASE, TEMPO, TERMS};
use kogge_board::minimax::QUIESCENCE_PLIES;
use kogge_board::{Score, tuning};

use crate::options::{Choice, Sliders, Word};

/// A direction, as the pieces that are written out for each of the eight need it.
struct Direction {
    name: &'static str,
    opposite: &'static str,
    /// How far a step moves: towards h8 if it is positive.
    offset: i32,
    /// Squares where a step can land without having left the board at one side and come back at the other.
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

impl Direction {
    /// A piece with this direction in place of the words in capitals.
    fn write(&self, piece: &str) -> String {
        let (towards, backwards) = if self.offset > 0 { ("up", "down") } else { ("down", "up") };
        piece
            .replace("DIRECTION", self.name)
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
}

/// Kernels that are compiled together, when the first of them is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Module {
    /// What counts, expands and merges.
    Counting,
    /// What finds values.
    Judging,
}

/// The source of all kernels of a module: the sizes as constants, then the pieces.
pub(crate) fn source(choice: &Choice, module: Module) -> String {
    let Choice { group, replies_group, count_group, queued_per_lane, .. } = choice;
    let sizes = format!(
        "const GROUP: u32 = {group}u;\nconst REPLIES_GROUP: u32 = {replies_group}u;\nconst COUNT_GROUP: u32 = \
         {count_group}u;\nconst QUEUED_PER_LANE: u32 = {queued_per_lane}u;\nconst WEIGH_GROUP: u32 = {WEIGH_GROUP}u;\nconst MOST_MOVES: u32 = \
         {MOST_MOVES}u;\n"
    );
    sizes + &pieces(module, choice.word, choice.sliders, choice.subgroups)
}

/// Another one whenever the source is, in any of its forms.
pub(crate) fn fingerprint() -> String {
    // Each piece that depends on a choice is in one of these.
    let forms = [
        pieces(Module::Counting, Word::Native, Sliders::Fill, false),
        pieces(Module::Counting, Word::Native, Sliders::Carry, true),
        pieces(Module::Counting, Word::Emulated, Sliders::Fill, true),
        pieces(Module::Counting, Word::Emulated, Sliders::Carry, false),
        pieces(Module::Judging, Word::Native, Sliders::Fill, false),
    ];
    tuning::fingerprint(forms.iter().map(String::as_str))
}

/// All pieces of a form of the source, in a fixed order.
fn pieces(module: Module, word: Word, sliders: Sliders, subgroups: bool) -> String {
    let mut source = match word {
        Word::Native => include_str!("kernels/word_native.wgsl"),
        Word::Emulated => include_str!("kernels/word_emulated.wgsl"),
    }
    .to_owned();
    source += include_str!("kernels/bits.wgsl");
    for direction in &DIRECTIONS {
        source += &direction.write(include_str!("kernels/step.wgsl"));
        source += &direction.write(include_str!("kernels/fill.wgsl"));
        if sliders == Sliders::Fill || !direction.is_along_rank() {
            source += &direction.write(include_str!("kernels/attacks.wgsl"));
        }
    }
    if sliders == Sliders::Carry {
        source += include_str!("kernels/carry.wgsl");
    }
    for piece in [
        include_str!("kernels/leap.wgsl"),
        include_str!("kernels/rays.wgsl"),
        include_str!("kernels/buffers.wgsl"),
        include_str!("kernels/position.wgsl"),
        include_str!("kernels/frame.wgsl"),
        include_str!("kernels/count.wgsl"),
    ] {
        source += piece;
    }
    match (module, subgroups) {
        (Module::Judging, _) => {}
        (Module::Counting, true) => source += include_str!("kernels/scan_by_subgroups.wgsl"),
        (Module::Counting, false) => source += include_str!("kernels/scan.wgsl"),
    }
    source += include_str!("kernels/make.wgsl");
    for direction in &DIRECTIONS {
        source += &direction.write(include_str!("kernels/moves_by_direction.wgsl"));
    }
    source += include_str!("kernels/generate.wgsl");
    if module == Module::Judging {
        source += &numbers();
        return source + include_str!("kernels/evaluation.wgsl") + include_str!("kernels/minimax.wgsl");
    }
    for piece in
        [include_str!("kernels/merge.wgsl"), include_str!("kernels/perft.wgsl"), include_str!("kernels/numbers.wgsl")]
    {
        source += piece;
    }
    for direction in &DIRECTIONS {
        source += &direction.write(include_str!("kernels/sight_by_direction.wgsl"));
    }
    for direction in DIRECTIONS.iter().filter(|direction| direction.offset > 0) {
        source += &direction.write(include_str!("kernels/along_by_axis.wgsl"));
    }
    source + include_str!("kernels/replies.wgsl") + include_str!("kernels/steps.wgsl")
}

/// The numbers of the evaluation and of minimax: constants, and the sums of all terms as a function.
fn numbers() -> String {
    let constants = [
        ("FEATURES", "u32", FEATURES.to_string()),
        ("PHASE", "u32", PHASE.to_string()),
        ("TEMPO", "i32", TEMPO.to_string()),
        ("MOST_CENTIPAWNS", "i32", Score::MOST_CENTIPAWNS.to_string()),
        ("MATE", "i32", Score::MATE.to_string()),
        ("LONGEST_MATE", "i32", Score::LONGEST_MATE.to_string()),
        ("QUIESCENCE_PLIES", "u32", QUIESCENCE_PLIES.to_string()),
    ];
    let mut source = constants.map(|(name, kind, number)| format!("const {name}: {kind} = {number};\n")).concat();
    source += "fn weigh(features: array<Board, FEATURES>) -> vec2<i32> {\n    var sum = vec2<i32>(0, 0);\n";
    for term in &TERMS {
        let (feature, low, high) = (term.feature as usize, term.squares as u32, term.squares >> 32);
        source += &format!(
            "    sum += vec2<i32>({}, {}) * i32(count_ones(features[{feature}] & join({low:#x}u, {high:#x}u)));\n",
            term.middlegame, term.endgame
        );
    }
    source + "    return sum;\n}\n"
}

/// Work-items of a work-group that weighs leaves, and how many such groups there are at most. Each group has a sum of its
/// own, which the host adds up.
pub(crate) const WEIGH_GROUP: usize = 64;
pub(crate) const WEIGH_GROUPS: usize = 64;

/// A buffer that a kernel reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) binding: u32,
    pub(crate) writes: bool,
}

const fn input(name: &'static str, binding: u32) -> Parameter {
    Parameter { name, binding, writes: false }
}

const fn output(name: &'static str, binding: u32) -> Parameter {
    Parameter { name, binding, writes: true }
}

/// The binding of the numbers that every kernel reads.
pub(crate) const SCALARS: u32 = 0;

const POSITIONS: Parameter = input("positions", 1);
const SUCCESSORS: Parameter = output("successors", 2);
const ROOTS: Parameter = input("roots", 3);
const SUCCESSOR_ROOTS: Parameter = output("successor_roots", 4);
const COUNTS: Parameter = input("counts", 5);
const NEW_COUNTS: Parameter = output("new_counts", 6);
const OFFSETS: Parameter = input("offsets", 7);
const NEW_OFFSETS: Parameter = output("new_offsets", 8);
const BLOCK_SUMS: Parameter = output("block_sums", 9);
const BASES: Parameter = input("bases", 10);
const ITEMS: Parameter = input("items", 11);
const NEW_ITEMS: Parameter = output("new_items", 12);
const QUADS: Parameter = input("quads", 13);
const SUCCESSOR_QUADS: Parameter = output("successor_quads", 14);
const TOTALS: Parameter = output("totals", 15);
const LINES: Parameter = input("lines", 16);
const ITEM_COUNT: Parameter = input("item_count", 17);
const NEW_ITEM_COUNT: Parameter = output("new_item_count", 18);
const ENTRIES: Parameter = input("entries", 19);
const MULTIPLICITIES: Parameter = output("multiplicities", 20);
const ROOT_MULTIPLICITIES: Parameter = input("root_multiplicities", 21);
const CANDIDATE_MULTIPLICITIES: Parameter = output("candidate_multiplicities", 22);
const PLACES: Parameter = output("places", 23);
const FRESH: Parameter = output("fresh", 24);
const KNOWN_TOTALS: Parameter = input("known_totals", 25);
const NEW_SUMS: Parameter = output("new_sums", 26);
const VALUES: Parameter = output("values", 27);
const SUCCESSOR_VALUES: Parameter = input("successor_values", 28);
const NODES: Parameter = output("nodes", 29);
const STATES: Parameter = output("states", 30);

/// A kernel and its buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Parameter],
}

/// The kernels, in the order of [`SIGNATURES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    Upload,
    Count,
    Scan,
    Make,
    MakeQuads,
    Moves,
    Load,
    Insert,
    Append,
    Appended,
    Weigh,
    CountMoves,
    Replies,
    Judge,
    Quiesce,
    BackUp,
}

impl Stage {
    /// Where the kernel is.
    pub(crate) const fn module(self) -> Module {
        match self {
            Self::Judge | Self::Quiesce | Self::BackUp => Module::Judging,
            _ => Module::Counting,
        }
    }
}

/// All of them.
pub(crate) const STAGES: [Stage; SIGNATURES.len()] = [
    Stage::Upload,
    Stage::Count,
    Stage::Scan,
    Stage::Make,
    Stage::MakeQuads,
    Stage::Moves,
    Stage::Load,
    Stage::Insert,
    Stage::Append,
    Stage::Appended,
    Stage::Weigh,
    Stage::CountMoves,
    Stage::Replies,
    Stage::Judge,
    Stage::Quiesce,
    Stage::BackUp,
];

/// Every kernel with its buffers, in the order of the source.
pub(crate) const SIGNATURES: [Signature; 16] = [
    Signature { name: "upload", parameters: &[QUADS, SUCCESSORS, SUCCESSOR_ROOTS] },
    Signature { name: "count", parameters: &[POSITIONS, LINES, NEW_COUNTS] },
    Signature { name: "scan", parameters: &[COUNTS, NEW_OFFSETS, BLOCK_SUMS] },
    Signature { name: "make", parameters: &[POSITIONS, ROOTS, ITEMS, SUCCESSORS, SUCCESSOR_ROOTS] },
    Signature { name: "make_quads", parameters: &[QUADS, ITEMS, SUCCESSOR_QUADS] },
    Signature { name: "moves", parameters: &[POSITIONS, LINES, COUNTS, OFFSETS, BASES, NEW_ITEMS] },
    Signature { name: "load", parameters: &[ENTRIES, SUCCESSORS, SUCCESSOR_ROOTS] },
    Signature {
        name: "insert",
        parameters: &[
            POSITIONS,
            ROOTS,
            ROOT_MULTIPLICITIES,
            PLACES,
            ENTRIES,
            MULTIPLICITIES,
            CANDIDATE_MULTIPLICITIES,
            FRESH,
        ],
    },
    Signature {
        name: "append",
        parameters: &[POSITIONS, CANDIDATE_MULTIPLICITIES, FRESH, PLACES, SUCCESSORS, MULTIPLICITIES],
    },
    Signature { name: "appended", parameters: &[FRESH] },
    Signature { name: "weigh", parameters: &[ROOT_MULTIPLICITIES, COUNTS, KNOWN_TOTALS, NEW_SUMS] },
    Signature { name: "count_moves", parameters: &[POSITIONS, ROOTS, LINES, ITEMS, ITEM_COUNT, TOTALS] },
    Signature { name: "replies", parameters: &[POSITIONS, ROOTS, LINES, NEW_ITEMS, NEW_ITEM_COUNT, TOTALS] },
    Signature { name: "judge", parameters: &[POSITIONS, LINES, VALUES] },
    Signature {
        name: "quiesce",
        parameters: &[POSITIONS, LINES, NEW_ITEMS, NEW_ITEM_COUNT, TOTALS, VALUES, NODES, STATES],
    },
    Signature { name: "back_up", parameters: &[POSITIONS, COUNTS, OFFSETS, BASES, SUCCESSOR_VALUES, VALUES] },
];

/// What is known of each square beforehand: the lines through it and the leaps from it, without the square itself.
///
/// Six boards a square: file, rank, diagonal, antidiagonal, king, knight.
pub(crate) fn lines() -> [[u64; 6]; 64] {
    let mut lines = [[0; 6]; 64];
    for (from, boards) in lines.iter_mut().enumerate() {
        for to in (0..64).filter(|&to| to != from) {
            let (file, rank) = (to as i32 % 8 - from as i32 % 8, to as i32 / 8 - from as i32 / 8);
            let related = [
                file == 0,
                rank == 0,
                file == rank,
                file == -rank,
                file.abs() <= 1 && rank.abs() <= 1,
                file.abs() * rank.abs() == 2,
            ];
            for (board, related) in boards.iter_mut().zip(related) {
                *board |= u64::from(related) << to;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use wgpu::naga::valid::{Capabilities, GlobalUse, ValidationFlags, Validator};
    use wgpu::naga::{self, AddressSpace, StorageAccess};

    use super::*;

    /// Every form of the source.
    fn choices() -> impl Iterator<Item = Choice> {
        let words = [Word::Native, Word::Emulated].into_iter();
        let forms = words.flat_map(|word| [Sliders::Fill, Sliders::Carry].map(|sliders| (word, sliders)));
        forms.flat_map(|(word, sliders)| {
            [true, false].map(|subgroups| Choice {
                word,
                sliders,
                subgroups,
                group: 64,
                replies_group: 96,
                count_group: 32,
                count_groups: 256,
                quiescence_lanes: 256,
                quiescence_steps: 64,
                queued_per_lane: 40,
                closed_form: true,
                positions: 1 << 22,
                moves: 1 << 25,
                memory: 1 << 30,
            })
        })
    }

    /// The module, if naga finds it valid with no more than what was chosen, 64-bit integers and sub-groups.
    fn validated(choice: &Choice, module: Module) -> (naga::Module, naga::valid::ModuleInfo) {
        let source = source(choice, module);
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{choice:?}: {}", error.emit_to_string(&source)));
        let mut capabilities = Capabilities::empty();
        capabilities.set(Capabilities::SHADER_INT64, choice.word == Word::Native);
        capabilities.set(Capabilities::SUBGROUP, choice.subgroups);
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{choice:?}: {}", error.emit_to_string(&source)));
        (module, info)
    }

    #[test]
    fn every_form_of_the_source_is_valid() {
        for choice in choices() {
            validated(&choice, Module::Counting);
            validated(&choice, Module::Judging);
        }
    }

    /// Spelling of a direction's words must not be found in others.
    #[test]
    fn no_word_is_left_to_be_replaced() {
        for choice in choices() {
            let source = source(&choice, Module::Counting) + &source(&choice, Module::Judging);
            let code = source.lines().filter(|line| !line.starts_with("//"));
            for line in code {
                for word in ["DIRECTION", "OPPOSITE", "TOWARDS", "BACKWARDS", "DISTANCE", "OFFSET", "LANDING"] {
                    assert!(!line.contains(word), "{line}");
                }
            }
        }
    }

    #[test]
    fn the_table_is_what_the_source_says() {
        let parts = [Module::Counting, Module::Judging].into_iter();
        for (part, choice) in parts.flat_map(|part| choices().map(move |choice| (part, choice))) {
            let (module, info) = validated(&choice, part);
            let of_part = || STAGES.into_iter().filter(|stage| stage.module() == part);
            let index_of = |name| module.entry_points.iter().position(|entry| entry.name == name);
            // Others come with what is common to both.
            let indices: Vec<_> = of_part().map(|stage| index_of(SIGNATURES[stage as usize].name)).collect();
            assert!(
                indices.is_sorted() && indices.last().is_some_and(|&last| last == Some(module.entry_points.len() - 1))
            );
            for stage in of_part() {
                let Signature { name, parameters } = SIGNATURES[stage as usize];
                let index = index_of(name).unwrap();
                let used = module.global_variables.iter().filter_map(|(handle, variable)| {
                    let used: GlobalUse = info.get_entry_point(index)[handle];
                    let binding = variable.binding?.binding;
                    let AddressSpace::Storage { access } = variable.space else { return None };
                    let writes = access.contains(StorageAccess::STORE);
                    let found = (variable.name.clone()?, binding, writes);
                    (!used.is_empty()).then_some(found)
                });
                let mut used: Vec<_> = used.collect();
                let mut listed: Vec<_> =
                    parameters.iter().map(|found| (found.name.to_owned(), found.binding, found.writes)).collect();
                used.sort();
                listed.sort();
                assert_eq!(used, listed, "{name}");
            }
        }
    }

    #[test]
    fn stages_and_signatures_have_one_order() {
        assert!(STAGES.into_iter().enumerate().all(|(index, stage)| stage as usize == index));
        for (stage, name) in [
            (Stage::Upload, "upload"),
            (Stage::Scan, "scan"),
            (Stage::Moves, "moves"),
            (Stage::Load, "load"),
            (Stage::Weigh, "weigh"),
            (Stage::Replies, "replies"),
            (Stage::BackUp, "back_up"),
        ] {
            assert_eq!(SIGNATURES[stage as usize].name, name);
        }
    }

    #[test]
    fn lines_of_corners_and_centre() {
        let lines = lines();
        let [file, rank, diagonal, antidiagonal, king, knight] = lines[0];
        assert_eq!([file, rank], [0x0101_0101_0101_0100, 0xfe]);
        assert_eq!([diagonal, antidiagonal], [0x8040_2010_0804_0200, 0]);
        assert_eq!([king, knight], [0x302, 0x2_0400]);
        assert_eq!(lines[28].map(u64::count_ones), [7, 7, 6, 7, 8, 8]);
    }
}
