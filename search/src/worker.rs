//! The search of one thread: selective alpha-beta.
//!
//! It uses the standard techniques under their standard names: principal variation search, a transposition
//! table, null move, reverse futility pruning, futility pruning and late move pruning near the leaves,
//! late move reductions, internal iterative reduction, check extension, mate distance pruning, and
//! quiescence with delta pruning and static exchange evaluation.
//!
//! The search works on positions, not on moves: the generator writes all successors of a position, and a
//! move is the index of its successor.

use std::sync::atomic::{AtomicU64, Ordering};

use kogge_board::attacks::{Sides, in_check};
use kogge_board::bits::PAWN_RANKS;
use kogge_board::minimax::{FIFTY_MOVES, tactical};
use kogge_board::{Piece, Quad48, Rules, Score, State};
use kogge_movegen_cpu::{Code, MoveFilter};

use crate::corrections::Corrections;
use crate::exchange::{VALUES, exchange, kind};
use crate::limits::{Signals, Timer};
use crate::order::{Candidate, History, LOSING, Parent, Step, is_losing, pick, squares};
use crate::table::{Bound, Table, TableEntry, key};

/// The greatest depth, quiescence included.
pub(crate) const MAX_PLY: usize = 200;

/// The value above all scores.
pub(crate) const INFINITE: i32 = Score::INFINITE.value();
/// The bound above which scores are mates.
const MATES: i32 = Score::MATE - Score::LONGEST_MATE as i32;
/// The bound below which scores are mates for the opponent.
const MATED: i32 = -MATES;
/// The number of nodes between two checks of the clock: half a millisecond of search.
const PATIENCE: u64 = 1 << 9;

/// The state that all threads of a search share.
pub(crate) struct SharedState<'a> {
    pub(crate) table: &'a Table,
    pub(crate) signals: &'a Signals,
    /// The nodes of all threads, up to their last checks of the clock.
    pub(crate) nodes: AtomicU64,
    /// The number of nodes that ends the search.
    pub(crate) most_nodes: Option<u64>,
    /// Whether all threads should end.
    pub(crate) ended: std::sync::atomic::AtomicBool,
}

/// A search as one of its threads sees it.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) shared: &'a SharedState<'a>,
    /// The timer, which only the main thread checks.
    pub(crate) timer: Option<&'a Timer>,
}

/// A thread of the search, with its history.
pub(crate) struct Worker {
    pub(crate) code: Code,
    pub(crate) rules: Rules,
    pub(crate) history: History,
    pub(crate) corrections: Corrections,
    /// The keys of all positions from the first of the game to the current one.
    pub(crate) keys: Vec<u64>,
    /// The number of keys that belong to the game.
    pub(crate) played: usize,
    /// The successors of the positions on the current path, with their ranks.
    stack: Vec<Quad48>,
    candidates: Vec<Candidate>,
    /// The best line from each ply, as positions.
    pub(crate) lines: Vec<Vec<Quad48>>,
    /// The step to each ply, and the static evaluation after it.
    steps: Vec<Step>,
    evaluations: Vec<i32>,
    /// The late move reductions by depth and number of moves tried.
    reductions: Vec<[u8; 64]>,
    pub(crate) nodes: u64,
    pub(crate) deepest: usize,
    /// Whether the search was stopped; values are then meaningless.
    pub(crate) stopped: bool,
    unreported: u64,
}

impl Worker {
    pub(crate) fn new(code: Code, rules: Rules) -> Self {
        let reduction = |depth: usize, moves: usize| match depth * moves {
            0 => 0,
            _ => (0.7 + (depth as f64).ln() * (moves as f64).ln() / 2.3).floor() as u8,
        };
        let reductions = (0..64).map(|depth| std::array::from_fn(|moves| reduction(depth, moves))).collect();
        Self {
            code,
            rules,
            history: History::new(MAX_PLY + 1),
            corrections: Corrections::new(),
            keys: Vec::new(),
            played: 0,
            stack: Vec::new(),
            candidates: Vec::new(),
            lines: vec![Vec::new(); MAX_PLY + 2],
            steps: vec![Step::default(); MAX_PLY + 2],
            evaluations: vec![0; MAX_PLY + 2],
            reductions,
            nodes: 0,
            deepest: 0,
            stopped: false,
            unreported: 0,
        }
    }

    /// Prepares a search of the position with the last of these keys.
    pub(crate) fn begin(&mut self, rules: &Rules, keys: &[u64]) {
        self.rules = *rules;
        self.keys.clear();
        self.keys.extend_from_slice(keys);
        self.played = keys.len();
        self.stack.clear();
        self.candidates.clear();
        (self.nodes, self.unreported, self.deepest, self.stopped) = (0, 0, 0, false);
    }

    /// Sets the best line from a ply to a successor and the best line after it.
    fn extend_line(&mut self, ply: usize, successor: Quad48) {
        let (here, below) = self.lines.split_at_mut(ply + 1);
        here[ply].clear();
        here[ply].push(successor);
        here[ply].extend_from_slice(&below[0]);
    }

    /// Counts a node, and checks the clock at intervals.
    #[inline]
    fn count_node(&mut self, Run { shared, timer }: Run<'_>) {
        self.nodes += 1;
        self.unreported += 1;
        let limited = shared.most_nodes.is_some();
        if self.unreported >= PATIENCE || limited {
            let total = shared.nodes.fetch_add(self.unreported, Ordering::Relaxed) + self.unreported;
            self.unreported = 0;
            if shared.most_nodes.is_some_and(|most| total >= most) {
                self.stopped = true;
            }
            if !limited || self.nodes.is_multiple_of(PATIENCE) {
                self.stopped |= shared.signals.is_stopped()
                    || shared.ended.load(Ordering::Relaxed)
                    || timer.is_some_and(|timer| timer.is_over(shared.signals));
            }
        }
    }

    /// Counts a node. Returns its value if the node is not to be searched: the search was stopped, or the node is too
    /// deep.
    #[inline]
    fn enter(&mut self, run: Run<'_>, position: &Quad48, ply: usize) -> Option<i32> {
        self.count_node(run);
        if self.stopped {
            return Some(0);
        }
        self.deepest = self.deepest.max(ply);
        (ply >= MAX_PLY).then(|| self.code.evaluate(position).value())
    }

    pub(crate) fn root_successor(
        &mut self,
        run: Run<'_>,
        (before, after): (&Quad48, &Quad48),
        depth: i32,
        [alpha, beta]: [i32; 2],
    ) -> i32 {
        self.steps[1] = Step::between(before, Sides::of(before).own, after);
        self.keys.push(key(after));
        let value = -self.search(run, after, depth, 1, [-beta, -alpha], true);
        self.keys.pop();
        value
    }

    /// Returns whether the current position has occurred before: once since the root, or twice in all.
    fn is_repetition(&self, clock: u8) -> bool {
        let last = self.keys.len() - 1;
        let mut before = 0;
        for back in (4..=usize::from(clock).min(last)).step_by(2) {
            if self.keys[last - back] == self.keys[last] {
                // The root belongs to the game and to the search.
                if last - back + 1 >= self.played {
                    return true;
                }
                before += 1;
            }
        }
        before >= 2
    }

    /// Returns the value of a position (the last of `keys`) if the value is within the window, else a bound.
    fn search(
        &mut self,
        run: Run<'_>,
        position: &Quad48,
        depth: i32,
        ply: usize,
        [alpha, beta]: [i32; 2],
        may_pass: bool,
    ) -> i32 {
        self.lines[ply].clear();
        let clock = position.state().halfmove_clock();
        if clock >= 4 && self.is_repetition(clock) {
            return Score::DRAW.value();
        }
        if depth <= 0 && clock < FIFTY_MOVES {
            return self.quiescence(run, position, ply, [alpha, beta]);
        }
        if let Some(value) = self.enter(run, position, ply) {
            return value;
        }
        // Mate distance pruning: no line is better than an immediate mate, or worse than being mated now.
        let alpha = alpha.max(Score::mated(ply as u32).value());
        let beta = beta.min(-Score::mated(ply as u32 + 1).value());
        if alpha >= beta {
            return alpha;
        }
        let is_principal = beta - alpha > 1;
        let known = run.shared.table.get(self.keys[self.keys.len() - 1]);
        if let Some(known) = known
            && !is_principal
            && i32::from(known.depth) >= depth
            && clock < FIFTY_MOVES - 10
            && let Some(score) = decision(&known, ply, [alpha, beta])
        {
            return score;
        }

        let start = self.stack.len();
        let is_check = self.code.successors(&self.rules, position, MoveFilter::All, &mut self.stack);
        let value = if self.stack.len() == start {
            if is_check { Score::mated(ply as u32).value() } else { Score::DRAW.value() }
        } else if clock >= FIFTY_MOVES {
            Score::DRAW.value()
        } else {
            let parent = Parent {
                position,
                sides: Sides::of(position),
                black: position.pawns & u64::from(State::BLACK) != 0,
                ply,
                previous: self.steps[ply],
            };
            let evaluation = self.evaluate(position, known, is_check, ply);
            let node = Node { parent, start, is_principal, is_check, evaluation };
            // A check is searched a ply deeper.
            let depth = depth + i32::from(is_check);
            let pruned = if is_principal { None } else { self.prune(run, &node, depth, beta, may_pass) };
            pruned.unwrap_or_else(|| self.search_moves(run, &node, depth, [alpha, beta], known))
        };
        self.stack.truncate(start);
        value
    }

    /// Evaluates a node, and finds out whether its evaluation has improved since the last move of the same side.
    #[inline]
    fn evaluate(&mut self, position: &Quad48, known: Option<TableEntry>, is_check: bool, ply: usize) -> Evaluation {
        let plain = match known {
            _ if is_check => 0,
            Some(known) => known.evaluation,
            None => self.code.evaluate(position).value(),
        };
        let corrected = if is_check { -INFINITE } else { self.corrections.correct(position, plain) };
        // In check, the evaluation two plies earlier is used.
        self.evaluations[ply] = if is_check && ply >= 2 { self.evaluations[ply - 2] } else { corrected };
        let mut estimate = corrected;
        if let Some(known) = known
            && !is_check
        {
            let score = delayed(known.score, ply as i32);
            if known.bound == Bound::Exact || (known.bound == Bound::Lower) == (score > estimate) {
                estimate = score;
            }
        }
        let is_improving = !is_check && (ply < 2 || corrected > self.evaluations[ply - 2]);
        Evaluation { plain, corrected, estimate, is_improving }
    }

    /// Returns a bound above beta if the evaluation or a null move shows that the moves need not be searched.
    #[inline]
    fn prune(&mut self, run: Run<'_>, node: &Node<'_>, depth: i32, beta: i32, may_pass: bool) -> Option<i32> {
        let &Node { parent: Parent { position, sides, ply, .. }, .. } = node;
        let Evaluation { corrected, estimate, is_improving, .. } = node.evaluation;
        if node.is_check || beta.abs() >= MATES {
            return None;
        }
        // Reverse futility: the estimate is so far above beta that no quiet reply falls below it.
        if depth <= 7 && estimate - 75 * (depth - i32::from(is_improving)) >= beta && estimate < MATES {
            return Some(estimate);
        }
        // Null move: even a pass keeps the value above beta. Not used with pawns alone, because of zugzwang.
        let pieces = position.knights | position.bishops_queens | position.rooks_queens;
        if !may_pass || depth < 3 || estimate < beta || corrected < beta - 20 || pieces & sides.own == 0 {
            return None;
        }
        let less = 3 + depth / 4 + ((estimate - beta) / 200).min(3);
        let passed = pass(position);
        self.keys.push(key(&passed));
        self.steps[ply + 1] = Step::default();
        let value = -self.search(run, &passed, depth - less, ply + 1, [-beta, -beta + 1], false);
        self.keys.pop();
        match value {
            _ if self.stopped => Some(0),
            MATES.. => Some(beta),
            _ => (value >= beta).then_some(value),
        }
    }

    /// Searches the moves of a node whose successors are on the stack, and stores the result.
    fn search_moves(
        &mut self,
        run: Run<'_>,
        node: &Node<'_>,
        mut depth: i32,
        window: [i32; 2],
        known: Option<TableEntry>,
    ) -> i32 {
        let Parent { position, black, ply, previous, .. } = node.parent;
        let Evaluation { plain, corrected, .. } = node.evaluation;
        // Internal iterative reduction: without a move from the table, a shallower search comes first.
        let best_known = known.and_then(|known| known.best);
        if best_known.is_none() && depth >= 4 {
            depth -= 1;
        }
        let tactical_moves = tactical(position, &self.stack[node.start..]);
        self.history.enter(ply);
        let first = self.candidates.len();
        self.history.rank(&node.parent, &self.stack[node.start..], tactical_moves, best_known, &mut self.candidates);

        let [mut alpha, beta] = window;
        let (mut best, mut best_index) = (-INFINITE, None);
        let mut quiets: [Step; 64] = [Step::default(); 64];
        let mut quiets_tried = 0;
        for number in 1..=self.candidates.len() - first {
            let Some(candidate) = pick(&mut self.candidates[first + number - 1..]) else { break };
            let Candidate { index, step, .. } = candidate;
            let successor = self.stack[node.start + usize::from(index)];
            let is_quiet = usize::from(index) >= tactical_moves;
            let attempt =
                Attempt { candidate, number, quiets_tried, is_quiet, gives_check: in_check(&successor), successor };
            if best > -MATES && skips(node, &attempt, depth, alpha) {
                continue;
            }
            let value = self.search_move(run, node, &attempt, depth, [alpha, beta]);
            if self.stopped {
                break;
            }
            best = best.max(value);
            if value > alpha {
                alpha = value;
                best_index = Some(index);
                if node.is_principal {
                    self.extend_line(ply, successor);
                }
                if value >= beta {
                    if is_quiet {
                        let others = &quiets[..quiets_tried.min(quiets.len())];
                        self.history.reward(black, ply, depth, previous, step, others);
                    }
                    break;
                }
            }
            if is_quiet {
                if let Some(place) = quiets.get_mut(quiets_tried) {
                    *place = step;
                }
                quiets_tried += 1;
            }
        }
        self.candidates.truncate(first);
        if self.stopped {
            return 0;
        }
        let bound = bound(best, window);
        // A bound on the wrong side of the evaluation does not show that the evaluation was wrong.
        let shows_error = match bound {
            Bound::Exact => true,
            Bound::Lower => best > corrected,
            Bound::Upper => best < corrected,
        };
        let is_quiet = best_index.is_none_or(|index| usize::from(index) >= tactical_moves);
        if !node.is_check && is_quiet && shows_error && best.abs() < MATES {
            self.corrections.learn(position, depth, best - corrected);
        }
        // A check in the table is still extended.
        let depth = (depth - i32::from(node.is_check)) as u8;
        let entry = TableEntry { best: best_index, score: best, evaluation: plain, depth, bound };
        remember(run, self.keys[self.keys.len() - 1], ply, entry);
        best
    }

    /// Searches one move: with a null window first, and less deeply if it comes late.
    #[inline]
    fn search_move(
        &mut self,
        run: Run<'_>,
        node: &Node<'_>,
        attempt: &Attempt,
        depth: i32,
        [alpha, beta]: [i32; 2],
    ) -> i32 {
        let &Attempt { ref successor, number, .. } = attempt;
        let ply = node.parent.ply + 1;
        self.steps[ply] = attempt.candidate.step;
        self.keys.push(key(successor));
        let mut value = -INFINITE;
        let less = self.reduction(node, attempt, depth);
        if less > 0 || !node.is_principal || number > 1 {
            value = -self.search(run, successor, depth - 1 - less, ply, [-alpha - 1, -alpha], true);
            if less > 0 && value > alpha && !self.stopped {
                value = -self.search(run, successor, depth - 1, ply, [-alpha - 1, -alpha], true);
            }
        }
        if node.is_principal && !self.stopped && (number == 1 || value > alpha) {
            value = -self.search(run, successor, depth - 1, ply, [-beta, -alpha], true);
        }
        self.keys.pop();
        value
    }

    /// The plies by which a late move is first searched less deeply.
    #[inline]
    fn reduction(&self, node: &Node<'_>, attempt: &Attempt, depth: i32) -> i32 {
        let &Attempt { candidate: Candidate { score: rank, .. }, number, is_quiet, gives_check, .. } = attempt;
        if depth < 3 || number <= 1 + usize::from(node.is_principal) || !is_quiet && rank >= LOSING / 2 {
            return 0;
        }
        let mut less = i32::from(self.reductions[depth.min(63) as usize][number.min(63)]);
        less -= i32::from(node.is_principal) + i32::from(node.is_check) - i32::from(!node.evaluation.is_improving);
        if is_quiet {
            less -= (rank.min(1 << 15) / 8_192).clamp(-2, 2);
        }
        less -= i32::from(gives_check);
        less.clamp(0, (depth - 2).max(0))
    }

    /// Returns the value of a position after captures and promotions, or a bound.
    fn quiescence(&mut self, run: Run<'_>, position: &Quad48, ply: usize, window: [i32; 2]) -> i32 {
        self.lines[ply].clear();
        if let Some(value) = self.enter(run, position, ply) {
            return value;
        }
        let [mut alpha, beta] = window;
        let is_principal = beta - alpha > 1;
        let place = key(position);
        let known = run.shared.table.get(place);
        if let Some(known) = known
            && !is_principal
            && let Some(score) = decision(&known, ply, window)
        {
            return score;
        }
        let is_check = in_check(position);
        let mut best = Score::mated(ply as u32).value();
        let mut evaluation = 0;
        if !is_check {
            evaluation = known.map_or_else(|| self.code.evaluate(position).value(), |known| known.evaluation);
            best = self.corrections.correct(position, evaluation);
            if best >= beta {
                let entry = TableEntry { best: None, score: best, evaluation, depth: 0, bound: Bound::Lower };
                remember(run, place, ply, entry);
                return best;
            }
            alpha = alpha.max(best);
        }
        let start = self.stack.len();
        self.code.successors(&self.rules, position, MoveFilter::Tactical, &mut self.stack);
        let count = self.stack.len() - start;
        let sides = Sides::of(position);
        let best_known = known.and_then(|known| known.best).filter(|&index| usize::from(index) < count);
        let mut best_index = None;
        for turn in 0..count + usize::from(best_known.is_some()) {
            // The move from the table comes first, then the others in the generator's order.
            let index = match best_known {
                Some(known) if turn == 0 => usize::from(known),
                Some(known) if turn - 1 == usize::from(known) => continue,
                Some(_) => turn - 1,
                None => turn,
            };
            let successor = self.stack[start + index];
            if !is_check && best > -MATES && (turn > 0 || best_known.is_none()) {
                // Delta pruning: even with the captured piece, alpha is out of reach.
                let (_, to) = squares(sides.own, &successor);
                let captured = if sides.their & to != 0 { kind(position, to) } else { Piece::Pawn };
                let is_promotion = (position.pawns & PAWN_RANKS & sides.own).count_ones()
                    > (successor.pawns & PAWN_RANKS & Sides::of(&successor).their).count_ones();
                if !is_promotion && evaluation + VALUES[captured as usize] + 150 <= alpha
                    || is_losing(position, sides, &successor)
                {
                    continue;
                }
            }
            let value = -self.quiescence(run, &successor, ply + 1, [-beta, -alpha]);
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_index = Some(index as u16);
                    if is_principal {
                        self.extend_line(ply, successor);
                    }
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        self.stack.truncate(start);
        if self.stopped {
            return 0;
        }
        let bound = bound(best, window);
        remember(run, place, ply, TableEntry { best: best_index, score: best, evaluation, depth: 0, bound });
        best
    }
}

/// A node whose moves are searched.
struct Node<'a> {
    parent: Parent<'a>,
    /// The index of the first successor on the stack.
    start: usize,
    /// Whether the window is wider than a null window.
    is_principal: bool,
    is_check: bool,
    evaluation: Evaluation,
}

/// The value of a node without looking ahead.
struct Evaluation {
    /// The evaluation without correction.
    plain: i32,
    /// The evaluation with its correction; below all scores in check.
    corrected: i32,
    /// The best estimate of the value: the corrected evaluation, or a score from the table.
    estimate: i32,
    /// Whether the corrected evaluation is greater than two plies earlier.
    is_improving: bool,
}

/// A move that is about to be searched.
struct Attempt {
    candidate: Candidate,
    /// The number of the move in the order of the search, from 1.
    number: usize,
    /// The number of quiet moves searched before it.
    quiets_tried: usize,
    is_quiet: bool,
    gives_check: bool,
    successor: Quad48,
}

/// Returns whether a move is so unlikely to be good that it is not searched.
#[inline]
fn skips(node: &Node<'_>, attempt: &Attempt, depth: i32, alpha: i32) -> bool {
    let &Attempt { candidate: Candidate { score: rank, .. }, number, quiets_tried, is_quiet, .. } = attempt;
    // Moves that give check are not skipped.
    if node.is_principal || node.is_check || attempt.gives_check {
        return false;
    }
    if is_quiet {
        // Late move pruning: near the leaves, such late quiet moves rarely help.
        let enough = (4 + depth * depth) / if node.evaluation.is_improving { 1 } else { 2 };
        // Futility: the evaluation is so far below alpha that a quiet move cannot reach it.
        let hopeless = depth <= 6 && node.evaluation.corrected + 120 + 90 * depth <= alpha;
        // History pruning: the move has rarely been good.
        let is_bad = depth <= 4 && rank < -4_000 * depth;
        if depth <= 7 && quiets_tried as i32 >= enough || (hopeless || is_bad) && number > 1 {
            return true;
        }
    }
    // Static exchange evaluation: near the leaves, moves that lose too much are skipped.
    if number == 1 || depth > 8 || !is_quiet && rank >= LOSING / 2 {
        return false;
    }
    let Parent { position, sides, .. } = node.parent;
    let (from, to) = squares(sides.own, &attempt.successor);
    let most = if is_quiet { 50 } else { 90 };
    from & position.kings == 0 && exchange(position, from, to, sides.empty) < -most * depth
}

fn remember(run: Run<'_>, place: u64, ply: usize, entry: TableEntry) {
    run.shared.table.put(place, TableEntry { score: delayed(entry.score, -(ply as i32)), ..entry });
}

/// The score of an entry, if it decides a search with this window.
fn decision(known: &TableEntry, ply: usize, [alpha, beta]: [i32; 2]) -> Option<i32> {
    let score = delayed(known.score, ply as i32);
    let decides = match known.bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    };
    decides.then_some(score)
}

fn bound(value: i32, [alpha, beta]: [i32; 2]) -> Bound {
    if value >= beta {
        Bound::Lower
    } else if value > alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}

/// Moves a mate further away. The search counts mates from the root, and the table counts them from the position.
fn delayed(score: i32, plies: i32) -> i32 {
    match score {
        MATES.. => score - plies,
        ..=MATED => score + plies,
        _ => score,
    }
}

fn pass(position: &Quad48) -> Quad48 {
    let state = position.state();
    // With the clock at zero, no position counts as a repetition of a position before the pass.
    let passed = state.with_turn(state.turn().opposite()).with_en_passant(None).with_halfmove_clock(0);
    Quad48 { pawns: position.pawns & PAWN_RANKS | Quad48::state_bits(passed), ..*position }
}
