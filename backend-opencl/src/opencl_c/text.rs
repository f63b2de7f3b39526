//! Pieces of C.

use naga::BinaryOperator;

/// Words of OpenCL C that may be names in WGSL, and the built-in functions that the writer uses.
#[rustfmt::skip]
const RESERVED: [&str; 31] = [
    "all", "barrier", "char", "clamp", "clz", "double", "event_t", "float", "generic", "global", "goto", "half",
    "int", "kernel", "local", "long", "max", "min", "pipe", "popcount", "private", "short", "signed", "size_t",
    "uchar", "uint", "ulong", "unsigned", "ushort", "void", "volatile",
];

/// Returns a name in C: with an underscore after it if it is reserved there.
pub(super) fn renamed(name: &str) -> String {
    if RESERVED.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

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

    /// Returns the text, in parentheses if it binds less tightly than `least`.
    pub(super) fn within(self, least: Level) -> String {
        if self.level > least { format!("({})", self.text) } else { self.text }
    }
}

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

/// Returns a value as the value of a declaration, where a struct needs no type.
pub(super) fn initializer<'t>(ty: &str, value: &'t Text) -> &'t str {
    let rest =
        value.text.strip_prefix('(').and_then(|rest| rest.strip_prefix(ty)).and_then(|rest| rest.strip_prefix(')'));
    rest.filter(|rest| rest.starts_with('{')).unwrap_or(&value.text)
}

pub(super) fn indented(lines: &[String]) -> String {
    lines.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}\n")).collect()
}
