//! The sections that open a device and count.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kogge_board::known;
use kogge_board::{Backend, Fen, Quad48, Rules};
use kogge_movegen_cpu::Cpu;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::{Outcome, Plan, Subject, rows};
use crate::placements::placement;

/// The number of positions of the section `conform`.
const PLACEMENTS: usize = 40_000;

/// A published count.
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) root: Fen,
    pub(super) depth: u32,
    pub(super) leaves: u64,
}

/// Returns the published counts of the six standard positions that fit in 64 bits.
pub(super) fn workloads() -> Vec<Workload> {
    let all = known::standard().into_iter().flat_map(|known| {
        let counts: Vec<_> = known.counts().collect();
        counts.into_iter().filter_map(move |(depth, leaves)| {
            let (name, root) = (known.name, known.root);
            Some(Workload { name, root, depth, leaves: leaves.try_into().ok()? })
        })
    });
    all.collect()
}

/// Counts once and returns the time in seconds.
pub(super) fn timed(backend: &mut dyn Backend, work: &Workload) -> Outcome<f64> {
    let Workload { root, depth, leaves, .. } = work;
    let position = [Quad48::from(&root.position)];
    let start = Instant::now();
    let found = backend.perft(&root.rules, &position, *depth)?;
    let seconds = start.elapsed().as_secs_f64();
    if found != [*leaves] {
        return Err(format!("Perft {depth} of {root} is {leaves}, and the device counted {found:?}.").into());
    }
    Ok(seconds)
}

/// Counts repeatedly for about two seconds, at most five times, and returns the shortest time in seconds.
pub(super) fn best(backend: &mut dyn Backend, work: &Workload) -> Outcome<f64> {
    let mut best = timed(backend, work)?;
    let mut spent = best;
    for _ in 1..5 {
        if spent + best > 2.0 {
            break;
        }
        let seconds = timed(backend, work)?;
        spent += seconds;
        best = best.min(seconds);
    }
    Ok(best)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

impl<S: Subject> Plan<S> {
    pub(super) fn start(&self) -> Outcome {
        println!("devices listed for the first time in {:.1} ms\n", milliseconds(self.listed));
        println!(
            "| options | time | device | source | kernels | the slowest kernel | sum of the kernels | self-test | perft 5 | \
             again |"
        );
        println!("|---|---|---:|---:|---:|---|---:|---:|---:|---:|");
        let work = Workload { name: "startpos", root: Fen::start(), depth: 5, leaves: 4_865_609 };
        for form in S::forms(&self.device) {
            for time in ["first", "second"] {
                let mut backend = self.open_row(&form)?;
                let opening = backend.opening().clone();
                let first = timed(&mut backend, &work)? * 1e3;
                let again = timed(&mut backend, &work)? * 1e3;
                let [device, source, kernels, self_test] =
                    [opening.device, opening.source, opening.kernels, opening.self_test].map(milliseconds);
                let slowest = opening.compilations.iter().max_by_key(|(_, took)| *took);
                let slowest =
                    slowest.map_or(String::new(), |(name, took)| format!("`{name}`: {:.1} ms", milliseconds(*took)));
                let sum = milliseconds(opening.compilations.iter().map(|(_, took)| *took).sum());
                println!(
                    "| {form} | {time} | {device:.1} ms | {source:.1} ms | {kernels:.1} ms | {slowest} | {sum:.1} ms | \
                     {self_test:.1} ms | {first:.1} ms | {again:.1} ms |"
                );
            }
        }
        Ok(())
    }

    /// Expands and counts random positions, many more than the tests use.
    pub(super) fn conform(&self) -> Outcome {
        let mut runner = TestRunner::deterministic();
        let strategy = placement();
        let mut groups: HashMap<Rules, Vec<Quad48>> = HashMap::new();
        for index in 0..PLACEMENTS {
            let (rules, position) = strategy.new_tree(&mut runner).map_err(|reason| reason.to_string())?.current();
            let rules = rules.with_halfmove_clock(index % 2 == 0);
            groups.entry(rules).or_default().push(Quad48::from(&position));
        }
        let mut cpu = Cpu::new(None)?;
        for row in S::variants(&self.device) {
            let mut backend = self.open_row(&row)?;
            let mut leaves = 0_u64;
            for (rules, positions) in &groups {
                let differ = |what: &str| Err(format!("{row}: {what} differ under {rules:?}."));
                let expected = cpu.expand(rules, positions)?;
                if backend.expand(rules, positions)? != expected {
                    differ("successors")?;
                }
                if backend.count(rules, &expected.positions)? != cpu.count(rules, &expected.positions)? {
                    differ("counts")?;
                }
                let expected = cpu.perft(rules, positions, 3)?;
                if backend.perft(rules, positions, 3)? != expected {
                    differ("leaves")?;
                }
                leaves += expected.iter().sum::<u64>();
            }
            println!("{row}: {PLACEMENTS} positions under {} rules, {leaves} leaves, all equal", groups.len());
        }
        Ok(())
    }

    pub(super) fn perft(&self) -> Outcome {
        println!("| options | position | depth | leaves | seconds | Gnps, bulk-counted |");
        println!("|---|---|---:|---:|---:|---:|");
        for form in S::forms(&self.device) {
            let mut backend = self.open_row(&form)?;
            let mut finished: HashMap<&str, f64> = HashMap::new();
            for work in workloads().iter().filter(|work| work.leaves > 1_000_000) {
                // The next depth takes about forty times as long.
                if finished.get(work.name).is_some_and(|&last| last * 40.0 > self.seconds) {
                    continue;
                }
                let took = best(&mut backend, work)?;
                finished.insert(work.name, took);
                let Workload { name, depth, leaves, .. } = work;
                let rate = *leaves as f64 / took * 1e-9;
                println!("| {form} | {name} | {depth} | {leaves} | {took:.4} | {rate:.2} |");
            }
        }
        Ok(())
    }

    /// Returns short workloads for this device: for each of three positions, the shallowest depth that takes some
    /// hundredths of a second.
    pub(super) fn workloads(&self) -> Outcome<Vec<Workload>> {
        let mut backend = self.open_row("default")?;
        let mut chosen: Vec<Workload> = Vec::new();
        let mut enough = "";
        for work in workloads() {
            if !["startpos", "kiwipete", "pos3"].contains(&work.name) || work.depth < 3 || work.name == enough {
                continue;
            }
            if best(&mut backend, &work)? > 0.03 {
                enough = work.name;
            }
            chosen.retain(|known| known.name != work.name);
            chosen.push(work);
        }
        Ok(chosen)
    }

    pub(super) fn profile(&self) -> Outcome {
        let workloads = self.workloads()?;
        println!("| options | position | depth | kernel | launches | items | ms | share | G items/s |");
        println!("|---|---|---:|---|---:|---:|---:|---:|---:|");
        for form in S::forms(&self.device) {
            let mut options = rows::options(&form)?;
            options.profile = true;
            let mut backend = self.open(&options)?;
            for work in &workloads {
                timed(&mut backend, work)?;
                backend.profile();
                let seconds = timed(&mut backend, work)?;
                let row = format!("| {form} | {} | {} |", work.name, work.depth);
                let cells = |nanoseconds| {
                    format!("{:.3} | {:.1} %", nanoseconds as f64 * 1e-6, nanoseconds as f64 * 1e-7 / seconds)
                };
                let mut busy = 0;
                for time in backend.profile() {
                    busy += time.nanoseconds;
                    let rate = time.items as f64 / time.nanoseconds as f64;
                    let (name, launches, items) = (time.name, time.launches, time.items);
                    println!("{row} {name} | {launches} | {items} | {} | {rate:.2} |", cells(time.nanoseconds));
                }
                println!("{row} all | | | {} | |", cells(busy));
            }
        }
        Ok(())
    }
}
