//! Names that mean something in OpenCL C.

/// Keywords, types and address spaces, and the built-in functions that the writer uses.
const RESERVED: &[&str] = &[
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "half", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "bool",
    "true", "false", "uchar", "ushort", "uint", "ulong", "size_t", "global", "local", "constant", "private", "kernel",
    "generic", "pipe", "event_t", "all", "any", "barrier", "clamp", "clz", "max", "min", "popcount", "select",
];

/// Built-in functions, which a function of another meaning may not be named after.
const BUILT_IN: &[&str] = &[
    "abs",
    "abs_diff",
    "add_sat",
    "bitselect",
    "ceil",
    "cross",
    "degrees",
    "distance",
    "dot",
    "exp",
    "floor",
    "fract",
    "hadd",
    "length",
    "log",
    "mad",
    "mad24",
    "mad_hi",
    "mix",
    "mul24",
    "mul_hi",
    "normalize",
    "pow",
    "prefetch",
    "radians",
    "rhadd",
    "rotate",
    "round",
    "shuffle",
    "sign",
    "sqrt",
    "step",
    "sub_sat",
    "trunc",
    "upsample",
    "vec_step",
];

/// Returns the name of a variable, a member or a type.
pub(super) fn variable(name: &str) -> String {
    if RESERVED.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// Returns the name of a function.
pub(super) fn function(name: &str) -> String {
    if BUILT_IN.contains(&name) { format!("{name}_") } else { variable(name) }
}
