//! Distinct positions, positions reached once and diagrams, compared with a map of the positions' texts.

use std::collections::{HashMap, HashSet};

use crate::support::{KIWIPETE, MATE, fen};
use kogge_board::{Backend, Fen, Quad48, known};
use kogge_driver::{Distinct, Driver};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

/// Counts the lines of moves to every position of each ply, by the first four fields of its FEN. The mailbox makes the moves.
fn by_text(root: &Fen, plies: u32) -> Vec<Distinct> {
    let mut mailbox = Mailbox::new();
    let rules = root.rules.with_halfmove_clock(false);
    let text = |position: &Quad48| {
        let fen = Fen::new(position.unpack_unchecked(), rules).to_string();
        fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
    };
    let start = Quad48::from(&root.position).with_halfmove_clock(0);
    let mut ply = HashMap::from([(text(&start), (start, 1_u64))]);
    let mut counts = Vec::new();
    for left in (0..=plies).rev() {
        let diagrams: HashSet<_> = ply.keys().map(|text| text.split(' ').next()).collect();
        let once = ply.values().filter(|(_, lines)| *lines == 1).count() as u64;
        counts.push(Distinct { positions: ply.len() as u64, once, diagrams: Some(diagrams.len() as u64) });
        let mut next = HashMap::new();
        for (position, lines) in ply.into_values().filter(|_| left > 0) {
            for &successor in mailbox.expand(&rules, &[position]).unwrap().of(0) {
                next.entry(text(&successor)).or_insert((successor, 0)).1 += lines;
            }
        }
        ply = next;
    }
    counts
}

/// Castling rights and en passant give several positions with one diagram, in orthodox chess and Chess960; the last position
/// has such diagrams of all kinds.
const ROOTS: [(&str, u32); 7] = [
    (KIWIPETE, 3),
    (MATE, 2),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 4),
    ("4k3/1p1p4/8/P1P1P3/8/8/8/4K3 b - - 0 1", 6),
    ("1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1", 4),
    ("rk3r2/p1p5/8/1P6/1p6/8/P1P5/RK3R2 w FAfa - 0 1", 4),
    ("8/8/8/4k3/8/8/8/4K3 w - - 0 1", 13),
];

#[test]
fn distinct_positions_are_those_of_their_texts() {
    let (mut cpu, mut mailbox) = (Cpu::new(Some(2)).unwrap(), Mailbox::new());
    let mut with_fewer_diagrams = 0;
    let start = Fen::start();
    let suite = known::chess960();
    let suite = suite.iter().step_by(16).map(|known| (known.root, 3));
    let roots = ROOTS.map(|(root, plies)| (fen(root), plies)).into_iter().chain([(start, 4)]).chain(suite);
    for (root, plies) in roots {
        let expected = by_text(&root, plies);
        let found = Driver::new(&mut cpu, &()).unique(&root, plies, 1 << 26, true);
        assert_eq!(found.as_ref(), Ok(&expected), "{root}");
        // This backend cannot count diagrams, so its entries are read back.
        let found = Driver::new(&mut mailbox, &()).unique(&root, plies.min(3), 1 << 26, true);
        assert_eq!(found.unwrap(), expected[..=plies.min(3) as usize], "{root}");
        // With little memory, diagrams are counted in parts.
        let memory = 200 * expected.iter().map(|ply| ply.positions).max().unwrap_or(1) + 10_000;
        let found = Driver::new(&mut cpu, &()).unique(&root, plies, memory, true).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!((found.positions, found.once), (expected.positions, expected.once), "{root}");
            assert!(found.diagrams.is_none_or(|diagrams| Some(diagrams) == expected.diagrams), "{root}");
        }
        with_fewer_diagrams += usize::from(expected.iter().any(|ply| ply.diagrams < Some(ply.positions)));
    }
    assert!(with_fewer_diagrams >= 6, "{with_fewer_diagrams} roots have several positions of one diagram");
}
