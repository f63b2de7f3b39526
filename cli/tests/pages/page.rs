//! Reads a Markdown page: its code blocks, its examples, and the commands that its text names.

/// A code block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// A block indented by four spaces.
    Indented(Vec<String>),
    /// A block between fences; the opening fence names the language.
    Fenced { language: String, text: String },
}

/// A command after `$ `, and its output according to the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
}

pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block::Fenced { language: language.to_owned(), text: text.join("\n") + "\n" });
        } else if let Some(first) = line.strip_prefix("    ") {
            let mut block = vec![first.to_owned()];
            while let Some(line) = lines.next_if(|line| line.is_empty() || line.starts_with("    ")) {
                block.push(line.strip_prefix("    ").unwrap_or_default().to_owned());
            }
            trim_end(&mut block);
            blocks.push(Block::Indented(block));
        }
    }
    blocks
}

pub(crate) fn examples(block: &[String]) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            examples.push(Example { command: command.to_owned(), output: Vec::new() });
        } else if let Some(example) = examples.last_mut() {
            example.output.push(line.clone());
        }
    }
    examples.iter_mut().for_each(|example| trim_end(&mut example.output));
    examples
}

/// Returns the kogge commands between backticks, and the commands of blocks without `$ `.
pub(crate) fn named_commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for block in blocks(page) {
        if let Block::Indented(lines) = block {
            commands.extend(lines.into_iter().filter(|line| line.starts_with("kogge ")));
        }
    }
    let text: Vec<_> = page.lines().filter(|line| !line.starts_with("    ")).collect();
    let text = text.join(" ");
    let spans = text.split('`').skip(1).step_by(2);
    commands.extend(spans.filter(|span| span.starts_with("kogge ")).map(str::to_owned));
    commands
}

/// Returns the targets of a page's links and pictures, except inside code.
pub(crate) fn links(page: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut links = Vec::new();
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        if !fenced && !line.starts_with("    ") {
            links.extend(line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)));
        }
    }
    links
}

/// Returns the anchors of a page's headings as GitHub makes them: letters, digits, and dashes for spaces.
pub(crate) fn headings(page: &str) -> Vec<String> {
    let titles = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |one: char| match one {
        ' ' | '-' => Some('-'),
        one => one.is_alphanumeric().then(|| one.to_ascii_lowercase()),
    };
    titles.map(|title| title.chars().filter_map(kept).collect()).collect()
}

fn trim_end(lines: &mut Vec<String>) {
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
}

#[test]
fn a_page_is_read() {
    let page = "Text `kogge perft 3`\nand `cargo`.\n\n    $ one | two\n    1\n\n    2\n\n    $ three\n\nMore:\n\n    kogge man\n\
                \n```rust\nfn main() {}\n```\n";
    let indented = |lines: &[&str]| Block::Indented(lines.iter().map(|&line| line.to_owned()).collect());
    let fenced = Block::Fenced { language: "rust".to_owned(), text: "fn main() {}\n".to_owned() };
    let found = blocks(page);
    assert_eq!(found, [indented(&["$ one | two", "1", "", "2", "", "$ three"]), indented(&["kogge man"]), fenced]);
    let Block::Indented(block) = &found[0] else { panic!("{found:?}") };
    let example = |command: &str, output: &[&str]| Example {
        command: command.to_owned(),
        output: output.iter().map(|&line| line.to_owned()).collect(),
    };
    assert_eq!(examples(block), [example("one | two", &["1", "", "2"]), example("three", &[])]);
    assert_eq!(named_commands(page), ["kogge man", "kogge perft 3"]);
}

#[test]
fn links_and_headings_are_found() {
    let page = "# A page\n\n[one](a.md), ![two](b.svg)\n\n    [three](c)\n\n```rust\nf[0](d)\n```\n[four](#the-end-2)\n\n## The end: 2\n";
    assert_eq!(links(page), ["a.md", "b.svg", "#the-end-2"]);
    assert_eq!(headings(page), ["a-page", "the-end-2"]);
}
