//! The kernels: their source, and the one table of their parameters.

use crate::options::Choice;
use kogge_board::breadth_first::MOST_MOVES;
use kogge_board::evaluation::{FEATURES, PHASE, TEMPO, TERMS};
use kogge_board::minimax::QUIESCENCE_PLIES;
use kogge_board::{Score, tuning};

/// Kernels that are compiled together, when the first of them is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Module {
    /// What counts, expands and merges.
    Counting,
    /// What finds values.
    Judging,
}

/// The source files in the order in which the compiler gets them; each uses only what stands before it.
const SOURCES: [&str; 16] = [
    include_str!("kernels/bits.cl"),
    include_str!("kernels/fill.cl"),
    include_str!("kernels/position.cl"),
    include_str!("kernels/frame.cl"),
    include_str!("kernels/count.cl"),
    include_str!("kernels/scan.cl"),
    include_str!("kernels/make.cl"),
    include_str!("kernels/generate.cl"),
    include_str!("kernels/merge.cl"),
    include_str!("kernels/perft.cl"),
    include_str!("kernels/depth_first.cl"),
    include_str!("kernels/replies.cl"),
    include_str!("kernels/steps.cl"),
    include_str!("kernels/spread.cl"),
    include_str!("kernels/evaluation.cl"),
    include_str!("kernels/minimax.cl"),
];

impl Module {
    /// The source files that it needs.
    fn sources(self) -> impl Iterator<Item = &'static str> {
        let last = SOURCES.len() - 2;
        let chosen = match self {
            Self::Counting => [0..last, last..last],
            // Up to the generator.
            Self::Judging => [0..8, last..SOURCES.len()],
        };
        chosen.into_iter().flatten().map(|index| SOURCES[index])
    }
}

/// The numbers of the evaluation and of minimax, as macros.
fn numbers() -> String {
    let terms = TERMS.iter().map(|term| {
        let (feature, squares) = (term.feature as usize, term.squares);
        format!(" TERM({feature}, {squares:#x}UL, {}, {})", term.middlegame, term.endgame)
    });
    let numbers = [
        ("FEATURES", FEATURES.to_string()),
        ("PHASE", format!("{PHASE}u")),
        ("TEMPO", TEMPO.to_string()),
        ("MOST_CENTIPAWNS", Score::MOST_CENTIPAWNS.to_string()),
        ("MATE", Score::MATE.to_string()),
        ("LONGEST_MATE", Score::LONGEST_MATE.to_string()),
        ("QUIESCENCE_PLIES", format!("{QUIESCENCE_PLIES}u")),
        ("TERMS", terms.collect()),
    ];
    numbers.map(|(name, number)| format!("#define {name} {number}\n")).concat()
}

/// The source of a module: the choices as macros, then the files.
pub(crate) fn source(choice: &Choice, module: Module) -> String {
    let mut source = format!(
        "#define QUEUED_PER_LANE {}\n#define SPREAD_PER_LANE {}\n#define STACKED {}\n#define MOST_MOVES {MOST_MOVES}u\n#define {}\n#define {}\n",
        choice.queued_per_lane,
        choice.spread_per_lane,
        choice.traversal.stacked(),
        choice.sliders.define(),
        choice.position_form.define()
    );
    for (name, size) in [("", choice.group), ("REPLIES_", choice.replies_group), ("COUNT_", choice.count_group)] {
        source += &format!("#define {name}GROUP {size}\n#define {name}KERNEL");
        // NVIDIA's compiler heeds a limit of registers only where it does not know the work-groups' size; only one kernel
        // gains by it.
        if name != "REPLIES_" || choice.registers.is_none() {
            source += &format!(" __attribute__((reqd_work_group_size({name}GROUP, 1, 1)))");
        }
        source += "\n";
    }
    if choice.nvidia {
        source += "#define NVIDIA\n";
    }
    if module == Module::Judging {
        source += &numbers();
    }
    module.sources().for_each(|file| source += file);
    source
}

/// How many work-groups weigh leaves, each with a sum of its own.
pub(crate) const WEIGH_GROUPS: usize = 64;

/// Another one whenever the source is.
pub(crate) fn fingerprint() -> String {
    tuning::fingerprint(SOURCES.into_iter().chain([&*numbers()]))
}

/// What a kernel's parameter is. Buffers are told apart by the C type of their elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    /// A buffer that the kernel reads.
    Input(&'static str),
    /// A buffer that the kernel writes.
    Output(&'static str),
    /// A number.
    Uint,
}

use Type::{Input, Output, Uint};

/// A kernel and its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [(&'static str, Type)],
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
    Vacate,
    Load,
    Insert,
    Append,
    Appended,
    Weigh,
    CountMoves,
    DepthFirst,
    Replies,
    Spread,
    SpreadItems,
    Judge,
    Quiesce,
    BackUp,
}

/// All of them.
pub(crate) const STAGES: [Stage; SIGNATURES.len()] = [
    Stage::Upload,
    Stage::Count,
    Stage::Scan,
    Stage::Make,
    Stage::MakeQuads,
    Stage::Moves,
    Stage::Vacate,
    Stage::Load,
    Stage::Insert,
    Stage::Append,
    Stage::Appended,
    Stage::Weigh,
    Stage::CountMoves,
    Stage::DepthFirst,
    Stage::Replies,
    Stage::Spread,
    Stage::SpreadItems,
    Stage::Judge,
    Stage::Quiesce,
    Stage::BackUp,
];

impl Stage {
    /// Where the kernel is.
    pub(crate) const fn module(self) -> Module {
        match self {
            Self::Judge | Self::Quiesce | Self::BackUp => Module::Judging,
            _ => Module::Counting,
        }
    }

    /// The size of the kernel's work-groups.
    pub(crate) const fn group(self, choice: &Choice) -> usize {
        match self {
            Self::Replies => choice.replies_group,
            Self::CountMoves => choice.count_group,
            _ => choice.group,
        }
    }

    /// How many work-groups it is launched with at most. Only of these kernels does a work-item take several items.
    pub(crate) const fn most_groups(self, choice: &Choice) -> usize {
        match self {
            Self::CountMoves | Self::SpreadItems => choice.count_groups,
            Self::Weigh => WEIGH_GROUPS,
            _ => usize::MAX,
        }
    }
}

/// Every kernel with its parameters, in the order of the source.
pub(crate) const SIGNATURES: [Signature; 20] = [
    Signature {
        name: "upload",
        parameters: &[
            ("quads", Input("ulong2")),
            ("len", Uint),
            ("castling_files", Uint),
            ("positions", Output("Packed")),
            ("roots", Output("uint")),
        ],
    },
    Signature {
        name: "count",
        parameters: &[
            ("positions", Input("Packed")),
            ("lines", Input("ulong2")),
            ("len", Uint),
            ("counts", Output("uint")),
        ],
    },
    Signature {
        name: "scan",
        parameters: &[
            ("counts", Input("uint")),
            ("len", Uint),
            ("offsets", Output("uint")),
            ("block_sums", Output("uint")),
        ],
    },
    Signature {
        name: "make",
        parameters: &[
            ("positions", Input("Packed")),
            ("roots", Input("uint")),
            ("items", Input("ulong")),
            ("len", Uint),
            ("successors", Output("Packed")),
            ("successor_roots", Output("uint")),
        ],
    },
    Signature {
        name: "make_quads",
        parameters: &[
            ("quads", Input("ulong2")),
            ("items", Input("ulong")),
            ("len", Uint),
            ("castling_files", Uint),
            ("halfmove_clock", Uint),
            ("successors", Output("ulong2")),
        ],
    },
    Signature {
        name: "moves",
        parameters: &[
            ("positions", Input("Packed")),
            ("lines", Input("ulong2")),
            ("counts", Input("uint")),
            ("offsets", Input("uint")),
            ("bases", Input("uint")),
            ("first", Uint),
            ("end", Uint),
            ("items", Output("ulong")),
        ],
    },
    Signature { name: "vacate", parameters: &[("places", Output("uint")), ("place_count", Uint)] },
    Signature {
        name: "load",
        parameters: &[
            ("entries", Input("Packed")),
            ("first", Uint),
            ("len", Uint),
            ("positions", Output("Packed")),
            ("roots", Output("uint")),
        ],
    },
    Signature {
        name: "insert",
        parameters: &[
            ("candidates", Input("Packed")),
            ("roots", Input("uint")),
            ("root_multiplicities", Input("uint")),
            ("first_root", Uint),
            ("len", Uint),
            ("partition_index", Uint),
            ("partition_of", Uint),
            ("hash_mask", Uint),
            ("places", Output("uint")),
            ("place_count", Uint),
            ("successors", Input("Packed")),
            ("multiplicities", Output("uint")),
            ("candidate_multiplicities", Output("uint")),
            ("fresh_candidates", Output("uint")),
            ("fresh_places", Output("uint")),
            ("state", Output("uint")),
        ],
    },
    Signature {
        name: "append",
        parameters: &[
            ("candidates", Input("Packed")),
            ("candidate_multiplicities", Output("uint")),
            ("fresh_candidates", Input("uint")),
            ("fresh_places", Input("uint")),
            ("state", Input("uint")),
            ("room", Uint),
            ("places", Output("uint")),
            ("successors", Output("Packed")),
            ("multiplicities", Output("uint")),
        ],
    },
    Signature { name: "appended", parameters: &[("room", Uint), ("state", Output("uint"))] },
    Signature {
        name: "weigh",
        parameters: &[
            ("multiplicities", Input("uint")),
            ("first", Uint),
            ("len", Uint),
            ("depth", Uint),
            ("counts", Input("uint")),
            ("totals", Input("uint")),
            ("sums", Output("ulong")),
        ],
    },
    Signature {
        name: "count_moves",
        parameters: &[
            ("positions", Input("Packed")),
            ("roots", Input("uint")),
            ("lines", Input("ulong2")),
            ("items", Input("ulong")),
            ("item_count", Input("uint")),
            ("capacity", Uint),
            ("lost", Output("uint")),
            ("totals", Output("uint")),
        ],
    },
    Signature {
        name: "depth_first",
        parameters: &[
            ("positions", Input("Packed")),
            ("roots", Input("uint")),
            ("lines", Input("ulong2")),
            ("first", Uint),
            ("end", Uint),
            ("depth", Uint),
            ("totals", Output("uint")),
        ],
    },
    Signature {
        name: "replies",
        parameters: &[
            ("positions", Input("Packed")),
            ("roots", Input("uint")),
            ("lines", Input("ulong2")),
            ("first", Uint),
            ("end", Uint),
            ("items", Output("ulong")),
            ("item_count", Output("uint")),
            ("capacity", Uint),
            ("totals", Output("uint")),
        ],
    },
    Signature {
        name: "spread",
        parameters: &[
            ("positions", Input("Packed")),
            ("roots", Input("uint")),
            ("lines", Input("ulong2")),
            ("first", Uint),
            ("end", Uint),
            ("items", Output("ulong")),
            ("item_count", Output("uint")),
            ("capacity", Uint),
            ("successors", Output("Packed")),
            ("successor_roots", Output("uint")),
            ("room", Uint),
            ("successor_count", Output("uint")),
        ],
    },
    Signature {
        name: "spread_items",
        parameters: &[
            ("positions", Input("Packed")),
            ("roots", Input("uint")),
            ("lines", Input("ulong2")),
            ("items", Input("ulong")),
            ("item_count", Input("uint")),
            ("capacity", Uint),
            ("successors", Output("Packed")),
            ("successor_roots", Output("uint")),
            ("room", Uint),
            ("successor_count", Output("uint")),
        ],
    },
    Signature {
        name: "judge",
        parameters: &[
            ("positions", Input("Packed")),
            ("lines", Input("ulong2")),
            ("first", Uint),
            ("end", Uint),
            ("values", Output("uint")),
        ],
    },
    Signature {
        name: "quiesce",
        parameters: &[
            ("positions", Input("Packed")),
            ("lines", Input("ulong2")),
            ("len", Uint),
            ("depth", Uint),
            ("steps", Uint),
            ("lanes", Uint),
            ("room", Uint),
            ("items", Output("ulong")),
            ("all_nodes", Output("Node")),
            ("states", Output("uint")),
            ("taken", Output("uint")),
            ("running", Output("uint")),
            ("lost", Output("uint")),
            ("values", Output("uint")),
        ],
    },
    Signature {
        name: "back_up",
        parameters: &[
            ("positions", Input("Packed")),
            ("counts", Input("uint")),
            ("offsets", Input("uint")),
            ("bases", Input("uint")),
            ("first", Uint),
            ("end", Uint),
            ("successor_values", Input("uint")),
            ("values", Output("uint")),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A parameter as it must be written in the source.
    fn declaration(&(name, kind): &(&str, Type)) -> String {
        match kind {
            Input(element) => format!("__global const {element} *restrict {name}"),
            Output(element) => format!("__global {element} *restrict {name}"),
            Uint => format!("uint {name}"),
        }
    }

    #[test]
    fn the_table_is_what_the_source_says() {
        let source = SOURCES.concat();
        let kernels = source.split("KERNEL void ").skip(1).map(|rest| {
            let (name, rest) = rest.split_once('(').unwrap();
            let parameters = rest.split_once(')').unwrap().0.split(',');
            (name, parameters.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>())
        });
        let kernels: Vec<_> = kernels.collect();
        let table = SIGNATURES
            .map(|signature| (signature.name, signature.parameters.iter().map(declaration).collect::<Vec<_>>()));
        assert_eq!(kernels, table);
        assert_eq!(source.matches("__kernel").count(), table.len());
    }

    #[test]
    fn stages_and_signatures_have_one_order() {
        for (stage, name) in STAGES.into_iter().zip([
            "upload",
            "count",
            "scan",
            "make",
            "make_quads",
            "moves",
            "vacate",
            "load",
            "insert",
            "append",
            "appended",
            "weigh",
            "count_moves",
            "depth_first",
            "replies",
            "spread",
            "spread_items",
            "judge",
            "quiesce",
            "back_up",
        ]) {
            assert_eq!(SIGNATURES[stage as usize].name, name);
        }
    }
}
