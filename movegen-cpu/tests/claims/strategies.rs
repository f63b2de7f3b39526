//! The attacks on each claim: positions made to violate it.

use kogge_board::{Color, Piece, Square};
use kogge_testkit::Placement;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::sketch::*;

const OWN: Color = Color::White;
const THEIR: Color = Color::Black;

/// The leaps of a knight.
const LEAPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Returns men with one to three steps from each to the next.
fn row(men: Vec<BoxedStrategy<Man>>) -> impl Strategy<Value = Vec<(i8, Man)>> {
    men.into_iter().map(|man| (1..=3i8, man).boxed()).collect::<Vec<_>>()
}

/// Returns their king, or a square of their home rank, where the castling path is.
fn zone() -> impl Strategy<Value = Anchor> {
    prop_oneof![2 => Just(Anchor::TheirKing), 1 => (0..8u8).prop_map(|file| Anchor::Square(Square::at(file, 7)))]
}

fn a_man(color: Color, piece: Piece) -> Just<Man> {
    Just(Man(color, Some(piece)))
}

/// Returns any man of one colour.
fn man_of(color: Color) -> impl Strategy<Value = Man> {
    any_man().prop_map(move |Man(_, piece)| Man(color, piece))
}

/// Sliders and knights that attack common zone squares, where each may come between another one and the square; own
/// king attacks some other zone squares.
pub(crate) fn k1() -> impl Strategy<Value = Placement> {
    let attack = line(zone(), 1, vec((1..=6i8, slider(OWN)), 1..2));
    let knight = near(Anchor::TheirKing, -3..=3, -3..=3, a_man(OWN, Piece::Knight));
    let kings = prop_oneof![1 => kings(), 1 => close_kings(kings())];
    sketch(kings, vec(prop_oneof![3 => attack, 1 => knight], 2..7), anywhere(any_man()), 6)
}

/// Sliders behind an own man, or behind two men, before a zone square.
pub(crate) fn k2() -> impl Strategy<Value = Placement> {
    let one = row(vec![own_man().boxed(), slider(OWN).boxed()]);
    let two = row(vec![own_man().boxed(), any_man().boxed(), slider(OWN).boxed()]);
    let lines = prop_oneof![3 => line(zone(), 1, one), 1 => line(zone(), 1, two)];
    sketch(kings(), vec(lines, 1..4), anywhere(any_man()), 6)
}

/// Few men, so that moves come to attack zone squares that nothing attacked.
pub(crate) fn k3() -> impl Strategy<Value = Placement> {
    let knight = near(Anchor::TheirKing, -4..=4, -4..=4, a_man(OWN, Piece::Knight));
    sketch(kings(), vec(knight, 0..3), anywhere(prop_oneof![2 => own_man(), 1 => any_man()]), 6)
}

/// One, two or three men between their king and an own slider, on many lines at once; sliders that may
/// land behind a man.
pub(crate) fn k4() -> impl Strategy<Value = Placement> {
    let their = || man_of(THEIR).boxed();
    let one = row(vec![their(), slider(OWN).boxed()]);
    let two = row(vec![any_man().boxed(), any_man().boxed(), slider(OWN).boxed()]);
    let three = row(vec![any_man().boxed(), any_man().boxed(), any_man().boxed(), slider(OWN).boxed()]);
    let lines = prop_oneof![
        2 => line(Just(Anchor::TheirKing), 0, one),
        3 => line(Just(Anchor::TheirKing), 0, two),
        1 => line(Just(Anchor::TheirKing), 0, three),
        1 => line(Just(Anchor::TheirKing), 0, row(vec![their()])),
    ];
    sketch(kings(), vec(lines, 1..5), anywhere(any_man()), 8)
}

/// Their pawns about to promote, by pushes and by captures.
pub(crate) fn k5() -> impl Strategy<Value = Placement> {
    let pawn = (0..8u8).prop_map(|file| at(Anchor::Square(Square::at(file, 1)), (0, 0), Man(THEIR, Some(Piece::Pawn))));
    let home = (0..8u8, man_of(OWN)).prop_map(|(file, man)| at(Anchor::Square(Square::at(file, 0)), (0, 0), man));
    sketch(kings(), vec(prop_oneof![pawn, home], 1..8), anywhere(any_man()), 8)
}

/// Men of both sides next to their king and on their home rank, own men that may capture them or leave,
/// and rooks about to castle that are attacked or pinned.
pub(crate) fn k6() -> impl Strategy<Value = Placement> {
    let guard = near(Anchor::TheirKing, -1..=1, -1..=1, any_man());
    let victim = (man_of(THEIR), 1..=3i8, own_man()).prop_map(|(victim, steps, man)| vec![(0, victim), (steps, man)]);
    let victim = line(Just(Anchor::TheirKing), 1, victim);
    let home =
        prop_oneof![any_man(), slider(OWN).prop_map(|Man(color, piece)| Man(color, piece.or(Some(Piece::Rook))))];
    let home = (0..8u8, home).prop_map(|(file, man)| at(Anchor::Square(Square::at(file, 7)), (0, 0), man));
    sketch(
        prop_oneof![1 => kings(), 2 => home_kings()],
        vec(prop_oneof![1 => guard, 2 => victim, 1 => home], 1..5),
        anywhere(prop_oneof![own_man(), any_man()]),
        6,
    )
}

/// Own pawns that attack zone squares, or will after a move.
pub(crate) fn k7() -> impl Strategy<Value = Placement> {
    let pawn = near(Anchor::TheirKing, -4..=4, -4..=1, a_man(OWN, Piece::Pawn));
    let victim = near(Anchor::TheirKing, -3..=3, -3..=1, man_of(THEIR));
    sketch(kings(), vec(prop_oneof![2 => pawn, 1 => victim], 1..8), anywhere(any_man()), 5)
}

/// Own king close to the zone.
pub(crate) fn k8() -> impl Strategy<Value = Placement> {
    let lines = line(zone(), 1, row(vec![any_man().boxed(), slider(OWN).boxed()]));
    sketch(close_kings(kings()), vec(lines, 0..2), anywhere(any_man()), 7)
}

/// Their sliders and pawns that see an own man, which moves along this line, away from it or past other men on it.
pub(crate) fn k9() -> impl Strategy<Value = Placement> {
    let square = || any_square().prop_map(Anchor::Square);
    let slider = line(square(), 0, row(vec![slider(THEIR).boxed(), own_man().boxed(), any_man().boxed()]));
    let pawn = (square(), row(vec![a_man(THEIR, Piece::Pawn).boxed(), own_man().boxed(), any_man().boxed()]))
        .prop_map(|(anchor, men)| Line { anchor, beside: (0, 0), direction: 2, men });
    sketch(kings(), vec(prop_oneof![slider, pawn], 1..4), anywhere(any_man()), 6)
}

/// Pawns of both sides everywhere, with something to capture: pushes freed and blocked, captures of
/// each other, en passant.
pub(crate) fn pawns() -> impl Strategy<Value = Placement> {
    let pawns = select(vec![Man(OWN, Some(Piece::Pawn)), Man(THEIR, Some(Piece::Pawn))]);
    let pawns =
        (0..8u8, 1..7u8, pawns).prop_map(|(file, rank, man)| at(Anchor::Square(Square::at(file, rank)), (0, 0), man));
    sketch(kings(), vec(pawns, 4..20), anywhere(any_man()), 8)
}

/// Men that are attacked and defended many times, and their own moves.
pub(crate) fn captures() -> impl Strategy<Value = Placement> {
    let square = Anchor::Square(Square::at(3, 4));
    let victim = select(vec![Piece::Queen, Piece::Queen, Piece::Rook, Piece::Knight, Piece::Pawn]);
    let victim = victim.prop_map(move |piece| at(square, (0, 0), Man(THEIR, Some(piece))));
    let around = line(Just(square), 0, row(vec![any_color().prop_flat_map(slider).boxed()]));
    let leaps = (select(&LEAPS[..]), any_color())
        .prop_map(move |(beside, color)| at(square, beside, Man(color, Some(Piece::Knight))));
    let lines = (victim, vec(prop_oneof![around, leaps], 0..16)).prop_map(|(victim, mut lines)| {
        lines.insert(0, victim);
        lines
    });
    sketch(kings(), lines, anywhere(any_man()), 2)
}

/// The greatest number of own men that go to one square, or of their men that defend a man there: sliders from all
/// sides, knights, the king. Their king hides in a corner, so few moves touch its zone.
pub(crate) fn crowds() -> impl Strategy<Value = Placement> {
    let square = (2..6u8, 2..5u8).prop_map(|(file, rank)| Square::at(file, rank));
    let victim = prop_oneof![2 => Just(None), 1 => select(&Piece::PROMOTIONS[..]).prop_map(Some)];
    (square, victim, 0..8usize).prop_flat_map(|(square, victim, king)| {
        let corner = [(0, -1, Piece::Pawn), (-1, -1, Piece::Pawn), (-1, 0, Piece::Rook)];
        let corner = corner.map(|(files, ranks, piece)| at(Anchor::TheirKing, (files, ranks), Man(THEIR, Some(piece))));
        let mut lines: Vec<_> = corner.map(|line| Just(line).boxed()).into();
        let (anchor, color) = (Anchor::Square(square), if victim.is_some() { THEIR } else { OWN });
        lines.extend(victim.map(|piece| Just(at(anchor, (0, 0), Man(THEIR, Some(piece)))).boxed()));
        for (direction, leap) in LEAPS.into_iter().enumerate() {
            let knight = Man(if direction == king { OWN } else { color }, Some(Piece::Knight));
            lines.push(Just(at(anchor, leap, knight)).boxed());
            if direction != king {
                let slider = row(vec![slider(color).boxed()]);
                lines.push(slider.prop_map(move |men| Line { anchor, beside: (0, 0), direction, men }).boxed());
            }
        }
        let kings = Kings::at(square, DIRECTIONS[king], Square::at(7, 7));
        sketch(Just(kings), lines.prop_shuffle(), anywhere(any_man()), 3)
    })
}

/// Own king in check, by sliders, knights and pawns, with men that may capture or come between.
pub(crate) fn checks() -> impl Strategy<Value = Placement> {
    let sliders = line(Just(Anchor::OwnKing), 0, row(vec![slider(THEIR).boxed()]));
    let pinned = line(Just(Anchor::OwnKing), 0, row(vec![own_man().boxed(), slider(THEIR).boxed()]));
    let leapers = select(vec![Piece::Knight, Piece::Pawn]).prop_map(|piece| Man(THEIR, Some(piece)));
    let leapers = near(Anchor::OwnKing, -2..=2, -2..=2, leapers);
    let lines = prop_oneof![3 => sliders, 2 => pinned, 1 => leapers];
    sketch(kings(), vec(lines, 1..4), anywhere(any_man()), 10)
}

/// Up to sixteen men a side, mostly queens, or mostly knights, or nearly all of any kind.
pub(crate) fn promoted() -> impl Strategy<Value = Placement> {
    let kinds = vec![Piece::Queen, Piece::Queen, Piece::Knight, Piece::Rook, Piece::Bishop];
    (select(kinds), select(vec![Piece::Queen, Piece::Knight, Piece::Rook])).prop_flat_map(|(own, their)| {
        let man = prop_oneof![4 => a_man(OWN, own), 4 => a_man(THEIR, their), 1 => any_man()];
        sketch(kings(), Just(Vec::new()), anywhere(man), 40)
    })
}
