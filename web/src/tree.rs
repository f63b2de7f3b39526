//! Counting a tree in short steps.
//!
//! The page divides a tree into tasks of about equal size ([`tasks`]) and gives them to its workers. A worker counts a task
//! step by step ([`Walk`]); after each step it reports, and it can be stopped. Sizes come from the number of moves, not
//! from timing, so a tree is always split the same way.

use kogge_board::{Backend, BackendError, Categories, Fen, Position, Quad48, Rules, unwatched};
use serde::Serialize;

use crate::position;

/// The estimated number of leaves in a step.
const STEP: f64 = (1 << 23) as f64;

/// The minimum number of estimated leaves in a task: a smaller task takes less time than giving it to a worker.
const LEAST_TASK: f64 = (1 << 22) as f64;

/// The maximum depth of a tree in plies.
pub const MOST_PLIES: u32 = 30;

/// Positions to count, all of them below one move of the root.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Task {
    /// The number of the move.
    pub row: usize,
    /// The depth to count below the positions, in plies.
    pub depth: u32,
    /// The positions as FEN.
    pub positions: Vec<String>,
    /// The estimated number of leaves.
    pub size: f64,
}

/// Positions of one tree that are packed, under rules without a halfmove clock.
pub(crate) struct Batch {
    pub(crate) rules: Rules,
    pub(crate) positions: Vec<Quad48>,
}

impl Batch {
    /// Packs positions. A FEN without a castling right does not show the file of the right's rook, so the rules come from all
    /// FENs together.
    pub(crate) fn of(fens: &[String]) -> Result<Self, String> {
        let mut packed = Self { rules: Rules::STANDARD, positions: Vec::with_capacity(fens.len()) };
        let mut files = [None; 4];
        for fen in fens {
            let Fen { position, rules, .. } = position::parse(fen)?;
            for (right, known) in
                files.iter_mut().enumerate().filter(|(right, _)| position.state.castling() >> right & 1 != 0)
            {
                let file = rules.castling_files[right];
                if *known.get_or_insert(file) != file {
                    return Err("The positions castle with different rooks; they cannot be counted together.".into());
                }
                packed.rules.castling_files[right] = file;
            }
            packed.positions.push(Quad48::from(&position).with_halfmove_clock(0));
        }
        Ok(packed)
    }
}

/// Returns the estimated leaves `depth` plies below a position with this number of moves.
fn estimate(moves: u128, depth: u32) -> f64 {
    (moves.max(2) as f64).powi(depth.cast_signed())
}

/// Divides the tree `depth` plies below a root into tasks: about `wanted` or fewer tasks if the tree is large, else one for each
/// move. The FENs are the positions after the root's moves.
///
/// # Errors
/// A sentence if a FEN cannot be read, if the depth is not 1 to [`MOST_PLIES`], or if the backend fails.
pub fn tasks(backend: &mut impl Backend, fens: &[String], depth: u32, wanted: usize) -> Result<Vec<Task>, String> {
    if !(1..=MOST_PLIES).contains(&depth) {
        return Err(format!("The depth is {depth}; expected 1 to {MOST_PLIES}."));
    }
    let Batch { rules, positions } = Batch::of(fens)?;
    let failed = |error: BackendError| error.to_string();
    let counts = backend.perft(&rules, &positions, 1, &mut unwatched).map_err(failed)?;
    let total: f64 = counts.iter().map(|&count| estimate(count, depth - 1)).sum();
    let most = LEAST_TASK.max(total / wanted.max(1) as f64);
    let mut tasks = Vec::new();
    for (row, position) in positions.into_iter().enumerate() {
        // Positions that are too large for one task are expanded; neighbours share a task.
        let mut pending = vec![(vec![position], depth - 1)];
        while let Some((family, depth)) = pending.pop() {
            let counts = backend.perft(&rules, &family, 1, &mut unwatched).map_err(failed)?;
            let empty = || Task { row, depth, positions: Vec::new(), size: 0.0 };
            let mut task = empty();
            for (position, moves) in family.into_iter().zip(counts) {
                let size = estimate(moves, depth);
                if size > most && depth > 1 {
                    let successors = backend.expand(&rules, &[position]).map_err(failed)?;
                    pending.push((successors.positions, depth - 1));
                    continue;
                }
                if !task.positions.is_empty() && task.size + size > most {
                    tasks.push(std::mem::replace(&mut task, empty()));
                }
                task.positions.push(text_of(&rules, &position)?);
                task.size += size;
            }
            if !task.positions.is_empty() {
                tasks.push(task);
            }
        }
    }
    Ok(tasks)
}

fn text_of(rules: &Rules, position: &Quad48) -> Result<String, String> {
    let position: Position = position.unpack(rules).map_err(|error| error.to_string())?;
    Ok(Fen::new(position, *rules).to_string())
}

/// Counts the leaves below some positions, depth first, in steps of a fraction of a second.
pub struct Walk {
    rules: Rules,
    /// Positions to count, each with its plies. Neighbours of equal depth are counted together.
    pending: Vec<(Quad48, u32)>,
}

impl Walk {
    /// A walk of `depth` plies.
    ///
    /// # Errors
    /// A sentence if a FEN cannot be read.
    pub fn new(fens: &[String], depth: u32) -> Result<Self, String> {
        let Batch { rules, positions } = Batch::of(fens)?;
        Ok(Self { rules, pending: positions.into_iter().map(|position| (position, depth)).collect() })
    }

    /// Whether all leaves are counted.
    pub fn is_done(&self) -> bool {
        self.pending.is_empty()
    }

    /// Counts some of the remaining leaves, and returns their number.
    ///
    /// # Errors
    /// If the backend fails.
    pub fn step(&mut self, backend: &mut impl Backend) -> Result<u128, BackendError> {
        let mut leaves = 0_u128;
        let mut room = STEP;
        while let Some((batch, depth)) = self.next(backend, &mut room)? {
            for count in backend.perft(&self.rules, &batch, depth, &mut unwatched)? {
                leaves = leaves.checked_add(count).ok_or(BackendError::Overflow)?;
            }
        }
        Ok(leaves)
    }

    /// Counts some of the remaining leaves by the kinds of moves that lead to them.
    ///
    /// # Errors
    /// If the backend fails.
    pub fn step_by_kind(&mut self, backend: &mut impl Backend) -> Result<Categories, BackendError> {
        let mut sum = Categories::default();
        let mut room = STEP;
        while let Some((batch, depth)) = self.next(backend, &mut room)? {
            for categories in backend.categories(&self.rules, &batch, depth, &mut unwatched)? {
                sum = sum.plus(&categories).ok_or(BackendError::Overflow)?;
            }
        }
        Ok(sum)
    }

    /// Takes positions of equal depth whose leaves fit in the rest of a step; `None` if no position fits.
    fn next(&mut self, backend: &mut impl Backend, room: &mut f64) -> Result<Option<(Vec<Quad48>, u32)>, BackendError> {
        while let Some(&(position, depth)) = self.pending.last() {
            let moves = backend.perft(&self.rules, &[position], 1, &mut unwatched)?;
            let size = estimate(moves.first().copied().unwrap_or(0), depth);
            if size > STEP && depth > 2 {
                self.pending.pop();
                let successors = backend.expand(&self.rules, &[position])?;
                self.pending.extend(successors.positions.into_iter().map(|position| (position, depth - 1)));
                continue;
            }
            if size > *room {
                return Ok(None);
            }
            // Takes as many positions of the same depth as fit, if they are about as large as this one.
            let most = ((*room / size) as usize).clamp(1, 256);
            let same = self.pending.iter().rev().take(most).take_while(|(_, plies)| *plies == depth).count();
            let batch = self.pending.drain(self.pending.len() - same..).map(|(position, _)| position).collect();
            *room -= size * same as f64;
            return Ok(Some((batch, depth)));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::known;
    use kogge_movegen_cpu::Cpu;

    use super::*;

    fn after(fen: &str) -> Vec<String> {
        position::describe(fen, false).unwrap().moves.into_iter().map(|found| found.after).collect()
    }

    fn counted(fen: &str, depth: u32, wanted: usize) -> (Vec<u128>, usize) {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let fens = after(fen);
        let tasks = tasks(&mut cpu, &fens, depth, wanted).unwrap();
        let mut rows = vec![0; fens.len()];
        for task in &tasks {
            let mut walk = Walk::new(&task.positions, task.depth).unwrap();
            while !walk.is_done() {
                rows[task.row] += walk.step(&mut cpu).unwrap();
            }
        }
        (rows, tasks.len())
    }

    fn total(rows: &[u128]) -> u128 {
        rows.iter().sum()
    }

    #[test]
    fn tasks_and_steps_add_up_to_known_counts() {
        for known in known::standard() {
            let fen = known.root.to_string();
            for depth in 1..=known.depth_within(20_000_000) {
                let (rows, _) = counted(&fen, depth, 64);
                assert_eq!(Some(total(&rows)), known.leaves(depth), "{fen} {depth}");
            }
        }
        for known in known::chess960() {
            let (rows, _) = counted(&known.root.to_string(), 3, 1000);
            assert_eq!(Some(total(&rows)), known.leaves(3), "{}", known.name);
        }
    }

    #[test]
    fn kinds_of_moves_add_up_to_known_counts() {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut rows = 0;
        for line in include_str!("../../data/categories.tsv").lines().filter(|line| !line.starts_with('#')) {
            let (name, numbers) = line.split_once('\t').unwrap();
            let numbers: Vec<u128> = numbers.split('\t').map(|number| number.parse().unwrap()).collect();
            let [depth, expected @ ..] = &numbers[..] else { panic!("{line}") };
            if expected[0] > 10_000_000 {
                continue;
            }
            let root = known::standard().into_iter().find(|known| known.name == name).unwrap().root;
            let mut walk = Walk::new(&[root.to_string()], *depth as u32).unwrap();
            let mut sum = Categories::default();
            while !walk.is_done() {
                sum = sum.plus(&walk.step_by_kind(&mut cpu).unwrap()).unwrap();
            }
            assert_eq!(sum.to_array(), expected, "{line}");
            rows += 1;
        }
        assert!(rows > 4, "only {rows} rows were counted");
    }

    /// After some moves a FEN no longer shows which rook may castle; the FENs of its neighbours do.
    #[test]
    fn positions_with_and_without_rights_are_counted_together() {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        for known in known::chess960() {
            let mut fens = after(&known.root.to_string());
            for _ in 0..2 {
                let mut walk = Walk::new(&fens, 2).unwrap();
                let mut leaves = 0;
                while !walk.is_done() {
                    leaves += walk.step(&mut cpu).unwrap();
                }
                assert_eq!(Some(leaves), known.leaves(3), "{}", known.name);
                fens.reverse();
            }
        }
        let different = ["4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "4k3/8/8/8/8/8/8/4KR2 w F - 0 1"].map(str::to_owned);
        assert!(Walk::new(&different, 1).is_err_and(|error| error.contains("different rooks")));
    }

    #[test]
    fn small_trees_have_a_task_for_each_move_and_large_trees_as_many_as_wanted() {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut count = |depth, wanted| tasks(&mut cpu, &after(kogge_board::START), depth, wanted).unwrap().len();
        assert_eq!((count(1, 64), count(4, 64)), (20, 20));
        let many = count(9, 256);
        assert!((128..1024).contains(&many), "{many}");
    }

    #[test]
    fn depths_out_of_range_are_refused() {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        for depth in [0, MOST_PLIES + 1] {
            assert!(tasks(&mut cpu, &after(kogge_board::START), depth, 1).unwrap_err().contains("expected 1 to 30"));
        }
    }
}
