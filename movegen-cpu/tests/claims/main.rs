//! The claims K1 to K9 of two plies in closed form (`src/lanes/closed_form_values.rs`), and its values: positions made to
//! violate each claim attack it.
//!
//! All variants count two plies below each position and below each of its successors, and three plies below each
//! position. The reference makes no such claims: it counts the successors that `expand` writes, one by one.

mod positions;
mod sketch;
mod strategies;
#[path = "../variants/mod.rs"]
mod variants;

use std::cell::RefCell;

use kogge_board::{Backend, Fen, Position, Quad48, Rules, unwatched};
use kogge_movegen_cpu::{count, expand};
use kogge_testkit::{Placement, placement};
use proptest::prelude::*;

use variants::Variants;

thread_local! {
    static VARIANTS: RefCell<Variants> = RefCell::new(Variants::new(Some(1)));
}

/// Returns the leaves two plies below a position.
fn replies(rules: &Rules, position: &Quad48) -> u128 {
    let mut successors = Vec::new();
    expand(rules, position, &mut successors);
    successors.iter().map(|successor| u128::from(count(rules, successor))).sum()
}

/// Returns rules and position with the colours exchanged.
fn mirrored(mut rules: Rules, position: &Position) -> Placement {
    rules.castling_files.rotate_left(2);
    (rules, position.mirrored())
}

/// Compares all variants with counting one by one.
fn attack((rules, position): &Placement) {
    let root = Quad48::from(position);
    let fen = Fen::new(*position, *rules);
    let mut successors = Vec::new();
    expand(rules, &root, &mut successors);
    VARIANTS.with_borrow_mut(|variants| {
        let mut perft = |positions: &[Quad48], depth| {
            variants.perft(rules, positions, depth, &mut unwatched).unwrap_or_else(|error| panic!("{fen}: {error}"))
        };
        assert_eq!(perft(&[root], 2), [replies(rules, &root)], "two plies below {fen}");
        // Boards full of queens have too many successors.
        if successors.len() <= 60 {
            let expected: Vec<u128> = successors.iter().map(|successor| replies(rules, successor)).collect();
            assert_eq!(perft(&successors, 2), expected, "two plies below each successor of {fen}");
            assert_eq!(perft(&[root], 3), [expected.iter().sum::<u128>()], "three plies below {fen}");
        }
    });
}

#[test]
fn smallest_positions() {
    for (decides, fen) in positions::POSITIONS {
        let Fen { position, rules, .. } = fen.parse().unwrap_or_else(|error| panic!("{decides}: {error}"));
        for placement in [(rules, position), mirrored(rules, &position)] {
            attack(&placement);
        }
    }
}

macro_rules! attack {
    ($($name:ident by $strategy:path)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(2000))]
            $(
                #[test]
                fn $name(placement in $strategy()) {
                    attack(&placement);
                }
            )*
        }
    };
}

attack! {
    k1_blocked_attacks by strategies::k1
    k2_discovered_attacks by strategies::k2
    k3_new_attacks by strategies::k3
    k4_pins by strategies::k4
    k5_promotions by strategies::k5
    k6_men_next_to_the_king_and_castling by strategies::k6
    k7_pawns_attacks by strategies::k7
    k8_kings_attacks by strategies::k8
    k9_moves_along_lines by strategies::k9
    values_of_pawns by strategies::pawns
    values_of_captures by strategies::captures
    many_men_to_one_square by strategies::crowds
    evasions by strategies::checks
    promoted_men by strategies::promoted
    anything by placement
}
