//! The order in which moves are tried, the most promising first.
//!
//! The generator orders captures by MVV-LVA: most valuable victim, then least valuable attacker. The search's order is: the
//! move from the transposition table, captures that do not lose material, killers (quiet moves that refuted a sibling of
//! this position), other quiet moves by their number of refutations (the history heuristic), and captures that lose
//! material.

use kogge_board::attacks::Sides;
use kogge_board::{Piece, Quad48};

use crate::exchange::{VALUES, exchange, kind};

/// A successor with its rank, before it is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The rank: the greatest score comes first.
    pub(crate) score: i32,
    /// The index of the successor.
    pub(crate) index: u16,
    /// The squares and the kind of piece.
    pub(crate) step: Step,
}

/// A move for killers and history: from and to in 12 bits, and the kind of piece in 3.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Step(u16);

impl Step {
    #[inline]
    pub(crate) fn between(before: &Quad48, own: u64, after: &Quad48) -> Self {
        let (from, to) = squares(own, after);
        let kind = kind(before, from) as u16;
        Self((from.trailing_zeros() & 63) as u16 | ((to.trailing_zeros() & 63) as u16) << 6 | kind << 12)
    }

    #[inline]
    fn squares(self) -> usize {
        usize::from(self.0 & 0xfff)
    }

    /// Returns an index below [`TARGETS`] for the kind of piece and its destination.
    #[inline]
    fn target(self) -> usize {
        usize::from(self.0 >> 6 & 0x3f | self.0 >> 12 << 6)
    }
}

/// The number of kinds times squares.
const TARGETS: usize = 8 * 64;

/// Returns the origin and destination of a move; `own` are the squares of the side that moves. Castling moves two
/// pieces; the lower squares are used.
#[inline]
pub(crate) fn squares(own: u64, after: &Quad48) -> (u64, u64) {
    // After the move, the other side is to move.
    let moved = Sides::of(after).their;
    let (left, reached) = (own & !moved, moved & !own);
    (left & left.wrapping_neg(), reached & reached.wrapping_neg())
}

/// The bound of history scores.
const MOST_HISTORY: i32 = 16_384;

/// The history of quiet moves, one for each thread.
pub(crate) struct History {
    /// Scores by side, from and to.
    plain: Vec<i16>,
    /// Scores by the targets of the previous step and this step.
    follow_up: Vec<i16>,
    /// The reply that last refuted a step.
    replies: Vec<Step>,
    killers: Vec<[Step; 2]>,
}

impl History {
    pub(crate) fn new(plies: usize) -> Self {
        Self {
            plain: vec![0; 2 << 12],
            follow_up: vec![0; 2 * TARGETS * TARGETS],
            replies: vec![Step::default(); 2 * TARGETS],
            killers: vec![[Step::default(); 2]; plies + 2],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.plain.fill(0);
        self.follow_up.fill(0);
        self.replies.fill(Step::default());
        self.killers.fill([Step::default(); 2]);
    }

    /// Clears the killers of the next ply, which belong to other positions.
    #[inline]
    pub(crate) fn enter(&mut self, ply: usize) {
        self.killers[ply + 1] = [Step::default(); 2];
    }

    #[inline]
    fn place(black: bool, previous: Step, step: Step) -> usize {
        (usize::from(black) * TARGETS + previous.target()) * TARGETS + step.target()
    }

    #[inline]
    pub(crate) fn quiet(&self, black: bool, previous: Step, step: Step) -> i32 {
        i32::from(self.plain[usize::from(black) << 12 | step.squares()])
            + i32::from(self.follow_up[Self::place(black, previous, step)])
    }

    /// Learns that a quiet move has refuted the position, and that the quiet moves tried before it have not.
    pub(crate) fn reward(&mut self, black: bool, ply: usize, depth: i32, previous: Step, step: Step, others: &[Step]) {
        let killers = &mut self.killers[ply];
        if killers[0] != step {
            *killers = [step, killers[0]];
        }
        self.replies[usize::from(black) * TARGETS + previous.target()] = step;
        let bonus = (depth * depth * 16 + 32 * depth).min(1_600);
        self.adjust(black, previous, step, bonus);
        for &other in others {
            self.adjust(black, previous, other, -bonus);
        }
    }

    /// Moves scores towards their bound by a share of the distance, so they never pass it.
    fn adjust(&mut self, black: bool, previous: Step, step: Step, bonus: i32) {
        let place = Self::place(black, previous, step);
        for score in [&mut self.plain[usize::from(black) << 12 | step.squares()], &mut self.follow_up[place]] {
            *score += (bonus - i32::from(*score) * bonus.abs() / MOST_HISTORY) as i16;
        }
    }

    pub(crate) fn rank(
        &self,
        parent: &Parent<'_>,
        successors: &[Quad48],
        tactical: usize,
        known: Option<u16>,
        candidates: &mut Vec<Candidate>,
    ) {
        let Parent { position, sides, black, ply, previous } = *parent;
        let killers = self.killers[ply];
        let reply = self.replies[usize::from(black) * TARGETS + previous.target()];
        for (index, after) in successors.iter().enumerate() {
            let step = Step::between(position, sides.own, after);
            let score = if known == Some(index as u16) {
                KNOWN
            } else if index < tactical {
                let later = index as i32;
                if is_losing(position, sides, after) { LOSING - later } else { WINNING - later }
            } else if step == killers[0] {
                KILLER
            } else if step == killers[1] {
                KILLER - 1
            } else if step == reply {
                KILLER - 2
            } else {
                self.quiet(black, previous, step)
            };
            candidates.push(Candidate { score, index: index as u16, step });
        }
    }
}

const KNOWN: i32 = 1 << 30;
/// The rank of captures and promotions that do not lose material.
const WINNING: i32 = 1 << 20;
const KILLER: i32 = 1 << 19;
/// The rank of captures that lose material.
pub(crate) const LOSING: i32 = -(1 << 20);

/// A position whose successors are ranked.
#[derive(Clone, Copy)]
pub(crate) struct Parent<'a> {
    pub(crate) position: &'a Quad48,
    pub(crate) sides: Sides,
    pub(crate) black: bool,
    pub(crate) ply: usize,
    pub(crate) previous: Step,
}

/// Returns whether a capture or promotion loses material in the exchange that it starts. Underpromotions are treated as
/// losing, because they are rarely best.
pub(crate) fn is_losing(position: &Quad48, sides: Sides, after: &Quad48) -> bool {
    let (from, to) = squares(sides.own, after);
    let mover = kind(position, from);
    if mover == Piece::Pawn && kind(after, to) != Piece::Pawn {
        return kind(after, to) != Piece::Queen;
    }
    let is_even = sides.their & to != 0 && VALUES[kind(position, to) as usize] >= VALUES[mover as usize];
    !is_even && exchange(position, from, to, sides.empty) < 0
}

/// Brings the best of the remaining candidates to the front.
#[inline]
pub(crate) fn pick(candidates: &mut [Candidate]) -> Option<Candidate> {
    let mut best = 0;
    for index in 1..candidates.len() {
        if candidates[index].score > candidates[best].score {
            best = index;
        }
    }
    if candidates.is_empty() {
        return None;
    }
    candidates.swap(0, best);
    Some(candidates[0])
}

#[cfg(test)]
mod tests {
    use kogge_board::minimax::tactical;
    use kogge_board::{Fen, Move};
    use kogge_movegen_cpu::expand;

    use super::*;

    fn ranked(fen: &str, history: &History, known: Option<u16>) -> Vec<String> {
        let fen: Fen = fen.parse().unwrap();
        let position = Quad48::from(&fen.position);
        let mut successors = Vec::new();
        expand(&fen.rules, &position, &mut successors);
        let black = fen.position.turn() == kogge_board::Color::Black;
        let parent =
            Parent { position: &position, sides: Sides::of(&position), black, ply: 0, previous: Step::default() };
        let mut candidates = Vec::new();
        history.rank(&parent, &successors, tactical(&position, &successors), known, &mut candidates);
        let mut rest = &mut candidates[..];
        let mut moves = Vec::new();
        while let Some(Candidate { index, .. }) = pick(rest) {
            let after = successors[usize::from(index)].unpack_unchecked();
            moves.push(format!("{:?}", Move::between(&fen.rules, &fen.position, &after).unwrap()));
            rest = &mut rest[1..];
        }
        moves
    }

    #[test]
    fn good_captures_come_first_and_bad_ones_last() {
        // The pawn takes the knight; the rook could only take a protected pawn.
        let moves = ranked("4k3/8/2p5/3p1n2/4P3/8/3R4/4K3 w - - 0 1", &History::new(4), None);
        assert_eq!(moves[..2], ["e4f5", "e4d5"]);
        assert_eq!(moves.last().unwrap(), "d2d5");
    }

    #[test]
    fn what_is_known_comes_first_then_killers_then_history() {
        let fen = "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1";
        let mut history = History::new(4);
        let plain = ranked(fen, &history, None);
        let step = |text: &str| {
            let square = |at: usize| text[at..at + 2].parse::<kogge_board::Square>().unwrap().index() as u16;
            Step(square(0) | square(2) << 6 | (Piece::Rook as u16) << 12)
        };
        history.reward(false, 1, 3, Step::default(), step("d2a2"), &[step("d2d3")]);
        history.reward(false, 0, 3, Step::default(), step("d2h2"), &[]);
        let learnt = ranked(fen, &history, Some(2));
        assert_eq!(learnt[..3], [plain[2].as_str(), "d2h2", "d2a2"]);
        assert_eq!(learnt.last().unwrap(), "d2d3");
    }

    #[test]
    fn history_never_overflows() {
        let mut history = History::new(4);
        let [good, bad] = [Step(77), Step(78)];
        for _ in 0..10_000 {
            history.reward(true, 1, 60, Step::default(), good, &[bad]);
        }
        assert!((8_000..=2 * MOST_HISTORY).contains(&history.quiet(true, Step::default(), good)));
        assert!((-2 * MOST_HISTORY..=-8_000).contains(&history.quiet(true, Step::default(), bad)));
    }
}
