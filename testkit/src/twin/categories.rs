//! The kinds of moves. The twin classifies all moves that do not become items at once.

use std::rc::Rc;

use kogge_gpu::kernels::{Binding, Scalar};
use kogge_movegen_cpu::mailbox::{Features, outcomes};

use super::arguments::Arguments;
use super::closed_form::{is_queued, queue};
use super::count::add_to_total;
use super::make::packed_move;
use super::memo::Memo;
use super::position::{View, load_position};

/// Returns the legal moves of a position in packed form, with their features.
fn moves(seen: &View) -> Rc<[(u32, Features)]> {
    thread_local! {
        static MOVES: Memo<(u32, Features)> = Memo::new();
    }
    let find = |seen: &View| {
        let outcomes = outcomes(&seen.rules, &seen.position);
        outcomes.into_iter().map(|outcome| (packed_move(seen, outcome.played), outcome.features)).collect()
    };
    MOVES.with(|moves| moves.get(seen, find))
}

/// Adds a move to the totals of its root.
fn add(arguments: &Arguments<'_>, root: u32, features: &Features) {
    let &Features { capture, en_passant, castling, promotion, check, discovered_check, double_check, mate } = features;
    let kinds = [true, capture, en_passant, castling, promotion, check, discovered_check, double_check, mate];
    for (kind, _) in (0..).zip(kinds).filter(|&(_, holds)| holds) {
        add_to_total(arguments, kind * arguments.scalar(Scalar::stride) + root, 1);
    }
}

/// For some moves of each position, adds them to the totals, by kind; the other moves become items.
pub(super) fn classify_moves(arguments: &Arguments<'_>) {
    for index in arguments.indices(arguments.scalar(Scalar::first), arguments.scalar(Scalar::end)) {
        let seen = load_position(arguments, Binding::positions, index);
        let root = arguments.word(Binding::roots, index);
        for (number, (packed, features)) in moves(&seen).iter().enumerate() {
            if is_queued(arguments, number) {
                queue(arguments, *packed, index);
            } else {
                add(arguments, root, features);
            }
        }
    }
}

/// Adds the moves of the items to the totals, by kind.
pub(super) fn classify_items(arguments: &Arguments<'_>) {
    let (len, capacity) = (arguments.word(Binding::item_count, 0), arguments.scalar(Scalar::item_capacity));
    if len > capacity {
        arguments.set(Binding::totals, 0, 1);
    }
    // Consecutive items mostly have the same parent.
    let mut last = (u32::MAX, Rc::default());
    for index in 0..len.min(capacity) as usize {
        let [item, parent] = arguments.read(Binding::items, index);
        if last.0 != parent {
            last = (parent, moves(&load_position(arguments, Binding::positions, parent as usize)));
        }
        let root = arguments.word(Binding::roots, parent as usize);
        for (_, features) in last.1.iter().filter(|(packed, _)| *packed == item) {
            add(arguments, root, features);
        }
    }
}
