//! Tests that all generators agree on minimax values: a short run of the example `agree`.

#[path = "../examples/agree/compare.rs"]
mod compare;

use compare::{Limits, round};
use kogge_board::Position;
use kogge_movegen_cpu::Cpu;
use kogge_testkit::buggy::Buggy;
use kogge_testkit::placement;
use kogge_testkit::soak::{self, Soak};
use proptest::strategy::Strategy;

fn soak() -> Soak {
    soak::soak(8, placement().boxed())
}

#[test]
fn cpu_alpha_beta_and_mailbox_agree() {
    let limits =
        Limits { leaves: [10_000, 3_000], by_mailbox: [2_000, 200], positions: [[20; 4]; 2], men: [10, 8], end: None };
    let compared = round(&mut soak(), &limits, &mut []).unwrap_or_else(|text| panic!("{text}"));
    println!("{compared}");
    assert!(compared.positions.iter().flatten().all(|&positions| positions >= 2), "{compared}");
    assert!(compared.by_mailbox.iter().flatten().all(|&positions| positions >= 1), "{compared}");
    assert!(compared.mates >= 5, "{compared}");
}

/// A generator without captures.
fn no_captures(parent: &Position, child: Position) -> Option<Position> {
    (parent.occupied().count_ones() == child.occupied().count_ones()).then_some(child)
}

#[test]
fn a_backend_that_is_wrong_is_found() {
    let limits = Limits { leaves: [100, 100], by_mailbox: [0, 0], positions: [[10; 4]; 2], men: [8, 8], end: None };
    let wrong = Buggy::new(Cpu::new(None).expect("the CPU can be used"), no_captures);
    let found = round(&mut soak(), &limits, &mut [Box::new(wrong)]);
    let text = found.map(|compared| compared.to_string()).expect_err("something can be captured somewhere");
    assert!(text.contains(" the CPU backend says ") && text.contains(" and cpu "), "{text}");
}
