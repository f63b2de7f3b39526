//! `kogge-movegen-cpu` and `kogge-driver`: counting on all cores.

use kogge::{Backend, Cpu, Driver, Fen, MergeSettings, Quad48, unwatched};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Fen::start();
    let mut cpu = Cpu::new(None)?;

    // A backend answers for a batch of positions.
    let batch = [Quad48::from(&start.position)];
    assert_eq!(cpu.perft(&start.rules, &batch, 1, &mut unwatched)?, [20]);
    let successors = cpu.expand(&start.rules, &batch)?;
    assert_eq!(cpu.perft(&start.rules, &successors.positions, 4, &mut unwatched)?.iter().sum::<u128>(), 4_865_609);

    // The driver is for longer work: it can be watched and stopped, merges equal positions, and sums in 128 bits.
    let mut driver = Driver::new(&mut cpu, &());
    assert_eq!(driver.perft(&start, 5)?, 4_865_609);
    let merged = driver.perft_merged(&start, 7, &MergeSettings::with_memory(1 << 30))?;
    println!("{} leaves; {}", merged.leaves, merged.plan.summary());
    Ok(())
}
