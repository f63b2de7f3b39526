//! The self-tests of counting and merging pass for correct backends and find every wrong one.

use std::time::Instant;

use kogge_board::merge::{Filter, Key, hashes};
use kogge_board::{Backend, BackendError, self_test, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::Wrapped;
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

/// One leaf too many below each position, at a depth.
fn counts_wrong(depth: u32) -> Result<(), BackendError> {
    let mut backend = Wrapped::new(Cpu::new(Some(1)).unwrap()).perft(move |cpu, rules, positions, at| {
        let leaves = cpu.perft(rules, positions, at, &mut unwatched)?;
        Ok(leaves.into_iter().map(|leaves| leaves + u128::from(at == depth)).collect())
    });
    self_test::counting(&mut backend)
}

#[test]
fn wrong_counts_are_found_and_name_the_device() {
    assert_eq!(counts_wrong(0), Ok(()));
    // Depth 1 counts the moves of the twenty successors.
    for (depth, words) in [(3, "is 8902, and it found 8903"), (1, "is 400, and it found 420"), (4, "perft of depth 4")]
    {
        let error = counts_wrong(depth).unwrap_err();
        assert!(matches!(&error, BackendError::WrongAnswer { device, .. } if device == "CPU, 1 thread"), "{error}");
        assert!(error.to_string().contains(words), "{error}");
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
    assert_found(MergeBug { has: |kept, planes| !is_before(kept) && kept.has(planes), ..MergeBug::default() });
    assert_found(MergeBug { has: |kept, planes| is_before(kept) || kept.has(planes), ..MergeBug::default() });
    // Reversed keys are as others.
    assert_found(MergeBug {
        has: |kept, planes| match kept {
            Filter::Reaching { range, plies, .. } => Filter::within(range).before(plies).has(planes),
            Filter::All => true,
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

/// Returns whether these are positions before a range.
fn is_before(kept: Filter) -> bool {
    matches!(kept, Filter::Reaching { plies: 1.., .. })
}

/// Returns whether these are the positions within the first range.
fn starts_with_least(kept: Filter) -> bool {
    matches!(kept, Filter::Reaching { range, plies: 0, is_reversed: false } if range.first == Key::MIN)
}

#[test]
fn equal_positions_kept_apart_are_found() {
    assert_found(MergeBug { same: Box::new(|_, _| false), ..MergeBug::default() });
}

#[test]
fn a_list_that_is_too_short_and_says_nothing_is_found() {
    assert_found(MergeBug { says_full: false, ..MergeBug::default() });
}
