//! Minimax: the CPU backend, the mailbox, and the host's minimax over `expand` give equal scores.

use std::collections::BTreeMap;

use kogge_board::{Backend, Fen, Leaves, Quad48, Rules, Score, host, minimax, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::conformance::{Batches, placements, playouts};

/// Positions by rules and depth.
type Trees = BTreeMap<(Rules, u32), Vec<Quad48>>;

/// Returns every `step`-th random position, at depths from 1 to 4 in turn, with at most `most` leaves.
fn trees(batches: Batches, step: usize, most: u128) -> Trees {
    let mut cpu = Cpu::new(None).unwrap();
    let mut trees = Trees::new();
    let mut wanted = 0;
    let positions = batches.into_iter().flat_map(|(rules, positions)| positions.into_iter().map(move |p| (rules, p)));
    for (rules, position) in positions.step_by(step) {
        wanted = wanted % 4 + 1;
        let fits = |depth: &u32| cpu.perft(&rules, &[position], *depth, &mut unwatched).unwrap()[0] <= most;
        let depth = (1..=wanted).rev().find(fits).unwrap_or(1);
        let rules = rules.with_halfmove_clock(wanted % 2 == 0);
        let clock = if rules.halfmove_clock { 101 - depth as u8 - position.white as u8 % 8 } else { 0 };
        trees.entry((rules, depth)).or_default().push(position.with_halfmove_clock(clock));
    }
    trees
}

fn all_agree(batches: Batches, leaves: Leaves, step: usize, most: u128, expected: [usize; 4]) {
    let mut cpu = Cpu::new(None).unwrap();
    let mut mailbox = Mailbox::new();
    let mut compared = [0; 5];
    let mut mates = 0;
    for ((rules, depth), positions) in trees(batches, step, most) {
        let scores = cpu.minimax(&rules, &positions, depth, leaves, &mut unwatched).unwrap();
        let plain = mailbox.minimax(&rules, &positions, depth, leaves, &mut unwatched).unwrap();
        let expanded = host::minimax(&mut cpu, &rules, &positions, depth, leaves, &mut unwatched).unwrap();
        for (index, position) in positions.iter().enumerate() {
            let found = [scores[index], plain[index], expanded[index]];
            let fen = Fen::new(position.unpack_unchecked(), rules);
            assert_eq!(found, [found[0]; 3], "{fen} at depth {depth}, {leaves:?}, {rules:?}");
            mates += usize::from(found[0].mate_plies().is_some());
        }
        compared[depth as usize] += positions.len();
    }
    println!("{leaves:?}: {compared:?} positions by depth, {mates} mates");
    assert!(compared[1..].iter().zip(expected).all(|(&positions, expected)| positions >= expected), "{compared:?}");
    assert!(mates > 0, "no mate among them");
}

#[test]
fn static_scores_of_placements() {
    all_agree(placements(), Leaves::Static, 5, 1_000, [300, 400, 100, 20]);
}

#[test]
fn static_scores_of_games() {
    all_agree(playouts(&mut Cpu::new(None).unwrap()), Leaves::Static, 11, 1_500, [50, 200, 0, 0]);
}

#[test]
fn quiescent_scores_of_placements() {
    let mut batches = placements();
    for (_, positions) in &mut batches {
        // With many queens, quiescence takes long.
        positions.retain(|position| position.unpack_unchecked().occupied().count_ones() <= 10);
    }
    all_agree(batches, Leaves::Quiescent, 4, 1_500, [20, 20, 20, 5]);
}

#[test]
fn quiescent_scores_of_games() {
    all_agree(playouts(&mut Cpu::new(None).unwrap()), Leaves::Quiescent, 23, 400, [100, 5, 0, 0]);
}

#[track_caller]
fn assert_score(fen: &str, depth: u32, leaves: Leaves, text: &str) {
    let root: Fen = fen.parse().unwrap();
    let rules = root.rules.with_halfmove_clock(true);
    let scores =
        Cpu::new(Some(1)).unwrap().minimax(&rules, &[Quad48::from(&root.position)], depth, leaves, &mut unwatched);
    assert_eq!(scores.unwrap()[0].to_string(), text, "{fen} at depth {depth}");
}

#[test]
fn the_rules_that_end_a_game() {
    for leaves in [Leaves::Static, Leaves::Quiescent] {
        // Mate and stalemate.
        assert_score("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", 0, leaves, "mated");
        assert_score("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 1", 3, leaves, "mated");
        assert_score("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 2, leaves, "0.00");
        // Mate in one and in two, found at their depth and not earlier.
        assert_score("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1, leaves, "mate in 1");
        assert_score("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", 3, leaves, "mate in 2");
        assert_score("7k/R7/8/8/8/8/8/1R2K3 b - - 0 1", 2, leaves, "mated in 1");
        // Only mate takes precedence over the fifty-move rule.
        assert_score("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80", 1, leaves, "mate in 1");
        assert_score("7k/8/8/8/8/8/R7/1R2K3 w - - 98 80", 3, leaves, "0.00");
        assert_score("7k/8/8/8/8/8/R7/1R2K3 w - - 100 80", 0, leaves, "0.00");
    }
}

#[test]
fn quiescence_sees_an_exchange_to_its_end() {
    // The queen can take a pawn that another pawn protects.
    let fen = "4k3/3p4/2p5/8/8/8/2Q5/4K3 w - - 0 1";
    let root: Fen = fen.parse().unwrap();
    let scores = |leaves| {
        Cpu::new(Some(1)).unwrap().minimax(&root.rules, &[Quad48::from(&root.position)], 1, leaves, &mut unwatched)
    };
    let [fooled, warned] = [Leaves::Static, Leaves::Quiescent].map(|leaves| scores(leaves).unwrap()[0]);
    assert!(fooled > warned, "{fooled} {warned}");
    assert!(warned > Score::centipawns(500), "{warned}");
}

#[test]
fn too_deep_is_an_error() {
    let start = Quad48::from(&Fen::start().position);
    for backend in [&mut Mailbox::new() as &mut dyn Backend, &mut Cpu::new(Some(1)).unwrap()] {
        let error = backend
            .minimax(&Rules::STANDARD, &[start], minimax::MAX_DEPTH + 1, Leaves::Static, &mut unwatched)
            .unwrap_err();
        assert_eq!(error.to_string(), "A minimax of 995 plies is too deep; it can be 994 at most.");
        assert_eq!(backend.minimax(&Rules::STANDARD, &[], 4, Leaves::Static, &mut unwatched), Ok(vec![]));
    }
}
