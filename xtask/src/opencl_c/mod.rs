//! Prints OpenCL C 1.2 from naga's intermediate representation, for the subset of WGSL that the kernels use.
//!
//! The text is meant to be read: names, documentation comments, `&&`, `for` and `let` look as in WGSL. What is global in WGSL
//! (storage buffers, the members of one uniform with scalars, work-group and private variables) becomes parameters of the
//! functions that use it, after the parameters of WGSL.
//!
//! The host writes a prelude before the text. It defines
//! * the macro `INLINE`, which begins each function;
//! * a macro for each `override` that is used, and one for each `override` that is a work-group's size: `NAME_KERNEL` for
//!   `NAME_GROUP`, which stands for attributes of kernels of this size;
//! * `uint reverse_bits(uint)`, `uint load_atomic(__global const uint *)`, and `Exchange compare_exchange(__global uint *,
//!   uint compare, uint value)` with `typedef struct { uint old_value; bool exchanged; } Exchange`, as far as they are used.
//!
//! Kernels run in one dimension. The memory of buffers must not overlap. A local name may be that of a scalar or a buffer, but
//! must not be that of a function, a type or a constant.

mod context;
mod expression;
mod statement;
#[cfg(test)]
mod tests;
mod text;

use std::collections::HashSet;

use naga::{
    AddressSpace, Binding, BuiltIn, EntryPoint, Expression, Function, Handle, StructMember, TypeInner,
    front::wgsl,
    valid::{Capabilities, ValidationFlags, Validator},
};

use self::{
    context::{Context, Outer, Result, name_of, unsupported, visit_calls},
    expression::Body,
    text::{Level, comments, head, indented, renamed, wrapped},
};

/// Prints kernels of a WGSL source, and all that they reach.
///
/// # Errors
/// The reason as a sentence, if the source is not valid, has no such kernel, or uses what is not supported.
pub fn print(wgsl: &str, kernels: &[&str]) -> Result<String> {
    Ok(print_files(&[wgsl], kernels)?.concat())
}

/// Prints kernels, and all that they reach, of a WGSL source in several files, and returns a text for each file.
///
/// # Errors
/// Those of [`print()`].
pub fn print_files(files: &[&str], kernels: &[&str]) -> Result<Vec<String>> {
    let wgsl = &files.concat();
    let module = wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::SHADER_INT64).validate(&module);
    let info = info.map_err(|error| error.emit_to_string(wgsl))?;
    let parts = vec![Vec::new(); files.len()];
    Printer { files, context: Context::new(&module, &info)?, called: HashSet::new(), words: HashSet::new(), parts }
        .print(wgsl, kernels)
}

/// Prints a module from its end to its beginning, because what is declared comes before what uses it.
struct Printer<'a> {
    files: &'a [&'a str],
    context: Context<'a>,
    /// The functions that are called, and the words of what is printed.
    called: HashSet<Handle<Function>>,
    words: HashSet<String>,
    /// What is printed of each file, the last part first.
    parts: Vec<Vec<String>>,
}

impl Printer<'_> {
    fn print(mut self, wgsl: &str, kernels: &[&str]) -> Result<Vec<String>> {
        let (module, comments) = (self.context.module, comments(wgsl));
        let comment = |name: &str| comments.get(name).map_or("", String::as_str);
        let within = |name: &str, error: String| format!("In `{name}`, {error}");
        for &name in kernels.iter().rev() {
            let index = module.entry_points.iter().position(|entry| entry.name == name);
            let index = index.ok_or_else(|| format!("The module has no kernel `{name}`."))?;
            let entry = &module.entry_points[index];
            visit_calls(&entry.function.body, &mut |callee| {
                self.called.insert(callee);
            });
            let kernel = self.kernel(index, entry).map_err(|error| within(name, error))?;
            self.add(&format!("fn {name}("), &format!("\n{}", comment(name)), &kernel);
        }
        for (handle, function) in module.functions.iter().rev() {
            let name = name_of(&function.name);
            if self.called.contains(&handle) {
                visit_calls(&function.body, &mut |callee| {
                    self.called.insert(callee);
                });
                let printed = self.function(handle, function).map_err(|error| within(name, error))?;
                self.add(&format!("fn {name}("), &format!("\n{}", comment(name)), &printed);
            }
        }
        for (_, ty) in module.types.iter().rev() {
            let name = name_of(&ty.name);
            if let TypeInner::Struct { members, .. } = &ty.inner
                && self.words.contains(&renamed(name))
            {
                let member_comment = |member: &str| comment(&format!("{name}.{member}"));
                let printed = self.structure(members, member_comment).map_err(|error| within(name, error))?;
                let printed = format!("{printed}}} {};\n", renamed(name));
                self.add(&format!("struct {name} "), &format!("\n{}", comment(name)), &printed);
            }
        }
        for (_, constant) in module.constants.iter().rev() {
            let name = name_of(&constant.name);
            if self.words.contains(name) {
                let value = self.context.constant(constant.init)?.within(Level::Postfix);
                let comment = Some(comment(name)).filter(|comment| !comment.is_empty());
                let comment = comment.map_or(String::new(), |comment| format!("\n{comment}"));
                self.add(&format!("const {name}:"), &comment, &format!("#define {name} {value}\n"));
            }
        }
        let texts = self.parts.into_iter().map(|parts| parts.into_iter().rev().collect::<String>());
        Ok(texts.map(|text| wrapped(text.trim_start_matches('\n'))).collect())
    }

    /// Adds the code of a definition to the file in which its WGSL begins with `start`.
    fn add(&mut self, start: &str, comment: &str, code: &str) {
        let words = code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        self.words.extend(words.map(str::to_owned));
        let file = self.files.iter().position(|file| file.contains(start)).unwrap_or_default();
        self.parts[file].push(format!("{comment}{code}"));
    }

    fn structure<'c>(&self, members: &[StructMember], comment: impl Fn(&str) -> &'c str) -> Result<String> {
        let member = |member: &StructMember| {
            let (ty, name) = (self.context.type_name(member.ty)?, name_of(&member.name));
            Ok(format!("{}    {ty} {};\n", comment(name), renamed(name)))
        };
        Ok(format!("typedef struct {{\n{}", members.iter().map(member).collect::<Result<String>>()?))
    }

    fn function(&self, handle: Handle<Function>, function: &Function) -> Result<String> {
        let (context, info) = (&self.context, &self.context.info[handle]);
        let body = Body::new(context, function, info);
        let mut parameters = Vec::new();
        for (argument, name) in function.arguments.iter().zip(&body.arguments) {
            parameters.push(match context.module.types[argument.ty].inner {
                TypeInner::Pointer { base, space: AddressSpace::Function } => {
                    format!("{} *{name}", context.type_name(base)?)
                }
                _ => format!("{} {name}", context.type_name(argument.ty)?),
            });
        }
        for outer in context.outers(function, info) {
            parameters.push(context.parameter(outer)?);
        }
        let result = function.result.as_ref().map_or(Ok("void".to_owned()), |result| context.type_name(result.ty))?;
        let start = format!("INLINE {result} {}", renamed(name_of(&function.name)));
        Ok(format!("{}{}}}\n", head(&start, &parameters), indented(&body.lines()?)))
    }

    fn kernel(&self, index: usize, entry: &EntryPoint) -> Result<String> {
        let (context, info) = (&self.context, self.context.info.get_entry_point(index));
        let body = Body::new(context, &entry.function, info);
        let (mut parameters, mut lines) = (Vec::new(), Vec::new());
        for outer in context.outers(&entry.function, info) {
            match outer {
                Outer::Global(global) if let Some(declaration) = context.declaration(global)? => {
                    lines.push(declaration)
                }
                outer => parameters.push(context.parameter(outer)?),
            }
        }
        for (argument, name) in entry.function.arguments.iter().zip(&body.arguments) {
            let vector = |function: &str| Ok(format!("(uint3)({function}(0), {function}(1), {function}(2))"));
            let value = |member: &StructMember| match member.binding {
                Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex)) => Ok("get_local_id(0)".to_owned()),
                Some(Binding::BuiltIn(BuiltIn::WorkGroupId)) => vector("get_group_id"),
                Some(Binding::BuiltIn(BuiltIn::NumWorkGroups)) => vector("get_num_groups"),
                _ => unsupported("another number of a work-item", "use the index, the work-group and their number"),
            };
            let TypeInner::Struct { members, .. } = &context.module.types[argument.ty].inner else {
                return unsupported("an argument of a kernel that is no struct", "use a struct of built-in values");
            };
            let values = members.iter().map(value).collect::<Result<Vec<_>>>()?.join(", ");
            lines.push(format!("const {} {name} = {{{values}}};", context.type_name(argument.ty)?));
        }
        lines.extend(body.lines()?);
        let start = format!("__kernel {} void {}", self.attributes(entry)?, entry.name);
        Ok(format!("{}{}}}\n", head(&start, &parameters), indented(&lines)))
    }

    /// Returns the macro with the attributes of a kernel, by its work-group's size.
    fn attributes(&self, entry: &EntryPoint) -> Result<String> {
        let module = self.context.module;
        if let (Some([Some(size), None, None]), [_, 1, 1]) = (entry.workgroup_size_overrides, entry.workgroup_size)
            && let Expression::Override(size) = module.global_expressions[size]
            && module.overrides[size].init.is_none()
            && let Some(start) = name_of(&module.overrides[size].name).strip_suffix("GROUP")
        {
            return Ok(format!("{start}KERNEL"));
        }
        unsupported("a work-group of this size", "use one `override` whose name ends in GROUP")
    }
}
