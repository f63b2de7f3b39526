//! Measures this backend on a device, and checks every count on the way.
//!
//!     measure [--device N] [--seconds S] [SECTION...] [NAME=VALUE,...]
//!
//! Sections, all by default, in this order:
//! * `start`: how long it takes from nothing to the first answer, and again;
//! * `conform`: random positions against the CPU reference, with every form of the source;
//! * `perft`: the six standard positions, deeper and deeper while that takes less than S seconds (10), with both forms of
//!   a board;
//! * `profile`: how long each kernel runs;
//! * `sweep`: how the rate depends on the options.
//!
//! An argument such as `replies=96,moves=26` measures just these options: a row for each such argument, after the sections.
//! The names are those of [`set`].
//!
//! Without `--device` it takes the first GPU, or the first device if there is none. The devices are listed first; tables
//! are Markdown.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kogge_backend_wgpu::{Device, Options, Sliders, Wgpu, Word, devices};
use kogge_board::testing::placement;
use kogge_board::{Backend, DeviceKind, Fen, Quad48, Rules};
use kogge_movegen_cpu::Cpu;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Name, position, depth and leaves.
type Known = (&'static str, Fen, u32, u64);

const SECTIONS: [&str; 5] = ["start", "conform", "perft", "profile", "sweep"];

/// What the command line asks for.
struct Plan {
    device: Device,
    seconds: f64,
    sections: Vec<String>,
    /// Options to measure, and how they were asked for.
    rows: Vec<(String, Options)>,
    /// How long it took to list the devices for the first time.
    listed: Duration,
}

fn main() -> ExitCode {
    match plan().and_then(|plan| measure(&plan)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn plan() -> Outcome<Plan> {
    let start = Instant::now();
    let devices = devices()?;
    let listed = start.elapsed();
    for (index, device) in devices.iter().enumerate() {
        let Device { name, kind, interface, driver, memory, max_binding, .. } = device;
        let unusable = device.unusable().unwrap_or_default();
        println!("device {index}: {name} ({kind}, {interface}, {driver}), memory {memory:?}, buffers of {max_binding}");
        println!("    64-bit integers: {}, {} groups a row {unusable}", device.has_int64, device.max_groups);
    }
    let gpu = |device: &Device| matches!(device.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
    let mut index = devices.iter().position(gpu).unwrap_or(0);
    let (mut seconds, mut sections, mut rows) = (10.0, Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value."));
        match argument.as_str() {
            "--device" => index = value()?.parse()?,
            "--seconds" => seconds = value()?.parse()?,
            "default" => rows.push((argument, Options::default())),
            _ if argument.contains('=') => {
                let mut options = Options::default();
                for pair in argument.split(',') {
                    set(&mut options, pair)?;
                }
                rows.push((argument, options));
            }
            section if SECTIONS.contains(&section) => sections.push(argument),
            _ => return Err(format!("{argument} is no section and no option.").into()),
        }
    }
    if sections.is_empty() && rows.is_empty() {
        sections = SECTIONS.map(String::from).to_vec();
    }
    let device = devices.into_iter().nth(index).ok_or(format!("There is no device {index}."))?;
    Ok(Plan { device, seconds, sections, rows, listed })
}

/// Sets one option from `name=value`.
fn set(options: &mut Options, pair: &str) -> Outcome {
    let (name, value) = pair.split_once('=').ok_or(format!("{pair} is not name=value."))?;
    match (name, value) {
        ("word", "native") => options.word = Some(Word::Native),
        ("word", "emulated") => options.word = Some(Word::Emulated),
        ("sliders", "fill") => options.sliders = Some(Sliders::Fill),
        ("sliders", "carry") => options.sliders = Some(Sliders::Carry),
        ("subgroups", "yes") => options.subgroups = Some(true),
        ("subgroups", "no") => options.subgroups = Some(false),
        ("group", _) => options.work_group_size = Some(value.parse()?),
        ("replies", _) => options.replies_group_size = Some(value.parse()?),
        ("count", _) => options.count_group_size = Some(value.parse()?),
        ("groups", _) => options.count_groups = Some(value.parse()?),
        ("queued", _) => options.queued_per_lane = Some(value.parse()?),
        ("positions", _) => options.positions = Some(1 << value.parse::<u32>()?),
        ("moves", _) => options.moves = Some(1 << value.parse::<u32>()?),
        ("closed", _) => options.closed_form = Some(value.parse()?),
        _ => return Err(format!("{pair} is no option.").into()),
    }
    Ok(())
}

fn measure(plan: &Plan) -> Outcome {
    for section in &plan.sections {
        println!("\n## {section}\n");
        match section.as_str() {
            "start" => start(plan)?,
            "conform" => conform(plan)?,
            "perft" => perft(plan)?,
            "profile" => profile(plan)?,
            _ => sweep(plan)?,
        }
    }
    if !plan.rows.is_empty() {
        println!();
        table(plan, &workloads(plan)?, plan.rows.clone());
    }
    Ok(())
}

/// Both forms of a board, if the device knows both.
fn words(plan: &Plan) -> impl Iterator<Item = Word> {
    let native = plan.device.has_int64;
    [Word::Native, Word::Emulated].into_iter().filter(move |&word| native || word == Word::Emulated)
}

/// Milliseconds.
fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn start(plan: &Plan) -> Outcome {
    println!("devices listed for the first time in {:.1} ms\n", ms(plan.listed));
    println!(
        "| word | time | device | source | kernels | of these the slowest | all in turn | self-test | perft 5 | again |"
    );
    println!("|---|---|---:|---:|---:|---|---:|---:|---:|---:|");
    for word in words(plan) {
        for time in ["first", "second"] {
            let options = Options { word: Some(word), ..Options::default() };
            let mut backend = Wgpu::on(&plan.device, &options)?;
            let opening = backend.opening().clone();
            let first = timed(&mut backend, &Fen::start(), 5, 4_865_609)?;
            let again = timed(&mut backend, &Fen::start(), 5, 4_865_609)?;
            let [device, source, kernels, self_test] =
                [opening.device, opening.source, opening.kernels, opening.self_test].map(ms);
            let slowest = opening.compilations.iter().max_by_key(|(_, took)| *took);
            let slowest = slowest.map_or(String::new(), |(name, took)| format!("`{name}`: {:.1} ms", ms(*took)));
            let sum = ms(opening.compilations.iter().map(|(_, took)| *took).sum());
            println!(
                "| {word:?} | {time} | {device:.1} ms | {source:.1} ms | {kernels:.1} ms | {slowest} | {sum:.1} ms | \
                 {self_test:.1} ms | {:.1} ms | {:.1} ms |",
                first * 1e3,
                again * 1e3
            );
        }
    }
    Ok(())
}

/// Expands and counts random positions, many more than tests do.
fn conform(plan: &Plan) -> Outcome {
    let mut runner = TestRunner::deterministic();
    let strategy = placement();
    let mut groups: HashMap<Rules, Vec<Quad48>> = HashMap::new();
    for index in 0..40_000 {
        let (rules, position) = strategy.new_tree(&mut runner).map_err(|reason| reason.to_string())?.current();
        let rules = rules.with_halfmove_clock(index % 2 == 0);
        groups.entry(rules).or_default().push(Quad48::from(&position));
    }
    let mut cpu = Cpu::new(None)?;
    let forms = words(plan).flat_map(|word| [(word, Sliders::Fill), (word, Sliders::Carry)]);
    for (word, sliders) in forms {
        let options = Options { word: Some(word), sliders: Some(sliders), ..Options::default() };
        let mut backend = Wgpu::on(&plan.device, &options)?;
        let mut leaves = 0_u64;
        for (rules, positions) in &groups {
            let expected = cpu.expand(rules, positions)?;
            if backend.expand(rules, positions)? != expected {
                return Err(format!("{word:?}, {sliders:?}: successors differ under {rules:?}").into());
            }
            let counts = cpu.count(rules, &expected.positions)?;
            if backend.count(rules, &expected.positions)? != counts {
                return Err(format!("{word:?}, {sliders:?}: counts differ under {rules:?}").into());
            }
            let expected = cpu.perft(rules, positions, 3)?;
            if backend.perft(rules, positions, 3)? != expected {
                return Err(format!("{word:?}, {sliders:?}: leaves differ under {rules:?}").into());
            }
            leaves += expected.iter().sum::<u64>();
        }
        let positions: usize = groups.values().map(Vec::len).sum();
        println!("{word:?}, {sliders:?}: {positions} positions, {} rules, {leaves} leaves, all equal", groups.len());
    }
    Ok(())
}

/// Each known count, in the table's order.
fn known() -> impl Iterator<Item = Known> {
    let lines = include_str!("../../data/known-counts.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let [name, fen, depth, nodes, _] = *line.split('\t').collect::<Vec<_>>() else { return None };
        Some((name, fen.parse().ok()?, depth.parse().ok()?, nodes.parse().ok()?))
    })
}

/// Counts once and returns the seconds it took.
fn timed(backend: &mut Wgpu, fen: &Fen, depth: u32, expected: u64) -> Outcome<f64> {
    let root = Quad48::from(&fen.position);
    let start = Instant::now();
    let nodes = backend.perft(&fen.rules, &[root], depth)?;
    let seconds = start.elapsed().as_secs_f64();
    if nodes != [expected] {
        return Err(format!("perft {depth} of {fen} is {expected}, and it counted {nodes:?}").into());
    }
    Ok(seconds)
}

/// The best of several: as many as fit into two seconds, at most five.
fn best(backend: &mut Wgpu, fen: &Fen, depth: u32, expected: u64) -> Outcome<f64> {
    let mut best = timed(backend, fen, depth, expected)?;
    let mut spent = best;
    for _ in 1..5 {
        if spent + best > 2.0 {
            break;
        }
        let seconds = timed(backend, fen, depth, expected)?;
        spent += seconds;
        best = best.min(seconds);
    }
    Ok(best)
}

fn perft(plan: &Plan) -> Outcome {
    println!("| word | position | depth | leaves | seconds | Gnps, bulk-counted |");
    println!("|---|---|---:|---:|---:|---:|");
    for word in words(plan) {
        let mut backend = Wgpu::on(&plan.device, &Options { word: Some(word), ..Options::default() })?;
        let mut finished: HashMap<&str, f64> = HashMap::new();
        for (name, fen, depth, nodes) in known().filter(|&(.., nodes)| nodes > 1_000_000) {
            // The next depth takes about forty times as long.
            if finished.get(name).is_some_and(|&last| last * 40.0 > plan.seconds) {
                continue;
            }
            let took = best(&mut backend, &fen, depth, nodes)?;
            finished.insert(name, took);
            println!("| {word:?} | {name} | {depth} | {nodes} | {took:.4} | {:.2} |", nodes as f64 / took * 1e-9);
        }
    }
    Ok(())
}

/// Work that keeps this device busy for a while, but not long: for each of two positions the shallowest depth that takes
/// some hundredths of a second.
fn workloads(plan: &Plan) -> Outcome<Vec<Known>> {
    let mut backend = Wgpu::on(&plan.device, &Options::default())?;
    let mut workloads = Vec::new();
    for wanted in ["startpos", "kiwipete"] {
        let mut chosen = None;
        for (name, fen, depth, nodes) in known().filter(|&(name, _, depth, _)| name == wanted && depth > 2) {
            let seconds = best(&mut backend, &fen, depth, nodes)?;
            chosen = Some((name, fen, depth, nodes));
            if seconds > 0.03 {
                break;
            }
        }
        workloads.extend(chosen);
    }
    Ok(workloads)
}

fn profile(plan: &Plan) -> Outcome {
    let workloads = workloads(plan)?;
    println!("| word | position | depth | kernel | launches | items | ms | share | G items/s |");
    println!("|---|---|---:|---|---:|---:|---:|---:|---:|");
    for word in words(plan) {
        let mut backend = Wgpu::on(&plan.device, &Options { profile: true, word: Some(word), ..Options::default() })?;
        for (name, fen, depth, nodes) in &workloads {
            timed(&mut backend, fen, *depth, *nodes)?;
            backend.profile();
            let seconds = timed(&mut backend, fen, *depth, *nodes)?;
            for time in backend.profile() {
                println!(
                    "| {word:?} | {name} | {depth} | {} | {} | {} | {:.3} | {:.1} % | {:.2} |",
                    time.name,
                    time.launches,
                    time.items,
                    time.nanoseconds as f64 * 1e-6,
                    time.nanoseconds as f64 * 1e-7 / seconds,
                    time.items as f64 / time.nanoseconds as f64
                );
            }
        }
    }
    Ok(())
}

fn sweep(plan: &Plan) -> Outcome {
    let workloads = workloads(plan)?;
    let mut all = vec![("default".to_owned(), Options::default())];
    for word in words(plan) {
        for sliders in [Sliders::Fill, Sliders::Carry] {
            for group in [32, 64, 128, 256, 512] {
                let (word, sliders, work_group_size) = (Some(word), Some(sliders), Some(group));
                let label = format!("{word:?}, {sliders:?}, work-group {group}");
                let (replies_group_size, count_group_size) = (work_group_size, work_group_size);
                let options = Options {
                    word,
                    sliders,
                    work_group_size,
                    replies_group_size,
                    count_group_size,
                    ..Options::default()
                };
                all.push((label, options));
            }
        }
    }
    all.push(("every reply counted".to_owned(), Options { closed_form: Some(false), ..Options::default() }));
    for group in [64, 96, 160, 192, 256] {
        let replies = Options { replies_group_size: Some(group), ..Options::default() };
        all.push((format!("work-group {group} for replies"), replies));
        let count = Options { count_group_size: Some(group), ..Options::default() };
        all.push((format!("work-group {group} for counting"), count));
    }
    for queued in [8, 24, 60] {
        all.push((
            format!("{queued} moves queued a lane"),
            Options { queued_per_lane: Some(queued), ..Options::default() },
        ));
    }
    for groups in [1 << 10, 1 << 11, 1 << 12, 1 << 14, 1 << 16, 1 << 18] {
        let label = format!("{groups} work-groups for counting");
        all.push((label, Options { count_groups: Some(groups), ..Options::default() }));
    }
    for shift in [22, 24, 25, 26, 28] {
        all.push((format!("2^{shift} moves"), Options { moves: Some(1 << shift), ..Options::default() }));
    }
    for shift in [16, 18, 20, 24] {
        all.push((format!("2^{shift} positions"), Options { positions: Some(1 << shift), ..Options::default() }));
    }
    table(plan, &workloads, all);
    Ok(())
}

/// A row of rates for each of these options.
fn table(plan: &Plan, workloads: &[Known], rows: Vec<(String, Options)>) {
    let names: Vec<_> = workloads.iter().map(|(name, _, depth, _)| format!("{name} {depth}, Gnps")).collect();
    println!("| options | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
    for (label, options) in rows {
        let rates = rates(plan, &options, workloads);
        println!("| {label} | {} |", rates.unwrap_or_else(|error| error.to_string().replace('\n', " ")));
    }
}

/// The rates of all workloads, as cells of a row.
fn rates(plan: &Plan, options: &Options, workloads: &[Known]) -> Outcome<String> {
    let mut backend = Wgpu::on(&plan.device, options)?;
    let mut cells = Vec::new();
    for (_, fen, depth, nodes) in workloads {
        timed(&mut backend, fen, *depth, *nodes)?;
        let seconds = best(&mut backend, fen, *depth, *nodes)?;
        cells.push(format!("{:.3}", *nodes as f64 / seconds * 1e-9));
    }
    Ok(cells.join(" | "))
}
