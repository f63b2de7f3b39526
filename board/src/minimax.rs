//! Exhaustive minimax: what positions are worth, and how that is found out with a backend that can
//! only expand.
//!
//! # The value
//!
//! The value of a position `depth` plies deep, for the side to move, is
//!
//! 1. without legal moves, [`Score::mated`] in 0 if in check, else [`Score::DRAW`];
//! 2. else [`Score::DRAW`], if the rules keep the halfmove clock and it stands at [`FIFTY_MOVES`] or
//!    more;
//! 3. else, at depth 0, its [evaluation](crate::evaluate()), or its quiescence value;
//! 4. else the greatest of its successors' values one ply less deep, each [as it is before the
//!    move](Score::before). Of several best moves the first in generation order is *the* best one.
//!
//! # Quiescence
//!
//! A static evaluation means little in the middle of an exchange. The quiescence value of a position
//! looks on until it is quiet, at most [`QUIESCENCE_PLIES`] plies:
//!
//! 1. at the last of these plies, it is the evaluation;
//! 2. in check, it is the greatest of all successors' quiescence values, each as it is before the
//!    move; mate if there is none, and a draw if the fifty-move rule says so;
//! 3. not in check, it is a draw if the fifty-move rule says so, else the evaluation (the side to move
//!    can *stand pat*) or, if that is greater, the greatest of the quiescence values after captures
//!    (en passant too) and promotions. Stalemate is not looked for here.
//!
//! Captures and promotions are the first successors in generation order, most valuable victim first.
//! An implementation may leave out what cannot change the value, as alpha-beta does, and nothing else.

use crate::attacks::{Sides, in_check};
use crate::bits::PAWN_RANKS;
use crate::{Backend, BackendError, Fen, Quad48, Rules, Score, evaluate};

/// Plies without capture or pawn move after which the game is drawn, unless the last one mates.
pub const FIFTY_MOVES: u8 = 100;

/// How many plies quiescence looks beyond a leaf, at most.
pub const QUIESCENCE_PLIES: u32 = 6;

/// How deep a minimax may be, in plies: mates beyond it all look alike.
pub const MAX_DEPTH: u32 = Score::LONGEST_MATE - QUIESCENCE_PLIES;

/// Whether a minimax can be this deep.
///
/// # Errors
/// [`BackendError::Depth`] if not.
pub fn check_depth(depth: u32) -> Result<(), BackendError> {
    if depth <= MAX_DEPTH { Ok(()) } else { Err(BackendError::Depth(depth)) }
}

/// How the leaves of a minimax tree are judged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaves {
    /// By the evaluation.
    Static,
    /// By the quiescence value.
    Quiescent,
}

/// How many positions are expanded together on the way down; each ply holds their successors.
const SLICE: usize = 1 << 11;
/// How many leaves look for quiescence together.
const TOGETHER: usize = 1 << 13;

/// [`Backend::minimax`] for a backend without code of its own: the device finds the moves, level by
/// level, and the host judges the leaves and backs the values up.
///
/// # Errors
/// The backend's.
pub fn by_expansion<B: Backend + ?Sized>(
    backend: &mut B,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    leaves: Leaves,
) -> Result<Vec<Score>, BackendError> {
    let mut values = Vec::with_capacity(positions.len());
    for slice in positions.chunks(SLICE) {
        if depth == 0 {
            judge(backend, rules, slice, leaves, &mut values)?;
            continue;
        }
        let successors = backend.expand(rules, slice)?;
        let below = by_expansion(backend, rules, &successors.positions, depth - 1, leaves)?;
        let mut start = 0;
        for (position, &end) in slice.iter().zip(&successors.ends) {
            let best = below.get(start..end).unwrap_or_default().iter().map(|value| value.before()).max();
            values.push(match best {
                Some(_) if is_fifty_moves(rules, position) => Score::DRAW,
                Some(best) => best,
                None => without_moves(position),
            });
            start = end;
        }
    }
    Ok(values)
}

/// Positions in which something of everything happens: castling, mates and stalemates at hand, pins, en passant, promotions
/// with and without a capture, checks by two pieces, passed pawns, bare kings.
const KNOWN: [&str; 6] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
    "8/8/1p6/8/8/k7/p7/K7 b - - 0 1",
];

/// The first of them in which quiescence does not take long.
const FEW_MOVES: usize = 3;

/// Whether a backend's own [`Backend::minimax`] gives what its successors and the host's evaluation give.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if not, or the backend's.
pub fn self_test<B: Backend + ?Sized>(backend: &mut B) -> Result<(), BackendError> {
    let fens = KNOWN.iter().filter_map(|fen| fen.parse::<Fen>().ok());
    let mut positions: Vec<_> = fens.map(|fen| Quad48::from(&fen.position)).collect();
    let successors = backend.expand(&Rules::STANDARD, &positions)?.positions;
    positions.extend(successors);
    let (all, few) = (&positions[..], &positions[FEW_MOVES..KNOWN.len().min(positions.len())]);
    for (positions, depth, leaves) in
        [(all, 0, Leaves::Static), (all, 1, Leaves::Static), (all, 0, Leaves::Quiescent), (few, 1, Leaves::Quiescent)]
    {
        let found = backend.minimax(&Rules::STANDARD, positions, depth, leaves)?;
        let expected = by_expansion(backend, &Rules::STANDARD, positions, depth, leaves)?;
        if let Some(wrong) = (0..positions.len()).find(|&index| found.get(index) != expected.get(index)) {
            let score = |scores: &[Score]| scores.get(wrong).map_or_else(|| "nothing".into(), Score::to_string);
            let device = backend.info().name.clone();
            let fen = Fen::new(positions[wrong].unpack_unchecked(), Rules::STANDARD);
            let (found, expected) = (score(&found), score(&expected));
            let reason = format!("it found {found} instead of {expected} {depth} plies below {fen}.");
            return Err(BackendError::WrongAnswer { device, reason });
        }
    }
    Ok(())
}

/// The values of leaves.
fn judge<B: Backend + ?Sized>(
    backend: &mut B,
    rules: &Rules,
    positions: &[Quad48],
    leaves: Leaves,
    values: &mut Vec<Score>,
) -> Result<(), BackendError> {
    let first = values.len();
    let counts = backend.count(rules, positions)?;
    let mut unquiet = Vec::new();
    for (position, moves) in positions.iter().zip(counts) {
        values.push(match leaves {
            _ if moves == 0 => without_moves(position),
            _ if is_fifty_moves(rules, position) => Score::DRAW,
            Leaves::Static => evaluate(position),
            Leaves::Quiescent => {
                unquiet.push((values.len(), Search::new(*position)));
                Score::DRAW
            }
        });
    }
    for searches in unquiet.chunks_mut(TOGETHER) {
        let mut running: Vec<_> = searches.iter_mut().collect();
        while !running.is_empty() {
            running.retain_mut(|(place, search)| match search.run(rules) {
                Some(value) => {
                    values[*place] = Score::from_value(value);
                    false
                }
                None => true,
            });
            let asked: Vec<_> = running.iter().map(|(_, search)| search.asked).collect();
            let successors = backend.expand(rules, &asked)?;
            for ((_, search), successors) in running.iter_mut().zip(successors.iter()) {
                search.answer(rules, successors);
            }
        }
    }
    debug_assert_eq!(values.len(), first + positions.len());
    Ok(())
}

/// The value of a position without legal moves.
#[inline(always)]
pub fn without_moves(position: &Quad48) -> Score {
    if in_check(position) { Score::mated(0) } else { Score::DRAW }
}

/// Whether the fifty-move rule makes this position a draw, if it is no mate.
#[inline(always)]
pub fn is_fifty_moves(rules: &Rules, position: &Quad48) -> bool {
    rules.halfmove_clock && position.state().halfmove_clock() >= FIFTY_MOVES
}

/// How many of a position's successors come from captures and promotions: those are the first.
///
/// A move is a capture if there are fewer men afterwards, and a promotion if there are fewer pawns.
#[inline]
pub fn tactical(position: &Quad48, successors: &[Quad48]) -> usize {
    let men = |position: &Quad48| {
        let Sides { empty, .. } = Sides::of(position);
        (empty.count_zeros(), (position.pawns & PAWN_RANKS).count_ones())
    };
    let before = men(position);
    successors.partition_point(|after| men(after) != before)
}

/// A quiescence search of one leaf: alpha-beta, depth first, that stops whenever it needs successors,
/// so that many can run together and have theirs made in one batch.
///
/// Within it, mates are counted from the leaf.
struct Search {
    nodes: Vec<Node>,
    /// The position whose successors it waits for.
    asked: Quad48,
    /// The window, and the best value so far, with which that position is to be opened.
    window: [i32; 2],
    best: i32,
    /// Whether that position is in check, so that all successors count.
    check: bool,
    /// What has just been found out, for the topmost node.
    found: Option<i32>,
}

/// A position whose successors are looked at one after the other.
struct Node {
    /// Those still to come, last first.
    successors: Vec<Quad48>,
    best: i32,
    alpha: i32,
    beta: i32,
}

impl Search {
    fn new(leaf: Quad48) -> Self {
        let window = [-Score::INFINITE.value(), Score::INFINITE.value()];
        let mut search = Self { nodes: Vec::new(), asked: leaf, window, best: 0, check: false, found: None };
        search.enter(leaf, window, false);
        search
    }

    /// Looks at a position: finds its value, or that it must have its successors.
    fn enter(&mut self, position: Quad48, window: [i32; 2], is_fifty_moves: bool) {
        let ply = self.nodes.len() as u32;
        self.found = None;
        if ply == QUIESCENCE_PLIES {
            self.found = Some(evaluate(&position).value());
            return;
        }
        self.check = in_check(&position);
        self.best = if self.check { Score::mated(ply).value() } else { evaluate(&position).value() };
        self.asked = position;
        self.window = [window[0].max(self.best), window[1]];
        if is_fifty_moves && !self.check {
            self.found = Some(Score::DRAW.value());
        } else if !self.check && self.best >= window[1] {
            self.found = Some(self.best);
        }
    }

    /// The successors that it waited for.
    fn answer(&mut self, rules: &Rules, successors: &[Quad48]) {
        let count = if self.check { successors.len() } else { tactical(&self.asked, successors) };
        if count > 0 && is_fifty_moves(rules, &self.asked) {
            self.found = Some(Score::DRAW.value());
            return;
        }
        let successors = successors[..count].iter().rev().copied().collect();
        let [alpha, beta] = self.window;
        self.nodes.push(Node { successors, best: self.best, alpha, beta });
    }

    /// Goes on until it is done, with the leaf's value, or waits for successors.
    fn run(&mut self, rules: &Rules) -> Option<i32> {
        loop {
            if let Some(found) = self.found.take() {
                let Some(node) = self.nodes.last_mut() else { return Some(found) };
                node.best = node.best.max(-found);
                node.alpha = node.alpha.max(node.best);
            } else if self.nodes.is_empty() {
                return None;
            }
            let node = self.nodes.last_mut()?;
            let next = if node.alpha >= node.beta { None } else { node.successors.pop() };
            match next {
                Some(position) => {
                    let window = [-node.beta, -node.alpha];
                    self.enter(position, window, is_fifty_moves(rules, &position));
                    // Without a value yet, it waits for successors.
                    self.found?;
                }
                None => {
                    self.found = Some(node.best);
                    self.nodes.pop();
                }
            }
        }
    }
}
