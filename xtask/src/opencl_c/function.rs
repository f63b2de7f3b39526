//! Prints the statements of a function.
//!
//! naga evaluates every expression at a place of its own. The text has an expression where it is used, unless it has a name or several
//! uses. An expression that reads memory that may change must not move past a change: such expressions are *pending* until a statement
//! prints them; every other statement that may change memory first prints them into constants.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use naga::valid::FunctionInfo;
use naga::{
    AtomicFunction, Barrier, BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Statement,
    SwitchValue, UnaryOperator,
};

use super::context::{Context, Outer, blocks_of, name_of};
use super::error::{Result, unsupported};
use super::names;
use super::text::{Level, Text, indented};

/// A value that naga stores in a variable, and that C computes in place: `left && right` or `left || right`.
#[derive(Clone, Copy)]
pub(super) struct Logical {
    pub(super) op: BinaryOperator,
    pub(super) left: Handle<Expression>,
    pub(super) right: Handle<Expression>,
}

/// What has been printed so far.
#[derive(Clone, Default)]
pub(super) struct State {
    /// The constants that hold expressions.
    pub(super) constants: HashMap<Handle<Expression>, String>,
    /// The results of calls that are printed where they are used.
    pub(super) calls: HashMap<Handle<Expression>, (Handle<Function>, Vec<Handle<Expression>>)>,
    pub(super) logical: HashMap<Handle<LocalVariable>, Logical>,
    /// Expressions that read memory that may change, in order.
    pending: Vec<Handle<Expression>>,
    declared: HashSet<Handle<LocalVariable>>,
    /// The names that have a meaning in the function.
    taken: HashSet<String>,
}

pub(super) struct FunctionWriter<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    outers: Vec<Outer>,
    arguments: Vec<String>,
    pub(super) locals: HashMap<Handle<LocalVariable>, String>,
    pub(super) state: State,
}

type Lines = Vec<String>;

/// Returns a statement with a block, which begins with `start`.
fn with_block(start: &str, lines: &[String]) -> String {
    format!("{start} {{\n{}}}", indented(lines))
}

impl<'a> FunctionWriter<'a> {
    pub(super) fn new(context: &'a Context<'a>, function: &'a Function, info: &'a FunctionInfo) -> Self {
        let module = context.module;
        let outers = context.outers(function, info);
        let mut taken: HashSet<_> = outers.iter().filter_map(|&outer| context.outer_name(outer).ok()).collect();
        taken.extend(module.functions.iter().map(|(_, function)| names::function(name_of(&function.name))));
        taken.extend(module.constants.iter().map(|(_, constant)| name_of(&constant.name).to_owned()));
        taken.extend(module.overrides.iter().map(|(_, constant)| name_of(&constant.name).to_owned()));
        let state = State { taken, ..State::default() };
        let mut this = Self { context, function, info, outers, arguments: Vec::new(), locals: HashMap::new(), state };
        for argument in &function.arguments {
            let name = this.new_name(name_of(&argument.name));
            this.arguments.push(name);
        }
        this
    }

    /// What the function uses besides its arguments.
    pub(super) fn outers(&self) -> &[Outer] {
        &self.outers
    }

    /// Returns the name of an argument.
    pub(super) fn argument(&self, at: usize) -> &str {
        &self.arguments[at]
    }

    /// Returns the declarations of the arguments.
    pub(super) fn parameters(&self) -> Result<Vec<String>> {
        let arguments = self.function.arguments.iter().zip(&self.arguments);
        arguments.map(|(argument, name)| Ok(declared(&self.context.type_name(argument.ty)?, name))).collect()
    }

    /// Returns the lines of the body.
    pub(super) fn body(&mut self) -> Result<Lines> {
        let function = self.function;
        self.block(&function.body, true)
    }

    fn new_name(&mut self, wanted: &str) -> String {
        let wanted = names::variable(wanted);
        let numbered = (1..).map(|number| format!("{wanted}_{number}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| !self.state.taken.contains(name));
        let name = free.unwrap_or(wanted);
        self.state.taken.insert(name.clone());
        name
    }

    // Expressions.

    /// Decides where an expression is printed that naga evaluates here.
    fn evaluate(&mut self, handle: Handle<Expression>, lines: &mut Lines) -> Result<()> {
        let name = self.function.named_expressions.get(&handle).cloned();
        let uses = self.info[handle].ref_count;
        if self.is_place(handle) || (uses == 0 && name.is_none()) {
            return Ok(());
        }
        if name.is_some() || (uses > 1 && !self.is_short(handle)) {
            self.print_constant(handle, name.as_deref().unwrap_or("value"), lines)?;
        } else if self.reads(handle) {
            self.state.pending.push(handle);
        }
        Ok(())
    }

    /// Prints an expression into a constant.
    fn print_constant(&mut self, handle: Handle<Expression>, name: &str, lines: &mut Lines) -> Result<()> {
        let text = self.value(handle)?.text;
        self.name_constant(handle, name, &text, lines)
    }

    /// Prints a constant that holds an expression.
    fn name_constant(&mut self, handle: Handle<Expression>, name: &str, text: &str, lines: &mut Lines) -> Result<()> {
        let printed = self.printed([handle]);
        self.state.pending.retain(|pending| !printed.contains(pending));
        let name = self.new_name(name);
        lines.push(format!("const {} = {text};", declared(&self.type_of(handle)?, &name)));
        self.state.constants.insert(handle, name);
        Ok(())
    }

    /// Returns the expressions that are printed with these.
    fn printed(&self, handles: impl IntoIterator<Item = Handle<Expression>>) -> BTreeSet<Handle<Expression>> {
        let mut printed = BTreeSet::new();
        let mut left: Vec<_> = handles.into_iter().collect();
        while let Some(handle) = left.pop() {
            if printed.insert(handle) && !self.state.constants.contains_key(&handle) {
                left.extend(self.operands(handle));
            }
        }
        printed
    }

    /// Prints what is pending and is not printed with these expressions, before a statement that may change what it reads.
    fn settle(&mut self, used: impl IntoIterator<Item = Handle<Expression>>, lines: &mut Lines) -> Result<()> {
        let printed = self.printed(used);
        // Later expressions may contain earlier ones.
        let mut left = std::mem::take(&mut self.state.pending);
        while let Some(handle) = left.pop() {
            let contained = self.printed([handle]);
            left.retain(|pending| !contained.contains(pending));
            if !printed.contains(&handle) {
                self.print_constant(handle, "value", lines)?;
            }
        }
        Ok(())
    }

    // Variables.

    /// Returns the variables that a statement touches.
    fn touched(&self, statement: &Statement) -> BTreeSet<Handle<LocalVariable>> {
        let mut handles = Vec::new();
        match statement {
            Statement::Emit(range) => handles.extend(range.clone()),
            Statement::Store { pointer, value } | Statement::Atomic { pointer, value, .. } => {
                handles.extend([*pointer, *value]);
            }
            Statement::Call { arguments, .. } => handles.extend(arguments),
            Statement::Return { value } => handles.extend(value),
            _ => {}
        }
        let operands: Vec<_> = handles.iter().flat_map(|&handle| self.operands(handle)).collect();
        let local = |handle| match self.function.expressions[handle] {
            Expression::LocalVariable(local) => Some(local),
            _ => None,
        };
        let own = handles.into_iter().chain(operands).filter_map(local);
        let inner = blocks_of(statement).into_iter().flat_map(|block| block.iter());
        own.chain(inner.flat_map(|statement| self.touched(statement))).collect()
    }

    /// Whether a block inside of a statement declares a variable: the only one that touches it. A variable with a first value keeps
    /// its value from one iteration of a loop to the next.
    fn is_inside(&self, statement: &Statement, local: Handle<LocalVariable>) -> bool {
        let touches = |block: &&Block| block.iter().any(|statement| self.touched(statement).contains(&local));
        let blocks = blocks_of(statement).into_iter().filter(touches).count();
        let keeps = matches!(statement, Statement::Loop { .. }) && self.function.local_variables[local].init.is_some();
        blocks == 1 && !keeps
    }

    /// Returns the variables that a block declares, by the index of the first statement that touches each.
    fn declarations(&self, block: &Block) -> BTreeMap<usize, Vec<Handle<LocalVariable>>> {
        let touched: Vec<_> = block.iter().map(|statement| self.touched(statement)).collect();
        let mut declarations: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for (local, _) in self.function.local_variables.iter() {
            let places = touched.iter().enumerate().filter(|(_, touched)| touched.contains(&local));
            let places: Vec<_> = places.map(|(index, _)| index).collect();
            let Some(&first) = places.first() else { continue };
            if !self.state.declared.contains(&local) && !(places.len() == 1 && self.is_inside(&block[first], local)) {
                declarations.entry(first).or_default().push(local);
            }
        }
        declarations
    }

    /// Declares a variable before the statement that touches it first. A statement that sets it declares it itself.
    fn declare(&mut self, local: Handle<LocalVariable>, statement: &Statement, lines: &mut Lines) -> Result<()> {
        let variable = &self.function.local_variables[local];
        let sets = matches!(statement, Statement::Store { pointer, .. } if self.is_local(*pointer, local));
        if sets || variable.name.is_none() {
            return Ok(());
        }
        let Some(init) = variable.init else {
            let name = name_of(&variable.name);
            return unsupported(&format!("the variable `{name}` without a first value"), "give it one");
        };
        let start = self.start_of(local)?;
        lines.push(format!("{start} = {};", self.value(init)?.text));
        self.state.declared.insert(local);
        Ok(())
    }

    /// Names a variable, and returns its declaration without a value.
    fn start_of(&mut self, local: Handle<LocalVariable>) -> Result<String> {
        let variable = &self.function.local_variables[local];
        let name = self.new_name(name_of(&variable.name));
        let start = declared(&self.context.type_name(variable.ty)?, &name);
        self.locals.insert(local, name);
        Ok(start)
    }

    fn is_local(&self, pointer: Handle<Expression>, local: Handle<LocalVariable>) -> bool {
        matches!(self.function.expressions[pointer], Expression::LocalVariable(found) if found == local)
    }

    // Statements.

    /// Returns the lines of a block. `is_last` tells that the function ends with the block.
    fn block(&mut self, block: &Block, is_last: bool) -> Result<Lines> {
        let declarations = self.declarations(block);
        let mut lines = Lines::new();
        for (index, statement) in block.iter().enumerate() {
            for &local in declarations.get(&index).into_iter().flatten() {
                self.declare(local, statement, &mut lines)?;
            }
            if let Some(next) = block.get(index + 1)
                && self.joins(statement, next, &mut lines)?
            {
                continue;
            }
            let ends = block.iter().skip(index + 1).all(|next| matches!(next, Statement::Return { value: None }));
            self.statement(statement, is_last && ends, &mut lines)?;
        }
        Ok(lines)
    }

    /// Leaves a call with effects to the next statement, if that does nothing but take the result, and tells whether it does.
    fn joins(&mut self, statement: &Statement, next: &Statement, lines: &mut Lines) -> Result<bool> {
        let result = match *statement {
            Statement::Call { result, function, .. } if !self.context.is_pure(function) => result,
            Statement::Atomic { result, .. } => result,
            _ => None,
        };
        let Some(result) = result.filter(|result| !self.function.named_expressions.contains_key(result)) else {
            return Ok(false);
        };
        let takes = match *next {
            Statement::Store { pointer, value } => value == result && self.is_own(pointer),
            Statement::Return { value } => value == Some(result),
            Statement::If { condition, .. } => condition == result,
            _ => false,
        };
        if takes {
            let text = self.effect(statement, lines)?;
            self.state.constants.insert(result, text);
        }
        Ok(takes)
    }

    /// Whether a place is a variable of the function, an argument, or a member of one.
    fn is_own(&self, pointer: Handle<Expression>) -> bool {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(_) | Expression::FunctionArgument(_) => true,
            Expression::AccessIndex { base, .. } => self.is_own(base),
            _ => false,
        }
    }

    /// Returns the lines of a block that is a scope in C, whose names are free after it.
    fn scope(&mut self, block: &Block, is_last: bool) -> Result<Lines> {
        let taken = self.state.taken.clone();
        let lines = self.block(block, is_last)?;
        self.state.taken = taken;
        Ok(lines)
    }

    fn statement(&mut self, statement: &Statement, is_last: bool, lines: &mut Lines) -> Result<()> {
        match *statement {
            Statement::Emit(ref range) => range.clone().try_for_each(|handle| self.evaluate(handle, lines)),
            Statement::Store { pointer, value } => self.store(pointer, value, lines),
            Statement::Call { function, ref arguments, result: Some(result) } if self.context.is_pure(function) => {
                self.state.calls.insert(result, (function, arguments.clone()));
                self.evaluate(result, lines)
            }
            Statement::Call { result, .. } | Statement::Atomic { result, .. } => {
                self.with_effects(statement, result, lines)
            }
            Statement::Block(ref block) => {
                // Names are unique within a scope of C, so that the block needs none of its own.
                lines.append(&mut self.block(block, is_last)?);
                Ok(())
            }
            Statement::If { condition, ref accept, ref reject } => {
                if self.logical(condition, accept, reject)? {
                    return Ok(());
                }
                self.settle([condition], lines)?;
                lines.push(self.choice(condition, accept, reject, is_last)?);
                Ok(())
            }
            Statement::Switch { selector, ref cases } => {
                self.settle([selector], lines)?;
                let mut text = Lines::new();
                for case in cases {
                    text.push(match case.value {
                        SwitchValue::I32(value) => format!("case {value}:"),
                        SwitchValue::U32(value) => format!("case {value}u:"),
                        SwitchValue::Default => "default:".to_owned(),
                    });
                    if case.fall_through && !case.body.is_empty() {
                        return unsupported("a case that falls through", "write the cases out");
                    }
                    let mut body = self.scope(&case.body, is_last)?;
                    let leaves = matches!(case.body.last(), Some(Statement::Return { .. } | Statement::Break));
                    if !case.fall_through && !leaves {
                        body.push("break;".to_owned());
                    }
                    // A declaration must not follow a label.
                    if let (Some(label), [_, _, ..]) = (text.last_mut(), &body[..]) {
                        *label = with_block(label, &body);
                    } else {
                        text.extend(body.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}")));
                    }
                }
                lines.push(with_block(&format!("switch ({})", self.value(selector)?.text), &text));
                Ok(())
            }
            Statement::Loop { ref body, ref continuing, break_if: None } => {
                self.settle([], lines)?;
                self.repeat(body, continuing, lines)
            }
            Statement::Break => {
                self.settle([], lines)?;
                lines.push("break;".to_owned());
                Ok(())
            }
            Statement::Continue => {
                self.settle([], lines)?;
                lines.push("continue;".to_owned());
                Ok(())
            }
            Statement::Return { value: None } if is_last => Ok(()),
            Statement::Return { value } => {
                self.settle(value, lines)?;
                let value = value.map(|value| self.value(value)).transpose()?;
                lines.push(value.map_or("return;".to_owned(), |value| format!("return {};", value.text)));
                Ok(())
            }
            Statement::ControlBarrier(Barrier::WORK_GROUP) => {
                self.settle([], lines)?;
                lines.push("barrier(CLK_LOCAL_MEM_FENCE);".to_owned());
                Ok(())
            }
            ref other => unsupported(&format!("the statement {other:?}"), "use what C has"),
        }
    }

    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>, lines: &mut Lines) -> Result<()> {
        self.settle([pointer, value], lines)?;
        if let Expression::LocalVariable(local) = self.function.expressions[pointer]
            && self.state.declared.insert(local)
        {
            let start = self.start_of(local)?;
            lines.push(format!("{start} = {};", self.value(value)?.text));
            return Ok(());
        }
        let place = self.place(pointer)?.text;
        // `a = a + b` becomes `a += b`.
        if let Expression::Binary { op, left, right } = self.function.expressions[value]
            && !self.state.constants.contains_key(&value)
            && let Expression::Load { pointer: loaded } = self.function.expressions[left]
            && !self.state.constants.contains_key(&left)
            && self.place(loaded)?.text == place
            && super::text::operator(op).1 <= Level::InclusiveOr
            && super::text::operator(op).1 != Level::Comparison
        {
            lines.push(format!("{place} {}= {};", super::text::operator(op).0, self.value(right)?.text));
        } else {
            lines.push(format!("{place} = {};", self.value(value)?.text));
        }
        Ok(())
    }

    /// Prints a call with effects or an atomic operation.
    fn with_effects(
        &mut self,
        statement: &Statement,
        result: Option<Handle<Expression>>,
        lines: &mut Lines,
    ) -> Result<()> {
        let text = self.effect(statement, lines)?;
        match result.filter(|&result| self.info[result].ref_count > 0) {
            Some(result) => {
                let name = self.function.named_expressions.get(&result).cloned();
                self.name_constant(result, name.as_deref().unwrap_or("result"), &text, lines)
            }
            None => {
                lines.push(format!("{text};"));
                Ok(())
            }
        }
    }

    /// Prints what must come before a call with effects or an atomic operation, and returns the call.
    fn effect(&mut self, statement: &Statement, lines: &mut Lines) -> Result<String> {
        match *statement {
            Statement::Call { function, ref arguments, .. } => {
                self.settle(arguments.iter().copied(), lines)?;
                self.call_text(function, arguments)
            }
            Statement::Atomic { pointer, ref fun, value, .. } => {
                let compare = if let AtomicFunction::Exchange { compare } = *fun { compare } else { None };
                self.settle([pointer, value].into_iter().chain(compare), lines)?;
                let name = match fun {
                    AtomicFunction::Add => "atomic_add",
                    AtomicFunction::Subtract => "atomic_sub",
                    AtomicFunction::And => "atomic_and",
                    AtomicFunction::ExclusiveOr => "atomic_xor",
                    AtomicFunction::InclusiveOr => "atomic_or",
                    AtomicFunction::Min => "atomic_min",
                    AtomicFunction::Max => "atomic_max",
                    AtomicFunction::Exchange { compare: None } => "atomic_xchg",
                    AtomicFunction::Exchange { compare: Some(_) } => "compare_exchange",
                };
                let values = compare.into_iter().chain([value]).map(|value| Ok(self.value(value)?.text));
                let values = values.collect::<Result<Vec<_>>>()?.join(", ");
                Ok(format!("{name}({}, {values})", self.address(pointer)?))
            }
            ref other => unsupported(&format!("the statement {other:?}"), "use what C has"),
        }
    }

    /// Takes a choice that stands for `&&` or `||` as an expression, and tells whether it is one.
    fn logical(&mut self, condition: Handle<Expression>, accept: &Block, reject: &Block) -> Result<bool> {
        let (Some(Statement::Store { pointer, value: right }), [Statement::Store { pointer: other, value }]) =
            (accept.last(), &reject[..])
        else {
            return Ok(false);
        };
        let expressions = &self.function.expressions;
        let (Expression::LocalVariable(local), Expression::Literal(Literal::Bool(value))) =
            (&expressions[*pointer], &expressions[*value])
        else {
            return Ok(false);
        };
        if self.function.local_variables[*local].name.is_some() || !self.is_local(*other, *local) {
            return Ok(false);
        }
        let (op, left) = match expressions[condition] {
            Expression::Unary { op: UnaryOperator::LogicalNot, expr } if *value => (BinaryOperator::LogicalOr, expr),
            _ => (BinaryOperator::LogicalAnd, condition),
        };
        // What leads to the right operand must be an expression, too.
        let before = self.state.clone();
        let mut lines = Lines::new();
        for statement in accept.iter().take(accept.len() - 1) {
            self.statement(statement, false, &mut lines)?;
        }
        if !lines.is_empty() {
            self.state = before;
            return unsupported("a right operand of && or || with effects", "use an `if`");
        }
        self.state.pending.retain(|&pending| pending != condition || op == BinaryOperator::LogicalAnd);
        self.state.logical.insert(*local, Logical { op, left, right: *right });
        Ok(true)
    }

    fn choice(
        &mut self,
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
        is_last: bool,
    ) -> Result<String> {
        let condition = self.value(condition)?;
        let accepted = self.scope(accept, is_last)?;
        let rejected = self.scope(reject, is_last)?;
        if accepted.is_empty() && !rejected.is_empty() {
            let start = format!("if (!{})", condition.within(Level::Postfix));
            return Ok(with_block(&start, &rejected));
        }
        let text = with_block(&format!("if ({})", condition.text), &accepted);
        Ok(match &rejected[..] {
            [] => text,
            [only] if only.starts_with("if (") => format!("{text} else {only}"),
            lines => text + &with_block(" else", lines),
        })
    }

    /// Prints a loop. The first choice that only breaks is the condition of the loop.
    fn repeat(&mut self, body: &Block, continuing: &Block, lines: &mut Lines) -> Result<()> {
        let declarations = self.declarations(body);
        let breaks = |statement: &Statement| {
            matches!(statement, Statement::If { accept, reject, .. }
                if accept.is_empty() && matches!(reject[..], [Statement::Break]))
        };
        let first = body.iter().position(breaks);
        let mut condition = None;
        let before = self.state.clone();
        let taken = before.taken.clone();
        let mut rest = 0;
        if let Some(first) = first
            && let Statement::If { condition: found, .. } = body[first]
            && declarations.iter().all(|(&at, locals)| {
                at > first || locals.iter().all(|&local| self.function.local_variables[local].name.is_none())
            })
        {
            let mut leading = Lines::new();
            for statement in body.iter().take(first) {
                self.statement(statement, false, &mut leading)?;
            }
            self.settle([found], &mut leading)?;
            if leading.is_empty() {
                condition = Some(self.value(found)?.text);
                rest = first + 1;
            } else {
                self.state = before;
            }
        }
        let mut inner = Lines::new();
        for (index, statement) in body.iter().enumerate().skip(rest) {
            for &local in declarations.get(&index).into_iter().flatten() {
                self.declare(local, statement, &mut inner)?;
            }
            self.statement(statement, false, &mut inner)?;
        }
        let step = self.block(continuing, false)?;
        self.state.taken = taken;
        let step = match &step[..] {
            [] => None,
            [only] => Some(only.trim_end_matches(';')),
            _ => return unsupported("a loop whose step has several statements", "make it one statement"),
        };
        let start = match (condition, step) {
            (None, None) => "for (;;)".to_owned(),
            (Some(condition), None) => format!("while ({condition})"),
            (condition, Some(step)) => {
                // The variable of the loop is declared in its head.
                let variable = step.split(' ').next().unwrap_or_default();
                let declares = |line: &String| {
                    let name = line.split(" = ").next().and_then(|start| start.rsplit(' ').next());
                    name == Some(variable) && !line.contains('\n') && line.split(' ').nth(2) == Some("=")
                };
                let start = lines.pop_if(|line| declares(line)).unwrap_or(";".to_owned());
                format!("for ({start} {}; {step})", condition.unwrap_or_default())
            }
        };
        lines.push(with_block(&start, &inner));
        Ok(())
    }

    /// Returns the text of a call.
    pub(super) fn call_text(&self, callee: Handle<Function>, arguments: &[Handle<Expression>]) -> Result<String> {
        let function = &self.context.module.functions[callee];
        let mut values = Vec::new();
        for &argument in arguments {
            let is_pointer = super::is_pointer(self.inner(argument));
            values.push(if is_pointer { self.address(argument)? } else { self.value(argument)?.text });
        }
        for outer in self.context.outers(function, &self.context.info[callee]) {
            values.push(self.context.outer_name(outer)?);
        }
        Ok(format!("{}({})", names::function(name_of(&function.name)), values.join(", ")))
    }

    /// Returns the address of a place.
    fn address(&self, pointer: Handle<Expression>) -> Result<String> {
        let Text { text, .. } = self.place(pointer)?;
        Ok(match text.strip_prefix('*') {
            Some(pointer) => pointer.to_owned(),
            None => format!("&{text}"),
        })
    }
}

/// Returns the declaration of a variable.
fn declared(ty: &str, name: &str) -> String {
    if ty.ends_with('*') { format!("{ty}{name}") } else { format!("{ty} {name}") }
}
