//! The values of positions: leaves are evaluated, and values are backed up.

use kogge_board::attacks::in_check;
use kogge_board::minimax::QUIESCENCE_PLIES;
use kogge_board::{Planes32, Quad48, Score, evaluate as evaluation};
use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::count::count_moves_of;
use super::generate::packed_moves;
use super::make::made;
use super::position::{View, load_planes, load_position};

const LONGEST_MATE: i32 = Score::LONGEST_MATE as i32;

/// Returns the value one ply up, for the other side, with mates one ply longer.
fn value_one_ply_up(value: i32) -> i32 {
    match value {
        _ if value > Score::MATE - LONGEST_MATE => 1 - value,
        _ if value < LONGEST_MATE - Score::MATE => -1 - value,
        _ => -value,
    }
}

fn value_without_moves(check: bool) -> i32 {
    if check { -Score::MATE } else { 0 }
}

/// Returns the evaluation, and whether the side to move is in check.
fn evaluated(seen: &View) -> (i32, bool) {
    let quad = Quad48::from(&seen.position);
    (evaluation(&quad).value(), in_check(&quad))
}

pub(super) fn evaluate(arguments: &Arguments<'_>) {
    for index in arguments.indices(arguments.scalar(Scalar::first), arguments.scalar(Scalar::end)) {
        let seen = load_position(arguments, Binding::positions, index);
        let (value, check) = evaluated(&seen);
        let value = if count_moves_of(&seen) > 0 { value } else { value_without_moves(check) };
        arguments.set(Binding::values, index, value as u32);
    }
}

/// A position on the path of a search, in 64 bytes.
struct Node {
    position: Planes32,
    at: u32,
    end: u32,
    best: i32,
    alpha: i32,
    beta: i32,
}

impl Node {
    fn read(arguments: &Arguments<'_>, index: usize) -> Self {
        let words: [u32; 15] = std::array::from_fn(|word| arguments.word(Binding::nodes, 16 * index + word));
        let board = |index: usize| u64::from(words[2 * index + 1]) << 32 | u64::from(words[2 * index]);
        let position = Planes32 { codes: [board(0), board(1), board(2)], own: board(3) | board(4) };
        let [at, end, best, alpha, beta] = [10, 11, 12, 13, 14].map(|index| words[index]);
        Self { position, at, end, best: best as i32, alpha: alpha as i32, beta: beta as i32 }
    }

    fn write(&self, arguments: &Arguments<'_>, index: usize) {
        let Planes32 { codes: [bit1, bit2, bit4], own } = self.position;
        let occupied = bit1 | bit2 | bit4;
        let boards = [bit1, bit2, bit4, own & occupied, own & !occupied];
        let rest = [self.at, self.end, self.best as u32, self.alpha as u32, self.beta as u32];
        let boards = boards.into_iter().flat_map(|board| [board as u32, (board >> 32) as u32]);
        for (word, value) in boards.chain(rest).enumerate() {
            arguments.set(Binding::nodes, 16 * index + word, value);
        }
    }
}

/// Finds the values of positions `depth` plies (zero or one) above their leaves, by alpha-beta with quiescence. Every
/// work-item visits a limited number of positions, and stores its path for the next launch.
pub(super) fn quiesce(arguments: &Arguments<'_>) {
    for lane in arguments.indices(0, arguments.scalar(Scalar::lanes)) {
        if search(arguments, lane) {
            arguments.set(Binding::new_item_count, 1, 1);
        }
    }
}

/// Continues the search of a work-item. Returns whether the search may need another launch.
fn search(arguments: &Arguments<'_>, lane: usize) -> bool {
    let (end, room, depth) =
        (arguments.scalar(Scalar::end), arguments.scalar(Scalar::capacity), arguments.scalar(Scalar::depth));
    let [mut index, mut ply] = arguments.read(Binding::states, lane);
    let node = |ply: u32| lane * (QUIESCENCE_PLIES as usize + 1) + ply as usize;
    if index >= end {
        return false;
    }
    for _ in 0..arguments.scalar(Scalar::steps) {
        let (here, alpha, beta) = if ply > 0 {
            let mut parent = Node::read(arguments, node(ply - 1));
            let [packed, _] = arguments.read(Binding::new_items, parent.at as usize);
            parent.at += 1;
            parent.write(arguments, node(ply - 1));
            (made(&View::from(&parent.position), packed), -parent.beta, -parent.alpha)
        } else {
            index = arguments.add(Binding::new_item_count, 0, 1);
            if index >= end {
                arguments.write(Binding::states, lane, [index, ply]);
                return false;
            }
            let infinite = Score::MATE + 1;
            (load_planes(arguments, Binding::positions, index as usize), -infinite, infinite)
        };
        let seen = View::from(&here);
        let (value, check) = evaluated(&seen);
        let (all_moves, is_last) = (ply < depth, ply == depth + QUIESCENCE_PLIES);
        let mut found = if check && !is_last { ply as i32 - Score::MATE } else { value };
        let drawn = ply == depth && !check && count_moves_of(&seen) == 0;
        let mut opened = false;
        // A side that is not in check can stand pat.
        if all_moves || (!drawn && !is_last && (check || found < beta)) {
            let top = if ply == 0 { lane as u32 * room } else { Node::read(arguments, node(ply - 1)).end };
            let most = (lane as u32 + 1) * room;
            let mut at = top;
            for &packed in packed_moves(&seen).iter() {
                if at < most && (all_moves || check || is_tactical(&seen, packed)) {
                    arguments.write(Binding::new_items, at as usize, [packed, 0]);
                    at += 1;
                }
            }
            if at == most {
                arguments.set(Binding::totals, 0, 1);
            }
            opened = at > top;
            if opened {
                let best = if all_moves { -Score::MATE - 1 } else { found };
                let position = here;
                Node { position, at: top, end: at, best, alpha: alpha.max(best), beta }.write(arguments, node(ply));
                ply += 1;
            }
        }
        if drawn || (all_moves && !opened && !check) {
            found = 0;
        }
        // Returns to the nearest position above that has moves left and no cutoff.
        while !opened && ply > 0 {
            let mut parent = Node::read(arguments, node(ply - 1));
            parent.best = parent.best.max(-found);
            parent.alpha = parent.alpha.max(parent.best);
            parent.write(arguments, node(ply - 1));
            opened = parent.alpha < parent.beta && parent.at < parent.end;
            if !opened {
                found = parent.best;
                ply -= 1;
            }
        }
        if !opened {
            arguments.set(Binding::values, index as usize, found as u32);
        }
    }
    arguments.write(Binding::states, lane, [index, ply]);
    true
}

/// Returns whether a move is a capture or a promotion.
fn is_tactical(seen: &View, packed: u32) -> bool {
    let square = |shift: u32| 1_u64 << (packed >> shift & 63);
    let is_promotion = seen.position.pawns & square(0) != 0 && packed >> 12 & 7 != 1;
    let is_castling = packed >> 15 & 3 == 2;
    is_promotion || packed >> 15 & 3 == 1 || (!is_castling && seen.position.occupied() & square(6) != 0)
}

/// Sets the values of the positions of some blocks to the greatest of their successors' values.
pub(super) fn back_up(arguments: &Arguments<'_>) {
    let (first, block) = (arguments.scalar(Scalar::first), arguments.group_size);
    for index in arguments.indices(first, arguments.scalar(Scalar::end)) {
        let len = arguments.word(Binding::counts, index) as usize;
        let base = |index: usize| arguments.word(Binding::bases, index / block);
        let value = if len == 0 {
            value_without_moves(evaluated(&load_position(arguments, Binding::positions, index)).1)
        } else {
            let offset = arguments.word(Binding::offsets, index);
            let at = base(index).wrapping_sub(base(first as usize)).wrapping_add(offset) as usize;
            let values =
                (at..at + len).map(|at| value_one_ply_up(arguments.word(Binding::successor_values, at) as i32));
            values.max().unwrap_or(-Score::MATE - 1)
        };
        arguments.set(Binding::values, index, value as u32);
    }
}
