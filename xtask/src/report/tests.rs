use super::*;

const RIVALS: &str = "docs/report/rivals.tsv";

/// A measurement of these subjects, as backend, device and kind, at made-up rates.
fn bench(name: &str, subjects: &[(&str, &str, &str)]) -> Bench {
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
    let text = format!(
        "{{\"command\":\"bench\",\"kogge\":\"0.1.0\",\"system\":\"linux x86_64\",\"processor\":null,\"cores\":2,\"load\":0.5,\
         \"seconds\":9.5,\"repetitions\":5,\"subjects\":[{}],\"rows\":[{}],\"packing\":[{}]}}",
        described.collect::<Vec<_>>().join(","),
        rows.join(","),
        packing.join(",")
    );
    // A bundle brings it back together with other things.
    let text = if name == "h200" { format!("{{\"devices\":[],\"bench\":{text}}}") } else { text };
    let mut bench = Bench::parse(&text).expect("a measurement");
    bench.name = name.to_owned();
    bench
}

fn everything() -> Page {
    let machine = [
        ("opencl", "NVIDIA H200", "GPU"),
        ("wgpu", "NVIDIA H200", "GPU"),
        ("cpu", "CPU, 16 threads", "CPU"),
        ("mailbox", "one CPU thread", "CPU"),
    ];
    let benches = vec![bench("h200", &machine), bench("core", &[("cpu", "CPU, 1 thread", "CPU")])];
    Page::new(benches, Rival::read(&root().join(RIVALS)).expect("rivals"))
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
fn no_rival_is_without_its_source() {
    let rivals = Rival::read(&root().join(RIVALS)).expect("rivals");
    let text = everything().text();
    assert!(rivals.len() > 30);
    for rival in rivals {
        let (link, how) = rival.source.split_once(", ").expect("how it was got");
        assert!(text.contains(&format!("* {}: [{link}]({link}), {how}.", rival.label())), "{rival:?}");
    }
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
    let page = Page::new(vec![bench("soft", &[("opencl", "pocl", "software device")])], Vec::new());
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

/// Nobody has measured without making the page, and nobody has changed how it is made without making it again.
#[test]
fn the_page_is_that_of_its_data() {
    let folder = root().join("docs/report");
    let data = files_in(&folder, "json").expect("a folder");
    if data.is_empty() {
        assert!(!folder.join("README.md").exists(), "A page has data.");
        assert!(make(&folder).is_err_and(|error| error.to_string().contains("There is no measurement")));
        return;
    }
    let made = make(&folder).expect("a page");
    for (name, text) in &made {
        assert!(fs::read_to_string(folder.join(name)).is_ok_and(|old| old == *text), "Run cargo xtask report: {name}");
    }
    assert_eq!(files_in(&folder, "svg").expect("a folder").len() + 1, made.len(), "Run cargo xtask report.");
}
