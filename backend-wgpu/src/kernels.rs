//! The kernels' source, assembled from pieces.

use kogge_board::Score;
use kogge_board::evaluation::{FEATURES, PHASE, TEMPO, TERMS};
use kogge_board::minimax::QUIESCENCE_PLIES;
use kogge_gpu::kernels::{Binding, Module, Scalar};
use kogge_gpu::{MOST_MOVES, REACHED_ONCE, WEIGHTED_SUMS_GROUP, WEIGHTED_SUMS_GROUPS, tuning};

use crate::options::{Settings, Sliders, Word};

/// A direction. Some pieces are written out once for each of the eight directions.
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

impl Direction {
    /// Returns a piece with its words in capitals replaced for this direction.
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

/// Returns the source of a module: the sizes as constants, then the pieces.
pub fn source(settings: &Settings, module: Module) -> String {
    let host = &settings.host;
    let queue = match module {
        Module::Unordered => host.group_size * settings.unordered_per_lane,
        Module::Categories => host.group_size * host.classified_per_lane,
        _ => host.closed_form_group_size * host.queued_per_lane,
    };
    let [capture, pawn_by_pawn] = kogge_gpu::capture_changes(module == Module::Categories);
    let sizes = [
        ("GROUP", host.group_size as u32),
        ("CLOSED_FORM_GROUP", host.closed_form_group_size as u32),
        ("COUNT_GROUP", host.count_group_size as u32),
        ("WEIGHTED_SUMS_GROUP", WEIGHTED_SUMS_GROUP as u32),
        ("WEIGHTED_SUMS_GROUPS", WEIGHTED_SUMS_GROUPS as u32),
        ("REACHED_ONCE", REACHED_ONCE),
        ("QUEUE", queue as u32),
        ("CAPTURE_CHANGE", capture),
        ("PAWN_BY_PAWN_CHANGE", pawn_by_pawn),
        ("MOST_MOVES", MOST_MOVES),
    ];
    let sizes = sizes.map(|(name, size)| format!("const {name}: u32 = {size}u;\n")).concat();
    sizes + &pieces(module, settings.word, settings.sliders, settings.subgroups)
}

/// Returns the source of a module with the scalars as immediates instead of in a buffer.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn with_immediates(source: &str) -> String {
    source.replacen("@group(0) @binding(0) var<uniform> scalars", "var<immediate> scalars", 1)
}

/// Returns the fingerprint of the source in all its forms.
pub fn fingerprint() -> String {
    // Each piece that depends on a setting is part of one of these forms.
    let forms = [
        pieces(Module::Counting, Word::Native, Sliders::Fill, false),
        pieces(Module::Counting, Word::Native, Sliders::Carry, true),
        pieces(Module::Counting, Word::Emulated, Sliders::Fill, true),
        pieces(Module::Counting, Word::Emulated, Sliders::Carry, false),
        pieces(Module::Unordered, Word::Native, Sliders::Fill, false),
        pieces(Module::Categories, Word::Native, Sliders::Fill, false),
        pieces(Module::Merging, Word::Native, Sliders::Fill, false),
        pieces(Module::Minimax, Word::Native, Sliders::Fill, false),
    ];
    tuning::fingerprint(forms.iter().map(String::as_str))
}

/// Returns all pieces of a form of the source, in a fixed order.
fn pieces(module: Module, word: Word, sliders: Sliders, subgroups: bool) -> String {
    let mut source = match word {
        Word::Native => include_str!("kernels/word_native.wgsl"),
        Word::Emulated => include_str!("kernels/word_emulated.wgsl"),
    }
    .to_owned();
    source += include_str!("kernels/bits.wgsl");
    if module == Module::Merging {
        let pieces = [
            include_str!("kernels/buffers.wgsl"),
            include_str!("kernels/position.wgsl"),
            include_str!("kernels/range.wgsl"),
            include_str!("kernels/merge.wgsl"),
            include_str!("kernels/diagrams.wgsl"),
            include_str!("kernels/shards.wgsl"),
        ];
        return source + &pieces.concat();
    }
    for direction in &DIRECTIONS {
        source += &direction.write(include_str!("kernels/directions/fill.wgsl"));
        if sliders == Sliders::Fill || !direction.is_along_rank() {
            source += &direction.write(include_str!("kernels/directions/attacks.wgsl"));
        }
    }
    if sliders == Sliders::Carry {
        source += include_str!("kernels/fill_carry.wgsl");
    }
    for piece in [
        include_str!("kernels/fill.wgsl"),
        include_str!("kernels/buffers.wgsl"),
        include_str!("kernels/position.wgsl"),
        include_str!("kernels/range.wgsl"),
        include_str!("kernels/frame.wgsl"),
        include_str!("kernels/count.wgsl"),
    ] {
        source += piece;
    }
    if module == Module::Counting {
        source += match subgroups {
            true => include_str!("kernels/scan_by_subgroups.wgsl"),
            false => include_str!("kernels/scan.wgsl"),
        };
    }
    source += include_str!("kernels/make.wgsl");
    for direction in &DIRECTIONS {
        source += &direction.write(include_str!("kernels/directions/generate.wgsl"));
    }
    source += include_str!("kernels/generate.wgsl");
    if module == Module::Minimax {
        source += &numbers();
        return source + include_str!("kernels/evaluation.wgsl") + include_str!("kernels/minimax.wgsl");
    }
    for direction in &DIRECTIONS {
        source += &direction.write(include_str!("kernels/directions/closed_form_values.wgsl"));
    }
    for direction in DIRECTIONS.iter().filter(|direction| direction.offset > 0) {
        source += &direction.write(include_str!("kernels/directions/closed_form_axis.wgsl"));
    }
    for piece in [
        include_str!("kernels/closed_form_values.wgsl"),
        include_str!("kernels/closed_form.wgsl"),
        match module {
            Module::Unordered => include_str!("kernels/unordered.wgsl"),
            Module::Categories => include_str!("kernels/categories.wgsl"),
            _ => include_str!("kernels/perft.wgsl"),
        },
    ] {
        source += piece;
    }
    source
}

/// Returns the numbers of the evaluation and of minimax: constants, and a function that sums all terms.
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
    source += "fn weighted_sum(features: array<Board, FEATURES>) -> vec2<i32> {\n    var sum = vec2<i32>(0, 0);\n";
    for term in &TERMS {
        let (feature, low, high) = (term.feature as usize, term.squares as u32, term.squares >> 32);
        source += &format!(
            "    sum += vec2<i32>({}, {}) * i32(count_ones(features[{feature}] & join({low:#x}u, {high:#x}u)));\n",
            term.middlegame, term.endgame
        );
    }
    source + "    return sum;\n}\n"
}

/// The size in bytes of the scalars of a launch, which every kernel gets as one struct.
pub const SCALARS: usize = Scalar::ALL.len() * size_of::<u32>();

/// The binding of the scalars. The bindings of the buffers follow.
pub const SCALARS_BINDING: u32 = 0;

/// The binding of a buffer.
pub const fn binding_of(buffer: Binding) -> u32 {
    SCALARS_BINDING + 1 + buffer as u32
}

#[cfg(test)]
mod tests {
    use kogge_gpu::kernels::{Kernel, SIGNATURES};
    use wgpu::naga::valid::{Capabilities, GlobalUse, ValidationFlags, Validator};
    use wgpu::naga::{self, AddressSpace, StorageAccess};

    use super::*;

    const MODULES: [Module; 5] =
        [Module::Counting, Module::Merging, Module::Categories, Module::Unordered, Module::Minimax];

    /// Returns every form of the source, with the features that its pieces use.
    fn forms(module: Module) -> impl Iterator<Item = (String, Capabilities)> {
        let sizes = [
            "GROUP",
            "CLOSED_FORM_GROUP",
            "COUNT_GROUP",
            "WEIGHTED_SUMS_GROUP",
            "WEIGHTED_SUMS_GROUPS",
            "REACHED_ONCE",
            "QUEUE",
            "CAPTURE_CHANGE",
            "PAWN_BY_PAWN_CHANGE",
            "MOST_MOVES",
        ];
        let sizes = sizes.map(|name| format!("const {name}: u32 = 64u;\n")).concat();
        let words = [Word::Native, Word::Emulated].into_iter();
        let forms = words.flat_map(|word| [Sliders::Fill, Sliders::Carry].map(|sliders| (word, sliders)));
        let forms = forms.flat_map(|(word, sliders)| [true, false].map(|subgroups| (word, sliders, subgroups)));
        forms.map(move |(word, sliders, subgroups)| {
            let mut capabilities = Capabilities::empty();
            capabilities.set(Capabilities::SHADER_INT64, word == Word::Native);
            capabilities.set(Capabilities::SUBGROUP, subgroups);
            (sizes.clone() + &pieces(module, word, sliders, subgroups), capabilities)
        })
    }

    /// Validates the source with naga, with these features only.
    fn validated(source: &str, capabilities: Capabilities) -> (naga::Module, naga::valid::ModuleInfo) {
        let module =
            naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
        (module, info)
    }

    /// The words that are replaced for a direction must not occur elsewhere.
    #[test]
    fn no_word_is_left_to_be_replaced() {
        for (source, _) in MODULES.into_iter().flat_map(forms) {
            for line in source.lines().filter(|line| !line.starts_with("//")) {
                for word in ["DIRECTION", "OPPOSITE", "TOWARDS", "BACKWARDS", "DISTANCE", "OFFSET", "LANDING"] {
                    assert!(!line.contains(word), "{line}");
                }
            }
        }
    }

    #[test]
    fn scalars_can_be_immediates() {
        // Vulkan guarantees so many bytes.
        const { assert!(SCALARS <= 128) };
        for (source, capabilities) in MODULES.into_iter().flat_map(forms) {
            let spaces = |source: &str| {
                let (module, _) = validated(source, capabilities | Capabilities::IMMEDIATES);
                let scalars =
                    module.global_variables.iter().find(|(_, variable)| variable.name.as_deref() == Some("scalars"));
                let (_, scalars) = scalars.expect("scalars");
                (scalars.space, scalars.binding.map(|binding| binding.binding))
            };
            assert_eq!(spaces(&source), (AddressSpace::Uniform, Some(SCALARS_BINDING)));
            assert_eq!(spaces(&with_immediates(&source)), (AddressSpace::Immediate, None));
        }
    }

    /// Checks every form of the source.
    #[test]
    fn the_source_has_the_kernels_and_buffers_of_the_table() {
        for part in MODULES {
            for (source, capabilities) in forms(part) {
                let (module, info) = validated(&source, capabilities);
                let index_of = |name| module.entry_points.iter().position(|entry| entry.name == name);
                let indices: Vec<_> =
                    Kernel::of(&[part]).map(|kernel| index_of(kernel.signature().name).expect("a kernel")).collect();
                // The kernels of pieces that all modules share may come first.
                assert!(indices.is_sorted() && indices.last() == Some(&(module.entry_points.len() - 1)));
                for (kernel, index) in Kernel::of(&[part]).zip(indices) {
                    let used = module.global_variables.iter().filter_map(|(handle, variable)| {
                        let used: GlobalUse = info.get_entry_point(index)[handle];
                        let AddressSpace::Storage { access } = variable.space else { return None };
                        let written = access.contains(StorageAccess::STORE);
                        (!used.is_empty()).then_some((variable.name.clone()?, variable.binding?.binding, written))
                    });
                    let mut used: Vec<_> = used.collect();
                    let buffers = kernel.signature().buffers.iter();
                    let mut listed: Vec<_> = buffers
                        .map(|&buffer| (buffer.name().to_owned(), binding_of(buffer), buffer.is_written()))
                        .collect();
                    used.sort();
                    listed.sort();
                    assert_eq!(used, listed, "{}", kernel.signature().name);
                }
            }
        }
    }

    #[test]
    fn the_struct_of_scalars_is_that_of_the_table() {
        let text = include_str!("kernels/buffers.wgsl");
        let fields = text.split_once("struct Scalars {").unwrap().1.split_once('}').unwrap().0;
        let fields = fields.lines().filter_map(|line| line.trim().strip_suffix(": u32,"));
        assert!(fields.eq(Scalar::ALL.iter().map(|scalar| scalar.name())));
        assert!(SIGNATURES.iter().all(|signature| signature.buffers.len() <= 10));
    }
}
