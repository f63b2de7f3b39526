//! The random positions themselves: always legal, and rich in rare features.

use kogge_board::bits::{self, FILE_A, FILE_H};
use kogge_board::placements::{ALL_MEN, Placement, Theme, placement, themes};
use kogge_board::{Color, Fen, Move, MoveKind, Piece, Position, Square};

fn sample(themes: &[Theme], count: u64) -> Vec<Placement> {
    (0..count).map(|seed| placement(seed, themes, ALL_MEN)).collect()
}

/// Returns the percentage of positions that satisfy `holds`.
fn share(positions: &[Placement], holds: impl Fn(&Position) -> bool) -> usize {
    positions.iter().filter(|(_, position)| holds(position)).count() * 100 / positions.len()
}

/// Returns the number of pawns that may capture en passant.
fn capturers(position: &Position) -> u32 {
    let Some(square) = position.state.en_passant_square() else { return 0 };
    let passed = if position.turn() == Color::White { square.bit() >> 8 } else { square.bit() << 8 };
    let beside = (passed & !FILE_A) >> 1 | (passed & !FILE_H) << 1;
    (beside & position.pawns & position.of(position.turn())).count_ones()
}

/// Returns the number of men whose removal would expose their king to one more slider.
fn pinned(position: &Position, color: Color) -> u32 {
    let king = position.king(color).expect("legal");
    let sliders = position.bishops_queens | position.rooks_queens;
    let attackers = |occupied| position.attackers(king, color.opposite(), occupied) & sliders;
    let before = attackers(position.occupied());
    bits::Bits(position.of(color) & !king.bit())
        .filter(|&man| attackers(position.occupied() & !man) & !before != 0)
        .count() as u32
}

/// Returns whether a pawn of the side to move attacks a man on the last rank, legal to capture or not.
fn capture_promotions(position: &Position) -> bool {
    let turn = position.turn();
    let seen = |board: u64| if turn == Color::White { board } else { bits::flip(board) };
    let pawns = seen(position.pawns & position.of(turn)) & bits::rank(6);
    let targets = (pawns & !FILE_A) << 7 | (pawns & !FILE_H) << 9;
    targets & seen(position.of(turn.opposite()) & !position.kings) != 0
}

#[test]
fn every_position_is_legal_and_survives_its_fen() {
    for (rules, position) in [sample(&themes::MIXED, 3000), sample(&themes::CLOSED_FORM, 3000)].concat() {
        assert_eq!(position.check(&rules), Ok(()));
        assert!(rules.halfmove_clock || position.state.halfmove_clock() == 0);
        let text = Fen::new(position, rules).to_string();
        let fen: Fen = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((fen.position, fen.rules.castling_files), (position, rules.castling_files), "{text}");
    }
}

#[test]
fn rare_things_are_common() {
    let mixed = sample(&themes::MIXED, 3000);
    let per_cent = |holds: fn(&Position) -> bool| share(&mixed, holds);
    for (least, what, found) in [
        (30, "black to move", per_cent(|p| p.turn() == Color::Black)),
        (15, "check", per_cent(|p| p.checkers() != 0)),
        (2, "double check", per_cent(|p| p.checkers().count_ones() == 2)),
        (15, "a pinned man", per_cent(|p| pinned(p, p.turn()) > 0)),
        (4, "en passant", per_cent(|p| capturers(p) == 1)),
        (1, "en passant by two pawns", per_cent(|p| capturers(p) == 2)),
        (1, "en passant with a pin", per_cent(|p| capturers(p) > 0 && pinned(p, p.turn()) > 0)),
        (15, "castling rights", per_cent(|p| p.state.castling() != 0)),
        (
            10,
            "castling rights of the side to move",
            per_cent(|p| p.state.castling() >> (if p.turn() == Color::White { 0 } else { 2 }) & 3 != 0),
        ),
        (3, "capturing promotions", per_cent(capture_promotions)),
        (3, "nine queens", per_cent(|p| p.kind(Piece::Queen).count_ones() >= 9)),
        (3, "ten pawns", per_cent(|p| p.pawns.count_ones() >= 10)),
        (3, "28 men", per_cent(|p| p.occupied().count_ones() >= 28)),
        (3, "at most 4 men", per_cent(|p| p.occupied().count_ones() <= 4)),
        (20, "a halfmove clock", per_cent(|p| p.state.halfmove_clock() != 0)),
    ] {
        println!("{what}: {found} %, at least {least} %");
        assert!(found >= least, "{what}: {found} %, expected at least {least} %");
    }
    let chess960 = mixed.iter().filter(|(rules, position)| Fen::new(*position, *rules).is_chess960()).count();
    assert!(chess960 > 200, "{chess960} with castling rights of Chess960");
    let corner = |square: Square| [0, 7, 56, 63].contains(&square.index());
    assert!(per_cent_of_kings(&mixed, corner) >= 15);
}

fn per_cent_of_kings(positions: &[Placement], holds: impl Fn(Square) -> bool) -> usize {
    share(positions, |position| Color::ALL.into_iter().filter_map(|color| position.king(color)).any(&holds))
}

#[test]
fn pins_come_on_every_axis() {
    let mut axes = [0; 4];
    for (_, position) in sample(&[themes::checks_and_pins], 1000) {
        let turn = position.turn();
        let king = position.king(turn).expect("legal");
        let sliders = |occupied| {
            position.attackers(king, turn.opposite(), occupied) & (position.bishops_queens | position.rooks_queens)
        };
        for man in bits::Bits(position.of(turn) & !king.bit()) {
            let found = sliders(position.occupied() & !man) & !sliders(position.occupied());
            if let (Some(from), Some(man)) = (Square::of(found), Square::of(man)) {
                let axis = match (from.file() as i8 - man.file() as i8, from.rank() as i8 - man.rank() as i8) {
                    (0, _) => 0,
                    (_, 0) => 1,
                    (file, rank) if file == rank => 2,
                    _ => 3,
                };
                axes[axis] += 1;
            }
        }
    }
    assert!(axes.iter().all(|&count| count >= 50), "{axes:?}");
}

/// Some double pushes allow no capture en passant only because the capture would expose the king.
#[test]
fn en_passant_traps_are_met() {
    let mut opened = [0; 2];
    for (rules, position) in sample(&[themes::en_passant], 2000) {
        let turn = position.turn();
        let up = |square: Square, ranks: u8| {
            let rank = if turn == Color::White { square.rank() + ranks } else { square.rank() - ranks };
            Square::at(square.file(), rank)
        };
        let home = bits::rank(if turn == Color::White { 1 } else { 6 });
        for from in bits::Bits(position.pawns & position.of(turn) & home).filter_map(Square::of) {
            let to = up(from, 2);
            if position.occupied() & (up(from, 1).bit() | to.bit()) != 0 {
                continue;
            }
            let after = position.play(&rules, Move::new(from, to, MoveKind::DoublePush));
            let beside = (to.bit() & !FILE_A) >> 1 | (to.bit() & !FILE_H) << 1;
            let refused = beside & after.pawns & after.of(after.turn()) != 0 && after.state.en_passant_file().is_none();
            // A check by the push, direct or discovered, would also forbid the capture.
            if refused && after.checkers() == 0 {
                let same_rank = after.king(after.turn()).is_some_and(|king| king.rank() == to.rank());
                opened[usize::from(same_rank)] += 1;
            }
        }
    }
    assert!(opened.iter().all(|&count| count >= 20), "{opened:?} lines and ranks");
}
