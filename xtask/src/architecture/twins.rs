//! Finds code that both GPU backends contain, although the host of every GPU interface is written once, in `gpu`.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use super::{read, sources};
use crate::root;

/// The minimum number of consecutive equal lines that is an error.
const TOO_MANY: usize = 6;

/// Returns the lines of a Rust source with their numbers, without blank lines, comments, imports and closing brackets.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut in_use = false;
    let counts = |(_, line): &(usize, &str)| {
        let starts = ["use ", "pub use ", "pub(crate) use "].iter().any(|start| line.starts_with(start));
        let is_use = starts || in_use;
        in_use = is_use && !line.ends_with(';');
        !is_use && !line.starts_with("//") && !line.chars().all(|c| "})];,".contains(c))
    };
    (1..).zip(text.lines().map(str::trim)).filter(counts).collect()
}

/// Returns every run of [`TOO_MANY`] lines in `others` that is also in `ours`.
fn twins(ours: &[(String, String)], others: &[(String, String)]) -> Vec<String> {
    let mut known = HashMap::new();
    for (file, text) in ours {
        for window in lines(text).windows(TOO_MANY) {
            known.insert(window.iter().map(|(_, line)| *line).collect::<Vec<_>>(), format!("{file}:{}", window[0].0));
        }
    }
    let mut found = Vec::new();
    for (file, text) in others {
        for window in lines(text).windows(TOO_MANY) {
            if let Some(twin) = known.get(&window.iter().map(|(_, line)| *line).collect::<Vec<_>>()) {
                found.push(format!("{file}:{} and {twin}", window[0].0));
            }
        }
    }
    found
}

#[test]
fn no_six_lines_in_a_row_stand_in_both_backends() {
    let [opencl, wgpu] = ["backend-opencl", "backend-wgpu"].map(|name| {
        let files = sources(&root().join(name)).into_iter();
        let is_built = |file: &Path| ["kernels", "target"].iter().any(|folder| file.iter().any(|part| part == *folder));
        let read = |file: PathBuf| (file.display().to_string(), read(&file));
        files.filter(|file| !is_built(file)).map(read).collect::<Vec<_>>()
    });
    let found = twins(&opencl, &wgpu);
    assert!(found.is_empty(), "Move these to gpu or testkit:\n{}", found.join("\n"));
}

#[test]
fn twins_are_found() {
    let file = |text: &str| [("a.rs".to_owned(), text.to_owned())];
    let six = "1\n2\n\n3\nuse a::{\n    b,\n};\n  4\n5\n}\n6\n";
    assert_eq!(twins(&file(six), &file("0\n1\n2\n3\n4\n5\n6\n7\n")), ["a.rs:2 and a.rs:1"]);
    assert!(twins(&file(six), &file("1\n2\n3\n4\n5\n7\n6\n")).is_empty());
}
