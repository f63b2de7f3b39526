//! `cargo xtask report`: a page of tables and pictures from measurements by `kogge bench --json`.
//!
//! The page is made only from files beside it: the JSON files, notes on them (`h200.txt` on `h200.json`), `rivals.tsv`, and
//! `deep.tsv`, counts that take longer than `kogge bench`.

mod charts;
mod data;
mod svg;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use self::charts::{Bars, Curve, bars, curves};
use self::data::{Bench, Class, Deep, Rival, Row};
use self::svg::Svg;
use crate::{Result, root};

/// The six positions with their names on the page.
const POSITIONS: [(&str, &str); 6] = [
    ("startpos", "start position"),
    ("kiwipete", "Kiwipete"),
    ("pos3", "position 3"),
    ("pos4", "position 4"),
    ("pos5", "position 5"),
    ("pos6", "position 6"),
];

/// The classes of devices that are compared, each with its way of counting in `rivals.tsv`, and the title and file of
/// its picture.
const CLASSES: [(Class, &str, &str, &str); 3] = [
    (Class::Gpu, "raw", "Every leaf counted, on GPUs", "raw-gpu.svg"),
    (Class::Cores, "", "Every leaf counted, on all cores of a CPU", "raw-cpu.svg"),
    (Class::Core, "core", "Every leaf counted, on one core of a CPU", "raw-core.svg"),
];

/// Makes the page from the files in the documentation, after copying new files there.
pub(crate) fn run(files: &[PathBuf]) -> Result {
    let folder = root().join("docs/report");
    println!("{} files in {}", update(&folder, files)?, folder.display());
    Ok(())
}

/// Makes the page in this folder, and returns the number of files. Nothing is written until all files are made.
fn update(folder: &Path, files: &[PathBuf]) -> Result<usize> {
    let files = measurements(folder, files)?;
    let made = make(folder, &files)?;
    for (name, file) in &files {
        let copy = folder.join(name);
        if !copy.exists() {
            fs::copy(file, &copy).map_err(|error| format!("{} could not be written: {error}.", copy.display()))?;
        }
    }
    for (name, text) in &made {
        fs::write(folder.join(name), text)?;
    }
    for old in files_in(folder, "svg")? {
        if !made.iter().any(|(name, _)| old.ends_with(name)) {
            fs::remove_file(old)?;
        }
    }
    Ok(made.len())
}

/// Returns all measurements, existing and new, by their names in the folder.
fn measurements(folder: &Path, files: &[PathBuf]) -> Result<BTreeMap<String, PathBuf>> {
    let read = |file: &Path| fs::read(file).map_err(|error| format!("{} could not be read: {error}.", file.display()));
    let mut found = BTreeMap::new();
    for file in files_in(folder, "json")?.iter().chain(files) {
        let name = file.file_name().filter(|_| file.extension().is_some_and(|end| end == "json"));
        let name = name
            .and_then(|name| name.to_str())
            .ok_or_else(|| format!("{} is not accepted: the name of a measurement ends in .json.", file.display()))?;
        if let Some(other) = found.insert(name.to_owned(), file.clone())
            && read(&other)? != read(file)?
        {
            let (file, other) = (file.display(), other.display());
            return Err(format!("{file} and {other} have the same name and differ; rename one, or remove it.").into());
        }
    }
    Ok(found)
}

/// Returns the files of the folder with this extension, sorted by name.
fn files_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{} could not be read: {error}.", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Makes the page and its pictures, by file name, from these measurements and the other files of the folder.
fn make(folder: &Path, files: &BTreeMap<String, PathBuf>) -> Result<Vec<(String, String)>> {
    let mut benches = files.values().map(|file| Bench::read(file)).collect::<Result<Vec<_>>>()?;
    if benches.is_empty() {
        return Err(
            format!("There is no measurement in {}; give files of kogge bench --json.", folder.display()).into()
        );
    }
    for note in files_in(folder, "txt")? {
        let bench = benches.iter_mut().find(|bench| note.file_stem().is_some_and(|name| name == bench.name.as_str()));
        let bench = bench.ok_or_else(|| format!("{} is a note on a missing measurement.", note.display()))?;
        let text =
            fs::read_to_string(&note).map_err(|error| format!("{} could not be read: {error}.", note.display()))?;
        bench.note = Some(text.trim().to_owned());
    }
    let rivals = Rival::read(&folder.join("rivals.tsv"))?;
    let page = Page::new(benches, rivals, &Deep::read(&folder.join("deep.tsv"))?);
    let mut made = vec![("README.md".to_owned(), page.text())];
    made.extend(page.pictures.iter().map(|picture| (picture.file.to_owned(), picture.svg.finish())));
    Ok(made)
}

/// A picture of the page.
struct Picture {
    file: &'static str,
    svg: Svg,
    /// The text below the picture.
    caption: String,
}

struct Page {
    benches: Vec<Bench>,
    pictures: Vec<Picture>,
}

impl Page {
    fn new(benches: Vec<Bench>, rivals: Vec<Rival>, deep: &[Deep]) -> Self {
        let mut pictures = Vec::new();
        for (class, counting, title, file) in CLASSES {
            pictures.extend(rates(&benches, &rivals, class, counting, title, file));
        }
        pictures.extend(times(&benches, &rivals, deep));
        pictures.extend(growth(&benches));
        pictures.extend(packing(&benches));
        Self { benches, pictures }
    }

    fn text(&self) -> String {
        let mut text = "\
# Measurements

Made by `cargo xtask report` from the JSON files in this folder, which `kogge bench --json` printed, and from
[rivals.tsv](rivals.tsv), what other programs reach. Every count of kogge's that was timed was compared with the published
one. A time is the middle one of the three least. Raw: one call of the backend, every leaf counted anew. Merged: as `kogge perft` counts, each position
of a ply once.
"
        .to_owned();
        // Writing to a string cannot fail.
        for Bench { name, .. } in self.benches.iter().filter(|bench| bench.note.is_some()) {
            let _ = write!(text, "\nNot all rows of [{name}](#{name}) can be compared; a note there says which.\n");
        }
        for Picture { file, caption, svg } in &self.pictures {
            let _ = write!(text, "\n![{}]({file})\n\n{caption}\n", svg.title);
        }
        for bench in &self.benches {
            text += &table(bench);
        }
        text
    }
}

/// Returns all subjects of a class, with their labels.
fn subjects(benches: &[Bench], wanted: Class) -> Vec<(&Bench, usize, String)> {
    let mut found = Vec::new();
    for bench in benches {
        let of_class = bench.subjects.iter().enumerate().filter(|(_, subject)| subject.class() == Some(wanted));
        for (index, subject) in of_class {
            let machine = if benches.len() > 1 { format!(" ({})", bench.name) } else { String::new() };
            found.push((bench, index, subject.label() + &machine));
        }
    }
    found
}

/// Draws leaves per second by position, for a class of devices and for other programs on such devices.
fn rates(
    benches: &[Bench],
    rivals: &[Rival],
    class: Class,
    counting: &str,
    title: &str,
    file: &'static str,
) -> Option<Picture> {
    let mut all: Vec<Bars> = Vec::new();
    for (bench, subject, label) in subjects(benches, class) {
        let value = |(name, _): &(&str, &str)| {
            let row = bench.rows(subject, false).find(|row| row.position == *name)?;
            Some((row.per_second, format!("{} (depth {})", magnitude(row.per_second), row.depth)))
        };
        all.push(Bars { label, values: POSITIONS.iter().map(value).collect() });
    }
    if all.is_empty() {
        return None;
    }
    let rivals: Vec<_> = rivals.iter().filter(|rival| rival.counting == counting).collect();
    for rival in &rivals {
        if all.iter().any(|bars| bars.label == rival.label()) {
            continue;
        }
        let value = |(name, _): &(&str, &str)| {
            let mut same = rivals.iter().filter(|other| other.label() == rival.label());
            let found = same.find(|other| other.position == *name)?;
            let wrong = if found.note.is_empty() { String::new() } else { format!("; {}", found.note) };
            let rate = found.per_second?;
            Some((rate, format!("{} (depth {}{wrong})", magnitude(rate), found.depth)))
        };
        all.push(Bars { label: rival.label(), values: POSITIONS.iter().map(value).collect() });
    }
    let groups = POSITIONS.map(|(_, name)| name.to_owned());
    let svg = bars(title, "leaves per second", &groups, &all, &round);
    let caption = format!("Leaves per second, every leaf counted, no hash table.{}", sources(&rivals));
    Some(Picture { file, svg, caption })
}

/// Lists the sources of the numbers of other programs.
fn sources(rivals: &[&Rival]) -> String {
    let mut said = Vec::new();
    for rival in rivals {
        let (link, how) = rival.source.split_once(", ").unwrap_or((&rival.source, ""));
        let sentence = format!("{}: [{link}]({link}), {how}", rival.label());
        if !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    match said.len() {
        0 => String::new(),
        _ => format!(" Other programs:\n\n* {}.", said.join(".\n* ")),
    }
}

/// Returns the curves of the start position, raw and merged.
fn start_curves(benches: &[Bench], points: impl Fn(&Row) -> Vec<(u32, f64)>) -> Vec<Curve> {
    let mut all = Vec::new();
    for class in [Class::Gpu, Class::Cores, Class::Core] {
        for (bench, subject, label) in subjects(benches, class) {
            for dashed in [false, true] {
                if let Some(row) = bench.rows(subject, dashed).find(|row| row.position == POSITIONS[0].0) {
                    all.push(Curve { label: label.clone(), dashed, points_only: false, points: points(row) });
                }
            }
        }
    }
    all
}

const STYLES: &str = "Solid: every leaf counted. Dashed: equal positions merged.";

/// Draws the time by depth; `None` if only emulators were measured.
fn times(benches: &[Bench], rivals: &[Rival], deep: &[Deep]) -> Option<Picture> {
    let mut all = start_curves(benches, Row::seconds);
    for Deep { label, depth, seconds } in deep {
        let of_device = |curve: &&mut Curve| curve.dashed && curve.label.starts_with(label);
        if let Some(curve) = all.iter_mut().find(of_device)
            && curve.points.last().is_some_and(|(deepest, _)| deepest < depth)
        {
            curve.points.push((*depth, *seconds));
        }
    }
    if all.is_empty() {
        return None;
    }
    let is_shown =
        |rival: &&Rival| rival.counting == "hashed" && all.iter().any(|curve| curve.label.contains("opencl"));
    let rivals: Vec<_> = rivals.iter().filter(is_shown).collect();
    for rival in &rivals {
        let label = format!("{}, hash tables", rival.label());
        let point = rival.seconds.map(|seconds| (rival.depth, seconds));
        match all.iter_mut().find(|curve| curve.label == label) {
            Some(curve) => curve.points.extend(point),
            None => all.push(Curve { label, dashed: false, points_only: true, points: point.into_iter().collect() }),
        }
    }
    let svg = curves("Time to count the start position", "time", &all, &[STYLES], &|value| si(value, "s"));
    let long = if deep.is_empty() { "" } else { " Times of more than a few seconds are from [deep.tsv](deep.tsv)." };
    let caption = format!("Time to perft(n) of the start position.{long}{}", sources(&rivals));
    Some(Picture { file: "time.svg", svg, caption })
}

/// Draws the cost of a leaf by depth; `None` if only emulators were measured.
fn growth(benches: &[Bench]) -> Option<Picture> {
    let all = start_curves(benches, Row::nanoseconds);
    if all.is_empty() {
        return None;
    }
    let tick = |value: f64| si(value * 1e-9, "s");
    let svg = curves("Cost of a leaf of the start position", "time for each leaf", &all, &[STYLES], &tick);
    let caption =
        "What a leaf costs by depth, start position. Counting every leaf, the cost falls until a device is busy, and \
                   then stays; merging, it falls with every ply."
            .to_owned();
    Some(Picture { file: "growth.svg", svg, caption })
}

/// Draws formats by size and by cost, from the first machine.
fn packing(benches: &[Bench]) -> Vec<Picture> {
    let Some(bench) = benches.iter().find(|bench| !bench.packing.is_empty()) else { return Vec::new() };
    let groups: Vec<_> = bench.packing.iter().map(|row| row.format.clone()).collect();
    let size = |row: &data::Packing| Some((row.bytes.into(), format!("{} bytes", row.bytes)));
    let bytes = [Bars { label: "size".to_owned(), values: bench.packing.iter().map(size).collect() }];
    let nanoseconds = |value: f64| Some((value, format!("{value:.1} ns")));
    let costs = [
        Bars { label: "packing".to_owned(), values: bench.packing.iter().map(|row| nanoseconds(row.pack)).collect() },
        Bars {
            label: "unpacking".to_owned(),
            values: bench.packing.iter().map(|row| nanoseconds(row.unpack)).collect(),
        },
    ];
    let on = bench.processor.as_deref().unwrap_or(&bench.system);
    vec![
        Picture {
            file: "packing-size.svg",
            svg: bars("Packed positions: size", "bytes for each position", &groups, &bytes, &|value| value.to_string()),
            caption: "Bytes of a packed position.".to_owned(),
        },
        Picture {
            file: "packing-cost.svg",
            svg: bars("Packed positions: cost", "nanoseconds for each position", &groups, &costs, &|value| {
                value.to_string()
            }),
            caption: format!("Nanoseconds to pack and to unpack a position, one by one, on one thread ({on})."),
        },
    ]
}

/// Writes the table of all rates of a machine.
fn table(bench: &Bench) -> String {
    let Bench { name, note, kogge, system, processor, cores, load, seconds, repetitions, subjects, .. } = bench;
    let unit = if *cores == 1 { "core" } else { "cores" };
    let processor = processor.as_deref().unwrap_or("unknown CPU");
    let load = load.map_or(String::new(), |load| format!(", a load of {load:.2} before"));
    let note = note.as_ref().map_or(String::new(), |note| format!("{note}\n\n"));
    let mut text = format!(
        "\n## {name}\n\n{note}kogge {kogge}; {processor}, {cores} {unit}{load}; {system}. [{name}.json]({name}.json), measured in \
         {seconds:.0} s, {repetitions} times or more each. Leaves per second, with the depth and the spread of the three least \
         times (as a share of the middle one); `!` marks spreads of more than a tenth.\n\n"
    );
    for (index, subject) in (1..).zip(subjects) {
        let driver = &subject.driver;
        text += &format!("{index}. {}: {}, {driver}; {}\n", subject.backend, subject.device, subject.variant);
    }
    let numbers: Vec<_> = (1..=subjects.len()).map(|index| format!(" {index} |")).collect();
    text += &format!("\n| position | counted |{}\n|---|---|{}\n", numbers.concat(), "---:|".repeat(subjects.len()));
    for (position, title) in POSITIONS {
        for (deduplicated, how) in [(false, "raw"), (true, "merged")] {
            let cell = |subject: usize| {
                let found = bench.rows(subject, deduplicated).find(|row| row.position == position);
                found.map_or(" - |".to_owned(), |Row { per_second, depth, spread, noisy, .. }| {
                    let mark = if *noisy { " !" } else { "" };
                    format!(" {} ({depth}; {:.1} %{mark}) |", magnitude(*per_second), 100.0 * spread)
                })
            };
            let cells: String = (0..subjects.len()).map(cell).collect();
            text += &format!("| {title} | {how} |{cells}\n");
        }
    }
    text
}

/// Formats a number with three digits and a prefix: `2.06 T`.
fn magnitude(number: f64) -> String {
    prefixed(number, &[(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")])
}

/// Formats a power of ten of a unit: `10 ms`.
fn si(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 8] =
        [(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"), (1e-15, "f"), (1e-18, "a"), (1e-21, "z")];
    let (scale, prefix) = PREFIXES.into_iter().find(|(scale, _)| value > 0.999 * scale).unwrap_or(PREFIXES[7]);
    format!("{:.0} {prefix}{unit}", value / scale)
}

/// Formats a round number with a prefix: `2.5 T`.
fn round(number: f64) -> String {
    let text = magnitude(number);
    let (digits, prefix) = text.split_once(' ').unwrap_or((&text, ""));
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits} {prefix}").trim_end().to_owned()
}

fn prefixed(number: f64, prefixes: &[(f64, &str)]) -> String {
    let (scale, prefix) = prefixes.iter().copied().find(|(scale, _)| number >= *scale).unwrap_or((1.0, ""));
    let scaled = number / scale;
    let digits = match scaled {
        0.0 | 100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{scaled:.digits$} {prefix}").trim_end().to_owned()
}

#[cfg(test)]
mod tests;
