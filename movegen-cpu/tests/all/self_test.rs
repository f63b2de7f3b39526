//! The self-test of merging passes for correct backends and finds every wrong one.

use std::time::Instant;

use kogge_board::merge::{Filter, Key, hashes};
use kogge_board::{BackendError, self_test};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::buggy::{MergeBug, merges_wrong};

fn verdict(bug: MergeBug) -> Result<(), BackendError> {
    self_test::merging(&mut merges_wrong(Cpu::new(Some(1)).unwrap(), bug))
}

#[track_caller]
fn assert_found(bug: MergeBug) {
    let verdict = verdict(bug);
    assert!(matches!(verdict, Err(BackendError::WrongAnswer { .. })), "{verdict:?}");
}

#[test]
fn right_backends_pass() {
    assert_eq!(verdict(MergeBug::default()), Ok(()));
    assert_eq!(self_test::merging(&mut Mailbox::new()), Ok(()));
    for name in Cpu::variants() {
        let start = Instant::now();
        assert_eq!(self_test::merging(&mut Cpu::with_variant(None, name).unwrap()), Ok(()), "{name}");
        println!("{name}: {:?}", start.elapsed());
    }
}

#[test]
fn a_comparison_that_ignores_any_one_bit_is_found() {
    for plane in 0..4 {
        for square in 0..64 {
            let same = move |a: &kogge_board::Planes32, b: &kogge_board::Planes32| {
                let [a, b] = [a, b].map(|planes| {
                    let [one, two, four] = planes.codes;
                    let mut boards = [one, two, four, planes.own];
                    boards[plane] &= !(1 << square);
                    boards
                });
                a == b
            };
            assert_found(MergeBug { same: Box::new(same), ..MergeBug::default() });
        }
    }
}

/// Adds without the carry from the lower bits into the upper bits.
fn without_carry<const BITS: u32>(a: u128, b: u128) -> Option<u128> {
    let low = (1_u128 << BITS) - 1;
    let high = (a >> BITS).checked_add(b >> BITS)?;
    Some(a.wrapping_add(b) & low | high << BITS)
}

#[test]
fn wrong_sums_are_found() {
    for sum in [without_carry::<32>, without_carry::<64>, without_carry::<96>] {
        assert_found(MergeBug { sum, ..MergeBug::default() });
    }
    assert_found(MergeBug { sum: |a, b| Some(a.wrapping_add(b)), ..MergeBug::default() });
    assert_found(MergeBug { sum: |a, _| Some(a), ..MergeBug::default() });
    assert_found(MergeBug { sum: |a, b| Some(a.saturating_add(b)), ..MergeBug::default() });
}

#[test]
fn wrong_weights_are_found() {
    let bugs: [fn(u128, u128) -> Option<u128>; 4] = [
        |_, leaves| Some(leaves),
        |multiplicity, _| Some(multiplicity),
        |multiplicity, leaves| Some(multiplicity.wrapping_mul(leaves)),
        |multiplicity, leaves| u128::from(multiplicity as u64).checked_mul(leaves),
    ];
    for weighted in bugs {
        assert_found(MergeBug { weighted, ..MergeBug::default() });
    }
}

#[test]
fn lost_positions_and_wrong_ranges_are_found() {
    assert_found(MergeBug { keeps: |number| number != 0, ..MergeBug::default() });
    assert_found(MergeBug { keeps: |number| number < 2000, ..MergeBug::default() });
    assert_found(MergeBug { has: |_, _| true, ..MergeBug::default() });
    // Positions before a range are not kept, or all of them are.
    assert_found(MergeBug {
        has: |kept, planes| !matches!(kept, Filter::Before(_)) && kept.has(planes),
        ..MergeBug::default()
    });
    assert_found(MergeBug {
        has: |kept, planes| matches!(kept, Filter::Before(_)) || kept.has(planes),
        ..MergeBug::default()
    });
    // Reversed keys are as others.
    assert_found(MergeBug {
        has: |kept, planes| match kept {
            Filter::WithinReversed(range) => range.has_position(planes),
            _ => kept.has(planes),
        },
        ..MergeBug::default()
    });
    // One range has too many positions, and every range too few.
    assert_found(MergeBug { has: |kept, planes| kept.has(planes) || starts_with_least(kept), ..MergeBug::default() });
    assert_found(MergeBug {
        has: |kept, planes| kept.has(planes) && hashes(planes)[1] & 0xff != 1,
        ..MergeBug::default()
    });
}

/// Returns whether these are the positions within the first range.
fn starts_with_least(kept: Filter) -> bool {
    matches!(kept, Filter::Within(range) if range.first == Key::MIN)
}

#[test]
fn equal_positions_kept_apart_are_found() {
    assert_found(MergeBug { same: Box::new(|_, _| false), ..MergeBug::default() });
}

#[test]
fn a_list_that_is_too_short_and_says_nothing_is_found() {
    assert_found(MergeBug { says_full: false, ..MergeBug::default() });
}
