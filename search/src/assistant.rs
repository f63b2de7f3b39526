//! A device that helps the search: it judges frontier positions in large batches.
//!
//! The search on the CPU looks at one position after the other; a GPU wants many at once. So a thread of
//! its own takes the search's best line, finds the quiet positions one and two plies beside it, and asks
//! a backend for their minimax values, a ply deep, then two, and so on. They go into the transposition
//! table as exact values with the best move, where the search finds them.
//!
//! Nobody waits for the device: a search that ends leaves it to finish its batch, which takes some
//! milliseconds, and a backend that fails says so and helps no more.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use kogge_board::attacks::{Sides, in_check};
use kogge_board::minimax::FIFTY_MOVES;
use kogge_board::{Backend, BackendError, Leaves, Piece, Quad48, Rules};
use kogge_movegen_cpu::{Code, Wanted};

use crate::exchange::{exchange, kind};
use crate::order::squares;
use crate::table::{Bound, Known, Table, key};

/// The deepest that positions are judged, in plies.
const DEEPEST: u8 = 4;
/// Positions in a batch: at first, and at most. Each brings some thirty leaves.
const FIRST_BATCH: usize = 1 << 4;
const MOST_BATCH: usize = 1 << 14;
/// What a batch should take, so that the device soon hears of what is new.
const CALL: Duration = Duration::from_millis(10);
/// Moves that a position has, about: so many times longer does another ply take.
const MOVES: usize = 32;

/// What to help with.
pub(crate) struct Task {
    pub(crate) rules: Rules,
    /// Where values go.
    pub(crate) table: Arc<Table>,
    /// The root and the positions of the best line.
    pub(crate) line: Vec<Quad48>,
}

/// The thread that drives the backend.
pub(crate) struct Assistant {
    /// None only while this is dropped.
    tasks: Option<Sender<Option<Task>>>,
    thread: Option<JoinHandle<()>>,
    judged: Arc<AtomicU64>,
}

impl Assistant {
    /// Starts a thread for this backend; `complain` hears a sentence if the backend fails.
    pub(crate) fn new(
        backend: Box<dyn Backend>,
        code: Code,
        complain: Box<dyn FnOnce(&BackendError) + Send>,
    ) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let judged = Arc::new(AtomicU64::new(0));
        let mut judge = Judge { backend, code, judged: Arc::clone(&judged) };
        let work = move || {
            if let Err(error) = judge.run(&receiver) {
                complain(&error);
            }
        };
        let thread = Builder::new().name("kogge-assistant".to_owned()).spawn(work)?;
        Ok(Self { tasks: Some(sender), thread: Some(thread), judged })
    }

    /// From now on, helps with this, or rests.
    pub(crate) fn help(&self, task: Option<Task>) {
        if let Some(tasks) = &self.tasks {
            // A backend that has failed has said so.
            let _ = tasks.send(task);
        }
    }

    /// How many positions have been judged so far.
    pub(crate) fn judged(&self) -> u64 {
        self.judged.load(Ordering::Relaxed)
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

/// What the thread works with.
struct Judge {
    backend: Box<dyn Backend>,
    code: Code,
    judged: Arc<AtomicU64>,
}

impl Judge {
    /// Helps with what comes until no more can come.
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

    /// Helps until something else comes, and gives that.
    fn help(
        &mut self,
        task: &Task,
        tasks: &Receiver<Option<Task>>,
    ) -> Result<Result<Option<Task>, RecvError>, BackendError> {
        let mut frontier = Frontier::default();
        // The line's end comes first: that is where the search goes next.
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
                self.judge(task, batch, depth)?;
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

    /// Finds what quiet positions are worth, so deep, and puts it into the table. What is known as deep
    /// already is left out.
    fn judge(&mut self, task: &Task, positions: &[Quad48], depth: u8) -> Result<(), BackendError> {
        let Task { rules, table, .. } = task;
        let mut successors = Vec::new();
        let mut wanted = Vec::new();
        for position in positions {
            let place = key(position);
            if table.get(place).is_none_or(|known| known.depth < depth) {
                let start = successors.len();
                self.code.successors(rules, position, Wanted::All, &mut successors);
                wanted.push((position, place, start..successors.len()));
            }
        }
        let values = self.backend.minimax(rules, &successors, u32::from(depth) - 1, Leaves::Quiescent)?;
        self.judged.fetch_add(wanted.len() as u64, Ordering::Relaxed);
        for (position, place, range) in wanted {
            let values = values.get(range).unwrap_or_default().iter().map(|value| value.before());
            // Of equal moves the first; without any there is nothing that the search does not see itself.
            let best = values.enumerate().max_by_key(|&(index, value)| (value, std::cmp::Reverse(index)));
            if let Some((index, value)) = best {
                let (best, evaluation) = (Some(index as u16), self.code.evaluate(position).value());
                table.offer(place, Known { best, score: value.value(), evaluation, depth, bound: Bound::Exact });
            }
        }
        Ok(())
    }
}

/// The quiet positions beside a line, each once.
#[derive(Default)]
struct Frontier {
    found: Vec<Quad48>,
    seen: HashSet<u64>,
    /// Room for successors.
    near: Vec<Quad48>,
    captures: Vec<Quad48>,
}

impl Frontier {
    /// Adds the quiet positions that one and two plies from a position lead to.
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

/// Whether the side to move is not in check, can neither promote nor win material by a capture, and the
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
        let mut judge = Judge { backend, code, judged: Arc::default() };
        let (mut judged, mut mates) = (0, 0);
        for fen in [MIDDLEGAME, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"] {
            let (rules, root) = position(fen);
            let task = Task { rules, table: Arc::new(Table::new(1 << 20).unwrap()), line: vec![root] };
            let all = frontier(code, &rules, &root);
            let frontier: Vec<_> = all.iter().copied().step_by(all.len().div_ceil(20)).collect();
            assert!(frontier.len() >= 5, "{fen}: {}", frontier.len());
            for depth in 1..=2 {
                judge.judge(&task, &frontier, depth).unwrap();
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
                    assert_eq!(below.before(), value, "the best move is one");
                    judged += 1;
                    mates += usize::from(value.mate_plies().is_some());
                }
            }
        }
        assert!(judged >= 60 && mates >= 3, "{judged} positions, {mates} mates");
    }

    #[test]
    fn deeper_knowledge_stays() {
        let code = Code::chosen().unwrap();
        let mut judge = Judge { backend: Box::new(Cpu::new(Some(1)).unwrap()), code, judged: Arc::default() };
        let (rules, root) = position(MIDDLEGAME);
        let task = Task { rules, table: Arc::new(Table::new(1 << 20).unwrap()), line: vec![root] };
        let frontier = &frontier(code, &rules, &root)[..10];
        let deep = Known { best: Some(1), score: 77, evaluation: 5, depth: 1, bound: Bound::Upper };
        task.table.put(key(&frontier[3]), deep);
        judge.judge(&task, frontier, 1).unwrap();
        assert_eq!(task.table.get(key(&frontier[3])), Some(deep));
        assert_eq!(judge.judged.load(Ordering::Relaxed), 9);
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
