//! Names that mean something in OpenCL C.

/// Keywords, types and address spaces.
const KEYWORDS: &str = "auto bool break case char const constant continue default do double else enum event_t extern false \
    float for generic global goto half if inline int kernel local long pipe private register restrict return short signed \
    size_t sizeof static struct switch true typedef uchar uint ulong union unsigned ushort void volatile while";

/// Built-in functions that the writer uses.
const USED: &str = "all any barrier clamp clz max min popcount select";

/// Other built-in functions, which a function of another meaning may not be named after.
const BUILT_IN: &str = "abs abs_diff add_sat bitselect ceil cross degrees distance dot exp floor fract hadd length log mad \
    mad24 mad_hi mix mul24 mul_hi normalize pow prefetch radians rhadd rotate round shuffle sign sqrt step sub_sat trunc \
    upsample vec_step";

/// Returns a name, with an underscore after it if it is one of some words.
fn unless(name: &str, words: &[&str]) -> String {
    let is_word = words.iter().any(|words| words.split_whitespace().any(|word| word == name));
    if is_word { format!("{name}_") } else { name.to_owned() }
}

/// Returns the name of a member or a type.
pub(super) fn member(name: &str) -> String {
    unless(name, &[KEYWORDS])
}

/// Returns the name of a variable.
pub(super) fn variable(name: &str) -> String {
    unless(name, &[KEYWORDS, USED])
}

/// Returns the name of a function.
pub(super) fn function(name: &str) -> String {
    unless(name, &[KEYWORDS, USED, BUILT_IN])
}
