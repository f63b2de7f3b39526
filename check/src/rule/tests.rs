//! The rule of a move says the same as the explanation of the move, and is among the rules of its position.

use std::collections::BTreeMap;

use kogge_board::{Fen, Square};

use super::*;
use crate::corpus::corpus;
use crate::explain::{Explanation, explain};

#[track_caller]
fn of_move(fen: &str, uci: &str) -> Rule {
    Rule::of_move(&fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}")), uci, None)
}

#[test]
fn names_are_tags_and_titles_are_words() {
    for rule in Rule::ALL {
        let (name, title) = (rule.name(), rule.title());
        assert!(name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')), "{name}");
        // The tag is the variant's name in kebab-case, as in JSON.
        let words = format!("{rule:?}").replace(|letter: char| letter.is_ascii_uppercase(), "-");
        let dashes = |text: &str| text.split('-').map(str::len).collect::<Vec<_>>();
        assert_eq!(name.replace('-', ""), format!("{rule:?}").to_lowercase());
        assert_eq!(dashes(name), dashes(&words)[1..].iter().map(|len| len + 1).collect::<Vec<_>>(), "{name}");
        assert!(title.len() > 6 && title.len() < 80 && !title.ends_with('.'), "{title}");
        assert_eq!(Rule::ALL[rule as usize], rule);
        assert_eq!(Rule::ALL.iter().filter(|other| other.name() == name || other.title() == title).count(), 1);
    }
}

#[test]
fn sets_hold_rules() {
    let set: RuleSet = Rule::ALL.into_iter().step_by(3).collect();
    for (index, rule) in Rule::ALL.into_iter().enumerate() {
        assert_eq!(set.contains(rule), index % 3 == 0, "{}", rule.name());
    }
    assert_eq!(set.iter().count(), set.len());
    assert!(RuleSet::default().is_empty() && RuleSet::default().first().is_none() && !set.is_empty());
}

#[test]
fn high_clocks_are_read() {
    let fen: Fen = "4k3/8/8/8/8/8/8/4K3 w - - 65535 1".parse().unwrap();
    assert!(rules_of(&fen).contains(Rule::FiftyMoves));
}

/// Missing and listed moves, at least one for each rule that a position alone shows.
const MOVES: &[(Rule, &str, &str)] = &[
    (Rule::FiftyMoves, "4k3/8/8/8/8/8/8/R3K3 w - - 100 90", "a1a5"),
    (Rule::ManyMoves, "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", "h8h7"),
    (Rule::GameOver, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "(none)"),
    (Rule::EnPassantUncoversRank, "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "e4d3"),
    (Rule::EnPassantUncoversFile, "3rk3/8/8/2pP4/8/8/8/3K4 w - c6 0 1", "d5c6"),
    // The pinned pawn stays on its diagonal.
    (Rule::EnPassantUncoversDiagonal, "4k3/1b6/8/2pP4/4K3/8/8/8 w - c6 0 1", "d5c6"),
    (Rule::EnPassantInCheck, "3b3k/8/8/3Pp3/7K/8/8/8 w - e6 0 1", "d5e6"),
    (Rule::EnPassantUncoversDiagonal, "6k1/8/8/8/1KpPp3/1Q6/8/8 b - d3 0 1", "c4d3"),
    (Rule::EnPassantInCheck, "4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1", "e5d6"),
    (Rule::EnPassantByEither, "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "c5d6"),
    (Rule::EnPassantTooLate, "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6"),
    (Rule::EnPassant, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
    (Rule::RightLostByKing, "4k3/8/8/8/8/8/8/3K3R w - - 0 1", "d1f1"),
    (Rule::RightLostByKingsideRook, "4k3/8/8/8/8/7R/8/4K3 w - - 0 1", "e1g1"),
    (Rule::RightLostByQueensideRook, "4k3/8/8/8/8/7R/8/4K3 w - - 0 1", "e1c1"),
    (Rule::KingsideRookCaptured, "4k3/8/8/8/8/8/8/4K2b w - - 0 1", "e1g1"),
    (Rule::QueensideRookCaptured, "N3k3/8/8/8/8/8/8/4K3 b - - 0 1", "e8c8"),
    (Rule::CastlingWithoutRight, "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1"),
    (Rule::CastlingBlocked, "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1"),
    (Rule::CastlingOutOfCheck, "4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1", "e1c1"),
    (Rule::CastlingThroughCheck, "3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"),
    (Rule::CastlingIntoCheck, "2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"),
    (Rule::Chess960RookUncovers, "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", "d1b1"),
    (Rule::Chess960KingStays, "4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1"),
    (Rule::Chess960RookStays, "4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1"),
    (Rule::Chess960Passing, "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"),
    (Rule::DoubleChess960, "1k5r/8/8/8/8/8/8/4K2R w Kk - 0 1", "e1g1"),
    (Rule::Chess960Castling, "4k3/8/8/8/8/8/8/3K3R w H - 0 1", "d1h1"),
    (Rule::CastlingRookAttacked, "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"),
    (Rule::CastlingKingside, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1"),
    (Rule::CastlingQueenside, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"),
    (Rule::DoubleCheck, "4r1k1/8/8/8/8/3n4/8/N3K3 w - - 0 1", "a1b3"),
    (Rule::CheckIgnored, "4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1", "a1b3"),
    (Rule::CheckCaptured, "4r1k1/8/8/8/B7/8/8/4K3 w - - 0 1", "a4e8"),
    (Rule::CheckBlocked, "4r1k1/8/8/8/8/8/R7/4K3 w - - 0 1", "a2e2"),
    (Rule::PinnedPawn, "4r1k1/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4"),
    (Rule::PinnedPawn, "6k1/8/8/8/8/2b5/3P4/4K3 w - - 0 1", "d2c3"),
    (Rule::PinOnFile, "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3"),
    (Rule::PinOnFile, "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2e5"),
    (Rule::PinOnRank, "6k1/8/8/8/8/8/8/r1N1K3 w - - 0 1", "c1b3"),
    (Rule::PinOnRank, "6k1/8/8/8/8/r3P2K/8/8 w - - 0 1", "e3e4"),
    (Rule::PinOnDiagonal, "6k1/8/8/8/1b6/8/3N4/4K3 w - - 0 1", "d2f3"),
    (Rule::PinOnDiagonal, "6k1/8/8/8/1b6/8/3P4/4K3 w - - 0 1", "d2d3"),
    (Rule::KingStaysOnLine, "4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "e1f1"),
    (Rule::KingTakesProtected, "4k3/8/8/8/8/7b/6n1/5K2 w - - 0 1", "f1g2"),
    (Rule::KingsTouch, "8/8/8/3k4/8/3K4/8/8 w - - 0 1", "d3d4"),
    (Rule::KingIntoAttack, "4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "e1e2"),
    (Rule::KingInCorner, "4k3/8/8/8/8/8/8/K7 w - - 0 1", "a1b2"),
    (Rule::KingInCorner, "4k3/8/8/8/8/8/8/K7 w - - 0 1", "a1h2"),
    (Rule::PromotionToFileA, "3r4/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7d8q"),
    (Rule::PromotionToFileH, "8/7K/8/8/8/8/4p2k/5R2 b - - 0 1", "e2f1q"),
    (Rule::UnderPromotion, "8/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7e8n"),
    (Rule::Promotion, "8/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7e8q"),
    (Rule::Promotion, "8/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e7e8"),
    (Rule::PawnAtEdge, "4k3/8/8/1p6/P7/8/8/4K3 w - - 0 1", "a4b5"),
    (Rule::PawnAtEdge, "4k3/8/8/p7/7P/8/8/4K3 w - - 0 1", "h4a5"),
    (Rule::KnightAtEdge, "4k3/8/8/8/N7/8/8/4K3 w - - 0 1", "a4b6"),
    (Rule::KnightAtEdge, "4k3/8/8/8/N7/8/8/4K3 w - - 0 1", "a4g5"),
    (Rule::AcrossBoard, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"),
    (Rule::DoublePush, "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4e6"),
    (Rule::DoublePush, "4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e4"),
    (Rule::DoublePush, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a4"),
    (Rule::PawnPush, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a3"),
    (Rule::PawnCapture, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2b3"),
    (Rule::KnightMoves, "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4d5"),
    (Rule::BishopMoves, "4k3/8/8/8/3B4/8/8/4K3 w - - 0 1", "d4e5"),
    (Rule::RookMoves, "4k3/8/8/8/3R4/8/8/4K3 w - - 0 1", "d4e5"),
    (Rule::QueenMoves, "4k3/8/8/8/3Q4/8/8/4K3 w - - 0 1", "d4e6"),
    (Rule::KingMoves, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2"),
    (Rule::WrongPiece, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e8e7"),
    (Rule::Notation, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Ke2"),
];

#[test]
fn wrong_moves_break_the_rule() {
    for &(rule, fen, uci) in MOVES {
        assert_eq!(of_move(fen, uci), rule, "{fen} {uci}");
    }
    // What shows one ply later needs the move before.
    let later: Vec<Rule> = LATER.iter().map(|&(rule, ..)| rule).collect();
    for rule in Rule::ALL {
        assert!(later.contains(&rule) || MOVES.iter().any(|&(other, ..)| other == rule), "{}", rule.name());
    }
}

/// A position, the move that is played there, and the illegal move that a program then lists.
const LATER: &[(Rule, &str, &str, &str)] = &[
    (Rule::PromotionTakesRight, "4k2r/6P1/8/8/8/8/8/4K3 w k - 0 1", "g7h8b", "e8g8"),
    (Rule::QueensideRookCaptured, "r3k3/8/8/8/4B3/8/8/4K3 w q - 0 1", "e4a8", "e8c8"),
    (Rule::KingsideRookCaptured, "4k2r/8/8/8/4B3/8/8/4K2R w Kk - 0 1", "h1h8", "e8g8"),
    (Rule::DiscoveredCheck, "4k3/p7/8/8/4B3/8/8/K3R3 w - - 0 1", "e4d5", "a7a6"),
    (Rule::DiscoveredCheckByKing, "4k3/p7/8/8/4K3/8/8/4R3 w - - 0 1", "e4d4", "a7a6"),
    (Rule::DiscoveredCheck, "8/p7/8/k3P2R/8/8/8/4K3 w - - 0 1", "e5e6", "a7a6"),
    (Rule::EnPassantGivesCheck, "8/p4k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1", "c5d6", "a7a6"),
    (Rule::CastlingGivesCheck, "5k2/p7/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "a7a6"),
];

#[test]
fn the_move_before_names_what_it_left() {
    for &(rule, fen, played, listed) in LATER {
        let parent: Fen = fen.parse().unwrap();
        let played = LegalMoves::of(&parent.rules, &parent.position).parse_uci(played).unwrap();
        let here = parent.play(played);
        assert_eq!(Rule::of_move(&here, listed, Some((&parent, played))), rule, "{fen} {played:?} {listed}");
        assert!(rules_of(&parent).contains(rule), "{fen}");
    }
}

/// What `explain` says about castling, and the rules that it may mean.
const CASTLING: &[(&str, &[Rule])] = &[
    (
        "does not have the right",
        &[
            Rule::CastlingWithoutRight,
            Rule::RightLostByKing,
            Rule::RightLostByKingsideRook,
            Rule::RightLostByQueensideRook,
            Rule::KingsideRookCaptured,
            Rule::QueensideRookCaptured,
        ],
    ),
    ("stands between king and rook", &[Rule::CastlingBlocked]),
    ("castle out of check", &[Rule::CastlingOutOfCheck]),
    ("castle into check", &[Rule::CastlingIntoCheck]),
    ("castle through", &[Rule::CastlingThroughCheck]),
    ("leaves the king open", &[Rule::Chess960RookUncovers]),
];

/// What `explain` says about the king's safety, and the rules that it may mean.
const SAFETY: &[(&str, &[Rule])] = &[
    ("together, so only the king", &[Rule::DoubleCheck]),
    ("does not capture it", &[Rule::CheckIgnored, Rule::EnPassantInCheck]),
    ("would stay on", &[Rule::KingStaysOnLine]),
    (" protect", &[Rule::KingTakesProtected]),
    (" attack", &[Rule::KingsTouch, Rule::KingIntoAttack]),
    ("both pawns leave rank", &[Rule::EnPassantUncoversRank]),
    ("the pawn leaves rank", &[Rule::EnPassantUncoversRank]),
    ("the pawn leaves the diagonal", &[Rule::EnPassantUncoversDiagonal]),
    ("both pawns leave the diagonal", &[Rule::EnPassantUncoversDiagonal]),
    ("the pawn leaves the", &[Rule::EnPassantUncoversFile]),
    ("must stay on rank", &[Rule::PinOnRank]),
    ("must stay on the diagonal", &[Rule::PinOnDiagonal]),
    ("must stay on the", &[Rule::PinOnFile]),
];

/// Asks for every pair of squares of every position of the corpus.
#[test]
fn rules_agree_with_explanations_and_with_rules_of_the_position() {
    let mut found: BTreeMap<Rule, usize> = BTreeMap::new();
    for position in corpus() {
        let fen = position.fen;
        let own = fen.position.of(fen.position.turn());
        let squares = || (0..64).filter_map(Square::new);
        let pairs = squares().filter(|from| own & from.bit() != 0).flat_map(|from| squares().map(move |to| (from, to)));
        let mut has_moves = false;
        for (from, to) in pairs {
            let is_promoted = fen.position.pawns & from.bit() != 0 && matches!(to.rank(), 0 | 7);
            let uci = format!("{from}{to}{}", if is_promoted { "q" } else { "" });
            let rule = Rule::of_move(&fen, &uci, None);
            let Explanation { legal, text, .. } = explain(&fen, &uci);
            has_moves |= legal;
            let find = |list: &'static [(&str, &[Rule])]| list.iter().find(|(words, _)| text.contains(words));
            let (castling, safety) = (find(CASTLING), find(SAFETY));
            if legal || castling.is_none() && safety.is_some() {
                assert!(position.rules.contains(rule), "{fen} {uci}: {} not among {}", rule.name(), position.rules);
            }
            if let Some((_, expected)) = castling.or(safety).filter(|_| !legal) {
                assert!(expected.contains(&rule), "{fen} {uci}: {} and {text}", rule.name());
                *found.entry(rule).or_default() += 1;
            }
        }
        assert_eq!(has_moves, !position.rules.contains(Rule::GameOver), "{fen}");
    }
    for &rule in CASTLING.iter().chain(SAFETY).flat_map(|&(_, rules)| rules) {
        assert!(found.get(&rule).is_some_and(|&found| found >= 2), "{}: {found:?}", rule.name());
    }
}

/// A mirrored position tests the same rules with the colours exchanged.
#[test]
fn both_colours_have_the_same_rules() {
    for position in corpus() {
        let fen = position.fen;
        let mut rules = fen.rules;
        rules.castling_files.rotate_left(2);
        let mut mirrored = Fen::new(fen.position.mirrored(), rules);
        mirrored.halfmove_clock = fen.halfmove_clock;
        mirrored.passed = fen.passed.map(Square::flip);
        assert_eq!(rules_of(&mirrored), position.rules, "{fen} and {mirrored}");
    }
}
