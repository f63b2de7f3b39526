//! What all functions of a module share: types, constants, and what each function uses of the module.

use std::collections::BTreeSet;

use naga::{
    AddressSpace, ArraySize, Block, Expression, Function, GlobalVariable, Handle, Literal, Module, Scalar, ScalarKind,
    Statement, StorageAccess, StructMember, Type, TypeInner,
    valid::{FunctionInfo, GlobalUse, ModuleInfo},
};

use super::text::{Level, Text, binary, renamed};

/// The beginning of the names that naga gives to results of compare-exchange.
const EXCHANGE: &str = "__atomic_compare_exchange_result";

pub(super) type Result<T> = std::result::Result<T, String>;

/// Returns the error for something outside of the subset, with what to do instead.
pub(super) fn unsupported<T>(what: &str, advice: &str) -> Result<T> {
    Err(format!("{what} is not supported; {advice}."))
}

/// What a function uses besides its arguments, in the order of parameters: a global variable, or a member of the uniform.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outer {
    Global(Handle<GlobalVariable>),
    Scalar(u32),
}

pub(super) struct Context<'a> {
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
    /// The uniform, and its members.
    uniform: Option<Handle<GlobalVariable>>,
    members: &'a [StructMember],
    /// What each function uses besides its arguments, by the index of the function.
    outers: Vec<BTreeSet<Outer>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(module: &'a Module, info: &'a ModuleInfo) -> Result<Self> {
        let mut uniforms = module.global_variables.iter().filter(|(_, it)| it.space == AddressSpace::Uniform);
        let (uniform, members) = match uniforms.next() {
            None => (None, &[][..]),
            Some((uniform, variable)) => match &module.types[variable.ty].inner {
                TypeInner::Struct { members, .. } => (Some(uniform), &members[..]),
                _ => return unsupported("a uniform that is no struct", "put all scalars into one struct"),
            },
        };
        let mut this = Self { module, info, uniform, members, outers: Vec::new() };
        // A function comes after those that it calls.
        for (handle, function) in module.functions.iter() {
            this.outers.push(this.outers_of(function, &info[handle]));
        }
        Ok(this)
    }

    pub(super) fn is_uniform(&self, function: &Function, expression: Handle<Expression>) -> bool {
        matches!(function.expressions[expression], Expression::GlobalVariable(found) if Some(found) == self.uniform)
    }

    /// Returns what a function or a kernel, or a function that it calls, uses besides its arguments.
    pub(super) fn outers_of(&self, function: &Function, info: &FunctionInfo) -> BTreeSet<Outer> {
        let globals = self.module.global_variables.iter().map(|(handle, _)| handle);
        let used = globals.filter(|&handle| Some(handle) != self.uniform && !info[handle].is_empty());
        let scalar = |(_, expression): (_, &Expression)| match *expression {
            Expression::AccessIndex { base, index } if self.is_uniform(function, base) => Some(Outer::Scalar(index)),
            _ => None,
        };
        let mut outers: BTreeSet<_> =
            used.map(Outer::Global).chain(function.expressions.iter().filter_map(scalar)).collect();
        visit_calls(&function.body, &mut |callee| outers.extend(self.outers(callee)));
        outers
    }

    pub(super) fn outers(&self, function: Handle<Function>) -> &BTreeSet<Outer> {
        &self.outers[function.index()]
    }

    /// Whether memory may change while a kernel runs.
    pub(super) fn is_mutable(&self, variable: Handle<GlobalVariable>) -> bool {
        match self.module.global_variables[variable].space {
            AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
            space => space != AddressSpace::Uniform,
        }
    }

    /// Whether a call of a function only computes its result, from arguments and memory that it does not change.
    pub(super) fn is_pure(&self, handle: Handle<Function>) -> bool {
        let (function, info) = (&self.module.functions[handle], &self.info[handle]);
        let is_pointer = |ty: Handle<Type>| matches!(self.module.types[ty].inner, TypeInner::Pointer { .. });
        let mut globals = self.module.global_variables.iter();
        info.uniformity.requirements.is_empty()
            && !function.arguments.iter().any(|argument| is_pointer(argument.ty))
            && globals.all(|(global, _)| GlobalUse::READ.contains(info[global]))
    }

    pub(super) fn name(&self, outer: Outer) -> String {
        renamed(name_of(match outer {
            Outer::Global(handle) => &self.module.global_variables[handle].name,
            Outer::Scalar(index) => &self.members[index as usize].name,
        }))
    }

    /// Returns the buffer or the scalar of a name.
    pub(super) fn outer(&self, name: &str) -> Result<Outer> {
        let globals = self.module.global_variables.iter().map(|(handle, _)| Outer::Global(handle));
        let mut outers = globals.chain((0..self.members.len() as u32).map(Outer::Scalar));
        let named = outers.find(|&outer| self.name(outer) == renamed(name));
        named.ok_or_else(|| format!("`{name}` is no buffer and no scalar."))
    }

    pub(super) fn parameter(&self, outer: Outer) -> Result<String> {
        let name = self.name(outer);
        let variable = match outer {
            Outer::Global(handle) => &self.module.global_variables[handle],
            Outer::Scalar(index) => return Ok(format!("{} {name}", self.type_name(self.members[index as usize].ty)?)),
        };
        let (element, _, inner_size) = self.element(variable.ty)?;
        let (space, restrict) = match variable.space {
            AddressSpace::WorkGroup => ("__local ", ""),
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => ("__global ", "restrict "),
            AddressSpace::Storage { .. } => ("__global const ", "restrict "),
            _ => ("", ""),
        };
        Ok(match inner_size.as_str() {
            "" => format!("{space}{element} *{restrict}{name}"),
            size => format!("{space}{element} (*{restrict}{name}){size}"),
        })
    }

    /// Returns the declaration of a work-group or private variable at the start of a kernel: an array, so that its name is a
    /// pointer, as in functions.
    pub(super) fn declaration(&self, handle: Handle<GlobalVariable>) -> Result<Option<String>> {
        let variable = &self.module.global_variables[handle];
        let (space, value) = match (variable.space, variable.init) {
            (AddressSpace::WorkGroup, _) => ("__local ", String::new()),
            (AddressSpace::Private, None) => ("", " = {0}".to_owned()),
            (AddressSpace::Private, Some(init)) => ("", format!(" = {{{}}}", self.constant(init)?.text)),
            _ => return Ok(None),
        };
        let (element, size, inner_size) = self.element(variable.ty)?;
        Ok(Some(format!("{space}{element} {}{size}{inner_size}{value};", self.name(Outer::Global(handle)))))
    }

    /// Returns the type of the elements of a variable, the size of the array, and the size of its elements if they are arrays.
    fn element(&self, ty: Handle<Type>) -> Result<(String, String, String)> {
        let size = |size| match size {
            ArraySize::Constant(size) => Result::Ok(format!("[{size}]")),
            ArraySize::Dynamic => Ok(String::new()),
            ArraySize::Pending(_) => unsupported("an override", "declare a constant"),
        };
        let types = &self.module.types;
        let TypeInner::Array { base, size: outer, .. } = types[ty].inner else {
            return Ok((self.type_name(ty)?, "[1]".to_owned(), String::new()));
        };
        match types[base].inner {
            TypeInner::Array { base, size: inner, .. } => Ok((self.type_name(base)?, size(outer)?, size(inner)?)),
            _ => Ok((self.type_name(base)?, size(outer)?, String::new())),
        }
    }

    // Types.

    /// Whether a struct is printed: not the uniform's, whose members are parameters, and none that naga adds, which is in the prelude.
    pub(super) fn is_printed(&self, ty: Handle<Type>) -> bool {
        let uniform = self.uniform.map(|uniform| self.module.global_variables[uniform].ty);
        uniform != Some(ty) && !name_of(&self.module.types[ty].name).starts_with(EXCHANGE)
    }

    pub(super) fn type_name(&self, ty: Handle<Type>) -> Result<String> {
        match &self.module.types[ty] {
            Type { name: Some(name), .. } if name.starts_with(EXCHANGE) => Ok("Exchange".to_owned()),
            Type { name: Some(name), inner: TypeInner::Struct { .. } } => Ok(renamed(name)),
            Type { inner, .. } => inner_name(inner),
        }
    }

    // Constants.

    /// Returns an expression that is known when the kernels are compiled.
    pub(super) fn constant(&self, handle: Handle<Expression>) -> Result<Text> {
        self.simple(&self.module.global_expressions[handle], &mut |operand| self.constant(operand))
    }

    /// Returns an expression that reads no memory of a function. `value` returns its operands.
    pub(super) fn simple(
        &self,
        expression: &Expression,
        value: &mut dyn FnMut(Handle<Expression>) -> Result<Text>,
    ) -> Result<Text> {
        match *expression {
            Expression::Literal(ref value) => literal(value),
            Expression::Constant(constant) => match &self.module.constants[constant] {
                constant if matches!(self.module.types[constant.ty].inner, TypeInner::Scalar(_)) => {
                    Ok(Text::postfix(name_of(&constant.name)))
                }
                constant => self.constant(constant.init),
            },
            Expression::ZeroValue(ty) => match self.module.types[ty].inner {
                TypeInner::Struct { .. } => Ok(Text::new(format!("({}){{0}}", self.type_name(ty)?), Level::Unary)),
                TypeInner::Scalar(scalar) => {
                    Literal::zero(scalar).map_or(unsupported("a zero of this type", "write it"), |zero| literal(&zero))
                }
                _ => Ok(Text::new(format!("({})(0)", self.type_name(ty)?), Level::Unary)),
            },
            Expression::Binary { op, left, right } => Ok(binary(op, value(left)?, value(right)?)),
            Expression::Compose { ty, ref components } => {
                let components = components.iter().map(|&component| Ok(value(component)?.text));
                let (name, components) = (self.type_name(ty)?, components.collect::<Result<Vec<_>>>()?.join(", "));
                Ok(match self.module.types[ty].inner {
                    // True is -1 in a vector of C, and 1 elsewhere.
                    TypeInner::Vector { scalar: Scalar::BOOL, .. } => {
                        return unsupported("a vector of bool that is no comparison", "compare vectors");
                    }
                    TypeInner::Vector { .. } => Text::new(format!("({name})({components})"), Level::Unary),
                    _ => Text::new(format!("({name}){{{components}}}"), Level::Unary),
                })
            }
            ref other => unsupported(&format!("the expression {other:?}"), "write it in another way"),
        }
    }
}

/// Returns a name, which validated modules have wherever the writer asks for one.
pub(super) fn name_of(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or_default()
}

pub(super) fn visit_calls(block: &Block, visit: &mut dyn FnMut(Handle<Function>)) {
    for statement in block.iter() {
        match statement {
            Statement::Call { function, .. } => visit(*function),
            Statement::Block(block) => visit_calls(block, visit),
            Statement::If { accept: one, reject: other, .. } | Statement::Loop { body: one, continuing: other, .. } => {
                visit_calls(one, visit);
                visit_calls(other, visit);
            }
            _ => {}
        }
    }
}

pub(super) fn inner_name(inner: &TypeInner) -> Result<String> {
    let name = |scalar: Scalar| match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Ok("bool"),
        (ScalarKind::Uint, 4) => Ok("uint"),
        (ScalarKind::Sint, 4) => Ok("int"),
        (ScalarKind::Uint, 8) => Ok("ulong"),
        _ => unsupported(&format!("the type {scalar:?}"), "use u32, i32, u64 or bool"),
    };
    match *inner {
        TypeInner::Atomic(scalar) | TypeInner::Scalar(scalar) => name(scalar).map(str::to_owned),
        // As the result of a comparison of vectors in C.
        TypeInner::Vector { size, scalar: Scalar::BOOL } => Ok(format!("int{}", size as u32)),
        TypeInner::Vector { size, scalar } if scalar.width == 4 => Ok(format!("{}{}", name(scalar)?, size as u32)),
        TypeInner::Array { .. } => unsupported("an array as a value or in a struct", "use a vector or a struct"),
        ref other => unsupported(&format!("the type {other:?}"), "use scalars, vectors and structs"),
    }
}

/// Returns a literal. Numbers without a sign are in hexadecimal if they have many digits, as sets of bits have.
fn literal(literal: &Literal) -> Result<Text> {
    Ok(match *literal {
        Literal::U32(value) if value > 9999 => Text::postfix(format!("{value:#x}u")),
        Literal::U32(value) => Text::postfix(format!("{value}u")),
        Literal::U64(value) if value > 99 => Text::postfix(format!("{value:#x}ul")),
        Literal::U64(value) => Text::postfix(format!("{value}ul")),
        Literal::I32(value) if value >= 0 => Text::postfix(value.to_string()),
        Literal::I32(value) if value > i32::MIN => Text::new(value.to_string(), Level::Unary),
        Literal::Bool(value) => Text::postfix(value.to_string()),
        ref other => return unsupported(&format!("the literal {other:?}"), "use u32, i32, u64 or bool"),
    })
}
