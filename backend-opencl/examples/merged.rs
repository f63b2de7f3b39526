//! Counts a tree with equal positions merged, and says how long each ply took.
//!
//!     merged DEVICE GIBIBYTES [NAME:DEPTH:PLIES:PARTITIONS]...
//!
//! NAME is one of data/known-counts.tsv; the total is compared with the known one, if there is one. So many plies are
//! merged, the last in so many partitions. `profile` among the arguments adds how long each kernel ran.

use std::error::Error;
use std::time::Instant;

use kogge_backend_opencl::{OpenCl, Options};
use kogge_board::merge::{Entry, MergeError, MergeOptions, Partition};
use kogge_board::{Backend, Fen, Quad48};

fn known() -> impl Iterator<Item = [&'static str; 4]> {
    include_str!("../../data/known-counts.tsv").lines().filter_map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        fields.first_chunk().copied()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [device, gibibytes, jobs @ ..] = &arguments[..] else { return Err("merged DEVICE GIBIBYTES JOBS...".into()) };
    let profile = jobs.iter().any(|job| job == "profile");
    let mut backend = OpenCl::open(device.parse()?, &Options { profile, ..Options::default() })?;
    println!("{}", backend.info().name);
    let memory = gibibytes.parse::<u64>()? << 30;
    for job in jobs.iter().filter(|job| *job != "profile") {
        let fields: Vec<_> = job.split(':').collect();
        let &[name, depth, plies, partitions] = &fields[..] else { return Err(format!("{job} is no job.").into()) };
        let fen = known().find(|known| known[0] == name).ok_or(format!("{name} is not known."))?[1];
        let expected = known().find(|known| known[0] == name && known[2] == depth).map(|known| known[3]);
        let begun = Instant::now();
        let total = count(&mut backend, memory, &fen.parse()?, depth.parse()?, plies.parse()?, partitions.parse()?)?;
        let verdict = match expected {
            Some(count) if count == total.to_string() => "as known",
            Some(_) => "WRONG",
            None => "not known",
        };
        println!("{name} {depth}: {total}, {verdict}, {:.3} s\n", begun.elapsed().as_secs_f64());
        for kernel in backend.profile()? {
            println!("  {kernel:?}");
        }
    }
    Ok(())
}

/// Leaves below a root.
fn count(
    backend: &mut OpenCl,
    memory: u64,
    root: &Fen,
    depth: u32,
    plies: u32,
    partitions: u32,
) -> Result<u128, Box<dyn Error>> {
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
                    other => break other?,
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
