//! What all functions of a module share: types, constants, and what each function reaches.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashSet},
};

use naga::{
    AddressSpace, ArraySize, Block, Constant, Expression, Function, GlobalVariable, Handle, Literal, Module, Override,
    Scalar, ScalarKind, Statement, StorageAccess, StructMember, Type, TypeInner,
    valid::{FunctionInfo, GlobalUse, ModuleInfo},
};

use super::{
    error::{Result, unsupported},
    names,
    text::{Level, Text, binary},
};

/// What a function uses besides its arguments, in the order of parameters: a global variable, or a member of the uniform.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Outer {
    Global(Handle<GlobalVariable>),
    Scalar(u32),
}

impl Outer {
    pub(super) fn global(self) -> Option<Handle<GlobalVariable>> {
        match self {
            Self::Global(handle) => Some(handle),
            Self::Scalar(_) => None,
        }
    }
}

pub(super) struct Context<'a> {
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
    /// The struct of scalars.
    uniform: Option<Handle<GlobalVariable>>,
    /// The scalars that each function reaches, by the index of the function.
    scalars: Vec<BTreeSet<u32>>,
    /// The constants and structs that occur in what is printed.
    pub(super) constants: RefCell<HashSet<Handle<Constant>>>,
    pub(super) structs: RefCell<HashSet<Handle<Type>>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(module: &'a Module, info: &'a ModuleInfo) -> Result<Self> {
        let spaces = [AddressSpace::Uniform, AddressSpace::Immediate];
        let mut uniforms = module.global_variables.iter().filter(|(_, variable)| spaces.contains(&variable.space));
        let uniform = uniforms.next();
        let is_struct =
            uniform.is_none_or(|(_, variable)| matches!(module.types[variable.ty].inner, TypeInner::Struct { .. }));
        if !is_struct || uniforms.next().is_some() {
            return unsupported("a uniform besides one struct", "put all scalars into one struct");
        }
        let uniform = uniform.map(|(handle, _)| handle);
        let (constants, structs) = Default::default();
        let mut this = Self { module, info, uniform, scalars: Vec::new(), constants, structs };
        // A function comes after those that it calls.
        for (_, function) in module.functions.iter() {
            let scalars = this.scalars_of(function);
            this.scalars.push(scalars);
        }
        Ok(this)
    }

    // What functions reach.

    pub(super) fn is_uniform(&self, function: &Function, expression: Handle<Expression>) -> bool {
        matches!(function.expressions[expression], Expression::GlobalVariable(found) if Some(found) == self.uniform)
    }

    fn scalars_of(&self, function: &Function) -> BTreeSet<u32> {
        let mut scalars = BTreeSet::new();
        for (_, expression) in function.expressions.iter() {
            if let Expression::AccessIndex { base, index } = *expression
                && self.is_uniform(function, base)
            {
                scalars.insert(index);
            }
        }
        for callee in callees(function) {
            scalars.extend(&self.scalars[callee.index()]);
        }
        scalars
    }

    /// Returns what a function uses besides its arguments, itself or in functions that it calls.
    pub(super) fn outers(&self, function: &Function, info: &FunctionInfo) -> BTreeSet<Outer> {
        let globals = self.module.global_variables.iter().map(|(handle, _)| handle);
        let used = globals.filter(|&handle| Some(handle) != self.uniform && !info[handle].is_empty());
        used.map(Outer::Global).chain(self.scalars_of(function).into_iter().map(Outer::Scalar)).collect()
    }

    /// Whether memory may change while a kernel runs.
    pub(super) fn is_mutable(&self, variable: Handle<GlobalVariable>) -> bool {
        match self.module.global_variables[variable].space {
            AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
            AddressSpace::Uniform | AddressSpace::Immediate => false,
            _ => true,
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

    pub(super) fn outer_name(&self, outer: Outer) -> String {
        match outer {
            Outer::Global(handle) => names::variable(name_of(&self.module.global_variables[handle].name)),
            Outer::Scalar(index) => names::variable(name_of(&self.scalar(index).name)),
        }
    }

    /// Returns the member of the uniform with this index.
    fn scalar(&self, index: u32) -> &'a StructMember {
        match self.uniform.map(|uniform| &self.module.types[self.module.global_variables[uniform].ty].inner) {
            Some(TypeInner::Struct { members, .. }) => &members[index as usize],
            _ => unreachable!("`new` checks that the uniform is a struct"),
        }
    }

    /// Returns the declaration of a parameter.
    pub(super) fn outer_parameter(&self, outer: Outer) -> Result<String> {
        let name = self.outer_name(outer);
        let variable = match outer {
            Outer::Global(handle) => &self.module.global_variables[handle],
            Outer::Scalar(index) => return Ok(format!("{} {name}", self.type_name(self.scalar(index).ty)?)),
        };
        let (element, inner_size) = self.element(variable.ty)?;
        let (space, restrict) = match variable.space {
            AddressSpace::WorkGroup => ("__local ", ""),
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => ("__global ", "restrict "),
            AddressSpace::Storage { .. } => ("__global const ", "restrict "),
            _ => ("", ""),
        };
        Ok(match inner_size {
            Some(size) => format!("{space}{element} (*{restrict}{name})[{size}]"),
            None => format!("{space}{element} *{restrict}{name}"),
        })
    }

    /// Returns the declaration of a work-group or private variable at the start of a kernel: an array, so that its name is a
    /// pointer, as in functions.
    pub(super) fn outer_declaration(&self, handle: Handle<GlobalVariable>) -> Result<Option<String>> {
        let variable = &self.module.global_variables[handle];
        let (space, value) = match (variable.space, variable.init) {
            (AddressSpace::WorkGroup, _) => ("__local ", String::new()),
            (AddressSpace::Private, None) => ("", " = {0}".to_owned()),
            (AddressSpace::Private, Some(init)) => ("", format!(" = {{{}}}", self.constant(init)?.text)),
            _ => return Ok(None),
        };
        let (element, inner_size) = self.element(variable.ty)?;
        let size = match self.module.types[variable.ty].inner {
            TypeInner::Array { size, .. } => self.array_size(size)?,
            _ => "1".to_owned(),
        };
        let inner_size = inner_size.map_or(String::new(), |size| format!("[{size}]"));
        Ok(Some(format!("{space}{element} {}[{size}]{inner_size}{value};", self.outer_name(Outer::Global(handle)))))
    }

    /// Returns the type of the elements of a variable, which is an array or not, and their number if they are arrays themselves.
    fn element(&self, ty: Handle<Type>) -> Result<(String, Option<String>)> {
        let TypeInner::Array { base, .. } = self.module.types[ty].inner else { return Ok((self.type_name(ty)?, None)) };
        match self.module.types[base].inner {
            TypeInner::Array { base, size, .. } => Ok((self.type_name(base)?, Some(self.array_size(size)?))),
            _ => Ok((self.type_name(base)?, None)),
        }
    }

    fn array_size(&self, size: ArraySize) -> Result<String> {
        match size {
            ArraySize::Constant(size) => Ok(size.to_string()),
            ArraySize::Pending(size) => Ok(self.open_constant(size)?.text),
            ArraySize::Dynamic => unsupported("an array of unknown size in this place", "give it a size"),
        }
    }

    // Types.

    /// Returns the name of a type of values.
    pub(super) fn type_name(&self, ty: Handle<Type>) -> Result<String> {
        let Type { name, inner } = &self.module.types[ty];
        match (inner, name) {
            (TypeInner::Struct { .. }, Some(name)) if name.starts_with("__atomic_compare_exchange_result") => {
                Ok("Exchange".to_owned())
            }
            (TypeInner::Struct { .. }, Some(name)) => {
                self.structs.borrow_mut().insert(ty);
                Ok(names::member(name))
            }
            _ => inner_name(inner),
        }
    }

    /// Returns zero of a type, as the value of a declaration or, with the type of a struct before it, as an expression.
    pub(super) fn zero(&self, ty: Handle<Type>) -> Result<Text> {
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                let first = self.zero(members[0].ty)?.text;
                Ok(Text::postfix(if first.starts_with(['{', '(']) { format!("{{{first}}}") } else { "{0}".to_owned() }))
            }
            TypeInner::Scalar(scalar) => match Literal::zero(*scalar) {
                Some(zero) => literal(&zero),
                None => unsupported("a zero of this type", "use u32, i32, u64 or bool"),
            },
            TypeInner::Vector { scalar, .. } if *scalar != Scalar::BOOL => {
                Ok(Text::new(format!("({})(0)", self.type_name(ty)?), Level::Unary))
            }
            _ => unsupported("a zero of this type", "use scalars, vectors of numbers and structs"),
        }
    }

    // Constants.

    /// Returns an expression that is known when the kernels are compiled.
    pub(super) fn constant(&self, handle: Handle<Expression>) -> Result<Text> {
        let expressions = &self.module.global_expressions;
        match &expressions[handle] {
            Expression::Literal(value) => literal(value),
            Expression::Constant(constant) => self.named_constant(*constant),
            Expression::Override(constant) => self.open_constant(*constant),
            Expression::ZeroValue(ty) => self.zero_value(*ty),
            Expression::Binary { op, left, right } => Ok(binary(*op, self.constant(*left)?, self.constant(*right)?)),
            Expression::Splat { value, .. } => self.constant(*value),
            Expression::Compose { ty, components } => {
                let components = components.iter().map(|&component| Ok(self.constant(component)?.text));
                self.composed(*ty, &components.collect::<Result<Vec<_>>>()?)
            }
            other => unsupported(&format!("the constant {other:?}"), "write its value"),
        }
    }

    /// Returns a constant: the name of a scalar, else its value.
    pub(super) fn named_constant(&self, handle: Handle<Constant>) -> Result<Text> {
        let constant = &self.module.constants[handle];
        match (&constant.name, &self.module.types[constant.ty].inner) {
            (Some(name), TypeInner::Scalar(_)) => {
                self.constants.borrow_mut().insert(handle);
                Ok(Text::postfix(name))
            }
            _ => self.constant(constant.init),
        }
    }

    /// Returns a constant that the host sets: the name of its macro, or an expression of these.
    pub(super) fn open_constant(&self, handle: Handle<Override>) -> Result<Text> {
        match &self.module.overrides[handle] {
            Override { name: Some(name), init: None, .. } => Ok(Text::postfix(name)),
            Override { name: None, init: Some(init), .. } => self.constant(*init),
            other => unsupported(
                &format!("the value of the override `{}`", name_of(&other.name)),
                "declare it without a value, or as a constant",
            ),
        }
    }

    /// Returns zero as an expression.
    pub(super) fn zero_value(&self, ty: Handle<Type>) -> Result<Text> {
        let zero = self.zero(ty)?;
        Ok(match self.module.types[ty].inner {
            TypeInner::Struct { .. } => Text::new(format!("({}){}", self.type_name(ty)?, zero.text), Level::Unary),
            _ => zero,
        })
    }

    /// Returns a vector or a struct of some components.
    pub(super) fn composed(&self, ty: Handle<Type>, components: &[String]) -> Result<Text> {
        let (name, components) = (self.type_name(ty)?, components.join(", "));
        Ok(match self.module.types[ty].inner {
            // True is -1 in a vector of C, and 1 elsewhere.
            TypeInner::Vector { scalar: Scalar::BOOL, .. } => {
                return unsupported("a vector of bool that is no comparison", "compare vectors");
            }
            TypeInner::Vector { .. } => Text::new(format!("({name})({components})"), Level::Unary),
            _ => Text::new(format!("({name}){{{components}}}"), Level::Unary),
        })
    }
}

/// Returns a name, which validated modules have wherever the writer asks for one.
pub(super) fn name_of(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or_default()
}

/// Returns the functions that a function calls.
pub(super) fn callees(function: &Function) -> BTreeSet<Handle<Function>> {
    let mut callees = BTreeSet::new();
    walk(&function.body, &mut |statement| {
        if let Statement::Call { function, .. } = statement {
            callees.insert(*function);
        }
    });
    callees
}

/// Visits all statements of a block, those of inner blocks before the statement that has these blocks.
pub(super) fn walk<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Statement)) {
    for statement in block.iter() {
        blocks(statement).into_iter().for_each(|block| walk(block, visit));
        visit(statement);
    }
}

/// Returns the blocks of a statement.
pub(super) fn blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// Returns the name of a type that is no struct.
pub(super) fn inner_name(inner: &TypeInner) -> Result<String> {
    match *inner {
        TypeInner::Atomic(Scalar::U32) => Ok("uint".to_owned()),
        TypeInner::Scalar(scalar) => scalar_name(scalar).map(str::to_owned),
        // As the result of a comparison of vectors in C.
        TypeInner::Vector { size, scalar: Scalar::BOOL } => Ok(format!("int{}", size as u32)),
        TypeInner::Vector { size, scalar } if scalar.width == 4 => {
            Ok(format!("{}{}", scalar_name(scalar)?, size as u32))
        }
        TypeInner::Array { .. } => unsupported("an array as a value or in a struct", "use a vector or a struct"),
        ref other => unsupported(&format!("the type {other:?}"), "use scalars, vectors and structs"),
    }
}

pub(super) fn scalar_name(scalar: Scalar) -> Result<&'static str> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Ok("bool"),
        (ScalarKind::Uint, 4) => Ok("uint"),
        (ScalarKind::Sint, 4) => Ok("int"),
        (ScalarKind::Uint, 8) => Ok("ulong"),
        _ => unsupported(&format!("the type {scalar:?}"), "use u32, i32, u64 or bool"),
    }
}

/// Returns a literal. Numbers without a sign are in hexadecimal if they have many digits, as sets of bits have.
pub(super) fn literal(literal: &Literal) -> Result<Text> {
    Ok(match *literal {
        Literal::U32(value) if value > 9999 => Text::postfix(format!("{value:#x}u")),
        Literal::U32(value) => Text::postfix(format!("{value}u")),
        Literal::U64(value) if value > 99 => Text::postfix(format!("{value:#x}ul")),
        Literal::U64(value) => Text::postfix(format!("{value}ul")),
        Literal::I32(i32::MIN) => Text::postfix("(-2147483647 - 1)"),
        Literal::I32(value) if value < 0 => Text::new(value.to_string(), Level::Unary),
        Literal::I32(value) => Text::postfix(value.to_string()),
        Literal::Bool(value) => Text::postfix(value.to_string()),
        ref other => return unsupported(&format!("the literal {other:?}"), "use u32, i32, u64 or bool"),
    })
}
