//! The section `minimax`.

use std::collections::BTreeMap;
use std::time::Instant;

use kogge_board::{Backend, Leaves, Quad48};
use kogge_movegen_cpu::Cpu;

use super::counting::workloads;
use super::{Outcome, Plan, Subject, rows};

/// The most leaves of a tree to search, for each way of evaluating leaves.
const MOST_LEAVES: [(Leaves, u64); 2] = [(Leaves::Static, 6_000_000_000), (Leaves::Quiescent, 200_000_000)];

/// The most leaves of a tree whose score is compared with the CPU's.
const COMPARED: u64 = 1_000_000;

impl<S: Subject> Plan<S> {
    /// Searches each standard position to the greatest depth within [`MOST_LEAVES`], and compares the scores of small trees
    /// with the CPU's.
    pub(super) fn minimax(&self, row: &str) -> Outcome {
        let mut cpu = Cpu::new(None)?;
        let options = rows::options(row)?;
        let mut small = self.open(&options)?;
        println!("| position | depth | leaves | evaluation | score | seconds | M leaves/s | by kernel, in ms |");
        println!("|---|---:|---:|---|---:|---:|---:|---|");
        for (leaves, most) in MOST_LEAVES {
            let mut deepest = BTreeMap::new();
            for work in workloads().into_iter().filter(|work| work.leaves <= most) {
                let (rules, root) = (work.root.rules, [Quad48::from(&work.root.position)]);
                if work.leaves <= COMPARED {
                    let found = small.minimax(&rules, &root, work.depth, leaves)?;
                    let expected = cpu.minimax(&rules, &root, work.depth, leaves)?;
                    if found != expected {
                        let (fen, depth) = (&work.root, work.depth);
                        return Err(format!("{fen} is worth {expected:?} at depth {depth}, not {found:?}.").into());
                    }
                }
                deepest.insert(work.name, work);
            }
            for work in deepest.values() {
                let (rules, root) = (work.root.rules, [Quad48::from(&work.root.position)]);
                let timed = |profile: bool| -> Outcome<_> {
                    let mut options = options.clone();
                    options.profile = profile;
                    let mut backend = self.open(&options)?;
                    backend.minimax(&rules, &root, work.depth.min(3), leaves)?;
                    backend.profile();
                    let start = Instant::now();
                    let score = backend.minimax(&rules, &root, work.depth, leaves)?[0];
                    Ok((score, start.elapsed().as_secs_f64(), backend.profile()))
                };
                let (score, seconds, _) = timed(false)?;
                let (_, _, times) = timed(true)?;
                let times = times.iter().map(|time| format!("{} {:.1}", time.name, time.nanoseconds as f64 * 1e-6));
                println!(
                    "| {} | {} | {} | {leaves:?} | {score} | {seconds:.3} | {:.0} | {} |",
                    work.name,
                    work.depth,
                    work.leaves,
                    work.leaves as f64 / seconds * 1e-6,
                    times.collect::<Vec<_>>().join(", ")
                );
            }
        }
        Ok(())
    }
}
