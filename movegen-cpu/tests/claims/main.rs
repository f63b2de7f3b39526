//! The claims K1 to K9 behind two plies in closed form (`src/replies.rs`), and the values that it adds
//! up: each attacked by positions made to violate it.
//!
//! All variants count two plies below each position, below each of its successors, and three plies
//! below it. What they must find are the successors that `expand` writes, counted one by one, which is
//! code that makes no such claims.

mod sketch;
#[path = "../variants/mod.rs"]
mod variants;

use std::cell::RefCell;

use kogge_board::testing::{Placement, placement};
use kogge_board::{Backend, Color, Fen, Piece, Quad48, Rules, Square};
use kogge_movegen_cpu::{count, expand};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use sketch::*;
use variants::Variants;

const OWN: Color = Color::White;
const THEIR: Color = Color::Black;

thread_local! {
    static VARIANTS: RefCell<Variants> = RefCell::new(Variants::new(Some(1)));
}

/// Leaves two plies below a position.
fn replies(rules: &Rules, position: &Quad48) -> u64 {
    let mut successors = Vec::new();
    expand(rules, position, &mut successors);
    successors.iter().map(|successor| u64::from(count(rules, successor))).sum()
}

/// Holds all variants against counting one by one.
fn attack((rules, position): &Placement) {
    let root = Quad48::from(position);
    let fen = Fen::new(*position, *rules);
    let mut successors = Vec::new();
    expand(rules, &root, &mut successors);
    VARIANTS.with_borrow_mut(|variants| {
        let mut perft = |positions: &[Quad48], depth| {
            variants.perft(rules, positions, depth).unwrap_or_else(|error| panic!("{fen}: {error}"))
        };
        assert_eq!(perft(&[root], 2), [replies(rules, &root)], "two plies below {fen}");
        // Boards full of queens have too many.
        if successors.len() <= 60 {
            let expected: Vec<u64> = successors.iter().map(|successor| replies(rules, successor)).collect();
            assert_eq!(perft(&successors, 2), expected, "two plies below each successor of {fen}");
            assert_eq!(perft(&[root], 3), [expected.iter().sum()], "three plies below {fen}");
        }
    });
}

/// Men with one to three steps from each to the next.
fn row(men: Vec<BoxedStrategy<Man>>) -> impl Strategy<Value = Vec<(i8, Man)>> {
    men.into_iter().map(|man| (1..=3i8, man).boxed()).collect::<Vec<_>>()
}

/// Their king, or their home rank, where the castling path is.
fn zone() -> impl Strategy<Value = Anchor> {
    prop_oneof![2 => Just(Anchor::TheirKing), 1 => (0..8u8).prop_map(|file| Anchor::Square(Square::at(file, 7)))]
}

fn a_man(color: Color, piece: Piece) -> Just<Man> {
    Just(Man(color, Some(piece)))
}

/// Any man of one colour.
fn man_of(color: Color) -> impl Strategy<Value = Man> {
    any_man().prop_map(move |Man(_, piece)| Man(color, piece))
}

/// Sliders that take part in several attacks on zone squares, each blocked or lost by a single move.
fn k1() -> impl Strategy<Value = Placement> {
    let attack = line(zone(), 1, row(vec![slider(OWN).boxed()]));
    sketch(kings(), vec(attack, 1..5), anywhere(prop_oneof![3 => own_man(), 1 => any_man()]), 6)
}

/// Sliders behind an own man, or behind two men, before a zone square.
fn k2() -> impl Strategy<Value = Placement> {
    let one = row(vec![own_man().boxed(), slider(OWN).boxed()]);
    let two = row(vec![own_man().boxed(), any_man().boxed(), slider(OWN).boxed()]);
    let lines = prop_oneof![3 => line(zone(), 1, one), 1 => line(zone(), 1, two)];
    sketch(kings(), vec(lines, 1..4), anywhere(any_man()), 6)
}

/// Few men, so that moves come to attack zone squares that nothing attacked.
fn k3() -> impl Strategy<Value = Placement> {
    let knight = near(Anchor::TheirKing, -4..=4, -4..=4, a_man(OWN, Piece::Knight));
    sketch(kings(), vec(knight, 0..3), anywhere(prop_oneof![2 => own_man(), 1 => any_man()]), 6)
}

/// One, two or three men between their king and an own slider, on many lines at once; sliders that may
/// land behind a man.
fn k4() -> impl Strategy<Value = Placement> {
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
fn k5() -> impl Strategy<Value = Placement> {
    let pawn = (0..8u8).prop_map(|file| at(Anchor::Square(Square::at(file, 1)), (0, 0), Man(THEIR, Some(Piece::Pawn))));
    let home = (0..8u8, man_of(OWN)).prop_map(|(file, man)| at(Anchor::Square(Square::at(file, 0)), (0, 0), man));
    sketch(kings(), vec(prop_oneof![pawn, home], 1..8), anywhere(any_man()), 8)
}

/// Men of both sides next to their king and on their home rank, own men that may capture them or leave.
fn k6() -> impl Strategy<Value = Placement> {
    let guard = near(Anchor::TheirKing, -1..=1, -1..=1, any_man());
    let home = (0..8u8, any_man()).prop_map(|(file, man)| at(Anchor::Square(Square::at(file, 7)), (0, 0), man));
    sketch(
        prop_oneof![1 => kings(), 2 => home_kings()],
        vec(prop_oneof![guard, home], 1..6),
        anywhere(prop_oneof![own_man(), any_man()]),
        8,
    )
}

/// Own pawns that attack zone squares, or will when they have moved.
fn k7() -> impl Strategy<Value = Placement> {
    let pawn = near(Anchor::TheirKing, -4..=4, -4..=1, a_man(OWN, Piece::Pawn));
    let victim = near(Anchor::TheirKing, -3..=3, -3..=1, man_of(THEIR));
    sketch(kings(), vec(prop_oneof![2 => pawn, 1 => victim], 1..8), anywhere(any_man()), 5)
}

/// Own king close to what theirs wants.
fn k8() -> impl Strategy<Value = Placement> {
    let lines = line(zone(), 1, row(vec![any_man().boxed(), slider(OWN).boxed()]));
    sketch(close_kings(kings()), vec(lines, 0..2), anywhere(any_man()), 7)
}

/// Their sliders and pawns that see an own man, which moves along their line, away from it or past
/// others on it.
fn k9() -> impl Strategy<Value = Placement> {
    let square = || any_square().prop_map(Anchor::Square);
    let slider = line(square(), 0, row(vec![slider(THEIR).boxed(), own_man().boxed(), any_man().boxed()]));
    let pawn = (square(), row(vec![a_man(THEIR, Piece::Pawn).boxed(), own_man().boxed(), any_man().boxed()]))
        .prop_map(|(anchor, men)| Line { anchor, beside: (0, 0), direction: 2, men });
    sketch(kings(), vec(prop_oneof![slider, pawn], 1..4), anywhere(any_man()), 6)
}

/// Pawns of both sides everywhere, with something to capture: pushes freed and blocked, captures of
/// each other, en passant.
fn pawns() -> impl Strategy<Value = Placement> {
    let pawns = select(vec![Man(OWN, Some(Piece::Pawn)), Man(THEIR, Some(Piece::Pawn))]);
    let pawns =
        (0..8u8, 1..7u8, pawns).prop_map(|(file, rank, man)| at(Anchor::Square(Square::at(file, rank)), (0, 0), man));
    sketch(kings(), vec(pawns, 4..20), anywhere(any_man()), 8)
}

/// Men attacked and defended many times over, and what they would do themselves.
fn captures() -> impl Strategy<Value = Placement> {
    let square = Anchor::Square(Square::at(3, 4));
    let victim = select(vec![Piece::Queen, Piece::Queen, Piece::Rook, Piece::Knight, Piece::Pawn]);
    let victim = victim.prop_map(move |piece| at(square, (0, 0), Man(THEIR, Some(piece))));
    let around = line(Just(square), 0, row(vec![any_color().prop_flat_map(slider).boxed()]));
    let leaps = select(vec![(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
    let leaps =
        (leaps, any_color()).prop_map(move |(beside, color)| at(square, beside, Man(color, Some(Piece::Knight))));
    let lines = (victim, vec(prop_oneof![around, leaps], 0..16)).prop_map(|(victim, mut lines)| {
        lines.insert(0, victim);
        lines
    });
    sketch(kings(), lines, anywhere(any_man()), 2)
}

/// Own king in check, by sliders, knights and pawns, with men that may capture or come between.
fn checks() -> impl Strategy<Value = Placement> {
    let sliders = line(Just(Anchor::OwnKing), 0, row(vec![slider(THEIR).boxed()]));
    let pinned = line(Just(Anchor::OwnKing), 0, row(vec![own_man().boxed(), slider(THEIR).boxed()]));
    let leapers = select(vec![Piece::Knight, Piece::Pawn]).prop_map(|piece| Man(THEIR, Some(piece)));
    let leapers = near(Anchor::OwnKing, -2..=2, -2..=2, leapers);
    let lines = prop_oneof![3 => sliders, 2 => pinned, 1 => leapers];
    sketch(kings(), vec(lines, 1..4), anywhere(any_man()), 10)
}

/// Up to sixteen men a side, mostly queens, or mostly knights, or nearly all of any kind.
fn promoted() -> impl Strategy<Value = Placement> {
    let kinds = vec![Piece::Queen, Piece::Queen, Piece::Knight, Piece::Rook, Piece::Bishop];
    (select(kinds), select(vec![Piece::Queen, Piece::Knight, Piece::Rook])).prop_flat_map(|(own, their)| {
        let man = prop_oneof![4 => a_man(OWN, own), 4 => a_man(THEIR, their), 1 => any_man()];
        sketch(kings(), Just(Vec::new()), anywhere(man), 40)
    })
}

macro_rules! attack {
    ($($name:ident by $strategy:ident)*) => {
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
    k1_blocked_attacks by k1
    k2_discovered_attacks by k2
    k3_new_attacks by k3
    k4_pins by k4
    k5_promotions by k5
    k6_men_next_to_the_king_and_castling by k6
    k7_pawns_attacks by k7
    k8_kings_attacks by k8
    k9_moves_along_lines by k9
    values_of_pawns by pawns
    values_of_captures by captures
    evasions by checks
    promoted_men by promoted
    anything by placement
}
