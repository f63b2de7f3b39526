//! Pieces of C, and the layout of lines.

use naga::BinaryOperator;

/// The greatest length of a line.
const WIDTH: usize = 120;

/// How tightly an expression binds, the tightest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    Postfix,
    Unary,
    Product,
    Sum,
    Shift,
    Comparison,
    And,
    ExclusiveOr,
    InclusiveOr,
    LogicalAnd,
    LogicalOr,
    Ternary,
}

/// An expression in C.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) level: Level,
}

impl Text {
    pub(super) fn new(text: impl Into<String>, level: Level) -> Self {
        Self { text: text.into(), level }
    }

    pub(super) fn postfix(text: impl Into<String>) -> Self {
        Self::new(text, Level::Postfix)
    }

    pub(super) fn unary(text: impl Into<String>) -> Self {
        Self::new(text, Level::Unary)
    }

    /// Returns the text as the value of a macro.
    pub(super) fn in_macro(self) -> String {
        self.within(Level::Postfix)
    }

    /// Returns the text, in parentheses if it binds less tightly than `least`.
    pub(super) fn within(self, least: Level) -> String {
        if self.level > least { format!("({})", self.text) } else { self.text }
    }
}

/// Returns the operator in C, and how tightly it binds.
pub(super) fn operator(op: BinaryOperator) -> (&'static str, Level) {
    match op {
        BinaryOperator::Multiply => ("*", Level::Product),
        BinaryOperator::Divide => ("/", Level::Product),
        BinaryOperator::Modulo => ("%", Level::Product),
        BinaryOperator::Add => ("+", Level::Sum),
        BinaryOperator::Subtract => ("-", Level::Sum),
        BinaryOperator::ShiftLeft => ("<<", Level::Shift),
        BinaryOperator::ShiftRight => (">>", Level::Shift),
        BinaryOperator::Equal => ("==", Level::Comparison),
        BinaryOperator::NotEqual => ("!=", Level::Comparison),
        BinaryOperator::Less => ("<", Level::Comparison),
        BinaryOperator::LessEqual => ("<=", Level::Comparison),
        BinaryOperator::Greater => (">", Level::Comparison),
        BinaryOperator::GreaterEqual => (">=", Level::Comparison),
        BinaryOperator::And => ("&", Level::And),
        BinaryOperator::ExclusiveOr => ("^", Level::ExclusiveOr),
        BinaryOperator::InclusiveOr => ("|", Level::InclusiveOr),
        BinaryOperator::LogicalAnd => ("&&", Level::LogicalAnd),
        BinaryOperator::LogicalOr => ("||", Level::LogicalOr),
    }
}

/// Returns `left op right`, with the parentheses that C or a reader needs: as in WGSL, shifts and bit operators do not mix
/// with others.
pub(super) fn binary(op: BinaryOperator, left: Text, right: Text) -> Text {
    let (op, level) = operator(op);
    let (left_least, right_least) = match level {
        Level::Product => (Level::Product, Level::Unary),
        Level::Sum => (Level::Sum, Level::Product),
        Level::Comparison => (Level::Sum, Level::Sum),
        Level::LogicalAnd | Level::LogicalOr => (Level::Comparison, Level::Comparison),
        _ => (Level::Unary, Level::Unary),
    };
    let chains = level >= Level::And;
    let operand = |text: Text, least| if chains && text.level == level { text.text } else { text.within(least) };
    Text::new(format!("{} {op} {}", operand(left, left_least), operand(right, right_least)), level)
}

/// Returns a comment of the source.
pub(super) fn comment(lines: Option<&Vec<String>>) -> String {
    let lines = lines.into_iter().flatten().flat_map(|line| line.lines());
    lines.map(|line| format!("//{}\n", line.trim_start().trim_start_matches('/'))).collect()
}

/// Returns the head of a function, with a line for each parameter if one line is too short.
pub(super) fn head(start: &str, parameters: &[String]) -> String {
    let line = format!("{start}({}) {{\n", parameters.join(", "));
    if line.len() <= WIDTH + 1 { line } else { format!("{start}(\n    {}\n) {{\n", parameters.join(",\n    ")) }
}

/// Indents lines by one step.
pub(super) fn indented(lines: &[String]) -> String {
    lines.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}\n")).collect()
}

/// Breaks the lines that are too long, where they are nested least: after a comma or before an operator.
pub(super) fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut rest = line.to_owned();
        while let Some(at) = break_of(&rest) {
            wrapped += rest[..at].trim_end();
            wrapped.push('\n');
            rest = format!("{indent}    {}", rest[at..].trim_start());
        }
        wrapped += &rest;
        wrapped.push('\n');
    }
    wrapped
}

/// Returns where a line that is too long breaks: at the last of the least nested places.
fn break_of(line: &str) -> Option<usize> {
    let start = line.trim_start();
    if line.len() <= WIDTH || start.starts_with("//") || start.starts_with('#') {
        return None;
    }
    let mut depth = 0;
    let mut best = None;
    for (at, character) in line.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' => {
                let (before, after) = (&line[..at], &line[at + 1..]);
                let word = after.split(' ').next().unwrap_or_default();
                let is_operator =
                    ["*", "/", "%", "+", "-", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&", "^", "|"]
                        .contains(&word)
                        || ["&&", "||", "?", ":"].contains(&word);
                let breaks = before.ends_with(',') || before.ends_with(';') || is_operator;
                if breaks && at <= WIDTH && best.is_none_or(|(_, least)| depth <= least) {
                    best = Some((at, depth));
                }
            }
            _ => {}
        }
    }
    best.map(|(at, _)| at)
}
