//! Statements of a function.
//!
//! An expression that is used once is printed where it is used. If it reads memory that a statement before its use may change,
//! it is computed into a constant before this statement. Calls with effects and atomic operations are statements of their own,
//! so that their order does not depend on C.

use std::collections::HashSet;

use naga::{
    AddressSpace, AtomicFunction, Barrier, Block, Expression, Handle, LocalVariable, Statement, SwitchCase, SwitchValue,
};

use super::{
    analysis::{Root, drop_last_returns},
    context::name_of,
    error::{Result, unsupported},
    expression::{Body, atomic},
    text::{Level, Text, indented, initializer, operator},
};

impl Body<'_> {
    /// Returns the statements of the function, each as lines.
    pub(super) fn lines(&mut self) -> Result<Vec<String>> {
        let mut body = self.function.body.clone();
        drop_last_returns(&mut body);
        self.block(&body)
    }

    /// Returns the statements of a block. Names that are taken inside are free after it.
    fn block(&mut self, block: &[Statement]) -> Result<Vec<String>> {
        let taken = self.taken.clone();
        let mut lines = Vec::new();
        self.statements(block, &mut lines)?;
        self.taken = taken;
        Ok(lines)
    }

    fn statements(&mut self, block: &[Statement], lines: &mut Vec<String>) -> Result<()> {
        let mut declarations = self.analysis.declarations(block);
        declarations.retain(|(_, local)| !self.locals.contains_key(local));
        // The variable that the last line declares.
        let mut last = None;
        for (at, statement) in block.iter().enumerate() {
            let stored = self.analysis.stored(statement);
            let here = declarations.iter().filter(|&&(first, _)| first == at).map(|&(_, local)| local);
            let (set_here, mut set_before): (Vec<_>, Vec<_>) = here.partition(|&local| stored == Some(local));
            // The variable of a loop comes last.
            set_before.sort_by_key(|&local| self.analysis.is_stepped(statement, local));
            let own_line = last.filter(|&local| self.analysis.is_stepped(statement, local)).and_then(|_| lines.pop());
            for local in set_before {
                let init = self.function.local_variables[local].init;
                self.declare(local, self.first_value(local, init, &block[at..])?, lines)?;
                last = last.filter(|_| own_line.is_some()).or(Some(local));
            }
            lines.extend(own_line);
            match statement {
                Statement::Store { value, .. } if let [local] = set_here[..] => {
                    self.settle(&[*value], |_| false, lines)?;
                    self.declare(local, self.first_value(local, Some(*value), &block[at + 1..])?, lines)?;
                    last = Some(local);
                }
                Statement::Loop { .. } => {
                    let is_used_later = |&local: &Handle<LocalVariable>| {
                        block[at + 1..].iter().any(|statement| self.analysis.touches(statement, local))
                    };
                    let own =
                        last.filter(|&local| self.analysis.is_stepped(statement, local) && !is_used_later(&local));
                    let start = own.and_then(|_| lines.pop());
                    self.print_loop(start, statement, lines)?;
                    if let Some(name) = own.and_then(|local| self.locals.get(&local)) {
                        self.taken.remove(name);
                    }
                }
                _ => {
                    let count = lines.len();
                    self.statement(statement, block.get(at + 1), lines)?;
                    last = last.filter(|_| count == lines.len());
                }
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, next: Option<&Statement>, lines: &mut Vec<String>) -> Result<()> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.evaluate(handle, lines)?;
                }
            }
            Statement::Block(block) => {
                self.settle(&[], |_| true, lines)?;
                let inside = self.block(block)?;
                lines.push(format!("{{\n{}}}", indented(&inside)));
            }
            Statement::If { .. } if self.analysis.is_silent(statement) => {}
            Statement::If { condition, accept, reject } => self.print_if(*condition, accept, reject, lines)?,
            Statement::Switch { selector, cases } => self.print_switch(*selector, cases, lines)?,
            Statement::Break => lines.push("break;".to_owned()),
            Statement::Continue => lines.push("continue;".to_owned()),
            Statement::Return { value: None } => lines.push("return;".to_owned()),
            Statement::Return { value: Some(value) } => {
                self.settle(&[*value], |_| false, lines)?;
                lines.push(format!("return {};", self.value(*value)?.text));
            }
            Statement::Store { pointer, value } => {
                let root = self.analysis.root(*pointer);
                self.settle(&[*pointer, *value], |read| Some(read) == root, lines)?;
                lines.push(self.assignment(*pointer, *value)?);
            }
            Statement::Call { result: Some(result), .. } if self.analysis.is_silent(statement) => {
                self.evaluate(*result, lines)?;
            }
            Statement::Call { function, arguments, result } => {
                let pointers = arguments.iter().filter(|&&argument| self.analysis.is_pointer(argument));
                let roots: Vec<_> = pointers.filter_map(|&argument| self.analysis.root(argument)).collect();
                let changes = |read| matches!(read, Root::Global(_)) || roots.contains(&read);
                self.settle(arguments, changes, lines)?;
                let call = self.call(*function, arguments)?;
                self.keep(*result, call, next, lines)?;
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let call = self.atomic(*pointer, fun, *value, lines)?;
                self.keep(*result, call, next, lines)?;
            }
            Statement::ControlBarrier(Barrier::WORK_GROUP) => {
                self.settle(&[], |_| true, lines)?;
                lines.push("barrier(CLK_LOCAL_MEM_FENCE);".to_owned());
            }
            other => return unsupported(&format!("the statement {other:?}"), "write it in another way"),
        }
        Ok(())
    }

    // Expressions and memory.

    /// Computes an expression, now or later.
    fn evaluate(&mut self, handle: Handle<Expression>, lines: &mut Vec<String>) -> Result<()> {
        let is_named = self.function.named_expressions.contains_key(&handle);
        let uses = self.info[handle].ref_count;
        if self.analysis.is_pointer(handle) {
            return match is_named {
                true => unsupported("a pointer with a name", "name its value, or repeat the expression"),
                false => Ok(()),
            };
        }
        if is_named || uses > 1 {
            return self.keep_value(handle, lines);
        }
        let begins = matches!(self.function.expressions[handle], Expression::Load { .. } | Expression::CallResult(_));
        if uses == 1 && begins && !self.reads(handle).is_empty() {
            self.pending.push(handle);
        }
        Ok(())
    }

    /// Computes an expression into a constant.
    fn keep_value(&mut self, handle: Handle<Expression>, lines: &mut Vec<String>) -> Result<()> {
        let mut printed = HashSet::new();
        self.add_printed(handle, &mut printed);
        self.pending.retain(|pending| !printed.contains(pending));
        let text = self.value(handle)?;
        self.name_value(handle, text, "value", lines)
    }

    /// Gives a name to the value of an expression.
    fn name_value(
        &mut self,
        handle: Handle<Expression>,
        text: Text,
        wanted: &str,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        let ty = self.type_of(handle)?;
        let wanted = self.function.named_expressions.get(&handle).map_or(wanted, String::as_str);
        let name = self.new_name(wanted);
        lines.push(format!("const {ty} {name} = {};", initializer(&ty, &text)));
        self.known.insert(handle, Text::postfix(name));
        Ok(())
    }

    /// Before a statement, computes what reads memory that the statement changes, except for what it uses itself.
    fn settle(
        &mut self,
        used: &[Handle<Expression>],
        changes: impl Fn(Root) -> bool,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        let mut printed = HashSet::new();
        used.iter().for_each(|&handle| self.add_printed(handle, &mut printed));
        self.pending.retain(|pending| !printed.contains(pending));
        for handle in self.pending.clone() {
            if self.reads(handle).into_iter().any(&changes) {
                self.keep_value(handle, lines)?;
            }
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
        let Some(result) = result else {
            lines.push(format!("{};", text.text));
            return Ok(());
        };
        let (is_named, uses) = (self.function.named_expressions.contains_key(&result), self.info[result].ref_count);
        let user = match next {
            Some(Statement::Return { value }) => *value,
            Some(Statement::Store { value, .. }) => Some(*value),
            Some(Statement::If { condition, .. }) => Some(*condition),
            _ => None,
        };
        if !is_named && uses == 0 {
            lines.push(format!("{};", text.text));
        } else if !is_named && uses == 1 && user == Some(result) {
            self.known.insert(result, text);
        } else {
            self.name_value(result, text, "result", lines)?;
        }
        Ok(())
    }

    /// Returns an atomic operation.
    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: &AtomicFunction,
        value: Handle<Expression>,
        lines: &mut Vec<String>,
    ) -> Result<Text> {
        let compare = match function {
            AtomicFunction::Exchange { compare } => *compare,
            _ => None,
        };
        let root = self.analysis.root(pointer);
        let used: Vec<_> = [Some(pointer), compare, Some(value)].into_iter().flatten().collect();
        self.settle(&used, |read| Some(read) == root, lines)?;
        if compare.is_some() && self.inner(pointer).pointer_space() == Some(AddressSpace::WorkGroup) {
            return unsupported("an atomic comparison in work-group memory", "use a buffer");
        }
        let operands = self.texts(&used[1..])?.join(", ");
        Ok(Text::postfix(format!("{}({}, {operands})", atomic(function), self.address(pointer)?)))
    }

    /// Returns `place = value`, or with the operator of a value that begins with the place.
    fn assignment(&self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer)?.text;
        if let Expression::Binary { op, left, right } = self.function.expressions[value]
            && !self.known.contains_key(&value)
            && !self.known.contains_key(&left)
            && matches!(self.function.expressions[left], Expression::Load { pointer: from } if from == pointer)
            && !matches!(operator(op).1, Level::Comparison | Level::LogicalAnd | Level::LogicalOr)
        {
            return Ok(format!("{place} {}= {};", operator(op).0, self.value(right)?.text));
        }
        Ok(format!("{place} = {};", self.value(value)?.text))
    }

    // Variables.

    /// Returns the value that a variable has at its declaration. A zero is left out if statements set the variable before they
    /// read it.
    fn first_value(
        &self,
        local: Handle<LocalVariable>,
        value: Option<Handle<Expression>>,
        statements: &[Statement],
    ) -> Result<Option<Text>> {
        match value.filter(|&value| !matches!(self.function.expressions[value], Expression::ZeroValue(_))) {
            Some(value) => self.value(value).map(Some),
            None if self.analysis.is_set_first(statements, local) => Ok(None),
            None => self.context.zero_value(self.function.local_variables[local].ty).map(Some),
        }
    }

    fn declare(&mut self, local: Handle<LocalVariable>, value: Option<Text>, lines: &mut Vec<String>) -> Result<()> {
        let variable = &self.function.local_variables[local];
        let ty = self.context.type_name(variable.ty)?;
        let name = self.new_name(if variable.name.is_some() { name_of(&variable.name) } else { "condition" });
        let value = value.map_or(String::new(), |value| format!(" = {}", initializer(&ty, &value)));
        lines.push(format!("{ty} {name}{value};"));
        self.locals.insert(local, name);
        Ok(())
    }

    // Branches and loops.

    fn print_if(
        &mut self,
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
        lines: &mut Vec<String>,
    ) -> Result<()> {
        self.settle(&[condition], |_| true, lines)?;
        let condition = self.value(condition)?;
        let (accept, reject) = (self.block(accept)?, self.block(reject)?);
        lines.push(match (&accept[..], &reject[..]) {
            ([], []) => return Ok(()),
            ([], reject) => format!("if (!{}) {{\n{}}}", condition.within(Level::Postfix), indented(reject)),
            (accept, reject) => {
                let first = format!("if ({}) {{\n{}}}", condition.text, indented(accept));
                match reject {
                    [] => first,
                    [only] if only.starts_with("if (") => format!("{first} else {only}"),
                    reject => format!("{first} else {{\n{}}}", indented(reject)),
                }
            }
        });
        Ok(())
    }

    fn print_switch(
        &mut self,
        selector: Handle<Expression>,
        cases: &[SwitchCase],
        lines: &mut Vec<String>,
    ) -> Result<()> {
        self.settle(&[selector], |_| true, lines)?;
        let mut text = String::new();
        for case in cases {
            text += &match case.value {
                SwitchValue::I32(value) => format!("case {value}:"),
                SwitchValue::U32(value) => format!("case {value}u:"),
                SwitchValue::Default => "default:".to_owned(),
            };
            let mut body = self.block(&case.body)?;
            let ends =
                matches!(case.body.last(), Some(Statement::Return { .. } | Statement::Break | Statement::Continue));
            if !case.fall_through && !ends {
                body.push("break;".to_owned());
            }
            // A declaration must not follow a label.
            text += &match body.len() {
                0 | 1 => format!("\n{}", indented(&body)),
                _ => format!(" {{\n{}}}\n", indented(&body)),
            };
        }
        lines.push(format!("switch ({}) {{\n{}}}", self.value(selector)?.text, indented(&[text])));
        Ok(())
    }

    /// Prints a loop, with the declaration of its variable if it has one.
    fn print_loop(&mut self, start: Option<String>, statement: &Statement, lines: &mut Vec<String>) -> Result<()> {
        let Statement::Loop { body, continuing, break_if: None } = statement else {
            return unsupported("`break if`", "use `if` with `break`");
        };
        self.settle(&[], |_| true, lines)?;
        let taken = self.taken.clone();
        let mut inside = Vec::new();
        let mut rest = &body[..];
        let mut condition = String::new();
        // A loop with a condition begins by testing it.
        if let Some(test) = body.iter().position(|statement| !self.analysis.is_silent(statement))
            && let Statement::If { condition: tested, accept, reject } = &body[test]
            && matches!((&accept[..], &reject[..]), ([], [Statement::Break]))
        {
            self.statements(&body[..test], &mut inside)?;
            self.settle(&[*tested], |_| true, &mut inside)?;
            if !inside.is_empty() {
                return unsupported("the condition of a loop that needs statements", "test it in the loop");
            }
            condition = self.value(*tested)?.text;
            rest = &body[test + 1..];
        }
        match rest {
            [Statement::Block(block)] => inside = self.block(block)?,
            rest => self.statements(rest, &mut inside)?,
        }
        let mut step = self.block(continuing)?;
        if step.len() > 1 || step.iter().any(|step| step.contains('\n') || step.starts_with("const ")) {
            return unsupported("a `continuing` block of several statements", "write them at the end of the loop");
        }
        self.taken = taken;
        let step = step.pop().map_or(String::new(), |step| format!(" {}", step.trim_end_matches(';')));
        let head = match (start, step.is_empty()) {
            (None, true) if !condition.is_empty() => format!("while ({condition})"),
            (start, _) => {
                let condition = if condition.is_empty() { condition } else { format!(" {condition}") };
                format!("for ({};{condition};{step})", start.unwrap_or_default().trim_end_matches(';'))
            }
        };
        lines.push(format!("{head} {{\n{}}}", indented(&inside)));
        Ok(())
    }
}
