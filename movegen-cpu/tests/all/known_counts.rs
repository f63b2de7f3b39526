//! The CPU backend against published counts. The tests of the driver compare it with two suites.

use kogge_board::{Backend, Quad48, known, unwatched};
use kogge_movegen_cpu::Cpu;

/// Checks the published counts of at most `most` leaves below the standard positions, and returns their number.
fn check(cpu: &mut Cpu, most: u128) -> usize {
    let mut checked = 0;
    for known in known::standard() {
        let (rules, position) = (known.root.rules, Quad48::from(&known.root.position));
        for (depth, leaves) in known.counts().filter(|&(_, leaves)| leaves <= most) {
            let found = cpu.perft(&rules, &[position], depth, &mut unwatched);
            assert_eq!(found, Ok(vec![leaves]), "{} at depth {depth}", known.name);
            checked += 1;
        }
    }
    checked
}

#[test]
fn the_six_standard_positions() {
    assert_eq!(check(&mut Cpu::new(None).unwrap(), 1_000_000_000), 34);
}

/// Tables of one entry, of a few and of many forget different positions, but give equal answers.
#[test]
fn hash_tables_keep_counts_exact() {
    for bytes in [64, 4096, 1 << 24] {
        let mut cpu = Cpu::new(None).unwrap();
        cpu.set_hash(bytes).unwrap();
        assert!(check(&mut cpu, 20_000_000) > 20);
    }
    assert!(Cpu::new(None).unwrap().set_hash(1).is_err());
}
