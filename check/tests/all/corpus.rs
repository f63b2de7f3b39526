//! The built-in positions are legal, different, small enough, and test every rule.

use std::collections::HashSet;

use kogge_board::{Color, MoveKind, Piece};
use kogge_check::{CorpusPosition, Rule, RuleSet, corpus, rules_of};
use kogge_movegen_cpu::LegalMoves;

/// The lines of the file that hold positions.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../../data/corpus.epd").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once("; ").unwrap_or_else(|| panic!("{line}")))
}

/// The rules that positions test; the other two are about text.
fn tested() -> impl Iterator<Item = Rule> {
    Rule::ALL.into_iter().filter(|rule| !matches!(rule, Rule::WrongPiece | Rule::Notation))
}

#[test]
fn every_line_is_a_legal_position_with_its_rule() {
    let positions = corpus();
    assert!((1_900..2_100).contains(&positions.len()), "{}", positions.len());
    assert_eq!(positions.len(), lines().count());
    let mut seen = HashSet::new();
    for (CorpusPosition { fen, rules }, (text, tag)) in positions.iter().zip(lines()) {
        assert_eq!(fen.position.check(&fen.rules), Ok(()), "{text}");
        let full = if text.split(' ').count() == 4 { format!("{text} 0 1") } else { text.to_owned() };
        assert_eq!(fen.to_string(), full);
        assert_eq!(*rules, rules_of(fen), "{text}");
        assert!(rules.iter().any(|rule| rule.name() == tag), "{text}: {tag} not among {rules}");
        assert!(seen.insert((fen.position, fen.passed, fen.rules)), "{text} twice");
    }
    assert!(include_str!("../../data/corpus.epd").len() < 160_000);
}

#[test]
fn every_rule_has_its_share() {
    let positions = corpus();
    for rule in tested() {
        let of_rule: Vec<_> = positions.iter().filter(|position| position.rules.contains(rule)).collect();
        let chosen = lines().filter(|(_, tag)| *tag == rule.name()).count();
        assert!(of_rule.len() >= 30 && chosen >= 30, "{}: {} and {chosen}", rule.name(), of_rule.len());
        for color in Color::ALL {
            let of_color = of_rule.iter().filter(|position| position.fen.position.turn() == color).count();
            assert!(of_color >= 8, "{}: {of_color} with {color} to move", rule.name());
        }
        let is_chess960 = rule.name().contains("chess960");
        let orthodox = of_rule.iter().filter(|position| !position.fen.is_chess960()).count();
        assert!(is_chess960 || orthodox >= 30, "{}: {orthodox} of orthodox chess", rule.name());
    }
}

#[test]
fn prefixes_cover_the_rules() {
    let positions = corpus();
    let prefix = |len: usize| {
        let mut rules = RuleSet::default();
        positions.iter().take(len).for_each(|position| rules.insert_all(position.rules));
        rules.len()
    };
    assert_eq!(prefix(150), tested().count());
    // Every rule is the reason for a line in each sixteenth of the file.
    for chunk in lines().collect::<Vec<_>>().chunks(positions.len() / 16) {
        let tags: HashSet<_> = chunk.iter().map(|&(_, tag)| tag).collect();
        assert!(tags.len() == tested().count() || chunk.len() < positions.len() / 16, "{}", tags.len());
    }
}

#[test]
fn half_of_the_positions_are_small() {
    let positions = corpus();
    let men = |position: &CorpusPosition| position.fen.position.occupied().count_ones();
    let small = positions.iter().filter(|position| men(position) <= 10).count();
    let full = positions.iter().filter(|position| men(position) >= 24).count();
    let cheap = positions.iter().filter(|position| leaves_two_plies_below(position) < 200).count();
    assert!(small * 2 >= positions.len() && full > 200 && cheap > 600, "{small} {full} {cheap}");
}

fn leaves_two_plies_below(CorpusPosition { fen, .. }: &CorpusPosition) -> usize {
    let replies = |played| LegalMoves::of(&fen.rules, &fen.position.play(&fen.rules, played)).count();
    LegalMoves::of(&fen.rules, &fen.position).map(replies).sum()
}

#[test]
fn rare_kinds_of_positions_are_there() {
    let positions = corpus();
    let moves =
        |position: &CorpusPosition| LegalMoves::of(&position.fen.rules, &position.fen.position).collect::<Vec<_>>();
    let count = |holds: &dyn Fn(&CorpusPosition) -> bool| positions.iter().filter(|position| holds(position)).count();
    let is_check = |position: &CorpusPosition| position.fen.position.checkers() != 0;
    assert!(count(&|position| moves(position).is_empty() && is_check(position)) >= 8, "mates");
    assert!(count(&|position| moves(position).is_empty() && !is_check(position)) >= 8, "stalemates");
    assert!(count(&|position| moves(position).len() == 218) >= 2);
    for pawns in [1, 2] {
        let is_only = |position: &CorpusPosition| {
            let moves = moves(position);
            moves.len() == pawns && moves.iter().all(|played| played.kind() == MoveKind::EnPassant)
        };
        assert!(count(&|position| is_check(position) && is_only(position)) >= 5, "only evasions by {pawns}");
    }
    for piece in [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::King] {
        let discovers = |position: &CorpusPosition| {
            let fen = &position.fen;
            moves(position).into_iter().filter(|played| !played.is_castling()).any(|played| {
                let is_piece = fen.position.kind(piece) & played.from().bit() != 0;
                is_piece && fen.position.play(&fen.rules, played).checkers() & !played.to().bit() != 0
            })
        };
        assert!(count(&discovers) >= 8, "checks discovered by {piece:?}");
    }
}
