//! Pieces of C, and the layout of lines.

use std::collections::HashMap;

use naga::BinaryOperator;

/// Words of OpenCL C that may be names in WGSL, and the built-in functions that the writer uses.
const RESERVED: &str = "all barrier char clamp clz double event_t float generic global goto half int kernel local long max min \
    pipe popcount private short signed size_t uchar uint ulong unsigned ushort void volatile";

/// Returns a name in C: with an underscore after it if it is reserved there.
pub(super) fn renamed(name: &str) -> String {
    if RESERVED.split_whitespace().any(|word| word == name) { format!("{name}_") } else { name.to_owned() }
}

/// Returns the documentation comments of a source as comments of C: of functions, structs and constants by name, and of members
/// by `Struct.member`. naga loses those after ordinary comments, and gives those of members to the first members.
pub(super) fn comments(wgsl: &str) -> HashMap<String, String> {
    let (mut found, mut comment, mut structure) = (HashMap::new(), String::new(), "");
    for line in wgsl.lines() {
        let start = line.trim_start();
        if let Some(text) = start.strip_prefix("///") {
            comment += &format!("{}//{}\n", &line[..line.len() - start.len()], text.trim_end());
            continue;
        }
        let is_name = |word: &&str| !word.is_empty();
        let mut words = start.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).filter(is_name);
        let name = match (words.next(), words.next()) {
            (Some("fn" | "const"), Some(name)) => name.to_owned(),
            (Some("struct"), Some(name)) => {
                structure = name;
                name.to_owned()
            }
            // The function follows on the next line.
            (Some("compute"), _) => continue,
            (member, _) => format!("{structure}.{}", member.unwrap_or_default()),
        };
        if !comment.is_empty() {
            found.insert(name, std::mem::take(&mut comment));
        }
    }
    found
}

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

/// Returns a value as the value of a declaration, where a struct needs no type.
pub(super) fn initializer<'t>(ty: &str, value: &'t Text) -> &'t str {
    let rest =
        value.text.strip_prefix('(').and_then(|rest| rest.strip_prefix(ty)).and_then(|rest| rest.strip_prefix(')'));
    rest.filter(|rest| rest.starts_with('{')).unwrap_or(&value.text)
}

/// Returns the head of a function, with a line for each parameter if one line is too short.
pub(super) fn head(start: &str, parameters: &[String]) -> String {
    let line = format!("{start}({}) {{\n", parameters.join(", "));
    if line.len() <= WIDTH + 1 { line } else { format!("{start}(\n    {}\n) {{\n", parameters.join(",\n    ")) }
}

pub(super) fn indented(lines: &[String]) -> String {
    lines.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}\n")).collect()
}

/// Breaks the lines that are too long, at the places that are nested least.
pub(super) fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len() + if line.ends_with(" {") { 8 } else { 4 };
        let mut rest = line.to_owned();
        while let Some(at) = break_of(&rest) {
            wrapped += &format!("{}\n", &rest[..at]);
            rest = format!("{:indent$}{}", "", &rest[at + 1..]);
        }
        wrapped += &format!("{rest}\n");
    }
    wrapped
}

/// Returns the blank where a line that is too long breaks: after a comma, else before the operator that binds least; of several
/// such places, the last.
fn break_of(line: &str) -> Option<usize> {
    const WEAKEST_FIRST: [&str; 18] =
        ["?", ":", "||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*"];
    let start = line.trim_start();
    if line.len() <= WIDTH || start.starts_with("//") || start.starts_with('#') {
        return None;
    }
    let mut depth = 0;
    let mut best = None;
    for (at, character) in line.char_indices().take_while(|&(at, _)| at <= WIDTH) {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if at >= line.len() - start.len() => {
                let word = line[at + 1..].split(' ').next().unwrap_or_default();
                let strength = match WEAKEST_FIRST.iter().position(|operator| *operator == word) {
                    _ if line[..at].ends_with([',', ';']) => Some(0),
                    operator => operator.map(|strength| strength + 1),
                };
                if let Some(strength) = strength
                    && best.is_none_or(|(_, least)| (depth, strength) <= least)
                {
                    best = Some((at, (depth, strength)));
                }
            }
            _ => {}
        }
    }
    best.map(|(at, _)| at)
}
