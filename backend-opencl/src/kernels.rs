//! The kernels' source for a device, printed in OpenCL C from the WGSL of kogge-gpu.
//!
//! The files in the folder `kernels` are written by hand: `prelude.cl` has what printed kernels need, and `count_ones.cl` and the variants
//! have functions that replace printed ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kogge_gpu::kernels::{Kernel, Module, SIGNATURES, Signature};
use kogge_gpu::source::{Form, MODULES, Word, constants, source as source_of};
use kogge_gpu::{GpuSettings, Mutation, Parameter, tuning};

use crate::opencl_c;

/// The form of the WGSL.
const FORM: Form = Form { word: Word::Native, subgroups: false };

const PRELUDE: &str = include_str!("kernels/prelude.cl");
const COUNT_ONES: &str = include_str!("kernels/count_ones.cl");
const BOARDS48: &str = include_str!("kernels/variants/boards48.cl");
const MAGIC: &str = include_str!("kernels/variants/magic.cl");
const DEPTH_FIRST: &str = include_str!("kernels/variants/depth_first.cl");
/// A kernel that WGSL does not need: a driver's command for clearing is wrong for large buffers.
const CLEAR: &str = include_str!("kernels/clear.cl");

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

fn wgsl(settings: &GpuSettings, module: Module) -> String {
    let constants = constants(settings, module).map(|(name, value)| format!("const {name} = {value};\n")).concat();
    constants + &source_of(module, FORM)
}

/// Returns the source of a module: the prelude, then the kernels.
///
/// # Errors
/// A sentence, if the WGSL is not valid or cannot be printed.
pub(crate) fn source(settings: &GpuSettings, module: Module) -> Result<String, String> {
    let wgsl = wgsl(settings, module);
    let changed = Mutation::apply(settings.mutation, wgsl.clone());
    let mut source = if settings.uses(Parameter::VendorInstructions) { "#define NVIDIA\n" } else { "" }.to_owned();
    source += PRELUDE;
    source += &kernels(settings, module, printed(&changed, module)?);
    // An error that is not in the WGSL is in what is written by hand.
    Ok(if changed == wgsl { Mutation::apply(settings.mutation, source) } else { source })
}

/// A text that is printed once.
type Printed = Arc<OnceLock<Result<String, String>>>;

/// Prints a module from its WGSL, each source once in a process.
fn printed(wgsl: &str, module: Module) -> Result<String, String> {
    static PRINTED: Mutex<BTreeMap<String, Printed>> = Mutex::new(BTreeMap::new());
    // Other modules are printed at the same time, so only the same source waits.
    let text = PRINTED.lock().unwrap_or_else(PoisonError::into_inner).entry(wgsl.to_owned()).or_default().clone();
    text.get_or_init(|| print(wgsl, module)).clone()
}

fn print(wgsl: &str, module: Module) -> Result<String, String> {
    // One kernel is written by hand.
    let printed = SIGNATURES.iter().filter(|it| it.module == module && it.kernel != Kernel::DepthFirst);
    let kernels = printed.map(|Signature { name, buffers, scalars, .. }| {
        let buffers = buffers.iter().map(|buffer| buffer.name());
        (*name, buffers.chain(scalars.iter().map(|scalar| scalar.name())).collect())
    });
    opencl_c::print(wgsl, &kernels.collect::<Vec<_>>())
        .map_err(|error| format!("the kernels cannot be printed in OpenCL C. {error}"))
}

pub(crate) fn compiler_options(settings: &GpuSettings) -> String {
    let registers = match settings[Parameter::Registers] {
        0 => String::new(),
        registers => format!("-cl-nv-maxrregcount={registers} "),
    };
    format!("-cl-std=CL1.2 {registers}{}", settings.compiler)
}

/// Returns the kernels of a module from the printed ones: with the functions and kernels by hand, and with the sizes of work-groups.
fn kernels(settings: &GpuSettings, module: Module, mut text: String) -> String {
    let variants = settings.variants;
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
    for kernel in Kernel::of(&[module]) {
        // NVIDIA's compiler obeys a limit of registers only if it does not know the size of work-groups. Only one
        // kernel gains by the limit.
        if kernel != Kernel::ClosedForm || settings[Parameter::Registers] == 0 {
            let (head, size) = (format!("void {}(", kernel.signature().name), settings.group_size_of(kernel));
            let attribute = format!("__attribute__((reqd_work_group_size({size}, 1, 1)))");
            text = text.replacen(&format!("__kernel {head}"), &format!("__kernel {attribute} {head}"), 1);
        }
    }
    text
}

pub(crate) fn fingerprint() -> String {
    let wgsl = MODULES.map(|module| source_of(module, FORM));
    let by_hand = [PRELUDE, COUNT_ONES, BOARDS48, MAGIC, DEPTH_FIRST, CLEAR];
    tuning::fingerprint(wgsl.iter().map(String::as_str).chain(by_hand))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kogge_gpu::{Capabilities, GpuOptions, Unordered, Variants};

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

    /// Returns the settings of a device that may limit registers.
    fn settings(registers: Option<usize>) -> GpuSettings {
        let mut defaults = Parameter::usual(true);
        defaults.extend(registers.map(|registers| (Parameter::Registers, registers)));
        let device = Capabilities {
            defaults,
            maxima: [].into(),
            max_group_size: 256,
            local_memory: 32 << 10,
            unordered_memory: 32 << 10,
            max_buffer: 1 << 30,
            device_memory: 1 << 30,
            memory: 1 << 30,
            unordered: Unordered::Always,
        };
        let variants = Variants { depth_first: Some(3), ..Variants::default() };
        GpuOptions { variants, ..GpuOptions::default() }.complete(&device).expect("the options fit the device")
    }

    /// A function by hand whose name changes elsewhere would silently no longer be used.
    #[test]
    fn what_is_written_by_hand_replaces_what_is_printed() {
        let settings = settings(None);
        let printed =
            MODULES.map(|module| printed(&wgsl(&settings, module), module).expect("the kernels can be printed"));
        let names = |text| definitions(text).map(without_comments).map(name_of).collect::<BTreeSet<&str>>();
        let printed: BTreeSet<_> = printed.iter().flat_map(|text| names(text)).collect();
        assert!(names(COUNT_ONES).is_subset(&printed) && names(BOARDS48).is_subset(&printed));
        let new: Vec<_> = names(MAGIC).difference(&printed).copied().collect();
        assert_eq!(new, ["count_looked_up", "look_up", "looked_up_sights"]);
    }

    #[test]
    fn kernels_have_the_sizes_of_their_work_groups() {
        for signature in &SIGNATURES {
            for registers in [None, Some(128)] {
                let settings = settings(registers);
                let source = source(&settings, signature.module).expect("the kernels can be printed");
                let (name, size) = (signature.name, settings.group_size_of(signature.kernel));
                let head = format!("__kernel __attribute__((reqd_work_group_size({size}, 1, 1))) void {name}(");
                let is_open = signature.kernel == Kernel::ClosedForm && registers.is_some();
                assert_eq!(source.contains(&head), !is_open, "{name}");
                assert_eq!(source.matches(&format!(" void {name}(")).count(), 1, "{name}");
            }
        }
    }
}
