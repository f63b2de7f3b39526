//! Documentation comments.

use naga::Module;

/// Returns the source with blanks in place of ordinary comments at the beginning of lines: naga 30 loses documentation comments
/// after them.
pub(super) fn without_ordinary_comments(wgsl: &str) -> String {
    let mut text = String::new();
    for line in wgsl.split_inclusive('\n') {
        let start = line.trim_start();
        if start.starts_with("//") && !start.starts_with("///") && !start.starts_with("//!") {
            text.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            text += line;
        }
    }
    text
}

/// Gives the comments of members to the members that they stand before: naga 30 gives them to the first members of the struct.
/// Each member must have its own line.
pub(super) fn place_member_comments(module: &mut Module, wgsl: &str) {
    let Some(comments) = &mut module.doc_comments else { return };
    for ((ty, number), lines) in std::mem::take(&mut comments.struct_members) {
        let range = module.types.get_span(ty).to_range().unwrap_or_default();
        let index = commented_members(&wgsl[range]).get(number).copied();
        comments.struct_members.insert((ty, index.unwrap_or(number)), lines);
    }
}

/// Returns the indices of the members that have comments.
fn commented_members(structure: &str) -> Vec<usize> {
    let (mut members, mut count, mut is_commented) = (Vec::new(), 0, false);
    for line in structure.lines().map(str::trim) {
        if line.starts_with("///") {
            is_commented = true;
        } else if line.contains(':') {
            if is_commented {
                members.push(count);
            }
            (count, is_commented) = (count + 1, false);
        }
    }
    members
}

/// Returns a documentation comment as a comment of C.
pub(super) fn comment(lines: Option<&Vec<String>>, indent: &str) -> String {
    let strip = |line: &str| {
        let text = line.trim_start_matches("///").trim_start_matches("//!");
        format!("{indent}//{}\n", text.trim_end())
    };
    lines.into_iter().flatten().flat_map(|text| text.lines()).map(strip).collect()
}
