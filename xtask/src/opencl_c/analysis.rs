//! What is known about a function before it is printed: which calls are pure, what `&&` and `||` became, and where its
//! variables are declared.

use std::collections::HashMap;

use naga::{
    BinaryOperator, Block, Expression, Function, GlobalVariable, Handle, Literal, LocalVariable, Statement, TypeInner,
    UnaryOperator, valid::FunctionInfo,
};

use super::context::{Context, blocks, walk};

type Local = Handle<LocalVariable>;
type Arguments<'a> = &'a [Handle<Expression>];

/// What a pointer leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Root {
    Local(Local),
    Global(Handle<GlobalVariable>),
    Argument(u32),
}

/// `left && right` or `left || right`.
#[derive(Clone, Copy)]
pub(super) struct Logical {
    pub(super) op: BinaryOperator,
    pub(super) left: Handle<Expression>,
    pub(super) right: Handle<Expression>,
}

pub(super) struct Analysis<'a> {
    context: &'a Context<'a>,
    function: &'a Function,
    info: &'a FunctionInfo,
    /// Pure calls by their results.
    pub(super) calls: HashMap<Handle<Expression>, (Handle<Function>, Arguments<'a>)>,
    /// Variables without names that stand for `left && right` or `left || right`.
    pub(super) logical: HashMap<Local, Logical>,
}

impl<'a> Analysis<'a> {
    pub(super) fn new(context: &'a Context<'a>, function: &'a Function, info: &'a FunctionInfo) -> Self {
        let (calls, logical) = Default::default();
        let mut this = Self { context, function, info, calls, logical };
        walk(&function.body, &mut |statement| {
            if let Statement::Call { function, arguments, result: Some(result) } = statement
                && context.is_pure(*function)
            {
                this.calls.insert(*result, (*function, arguments));
            }
            if let Some((local, logical)) = this.logical_of(statement) {
                this.logical.insert(local, logical);
            }
        });
        this
    }

    /// Recognizes what naga makes of `left && right`, `if left { x = right } else { x = false }`, and of `left || right`, if the
    /// right side needs no statement.
    fn logical_of(&self, statement: &Statement) -> Option<(Local, Logical)> {
        let Statement::If { condition, accept, reject } = statement else { return None };
        let [Statement::Store { pointer, value }] = reject[..] else { return None };
        let (Statement::Store { value: right, .. }, rest) = accept.split_last()? else { return None };
        let Expression::LocalVariable(local) = self.function.expressions[pointer] else { return None };
        let is_silent = |statement: &Statement| match statement {
            Statement::Emit(range) => range.clone().all(|expression| self.info[expression].ref_count < 2),
            statement => self.is_silent(statement),
        };
        if self.function.local_variables[local].name.is_some() || !rest.iter().all(is_silent) {
            return None;
        }
        let (op, left) = match (&self.function.expressions[value], &self.function.expressions[*condition]) {
            (Expression::Literal(Literal::Bool(false)), _) => (BinaryOperator::LogicalAnd, *condition),
            (Expression::Literal(Literal::Bool(true)), &Expression::Unary { op: UnaryOperator::LogicalNot, expr }) => {
                (BinaryOperator::LogicalOr, expr)
            }
            _ => return None,
        };
        Some((local, Logical { op, left, right: *right }))
    }

    /// Returns the variable of `&&` or `||`, if a statement computes it.
    pub(super) fn logical_variable(&self, statement: &Statement) -> Option<Local> {
        let Statement::If { reject, .. } = statement else { return None };
        let [Statement::Store { pointer, .. }] = reject[..] else { return None };
        self.whole(pointer).filter(|local| self.logical.contains_key(local))
    }

    /// Whether a statement is printed as a part of later ones.
    pub(super) fn is_silent(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Emit(_) => true,
            Statement::Call { result: Some(result), .. } => self.calls.contains_key(result),
            statement => self.logical_variable(statement).is_some(),
        }
    }

    pub(super) fn is_pointer(&self, expression: Handle<Expression>) -> bool {
        let inner = self.info[expression].ty.inner_with(&self.context.module.types);
        matches!(inner, TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
    }

    /// Returns what a pointer leads to.
    pub(super) fn root(&self, pointer: Handle<Expression>) -> Option<Root> {
        match self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.root(base),
            Expression::LocalVariable(local) => Some(Root::Local(local)),
            Expression::GlobalVariable(global) => Some(Root::Global(global)),
            Expression::FunctionArgument(index) => Some(Root::Argument(index)),
            _ => None,
        }
    }

    /// Returns the variable that a pointer leads to as a whole.
    pub(super) fn whole(&self, pointer: Handle<Expression>) -> Option<Local> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) => Some(local),
            _ => None,
        }
    }

    // Where variables are declared.

    /// Returns the variables that a block has to declare, each with the index of the statement at or before which it does:
    /// variables that two of its statements touch, or one that may not declare it.
    pub(super) fn declarations(&self, block: &[Statement]) -> Vec<(usize, Local)> {
        let mut declarations = Vec::new();
        for (local, _) in self.function.local_variables.iter().filter(|(local, _)| !self.logical.contains_key(local)) {
            if let [first, rest @ ..] = &self.touching(block, local)[..]
                && !(rest.is_empty() && self.inside(&block[*first], local).is_some())
            {
                declarations.push((*first, local));
            }
        }
        declarations
    }

    /// Returns the indices of the statements that touch a variable.
    fn touching(&self, block: &[Statement], local: Local) -> Vec<usize> {
        (0..block.len()).filter(|&at| self.touches(&block[at], local)).collect()
    }

    /// Whether a statement reads or writes a variable.
    pub(super) fn touches(&self, statement: &Statement, local: Local) -> bool {
        let leads = |&pointer: &Handle<Expression>| self.root(pointer) == Some(Root::Local(local));
        match statement {
            Statement::Emit(range) => range.clone().any(|expression| match self.function.expressions[expression] {
                Expression::Load { pointer } => leads(&pointer),
                _ => false,
            }),
            Statement::Store { pointer, .. } => leads(pointer),
            Statement::Call { arguments, .. } => arguments.iter().any(leads),
            statement => {
                blocks(statement).into_iter().flat_map(|block| block.iter()).any(|inner| self.touches(inner, local))
            }
        }
    }

    /// Returns the only block of a statement that touches a variable, if this block may declare it. A loop may if each iteration
    /// begins by setting the variable.
    fn inside<'b>(&self, statement: &'b Statement, local: Local) -> Option<&'b Block> {
        let is_touched = |block: &&Block| block.iter().any(|statement| self.touches(statement, local));
        let touched: Vec<_> = blocks(statement).into_iter().filter(is_touched).collect();
        let &[block] = &touched[..] else { return None };
        let is_inside = match statement {
            Statement::Loop { .. } => {
                self.function.local_variables[local].init.is_none() && self.begins_with_store(block, local)
            }
            statement => self.logical_variable(statement).is_none(),
        };
        is_inside.then_some(block)
    }

    /// Whether the innermost block that has all uses of a variable begins with setting all of it.
    fn begins_with_store(&self, block: &Block, local: Local) -> bool {
        match self.touching(block, local)[..] {
            [only] if let Some(inner) = self.inside(&block[only], local) => self.begins_with_store(inner, local),
            [first, ..] => self.stored(&block[first]) == Some(local),
            [] => false,
        }
    }

    /// Returns the variable that a statement sets.
    pub(super) fn stored(&self, statement: &Statement) -> Option<Local> {
        match statement {
            Statement::Store { pointer, .. } => self.whole(*pointer),
            _ => None,
        }
    }

    /// Whether statements certainly set a variable before they read it.
    pub(super) fn is_set_first(&self, block: &[Statement], local: Local) -> bool {
        let Some(&first) = self.touching(block, local).first() else { return false };
        match &block[first] {
            statement @ (Statement::Block(_) | Statement::If { .. }) => {
                self.logical_variable(statement).is_none()
                    && blocks(statement).into_iter().all(|block| self.is_set_first(block, local))
            }
            statement => self.stored(statement) == Some(local),
        }
    }

    /// Whether a statement is a loop that sets a variable at the end of each iteration.
    pub(super) fn is_stepped(&self, statement: &Statement, local: Local) -> bool {
        matches!(statement, Statement::Loop { continuing, .. }
            if continuing.iter().any(|statement| self.stored(statement) == Some(local)))
    }
}

/// Drops the returns without a value after which nothing follows.
pub(super) fn drop_last_returns(block: &mut Block) {
    if let Some(Statement::Return { value: None }) = block.last() {
        block.cull(block.len() - 1..);
    }
    match block.last_mut() {
        Some(Statement::Block(block)) => drop_last_returns(block),
        Some(Statement::If { accept, reject, .. }) => [accept, reject].into_iter().for_each(drop_last_returns),
        Some(Statement::Switch { cases, .. }) => {
            cases.iter_mut().for_each(|case| drop_last_returns(&mut case.body));
        }
        _ => {}
    }
}
