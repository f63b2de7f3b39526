//! The search from the root: iterative deepening, aspiration windows, several best lines, threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use kogge_board::{BackendError, Move, Quad48, Score, evaluate};
use kogge_movegen_cpu::{Code, Game};

use crate::limits::{Limits, Signals, Timer};
use crate::root::RootPosition;
use crate::table::Table;
use crate::worker::{INFINITE, MAX_PLY, Run, SharedState, Worker};

/// One of the best lines at one depth of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// The depth in plies, without extensions and reductions.
    pub depth: u32,
    /// The deepest ply seen.
    pub selective_depth: u32,
    /// The rank of the line, from 1.
    pub rank: usize,
    /// The value of the root for the side to move.
    pub score: Score,
    /// The moves of the line.
    pub line: Vec<Move>,
    /// The number of positions that all threads searched.
    pub nodes: u64,
    /// The time since the search began.
    pub time: Duration,
    /// The fullness of the transposition table, in thousandths.
    pub table_fullness: u32,
}

impl Info {
    /// Describes the result of a search that was too short to report a line.
    pub(crate) fn of(SearchResult { score, line, depth, nodes }: &SearchResult, time: Duration) -> Self {
        Self {
            depth: *depth,
            selective_depth: *depth,
            rank: 1,
            score: *score,
            line: line.clone(),
            nodes: *nodes,
            time,
            table_fullness: 0,
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The value of the root for the side to move.
    pub score: Score,
    /// The best line; empty only if there is no legal move.
    pub line: Vec<Move>,
    /// The finished depth.
    pub depth: u32,
    /// The number of positions that all threads searched.
    pub nodes: u64,
}

/// A search engine with its options and its memory from search to search.
pub struct Searcher {
    table: Arc<Table>,
    workers: Vec<Worker>,
    threads: usize,
    /// The number of best lines to find.
    pub lines: usize,
    /// The time that each move loses between this program and the clock.
    pub overhead: Duration,
    code: Code,
}

/// The default size of the transposition table, in bytes.
const TABLE: usize = 16 << 20;

/// Half the width of the first aspiration window.
const WINDOW: i32 = 18;
/// A greater drop of the score makes the search use more time.
const WORRY: i32 = 30;
/// The stack of a search thread, in bytes: each of some two hundred plies takes less than a KiB.
pub(crate) const STACK: usize = 4 << 20;
/// The least depth with a narrow window.
const NARROW: u32 = 5;

impl Searcher {
    /// Creates a searcher with one thread and a transposition table of 16 MiB.
    ///
    /// # Errors
    /// If there is not enough memory, or if the environment variable `KOGGE_CPU` names code that this
    /// CPU cannot run.
    pub fn new() -> Result<Self, BackendError> {
        let table = Arc::new(Table::new(TABLE).ok_or_else(|| no_memory(TABLE))?);
        let (code, overhead) = (Code::chosen()?, Duration::from_millis(10));
        Ok(Self { table, workers: Vec::new(), threads: 1, lines: 1, overhead, code })
    }

    /// Replaces the transposition table by one of `bytes` bytes.
    ///
    /// # Errors
    /// If there is not enough memory; the new table is then small.
    pub fn set_table(&mut self, bytes: usize) -> Result<(), BackendError> {
        // A table of 0 bytes has one bucket. It replaces the old table, which is freed before the new one is made.
        self.table = Arc::new(Table::new(0).ok_or_else(|| no_memory(0))?);
        self.table = Arc::new(Table::new(bytes).ok_or_else(|| no_memory(bytes))?);
        Ok(())
    }

    /// Sets the number of threads, at least one.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
        self.workers.truncate(self.threads);
    }

    /// Clears all memory of earlier searches, for a new game.
    pub fn forget(&mut self) {
        self.table.clear();
        for worker in &mut self.workers {
            worker.history.clear();
            worker.corrections.clear();
        }
    }

    /// Finds the best move in the current position of a game, and reports lines during the search.
    ///
    /// Draws by repetition (also of positions of the game) and by the fifty-move rule are recognised. If the game has
    /// already ended by repetition, by the fifty-move rule or for lack of material, the search ignores this end.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: &Signals,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let timer = Timer::new(limits, self.overhead);
        let mut root = RootPosition::new(self.code, game);
        let moves = &mut root.moves;
        if limits.moves.iter().any(|wanted| moves.iter().any(|(played, _)| played == wanted)) {
            moves.retain(|(played, _)| limits.moves.contains(played));
        }
        if moves.is_empty() {
            let score = kogge_board::minimax::without_moves(&root.position);
            return SearchResult { score, line: Vec::new(), depth: 0, nodes: 0 };
        }
        self.table.grow_older();
        while self.workers.len() < self.threads {
            self.workers.push(Worker::new(self.code, root.rules));
        }
        for worker in &mut self.workers {
            worker.begin(&root.rules, &root.keys);
        }
        let shared = SharedState {
            table: &self.table,
            signals,
            nodes: AtomicU64::new(0),
            most_nodes: limits.nodes,
            ended: AtomicBool::new(false),
        };
        let root = &root;
        let roots: Vec<_> = root.moves.iter().map(|&(played, after)| Root::new(played, after)).collect();
        let (shared, lines) = (&shared, self.lines.clamp(1, roots.len()));
        let Some((main, helpers)) = self.workers.split_first_mut() else {
            return SearchResult { score: Score::DRAW, line: vec![root.moves[0].0], depth: 0, nodes: 0 };
        };
        thread::scope(|scope| {
            for (number, worker) in helpers.iter_mut().enumerate() {
                let roots = roots.clone();
                let work = move || {
                    let mut iteration = Iteration { worker, run: Run { shared, timer: None }, root, roots, lines };
                    // Every second helper searches one ply deeper, so that the helpers do not all do the same work.
                    let _ = (1 + (number as u32 + 1) % 2..MAX_PLY as u32).all(|depth| iteration.deepen(depth));
                };
                // If a thread cannot be started, there are fewer helpers.
                if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            let iteration = Iteration { worker: main, run: Run { shared, timer: Some(&timer) }, root, roots, lines };
            let found = iteration.run(limits, &timer, report);
            shared.ended.store(true, Ordering::Relaxed);
            found
        })
    }
}

fn no_memory(bytes: usize) -> BackendError {
    BackendError::OutOfMemory {
        device: "CPU".to_owned(),
        doing: format!("making a transposition table of {bytes} bytes"),
    }
}

/// A move of the root.
#[derive(Clone, Debug)]
struct Root {
    played: Move,
    after: Quad48,
    /// The value at this depth; below all other values if only a bound is known.
    value: i32,
    /// The value at the most recent depth where the move was among the best.
    best: i32,
    /// The line after the move.
    line: Vec<Quad48>,
}

impl Root {
    fn new(played: Move, after: Quad48) -> Self {
        Self { played, after, value: -INFINITE, best: 0, line: Vec::new() }
    }
}

/// Iterative deepening on one thread.
struct Iteration<'a> {
    worker: &'a mut Worker,
    run: Run<'a>,
    root: &'a RootPosition,
    /// The moves of the root; the best move of the previous depth comes first.
    roots: Vec<Root>,
    /// The number of best lines to find.
    lines: usize,
}

impl Iteration<'_> {
    /// Searches to increasing depths until a limit is reached.
    fn run(mut self, limits: &Limits, timer: &Timer, report: &mut dyn FnMut(&Info)) -> SearchResult {
        let signals = self.run.shared.signals;
        let mut finished = 0;
        let mut patience: f64 = 1.0;
        let mut value_before = -INFINITE;
        let deepest = limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 1);
        for depth in 1..=deepest {
            let best_before = self.roots[0].played;
            let is_complete = self.deepen(depth);
            for rank in 0..self.lines {
                if self.roots[rank].value > -INFINITE {
                    report(&self.info(depth, rank, timer));
                }
            }
            if !is_complete {
                break;
            }
            finished = depth;
            let is_same = self.roots[0].played == best_before;
            let value = self.roots[0].best;
            let is_worse = value < value_before - WORRY;
            value_before = value;
            patience = if is_same { (patience * 0.9).max(0.6) } else { patience + 0.5 };
            patience = (patience + if is_worse { 0.4 } else { 0.0 }).min(2.0);
            let score = Score::from_value(self.roots[0].best);
            let is_mate = |most: u32| score.mate_moves().is_some_and(|moves| moves > 0 && moves as u32 <= most);
            if limits.mate.is_some_and(is_mate) || timer.is_soft_over(signals, patience) {
                break;
            }
            // A single move needs no search, and a mate within the depth is final.
            let is_clear = self.roots.len() == 1 || score.mate_plies().is_some_and(|plies| plies < depth);
            if is_clear && depth > 5 && timer.is_running(signals) {
                break;
            }
        }
        let best = &self.roots[0];
        // Without a value at depth 1, only the evaluation is known.
        let is_valued = finished > 0 || best.value > -INFINITE;
        let score = if is_valued { Score::from_value(best.best) } else { evaluate(&self.root.position) };
        SearchResult { score, line: self.moves(best), depth: finished, nodes: self.nodes() }
    }

    /// Searches the root to a depth: the best move, then the best of the other moves, and so on. Returns whether the search
    /// was finished; if not, the values of the searched moves are still correct.
    fn deepen(&mut self, depth: u32) -> bool {
        for root in &mut self.roots {
            root.value = -INFINITE;
        }
        for rank in 0..self.lines {
            let is_complete = self.aspire(depth as i32, rank);
            // Moves that were not searched follow in their old order.
            let by_value = |root: &Root| std::cmp::Reverse(root.value);
            self.roots[rank..].sort_by_key(by_value);
            if !is_complete {
                return false;
            }
            // A later line may have a better value than a line that is not searched again.
            self.roots[..=rank].sort_by_key(by_value);
        }
        true
    }

    /// Searches the moves of the root from `rank` on, first with a narrow window around the last value.
    fn aspire(&mut self, depth: i32, rank: usize) -> bool {
        let guess = self.roots[rank].best;
        let mut width = if depth >= NARROW as i32 { WINDOW } else { 2 * INFINITE };
        let mut window = [(guess - width).max(-INFINITE), (guess + width).min(INFINITE)];
        loop {
            let Some(value) = self.search(depth, rank, window) else { return false };
            width *= 3;
            if value <= window[0] {
                window[0] = if width > 1_000 { -INFINITE } else { (value - width).max(-INFINITE) };
            } else if value >= window[1] {
                window[1] = if width > 1_000 { INFINITE } else { (value + width).min(INFINITE) };
            } else {
                return true;
            }
            // The best move so far is tried first.
            self.roots[rank..].sort_by_key(|root| std::cmp::Reverse(root.value));
        }
    }

    /// Searches the moves of the root from `rank` on by principal variation search; `None` if the search was stopped.
    /// For moves after the first, a proof that they are worse suffices.
    fn search(&mut self, depth: i32, rank: usize, [mut alpha, beta]: [i32; 2]) -> Option<i32> {
        let position = &self.root.position;
        let mut best = -INFINITE;
        for index in rank..self.roots.len() {
            let after = self.roots[index].after;
            let is_first = index == rank;
            let mut value = -INFINITE;
            if !is_first {
                // Late moves are first searched less deeply.
                let reduced = depth - 1 - i32::from(depth >= 4 && index > rank + 5);
                value = self.successor(position, &after, reduced, [alpha, alpha + 1])?;
                if value > alpha && reduced < depth - 1 {
                    value = self.successor(position, &after, depth - 1, [alpha, alpha + 1])?;
                }
            }
            if is_first || value > alpha {
                value = self.successor(position, &after, depth - 1, [alpha, beta])?;
            }
            let root = &mut self.roots[index];
            root.value = -INFINITE;
            if value > best {
                best = value;
                if is_first || value > alpha {
                    root.value = value;
                    root.best = value;
                    root.line.clear();
                    root.line.push(after);
                    root.line.extend_from_slice(&self.worker.lines[1]);
                }
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }

    /// Returns the value of a move; `None` if the search was stopped.
    fn successor(&mut self, before: &Quad48, after: &Quad48, depth: i32, window: [i32; 2]) -> Option<i32> {
        let value = self.worker.root_successor(self.run, (before, after), depth, window);
        (!self.worker.stopped).then_some(value)
    }

    fn info(&self, depth: u32, rank: usize, timer: &Timer) -> Info {
        let root = &self.roots[rank];
        Info {
            depth,
            selective_depth: self.worker.deepest as u32,
            rank: rank + 1,
            score: Score::from_value(root.best),
            line: self.moves(root),
            nodes: self.nodes(),
            time: timer.elapsed(),
            table_fullness: self.run.shared.table.fullness(),
        }
    }

    fn moves(&self, root: &Root) -> Vec<Move> {
        let rules = &self.root.rules;
        let mut moves = vec![root.played];
        for pair in root.line.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|position| position.unpack_unchecked());
            moves.extend(Move::between(rules, &before, &after));
        }
        moves
    }

    /// Returns the nodes that the threads have reported so far.
    fn nodes(&self) -> u64 {
        self.run.shared.nodes.load(Ordering::Relaxed).max(self.worker.nodes)
    }
}
