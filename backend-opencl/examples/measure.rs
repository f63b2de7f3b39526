//! Measures this backend on an OpenCL device, and checks every count on the way.
//!
//!     measure [--device N] [--portable] [--binary FILE] [--seconds S] [SECTION...]
//!
//! Sections, all by default, in this order:
//! * `conform`: random positions against the CPU reference, with every variant of the kernels;
//! * `perft`: the six standard positions, deeper and deeper while that takes less than S seconds (10);
//! * `profile`: how long each kernel runs;
//! * `minimax`: leaves judged in the six standard positions, by the evaluation and by quiescence, and by which kernels;
//! * `sweep`: how the rate depends on the variant and on the other options.
//!
//! An argument such as `replies=384,count=256,compiler=-DNAME` measures just these options: a row for each such argument.
//! With the section `minimax`, its table is made for each of them. The names are those of [`set`].
//!
//! Without `--device` it takes the first GPU, or the first device if there is none. `--portable` leaves out what only one
//! vendor's compiler knows. `--binary` writes the compiled kernels to a file (on NVIDIA's driver, that is PTX). The
//! device is named first; tables are Markdown.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Instant;

use kogge_backend_opencl::{OpenCl, Options, Positions, Sliders, Traversal, devices};
use kogge_board::testing::placement;
use kogge_board::{Backend, BackendError, DeviceKind, Fen, Leaves, Quad48, Rules};
use kogge_movegen_cpu::Cpu;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// What the command line asks for.
struct Plan {
    device: usize,
    portable: bool,
    binary: Option<String>,
    seconds: f64,
    sections: Vec<String>,
    /// Options to measure, and how they were asked for.
    rows: Vec<(String, Options)>,
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
    let gpu = |kind| matches!(kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
    let devices = devices()?;
    for (index, device) in devices.iter().enumerate() {
        let unusable = device.unusable().unwrap_or_default();
        println!("device {index}: {} ({}, {}, {}) {unusable}", device.name, device.vendor, device.kind, device.version);
    }
    let device = devices.iter().position(|device| gpu(device.kind)).unwrap_or(0);
    let mut plan =
        Plan { device, portable: false, binary: None, seconds: 10.0, sections: Vec::new(), rows: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value."));
        match argument.as_str() {
            "--device" => plan.device = value()?.parse()?,
            "--portable" => plan.portable = true,
            "--binary" => plan.binary = Some(value()?),
            "--seconds" => plan.seconds = value()?.parse()?,
            "conform" | "perft" | "profile" | "minimax" | "sweep" => plan.sections.push(argument),
            "default" => plan.rows.push((argument, Options::default())),
            _ if argument.contains('=') => {
                let mut options = Options::default();
                for pair in argument.split(',') {
                    set(&mut options, pair)?;
                }
                plan.rows.push((argument, options));
            }
            _ => return Err(format!("{argument} is no section and no option.").into()),
        }
    }
    if plan.sections.is_empty() && plan.rows.is_empty() {
        plan.sections = ["conform", "perft", "profile", "minimax", "sweep"].map(String::from).to_vec();
    }
    Ok(plan)
}

/// Sets one option from `name=value`.
fn set(options: &mut Options, pair: &str) -> Outcome {
    let (name, value) = pair.split_once('=').ok_or(format!("{pair} is not name=value."))?;
    match name {
        "group" => options.work_group_size = Some(value.parse()?),
        "replies" => options.replies_group_size = Some(value.parse()?),
        "count" => options.count_group_size = Some(value.parse()?),
        "units" => options.groups_per_unit = Some(value.parse()?),
        "registers" => options.registers = Some(value.parse()?),
        "queued" => options.queued_per_lane = Some(value.parse()?),
        "positions" => options.positions = Some(1 << value.parse::<u32>()?),
        "moves" => options.moves = Some(1 << value.parse::<u32>()?),
        "closed" => options.closed_form = Some(value.parse()?),
        "vendor" => options.vendor_instructions = Some(value.parse()?),
        "compiler" => options.compiler = value.replace('+', " "),
        _ => return Err(format!("{name} is no option.").into()),
    }
    Ok(())
}

impl Plan {
    /// Opens the device with these options, but for what the command line asks for.
    fn open(&self, options: &Options) -> Result<OpenCl, BackendError> {
        let vendor_instructions = options.vendor_instructions.or(self.portable.then_some(false));
        OpenCl::open(self.device, &Options { vendor_instructions, ..options.clone() })
    }
}

fn measure(plan: &Plan) -> Outcome {
    let nvidia = devices()?.get(plan.device).is_some_and(|device| device.vendor.contains("NVIDIA"));
    let compiler = if nvidia { "-cl-nv-verbose" } else { "" };
    let start = Instant::now();
    let mut backend = plan.open(&Options { compiler: compiler.into(), ..Options::default() })?;
    let info = backend.info();
    println!("\nmeasuring {} ({}), {}, batches of {}", info.name, info.driver, info.variant, info.batch);
    println!("opened, compiled and self-tested in {:.1} s", start.elapsed().as_secs_f64());
    for line in backend.compiler_log().lines().filter(|line| !line.trim().is_empty()) {
        println!("compiler: {line}");
    }
    if let Some(file) = &plan.binary {
        std::fs::write(file, backend.binary()?)?;
    }
    if !plan.rows.is_empty() && plan.sections.is_empty() {
        table(plan, &workloads(plan)?, plan.rows.clone());
    }
    for section in &plan.sections {
        println!("\n## {section}\n");
        match section.as_str() {
            "conform" => conform(plan)?,
            "perft" => perft(&mut backend, plan.seconds)?,
            "profile" => profile(plan)?,
            "minimax" if plan.rows.is_empty() => minimax(plan, &Options::default())?,
            "minimax" => {
                for (name, options) in &plan.rows {
                    println!("{name}:\n");
                    minimax(plan, options)?;
                }
            }
            _ => sweep(plan)?,
        }
    }
    Ok(())
}

/// Every combination of sliders, positions in memory and traversal, by name.
fn variants() -> Vec<(String, Options)> {
    let mut variants = Vec::new();
    for traversal in [Traversal::BreadthFirst, Traversal::DepthFirst(3)] {
        for form in Positions::ALL {
            for sliders in Sliders::ALL {
                let options = Options {
                    sliders: Some(sliders),
                    position_form: Some(form),
                    traversal: Some(traversal),
                    ..Options::default()
                };
                variants.push((format!("{traversal:?}, {form:?}, {sliders:?}"), options));
            }
        }
    }
    variants
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
    for (name, options) in variants() {
        let mut backend = plan.open(&options)?;
        let mut leaves = 0_u64;
        for (rules, positions) in &groups {
            let expected = cpu.expand(rules, positions)?;
            if backend.expand(rules, positions)? != expected {
                return Err(format!("{name}: successors differ under {rules:?}").into());
            }
            let counts = cpu.count(rules, &expected.positions)?;
            if backend.count(rules, &expected.positions)? != counts {
                return Err(format!("{name}: counts differ under {rules:?}").into());
            }
            let expected = cpu.perft(rules, positions, 3)?;
            if backend.perft(rules, positions, 3)? != expected {
                return Err(format!("{name}: leaves differ under {rules:?}").into());
            }
            leaves += expected.iter().sum::<u64>();
        }
        let positions: usize = groups.values().map(Vec::len).sum();
        println!("{name}: {positions} positions under {} rules, {leaves} leaves, all equal", groups.len());
    }
    Ok(())
}

/// Name, position and count of each known depth, in the table's order.
fn known() -> impl Iterator<Item = (&'static str, Fen, u32, u64)> {
    let lines = include_str!("../../data/known-counts.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let [name, fen, depth, nodes, _] = *line.split('\t').collect::<Vec<_>>() else { return None };
        Some((name, fen.parse().ok()?, depth.parse().ok()?, nodes.parse().ok()?))
    })
}

/// Counts once and returns the seconds it took.
fn timed(backend: &mut OpenCl, fen: &Fen, depth: u32, expected: u64) -> Outcome<f64> {
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
fn best(backend: &mut OpenCl, fen: &Fen, depth: u32, expected: u64) -> Outcome<f64> {
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

fn perft(backend: &mut OpenCl, seconds: f64) -> Outcome {
    println!("| position | depth | leaves | seconds | Gnps, bulk-counted |");
    println!("|---|---:|---:|---:|---:|");
    let mut finished: HashMap<&str, f64> = HashMap::new();
    for (name, fen, depth, nodes) in known().filter(|&(.., nodes)| nodes > 1_000_000) {
        // The next depth takes about forty times as long.
        if finished.get(name).is_some_and(|&last| last * 40.0 > seconds) {
            continue;
        }
        let took = best(backend, &fen, depth, nodes)?;
        finished.insert(name, took);
        println!("| {name} | {depth} | {nodes} | {took:.4} | {:.2} |", nodes as f64 / took * 1e-9);
    }
    Ok(())
}

/// Work that keeps this device busy for a while, but not long: for each of two positions the deepest that takes less
/// than a second and a half.
fn workloads(plan: &Plan) -> Outcome<Vec<(&'static str, Fen, u32, u64)>> {
    let mut backend = plan.open(&Options::default())?;
    let mut workloads = Vec::new();
    for wanted in ["startpos", "kiwipete", "pos3"] {
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
    let mut backend = plan.open(&Options { profile: true, ..Options::default() })?;
    println!("| position | depth | kernel | launches | items | ms | share | G items/s |");
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    for (name, fen, depth, nodes) in workloads {
        let seconds = timed(&mut backend, &fen, depth, nodes)?;
        let times = backend.profile()?;
        let mut busy = 0;
        for time in times {
            busy += time.nanoseconds;
            println!(
                "| {name} | {depth} | {} | {} | {} | {:.3} | {:.1} % | {:.2} |",
                time.name,
                time.launches,
                time.items,
                time.nanoseconds as f64 * 1e-6,
                time.nanoseconds as f64 * 1e-7 / seconds,
                time.items as f64 / time.nanoseconds as f64
            );
        }
        println!(
            "| {name} | {depth} | all | | | {:.3} | {:.1} % | |",
            busy as f64 * 1e-6,
            busy as f64 * 1e-7 / seconds
        );
    }
    Ok(())
}

/// Judges the leaves of each standard position, to the deepest tree of at most so many, and compares the scores of those
/// of less than a million with the CPU's.
fn minimax(plan: &Plan, options: &Options) -> Outcome {
    let mut cpu = Cpu::new(None)?;
    println!("| position | depth | leaves | judged by | score | seconds | M leaves/s | by kernel, in ms |");
    println!("|---|---:|---:|---|---:|---:|---:|---|");
    for (leaves, most) in [(Leaves::Static, 6_000_000_000), (Leaves::Quiescent, 200_000_000)] {
        let mut deepest: HashMap<&str, (Fen, u32, u64)> = HashMap::new();
        for (name, fen, depth, nodes) in known().filter(|&(_, _, depth, nodes)| depth > 0 && nodes <= most) {
            let root = [Quad48::from(&fen.position)];
            if nodes <= 1_000_000 {
                let mut backend = plan.open(options)?;
                let found = backend.minimax(&fen.rules, &root, depth, leaves)?;
                let expected = cpu.minimax(&fen.rules, &root, depth, leaves)?;
                if found != expected {
                    return Err(format!("{fen} is worth {expected:?} at depth {depth}, not {found:?}").into());
                }
            }
            deepest.insert(name, (fen, depth, nodes));
        }
        for (name, (fen, depth, nodes)) in deepest {
            let root = [Quad48::from(&fen.position)];
            let timed = |profile: bool| -> Outcome<_> {
                let mut backend = plan.open(&Options { profile, ..options.clone() })?;
                backend.minimax(&fen.rules, &root, depth.min(3), leaves)?;
                backend.profile()?;
                let start = Instant::now();
                let score = backend.minimax(&fen.rules, &root, depth, leaves)?[0];
                Ok((score, start.elapsed().as_secs_f64(), backend.profile()?))
            };
            let (score, seconds, _) = timed(false)?;
            let (_, _, times) = timed(true)?;
            let times = times.iter().map(|time| format!("{} {:.1}", time.name, time.nanoseconds as f64 * 1e-6));
            println!(
                "| {name} | {depth} | {nodes} | {leaves:?} | {score} | {seconds:.3} | {:.0} | {} |",
                nodes as f64 / seconds * 1e-6,
                times.collect::<Vec<_>>().join(", ")
            );
        }
    }
    Ok(())
}

fn sweep(plan: &Plan) -> Outcome {
    let workloads = workloads(plan)?;
    let nvidia = devices()?.get(plan.device).is_some_and(|device| device.vendor.contains("NVIDIA"));
    let mut all = vec![("default".to_owned(), Options::default())];
    all.extend(variants());
    for plies in [2, 4, 5] {
        let traversal = Some(Traversal::DepthFirst(plies));
        all.push((format!("DepthFirst({plies})"), Options { traversal, ..Options::default() }));
    }
    all.push(("every reply counted".to_owned(), Options { closed_form: Some(false), ..Options::default() }));
    for group in [32, 64, 256] {
        for traversal in [Traversal::BreadthFirst, Traversal::DepthFirst(3)] {
            let options = Options { traversal: Some(traversal), work_group_size: Some(group), ..Options::default() };
            all.push((format!("{traversal:?}, work-group {group}"), options));
        }
    }
    all.push(("standard OpenCL C".to_owned(), Options { vendor_instructions: Some(false), ..Options::default() }));
    for group in [32, 64, 128, 192] {
        let options = Options { replies_group_size: Some(group), ..Options::default() };
        all.push((format!("replies in work-groups of {group}"), options));
    }
    for group in [64, 128, 256] {
        for groups in [1, 4, 16, 256] {
            let options =
                Options { count_group_size: Some(group), groups_per_unit: Some(groups), ..Options::default() };
            all.push((format!("counting in {groups} work-groups of {group} a unit"), options));
        }
    }
    for shift in [20, 22, 24, 26, 28] {
        all.push((format!("2^{shift} moves"), Options { moves: Some(1 << shift), ..Options::default() }));
    }
    for shift in [16, 18, 20, 24] {
        all.push((format!("2^{shift} positions"), Options { positions: Some(1 << shift), ..Options::default() }));
    }
    if nvidia {
        for registers in [96, 112, 128, 144, 168, 200, 255] {
            all.push((format!("{registers} registers"), Options { registers: Some(registers), ..Options::default() }));
        }
    }
    table(plan, &workloads, all);
    Ok(())
}

/// A row of rates for each choice of options.
fn table(plan: &Plan, workloads: &[(&str, Fen, u32, u64)], all: Vec<(String, Options)>) {
    let names: Vec<_> = workloads.iter().map(|(name, _, depth, _)| format!("{name} {depth}, Gnps")).collect();
    println!("| options | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
    for (label, options) in all {
        let rates = rates(plan, &options, workloads);
        println!("| {label} | {} |", rates.unwrap_or_else(|error| error.to_string().replace('\n', " ")));
    }
}

/// The rates of all workloads, as cells of a row.
fn rates(plan: &Plan, options: &Options, workloads: &[(&str, Fen, u32, u64)]) -> Outcome<String> {
    let mut backend = plan.open(options)?;
    let mut cells = Vec::new();
    for (_, fen, depth, nodes) in workloads {
        timed(&mut backend, fen, *depth, *nodes)?;
        let seconds = best(&mut backend, fen, *depth, *nodes)?;
        cells.push(format!("{:.3}", *nodes as f64 / seconds * 1e-9));
    }
    Ok(cells.join(" | "))
}
