//! The fills of `attacks` against the slow ray walks of `Position`.

use kogge_board::attacks::{attackers, in_check};
use kogge_board::{Color, Quad48, Square};
use kogge_testkit::placement;
use proptest::prelude::*;

proptest! {
    #[test]
    fn fills_agree_with_stepping((_, position) in placement()) {
        let packed = Quad48::from(&position);
        for square in (0..64).filter_map(Square::new) {
            let stepped = Color::ALL.map(|by| position.attackers(square, by, position.occupied()));
            let found = attackers(&packed, square.bit(), !position.occupied());
            prop_assert_eq!(found, stepped[0] | stepped[1], "{}", square);
        }
        prop_assert_eq!(in_check(&packed), position.checkers() != 0);
    }
}
