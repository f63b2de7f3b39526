//! The suite's test of the kinds of moves.

use kogge_board::{Backend, Categories, Fen, Quad48, known, unwatched};
use kogge_movegen_cpu::mailbox::Mailbox;

use super::{placements, playouts};

/// The maximum number of leaves of a published row that is recomputed.
const MOST_LEAVES: u128 = 5_000_000;

/// Compares the kinds of moves with published numbers, and with the mailbox generator on random placements and positions of random
/// games, Chess960 included.
pub fn kinds_of_moves(backend: &mut dyn Backend) {
    let standard = known::standard();
    let mut seen = 0;
    for (name, depth, expected) in published() {
        let root = standard.iter().find(|known| known.name == name).map(|known| known.root);
        let Fen { position, rules, .. } = root.unwrap_or_else(|| panic!("{name} is not known"));
        if expected.nodes <= MOST_LEAVES {
            assert_eq!(
                backend.categories(&rules, &[Quad48::from(&position)], depth, &mut unwatched),
                Ok(vec![expected]),
                "{name} {depth}"
            );
            seen += 1;
        }
    }
    assert!(seen > 7, "only {seen} published rows");
    let mut mailbox = Mailbox::new();
    let mut totals = Categories::default();
    for (number, (rules, positions)) in placements().into_iter().chain(playouts(&mut mailbox)).enumerate() {
        // One ply below all positions, two below some, three below a few.
        for (depth, step) in [(0, 7), (1, 1), (2, 17), (3, 401)] {
            let some: Vec<_> = positions.iter().skip(number % step).step_by(step).copied().collect();
            let ask = |backend: &mut dyn Backend| {
                let found = backend.categories(&rules, &some, depth, &mut unwatched);
                found.unwrap_or_else(|error| panic!("{error}"))
            };
            let (found, expected) = (ask(backend), ask(&mut mailbox));
            assert_eq!(found.len(), some.len(), "categories for each position");
            for ((position, found), expected) in some.iter().zip(&found).zip(&expected) {
                let fen = Fen::new(position.unpack_unchecked(), rules);
                assert_eq!(found, expected, "{fen} at depth {depth}");
                totals = totals.plus(found).unwrap_or_default();
            }
        }
    }
    assert!(totals.to_array().iter().all(|&number| number > 100), "every kind occurs: {totals:?}");
    assert_eq!(backend.categories(&kogge_board::Rules::STANDARD, &[], 2, &mut unwatched), Ok(Vec::new()));
}

/// The published rows: the name of a position, the depth, and the leaves by kind.
fn published() -> impl Iterator<Item = (&'static str, u32, Categories)> {
    let rows = include_str!("../../../data/categories.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| {
        let mut fields = row.split('\t');
        let (name, depth) = (fields.next()?, fields.next()?.parse().ok()?);
        let mut numbers = [0; Categories::COUNT];
        for number in &mut numbers {
            *number = fields.next()?.parse().ok()?;
        }
        Some((name, depth, Categories::from_array(numbers)))
    })
}
