//! Prints OpenCL C 1.2 from naga's intermediate representation, for a subset of WGSL.
//!
//! The text is meant to be read: names, documentation comments, `&&`, `for` and `let` look as in WGSL. What is global in WGSL
//! (storage buffers, the members of one uniform with scalars, work-group and private variables) becomes parameters of the
//! functions that use it, after their own.
//!
//! The host writes a prelude before the text. It defines
//! * the macro `INLINE`, which begins each function;
//! * a macro for each `override` that is used, and one for each `override` that is a work-group's size: `NAME_KERNEL` for
//!   `NAME_GROUP`, which stands for attributes of kernels of this size;
//! * `uint count_trailing_zeros(uint)`, `uint reverse_bits(uint)`, `uint load_atomic(__global const uint *)`, and `Exchange
//!   compare_exchange(__global uint *, uint compare, uint value)` with `typedef struct { uint old_value; bool exchanged; }
//!   Exchange`, as far as they are used.
//!
//! Kernels run in one dimension. The memory of buffers must not overlap.

mod analysis;
mod comments;
mod context;
mod error;
mod expression;
mod names;
mod statement;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;

use naga::{
    AddressSpace, Binding, BuiltIn, EntryPoint, Expression, Function, Handle, Module, Type, TypeInner,
    front::wgsl::{Frontend, Options},
    valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator},
};

pub use error::Error;

use self::{
    comments::{comment, place_member_comments, without_ordinary_comments},
    context::{Context, Outer, callees, name_of},
    error::{Result, unsupported},
    expression::Body,
    text::{head, indented, wrapped},
};

/// Prints kernels of a WGSL source, and all that they reach.
///
/// # Errors
/// If the source is not valid, has no such kernel, or uses what is not supported.
pub fn print(wgsl: &str, kernels: &[&str]) -> std::result::Result<String, Error> {
    let options = Options { parse_doc_comments: true, ..Options::new() };
    let module = Frontend::new_with_options(options).parse(&without_ordinary_comments(wgsl));
    let mut module = module.map_err(|error| Error::new(error.emit_to_string(wgsl)))?;
    place_member_comments(&mut module, wgsl);
    let info = Validator::new(ValidationFlags::all(), Capabilities::SHADER_INT64).validate(&module);
    write(&module, &info.map_err(|error| Error::new(error.emit_to_string(wgsl)))?, kernels)
}

/// Prints kernels of a validated module, and all that they reach.
///
/// # Errors
/// If the module has no such kernel, or uses what is not supported.
pub fn write(module: &Module, info: &ModuleInfo, kernels: &[&str]) -> std::result::Result<String, Error> {
    let context = Context::new(module, info)?;
    let mut entries = Vec::new();
    for &kernel in kernels {
        match module.entry_points.iter().position(|entry| entry.name == kernel) {
            Some(index) => entries.push(index),
            None => return Err(Error::new(format!("The module has no kernel `{kernel}`."))),
        }
    }
    let mut reached: BTreeSet<_> =
        entries.iter().flat_map(|&index| callees(&module.entry_points[index].function)).collect();
    // A function comes after those that it calls.
    for (handle, function) in module.functions.iter().collect::<Vec<_>>().into_iter().rev() {
        if reached.contains(&handle) {
            reached.extend(callees(function));
        }
    }
    let mut functions = String::new();
    for handle in reached {
        let function = &module.functions[handle];
        let printed = context.function(handle, function).map_err(|error| error.within(name_of(&function.name)))?;
        functions += &format!("\n{printed}");
    }
    for index in entries {
        let entry = &module.entry_points[index];
        let printed = context.kernel(index, entry).map_err(|error| error.within(&entry.name))?;
        functions += &format!("\n{printed}");
    }
    let parts = [context.module_comment(), context.constants()?, context.structs()?, functions];
    Ok(wrapped(parts.concat().trim_start_matches('\n')))
}

impl Context<'_> {
    fn module_comment(&self) -> String {
        comment(self.module.doc_comments.as_ref().map(|comments| &comments.module), "")
    }

    /// Returns the definitions of the constants that occur.
    fn constants(&self) -> Result<String> {
        let mut text = String::new();
        let used = self.constants.borrow().clone();
        for (handle, constant) in self.module.constants.iter().filter(|(handle, _)| used.contains(handle)) {
            let comments = self.module.doc_comments.as_ref().and_then(|comments| comments.constants.get(&handle));
            if text.is_empty() || comments.is_some() {
                text.push('\n');
            }
            let value = self.constant(constant.init)?.within(text::Level::Postfix);
            text += &format!("{}#define {} {value}\n", comment(comments, ""), name_of(&constant.name));
        }
        Ok(text)
    }

    /// Returns the definitions of the structs that occur, and of those of their members.
    fn structs(&self) -> Result<String> {
        let mut texts = Vec::new();
        // A struct comes after the types of its members, which are found while it is printed.
        for (handle, ty) in self.module.types.iter().collect::<Vec<_>>().into_iter().rev() {
            let is_used = self.structs.borrow().contains(&handle);
            if let (TypeInner::Struct { members, .. }, true) = (&ty.inner, is_used) {
                texts.push(self.structure(handle, members).map_err(|error| error.within(name_of(&ty.name)))?);
            }
        }
        Ok(texts.into_iter().rev().collect())
    }

    fn structure(&self, handle: Handle<Type>, members: &[naga::StructMember]) -> Result<String> {
        let comments = self.module.doc_comments.as_ref();
        let mut text = comment(comments.and_then(|comments| comments.types.get(&handle)), "");
        text += "typedef struct {\n";
        for (index, member) in members.iter().enumerate() {
            let comments = comments.and_then(|comments| comments.struct_members.get(&(handle, index)));
            let (ty, name) = (self.type_name(member.ty)?, names::member(name_of(&member.name)));
            text += &format!("{}    {ty} {name};\n", comment(comments, "    "));
        }
        Ok(format!("\n{text}}} {};\n", self.type_name(handle)?))
    }

    fn function(&self, handle: Handle<Function>, function: &Function) -> Result<String> {
        let info: &FunctionInfo = &self.info[handle];
        let mut body = Body::new(self, function, info);
        let mut parameters = Vec::new();
        for (argument, name) in function.arguments.iter().zip(&body.arguments) {
            parameters.push(match self.module.types[argument.ty].inner {
                TypeInner::Pointer { base, space: AddressSpace::Function } => {
                    format!("{} *{name}", self.type_name(base)?)
                }
                _ => format!("{} {name}", self.type_name(argument.ty)?),
            });
        }
        for outer in self.outers(function, info) {
            parameters.push(self.outer_parameter(outer)?);
        }
        let result = function.result.as_ref().map_or(Ok("void".to_owned()), |result| self.type_name(result.ty))?;
        let comments = self.module.doc_comments.as_ref().and_then(|comments| comments.functions.get(&handle));
        let start = format!("INLINE {result} {}", names::function(name_of(&function.name)));
        Ok(format!("{}{}{}}}\n", comment(comments, ""), head(&start, &parameters), indented(&body.lines()?)))
    }

    fn kernel(&self, index: usize, entry: &EntryPoint) -> Result<String> {
        let info = self.info.get_entry_point(index);
        let mut body = Body::new(self, &entry.function, info);
        let (mut parameters, mut lines) = (Vec::new(), Vec::new());
        for outer in self.outers(&entry.function, info) {
            match outer {
                Outer::Global(global) if let Some(declaration) = self.outer_declaration(global)? => {
                    lines.push(declaration)
                }
                outer => parameters.push(self.outer_parameter(outer)?),
            }
        }
        for (argument, name) in entry.function.arguments.iter().zip(&body.arguments) {
            let vector = |function: &str| format!("(uint3)({function}(0), {function}(1), {function}(2))");
            let (ty, value) = match argument.binding {
                Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex)) => ("uint", "get_local_id(0)".to_owned()),
                Some(Binding::BuiltIn(BuiltIn::WorkGroupId)) => ("uint3", vector("get_group_id")),
                Some(Binding::BuiltIn(BuiltIn::NumWorkGroups)) => ("uint3", vector("get_num_groups")),
                _ => {
                    return unsupported(
                        &format!("the argument `{name}`"),
                        "use local_invocation_index, workgroup_id and num_workgroups",
                    );
                }
            };
            lines.push(format!("const {ty} {name} = {value};"));
        }
        lines.extend(body.lines()?);
        let comments = self.module.doc_comments.as_ref().and_then(|comments| comments.entry_points.get(&index));
        let start = format!("__kernel {} void {}", self.attributes(entry)?, names::function(&entry.name));
        Ok(format!("{}{}{}}}\n", comment(comments, ""), head(&start, &parameters), indented(&lines)))
    }

    /// Returns the macro with the attributes of a kernel, by its work-group's size.
    fn attributes(&self, entry: &EntryPoint) -> Result<String> {
        if let (Some([Some(size), None, None]), [_, 1, 1]) = (entry.workgroup_size_overrides, entry.workgroup_size)
            && let Expression::Override(size) = self.module.global_expressions[size]
            && self.module.overrides[size].init.is_none()
            && let Some(start) = name_of(&self.module.overrides[size].name).strip_suffix("GROUP")
        {
            return Ok(format!("{start}KERNEL"));
        }
        unsupported("a work-group of this size", "use one `override` whose name ends in GROUP")
    }
}
