//! Prints OpenCL C 1.2 from naga's representation of shaders.
//!
//! The writer covers the part of WGSL that translates line by line: integers, vectors, structures, functions, storage buffers of
//! vectors, one uniform with scalars, work-group memory and atomics. It refuses everything else with a sentence.
//!
//! OpenCL C has no global buffers. What a function reaches (buffers, members of the uniform, work-group and private variables) becomes
//! further parameters of the function, after its own; a kernel declares its work-group and private variables. Buffers come in the order of
//! their declarations, then scalars in the order of the uniform's members.
//!
//! The text needs from its host:
//! * a macro for each constant that WGSL declares with `override`;
//! * for each work-group size `GROUP` or `..._GROUP`, a macro `KERNEL` or `..._KERNEL` with the attributes of the kernels of this size;
//! * the macro `INLINE`, the type `Exchange` (`uint old_value; bool exchanged;`), and the functions `compare_exchange`, `load_atomic`,
//!   `reverse_bits` and `count_trailing_zeros`.

mod context;
mod error;
mod expression;
mod function;
mod names;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;

use naga::front::wgsl::{Frontend, Options};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{BuiltIn, EntryPoint, Function, Handle, Module, TypeInner};

use self::context::{Context, callees, name_of};
pub use self::error::Error;
use self::error::{Result, unsupported};
use self::function::FunctionWriter;
use self::text::{comment, head, indented, wrapped};

/// Prints the listed kernels of a WGSL source, with its comments on functions, structures and constants.
///
/// # Errors
/// If the source is not valid, or not in the part of WGSL that the writer covers: a sentence.
pub fn print(wgsl: &str, kernels: &[&str]) -> Result<String> {
    // naga loses the documentation after other comments.
    let lines = wgsl.lines().filter(|line| !line.starts_with("//") || line.starts_with("///"));
    let wgsl = &lines.flat_map(|line| [line, "\n"]).collect::<String>();
    let options = Options { parse_doc_comments: true, ..Options::new() };
    let parsed = Frontend::new_with_options(options).parse(wgsl);
    let module = parsed.map_err(|error| Error::new(error.emit_to_string(wgsl)))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::SHADER_INT64);
    let info = validator.validate(&module).map_err(|error| Error::new(error.emit_to_string(wgsl)))?;
    write(&module, &info, kernels)
}

/// Prints the listed kernels of a module, and what they need.
///
/// # Errors
/// If the module is not in the part that the writer covers: a sentence.
pub fn write(module: &Module, info: &ModuleInfo, kernels: &[&str]) -> Result<String> {
    let context = Context::new(module, info)?;
    let mut entries = Vec::new();
    for &kernel in kernels {
        let index = module.entry_points.iter().position(|entry| entry.name == kernel);
        entries.push(index.ok_or_else(|| Error::new(format!("The module has no kernel `{kernel}`.")))?);
    }
    let mut reached = BTreeSet::new();
    entries.iter().for_each(|&index| reach(module, &module.entry_points[index].function, &mut reached));
    let mut text = String::new();
    for handle in reached {
        text += &function(&context, handle)?;
    }
    for index in entries {
        text += &kernel(&context, index)?;
    }
    Ok(wrapped(&(context.constants_used()? + &context.structs_used()? + &text)))
}

/// Adds the functions that a function calls. Their handles are in an order in which each comes after those that it calls.
fn reach(module: &Module, function: &Function, reached: &mut BTreeSet<Handle<Function>>) {
    for callee in callees(function) {
        if reached.insert(callee) {
            reach(module, &module.functions[callee], reached);
        }
    }
}

fn function(context: &Context<'_>, handle: Handle<Function>) -> Result<String> {
    let function = &context.module.functions[handle];
    let name = name_of(&function.name);
    let print = || {
        let mut writer = FunctionWriter::new(context, function, &context.info[handle]);
        let mut parameters = writer.parameters()?;
        for &outer in writer.outers() {
            parameters.push(context.parameter(outer)?);
        }
        let result = match &function.result {
            Some(result) => context.type_name(result.ty)?,
            None => "void".to_owned(),
        };
        let start = format!("INLINE {result} {}", names::function(name));
        Ok(head(&start, &parameters) + &indented(&writer.body()?) + "}\n\n")
    };
    let text: String = print().map_err(|error: Error| error.within(name))?;
    Ok(comment(context.comments(|comments| comments.functions.get(&handle))) + &text)
}

fn kernel(context: &Context<'_>, index: usize) -> Result<String> {
    let entry = &context.module.entry_points[index];
    let print = || {
        let mut writer = FunctionWriter::new(context, &entry.function, context.info.get_entry_point(index));
        let mut parameters = Vec::new();
        let mut lines = Vec::new();
        for &outer in writer.outers() {
            match context.declaration(outer)? {
                Some(declaration) => lines.push(declaration),
                None => parameters.push(context.parameter(outer)?),
            }
        }
        for (at, argument) in entry.function.arguments.iter().enumerate() {
            let value = match argument.binding {
                Some(naga::Binding::BuiltIn(BuiltIn::LocalInvocationIndex)) => "get_local_id(0)",
                Some(naga::Binding::BuiltIn(BuiltIn::WorkGroupId)) => {
                    "(uint3)(get_group_id(0), get_group_id(1), get_group_id(2))"
                }
                Some(naga::Binding::BuiltIn(BuiltIn::NumWorkGroups)) => {
                    "(uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))"
                }
                ref other => {
                    return unsupported(&format!("the argument {other:?}"), "use the built-ins of work-groups");
                }
            };
            lines.push(format!("const {} {} = {value};", context.type_name(argument.ty)?, writer.argument(at)));
        }
        lines.extend(writer.body()?);
        let start = format!("__kernel {} void {}", attributes(context, entry)?, names::function(&entry.name));
        Ok(head(&start, &parameters) + &indented(&lines) + "}\n\n")
    };
    let text: String = print().map_err(|error: Error| error.within(&entry.name))?;
    Ok(comment(context.comments(|comments| comments.entry_points.get(&index))) + &text)
}

/// Returns the macro with a kernel's attributes.
fn attributes(context: &Context<'_>, entry: &EntryPoint) -> Result<String> {
    let size = entry.workgroup_size_overrides.and_then(|[size, ..]| size);
    let size = size.map(|size| context.constant(size)).transpose()?.map(|size| size.text).unwrap_or_default();
    match size.strip_suffix("GROUP") {
        Some(start) => Ok(format!("{start}KERNEL")),
        None => unsupported("this work-group size", "declare it with `override`, by a name that ends with GROUP"),
    }
}

/// Whether a type is a pointer to a variable of a function.
fn is_pointer(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
}
