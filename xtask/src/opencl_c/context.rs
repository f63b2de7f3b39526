//! What all functions of a module share: types, constants, and what each function reaches.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use naga::valid::{FunctionInfo, GlobalUse, ModuleInfo};
use naga::{
    AddressSpace, ArraySize, Block, Constant, DocComments, Expression, Function, GlobalVariable, Handle, Literal,
    Module, Override, Scalar, ScalarKind, Statement, StorageAccess, Type, TypeInner,
};

use super::error::{Result, unsupported};
use super::text::{Text, binary, comment};
use super::{is_pointer, names};

/// What a function uses besides its arguments, in the order of parameters: a global variable, or a member of the uniform.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Outer {
    Global(Handle<GlobalVariable>),
    Scalar(u32),
}

/// A module, and what the printed text has used of it so far.
pub(super) struct Context<'a> {
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
    /// The struct of scalars.
    uniform: Option<Handle<GlobalVariable>>,
    /// The scalars that each function reaches, by the index of the function.
    scalars: Vec<BTreeSet<u32>>,
    constants: RefCell<HashSet<Handle<Constant>>>,
    structs: RefCell<HashSet<Handle<Type>>>,
}

/// Returns a name, or nothing.
pub(super) fn name_of(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or_default()
}

/// Returns the blocks of a statement.
pub(super) fn blocks_of(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// Returns the functions that a function calls itself.
pub(super) fn callees(function: &Function) -> BTreeSet<Handle<Function>> {
    fn add(block: &Block, callees: &mut BTreeSet<Handle<Function>>) {
        for statement in block.iter() {
            if let Statement::Call { function, .. } = statement {
                callees.insert(*function);
            }
            blocks_of(statement).into_iter().for_each(|block| add(block, callees));
        }
    }
    let mut callees = BTreeSet::new();
    add(&function.body, &mut callees);
    callees
}

impl<'a> Context<'a> {
    pub(super) fn new(module: &'a Module, info: &'a ModuleInfo) -> Result<Self> {
        let uniforms = module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::Uniform);
        let uniforms: Vec<_> = uniforms.map(|(handle, _)| handle).collect();
        if uniforms.len() > 1 {
            return unsupported("A second uniform", "put all scalars into one struct");
        }
        let uniform = uniforms.first().copied();
        let (constants, structs) = Default::default();
        let mut this = Self { module, info, uniform, scalars: Vec::new(), constants, structs };
        // A function comes after those that it calls.
        for (_, function) in module.functions.iter() {
            let scalars = this.scalars_of(function);
            this.scalars.push(scalars);
        }
        Ok(this)
    }

    /// Returns a comment of the source.
    pub(super) fn comments<'b>(
        &'b self,
        get: impl FnOnce(&'b DocComments) -> Option<&'b Vec<String>>,
    ) -> Option<&'b Vec<String>> {
        self.module.doc_comments.as_deref().and_then(get)
    }

    /// Whether an expression is the uniform.
    pub(super) fn is_uniform(&self, function: &Function, expression: Handle<Expression>) -> bool {
        matches!(function.expressions[expression], Expression::GlobalVariable(found) if Some(found) == self.uniform)
    }

    /// Returns the scalars that a function reaches.
    fn scalars_of(&self, function: &Function) -> BTreeSet<u32> {
        let own = function.expressions.iter().filter_map(|(_, expression)| match *expression {
            Expression::AccessIndex { base, index } if self.is_uniform(function, base) => Some(index),
            _ => None,
        });
        let called = callees(function).into_iter().flat_map(|callee| &self.scalars[callee.index()]);
        own.chain(called.copied()).collect()
    }

    /// Returns what a function uses besides its arguments, itself or in functions that it calls.
    pub(super) fn outers(&self, function: &Function, info: &FunctionInfo) -> Vec<Outer> {
        let globals = self.module.global_variables.iter().map(|(handle, _)| handle);
        let used = globals.filter(|&handle| Some(handle) != self.uniform && !info[handle].is_empty());
        used.map(Outer::Global).chain(self.scalars_of(function).into_iter().map(Outer::Scalar)).collect()
    }

    /// Whether memory may change while a kernel runs.
    pub(super) fn is_mutable(&self, variable: Handle<GlobalVariable>) -> bool {
        match self.module.global_variables[variable].space {
            AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
            AddressSpace::Uniform => false,
            _ => true,
        }
    }

    /// Whether a call of a function only computes its result, from arguments and memory that does not change.
    pub(super) fn is_pure(&self, handle: Handle<Function>) -> bool {
        let (function, info) = (&self.module.functions[handle], &self.info[handle]);
        let mut globals = self.module.global_variables.iter();
        !function.arguments.iter().any(|argument| is_pointer(&self.module.types[argument.ty].inner))
            && globals.all(|(global, _)| info[global] == GlobalUse::empty() || !self.is_mutable(global))
    }

    /// Returns the member of the uniform: its name and type.
    fn scalar(&self, index: u32) -> Result<(&str, Handle<Type>)> {
        let uniform = self.uniform.map(|uniform| &self.module.types[self.module.global_variables[uniform].ty].inner);
        match uniform {
            Some(TypeInner::Struct { members, .. }) => {
                let member = &members[index as usize];
                Ok((name_of(&member.name), member.ty))
            }
            _ => unsupported("a uniform that is no struct", "put the scalars into a struct"),
        }
    }

    /// Returns the name of what a function uses besides its arguments.
    pub(super) fn outer_name(&self, outer: Outer) -> Result<String> {
        Ok(names::variable(match outer {
            Outer::Global(handle) => name_of(&self.module.global_variables[handle].name),
            Outer::Scalar(index) => self.scalar(index)?.0,
        }))
    }

    /// Returns the type of a global variable's elements, the size of the variable, and the sizes of its elements, as in C.
    fn elements(&self, variable: &GlobalVariable) -> Result<(String, String, String)> {
        let TypeInner::Array { base, size, .. } = self.module.types[variable.ty].inner else {
            return Ok((self.type_name(variable.ty)?, "[1]".to_owned(), String::new()));
        };
        let size = if size == ArraySize::Dynamic { String::new() } else { self.array_size(size)? };
        match self.module.types[base].inner {
            TypeInner::Array { base, size: inner, .. } => Ok((self.type_name(base)?, size, self.array_size(inner)?)),
            _ => Ok((self.type_name(base)?, size, String::new())),
        }
    }

    fn array_size(&self, size: ArraySize) -> Result<String> {
        match size {
            ArraySize::Constant(size) => Ok(format!("[{size}]")),
            ArraySize::Pending(size) => Ok(format!("[{}]", self.override_text(size)?.text)),
            ArraySize::Dynamic => unsupported("an array without a size in another array", "give it a size"),
        }
    }

    /// Returns the declaration of a parameter.
    pub(super) fn parameter(&self, outer: Outer) -> Result<String> {
        let name = self.outer_name(outer)?;
        let handle = match outer {
            Outer::Scalar(index) => return Ok(format!("{} {name}", self.type_name(self.scalar(index)?.1)?)),
            Outer::Global(handle) => handle,
        };
        let variable = &self.module.global_variables[handle];
        let (element, _, sizes) = self.elements(variable)?;
        let (space, pointer) = match variable.space {
            AddressSpace::Storage { .. } if self.is_mutable(handle) => ("__global ", "*restrict "),
            AddressSpace::Storage { .. } => ("__global const ", "*restrict "),
            AddressSpace::WorkGroup => ("__local ", "*"),
            AddressSpace::Private => ("", "*"),
            space => return unsupported(&format!("memory of the kind {space:?}"), "use storage buffers"),
        };
        Ok(match sizes.as_str() {
            "" => format!("{space}{element} {pointer}{name}"),
            sizes => format!("{space}{element} ({pointer}{name}){sizes}"),
        })
    }

    /// Returns the declaration of a variable that a kernel declares. A variable that is no array becomes an array of one element, so that
    /// its name is a pointer in all functions.
    pub(super) fn declaration(&self, outer: Outer) -> Result<Option<String>> {
        let Outer::Global(handle) = outer else { return Ok(None) };
        let variable = &self.module.global_variables[handle];
        let (start, end) = match (variable.space, variable.init) {
            (AddressSpace::WorkGroup, _) => ("__local ", ""),
            (AddressSpace::Private, None) => ("", " = {0}"),
            (AddressSpace::Private, Some(_)) => {
                return unsupported("an initial value of a private variable", "set the variable in the kernel");
            }
            _ => return Ok(None),
        };
        let (element, size, sizes) = self.elements(variable)?;
        Ok(Some(format!("{start}{element} {}{size}{sizes}{end};", self.outer_name(outer)?)))
    }

    /// Returns the name of a type.
    pub(super) fn type_name(&self, handle: Handle<Type>) -> Result<String> {
        let ty = &self.module.types[handle];
        match &ty.inner {
            TypeInner::Struct { .. } if is_exchange(ty) => Ok("Exchange".to_owned()),
            TypeInner::Struct { .. } => {
                self.structs.borrow_mut().insert(handle);
                Ok(names::variable(name_of(&ty.name)))
            }
            inner => self.inner_name(inner),
        }
    }

    /// Returns the name of a type that has none in WGSL.
    pub(super) fn inner_name(&self, inner: &TypeInner) -> Result<String> {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Ok(scalar_name(scalar)?.to_owned()),
            TypeInner::Vector { size, scalar } => Ok(format!("{}{}", scalar_name(scalar)?, size as u8)),
            TypeInner::Pointer { base, space: AddressSpace::Function } => Ok(format!("{} *", self.type_name(base)?)),
            TypeInner::Array { .. } => {
                unsupported("an array that is no buffer", "use a struct, or write the elements out")
            }
            ref other => unsupported(&format!("the type {other:?}"), "use integers, vectors and structs"),
        }
    }

    /// Returns a constant expression of the module.
    pub(super) fn constant(&self, handle: Handle<Expression>) -> Result<Text> {
        match self.module.global_expressions[handle] {
            Expression::Literal(literal) => literal_text(literal),
            Expression::Constant(constant) => self.named_constant(constant),
            Expression::Override(found) => self.override_text(found),
            Expression::Binary { op, left, right } => Ok(binary(op, self.constant(left)?, self.constant(right)?)),
            ref other => unsupported(&format!("the constant {other:?}"), "use a literal"),
        }
    }

    /// Returns the name of a constant, or the value of one without a name.
    pub(super) fn named_constant(&self, handle: Handle<Constant>) -> Result<Text> {
        let constant = &self.module.constants[handle];
        match &constant.name {
            Some(name) => {
                self.constants.borrow_mut().insert(handle);
                Ok(Text::postfix(name))
            }
            None => self.constant(constant.init),
        }
    }

    /// Returns the name of a constant that the host defines, or an expression of such constants.
    pub(super) fn override_text(&self, handle: Handle<Override>) -> Result<Text> {
        let found = &self.module.overrides[handle];
        match (&found.name, found.init) {
            (Some(name), None) => Ok(Text::postfix(name)),
            (None, Some(init)) => self.constant(init),
            _ => unsupported("an `override` with a value", "leave the value to the host"),
        }
    }

    /// Returns the definitions of the constants that were used.
    pub(super) fn constants_used(&self) -> Result<String> {
        let mut text = String::new();
        for (handle, constant) in self.module.constants.iter() {
            if self.constants.borrow().contains(&handle) {
                text += &comment(self.comments(|comments| comments.constants.get(&handle)));
                let value = self.constant(constant.init)?;
                text += &format!("#define {} {}\n", name_of(&constant.name), value.in_macro());
            }
        }
        Ok(text + "\n")
    }

    /// Returns the definitions of the structs that were used, each after those of its members.
    pub(super) fn structs_used(&self) -> Result<String> {
        let mut texts = Vec::new();
        // A type comes after the types of its members, so that going backwards finds all.
        let types: Vec<_> = self.module.types.iter().collect();
        for &(handle, ty) in types.iter().rev() {
            let TypeInner::Struct { members, .. } = &ty.inner else { continue };
            if !self.structs.borrow().contains(&handle) {
                continue;
            }
            let mut text = comment(self.comments(|comments| comments.types.get(&handle))) + "typedef struct {\n";
            for member in members {
                let name = names::variable(name_of(&member.name));
                text += &format!("    {} {name};\n", self.type_name(member.ty)?);
            }
            texts.push(text + &format!("}} {};\n\n", self.type_name(handle)?));
        }
        texts.reverse();
        Ok(texts.concat())
    }
}

/// Whether a type is what WGSL's compare-exchange returns.
fn is_exchange(ty: &Type) -> bool {
    name_of(&ty.name).starts_with("__atomic_compare_exchange_result")
}

fn scalar_name(scalar: Scalar) -> Result<&'static str> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Ok("bool"),
        (ScalarKind::Sint, 4) => Ok("int"),
        (ScalarKind::Uint, 4) => Ok("uint"),
        (ScalarKind::Uint, 8) => Ok("ulong"),
        _ => unsupported(&format!("the type {scalar:?}"), "use u32, i32, u64 or bool"),
    }
}

/// Returns a literal. Large numbers are mostly masks, which are read in hexadecimal.
pub(super) fn literal_text(literal: Literal) -> Result<Text> {
    match literal {
        Literal::Bool(value) => Ok(Text::postfix(value.to_string())),
        Literal::U32(value) if value > 0xffff => Ok(Text::postfix(format!("{value:#x}u"))),
        Literal::U32(value) => Ok(Text::postfix(format!("{value}u"))),
        Literal::U64(value) if value > 9 => Ok(Text::postfix(format!("{value:#x}UL"))),
        Literal::U64(value) => Ok(Text::postfix(format!("{value}UL"))),
        Literal::I32(value) if value < 0 => Ok(Text::unary(value.to_string())),
        Literal::I32(value) => Ok(Text::postfix(value.to_string())),
        other => unsupported(&format!("the literal {other:?}"), "use integers"),
    }
}
