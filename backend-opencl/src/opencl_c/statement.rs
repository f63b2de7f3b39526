//! Statements of a function.
//!
//! An expression that is used once is printed where it is used. If it reads memory that may change and a statement that may change
//! memory comes before its use, it is computed into a constant before this statement. Calls with effects and atomic operations are
//! statements of their own, so that their order does not depend on C.
//!
//! naga moves variables to the beginning of the function. The writer declares each where the source does, by the spans.

use naga::{
    AtomicFunction, Barrier, BinaryOperator, Block, Expression, Handle, Literal, LocalVariable, Span, Statement,
    UnaryOperator,
};

use super::{
    context::{Result, name_of, unsupported},
    expression::{Body, atomic},
    text::{Level, Text, indented, initializer, operator},
};

impl<'a> Body<'a> {
    /// Returns the statements of the function, each as lines.
    pub(super) fn lines(mut self) -> Result<Vec<String>> {
        self.block(&self.function.body)
    }

    /// Returns the statements of a block. Names that are taken inside are free after it.
    fn block(&mut self, block: &'a Block) -> Result<Vec<String>> {
        let taken = self.taken.len();
        let mut lines = Vec::new();
        let mut statements = block.span_iter().peekable();
        while let Some((statement, span)) = statements.next() {
            self.declare_constants(statement, *span, &mut lines)?;
            self.statement(statement, *span, statements.peek().map(|(next, _)| *next), &mut lines)?;
        }
        self.taken.truncate(taken);
        Ok(lines)
    }

    /// Declares the variables with constant first values that stand before a statement or in the head of a loop. No variable inside of
    /// a loop has such a value.
    fn declare_constants(&mut self, statement: &Statement, span: Span, lines: &mut Vec<String>) -> Result<()> {
        let Some(range) = span.to_range() else { return Ok(()) };
        let end = if matches!(statement, Statement::Loop { .. }) { range.end } else { range.start };
        for (local, variable) in self.function.local_variables.iter() {
            if let Some(value) = variable.init
                && self.start_of(local) < end
                && !self.locals.contains_key(&local)
            {
                let value = self.value(value)?;
                self.declare(local, &value, lines)?;
            }
        }
        Ok(())
    }

    fn declare(&mut self, local: Handle<LocalVariable>, value: &Text, lines: &mut Vec<String>) -> Result<()> {
        let variable = &self.function.local_variables[local];
        let ty = self.context.type_name(variable.ty)?;
        let name = self.new_name(name_of(&variable.name));
        lines.push(format!("{ty} {name} = {};", initializer(&ty, value)));
        self.locals.insert(local, name);
        self.last = Some(local);
        Ok(())
    }

    /// Returns the place in the source where a variable is declared.
    fn start_of(&self, local: Handle<LocalVariable>) -> usize {
        self.function.local_variables.get_span(local).to_range().unwrap_or_default().start
    }

    fn statement(
        &mut self,
        statement: &'a Statement,
        span: Span,
        next: Option<&Statement>,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.evaluate(handle, lines)?;
                }
            }
            Statement::Call { result: Some(result), .. } if self.is_silent(statement)? => {
                self.evaluate(*result, lines)?
            }
            Statement::If { .. } if self.is_silent(statement)? => {}
            Statement::Block(block) => {
                self.settle(lines)?;
                lines.push(format!("{{\n{}}}", indented(&self.block(block)?)));
            }
            Statement::If { condition, accept, reject } => self.print_if(*condition, accept, reject, lines)?,
            Statement::Loop { body, continuing, break_if: None } => self.print_loop(span, body, continuing, lines)?,
            Statement::Break => lines.push("break;".to_owned()),
            Statement::Continue => lines.push("continue;".to_owned()),
            // naga adds returns that are not in the source.
            Statement::Return { value: None } if !span.is_defined() => {}
            Statement::Return { value: None } => lines.push("return;".to_owned()),
            Statement::Return { value: Some(value) } => lines.push(format!("return {};", self.value(*value)?.text)),
            Statement::Store { pointer, value } => match self.function.expressions[*pointer] {
                Expression::LocalVariable(local) if self.function.local_variables.get_span(local) == span => {
                    let value = self.value(*value)?;
                    self.declare(local, &value, lines)?;
                }
                _ => {
                    let assignment = self.assignment(*pointer, *value)?;
                    self.settle(lines)?;
                    lines.push(assignment);
                }
            },
            Statement::Call { function, arguments, result } => {
                let call = self.call(*function, arguments)?;
                self.keep(*result, call, next, lines)?;
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let address = self.address(*pointer)?;
                let operands = match fun {
                    AtomicFunction::Exchange { compare: Some(compare) } => self.texts(&[*compare, *value])?,
                    _ => self.value(*value)?.text,
                };
                let call = Text::postfix(format!("{}({address}, {operands})", atomic(fun)?));
                self.keep(*result, call, next, lines)?;
            }
            Statement::ControlBarrier(Barrier::WORK_GROUP) => {
                self.settle(lines)?;
                lines.push("barrier(CLK_LOCAL_MEM_FENCE);".to_owned());
            }
            other => return unsupported(&format!("the statement {other:?}"), "write it in another way"),
        }
        Ok(())
    }

    // Expressions and memory.

    /// Whether a statement is printed as a part of later ones: a pure call, or what naga makes of `left && right`, `if left { x = right }
    /// else { x = false }`, and of `left || right`.
    fn is_silent(&mut self, statement: &'a Statement) -> Result<bool> {
        match statement {
            Statement::Emit(_) => Ok(true),
            Statement::Call { function, arguments, result: Some(result) } if self.context.is_pure(*function) => {
                self.calls.insert(*result, (*function, arguments));
                Ok(true)
            }
            Statement::If { condition, accept, reject } => {
                let expressions = &self.function.expressions;
                if let [Statement::Store { pointer, value }] = reject[..]
                    && let Expression::LocalVariable(local) = expressions[pointer]
                    && self.function.local_variables[local].name.is_none()
                    && let Some((&Statement::Store { value: right, .. }, rest)) = accept.split_last()
                {
                    let logical = match (&expressions[value], &expressions[*condition]) {
                        (
                            Expression::Literal(Literal::Bool(true)),
                            &Expression::Unary { op: UnaryOperator::LogicalNot, expr },
                        ) => (BinaryOperator::LogicalOr, expr, right),
                        _ => (BinaryOperator::LogicalAnd, *condition, right),
                    };
                    self.logical.insert(local, logical);
                    for statement in rest {
                        if !self.is_silent(statement)? {
                            return unsupported("`&&` or `||` with a statement on its right side", "use `if`");
                        }
                    }
                    return Ok(true);
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Computes an expression, now or later.
    fn evaluate(&mut self, handle: Handle<Expression>, lines: &mut Vec<String>) -> Result<()> {
        let is_named = self.function.named_expressions.contains_key(&handle);
        let uses = self.info[handle].ref_count;
        if self.is_pointer(handle) {
            return match is_named {
                true => unsupported("a pointer with a name", "name its value, or repeat the expression"),
                false => Ok(()),
            };
        }
        if is_named || uses > 1 {
            let text = self.value(handle)?;
            return self.name_value(handle, &text, "value", lines);
        }
        if uses == 1 && self.reads(handle) {
            self.pending.push(handle);
        }
        Ok(())
    }

    /// Gives a name to the value of an expression.
    fn name_value(
        &mut self,
        handle: Handle<Expression>,
        text: &Text,
        wanted: &str,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        let ty = self.type_of(handle)?;
        let wanted = self.function.named_expressions.get(&handle).map_or(wanted, String::as_str);
        let name = self.new_name(wanted);
        lines.push(format!("const {ty} {name} = {};", initializer(&ty, text)));
        self.known.insert(handle, Text::postfix(name));
        Ok(())
    }

    /// Before a statement that may change memory, computes what reads memory and is not printed in it.
    fn settle(&mut self, lines: &mut Vec<String>) -> Result<()> {
        while let Some(&handle) = self.pending.first() {
            let text = self.value(handle)?;
            self.name_value(handle, &text, "value", lines)?;
        }
        Ok(())
    }

    /// Prints something with an effect. Its result gets a name, unless the next statement is all that uses it.
    fn keep(
        &mut self,
        result: Option<Handle<Expression>>,
        text: Text,
        next: Option<&Statement>,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        self.settle(lines)?;
        let is_named = |result| self.function.named_expressions.contains_key(&result);
        match (result, next) {
            (Some(result), _) if is_named(result) || self.info[result].ref_count > 1 => {
                self.name_value(result, &text, "result", lines)?;
            }
            (Some(result), Some(Statement::Return { value: Some(value) } | Statement::Store { value, .. }))
                if *value == result =>
            {
                self.known.insert(result, text);
            }
            (Some(result), _) if self.info[result].ref_count > 0 => self.name_value(result, &text, "result", lines)?,
            _ => lines.push(format!("{};", text.text)),
        }
        Ok(())
    }

    /// Returns `place = value`, or with the operator of a value that begins with the place.
    fn assignment(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<String> {
        if let Expression::Binary { op, left, right } = self.function.expressions[value]
            && !self.known.contains_key(&value)
            && !self.known.contains_key(&left)
            && matches!(self.function.expressions[left], Expression::Load { pointer: from } if from == pointer)
            && !matches!(operator(op).1, Level::Comparison | Level::LogicalAnd | Level::LogicalOr)
        {
            let place = self.value(left)?.text;
            return Ok(format!("{place} {}= {};", operator(op).0, self.value(right)?.text));
        }
        Ok(format!("{} = {};", self.place(pointer)?.text, self.value(value)?.text))
    }

    // Branches and loops.

    fn print_if(
        &mut self,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        let condition = self.value(condition)?.text;
        self.settle(lines)?;
        let (accept, reject) = (self.block(accept)?, self.block(reject)?);
        let first = format!("if ({condition}) {{\n{}}}", indented(&accept));
        lines.push(match &reject[..] {
            [] => first,
            [only] if only.starts_with("if (") => format!("{first} else {only}"),
            reject => format!("{first} else {{\n{}}}", indented(reject)),
        });
        Ok(())
    }

    /// Prints a loop, with the declaration of its variable if it has one.
    fn print_loop(
        &mut self,
        span: Span,
        body: &'a Block,
        continuing: &'a Block,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        let start = span.to_range().unwrap_or_default().start;
        let own = self.last.filter(|&local| self.start_of(local) > start);
        let declaration = own.and_then(|_| lines.pop());
        self.settle(lines)?;
        let (mut condition, mut inside) = (String::new(), Vec::new());
        // A loop with a condition begins by testing it.
        if let [test @ .., Statement::If { condition: tested, accept, reject }, Statement::Block(block)] = &body[..]
            && matches!((&accept[..], &reject[..]), ([], [Statement::Break]))
        {
            for statement in test {
                self.statement(statement, Span::UNDEFINED, None, &mut inside)?;
            }
            if !inside.is_empty() {
                return unsupported("the condition of a loop that needs statements", "test it in the loop");
            }
            condition = format!(" {}", self.value(*tested)?.text);
            inside = self.block(block)?;
        } else {
            inside = self.block(body)?;
        }
        let step = match &self.block(continuing)?[..] {
            [] => String::new(),
            [step] if !step.contains('\n') => format!(" {}", step.trim_end_matches(';')),
            _ => return unsupported("a `continuing` block of several statements", "write them at the end of the loop"),
        };
        let head = match declaration {
            None if step.is_empty() && !condition.is_empty() => format!("while ({})", condition.trim_start()),
            declaration => {
                format!("for ({};{condition};{step})", declaration.unwrap_or_default().trim_end_matches(';'))
            }
        };
        lines.push(format!("{head} {{\n{}}}", indented(&inside)));
        if let Some(name) = own.and_then(|local| self.locals.get(&local)) {
            self.taken.retain(|taken| taken != name);
        }
        Ok(())
    }
}
