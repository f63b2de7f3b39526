//! The kernels' source, assembled from files.

use kogge_board::Score;
use kogge_board::evaluation::{FEATURES, PHASE, TEMPO, TERMS};
use kogge_board::minimax::QUIESCENCE_PLIES;
use kogge_gpu::kernels::Module;
use kogge_gpu::{MOST_MOVES, PositionForm, REACHED_ONCE, WEIGHTED_SUMS_GROUP, WEIGHTED_SUMS_GROUPS, tuning};

use crate::options::{Settings, Sliders, stacked};

/// The variants that need a source file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    Always,
    /// All modules that find moves, which are all but merging.
    ForMoves,
    /// The modules that sort moves as the closed form does.
    ForClosedForm,
    For(Module),
    /// The variant with positions of 48 bytes.
    Boards48,
    /// The variant with magic lookups.
    Magic,
}

use Needed::{Always, For, ForClosedForm, ForMoves};

/// The source files, in the order of compilation. Each uses only the files before it.
const FILES: [(&str, Needed); 23] = [
    (include_str!("kernels/bits.cl"), Always),
    (include_str!("kernels/fill.cl"), ForMoves),
    (include_str!("kernels/position.cl"), Always),
    (include_str!("kernels/variants/boards48.cl"), Needed::Boards48),
    (include_str!("kernels/range.cl"), Always),
    (include_str!("kernels/frame.cl"), ForMoves),
    (include_str!("kernels/variants/magic.cl"), Needed::Magic),
    (include_str!("kernels/count.cl"), ForMoves),
    (include_str!("kernels/scan.cl"), For(Module::Counting)),
    (include_str!("kernels/make.cl"), ForMoves),
    (include_str!("kernels/generate.cl"), ForMoves),
    (include_str!("kernels/closed_form_values.cl"), ForClosedForm),
    (include_str!("kernels/closed_form.cl"), ForClosedForm),
    (include_str!("kernels/perft.cl"), For(Module::Counting)),
    (include_str!("kernels/merge.cl"), For(Module::Merging)),
    (include_str!("kernels/diagrams.cl"), For(Module::Merging)),
    (include_str!("kernels/shards.cl"), For(Module::Merging)),
    (include_str!("kernels/clear.cl"), For(Module::Merging)),
    (include_str!("kernels/categories.cl"), For(Module::Categories)),
    (include_str!("kernels/unordered.cl"), For(Module::Unordered)),
    (include_str!("kernels/variants/depth_first.cl"), For(Module::DepthFirst)),
    (include_str!("kernels/evaluation.cl"), For(Module::Minimax)),
    (include_str!("kernels/minimax.cl"), For(Module::Minimax)),
];

/// Returns the numbers of the evaluation and of minimax, as macros.
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

/// Returns the source of some modules: the settings as macros, then the files.
pub(crate) fn source(settings: &Settings, modules: &[Module]) -> String {
    let host = &settings.host;
    let form = match host.form {
        PositionForm::Planes32 => "PLANES32",
        PositionForm::Boards48 => "BOARDS48",
    };
    let classifies = modules.contains(&Module::Categories);
    let queued_per_lane = if classifies { host.classified_per_lane } else { host.queued_per_lane };
    let [capture, pawn_by_pawn] = kogge_gpu::capture_changes(classifies);
    let numbered = [
        ("QUEUED_PER_LANE", queued_per_lane.to_string()),
        ("CAPTURE_CHANGE", capture.to_string()),
        ("PAWN_BY_PAWN_CHANGE", pawn_by_pawn.to_string()),
        ("UNORDERED_PER_LANE", settings.unordered_per_lane.to_string()),
        ("STACKED", stacked(host.last_plies).to_string()),
        ("MOST_MOVES", format!("{MOST_MOVES}u")),
        ("WEIGHTED_SUMS_GROUPS", WEIGHTED_SUMS_GROUPS.to_string()),
        ("REACHED_ONCE", format!("{REACHED_ONCE}u")),
    ];
    let mut source = numbered.map(|(name, number)| format!("#define {name} {number}\n")).concat();
    source += &format!("#define SLIDERS_{}\n#define {form}\n", settings.sliders.name().to_uppercase());
    for (name, size) in [
        ("", host.group_size),
        ("CLOSED_FORM_", host.closed_form_group_size),
        ("COUNT_", host.count_group_size),
        ("WEIGHTED_SUMS_", WEIGHTED_SUMS_GROUP),
    ] {
        source += &format!("#define {name}GROUP {size}\n#define {name}KERNEL");
        // NVIDIA's compiler obeys a limit of registers only if it does not know the size of work-groups. Only one
        // kernel gains by the limit.
        if name != "CLOSED_FORM_" || settings.registers.is_none() {
            source += &format!(" __attribute__((reqd_work_group_size({name}GROUP, 1, 1)))");
        }
        source += "\n";
    }
    if settings.nvidia {
        source += "#define NVIDIA\n";
    }
    if classifies {
        source += "#define CLASSIFYING\n";
    }
    if modules.contains(&Module::Minimax) {
        source += &numbers();
    }
    let is_needed = |needed| match needed {
        Always => true,
        ForMoves => modules != [Module::Merging],
        ForClosedForm => modules.contains(&Module::Counting) || modules.contains(&Module::Categories),
        For(module) => modules.contains(&module),
        Needed::Boards48 => host.form == PositionForm::Boards48,
        Needed::Magic => settings.sliders == Sliders::Magic && modules != [Module::Merging],
    };
    let files = FILES.into_iter().filter(|&(_, needed)| is_needed(needed));
    source + &files.map(|(file, _)| file).collect::<String>()
}

/// Returns the fingerprint of all files.
pub(crate) fn fingerprint() -> String {
    tuning::fingerprint(FILES.into_iter().map(|(file, _)| file).chain([&*numbers()]))
}
