//! The claims K1 to K9 of the closed form of two plies (`src/lanes/closed_form_values.rs`), and its values: positions
//! made to violate each claim try to refute it.
//!
//! All variants count two plies below each position and below each of its successors, and three plies below each
//! position. The reference makes no such claims: it counts the successors that `expand` writes, one by one.

mod positions;
#[path = "../variants/mod.rs"]
mod variants;

use std::cell::RefCell;

use kogge_board::placements::{Placement, themes};
use kogge_board::{Backend, Fen, Position, Quad48, Rules, unwatched};
use kogge_movegen_cpu::{count, expand};
use kogge_testkit::placements::themed;
use proptest::prelude::*;

use variants::Variants;

thread_local! {
    static VARIANTS: RefCell<Variants> = RefCell::new(Variants::new(Some(1)));
}

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
    ($($name:ident by $themes:expr;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(2000))]
            $(
                #[test]
                fn $name(placement in themed(&$themes)) {
                    attack(&placement);
                }
            )*
        }
    };
}

attack! {
    k1_blocked_attacks by [themes::attacks];
    k2_discovered_attacks by [themes::discoveries];
    k3_new_attacks by [themes::new_attacks];
    k4_pins by [themes::pins];
    k5_promotions by [themes::their_promotions];
    k6_men_next_to_the_king_and_castling by [themes::guards];
    k7_pawns_attacks by [themes::pawn_attacks];
    k8_kings_attacks by [themes::king_attacks];
    k9_moves_along_lines by [themes::lines];
    values_of_pawns by [themes::pawns];
    values_of_captures by [themes::captures];
    many_men_to_one_square by [themes::crowds];
    evasions by [themes::evasions];
    promoted_men by [themes::promoted];
    anything by themes::MIXED;
}
