//! A device that helps the search by evaluating positions in large batches.
//!
//! The search on the CPU evaluates one position after the other; a GPU needs many at a time. Therefore another thread takes
//! the best line of the search, finds the quiet positions one and two plies beside it, and asks a backend for their minimax
//! values, one ply deep, then two, and so on. The thread stores the values in the transposition table as exact values with
//! the best move, and the search finds them there.
//!
//! The search never waits for the device. When the search ends, the device finishes its batch, which takes some
//! milliseconds. A backend that fails reports its error and stops helping.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use kogge_board::attacks::{Sides, in_check};
use kogge_board::minimax::FIFTY_MOVES;
use kogge_board::{Backend, BackendError, Leaves, Piece, Quad48, Rules, unwatched};
use kogge_movegen_cpu::{Code, Wanted};

use crate::exchange::{exchange, kind};
use crate::order::squares;
use crate::table::{Bound, Known, Table, key};

/// The greatest depth of evaluations, in plies.
const DEEPEST: u8 = 4;
/// The numbers of positions in the first and in the largest batch. Each position has some thirty leaves.
const FIRST_BATCH: usize = 1 << 4;
const MOST_BATCH: usize = 1 << 14;
/// The time that a batch should take; it is short, so that the device soon gets the next task.
const CALL: Duration = Duration::from_millis(10);
/// The approximate number of moves of a position, which is the factor in time of one more ply.
const MOVES: usize = 32;

/// A task for the device.
pub(crate) struct Task {
    pub(crate) rules: Rules,
    /// The table that receives the values.
    pub(crate) table: Arc<Table>,
    /// The root and the positions of the best line.
    pub(crate) line: Vec<Quad48>,
}

/// The thread that drives the backend.
pub(crate) struct Assistant {
    /// The sender of tasks; `None` only during the drop.
    tasks: Option<Sender<Option<Task>>>,
    thread: Option<JoinHandle<()>>,
    evaluated: Arc<AtomicU64>,
}

impl Assistant {
    /// Starts a thread for this backend; `complain` receives the error if the backend fails.
    pub(crate) fn new(
        backend: Box<dyn Backend>,
        code: Code,
        complain: Box<dyn FnOnce(&BackendError) + Send>,
    ) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let evaluated = Arc::new(AtomicU64::new(0));
        let mut helper = Helper { backend, code, evaluated: Arc::clone(&evaluated) };
        let work = move || {
            if let Err(error) = helper.run(&receiver) {
                complain(&error);
            }
        };
        let thread = Builder::new().name("kogge-assistant".to_owned()).spawn(work)?;
        Ok(Self { tasks: Some(sender), thread: Some(thread), evaluated })
    }

    /// Sets or removes the current task.
    pub(crate) fn help(&self, task: Option<Task>) {
        if let Some(tasks) = &self.tasks {
            // A backend that has failed has reported its error.
            let _ = tasks.send(task);
        }
    }

    /// Returns the number of positions evaluated so far.
    pub(crate) fn evaluated(&self) -> u64 {
        self.evaluated.load(Ordering::Relaxed)
    }
}

impl Drop for Assistant {
    fn drop(&mut self) {
        self.help(None);
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct Helper {
    backend: Box<dyn Backend>,
    code: Code,
    evaluated: Arc<AtomicU64>,
}

impl Helper {
    /// Works on tasks until the sender is dropped.
    fn run(&mut self, tasks: &Receiver<Option<Task>>) -> Result<(), BackendError> {
        let mut next = tasks.recv();
        while let Ok(task) = next {
            next = match task {
                Some(task) => self.help(&task, tasks)?,
                None => tasks.recv(),
            };
        }
        Ok(())
    }

    /// Works on a task until the next one arrives, and returns the next one.
    fn help(
        &mut self,
        task: &Task,
        tasks: &Receiver<Option<Task>>,
    ) -> Result<Result<Option<Task>, RecvError>, BackendError> {
        let mut frontier = Frontier::default();
        // The end of the line comes first, because the search goes there next.
        let mut line = task.line.iter().rev();
        let mut size = FIRST_BATCH;
        for depth in 1..=DEEPEST {
            let mut done = 0;
            loop {
                if let Some(newest) = tasks.try_iter().last() {
                    return Ok(Ok(newest));
                }
                while frontier.found.len() < done + size
                    && let Some(position) = line.next()
                {
                    frontier.look_beside(self.code, &task.rules, position);
                }
                let batch = &frontier.found[done..frontier.found.len().min(done + size)];
                if batch.is_empty() {
                    break;
                }
                let start = Instant::now();
                self.evaluate(task, batch, depth)?;
                done += batch.len();
                match start.elapsed() {
                    took if took > CALL => size = (size / 2).max(1),
                    took if took < CALL / 2 => size = (size * 2).min(MOST_BATCH),
                    _ => {}
                }
            }
            size = (size / MOVES).max(1);
        }
        Ok(tasks.recv())
    }

    /// Evaluates quiet positions to this depth, and stores the values in the table. Skips positions that the table has with
    /// at least this depth.
    fn evaluate(&mut self, task: &Task, positions: &[Quad48], depth: u8) -> Result<(), BackendError> {
        let Task { rules, table, .. } = task;
        let mut successors = Vec::new();
        let mut wanted = Vec::new();
        for position in positions {
            let key = key(position);
            if table.get(key).is_none_or(|known| known.depth < depth) {
                let start = successors.len();
                self.code.successors(rules, position, Wanted::All, &mut successors);
                wanted.push((position, key, start..successors.len()));
            }
        }
        let values =
            self.backend.minimax(rules, &successors, u32::from(depth) - 1, Leaves::Quiescent, &mut unwatched)?;
        self.evaluated.fetch_add(wanted.len() as u64, Ordering::Relaxed);
        for (position, key, range) in wanted {
            let values = values.get(range).unwrap_or_default().iter().map(|value| value.one_ply_up());
            // Of equal moves, the first counts. A position without moves needs no help.
            let best = values.enumerate().max_by_key(|&(index, value)| (value, std::cmp::Reverse(index)));
            if let Some((index, value)) = best {
                let (best, evaluation) = (Some(index as u16), self.code.evaluate(position).value());
                table.offer(key, Known { best, score: value.value(), evaluation, depth, bound: Bound::Exact });
            }
        }
        Ok(())
    }
}

/// The distinct quiet positions beside a line.
#[derive(Default)]
struct Frontier {
    found: Vec<Quad48>,
    seen: HashSet<u64>,
    /// Scratch memory for successors.
    near: Vec<Quad48>,
    captures: Vec<Quad48>,
}

impl Frontier {
    /// Adds the quiet positions one and two plies below a position.
    fn look_beside(&mut self, code: Code, rules: &Rules, position: &Quad48) {
        let Self { found, seen, near, captures } = self;
        near.clear();
        code.successors(rules, position, Wanted::All, near);
        for index in 0..near.len() {
            let successor = near[index];
            code.successors(rules, &successor, Wanted::All, near);
        }
        found.extend(near.iter().filter(|near| seen.insert(key(near)) && is_quiet(code, rules, near, captures)));
    }
}

/// Returns whether the side to move is not in check, can neither promote nor win material by a capture, and the
/// fifty-move rule is far away.
fn is_quiet(code: Code, rules: &Rules, position: &Quad48, captures: &mut Vec<Quad48>) -> bool {
    if in_check(position) || position.state().halfmove_clock() >= FIFTY_MOVES - 10 {
        return false;
    }
    captures.clear();
    code.successors(rules, position, Wanted::Tactical, captures);
    let sides = Sides::of(position);
    captures.iter().all(|after| {
        let (from, to) = squares(sides.own, after);
        let is_promotion = kind(position, from) == Piece::Pawn && kind(after, to) != Piece::Pawn;
        !is_promotion && exchange(position, from, to, sides.empty) <= 0
    })
}

#[cfg(test)]
mod tests {
    use kogge_board::{Fen, Score};
    use kogge_movegen_cpu::Cpu;

    use super::*;
    use crate::alpha_beta;

    const MIDDLEGAME: &str = "r1bqk2r/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R b KQkq - 4 7";

    fn position(fen: &str) -> (Rules, Quad48) {
        let fen: Fen = fen.parse().unwrap();
        (fen.rules.with_halfmove_clock(true), Quad48::from(&fen.position))
    }

    fn frontier(code: Code, rules: &Rules, position: &Quad48) -> Vec<Quad48> {
        let mut frontier = Frontier::default();
        frontier.look_beside(code, rules, position);
        frontier.found
    }

    #[test]
    fn what_it_remembers_is_the_minimax_value() {
        let code = Code::chosen().unwrap();
        let backend = Box::new(Cpu::new(Some(1)).unwrap());
        let mut helper = Helper { backend, code, evaluated: Arc::default() };
        let (mut evaluated, mut mates) = (0, 0);
        for fen in [MIDDLEGAME, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"] {
            let (rules, root) = position(fen);
            let task = Task { rules, table: Arc::new(Table::new(1 << 20).unwrap()), line: vec![root] };
            let all = frontier(code, &rules, &root);
            let frontier: Vec<_> = all.iter().copied().step_by(all.len().div_ceil(20)).collect();
            assert!(frontier.len() >= 5, "{fen}: {}", frontier.len());
            for depth in 1..=2 {
                helper.evaluate(&task, &frontier, depth).unwrap();
                for position in &frontier {
                    let (value, _) = alpha_beta(&rules, position, u32::from(depth), Leaves::Quiescent).unwrap();
                    let Some(known) = task.table.get(key(position)) else {
                        assert_eq!(value, Score::DRAW, "nothing is known of stalemate");
                        continue;
                    };
                    assert_eq!((known.score, known.depth, known.bound), (value.value(), depth, Bound::Exact));
                    assert_eq!(known.evaluation, kogge_board::evaluate(position).value());
                    let mut after = Vec::new();
                    code.successors(&rules, position, Wanted::All, &mut after);
                    let best = &after[usize::from(known.best.unwrap())];
                    let below = alpha_beta(&rules, best, u32::from(depth) - 1, Leaves::Quiescent).unwrap().0;
                    assert_eq!(below.one_ply_up(), value, "the best move is one");
                    evaluated += 1;
                    mates += usize::from(value.mate_plies().is_some());
                }
            }
        }
        assert!(evaluated >= 60 && mates >= 3, "{evaluated} positions, {mates} mates");
    }

    #[test]
    fn deeper_knowledge_stays() {
        let code = Code::chosen().unwrap();
        let mut helper = Helper { backend: Box::new(Cpu::new(Some(1)).unwrap()), code, evaluated: Arc::default() };
        let (rules, root) = position(MIDDLEGAME);
        let task = Task { rules, table: Arc::new(Table::new(1 << 20).unwrap()), line: vec![root] };
        let frontier = &frontier(code, &rules, &root)[..10];
        let deep = Known { best: Some(1), score: 77, evaluation: 5, depth: 1, bound: Bound::Upper };
        task.table.put(key(&frontier[3]), deep);
        helper.evaluate(&task, frontier, 1).unwrap();
        assert_eq!(task.table.get(key(&frontier[3])), Some(deep));
        assert_eq!(helper.evaluated.load(Ordering::Relaxed), 9);
    }

    #[test]
    fn the_frontier_is_quiet() {
        let code = Code::chosen().unwrap();
        let (rules, root) = position(MIDDLEGAME);
        let found = frontier(code, &rules, &root);
        let distinct: HashSet<_> = found.iter().copied().collect();
        assert!(found.len() > 100 && distinct.len() == found.len(), "{}", found.len());
        assert!(!found.iter().any(in_check));
        let quiet = |fen: &str| {
            let (rules, position) = position(fen);
            is_quiet(code, &rules, &position, &mut Vec::new())
        };
        for (fen, expected) in [
            ("4k3/8/2p5/3p4/8/8/3R4/4K3 w - - 0 1", true),
            ("4k3/8/8/3p4/8/8/3R4/4K3 w - - 0 1", false),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/r3K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/3R4/4K3 w - - 90 80", false),
            ("4k3/8/8/8/8/8/3R4/4K3 w - - 89 80", true),
        ] {
            assert_eq!(quiet(fen), expected, "{fen}");
        }
    }
}
