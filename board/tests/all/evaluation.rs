//! The evaluation: each set of squares, the table of terms, and its symmetries.

use kogge_board::evaluation::{FEATURES, Feature, TEMPO, TERMS, evaluate, features};
use kogge_board::{Fen, Quad48, Score, Square};
use kogge_testkit::placement;
use proptest::prelude::*;

fn of_white(fen: &str) -> [u64; FEATURES] {
    let fen: Fen = fen.parse().unwrap();
    features(&Quad48::from(&fen.position))[0]
}

#[track_caller]
fn assert_feature(fen: &str, feature: Feature, squares: &[&str]) {
    let expected = squares.iter().map(|square| square.parse::<Square>().unwrap().bit());
    let expected = expected.fold(0, |board, bit| board | bit);
    let found = of_white(fen)[feature as usize];
    assert_eq!(found, expected, "{feature:?} of {fen}: {found:#x}");
}

#[test]
fn pawns() {
    let fen = "4k3/p1p5/4p3/1P6/4P2P/2P5/2P3P1/4K3 w - - 0 1";
    assert_feature(fen, Feature::PassedPawns, &["g2", "h4"]);
    assert_feature(fen, Feature::IsolatedPawns, &["e4"]);
    assert_feature(fen, Feature::DoubledPawns, &["c3"]);
    assert_feature("4k3/8/8/8/3PN3/4PP2/8/4K3 w - - 0 1", Feature::ProtectedPawns, &["d4"]);
    assert_feature("4k3/8/8/8/3PN3/4PP2/8/4K3 w - - 0 1", Feature::ProtectedMinors, &["e4"]);
}

#[test]
fn pieces() {
    let fen = "4k3/p6p/8/8/8/8/P6p/RR1BBKB1 w - - 0 1";
    assert_feature(fen, Feature::RooksOnHalfOpenFiles, &["b1"]);
    assert_feature(
        "4k3/7p/8/8/8/8/8/R6R w - - 0 1".replace("R6R", "R3K2R").as_str(),
        Feature::RooksOnOpenFiles,
        &["a1"],
    );
    assert_feature(fen, Feature::BishopPair, &["e1", "g1"]);
    assert_feature("4k3/8/8/8/4P3/6PP/5P1P/6K1 w - - 0 1", Feature::KingShield, &["f2", "h2", "g3", "h3"]);
    assert_feature("4k3/8/8/3p4/8/8/8/1N2K3 w - - 0 1", Feature::KnightMobility, &["a3", "c3", "d2"]);
    assert_feature("4k3/8/4p3/8/3P4/2B5/8/4K3 w - - 0 1", Feature::DiagonalMobility, &["a1", "b2", "d2", "b4", "a5"]);
    assert_feature("4k3/8/8/8/8/1R6/8/4K3 w - - 0 1", Feature::KingAttack, &[]);
    assert_feature("4k3/1R6/8/8/8/8/8/4K3 w - - 0 1", Feature::KingAttack, &["d7", "e7", "f7"]);
    assert_feature("4k3/8/3nnp2/4P3/8/8/8/4K3 w - - 0 1", Feature::PawnThreats, &["d6"]);
    assert_feature("4k3/2p5/3n1p2/8/8/8/8/3R1RK1 w - - 0 1", Feature::Threats, &["f6"]);
}

#[test]
fn a_lone_minor_piece_cannot_mate() {
    for (fen, is_draw) in [
        ("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", true),
        ("4k1b1/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KBN1 w - - 0 1", false),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", false),
    ] {
        let fen: Fen = fen.parse().unwrap();
        assert_eq!(evaluate(&Quad48::from(&fen.position)) == Score::DRAW, is_draw, "{fen}");
    }
}

#[test]
fn terms_are_in_order_and_meet_the_board() {
    assert!(TERMS.iter().all(|term| term.squares != 0));
    assert!(TERMS.is_sorted_by_key(|term| term.feature as u8));
    for feature in 0..FEATURES {
        assert!(TERMS.iter().any(|term| term.feature as usize == feature), "feature {feature} has a weight");
    }
}

proptest! {
    /// The evaluation of a position equals the evaluation of the position with exchanged colours.
    #[test]
    fn colours_are_equal((_, position) in placement()) {
        let mirrored = Quad48::from(&position.mirrored());
        prop_assert_eq!(evaluate(&Quad48::from(&position)), evaluate(&mirrored));
    }

    /// The values for the two sides are opposite, except for the tempo.
    #[test]
    fn sides_see_the_opposite((_, position) in placement()) {
        let mut other = position;
        other.state = position.state.with_turn(position.turn().opposite());
        let [here, there] = [position, other].map(|position| evaluate(&Quad48::from(&position)));
        if here != Score::DRAW {
            prop_assert_eq!(here.value() - TEMPO, -(there.value() - TEMPO));
        }
    }

    /// Any 64-bit word is a set of squares, so nothing overflows.
    #[test]
    fn no_words_overflow(words in any::<[u64; 6]>()) {
        let [white, pawns, knights, bishops_queens, rooks_queens, kings] = words;
        let found = evaluate(&Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings });
        prop_assert!(found.value().abs() <= Score::MOST_CENTIPAWNS);
    }
}
