//! Counts trees with equal positions merged, and prints the time of each ply.
//!
//! ```text
//! merged DEVICE GIBIBYTES [NAME:DEPTH:PLIES:PARTITIONS]... [profile]
//! ```
//!
//! NAME is a position of `data/known-counts.tsv`. PLIES plies are merged, the last one in PARTITIONS partitions, and the
//! total is compared with the published count, if there is one. `profile` adds the time of each kernel.

use std::time::Instant;

use kogge_board::known;
use kogge_board::merge::{Entry, MergeError, MergeOptions, Partition};
use kogge_board::{Backend, Fen, Quad48};
use kogge_gpu::Gpu;

use super::Outcome;
use crate::device_suite::{Tested, host_options};

/// Counts the positions of the command line.
///
/// # Errors
/// If an argument is invalid, or if the device fails.
pub fn main<D: Tested>() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [device, gibibytes, jobs @ ..] = &arguments[..] else {
        return Err("merged DEVICE GIBIBYTES [NAME:DEPTH:PLIES:PARTITIONS]... [profile]".into());
    };
    let profile = jobs.iter().any(|job| job == "profile");
    let mut backend = Gpu::<D>::open(device.parse()?, &host_options(|host| host.profile = profile))?;
    println!("{}", backend.info().name);
    let memory = gibibytes.parse::<u64>()? << 30;
    let standard = known::standard();
    for job in jobs.iter().filter(|job| *job != "profile") {
        let fields: Vec<_> = job.split(':').collect();
        let &[name, depth, plies, partitions] = &fields[..] else { return Err(format!("{job} is no job.").into()) };
        let known = standard.iter().find(|known| known.name == name).ok_or(format!("{name} is not known."))?;
        let depth = depth.parse()?;
        let begun = Instant::now();
        let total = count(&mut backend, memory, &known.root, depth, plies.parse()?, partitions.parse()?)?;
        let verdict = match known.leaves(depth) {
            Some(leaves) if leaves == total => "as published",
            Some(_) => "WRONG",
            None => "not published",
        };
        println!("{name} {depth}: {total}, {verdict}, {:.3} s\n", begun.elapsed().as_secs_f64());
        for kernel in backend.profile() {
            println!("  {kernel:?}");
        }
    }
    Ok(())
}

/// Counts the leaves below a root.
fn count(backend: &mut dyn Backend, memory: u64, root: &Fen, depth: u32, plies: u32, partitions: u32) -> Outcome<u128> {
    let mut merge = backend.merge(&root.rules, &MergeOptions::with_memory(memory))?;
    merge.reserve(1)?;
    merge.add(&[Entry { position: Quad48::from(&root.position), multiplicity: 1 }])?;
    let mut growth = 40.0_f64;
    let mut total = 0;
    for ply in 1..=plies {
        merge.descend()?;
        let of = if ply == plies { partitions } else { 1 };
        let parents = merge.parents();
        let mut distinct = 0;
        for partition in Partition::all(of) {
            let begun = Instant::now();
            let mut room = (parents as f64 * growth * 1.15 / f64::from(of)) as u64 + 1000;
            loop {
                merge.reserve(room.min(merge.most_successors()))?;
                match merge.expand(0..parents, partition) {
                    Err(MergeError::Full) if room < merge.most_successors() => room = room * 3 / 2,
                    other => {
                        other?;
                        break;
                    }
                }
            }
            let merged = begun.elapsed().as_secs_f64();
            let len = merge.successors();
            distinct += len;
            print!("ply {ply} {}/{of}: {len} in {merged:.3} s, room for {room}", partition.index + 1);
            if ply == plies {
                let begun = Instant::now();
                total += merge.perft(0..len, depth - plies)?;
                print!(", leaves {:.3} s", begun.elapsed().as_secs_f64());
            }
            println!();
        }
        growth = distinct as f64 / parents.max(1) as f64;
    }
    Ok(total)
}
