//! Counting leaves, with the list's length at the last ply and an optional hash table.

use std::time::{Duration, Instant};

use super::board::{Board, KING, kind};
use super::faults::Fault;
use super::make::Move;

/// The bits of the key that the table with [`Fault::TableCollides`] compares.
const FEW_BITS: u64 = (1 << 12) - 1;

/// A hash table of counts. Depth 0 marks an empty entry.
pub(super) struct Table {
    keys: Vec<u64>,
    /// The count above eight bits of depth.
    counts: Vec<u64>,
}

impl Table {
    pub(super) fn new(mebibytes: usize) -> Self {
        let entries = (mebibytes << 20) / 16;
        Self { keys: vec![0; entries], counts: vec![0; entries] }
    }

    fn slot(&self, key: u64) -> usize {
        (key % self.keys.len() as u64) as usize
    }

    fn count(&self, key: u64, depth: u32, board: &Board) -> Option<u64> {
        let slot = self.slot(key);
        let known = (self.counts[slot] & 0xFF) as u32;
        let is_depth = known == depth || known > 0 && board.faults.has(Fault::TableIgnoresDepth);
        (is_depth && self.keys[slot] == key).then(|| self.counts[slot] >> 8)
    }

    fn insert(&mut self, key: u64, depth: u32, count: u64) {
        let slot = self.slot(key);
        self.keys[slot] = key;
        self.counts[slot] = count << 8 | u64::from(depth);
    }
}

/// Keeps an engine slow.
pub(super) struct Pace {
    leaves_per_second: f64,
    start: Instant,
    leaves: u64,
}

impl Pace {
    pub(super) fn new(leaves_per_second: u32) -> Self {
        Self { leaves_per_second: f64::from(leaves_per_second.max(1)), start: Instant::now(), leaves: 0 }
    }

    /// Waits until this number of leaves may have been counted.
    fn wait_for(&mut self, leaves: u64) {
        self.leaves += leaves;
        let due = Duration::from_secs_f64(self.leaves as f64 / self.leaves_per_second);
        std::thread::sleep(due.saturating_sub(self.start.elapsed()));
    }
}

/// What counting needs besides the board.
#[derive(Default)]
pub(super) struct Counter {
    /// The moves of all plies, one list behind the other.
    list: Vec<Move>,
    pub(super) table: Option<Table>,
    pub(super) leaves_per_second: Option<u32>,
    pace: Option<Pace>,
}

impl Counter {
    /// Returns each move with the number of leaves below it.
    pub(super) fn divide(&mut self, board: &mut Board, depth: u32) -> Vec<(Move, u64)> {
        self.pace = self.leaves_per_second.map(Pace::new);
        self.list.clear();
        self.add_moves(board);
        let moves = self.list.clone();
        moves.into_iter().map(|made| (made, self.count_below(board, made, depth))).collect()
    }

    /// Adds the moves of the position to the list.
    fn add_moves(&mut self, board: &mut Board) {
        let start = self.list.len();
        board.add_moves(&mut self.list);
        let moves = &self.list[start..];
        if board.faults.has(Fault::HangsAtEnPassant)
            && !moves.is_empty()
            && moves.iter().all(|&made| board.is_en_passant(made))
        {
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
    }

    fn count_below(&mut self, board: &mut Board, made: Move, depth: u32) -> u64 {
        if depth <= 1 {
            return 1;
        }
        if made.promotion != 0 && board.faults.has(Fault::CrashesAtPromotion) {
            std::process::abort();
        }
        board.make(made);
        let leaves = self.count(board, depth - 1);
        board.undo(made);
        leaves
    }

    /// Counts the leaves at a depth of at least 1.
    fn count(&mut self, board: &mut Board, depth: u32) -> u64 {
        let key = if board.faults.has(Fault::TableCollides) { board.key & FEW_BITS } else { board.key };
        if depth > 1
            && let Some(table) = &self.table
            && let Some(leaves) = table.count(key, depth, board)
        {
            return leaves;
        }
        let start = self.list.len();
        self.add_moves(board);
        let end = self.list.len();
        let mut leaves = (end - start) as u64;
        if depth > 1 {
            leaves = (start..end).map(|index| self.count_below(board, self.list[index], depth)).sum();
            if let Some(table) = &mut self.table {
                table.insert(key, depth, leaves);
            }
        } else if let Some(pace) = &mut self.pace {
            pace.wait_for(leaves);
        }
        self.list.truncate(start);
        leaves
    }
}

impl Board {
    /// Returns the legal moves.
    pub(super) fn moves(&mut self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.add_moves(&mut moves);
        moves
    }

    /// Returns whether the side to move is in check.
    pub(super) fn is_in_check(&self) -> bool {
        self.is_attacked(self.kings[self.side], self.side ^ 1)
    }

    /// Returns whether a move is a king's step.
    pub(super) fn is_king_step(&self, made: Move) -> bool {
        kind(self.at(made.from)) == KING && made.castling == 0
    }
}
