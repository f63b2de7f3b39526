//! Prints OpenCL C 1.2 from naga's intermediate representation, for the subset of WGSL that the kernels use.
//!
//! Names, `&&`, `for` and `let` look as in WGSL, so that a compiler's message leads to the WGSL. What is global in WGSL (storage
//! buffers, the members of one uniform with scalars, work-group and private variables) becomes parameters of the functions that use it,
//! after the parameters of WGSL.
//!
//! The host writes a prelude before the text. It defines
//! * the macro `INLINE`, which begins each function;
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

use naga::{
    AddressSpace, Binding, BuiltIn, EntryPoint, Function, Handle, StructMember, TypeInner,
    front::wgsl,
    valid::{Capabilities, ValidationFlags, Validator},
};

use self::{
    context::{Context, Outer, Result, name_of, unsupported},
    expression::Body,
    text::{Level, indented, renamed},
};

/// Prints a WGSL source with some of its kernels: for each its name and its parameters, which are buffers and scalars, in order.
///
/// # Errors
/// The reason as a sentence, if the source is not valid, has no such kernel, or uses what is not supported.
pub(crate) fn print(wgsl: &str, kernels: &[(&str, Vec<&str>)]) -> Result<String> {
    let module = wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::SHADER_INT64).validate(&module);
    let info = info.map_err(|error| error.emit_to_string(wgsl))?;
    Printer(Context::new(&module, &info)?).print(kernels)
}

struct Printer<'a>(Context<'a>);

impl Printer<'_> {
    fn print(self, kernels: &[(&str, Vec<&str>)]) -> Result<String> {
        let module = self.0.module;
        let within = |name: &str, text: Result<String>| text.map_err(|error| format!("In `{name}`, {error}"));
        let mut text = String::new();
        for (_, constant) in module.constants.iter() {
            let value = self.0.constant(constant.init)?.within(Level::Postfix);
            text += &format!("#define {} {value}\n", name_of(&constant.name));
        }
        for (handle, ty) in module.types.iter() {
            let name = name_of(&ty.name);
            if let TypeInner::Struct { members, .. } = &ty.inner
                && self.0.is_printed(handle)
            {
                text += &format!("{}}} {};\n", within(name, self.structure(members))?, renamed(name));
            }
        }
        for (handle, function) in module.functions.iter() {
            text += &within(name_of(&function.name), self.function(handle, function))?;
        }
        for (name, parameters) in kernels {
            let index = module.entry_points.iter().position(|entry| entry.name == *name);
            let index = index.ok_or_else(|| format!("The module has no kernel `{name}`."))?;
            text += &within(name, self.kernel(index, &module.entry_points[index], parameters))?;
        }
        Ok(text)
    }

    fn structure(&self, members: &[StructMember]) -> Result<String> {
        let member = |member: &StructMember| {
            Ok(format!("    {} {};\n", self.0.type_name(member.ty)?, renamed(name_of(&member.name))))
        };
        Ok(format!("typedef struct {{\n{}", members.iter().map(member).collect::<Result<String>>()?))
    }

    fn function(&self, handle: Handle<Function>, function: &Function) -> Result<String> {
        let (context, info) = (&self.0, &self.0.info[handle]);
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
        for &outer in context.outers(handle) {
            parameters.push(context.parameter(outer)?);
        }
        let result = function.result.as_ref().map_or(Ok("void".to_owned()), |result| context.type_name(result.ty))?;
        let (name, parameters) = (renamed(name_of(&function.name)), parameters.join(", "));
        Ok(format!("INLINE {result} {name}({parameters}) {{\n{}}}\n", indented(&body.lines()?)))
    }

    fn kernel(&self, index: usize, entry: &EntryPoint, parameters: &[&str]) -> Result<String> {
        let (context, info) = (&self.0, self.0.info.get_entry_point(index));
        let mut body = Body::new(context, &entry.function, info);
        body.taken.extend(parameters.iter().map(|name| renamed(name)));
        let parameters = parameters.iter().map(|name| context.outer(name)).collect::<Result<Vec<_>>>()?;
        let mut lines = Vec::new();
        for outer in context.outers_of(&entry.function, info) {
            match outer {
                Outer::Global(global) if let Some(declaration) = context.declaration(global)? => {
                    lines.push(declaration)
                }
                outer if !parameters.contains(&outer) => {
                    return Err(format!("`{}` is used, which is none of its parameters.", context.name(outer)));
                }
                _ => {}
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
        let parameters = parameters.into_iter().map(|outer| context.parameter(outer));
        let parameters = parameters.collect::<Result<Vec<_>>>()?.join(", ");
        Ok(format!("__kernel void {}({parameters}) {{\n{}}}\n", entry.name, indented(&lines)))
    }
}
