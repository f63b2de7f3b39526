//! The kernels' source for a device.
//!
//! The folder `kernels/printed` has OpenCL C that `cargo xtask kernels` prints from the WGSL of kogge-gpu; a test prints it again. All
//! other files are written by hand: `prelude.cl` has what printed kernels need, and `count_ones.cl` and the variants have functions that
//! replace printed ones.

use kogge_gpu::kernels::Module;
use kogge_gpu::source::{Form, OPEN_SETTINGS, constants, files, kernel_names, source as source_of};
use kogge_gpu::{GpuSettings, Mutation, Parameter, tuning};

const PRELUDE: &str = include_str!("kernels/prelude.cl");
const COUNT_ONES: &str = include_str!("kernels/count_ones.cl");
const BOARDS48: &str = include_str!("kernels/variants/boards48.cl");
const MAGIC: &str = include_str!("kernels/variants/magic.cl");
const DEPTH_FIRST: &str = include_str!("kernels/variants/depth_first.cl");
/// A kernel that WGSL does not need: a driver's command for clearing is wrong for large buffers.
const CLEAR: &str = include_str!("kernels/clear.cl");

/// Lists the files of a folder that are printed, each with its text.
macro_rules! printed {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("kernels/printed/", $name, ".cl")))),*]
    };
}

const PRINTED: &[(&str, &str)] = printed! {
    "constants" "word" "bits" "invocation" "position" "range" "merge" "diagrams" "shards" "fill" "frame" "count" "make" "emit" "generate"
    "evaluation" "minimax" "closed_form" "closed_form_values" "categories" "unordered" "expand" "scan" "perft"
};

/// Returns the text of a module: its files, one after the other.
fn printed(module: Module) -> String {
    let names: Vec<_> = files(&[module], Form::PRINTED).map(|(name, _)| name).collect();
    PRINTED.iter().filter(|(name, _)| names.contains(name)).map(|(_, text)| *text).collect()
}

/// Returns the name that a definition in OpenCL C defines: the name of a function or of a structure.
fn name_of(definition: &str) -> &str {
    let head = match definition.strip_prefix("typedef struct") {
        Some(rest) => rest.trim_end().trim_end_matches(';'),
        None => definition.split('(').next().unwrap_or_default(),
    };
    head.rsplit(' ').next().unwrap_or_default()
}

/// Splits a text after each structure and function, and returns each with the comments before it.
fn definitions(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find("\n}")? + 2;
        let end = start + rest[start..].find('\n')? + 1;
        let (definition, after) = rest.split_at(end);
        rest = after;
        Some(definition)
    })
}

fn without_comments(definition: &str) -> &str {
    let mut rest = definition;
    while let Some((line, after)) = rest.split_once('\n') {
        if !(line.is_empty() || line.starts_with("//") || line.starts_with('#')) {
            break;
        }
        rest = after;
    }
    rest
}

/// Replaces the definitions of a source whose names others have. A definition with a new name comes before the next one that replaces
/// one.
fn replaced(source: &str, others: &str) -> String {
    let others: Vec<_> = definitions(others).map(without_comments).collect();
    let mut source = source.to_owned();
    let mut new = String::new();
    for other in others {
        new += other;
        let old = definitions(&source).map(without_comments).find(|old| name_of(old) == name_of(other));
        if let Some(old) = old {
            source = source.replacen(old, &new, 1);
            new.clear();
        }
    }
    source
}

/// Gives kernels the parameters that they have in another text. A kernel with an error may need fewer, but the host sets all.
fn with_heads_of(mut text: String, other: &str) -> String {
    for kernel in definitions(other).map(without_comments).filter(|definition| definition.starts_with("__kernel")) {
        let head = |kernel: &str| kernel.find(") {\n").map_or(0, |end| end);
        let old =
            definitions(&text).map(without_comments).find(|old| name_of(old) == name_of(kernel)).map(str::to_owned);
        if let Some(old) = old {
            text = text.replacen(&old[..head(&old)], &kernel[..head(kernel)], 1);
        }
    }
    text
}

/// Returns the source of a module: the constants that depend on the device, the prelude, then the kernels.
pub(crate) fn source(settings: &GpuSettings, module: Module) -> String {
    let mut source = constants(settings, module).map(|(name, value)| format!("#define {name} {value}\n")).concat();
    for name in ["", "CLOSED_FORM_", "COUNT_", "WEIGHTED_SUMS_"] {
        source += &format!("#define {name}KERNEL");
        // NVIDIA's compiler obeys a limit of registers only if it does not know the size of work-groups. Only one
        // kernel gains by the limit.
        if name != "CLOSED_FORM_" || settings[Parameter::Registers] == 0 {
            source += &format!(" __attribute__((reqd_work_group_size({name}GROUP, 1, 1)))");
        }
        source += "\n";
    }
    if settings.uses(Parameter::VendorInstructions) {
        source += "#define NVIDIA\n";
    }
    source += PRELUDE;
    source += &kernels(settings, module);
    // Without a printer, errors are made in OpenCL C.
    if settings.printer.is_none() { Mutation::apply(settings.mutation, source) } else { source }
}

pub(crate) fn compiler_options(settings: &GpuSettings) -> String {
    let registers = match settings[Parameter::Registers] {
        0 => String::new(),
        registers => format!("-cl-nv-maxrregcount={registers} "),
    };
    format!("-cl-std=CL1.2 {registers}{}", settings.compiler)
}

fn kernels(settings: &GpuSettings, module: Module) -> String {
    let variants = settings.variants;
    let mut text = match (settings.mutation, settings.printer) {
        (Some(mutation), Some(printer)) => {
            let source = Mutation::apply(Some(mutation), source_of(module, Form::PRINTED));
            with_heads_of(printer.0(&(OPEN_SETTINGS.to_owned() + &source), &kernel_names(&[module])), &printed(module))
        }
        _ => printed(module),
    };
    if !settings.uses(Parameter::VendorInstructions) {
        text = replaced(&text, COUNT_ONES);
    }
    if variants.boards48 {
        text = replaced(&text, BOARDS48);
    }
    if variants.magic {
        text = replaced(&text, MAGIC);
    }
    match module {
        Module::Merging => text += CLEAR,
        Module::DepthFirst => {
            text += &format!("#define STACKED {}\n", variants.stacked());
            text += DEPTH_FIRST;
        }
        _ => {}
    }
    text
}

pub(crate) fn fingerprint() -> String {
    let printed = PRINTED.iter().map(|(_, text)| *text);
    tuning::fingerprint(printed.chain([PRELUDE, COUNT_ONES, BOARDS48, MAGIC, DEPTH_FIRST, CLEAR]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kogge_gpu::source::MODULES;

    use super::*;

    const SOURCE: &str = "// A.\ntypedef struct {\n    int a;\n} A;\n\n// B.\nINLINE int b(A a) {\n    return a.a;\n}\n\
                          __kernel KERNEL void c(\n    uint d\n) {\n}\n";

    #[test]
    fn definitions_are_replaced_by_name() {
        let others = "// Faster.\n\nINLINE int new_b() {\n    return 1;\n}\n\n// Faster.\nINLINE int b(A a) {\n    return new_b();\n}\n";
        let expected = SOURCE.replace(
            "INLINE int b(A a) {\n    return a.a;\n}\n",
            "INLINE int new_b() {\n    return 1;\n}\nINLINE int b(A a) {\n    return new_b();\n}\n",
        );
        assert_eq!(replaced(SOURCE, others), expected);
        assert_eq!(replaced(SOURCE, "typedef struct {\n    long a;\n} A;\n"), SOURCE.replace("int a;", "long a;"));
        assert_eq!(replaced(SOURCE, "INLINE int e() {\n    return 1;\n}\n"), SOURCE);
    }

    #[test]
    fn kernels_get_parameters_of_another_text() {
        let other = SOURCE.replace("uint d", "uint d,\n    uint e");
        assert_eq!(
            with_heads_of(SOURCE.replace("return a.a", "return 0"), &other),
            other.replace("return a.a", "return 0")
        );
    }

    #[test]
    fn no_file_of_a_module_is_missing() {
        let all: Vec<_> = files(&MODULES, Form::PRINTED).map(|(name, _)| name).collect();
        assert_eq!(PRINTED.iter().map(|(name, _)| *name).collect::<Vec<_>>(), all);
    }

    /// A function by hand whose name changes elsewhere would silently no longer be used.
    #[test]
    fn what_is_written_by_hand_replaces_what_is_printed() {
        let names = |text: &'static str| definitions(text).map(without_comments).map(name_of).collect::<BTreeSet<_>>();
        let printed: BTreeSet<_> = PRINTED.iter().flat_map(|(_, text)| names(text)).collect();
        assert!(names(COUNT_ONES).is_subset(&printed) && names(BOARDS48).is_subset(&printed));
        let new: Vec<_> = names(MAGIC).difference(&printed).copied().collect();
        assert_eq!(new, ["count_looked_up", "look_up", "looked_up_sights"]);
    }
}
