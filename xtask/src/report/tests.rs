use std::collections::BTreeSet;

use super::*;
use crate::metadata;

const RIVALS: &str = "docs/report/rivals.tsv";

/// Returns a measurement of these subjects (backend, device and kind) at made-up rates.
fn bench(name: &str, subjects: &[(&str, &str, &str)]) -> Bench {
    let text = json(subjects);
    // The result of a bundle has other fields, too.
    let text = if name == "h200" { format!("{{\"devices\":[],\"bench\":{text}}}") } else { text };
    let mut bench = Bench::parse(&text).expect("a measurement");
    bench.name = name.to_owned();
    bench
}

/// Returns the measurement as `kogge bench --json` prints it.
fn json(subjects: &[(&str, &str, &str)]) -> String {
    let described = subjects.iter().map(|(backend, device, kind)| {
        format!(
            "{{\"backend\":\"{backend}\",\"device\":\"{device}\",\"driver\":\"driver 1\",\"kind\":\"{kind}\",\
             \"variant\":\"avx512-popcount\"}}"
        )
    });
    let mut rows = Vec::new();
    for subject in 0..subjects.len() {
        for (index, (position, _)) in POSITIONS.iter().enumerate() {
            for deduplicated in [false, true] {
                let rate = 2.9e12 / 7_f64.powi(subject as i32) / (index + 1) as f64;
                let step = |depth: i32| {
                    let nodes = 30_f64.powi(depth);
                    let seconds = 3e-6 + nodes.powf(if deduplicated { 0.8 } else { 1.0 }) / rate;
                    format!("{{\"depth\":{depth},\"nodes\":{nodes},\"seconds\":{seconds}}}")
                };
                let climb: Vec<_> = (1..=9).map(step).collect();
                rows.push(format!(
                    "{{\"subject\":{subject},\"position\":\"{position}\",\"deduplicated\":{deduplicated},\"depth\":8,\
                     \"nodes\":{},\"seconds\":{},\"spread\":0.123,\"noisy\":true,\"per_second\":{rate},\"climb\":[{}]}}",
                    30_f64.powi(8),
                    30_f64.powi(8) / rate,
                    climb.join(",")
                ));
            }
        }
    }
    let packing = ["quad48", "circle32", "five42"].map(|format| {
        format!("{{\"format\":\"{format}\",\"bytes\":{},\"pack\":12.34,\"unpack\":0.5}}", &format[format.len() - 2..])
    });
    format!(
        "{{\"command\":\"bench\",\"kogge\":\"0.1.0\",\"system\":\"linux x86_64\",\"processor\":null,\"cores\":2,\"load\":0.5,\
         \"seconds\":9.5,\"repetitions\":5,\"subjects\":[{}],\"rows\":[{}],\"packing\":[{}]}}",
        described.collect::<Vec<_>>().join(","),
        rows.join(","),
        packing.join(",")
    )
}

fn everything() -> Page {
    let machine = [
        ("opencl", "NVIDIA H200", "GPU"),
        ("wgpu", "NVIDIA H200", "GPU"),
        ("cpu", "CPU, 16 threads", "CPU"),
        ("mailbox", "one CPU thread", "CPU"),
    ];
    let benches = vec![bench("h200", &machine), bench("core", &[("cpu", "CPU, 1 thread", "CPU")])];
    let deep = Deep { label: "opencl, NVIDIA H200".to_owned(), depth: 12, seconds: 174.0 };
    Page::new(benches, Rival::read(&root().join(RIVALS)).expect("rivals"), &[deep])
}

#[test]
fn every_word_of_every_picture_can_be_read() {
    let page = everything();
    let files: Vec<_> = page.pictures.iter().map(|picture| picture.file).collect();
    assert_eq!(
        files,
        [
            "raw-gpu.svg",
            "raw-cpu.svg",
            "raw-core.svg",
            "time.svg",
            "growth.svg",
            "packing-size.svg",
            "packing-cost.svg"
        ]
    );
    for picture in &page.pictures {
        assert_eq!(picture.svg.illegible(), Vec::<&str>::new(), "{}", picture.file);
    }
}

#[test]
fn pictures_are_for_light_and_dark_pages() {
    for picture in everything().pictures {
        let text = picture.svg.finish();
        assert!(text.contains("prefers-color-scheme:dark") && text.ends_with("</svg>\n"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

#[test]
fn deep_counts_extend_the_line_of_their_device() {
    let curve = |depth: u32| {
        let deep = [Deep { label: "opencl, NVIDIA H200".to_owned(), depth, seconds: 174.0 }];
        let benches = [bench("h200", &[("opencl", "NVIDIA H200", "GPU")])];
        times(&benches, &[], &deep).expect("a picture").svg.finish()
    };
    assert_ne!(curve(12), curve(11));
    assert_eq!(curve(8), curve(9), "the bench has measured these depths");
    let file = folder("report-deep").join("deep.tsv");
    assert_eq!(Deep::read(&file).expect("no file"), []);
    fs::write(&file, "# a head\nopencl\tNVIDIA H200\t12\t174\n").expect("it can be written");
    assert_eq!(Deep::read(&file).expect("a line")[0].seconds, 174.0);
    fs::write(&file, "opencl\t12\n").expect("it can be written");
    assert!(Deep::read(&file).expect_err("fields are missing").to_string().starts_with("Line 1 of "));
}

#[test]
fn no_rival_is_without_its_source() {
    let rivals = Rival::read(&root().join(RIVALS)).expect("rivals");
    let text = everything().text();
    assert!(rivals.len() > 30);
    for rival in rivals {
        let (link, how) = rival.source.split_once(", ").expect("how it was got");
        assert!(text.contains(&format!("* {}: [{link}]({link}), {how}.", rival.label())), "{rival:?}");
    }
}

/// Checks that the page has a source for every program in a picture.
#[test]
fn no_rival_of_the_page_is_without_its_source() {
    let folder = root().join("docs/report");
    let page = fs::read_to_string(folder.join("README.md")).expect("a page");
    let mut named = BTreeSet::new();
    for picture in files_in(&folder, "svg").expect("a folder") {
        let text = fs::read_to_string(&picture).expect("a picture");
        let (_, below) =
            page.split_once(&format!("({})", picture.file_name().expect("a name").display())).expect("it is shown");
        let caption = below.split("\n![").next().unwrap_or_default();
        for rival in Rival::read(&folder.join("rivals.tsv")).expect("rivals") {
            if text.contains(&format!(">{}", rival.label())) {
                assert!(caption.contains(&format!("* {}: [https://", rival.label())), "{rival:?}: {caption}");
                named.insert(rival.label());
            }
        }
    }
    assert!(named.contains("perft_gpu_2026, NVIDIA H200"), "{named:?}");
}

#[test]
fn one_core_is_compared_with_programs_on_one_core() {
    let page = everything();
    let picture = page.pictures.iter().find(|picture| picture.file == "raw-core.svg").expect("it is there");
    let text = picture.svg.finish();
    assert!(text.contains("on one core") && text.contains(">cpu, 1 thread, avx512-popcount (core)<"), "{text}");
    for program in ["chessbit", "Gigantua", "MPerft 5.3", "Stockfish 11", "cozy-chess"] {
        assert!(text.contains(&format!(">{program}, ")), "{program}");
        assert!(picture.caption.contains(&format!("* {program}, ")), "{}", picture.caption);
    }
    for other in ["opencl", "16 threads", "perft_gpu"] {
        assert!(!text.contains(other), "{other}");
    }
}

/// Creates a folder for a page, with a measurement in it.
fn folder(name: &str) -> PathBuf {
    let folder = metadata::members().expect("metadata").target_directory.join("tmp").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("new")).expect("a folder can be made");
    fs::write(folder.join("rivals.tsv"), "").expect("it can be written");
    fs::write(folder.join("old.json"), json(&[("cpu", "CPU, 16 threads", "CPU")])).expect("it can be written");
    folder
}

/// Returns the names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<_> = files.map(|entry| entry.file_name().display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn new_measurements_are_taken_into_the_page() {
    let folder = folder("report-new");
    fs::write(folder.join("forgotten.svg"), "").expect("it can be written");
    fs::write(folder.join("old.txt"), "One row is wrong.\n").expect("it can be written");
    let new = folder.join("new/core.json");
    fs::write(&new, json(&[("cpu", "CPU, 1 thread", "CPU")])).expect("it can be written");
    // Repeated and existing files change nothing.
    let made = update(&folder, &[new.clone(), folder.join("old.json"), new]).expect("a page");
    let pictures = ["growth.svg", "packing-cost.svg", "packing-size.svg", "raw-core.svg", "raw-cpu.svg", "time.svg"];
    let mut expected = vec!["README.md", "core.json", "old.json", "old.txt", "rivals.tsv"];
    assert_eq!(made, pictures.len() + 1);
    expected.extend(pictures);
    expected.sort_unstable();
    assert_eq!(names(&folder), expected);
    let page = fs::read_to_string(folder.join("README.md")).expect("a page");
    assert!(page.contains("\n## old\n\nOne row is wrong.\n\nkogge 0.1.0;") && page.contains("[old](#old)"), "{page}");
    assert!(page.contains("\n## core\n\nkogge 0.1.0;") && page.contains("2 cores, a load of 0.50 before;"), "{page}");
}

#[test]
fn what_cannot_be_taken_changes_nothing() {
    let folder = folder("report-refused");
    let new = |name: &str, text: &str| {
        let file = folder.join("new").join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
        fs::write(&file, text).expect("it can be written");
        file
    };
    let good = json(&[("cpu", "CPU, 1 thread", "CPU")]);
    let refused = |files: &[PathBuf], reason: &str| {
        let error = update(&folder, files).expect_err(reason).to_string();
        assert!(error.contains(reason) && error.ends_with('.'), "{error}");
        assert_eq!(names(&folder), ["old.json", "old.svg", "rivals.tsv"], "{reason}");
    };
    fs::write(folder.join("old.svg"), "").expect("it can be written");
    refused(&[new("bench.txt", &good)], "the name of a measurement ends in .json");
    refused(&[new("old.json", &good)], "have the same name and differ");
    refused(&[new("a.json", &good), new("b/a.json", &(good.clone() + " "))], "have the same name and differ");
    refused(&[new("fine.json", &good), new("bad.json", "{}")], "is not an answer of kogge bench --json");
    refused(&[new("fine.json", &good), folder.join("new/none.json")], "could not be read");
    fs::write(folder.join("rivals.tsv"), "one\n").expect("it can be written");
    refused(&[new("fine.json", &good)], "does not have the fields that the head");
}

#[test]
fn a_note_is_on_a_measurement() {
    let folder = folder("report-note");
    fs::write(folder.join("other.txt"), "Why?").expect("it can be written");
    let error = update(&folder, &[]).expect_err("there is no other.json").to_string();
    assert!(error.contains("is a note on a missing measurement"), "{error}");
}

#[test]
fn every_rate_is_in_the_tables() {
    let text = everything().text();
    assert!(text.contains("| Kiwipete | merged | 1.45 T (8; 12.3 % !) |"), "{text}");
    for part in ["## h200", "[core.json](core.json)", "3. cpu: CPU, 16 threads, driver 1; avx512-popcount"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn what_is_not_there_has_no_picture() {
    let page = Page::new(vec![bench("soft", &[("opencl", "pocl", "software device")])], Vec::new(), &[]);
    let files: Vec<_> = page.pictures.iter().map(|picture| picture.file).collect();
    assert_eq!(files, ["packing-size.svg", "packing-cost.svg"]);
    assert!(page.text().contains("1. opencl: pocl"));
}

#[test]
fn numbers_read_well() {
    for (number, text) in [(0.0, "0"), (999.0, "999"), (2.058e12, "2.06 T"), (1.5e10, "15.0 G"), (8.6e16, "86.0 P")] {
        assert_eq!(magnitude(number), text);
    }
    for (number, text) in [(0.0, "0"), (2.5e12, "2.5 T"), (1e10, "10 G"), (5e11, "500 G")] {
        assert_eq!(round(number), text);
    }
    for (value, text) in [(1.0, "1 s"), (1000.0, "1000 s"), (1e-1, "100 ms"), (1e-6, "1 µs"), (1e-11, "10 ps")] {
        assert_eq!(si(value, "s"), text);
    }
}

/// Checks that the page matches its data and the code that makes it.
#[test]
fn the_page_is_that_of_its_data() {
    let folder = root().join("docs/report");
    let data = files_in(&folder, "json").expect("a folder");
    if data.is_empty() {
        assert!(!folder.join("README.md").exists(), "A page has data.");
        assert!(
            make(&folder, &BTreeMap::new()).is_err_and(|error| error.to_string().contains("There is no measurement"))
        );
        return;
    }
    let made = make(&folder, &measurements(&folder, &[]).expect("files")).expect("a page");
    for (name, text) in &made {
        assert!(fs::read_to_string(folder.join(name)).is_ok_and(|old| old == *text), "Run cargo xtask report: {name}");
    }
    assert_eq!(files_in(&folder, "svg").expect("a folder").len() + 1, made.len(), "Run cargo xtask report.");
}
