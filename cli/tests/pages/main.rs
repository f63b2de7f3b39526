//! Tests that the pages tell the truth.
//!
//! Every example of the README and of the guides runs and must print the output that the page shows, on standard output and standard
//! error together, except for the parts that [`mask`] masks. An example is a command after `$ `. The examples of a page run one after
//! the other, as a reader would copy them, in an empty folder with the repository's `data`, on a machine without a GPU. `cargo run
//! --release --` runs the binary under test. A list names the examples that do not run, with reasons. The examples of the libraries
//! run too, the commands that pages name exist, links have targets, and large counts are the published ones.

#![cfg(target_os = "linux")]

mod mask;
mod page;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kogge::known;
use page::{Block, Example};

/// The pages whose examples run.
const GUIDES: [(&str, &str); 5] = [
    ("README.md", include_str!("../../../README.md")),
    ("docs/commands.md", include_str!("../../../docs/commands.md")),
    ("docs/devices.md", include_str!("../../../docs/devices.md")),
    ("docs/exactness.md", include_str!("../../../docs/exactness.md")),
    ("docs/library.md", include_str!("../../../docs/library.md")),
];

/// The maximum number of lines in the README, so that people read it.
const README_LINES: usize = 200;

const RESULTS: &str = include_str!("../../../RESULTS.md");

/// The other pages: their commands and links are checked, too.
const PAGES: [(&str, &str); 20] = [
    ("RESULTS.md", RESULTS),
    ("CONTRIBUTING.md", include_str!("../../../CONTRIBUTING.md")),
    ("docs/architecture.md", include_str!("../../../docs/architecture.md")),
    ("docs/categories.md", include_str!("../../../docs/categories.md")),
    ("docs/check.md", include_str!("../../../docs/check.md")),
    ("docs/deep-counts.md", include_str!("../../../docs/deep-counts.md")),
    ("docs/extending.md", include_str!("../../../docs/extending.md")),
    ("docs/long-runs.md", include_str!("../../../docs/long-runs.md")),
    ("docs/other-programs.md", include_str!("../../../docs/other-programs.md")),
    ("docs/python.md", include_str!("../../../docs/python.md")),
    ("docs/search.md", include_str!("../../../docs/search.md")),
    ("docs/web.md", include_str!("../../../docs/web.md")),
    ("docs/report/README.md", include_str!("../../../docs/report/README.md")),
    ("cli/JSON.md", include_str!("../../JSON.md")),
    ("CHANGELOG.md", include_str!("../../../CHANGELOG.md")),
    ("data/README.md", include_str!("../../../data/README.md")),
    ("python/README.md", include_str!("../../../python/README.md")),
    ("movegen-cpu/MEASUREMENTS.md", include_str!("../../../movegen-cpu/MEASUREMENTS.md")),
    ("backend-opencl/MEASUREMENTS.md", include_str!("../../../backend-opencl/MEASUREMENTS.md")),
    ("backend-wgpu/MEASUREMENTS.md", include_str!("../../../backend-wgpu/MEASUREMENTS.md")),
];

/// The first lines of the blocks that do not run here, with the reasons.
const NOT_RUN: [(&str, &str); 3] = [
    ("cargo xtask test", "runs this test"),
    ("cargo install --locked --path cli --features full", "builds everything once more, in release"),
    ("docker build --tag kogge .", "needs an engine for containers"),
];

/// An example whose output is compared only partly.
struct Partly {
    command: &'static str,
    /// A faster command to run instead, if any.
    instead: Option<&'static str>,
    /// Prefixes; each line of the output must start with one of them.
    beginnings: &'static [&'static str],
}

const PARTLY: [Partly; 4] = [
    // A user pressed Ctrl-C; `refusals.rs` tests this.
    Partly { command: "kogge perft 9 --raw", instead: None, beginnings: &["^C", "Stopped on request: "] },
    // The output depends on the machine.
    Partly {
        command: "kogge devices",
        instead: Some("devices"),
        beginnings: &["backend   number  device", "opencl ", "wgpu ", "cpu            0  ", "mailbox        0  "],
    },
    // The devices and the work depend on the machine; `selfcheck.rs` tests the rest.
    Partly {
        command: "kogge selfcheck --seed 1",
        instead: Some("selfcheck --seconds 1 --device cpu,mailbox"),
        beginnings: &[
            "kogge      0.1.0, selfcheck --seconds ",
            "system     linux x86_64, ",
            "CPU        ",
            "opencl:0   ",
            "wgpu:0     ",
            "cpu:0      CPU, ",
            "           right: 4 self-tests, ",
            "mailbox:0  one CPU thread; ",
            "Everything agrees.",
        ],
    },
    // Depths and times depend on the machine; `bench.rs` tests the rest.
    Partly {
        command: "kogge bench --quick --backend cpu",
        instead: Some("bench --seconds 1 --repetitions 2 --backend cpu"),
        beginnings: &[
            "cpu: CPU, ",
            "position  counted depth                  leaves     seconds    spread   leaves/s",
            "startpos  ",
            "kiwipete  ",
            "pos3      ",
            "pos4      ",
            "pos5      ",
            "pos6      ",
            "format     bytes    pack, ns  unpack, ns",
            "quad48        48  ",
            "circle32      32  ",
            "five42        42  ",
            "pieces38      38  ",
            "pieces64      64  ",
            "note: The ",
        ],
    },
];

impl Partly {
    /// Returns the first line that starts with none of the prefixes.
    fn other<'a>(&self, mut lines: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        lines.find(|line| {
            !line.is_empty() && *line != "..." && !self.beginnings.iter().any(|beginning| line.starts_with(beginning))
        })
    }
}

fn examples_of(page: &str) -> Vec<Example> {
    let examples = |block: &Block| match block {
        Block::Indented(lines) => page::examples(lines),
        Block::Fenced { .. } => Vec::new(),
    };
    page::blocks(page).iter().flat_map(examples).collect()
}

fn all_examples() -> Vec<Example> {
    GUIDES.iter().flat_map(|(_, page)| examples_of(page)).collect()
}

#[test]
fn every_example_prints_what_the_page_says() {
    let mut wrong = Vec::new();
    let mut run = 0;
    for (name, page) in GUIDES {
        let folder = scratch(name);
        for Example { command, output } in examples_of(page) {
            if let Some(partly) = PARTLY.iter().find(|partly| partly.command == command) {
                assert!(!output.is_empty(), "{command}");
                assert_eq!(partly.other(output.iter().map(String::as_str)), None, "{command}");
                continue;
            }
            let printed = printed_by(&command, &folder);
            if !mask::agrees(&output, &printed) {
                let (output, printed) = (output.join("\n"), printed.join("\n"));
                wrong.push(format!("{name}: $ {command}\n--- page:\n{output}\n--- kogge:\n{printed}\n"));
            }
            run += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {run} examples print something else.\n{}", wrong.len(), wrong.join("\n"));
    assert!(run > 30, "only {run} examples were found");
}

#[test]
fn what_is_partly_compared_looks_as_in_the_page() {
    for partly in &PARTLY {
        assert!(all_examples().iter().any(|example| example.command == partly.command), "{}", partly.command);
        let Some(instead) = partly.instead else { continue };
        let run = support::kogge(&support::words(instead));
        assert_eq!(run.code, 0, "{instead}: {}", run.stderr);
        assert!(run.stdout.lines().count() > 2, "{instead}: {}", run.stdout);
        // On standard error, only the lines of kogge are compared, because drivers write there too.
        let own = |line: &&str| line.starts_with("note: ") || line.starts_with("error: ");
        let said = run.stdout.lines().chain(run.stderr.lines().filter(own));
        assert_eq!(partly.other(said), None, "{instead}: {}{}", run.stdout, run.stderr);
    }
}

/// Checks that no block is overlooked.
#[test]
fn every_block_is_an_example_or_listed() {
    for (name, page) in GUIDES {
        for block in page::blocks(page) {
            match block {
                Block::Indented(lines) => {
                    let is_listed = NOT_RUN.iter().any(|(first, _)| *first == lines[0]);
                    assert!(lines[0].starts_with("$ ") || is_listed, "{name}: {lines:#?}");
                }
                Block::Fenced { language, text } => {
                    assert!(EXAMPLES.iter().any(|(code, _)| in_page(code) == text), "{name}: {language}: {text}");
                }
            }
        }
    }
    for (first, reason) in NOT_RUN {
        let is_there = GUIDES.iter().any(|(_, page)| page.contains(&format!("\n    {first}\n")));
        assert!(is_there, "{first} ({reason}) is in no page");
    }
}

#[test]
fn the_readme_is_short() {
    let lines = GUIDES[0].1.lines().count();
    assert!(lines <= README_LINES, "the README has {lines} lines");
}

/// Lists the examples of the libraries: their text and their function.
macro_rules! examples {
    ($($name:ident: $path:literal),*) => {
        $(
            #[path = $path]
            mod $name;
        )*
        const EXAMPLES: &[(&str, fn() -> Result<(), Box<dyn std::error::Error>>)] =
            &[$((include_str!($path), $name::main)),*];
    };
}

examples! {
    positions: "../../examples/positions.rs",
    count: "../../examples/count.rs",
    devices: "../../examples/devices.rs",
    play: "../../examples/play.rs"
}

/// Returns an example in the form that a page shows: without its first lines, which repeat the page's text, and with a
/// private `main`.
fn in_page(example: &str) -> String {
    let (_, code) = example.split_once("\n\n").expect("an example begins with a comment");
    code.replace("pub(crate) fn main", "fn main")
}

#[test]
fn library_examples_run_and_are_those_of_a_page() {
    for (text, main) in EXAMPLES {
        let code = in_page(text);
        let block = format!("```rust\n{code}```\n");
        assert!(GUIDES.iter().any(|(_, page)| page.contains(&block)), "no page has:\n{code}");
        main().unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

/// Checks that kogge understands every command that a page names. The commands are only parsed, not run, because `--help` is added.
#[test]
fn pages_name_commands_that_exist() {
    for (name, page) in GUIDES.into_iter().chain(PAGES) {
        for command in page::named_commands(page) {
            let output = printed_by(&format!("{command} --help"), Path::new("."));
            assert!(output.iter().any(|line| line.starts_with("Usage: kogge")), "{name}: {command}: {output:#?}");
        }
    }
}

/// Checks that every link within the repository leads to a file, and to a heading if it names one.
#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut followed = 0;
    for (name, page) in GUIDES.into_iter().chain(PAGES) {
        for link in page::links(page).into_iter().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let here = root.join(name);
            let target = if file.is_empty() { here } else { here.with_file_name(file) };
            assert!(target.exists(), "{name}: {link}");
            if !heading.is_empty() {
                let text = std::fs::read_to_string(&target).expect("a page");
                assert!(page::headings(&text).contains(&heading.to_owned()), "{name}: {link}");
            }
            followed += 1;
        }
    }
    assert!(followed > 40, "only {followed} links were found");
}

/// Checks large counts against the published ones.
#[test]
fn large_counts_are_the_published_ones() {
    let known = known::standard();
    let mut published = 0;
    let table = RESULTS.lines().skip_while(|line| !line.starts_with("| position | depth |")).skip(2);
    for row in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let name = match cells[1] {
            "start position" => "startpos".to_owned(),
            name => name.to_lowercase().replace("position ", "pos"),
        };
        let leaves: u128 = cells[3].replace(',', "").parse().expect("a count");
        assert!(leaves > 100_000_000_000, "{row}");
        let (known, depth) = (known.iter().find(|known| known.name == name), cells[2].parse().expect("a depth"));
        let is_published = cells[7].contains("published, ");
        assert_eq!(known.and_then(|known| known.leaves(depth)), is_published.then_some(leaves), "{row}");
        published += usize::from(is_published);
    }
    assert!(published > 10, "only {published} counts were found");
}

fn printed_by(command: &str, folder: &Path) -> Vec<String> {
    let command = command.replace("cargo run --release --", "kogge");
    let binary = Path::new(env!("CARGO_BIN_EXE_kogge")).parent().expect("it lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binary.to_owned()).chain(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(folder).stdin(Stdio::null());
    shell.env("PATH", std::env::join_paths(paths).expect("paths without colons"));
    shell.env("HOME", folder).env("KOGGE_CACHE_DIR", folder.join("cache"));
    support::hide_devices(&mut shell);
    let output = shell.output().expect("there is a shell");
    // Whether work takes more than two seconds depends on what else the machine does.
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    lines.lines().filter(|line| !line.starts_with("note: After ")).map(str::to_owned).collect()
}

/// Creates an empty folder with the repository's data, for the examples of this page.
fn scratch(page: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(page);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::create_dir(folder.join("board")).expect("a folder can be made");
    for data in ["data", "board/data"] {
        let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(data);
        std::os::unix::fs::symlink(original, folder.join(data)).expect("a link can be made");
    }
    folder
}
