//! The sighting of a fault: its kind and its rule, as far as a single answer shows them.

use kogge_board::{Fen, Move, MoveKind, Piece, Square};
use kogge_movegen_cpu::LegalMoves;

use super::ask::Compared;
use super::fault::{FaultKind, Question, after};
use crate::error::EngineError;
use crate::rule::Rule;

/// The greatest depth at which a wrong count is blamed on taking moves back. A tree of this depth has no transpositions, so a hash table
/// has no effect.
pub(super) const WITHOUT_TRANSPOSITIONS: u32 = 3;

/// A fault as a wrong answer shows it.
#[derive(Clone)]
pub(super) struct Sighting {
    pub(super) kind: FaultKind,
    pub(super) rule: Option<Rule>,
    pub(super) mark: Option<Mark>,
    pub(super) question: Question,
    /// A sentence, for faults without wrong moves.
    pub(super) reason: Option<String>,
    /// Whether the same question shows the fault again.
    pub(super) is_steady: bool,
}

impl Sighting {
    /// A fault without wrong moves; `reason` is a sentence.
    pub(super) fn plain(kind: FaultKind, question: &Question, reason: impl Into<String>) -> Self {
        let reason = Some(reason.into());
        Self { kind, rule: None, mark: None, question: question.clone(), reason, is_steady: true }
    }

    /// Counts that depend on what was counted before. `is_steady` is whether the question shows it in a fresh process.
    pub(super) fn hash(question: &Question, how: &str, is_steady: bool) -> Self {
        let reason = format!(
            "{how}: the counts depend on what was counted before. Look for a hash table whose key or depth is incomplete."
        );
        Self { is_steady, ..Self::plain(FaultKind::Hash, question, reason) }
    }

    /// A failure of a kind that has been looked into before.
    pub(super) fn known(kind: FaultKind, question: &Question, error: &EngineError) -> Self {
        Self { is_steady: false, ..Self::plain(kind, question, error.to_string()) }
    }
}

/// A wrong move, as far as it stays the same while its position is made smaller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// The move is illegal, and this rule forbids it.
    Illegal(Rule),
    /// A move of this piece and this kind is missing. The rule shows only in the smallest position, because a move can be missing
    /// for several reasons.
    Missing(Piece, MoveKind),
}

impl Mark {
    /// The mark of a wrong move in the answer to a question.
    pub(super) fn of(question: &Question, here: &Fen, name: &str) -> Self {
        let mover = |played: Move| here.position.piece_at(played.from()).map(|(_, piece)| (piece, played.kind()));
        match named(&question.root, here, name).and_then(mover) {
            Some((piece, kind)) => Self::Missing(piece, kind),
            None => Self::Illegal(rule_of(question, name)),
        }
    }
}

/// The kind of fault that makes a program fail.
pub(super) fn kind_of(error: &EngineError) -> FaultKind {
    match error {
        EngineError::Silent { .. } | EngineError::Endless { .. } => FaultKind::Hang,
        EngineError::Answer { .. } => FaultKind::Answer,
        _ => FaultKind::Crash,
    }
}

/// The legal move with this name.
pub(super) fn named(root: &Fen, here: &Fen, name: &str) -> Option<Move> {
    let chess960 = root.is_chess960();
    LegalMoves::of(&here.rules, &here.position).find(|played| played.uci(&root.rules, chess960) == *name)
}

/// The rule that a wrong move in the answer to a question breaks.
pub(super) fn rule_of(question: &Question, name: &str) -> Rule {
    let here = question.here();
    if is_passed_by_one_step(question, &here, name) {
        return Rule::EnPassantTooLate;
    }
    // The move that took a castling right may lie several plies back.
    let played = question.line.iter().enumerate().rev();
    let mut rules = played.map(|(index, played)| {
        Rule::of_move(&here, name, Some((&after(&question.root, &question.line[..index]), *played)))
    });
    match rules.next() {
        None => Rule::of_move(&here, name, None),
        Some(Rule::CastlingWithoutRight) => {
            rules.find(|rule| *rule != Rule::CastlingWithoutRight).unwrap_or(Rule::CastlingWithoutRight)
        }
        Some(rule) => rule,
    }
}

/// Whether a pawn captures another one on the square that this has just left with a single step, as if it were en passant.
fn is_passed_by_one_step(question: &Question, here: &Fen, name: &str) -> bool {
    let Some(last) = question.line.last() else { return false };
    let is_pawn = |square| here.position.pawns & Square::bit(square) != 0;
    let Some(from) = name.get(..2).and_then(|from| from.parse().ok()) else { return false };
    last.kind() == MoveKind::Quiet
        && is_pawn(last.to())
        && is_pawn(from)
        && name.get(2..) == Some(&last.from().to_string())
}

/// The sentence about what an answer shows by itself, whatever the position.
pub(super) fn sentence(kind: FaultKind, compared: &Compared) -> Option<String> {
    match kind {
        FaultKind::Sum => {
            let (sum, stated) = compared.sum?;
            Some(format!("Its counts add up to {sum}, but it says {stated}."))
        }
        FaultKind::Repeated => {
            let (name, _) = compared.differences.repeated.first()?;
            Some(format!("{name} is listed more than once; a move must be generated once."))
        }
        FaultKind::Answer => {
            let line = compared.unread.as_ref().filter(|_| compared.is_garbled())?;
            Some(format!("Its line {line:?} cannot be read; expected a line such as \"e2e4: 20\"."))
        }
        _ => None,
    }
}

/// Returns one sighting for each rule that the wrong moves break.
pub(super) fn sightings(kind: FaultKind, question: &Question, compared: &Compared) -> Vec<Sighting> {
    let here = question.here();
    let mut found: Vec<Sighting> = Vec::new();
    let mut add = |kind, rule, mark, reason| {
        if !found.iter().any(|seen| seen.kind == kind && seen.rule == rule) {
            found.push(Sighting { kind, rule, mark, question: question.clone(), reason, is_steady: true });
        }
    };
    // Without the promotion to a queen, the other promotions of this move are no news; nor are promotions without their letters.
    let is_news = |name: &&str| match name.split_at_checked(4) {
        Some((squares, promotion @ ("q" | "r" | "b" | "n"))) => !compared
            .wrong_moves()
            .any(|other| other == squares || promotion != "q" && other.strip_suffix('q') == Some(squares)),
        _ => true,
    };
    // A move is not missing if its line could not be read.
    let has_unread = compared.is_garbled() && compared.differences.only_second.is_empty();
    for name in compared.wrong_moves().filter(|_| !has_unread).filter(is_news) {
        add(kind, Some(rule_of(question, name)), Some(Mark::of(question, &here, name)), None);
    }
    for kind in [FaultKind::Repeated, FaultKind::Answer] {
        if let Some(reason) = sentence(kind, compared) {
            add(kind, None, None, Some(reason));
        }
    }
    found
}

/// Names the fault of counts that are wrong only inside a tree.
pub(super) fn inside_a_tree(question: &Question, compared: &Compared) -> Sighting {
    let depth = question.depth;
    if depth > WITHOUT_TRANSPOSITIONS {
        let reason = format!(
            "Asked alone, every position after one move is right, and the tree of {depth} plies is wrong, but no smaller one is. Look for \
             a hash table whose key or depth is incomplete."
        );
        return Sighting::plain(FaultKind::Hash, question, reason);
    }
    let reason = format!(
        "Asked alone, every position after one move is right, and the tree of {depth} plies is wrong: a move is taken back \
         incompletely, or is not made in the tree as in a game."
    );
    Sighting { rule: taken_back(question, compared), ..Sighting::plain(FaultKind::Undo, question, reason) }
}

/// Names the rule of the last rare move before the first wrong count, because this move was probably taken back incompletely. If there is
/// none, and the wrong counts are those of rare moves of one rule, it is this rule.
pub(super) fn taken_back(question: &Question, compared: &Compared) -> Option<Rule> {
    let here = question.here();
    let rule = |name: &String| match named(&question.root, &here, name)?.kind() {
        MoveKind::EnPassant => Some(Rule::EnPassant),
        MoveKind::CastleKingside => Some(Rule::CastlingKingside),
        MoveKind::CastleQueenside => Some(Rule::CastlingQueenside),
        MoveKind::Promotion(_) | MoveKind::CapturePromotion(_) => Some(Rule::Promotion),
        MoveKind::Quiet | MoveKind::Capture | MoveKind::DoublePush => None,
    };
    let wrong = compared.differences.counts.iter().map(|(name, ..)| name);
    let first = wrong.clone().filter_map(|name| compared.order.iter().position(|other| other == name)).min()?;
    let before = compared.order[..first].iter().rev().find_map(rule);
    before.or_else(|| {
        let mut rules = wrong.map(rule);
        let first = rules.next()??;
        rules.all(|other| other == Some(first)).then_some(first)
    })
}
