//! Alpha-beta without any other pruning finds the minimax value.
use kogge_board::{Backend, Fen, Leaves, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::conformance::{placements, playouts};

use super::plain::alpha_beta;

fn all_equal(leaves: Leaves, most_men: u32, most_leaves: u128, expected: [usize; 4]) {
    let mut cpu = Cpu::new(None).unwrap();
    let batches = placements().into_iter().chain(playouts(&mut cpu));
    let positions = batches.flat_map(|(rules, positions)| positions.into_iter().map(move |position| (rules, position)));
    let mut compared = [0; 4];
    let mut nodes = 0;
    for (number, (rules, position)) in positions.enumerate() {
        if position.unpack_unchecked().occupied().count_ones() > most_men {
            continue;
        }
        // Depths from 1 to 4 in turn, but with a limited number of leaves.
        let fits = |depth: &u32| cpu.perft(&rules, &[position], *depth, &mut unwatched).unwrap()[0] <= most_leaves;
        let depth = (1..=1 + number as u32 % 4).rev().find(fits).unwrap_or(1);
        let rules = rules.with_halfmove_clock(number % 3 == 0);
        let position = position.with_halfmove_clock(if rules.halfmove_clock { 97 } else { 0 });
        let minimax = cpu.minimax(&rules, &[position], depth, leaves, &mut unwatched).unwrap()[0];
        let (found, searched) = alpha_beta(&rules, &position, depth, leaves).unwrap();
        let fen = Fen::new(position.unpack_unchecked(), rules);
        assert_eq!(found, minimax, "{fen} at depth {depth}, {leaves:?}");
        compared[depth as usize - 1] += 1;
        nodes += searched;
    }
    println!("{leaves:?}: {compared:?} positions by depth, {nodes} nodes");
    assert!(compared.iter().zip(expected).all(|(&positions, expected)| positions >= expected), "{compared:?}");
}

#[test]
fn static_values() {
    all_equal(Leaves::Static, 64, 3_000, [1_000, 1_000, 500, 100]);
}

#[test]
fn quiescent_values() {
    all_equal(Leaves::Quiescent, 10, 2_500, [100, 100, 100, 50]);
}
