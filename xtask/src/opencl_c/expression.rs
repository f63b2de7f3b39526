//! Expressions of a function.

use std::collections::{HashMap, HashSet};

use naga::{
    AtomicFunction, Expression, Function, Handle, LocalVariable, MathFunction, RelationalFunction, Scalar, ScalarKind,
    SwizzleComponent, TypeInner, UnaryOperator, valid::FunctionInfo,
};

use super::{
    analysis::{Analysis, Logical, Root},
    context::{Context, Outer, callees, inner_name, literal, name_of},
    error::{Error, Result, unsupported},
    names,
    text::{Level, Text, binary},
};

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// A function while it is printed.
pub(super) struct Body<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) analysis: Analysis<'a>,
    pub(super) arguments: Vec<String>,
    pub(super) locals: HashMap<Handle<LocalVariable>, String>,
    /// The text of expressions that are computed already, mostly names.
    pub(super) known: HashMap<Handle<Expression>, Text>,
    /// Expressions that read memory which may change, and are not printed yet.
    pub(super) pending: Vec<Handle<Expression>>,
    /// The names that are taken in this place.
    pub(super) taken: HashSet<String>,
}

impl<'a> Body<'a> {
    /// Begins a function. No variable may hide what the function uses.
    pub(super) fn new(context: &'a Context<'a>, function: &'a Function, info: &'a FunctionInfo) -> Self {
        let module = context.module;
        let constants = module.constants.iter().map(|(_, constant)| name_of(&constant.name).to_owned());
        let open = module.overrides.iter().map(|(_, constant)| name_of(&constant.name).to_owned());
        let called = callees(function).into_iter();
        let functions = called.map(|callee| names::function(name_of(&module.functions[callee].name)));
        let types = module.types.iter().map(|(_, ty)| name_of(&ty.name).to_owned());
        let outers = context.outers(function, info).into_iter().map(|outer| context.outer_name(outer));
        let mut this = Self {
            context,
            function,
            info,
            analysis: Analysis::new(context, function, info),
            arguments: Vec::new(),
            locals: HashMap::new(),
            known: HashMap::new(),
            pending: Vec::new(),
            taken: constants.chain(open).chain(functions).chain(types).chain(outers).collect(),
        };
        for argument in &function.arguments {
            let name = this.new_name(name_of(&argument.name));
            this.arguments.push(name);
        }
        this
    }

    /// Takes a name, or the first free one with a number after it.
    pub(super) fn new_name(&mut self, wanted: &str) -> String {
        let wanted = names::variable(wanted);
        let numbered = (1..).map(|number| format!("{wanted}_{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        names.find(|name| self.taken.insert(name.clone())).unwrap_or(wanted)
    }

    pub(super) fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(&self.context.module.types)
    }

    pub(super) fn type_of(&self, expression: Handle<Expression>) -> Result<String> {
        match self.info[expression].ty.handle() {
            Some(ty) => self.context.type_name(ty),
            None => inner_name(self.inner(expression)),
        }
    }

    // What an expression contains.

    /// Visits the operands of an expression.
    fn operands(&self, handle: Handle<Expression>, visit: &mut dyn FnMut(Handle<Expression>)) {
        match self.function.expressions[handle] {
            Expression::Compose { ref components, .. } => components.iter().copied().for_each(visit),
            Expression::Access { base, index } => [base, index].into_iter().for_each(visit),
            Expression::AccessIndex { base: only, .. }
            | Expression::Splat { value: only, .. }
            | Expression::Swizzle { vector: only, .. }
            | Expression::Unary { expr: only, .. }
            | Expression::As { expr: only, .. }
            | Expression::Relational { argument: only, .. } => visit(only),
            Expression::Load { pointer } => match self.logical(pointer) {
                Some(Logical { left, right, .. }) => [left, right].into_iter().for_each(visit),
                None => visit(pointer),
            },
            Expression::Binary { left, right, .. } => [left, right].into_iter().for_each(visit),
            Expression::Select { condition, accept, reject } => {
                [condition, accept, reject].into_iter().for_each(visit);
            }
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                [Some(arg), arg1, arg2, arg3].into_iter().flatten().for_each(visit);
            }
            Expression::CallResult(_) => {
                if let Some((_, arguments)) = self.analysis.calls.get(&handle) {
                    arguments.iter().copied().for_each(visit);
                }
            }
            _ => {}
        }
    }

    /// Adds an expression and all that is computed where it is printed.
    pub(super) fn add_printed(&self, handle: Handle<Expression>, printed: &mut HashSet<Handle<Expression>>) {
        if !self.known.contains_key(&handle) && printed.insert(handle) {
            self.operands(handle, &mut |operand| self.add_printed(operand, printed));
        }
    }

    /// Returns the memory that may change which is read where an expression is printed.
    pub(super) fn reads(&self, handle: Handle<Expression>) -> Vec<Root> {
        let mut printed = HashSet::new();
        self.add_printed(handle, &mut printed);
        let roots = printed.into_iter().flat_map(|handle| match self.function.expressions[handle] {
            Expression::Load { pointer } if self.logical(pointer).is_none() => {
                self.analysis.root(pointer).into_iter().collect()
            }
            Expression::CallResult(callee) => {
                let outers = self.context.outers(&self.context.module.functions[callee], &self.context.info[callee]);
                outers.into_iter().filter_map(Outer::global).map(Root::Global).collect()
            }
            _ => Vec::new(),
        });
        roots.filter(|&root| self.is_mutable(root)).collect()
    }

    fn is_mutable(&self, root: Root) -> bool {
        match root {
            Root::Global(global) => self.context.is_mutable(global),
            Root::Local(_) | Root::Argument(_) => true,
        }
    }

    fn logical(&self, pointer: Handle<Expression>) -> Option<Logical> {
        self.analysis.logical.get(&self.analysis.whole(pointer)?).copied()
    }

    // Values.

    pub(super) fn texts(&self, handles: &[Handle<Expression>]) -> Result<Vec<String>> {
        handles.iter().map(|&handle| Ok(self.value(handle)?.text)).collect()
    }

    /// Returns the value of an expression.
    pub(super) fn value(&self, handle: Handle<Expression>) -> Result<Text> {
        if let Some(text) = self.known.get(&handle) {
            return Ok(text.clone());
        }
        match self.function.expressions[handle] {
            Expression::Literal(ref value) => literal(value),
            Expression::Constant(constant) => self.context.named_constant(constant),
            Expression::Override(constant) => self.context.open_constant(constant),
            Expression::ZeroValue(ty) => self.context.zero_value(ty),
            Expression::Compose { ty, ref components } => self.context.composed(ty, &self.texts(components)?),
            Expression::Splat { value, .. } => {
                Ok(Text::new(format!("({})({})", self.type_of(handle)?, self.value(value)?.text), Level::Unary))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let letter = |&component: &SwizzleComponent| COMPONENTS[component as usize];
                let letters: String = pattern[..size as usize].iter().map(letter).collect();
                Ok(Text::postfix(format!("{}.{letters}", self.value(vector)?.within(Level::Postfix))))
            }
            Expression::FunctionArgument(index) => Ok(Text::postfix(&self.arguments[index as usize])),
            Expression::AccessIndex { base, index } => {
                let member = self.member(self.inner(base), index)?;
                Ok(Text::postfix(format!("{}.{member}", self.value(base)?.within(Level::Postfix))))
            }
            Expression::Access { .. } => {
                unsupported("indexing a vector or an array by a variable", "use names of components or a buffer")
            }
            Expression::Load { pointer } => match self.logical(pointer) {
                Some(Logical { op, left, right }) => Ok(binary(op, self.value(left)?, self.value(right)?)),
                None if self.is_atomic_in_storage(pointer) => {
                    Ok(Text::postfix(format!("load_atomic({})", self.address(pointer)?)))
                }
                None => self.place(pointer),
            },
            Expression::Unary { op, expr } => {
                let sign = match op {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::LogicalNot => "!",
                    UnaryOperator::BitwiseNot => "~",
                };
                let operand = self.value(expr)?.within(Level::Unary);
                let doubles = operand.starts_with(['-', '!', '~']);
                let operand = if doubles { format!("({operand})") } else { operand };
                Ok(Text::new(format!("{sign}{operand}"), Level::Unary))
            }
            Expression::Binary { op, left, right } => Ok(binary(op, self.value(left)?, self.value(right)?)),
            Expression::Select { condition, accept, reject } => self.select(condition, accept, reject),
            // In C these are for vectors only.
            Expression::Relational { fun: RelationalFunction::All | RelationalFunction::Any, argument }
                if matches!(self.inner(argument), TypeInner::Scalar(_)) =>
            {
                self.value(argument)
            }
            Expression::Relational { fun, argument } => {
                let name = match fun {
                    RelationalFunction::All => "all",
                    RelationalFunction::Any => "any",
                    other => return unsupported(&format!("the function {other:?}"), "use all or any"),
                };
                Ok(Text::postfix(format!("{name}({})", self.value(argument)?.text)))
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let arguments: Vec<_> = [Some(arg), arg1, arg2].into_iter().flatten().collect();
                if let MathFunction::CountTrailingZeros | MathFunction::ReverseBits = fun
                    && *self.inner(arg) != TypeInner::Scalar(Scalar::U32)
                {
                    return unsupported(&format!("the function {fun:?} for this type"), "use u32");
                }
                Ok(Text::postfix(format!("{}({})", math(fun)?, self.texts(&arguments)?.join(", "))))
            }
            Expression::As { expr, kind, convert } => self.conversion(handle, expr, kind, convert.is_some()),
            Expression::CallResult(_) => match self.analysis.calls.get(&handle) {
                Some((callee, arguments)) => self.call(*callee, arguments),
                None => Err(Error::new("the result of a call is used before the call.")),
            },
            ref other => unsupported(&format!("the expression {other:?}"), "write it in another way"),
        }
    }

    fn select(
        &self,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> Result<Text> {
        let (test, accept, reject) = (self.value(condition)?, self.value(accept)?, self.value(reject)?);
        if let TypeInner::Vector { .. } = self.inner(condition) {
            return Ok(Text::postfix(format!("select({}, {}, {})", reject.text, accept.text, test.text)));
        }
        let (accept, reject) = (accept.within(Level::LogicalOr), reject.within(Level::LogicalOr));
        Ok(Text::new(format!("{} ? {accept} : {reject}", test.within(Level::LogicalOr)), Level::Ternary))
    }

    fn conversion(
        &self,
        handle: Handle<Expression>,
        from: Handle<Expression>,
        kind: ScalarKind,
        converts: bool,
    ) -> Result<Text> {
        let (name, value) = (self.type_of(handle)?, self.value(from)?);
        match *self.inner(from) {
            _ if !converts => Ok(Text::postfix(format!("as_{name}({})", value.text))),
            TypeInner::Scalar(_) => Ok(Text::new(format!("({name}) {}", value.within(Level::Unary)), Level::Unary)),
            // True is -1 in a vector of C, and 1 elsewhere.
            TypeInner::Vector { scalar, .. } if scalar.kind != ScalarKind::Bool && kind != ScalarKind::Bool => {
                Ok(Text::postfix(format!("convert_{name}({})", value.text)))
            }
            _ => unsupported("a conversion of a vector of bool", "use select"),
        }
    }

    /// Returns a call. What the function uses besides its arguments follows them.
    pub(super) fn call(&self, callee: Handle<Function>, arguments: &[Handle<Expression>]) -> Result<Text> {
        let function = &self.context.module.functions[callee];
        let argument = |&argument| match self.analysis.is_pointer(argument) {
            true => self.address(argument),
            false => Ok(self.value(argument)?.text),
        };
        let mut texts = arguments.iter().map(argument).collect::<Result<Vec<_>>>()?;
        let outers = self.context.outers(function, &self.context.info[callee]);
        texts.extend(outers.into_iter().map(|outer| self.context.outer_name(outer)));
        Ok(Text::postfix(format!("{}({})", names::function(name_of(&function.name)), texts.join(", "))))
    }

    // Memory.

    /// Whether a pointer leads to an atomic that other work-groups may change.
    fn is_atomic_in_storage(&self, pointer: Handle<Expression>) -> bool {
        let is_atomic = matches!(*self.inner(pointer), TypeInner::Pointer { base, .. }
            if matches!(self.context.module.types[base].inner, TypeInner::Atomic(_)));
        is_atomic && matches!(self.inner(pointer).pointer_space(), Some(naga::AddressSpace::Storage { .. }))
    }

    /// Returns a pointer.
    pub(super) fn address(&self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer)?;
        Ok(match place.text.strip_prefix('*') {
            Some(name) => name.to_owned(),
            None => format!("&{}", place.within(Level::Unary)),
        })
    }

    /// Returns what a pointer leads to.
    pub(super) fn place(&self, pointer: Handle<Expression>) -> Result<Text> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) => match self.locals.get(&local) {
                Some(name) => Ok(Text::postfix(name)),
                None => Err(Error::new("a variable is used before its declaration.")),
            },
            Expression::FunctionArgument(index) => {
                Ok(Text::new(format!("*{}", self.arguments[index as usize]), Level::Unary))
            }
            Expression::GlobalVariable(_) if self.context.is_uniform(self.function, pointer) => {
                unsupported("the uniform as a whole", "use its members")
            }
            Expression::GlobalVariable(global) => {
                let name = self.context.outer_name(Outer::Global(global));
                let ty = self.context.module.global_variables[global].ty;
                Ok(match self.context.module.types[ty].inner {
                    TypeInner::Array { .. } => Text::postfix(name),
                    _ => Text::new(format!("*{name}"), Level::Unary),
                })
            }
            Expression::AccessIndex { base, index } if self.context.is_uniform(self.function, base) => {
                Ok(Text::postfix(self.context.outer_name(Outer::Scalar(index))))
            }
            Expression::AccessIndex { base, index } => {
                let (place, inner) = (self.place(base)?, self.pointed(base)?);
                Ok(Text::postfix(match (inner, place.text.strip_prefix('*')) {
                    (TypeInner::Array { .. }, _) => format!("{}[{index}]", place.within(Level::Postfix)),
                    (TypeInner::Struct { .. }, Some(name)) => format!("{name}->{}", self.member(inner, index)?),
                    _ => format!("{}.{}", place.within(Level::Postfix), self.member(inner, index)?),
                }))
            }
            Expression::Access { base, index } => match self.pointed(base)? {
                TypeInner::Array { .. } => {
                    let (place, index) = (self.place(base)?.within(Level::Postfix), self.value(index)?.text);
                    Ok(Text::postfix(format!("{place}[{index}]")))
                }
                _ => unsupported("indexing a vector by a variable", "name its components"),
            },
            ref other => unsupported(&format!("the pointer {other:?}"), "use variables, buffers and their elements"),
        }
    }

    fn pointed(&self, pointer: Handle<Expression>) -> Result<&TypeInner> {
        match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => Ok(&self.context.module.types[base].inner),
            ref other => unsupported(&format!("access through {other:?}"), "use variables, buffers and their elements"),
        }
    }

    /// Returns the name of a component or a member.
    fn member(&self, inner: &TypeInner, index: u32) -> Result<String> {
        match inner {
            TypeInner::Struct { members, .. } => Ok(names::member(name_of(&members[index as usize].name))),
            TypeInner::Vector { .. } => Ok(COMPONENTS[index as usize].to_owned()),
            _ => unsupported("an array as a value", "use a vector or a struct"),
        }
    }
}

/// Returns the name of a mathematical function. Two are functions of the host.
fn math(function: MathFunction) -> Result<&'static str> {
    Ok(match function {
        MathFunction::Min => "min",
        MathFunction::Max => "max",
        MathFunction::Clamp => "clamp",
        MathFunction::CountOneBits => "popcount",
        MathFunction::CountLeadingZeros => "clz",
        MathFunction::CountTrailingZeros => "count_trailing_zeros",
        MathFunction::ReverseBits => "reverse_bits",
        other => return unsupported(&format!("the function {other:?}"), "write it with other functions"),
    })
}

/// Returns the name of an atomic function. The last one is a function of the host.
pub(super) fn atomic(function: &AtomicFunction) -> &'static str {
    match function {
        AtomicFunction::Add => "atomic_add",
        AtomicFunction::Subtract => "atomic_sub",
        AtomicFunction::And => "atomic_and",
        AtomicFunction::ExclusiveOr => "atomic_xor",
        AtomicFunction::InclusiveOr => "atomic_or",
        AtomicFunction::Min => "atomic_min",
        AtomicFunction::Max => "atomic_max",
        AtomicFunction::Exchange { compare: None } => "atomic_xchg",
        AtomicFunction::Exchange { compare: Some(_) } => "compare_exchange",
    }
}
