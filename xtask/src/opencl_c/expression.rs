//! Prints expressions.

use naga::{
    AddressSpace, Expression, Handle, MathFunction, RelationalFunction, Scalar, ScalarKind, SwizzleComponent, Type,
    TypeInner, UnaryOperator,
};

use super::context::{Outer, literal_text, name_of};
use super::error::{Result, unsupported};
use super::function::FunctionWriter;
use super::text::{Level, Text, binary};
use super::{is_pointer, names};

/// The names of a vector's components.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

impl FunctionWriter<'_> {
    pub(super) fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(&self.context.module.types)
    }

    /// Returns the name of an expression's type.
    pub(super) fn type_of(&self, expression: Handle<Expression>) -> Result<String> {
        match self.info[expression].ty.handle() {
            Some(handle) => self.context.type_name(handle),
            None => self.context.inner_name(self.inner(expression)),
        }
    }

    /// Whether an expression is a place, not a value.
    pub(super) fn is_place(&self, expression: Handle<Expression>) -> bool {
        is_pointer(self.inner(expression))
    }

    /// Returns the variable or argument that a pointer leads to.
    fn root(&self, pointer: Handle<Expression>) -> &Expression {
        match &self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.root(*base),
            root => root,
        }
    }

    /// Returns the operands of an expression.
    pub(super) fn operands(&self, expression: Handle<Expression>) -> Vec<Handle<Expression>> {
        match self.function.expressions[expression] {
            Expression::Compose { ref components, .. } => components.clone(),
            Expression::Access { base, index } => vec![base, index],
            Expression::AccessIndex { base, .. } => vec![base],
            Expression::Splat { value, .. } => vec![value],
            Expression::Swizzle { vector, .. } => vec![vector],
            Expression::Load { pointer } => match self.function.expressions[pointer] {
                Expression::LocalVariable(local) if self.state.logical.contains_key(&local) => {
                    let logical = self.state.logical[&local];
                    vec![pointer, logical.left, logical.right]
                }
                _ => vec![pointer],
            },
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => vec![expr],
            Expression::Binary { left, right, .. } => vec![left, right],
            Expression::Select { condition, accept, reject } => vec![condition, accept, reject],
            Expression::Relational { argument, .. } => vec![argument],
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                [Some(arg), arg1, arg2, arg3].into_iter().flatten().collect()
            }
            Expression::CallResult(_) => {
                self.state.calls.get(&expression).map_or(Vec::new(), |(_, arguments)| arguments.clone())
            }
            _ => Vec::new(),
        }
    }

    /// Whether an expression is so short that it is printed at each of its uses.
    pub(super) fn is_short(&self, handle: Handle<Expression>) -> bool {
        self.state.constants.contains_key(&handle)
            || match self.function.expressions[handle] {
                Expression::Literal(_)
                | Expression::Constant(_)
                | Expression::Override(_)
                | Expression::ZeroValue(_)
                | Expression::FunctionArgument(_) => true,
                Expression::AccessIndex { base, .. } | Expression::Swizzle { vector: base, .. } => self.is_short(base),
                Expression::Load { pointer } => self.is_scalar(pointer),
                _ => false,
            }
    }

    /// Whether a place is a member of the uniform.
    fn is_scalar(&self, pointer: Handle<Expression>) -> bool {
        matches!(self.function.expressions[pointer],
            Expression::AccessIndex { base, .. } if self.context.is_uniform(self.function, base))
    }

    /// Whether an expression reads memory that may change.
    pub(super) fn reads(&self, handle: Handle<Expression>) -> bool {
        if self.state.constants.contains_key(&handle) {
            return false;
        }
        if let Expression::Load { pointer } = self.function.expressions[handle] {
            let changes = match *self.root(pointer) {
                Expression::GlobalVariable(global) => self.context.is_mutable(global),
                Expression::LocalVariable(local) => !self.state.logical.contains_key(&local),
                _ => true,
            };
            if changes {
                return true;
            }
        }
        self.operands(handle).into_iter().any(|operand| self.reads(operand))
    }

    /// Returns the place that a pointer leads to.
    pub(super) fn place(&self, pointer: Handle<Expression>) -> Result<Text> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) => Ok(Text::postfix(&self.locals[&local])),
            Expression::FunctionArgument(at) => Ok(Text::unary(format!("*{}", self.argument(at as usize)))),
            Expression::GlobalVariable(global) => {
                let name = self.context.outer_name(Outer::Global(global))?;
                let ty = self.context.module.global_variables[global].ty;
                Ok(match self.context.module.types[ty].inner {
                    TypeInner::Array { .. } => Text::postfix(name),
                    _ => Text::unary(format!("*{name}")),
                })
            }
            Expression::AccessIndex { index, .. } if self.is_scalar(pointer) => {
                Ok(Text::postfix(self.context.outer_name(Outer::Scalar(index))?))
            }
            Expression::AccessIndex { base, index } => {
                let ty = self.pointed(base)?;
                if let TypeInner::Array { .. } = self.context.module.types[ty].inner {
                    return Ok(Text::postfix(format!("{}[{index}u]", self.place(base)?.within(Level::Postfix))));
                }
                let member = self.member(&self.context.module.types[ty], index);
                let place = self.place(base)?;
                Ok(Text::postfix(match place.text.strip_prefix('*') {
                    Some(pointer) => format!("{pointer}->{member}"),
                    None => format!("{}.{member}", place.within(Level::Postfix)),
                }))
            }
            Expression::Access { base, index } => match self.context.module.types[self.pointed(base)?].inner {
                TypeInner::Array { .. } => {
                    let (place, index) = (self.place(base)?, self.value(index)?);
                    Ok(Text::postfix(format!("{}[{}]", place.within(Level::Postfix), index.text)))
                }
                _ => unsupported("a vector indexed by a variable", "name the component"),
            },
            ref other => unsupported(&format!("the pointer {other:?}"), "point to a variable"),
        }
    }

    /// Returns the type that a pointer leads to.
    fn pointed(&self, pointer: Handle<Expression>) -> Result<Handle<Type>> {
        match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => Ok(base),
            ref other => unsupported(&format!("the pointer {other:?}"), "point to a variable"),
        }
    }

    /// Returns the name of a member of a struct or of a component of a vector.
    fn member(&self, ty: &Type, index: u32) -> String {
        match &ty.inner {
            TypeInner::Struct { members, .. } => names::variable(name_of(&members[index as usize].name)),
            _ => COMPONENTS[index as usize].to_owned(),
        }
    }

    /// Returns values, separated by commas.
    fn values(&self, handles: impl IntoIterator<Item = Handle<Expression>>) -> Result<String> {
        let texts = handles.into_iter().map(|handle| Ok(self.value(handle)?.text));
        Ok(texts.collect::<Result<Vec<_>>>()?.join(", "))
    }

    /// Returns the text of a value.
    pub(super) fn value(&self, handle: Handle<Expression>) -> Result<Text> {
        if let Some(name) = self.state.constants.get(&handle) {
            return Ok(Text::postfix(name));
        }
        match self.function.expressions[handle] {
            Expression::Literal(literal) => literal_text(literal),
            Expression::Constant(constant) => self.context.named_constant(constant),
            Expression::Override(found) => self.context.override_text(found),
            Expression::ZeroValue(ty) => {
                let name = self.context.type_name(ty)?;
                Ok(match self.context.module.types[ty].inner {
                    TypeInner::Struct { .. } => Text::unary(format!("({name}){{0}}")),
                    TypeInner::Scalar(Scalar::BOOL) => Text::postfix("false"),
                    TypeInner::Scalar(_) => Text::postfix("0"),
                    _ => Text::unary(format!("({name})(0)")),
                })
            }
            Expression::Compose { ty, ref components } => {
                let (name, values) = (self.context.type_name(ty)?, self.values(components.iter().copied())?);
                Ok(Text::unary(match self.context.module.types[ty].inner {
                    TypeInner::Struct { .. } => format!("({name}){{{values}}}"),
                    _ => format!("({name})({values})"),
                }))
            }
            Expression::Splat { value, .. } => {
                Ok(Text::unary(format!("({})({})", self.type_of(handle)?, self.value(value)?.text)))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let letter = |component: &SwizzleComponent| COMPONENTS[*component as usize];
                let letters: String = pattern[..size as usize].iter().map(letter).collect();
                Ok(Text::postfix(format!("{}.{letters}", self.value(vector)?.within(Level::Postfix))))
            }
            Expression::FunctionArgument(at) => Ok(Text::postfix(self.argument(at as usize))),
            Expression::AccessIndex { base, index } => {
                let member = match (self.inner(base), self.info[base].ty.handle()) {
                    (TypeInner::Vector { .. }, _) => COMPONENTS[index as usize].to_owned(),
                    (TypeInner::Struct { .. }, Some(ty)) => self.member(&self.context.module.types[ty], index),
                    _ => return unsupported("a member of an array", "use a struct"),
                };
                Ok(Text::postfix(format!("{}.{member}", self.value(base)?.within(Level::Postfix))))
            }
            Expression::Load { pointer } => self.load(pointer),
            Expression::Unary { op, expr } => {
                let operator = match op {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::LogicalNot => "!",
                    UnaryOperator::BitwiseNot => "~",
                };
                Ok(Text::unary(format!("{operator}{}", self.value(expr)?.within(Level::Postfix))))
            }
            Expression::Binary { op, left, right } => Ok(binary(op, self.value(left)?, self.value(right)?)),
            Expression::Select { condition, accept, reject } => {
                if let TypeInner::Vector { .. } = self.inner(condition) {
                    return unsupported("a choice by a vector", "choose each component");
                }
                let [condition, accept, reject] = [condition, accept, reject].map(|part| self.value(part));
                let [condition, accept, reject] =
                    [condition?, accept?, reject?].map(|part| part.within(Level::LogicalOr));
                Ok(Text::new(format!("{condition} ? {accept} : {reject}"), Level::Ternary))
            }
            Expression::Relational { fun, argument } => {
                let name = match fun {
                    RelationalFunction::All => "all",
                    RelationalFunction::Any => "any",
                    other => return unsupported(&format!("the function {other:?}"), "compare integers"),
                };
                Ok(Text::postfix(format!("{name}({})", self.value(argument)?.text)))
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let name = match fun {
                    MathFunction::Min => "min",
                    MathFunction::Max => "max",
                    MathFunction::Clamp => "clamp",
                    MathFunction::CountOneBits => "popcount",
                    MathFunction::CountLeadingZeros => "clz",
                    MathFunction::CountTrailingZeros => "count_trailing_zeros",
                    MathFunction::ReverseBits => "reverse_bits",
                    other => return unsupported(&format!("the function {other:?}"), "write it out"),
                };
                let arguments = [Some(arg), arg1, arg2].into_iter().flatten();
                Ok(Text::postfix(format!("{name}({})", self.values(arguments)?)))
            }
            Expression::As { expr, convert, .. } => self.cast_value(handle, expr, convert),
            Expression::CallResult(_) => match self.state.calls.get(&handle) {
                Some((callee, arguments)) => Ok(Text::postfix(self.call_text(*callee, arguments)?)),
                None => unsupported("a result before its call", "report this"),
            },
            ref other => {
                unsupported(&format!("the expression {other:?}"), "use integers, vectors, structs and buffers")
            }
        }
    }

    /// Returns the value at a place. Other work-groups may change an atomic in a buffer at any time.
    fn load(&self, pointer: Handle<Expression>) -> Result<Text> {
        if let Expression::LocalVariable(local) = self.function.expressions[pointer]
            && let Some(logical) = self.state.logical.get(&local)
        {
            return Ok(binary(logical.op, self.value(logical.left)?, self.value(logical.right)?));
        }
        let place = self.place(pointer)?;
        if let TypeInner::Pointer { base, space: AddressSpace::Storage { .. } } = *self.inner(pointer)
            && let TypeInner::Atomic(_) = self.context.module.types[base].inner
        {
            return Ok(Text::postfix(format!("load_atomic(&{})", place.within(Level::Unary))));
        }
        Ok(place)
    }

    /// Returns a value converted to another type, or its bits as one.
    fn cast_value(&self, to: Handle<Expression>, from: Handle<Expression>, convert: Option<u8>) -> Result<Text> {
        let (name, value) = (self.type_of(to)?, self.value(from)?);
        match (self.inner(from), convert) {
            (TypeInner::Scalar(Scalar { kind: ScalarKind::Float | ScalarKind::AbstractFloat, .. }), _) => {
                unsupported("a number with a fraction", "use integers")
            }
            (TypeInner::Scalar(_), Some(_)) => Ok(Text::unary(format!("({name}) {}", value.within(Level::Unary)))),
            (_, None) => Ok(Text::postfix(format!("as_{name}({})", value.text))),
            _ => unsupported("a converted vector", "convert each component"),
        }
    }
}
