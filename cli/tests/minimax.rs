//! Minimax values agree, whoever computes them: the short form of the example `agree`.

#![allow(unreachable_pub, reason = "the example's module is one of this crate")]

#[path = "../examples/agree/compare.rs"]
mod compare;

use compare::{Limits, round};
use kogge_board::buggy::{Buggy, no_black_queenside};
use kogge_board::soak::Soak;
use kogge_board::testing::placement;
use kogge_movegen_cpu::Cpu;
use proptest::strategy::Strategy;

const LIMITS: Limits = Limits { leaves: [3_000, 300], by_mailbox: [1_000, 100], positions: [60, 30, 10, 5] };

#[test]
fn cpu_alpha_beta_and_mailbox_agree() {
    let compared =
        round(&mut Soak::new(8, placement().boxed()), &LIMITS, &mut []).unwrap_or_else(|text| panic!("{text}"));
    println!("{compared}");
    assert!(compared.positions.iter().flatten().all(|&positions| positions >= 50), "{compared}");
    assert!(compared.by_mailbox.iter().flatten().all(|&positions| positions >= 20), "{compared}");
    assert!(compared.mates >= 20, "{compared}");
}

#[test]
fn a_backend_that_is_wrong_is_found() {
    let wrong = Buggy::new(Cpu::new(None).expect("the CPU can be used"), no_black_queenside);
    let found = round(&mut Soak::new(8, placement().boxed()), &LIMITS, &mut [Box::new(wrong)]);
    let text = found.map(|compared| compared.to_string()).expect_err("castling is the best move somewhere");
    assert!(text.contains(" the CPU backend says "), "{text}");
}
