//! Positions in planes: their bytes and their round trip.

use kogge_board::{Color, Fen, Planes32, Position, START, Square};
use kogge_testkit::placement;
use proptest::prelude::*;

#[test]
fn the_start_position_in_planes() {
    let fen: Fen = START.parse().unwrap();
    let planes = Planes32::pack(&fen.rules, &fen.position);
    // Pawns are 1, bishops 3, queens 5, castling rooks 7: the first plane has all men except knights and kings.
    assert_eq!(planes.codes[0], 0xadff_0000_0000_ffad);
    assert_eq!(planes.codes[1], 0xf700_0000_0000_00f7);
    assert_eq!(planes.codes[2], 0x9900_0000_0000_0099);
    assert_eq!(planes.own, 0xffff);
}

#[test]
fn en_passant_is_a_lone_bit_of_own() {
    let fen: Fen = "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1".parse().unwrap();
    let planes = Planes32::pack(&fen.rules, &fen.position);
    let occupied = planes.codes[0] | planes.codes[1] | planes.codes[2];
    assert_eq!(planes.own & !occupied, Square::at(3, 5).bit());
}

proptest! {
    #[test]
    fn positions_come_back((rules, position) in placement()) {
        let state = position.state.with_halfmove_clock(0);
        let expected = Position { state, ..position };
        prop_assert_eq!(Planes32::pack(&rules, &position).unpack_unchecked(position.turn()), expected);
    }

    #[test]
    fn mirrored_positions_have_the_same_planes((rules, position) in placement()) {
        let mut mirrored_rules = rules;
        mirrored_rules.castling_files.rotate_left(2);
        prop_assert_eq!(
            Planes32::pack(&rules, &position),
            Planes32::pack(&mirrored_rules, &position.mirrored())
        );
    }

    #[test]
    fn any_words_unpack(words in any::<[u64; 4]>(), black in any::<bool>()) {
        let turn = if black { Color::Black } else { Color::White };
        let planes = Planes32 { codes: [words[0], words[1], words[2]], own: words[3] };
        prop_assert_eq!(planes.unpack_unchecked(turn).turn(), turn);
    }
}
