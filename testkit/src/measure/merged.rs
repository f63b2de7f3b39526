//! Counts trees with equal positions merged, and prints the time of each ply.
//!
//! ```text
//! merged DEVICE GIBIBYTES [NAME:DEPTH:PLIES:RANGES]... [runs=POSITIONS] [positions=BITS] [keys=usual] [profile]
//! ```
//!
//! NAME is a position of `board/data/known-counts.tsv`. PLIES plies are merged, the last one in RANGES ranges, and the
//! total is compared with the published count, if there is one. `runs` sets the greatest room of a run; leaves are
//! counted in runs only at depths of three and more, and not at all if this is 0. `positions` sets the
//! positions of a level, as a power of two. Ranges above runs have reversed keys, unless `keys=usual` is given.
//! `profile` adds the time of each kernel.

use std::time::Instant;

use kogge_board::known;
use kogge_board::merge::{Entry, Kept, Key, KeyRange, Merge, MergeError, MergeOptions};
use kogge_board::{Backend, Fen, Planes32, Quad48, Rules};
use kogge_gpu::{Gpu, GpuOptions, Parameter, Runs};

use super::Outcome;
use crate::device_suite::Tested;

/// Counts the positions of the command line.
///
/// # Errors
/// If an argument is invalid, or if the device fails.
pub fn main<D: Tested>() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [device, gibibytes, jobs @ ..] = &arguments[..] else {
        return Err(
            "merged DEVICE GIBIBYTES [NAME:DEPTH:PLIES:RANGES]... [runs=POSITIONS] [positions=BITS] [keys=usual] \
            [profile]"
                .into(),
        );
    };
    let profile = jobs.iter().any(|job| job == "profile");
    let entries = jobs.iter().find_map(|job| job.strip_prefix("runs=")).map(str::parse).transpose()?;
    let runs = entries.map(|entries: u64| Runs {
        from: if entries == 0 { u64::MAX } else { Runs::default().from },
        entries,
        ..Runs::default()
    });
    let bits = jobs.iter().find_map(|job| job.strip_prefix("positions=")).map(str::parse::<u32>).transpose()?;
    let may_reverse = !jobs.iter().any(|job| job == "keys=usual");
    let mut options = GpuOptions { profile, runs, ..GpuOptions::default() };
    options.values.extend(bits.map(|bits| (Parameter::Positions, 1 << bits.min(30))));
    let mut backend = Gpu::<D>::open(device.parse()?, &options)?;
    println!("{}", backend.info().name);
    let memory = gibibytes.parse::<u64>()? << 30;
    let standard = known::standard();
    for job in jobs.iter().filter(|job| job.contains(':')) {
        let fields: Vec<_> = job.split(':').collect();
        let &[name, depth, plies, ranges] = &fields[..] else { return Err(format!("{job} is no job.").into()) };
        let known = standard.iter().find(|known| known.name == name).ok_or(format!("{name} is not known."))?;
        let depth = depth.parse()?;
        let begun = Instant::now();
        let total = count(&mut backend, memory, &known.root, depth, plies.parse()?, ranges.parse()?, may_reverse)?;
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
fn count(
    backend: &mut dyn Backend,
    memory: u64,
    root: &Fen,
    depth: u32,
    plies: u32,
    ranges: usize,
    may_reverse: bool,
) -> Outcome<u128> {
    let mut merge = backend.merge(&root.rules, &MergeOptions::with_memory(memory))?;
    merge.reserve(1, Kept::All)?;
    merge.add(&[Entry { position: Quad48::from(&root.position), multiplicity: 1 }])?;
    let mut growth = 40.0_f64;
    let mut total = 0;
    for ply in 1..=plies {
        merge.descend()?;
        let parents = merge.parents();
        let of = if ply == plies { ranges } else { 1 };
        let is_reversed = may_reverse && merge.counts_in_runs(depth - plies);
        let key = if is_reversed { Key::reversed } else { Key::of };
        let mut keys = if of > 1 { sample(&mut *merge, &root.rules, key)? } else { Vec::new() };
        let mut distinct = 0;
        for (index, range) in KeyRange::divide(&mut keys, of).into_iter().enumerate() {
            let kept = match of {
                1 => Kept::All,
                _ if is_reversed => Kept::WithinReversed(range),
                _ => Kept::Within(range),
            };
            let begun = Instant::now();
            let mut room = (parents as f64 * growth * 1.15 / of as f64) as u64 + 1000;
            loop {
                merge.reserve(room.min(merge.most_successors()), kept)?;
                match merge.expand(0..parents) {
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
            print!("ply {ply} {}/{of}: {len} in {merged:.3} s, room for {room}", index + 1);
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

/// Returns the keys of the successors of some parents.
fn sample(merge: &mut dyn Merge, rules: &Rules, key: fn(&Planes32) -> Key) -> Outcome<Vec<Key>> {
    const BLOCKS: u64 = 256;
    const BLOCK: u64 = 64;
    let parents = merge.parents();
    merge.reserve(merge.most_successors().min(BLOCKS * BLOCK * 218), Kept::All)?;
    for block in 0..BLOCKS {
        let first = parents * block / BLOCKS;
        merge.expand(first..parents.min(first + BLOCK))?;
    }
    let entries = merge.entries(0..merge.successors())?;
    Ok(entries.iter().map(|entry| key(&Planes32::pack(rules, &entry.position.unpack_unchecked()))).collect())
}
