//! Expressions of a function.

use naga::{
    AtomicFunction, BinaryOperator, Expression, FastHashMap, Function, Handle, LocalVariable, MathFunction,
    RelationalFunction, Scalar, SwizzleComponent, TypeInner, UnaryOperator, valid::FunctionInfo,
};

use super::{
    context::{Context, Outer, Result, inner_name, name_of, unsupported},
    text::{Level, Text, binary, renamed},
};

type Operands<'a> = &'a [Handle<Expression>];

/// A function while it is printed.
pub(super) struct Body<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) arguments: Vec<String>,
    pub(super) locals: FastHashMap<Handle<LocalVariable>, String>,
    /// The variable that was declared last.
    pub(super) last: Option<Handle<LocalVariable>>,
    /// The text of expressions that are computed already, mostly names.
    pub(super) known: FastHashMap<Handle<Expression>, Text>,
    /// Pure calls by their results.
    pub(super) calls: FastHashMap<Handle<Expression>, (Handle<Function>, Operands<'a>)>,
    /// Variables without names that stand for `left && right` or `left || right`.
    pub(super) logical: FastHashMap<Handle<LocalVariable>, (BinaryOperator, Handle<Expression>, Handle<Expression>)>,
    /// Expressions that read memory which may change, and are not printed yet.
    pub(super) pending: Vec<Handle<Expression>>,
    /// The names that are taken in this place.
    pub(super) taken: Vec<String>,
}

impl<'a> Body<'a> {
    /// Begins a function. No variable may hide what becomes a parameter.
    pub(super) fn new(context: &'a Context<'a>, function: &'a Function, info: &'a FunctionInfo) -> Self {
        let taken = context.outers_of(function, info).into_iter().map(|outer| context.name(outer)).collect();
        let (locals, known, calls, logical) = Default::default();
        let (arguments, pending, last) = Default::default();
        let mut this = Self { context, function, info, arguments, locals, last, known, calls, logical, pending, taken };
        this.arguments = function.arguments.iter().map(|argument| this.new_name(name_of(&argument.name))).collect();
        this
    }

    /// Takes a name, or the first free one with a number after it.
    pub(super) fn new_name(&mut self, wanted: &str) -> String {
        let wanted = renamed(wanted);
        let numbered = (1..).map(|number| format!("{wanted}_{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        let name = names.find(|name| !self.taken.contains(name)).unwrap_or(wanted);
        self.taken.push(name.clone());
        name
    }

    pub(super) fn inner(&self, expression: Handle<Expression>) -> &'a TypeInner {
        self.info[expression].ty.inner_with(&self.context.module.types)
    }

    pub(super) fn type_of(&self, expression: Handle<Expression>) -> Result<String> {
        match self.info[expression].ty.handle() {
            Some(ty) => self.context.type_name(ty),
            None => inner_name(self.inner(expression)),
        }
    }

    pub(super) fn is_pointer(&self, expression: Handle<Expression>) -> bool {
        matches!(self.inner(expression), TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
    }

    /// Whether an expression reads memory that may change, itself or in the function that it calls.
    pub(super) fn reads(&self, handle: Handle<Expression>) -> bool {
        match self.function.expressions[handle] {
            Expression::Load { mut pointer } => loop {
                match self.function.expressions[pointer] {
                    Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
                    Expression::GlobalVariable(global) => return self.context.is_mutable(global),
                    _ => return true,
                }
            },
            Expression::CallResult(_) => true,
            _ => false,
        }
    }

    // Values.

    pub(super) fn texts(&mut self, handles: &[Handle<Expression>]) -> Result<String> {
        Ok(handles.iter().map(|&handle| Ok(self.value(handle)?.text)).collect::<Result<Vec<_>>>()?.join(", "))
    }

    /// Returns the value of an expression. It is not pending any more.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Result<Text> {
        if let Some(text) = self.known.get(&handle) {
            return Ok(text.clone());
        }
        self.pending.retain(|&pending| pending != handle);
        match self.function.expressions[handle] {
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
            Expression::Load { pointer } => {
                if let Expression::LocalVariable(local) = self.function.expressions[pointer]
                    && let Some(&(op, left, right)) = self.logical.get(&local)
                {
                    return Ok(binary(op, self.value(left)?, self.value(right)?));
                }
                if self.is_atomic_in_storage(pointer) {
                    return Ok(Text::postfix(format!("load_atomic({})", self.address(pointer)?)));
                }
                self.place(pointer)
            }
            Expression::Unary { op, expr } => {
                let sign = match op {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::LogicalNot => "!",
                    UnaryOperator::BitwiseNot => "~",
                };
                let operand = self.value(expr)?.within(Level::Unary);
                let operand = if operand.starts_with(sign) { format!("({operand})") } else { operand };
                Ok(Text::new(format!("{sign}{operand}"), Level::Unary))
            }
            Expression::Select { condition, accept, reject }
                if *self.inner(condition) == TypeInner::Scalar(Scalar::BOOL) =>
            {
                let [test, accept, reject] = [condition, accept, reject].map(|operand| self.value(operand));
                let (accept, reject) = (accept?.within(Level::LogicalOr), reject?.within(Level::LogicalOr));
                Ok(Text::new(format!("{} ? {accept} : {reject}", test?.within(Level::LogicalOr)), Level::Ternary))
            }
            // In C this is for vectors only.
            Expression::Relational { fun: RelationalFunction::All, argument }
                if matches!(self.inner(argument), TypeInner::Vector { .. }) =>
            {
                Ok(Text::postfix(format!("all({})", self.value(argument)?.text)))
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let arguments: Vec<_> = [Some(arg), arg1, arg2].into_iter().flatten().collect();
                let function = math(fun, self.inner(arg))?;
                Ok(Text::postfix(format!("{function}({})", self.texts(&arguments)?)))
            }
            Expression::As { expr, convert: None, .. } => {
                Ok(Text::postfix(format!("as_{}({})", self.type_of(handle)?, self.value(expr)?.text)))
            }
            Expression::As { expr, .. } if matches!(self.inner(expr), TypeInner::Scalar(_)) => {
                let name = self.type_of(handle)?;
                Ok(Text::new(format!("({name}) {}", self.value(expr)?.within(Level::Unary)), Level::Unary))
            }
            Expression::CallResult(_) if let Some(&(callee, arguments)) = self.calls.get(&handle) => {
                self.call(callee, arguments)
            }
            ref simple => self.context.simple(simple, &mut |operand| self.value(operand)),
        }
    }

    /// Returns a call. What the function uses besides its arguments follows them.
    pub(super) fn call(&mut self, callee: Handle<Function>, arguments: &[Handle<Expression>]) -> Result<Text> {
        let function = &self.context.module.functions[callee];
        let mut texts = Vec::new();
        for &argument in arguments {
            texts.push(if self.is_pointer(argument) { self.address(argument)? } else { self.value(argument)?.text });
        }
        texts.extend(self.context.outers(callee).iter().map(|&outer| self.context.name(outer)));
        Ok(Text::postfix(format!("{}({})", renamed(name_of(&function.name)), texts.join(", "))))
    }

    // Memory.

    /// Whether a pointer leads to an atomic that other work-groups may change.
    fn is_atomic_in_storage(&self, pointer: Handle<Expression>) -> bool {
        let is_atomic = matches!(*self.inner(pointer), TypeInner::Pointer { base, .. }
            if matches!(self.context.module.types[base].inner, TypeInner::Atomic(_)));
        is_atomic && matches!(self.inner(pointer).pointer_space(), Some(naga::AddressSpace::Storage { .. }))
    }

    pub(super) fn address(&mut self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer)?;
        Ok(match place.text.strip_prefix('*') {
            Some(name) => name.to_owned(),
            None => format!("&{}", place.within(Level::Unary)),
        })
    }

    pub(super) fn place(&mut self, pointer: Handle<Expression>) -> Result<Text> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) => match self.locals.get(&local) {
                Some(name) => Ok(Text::postfix(name)),
                None => unsupported("a variable without a first value", "write it, such as `= 0u`"),
            },
            Expression::FunctionArgument(index) => {
                Ok(Text::new(format!("*{}", self.arguments[index as usize]), Level::Unary))
            }
            Expression::GlobalVariable(_) if self.context.is_uniform(self.function, pointer) => {
                unsupported("the uniform as a whole", "use its members")
            }
            Expression::GlobalVariable(global) => {
                let name = self.context.name(Outer::Global(global));
                let ty = self.context.module.global_variables[global].ty;
                Ok(match self.context.module.types[ty].inner {
                    TypeInner::Array { .. } => Text::postfix(name),
                    _ => Text::new(format!("*{name}"), Level::Unary),
                })
            }
            Expression::AccessIndex { base, index } if self.context.is_uniform(self.function, base) => {
                Ok(Text::postfix(self.context.name(Outer::Scalar(index))))
            }
            Expression::AccessIndex { base, index } => {
                let (place, inner) = (self.place(base)?, self.pointed(base)?);
                Ok(Text::postfix(match (inner, place.text.strip_prefix('*')) {
                    (TypeInner::Array { .. }, _) => format!("{}[{index}]", place.within(Level::Postfix)),
                    (TypeInner::Struct { .. }, Some(name)) => format!("{name}->{}", self.member(inner, index)?),
                    _ => format!("{}.{}", place.within(Level::Postfix), self.member(inner, index)?),
                }))
            }
            Expression::Access { base, index } if matches!(self.pointed(base)?, TypeInner::Array { .. }) => {
                let (place, index) = (self.place(base)?.within(Level::Postfix), self.value(index)?.text);
                Ok(Text::postfix(format!("{place}[{index}]")))
            }
            ref other => unsupported(&format!("the pointer {other:?}"), "use variables, buffers and their elements"),
        }
    }

    fn pointed(&self, pointer: Handle<Expression>) -> Result<&'a TypeInner> {
        match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => Ok(&self.context.module.types[base].inner),
            ref other => unsupported(&format!("access through {other:?}"), "use variables, buffers and their elements"),
        }
    }

    /// Returns the name of a component or a member.
    fn member(&self, inner: &TypeInner, index: u32) -> Result<String> {
        match inner {
            TypeInner::Struct { members, .. } => Ok(renamed(name_of(&members[index as usize].name))),
            TypeInner::Vector { .. } => Ok(COMPONENTS[index as usize].to_owned()),
            _ => unsupported("an array as a value", "use a vector or a struct"),
        }
    }
}

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Returns the name of a mathematical function. The last one is a function of the host.
fn math(function: MathFunction, argument: &TypeInner) -> Result<&'static str> {
    Ok(match function {
        MathFunction::Min => "min",
        MathFunction::Max => "max",
        MathFunction::Clamp => "clamp",
        MathFunction::CountOneBits => "popcount",
        MathFunction::CountLeadingZeros => "clz",
        MathFunction::ReverseBits if *argument == TypeInner::Scalar(Scalar::U32) => "reverse_bits",
        other => return unsupported(&format!("the function {other:?} for this type"), "write it with other functions"),
    })
}

/// Returns the name of an atomic function. The last one is a function of the host.
pub(super) fn atomic(function: &AtomicFunction) -> Result<&'static str> {
    Ok(match function {
        AtomicFunction::Add => "atomic_add",
        AtomicFunction::Max => "atomic_max",
        AtomicFunction::Exchange { compare: Some(_) } => "compare_exchange",
        other => return unsupported(&format!("the atomic function {other:?}"), "add it to the writer"),
    })
}
