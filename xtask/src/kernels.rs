//! Compares the kernels' two languages: the same files, the same functions in the same order, and the parameters of the one
//! table in `kogge-gpu`.
//! Everything that only one language has is listed here, with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use kogge_gpu::kernels::{Binding, Module, SIGNATURES, Scalar, Signature};

/// The files of both languages, in the order in which compilers get them.
const FILES: [&str; 19] = [
    "bits",
    "fill",
    "position",
    "range",
    "frame",
    "count",
    "scan",
    "make",
    "generate",
    "closed_form_values",
    "closed_form",
    "perft",
    "merge",
    "diagrams",
    "shards",
    "unordered",
    "evaluation",
    "minimax",
    "categories",
];

/// Files of OpenCL C only.
const OPENCL_FILES: [(&str, &str); 4] = [
    ("clear", "A driver's command for clearing is wrong for large buffers; wgpu has one that is right."),
    ("variants/boards48", "A variant that measures slower is written once."),
    ("variants/depth_first", "A variant that measures slower is written once."),
    ("variants/magic", "A variant that measures slower is written once."),
];

/// Files of WGSL only.
const WGSL_FILES: [(&str, &str); 10] = [
    ("buffers", "Buffers and scalars are global in WGSL, and parameters in OpenCL C."),
    ("word_native", "WGSL has no operators that work on boards of both kinds; OpenCL C always has 64-bit integers."),
    ("word_emulated", "Browsers have no 64-bit integers."),
    ("fill_carry", "WGSL has no preprocessor; the host chooses between files."),
    ("scan_by_subgroups", "Only wgpu tells whether a device has sub-groups."),
    ("directions/attacks", "WGSL has no macros; the host writes the file out for each direction."),
    ("directions/closed_form_axis", "WGSL has no macros; the host writes the file out for each direction."),
    ("directions/closed_form_values", "WGSL has no macros; the host writes the file out for each direction."),
    ("directions/fill", "WGSL has no macros; the host writes the file out for each direction."),
    ("directions/generate", "WGSL has no macros; the host writes the file out for each direction."),
];

/// Functions of OpenCL C only, by file.
const OPENCL_FUNCTIONS: [(&str, &str, &str); 4] = [
    ("bits", "lowest", "WGSL: in the files that define a board."),
    ("fill", "east_step west_step east_attacks west_attacks", "WGSL: in the files that the host chooses between."),
    ("frame", "rank_sight", "WGSL always mirrors files, so that it needs no way without."),
    ("merge", "wide_sum wide_product", "WGSL has no 64-bit integers in browsers, and adds words."),
];

/// Functions of WGSL only, by file.
const WGSL_FUNCTIONS: [(&str, &str, &str); 9] = [
    ("position", "position_in", "OpenCL C reads positions from any buffer."),
    ("range", "range_of_scalars is_lower", "OpenCL C: a macro, and operators of 64-bit integers."),
    ("frame", "kind_of_piece", "OpenCL C writes the choice out, which is faster there."),
    ("frame", "meet_check", "OpenCL C: a macro."),
    (
        "generate",
        "origin_at emit_moves pawn_captures knight_moves attack_rays orthogonal_captures diagonal_captures pawn_pushes",
        "OpenCL C: macros.",
    ),
    (
        "closed_form_values",
        "majority attack defended pins_on pin_lines_of seen view_rays meeting rays_on_file rays_on_rank \
         rays_on_diagonal rays_on_antidiagonal rank8 castlings_of",
        "OpenCL C: macros, or written out where the macros leave their results.",
    ),
    (
        "closed_form",
        "tally_pawn_direction add_axis tally_knights tally_sliders tally_pawns tally_king",
        "OpenCL C: macros, or parts of one function, whose locals they share.",
    ),
    (
        "merge",
        "product share_of rotate_left mix add_word add_wide add_product",
        "OpenCL C: built-in functions and macros.",
    ),
    ("minimax", "load_node store_node", "WGSL buffers hold words, so that structures are taken apart."),
];

/// A language's folder of kernels and its suffix.
#[derive(Clone, Copy)]
struct Language {
    folder: &'static str,
    suffix: &'static str,
}

const OPENCL: Language = Language { folder: "backend-opencl/src/kernels", suffix: "cl" };
const WGSL: Language = Language { folder: "backend-wgpu/src/kernels", suffix: "wgsl" };

impl Language {
    fn path(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(self.folder)
    }

    /// Reads a file.
    fn read(self, file: &str) -> String {
        let path = self.path().join(format!("{file}.{}", self.suffix));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Lists all files, without suffix.
    fn files(self) -> BTreeSet<String> {
        let (mut folders, mut files) = (vec![String::new()], BTreeSet::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(self.path().join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{folder}{}", entry.file_name().to_str().unwrap());
                if entry.file_type().unwrap().is_dir() {
                    folders.push(name + "/");
                } else {
                    files.insert(name.strip_suffix(self.suffix).unwrap().trim_end_matches('.').to_owned());
                }
            }
        }
        files
    }

    /// Lists the functions that a file defines, each once.
    fn functions(self, file: &str) -> Vec<String> {
        let mut functions = Vec::new();
        for line in self.read(file).lines() {
            let defines = ["INLINE ", "__kernel ", "fn "].iter().any(|start| line.starts_with(start));
            let Some((head, _)) = line.split_once('(').filter(|_| defines && !line.ends_with(';')) else { continue };
            let name = head.rsplit([' ', '*']).next().unwrap_or_default().to_owned();
            if !functions.contains(&name) {
                functions.push(name);
            }
        }
        functions
    }
}

/// The names of a kernel's buffers and scalars.
fn parameters(signature: &Signature) -> (Vec<&'static str>, Vec<&'static str>) {
    let buffers = signature.buffers.iter().map(|buffer| buffer.name());
    (buffers.collect(), signature.scalars.iter().map(|scalar| scalar.name()).collect())
}

#[test]
fn both_languages_have_the_same_files() {
    for (language, exceptions) in [(OPENCL, &OPENCL_FILES[..]), (WGSL, &WGSL_FILES[..])] {
        let expected = FILES.into_iter().chain(exceptions.iter().map(|&(file, _)| file)).map(str::to_owned);
        assert_eq!(language.files(), expected.collect());
    }
}

#[test]
fn both_languages_have_the_same_functions_in_the_same_order() {
    for file in FILES {
        let shared = |language: Language, exceptions: &[(&str, &str, &str)]| {
            let mut functions = language.functions(file);
            let exceptions = exceptions.iter().filter(|(of, ..)| *of == file);
            for exception in exceptions.flat_map(|(_, names, _)| names.split_whitespace()) {
                let place = functions.iter().position(|function| function == exception);
                functions.remove(place.unwrap_or_else(|| panic!("{file} does not define the exception {exception}")));
            }
            functions
        };
        let (opencl, wgsl) = (shared(OPENCL, &OPENCL_FUNCTIONS), shared(WGSL, &WGSL_FUNCTIONS));
        assert!(!opencl.is_empty(), "{file}");
        assert_eq!(opencl, wgsl, "{file}");
    }
}

/// OpenCL C: the parameters are the buffers, then the scalars.
#[test]
fn opencl_kernels_have_the_parameters_of_the_table() {
    let files = FILES.into_iter().chain(OPENCL_FILES.map(|(file, _)| file));
    let source: String = files.map(|file| OPENCL.read(file)).collect();
    let mut kernels = BTreeMap::new();
    for kernel in source.split("KERNEL void ").skip(1) {
        let (name, rest) = kernel.split_once('(').unwrap();
        let declared = rest.split_once(')').unwrap().0.split(',');
        kernels.insert(name, declared.map(|text| text.trim().to_owned()).collect::<Vec<_>>());
    }
    // `clear` is the interface's own: it clears buffers that are too large for one vendor's driver.
    assert_eq!(kernels.remove("clear").unwrap(), ["__global uint *restrict words", "uint end"]);
    assert_eq!(kernels.len(), SIGNATURES.len());
    for signature in &SIGNATURES {
        let (name, declared) = (signature.name, &kernels[signature.name]);
        let (buffers, scalars) = parameters(signature);
        assert_eq!(declared.len(), buffers.len() + scalars.len(), "{name}");
        for ((declaration, buffer), binding) in declared.iter().zip(&buffers).zip(signature.buffers) {
            let constant = if binding.is_written() { "" } else { "const " };
            let (start, end) = (format!("__global {constant}"), format!(" *restrict {buffer}"));
            assert!(declaration.starts_with(&start) && declaration.ends_with(&end), "{name}: {declaration}");
            assert_eq!(declaration.contains("const "), !constant.is_empty(), "{name}: {declaration}");
        }
        for (declaration, scalar) in declared[buffers.len()..].iter().zip(scalars) {
            assert_eq!(*declaration, format!("uint {scalar}"), "{name}");
        }
    }
}

/// WGSL: the parameters are the buffers and scalars that the kernel and the functions it calls use.
#[test]
fn wgsl_kernels_use_what_the_table_lists() {
    let buffers = WGSL.read("buffers");
    let fields = buffers.split_once("struct Scalars {").unwrap().1.split_once('}').unwrap().0;
    let fields: Vec<&str> = fields.lines().filter_map(|line| line.trim().strip_suffix(": u32,")).collect();
    assert!(fields.into_iter().eq(Scalar::ALL.iter().map(|scalar| scalar.name())));
    let bindings = buffers.lines().filter_map(|line| line.strip_prefix("@group(0) @binding(")).skip(1);
    for (number, (binding, buffer)) in bindings.zip(Binding::ALL).enumerate() {
        let access = if buffer.is_written() { "read_write" } else { "read" };
        let expected = format!("{}) var<storage, {access}> {}: ", number + 1, buffer.name());
        assert!(binding.starts_with(&expected), "{binding}");
    }
    assert_eq!(buffers.matches("@binding(").count(), 1 + Binding::ALL.len());

    let files = FILES.into_iter().chain(["buffers", "directions/generate", "directions/closed_form_values"]);
    let source: String = files.map(|file| WGSL.read(file)).collect();
    let code: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    let functions: BTreeMap<&str, &str> = code
        .split("\nfn ")
        .skip(1)
        .filter_map(|function| {
            let (name, rest) = function.split_once('(')?;
            Some((name, rest.split_once("\n}")?.0))
        })
        .collect();
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').map(str::to_owned).collect()
    };
    // The other module exists in OpenCL C only.
    let modules = [Module::Counting, Module::Merging, Module::Categories, Module::Unordered, Module::Minimax];
    for signature in SIGNATURES.iter().filter(|signature| modules.contains(&signature.module)) {
        let (mut reached, mut todo) = (BTreeSet::new(), vec![signature.name]);
        let (mut named, mut scalars) = (BTreeSet::new(), BTreeSet::new());
        while let Some(function) = todo.pop() {
            if !reached.insert(function) {
                continue;
            }
            let body = functions[function];
            let called = words(body);
            todo.extend(functions.keys().filter(|name| body.contains(&format!("{name}("))));
            let elements = called.iter().filter(|word| body.contains(&format!("{word}[")));
            named.extend(elements.cloned());
            scalars.extend(body.split("scalars.").skip(1).map(|rest| {
                rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
            }));
        }
        let (buffers, expected) = parameters(signature);
        let all = Binding::ALL.iter().map(|buffer| buffer.name());
        let used: BTreeSet<&str> = all.filter(|&name| named.contains(name)).collect();
        assert_eq!(used, buffers.into_iter().collect(), "{}", signature.name);
        assert_eq!(scalars, expected.into_iter().collect(), "{}", signature.name);
    }
}
