//! The suite's tests of merging.

use std::fmt::Debug;

use kogge_board::host::HostMerge;
use kogge_board::merge::{Filter, Key, KeyRange, Merge, MergeError, MergeOptions, WeightedPosition};
use kogge_board::{Backend, Color, Fen, Planes32, Quad48, Rules};

use super::{placements, playouts};

/// The memory for each merge in bytes, enough for every test of this module.
const MEMORY: u64 = 1 << 28;

fn good<T, E: Debug>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error:?}"))
}

/// Returns all successors in the order of their bytes.
fn sorted(merge: &mut dyn Merge) -> Vec<WeightedPosition> {
    let len = merge.successors();
    let mut entries = good(merge.entries(0..len));
    assert_eq!(entries.len() as u64, len);
    entries.sort_unstable();
    entries
}

/// Returns plies of positions from random games and placements, some of them repeated, with multiplicities of all sizes. Some
/// positions have the diagram of another one, without its en-passant square and some of its castling rights.
fn plies(reference: &mut dyn Backend) -> Vec<(Rules, Vec<WeightedPosition>)> {
    let games = playouts(reference).into_iter();
    let placed = placements().into_iter().filter(|(rules, _)| !rules.halfmove_clock).step_by(12);
    let batches = games.chain(placed).zip([Color::White, Color::Black].into_iter().cycle());
    let plies = batches.map(|((rules, positions), turn)| {
        let mut mine: Vec<_> = positions.into_iter().filter(|position| position.state().turn() == turn).collect();
        let alike = |(index, position): (usize, &Quad48)| {
            let mut position = position.unpack_unchecked();
            let rights = position.state.castling() & index as u8;
            position.state = position.state.with_castling(rights).with_en_passant(None);
            Quad48::from(&position)
        };
        let alike: Vec<_> = mine.iter().enumerate().step_by(5).map(alike).collect();
        mine.extend(alike);
        let entries = mine.into_iter().enumerate().map(|(index, position)| {
            let multiplicity = [1, 3, u128::from(u32::MAX), u128::from(u64::MAX), 1 << 100][index % 5];
            WeightedPosition { position: position.with_halfmove_clock(0), multiplicity }
        });
        (rules, entries.collect::<Vec<_>>())
    });
    plies.filter(|(_, entries)| !entries.is_empty()).collect()
}

/// Merges, expands and counts random plies and their diagrams, in several ranges and with hashes that collide, and compares them with a
/// plain merge by the reference.
pub fn merged_plies(backend: &mut dyn Backend, reference: &mut dyn Backend) {
    let plies = plies(reference);
    assert!(plies.len() > 15, "only {} plies", plies.len());
    let mut of_fewer_diagrams = 0;
    for (number, (rules, entries)) in plies.iter().enumerate() {
        // Hashes of few bits make every table a list, and the time for a list is the square of its length.
        let (hash_bits, step) = [(32, 1), (2, 3), (5, 3)][number % 3];
        let entries: Vec<_> = entries.iter().copied().step_by(step).collect();
        let plain: &mut dyn Merge = &mut HostMerge::new(&mut *reference, rules, MergeOptions::with_memory(MEMORY));
        good(plain.reserve(1 << 20, Filter::All));
        good(plain.add(&entries));
        let parents = sorted(plain);
        let below = good(plain.perft(0..plain.successors(), 2));
        let kinds = [0, 1, 2].map(|depth| good(plain.categories(0..plain.successors(), depth)));
        good(plain.descend(false));
        good(plain.reserve(1 << 20, Filter::All));
        good(plain.expand(0..plain.parents()));
        let successors = sorted(plain);
        let deeper = good(plain.perft(0..plain.successors(), 1));
        let diagrams = in_parts(plain);
        assert_eq!(below, deeper, "leaves two plies below parents are those one ply below their successors");

        let mut merge = good(
            backend.merge(rules, &MergeOptions { hash_bits, categories: true, ..MergeOptions::with_memory(MEMORY) }),
        );
        assert_eq!((merge.parents(), merge.successors()), (0, 0));
        good(merge.reserve(parents.len() as u64, Filter::All));
        // Entries are added in two parts, so that new entries merge with old ones.
        let (first, second) = entries.split_at(entries.len() / 3);
        good(merge.add(first));
        good(merge.add(second));
        assert_eq!(sorted(&mut *merge), parents, "ply {number}: parents");
        assert_eq!(good(merge.perft(0..merge.successors(), 2)), below, "ply {number}: leaves below the parents");
        let found = [0, 1, 2].map(|depth| good(merge.categories(0..merge.successors(), depth)));
        assert_eq!(found, kinds, "ply {number}: kinds of moves below the parents");
        let middle = merge.successors() / 2;
        let halves = [0..middle, middle..merge.successors()].map(|half| good(merge.perft(half, 2)));
        assert_eq!(halves.iter().sum::<u128>(), below);
        good(merge.descend(false));
        assert_eq!((merge.parents(), merge.successors()), (parents.len() as u64, 0));
        let some = 0..merge.parents().min(30);
        good(merge.reserve(successors.len() as u64, Filter::All));
        let one_by_one = some.clone().step_by(7).map(|index| good(merge.expand(index..index + 1)));
        let one_by_one = one_by_one.sum::<u128>();
        assert_eq!(good(merge.expand_every(7, some)), one_by_one, "ply {number}: every seventh parent");
        let first = good(merge.expand(0..1));
        assert_eq!(good(merge.expand_every(u64::MAX, 0..u64::MAX)), first, "ply {number}: the first parent");
        let sources: Vec<_> = parents.iter().step_by(5).map(|entry| entry.position).collect();
        let moves = good(reference.expand(&rules.with_halfmove_clock(false), &sources));
        for (parent, successors) in sources.iter().zip(moves.iter()) {
            let parent = Planes32::pack(rules, &parent.unpack_unchecked());
            for successor in successors {
                let key = Key::of(&Planes32::pack(rules, &successor.unpack_unchecked()));
                let range = KeyRange { first: key, last: key };
                assert!(Filter::within(range).needs(&parent), "{successor:?} follows {parent:?}");
                let key = Key::reversed(&Planes32::pack(rules, &successor.unpack_unchecked()));
                let range = KeyRange { first: key, last: key };
                assert!(
                    Filter::within_reversed(range).needs(&parent),
                    "{successor:?} follows {parent:?} by reversed keys"
                );
            }
        }
        let planes: Vec<_> =
            successors.iter().map(|entry| Planes32::pack(rules, &entry.position.unpack_unchecked())).collect();
        for count in [2, 9] {
            let mut keys: Vec<_> = planes.iter().map(Key::of).collect();
            let mut all = Vec::new();
            let mut leaves = 0;
            for (index, range) in KeyRange::divide(&mut keys, count).into_iter().enumerate() {
                let found = kept(&mut *merge, successors.len(), Filter::within(range));
                leaves += good(merge.perft(0..merge.successors(), 1));
                all.extend(found);
                if index != number % count {
                    continue;
                }
                for filter in [Filter::within, Filter::within_reversed].map(|filter| filter(range)) {
                    for filter in [1, 2, 3, 4].map(|plies| filter.before(plies)) {
                        let expected = successors.iter().zip(&planes).filter(|(_, planes)| filter.has(planes));
                        let expected: Vec<_> = expected.map(|(entry, _)| *entry).collect();
                        let found = kept(&mut *merge, successors.len(), filter);
                        let (len, most) = (found.len(), expected.len());
                        assert!(found == expected, "ply {number}: {len} positions, not {most}, are kept by {filter:?}");
                    }
                }
            }
            all.sort_unstable();
            assert_eq!(all, successors, "ply {number}: successors in {count} ranges");
            assert_eq!(leaves, deeper, "ply {number}: leaves in {count} ranges");
            let mut keys: Vec<_> = planes.iter().map(Key::reversed).collect();
            let ranges = KeyRange::divide(&mut keys, count);
            let found = ranges
                .into_iter()
                .flat_map(|range| kept(&mut *merge, successors.len(), Filter::within_reversed(range)));
            let mut all: Vec<_> = found.collect();
            all.sort_unstable();
            assert_eq!(all, successors, "ply {number}: successors in {count} ranges of reversed keys");
        }
        kept(&mut *merge, successors.len(), Filter::All);
        assert_eq!(in_parts(&mut *merge), diagrams, "ply {number}: diagrams");
        assert_eq!(sorted(&mut *merge), successors, "ply {number}: successors after their diagrams");
        of_fewer_diagrams += usize::from(diagrams[0] < successors.len() as u64);
    }
    assert!(of_fewer_diagrams > 10, "only {of_fewer_diagrams} plies have several positions of one diagram");
}

/// Counts the diagrams of all successors, as a whole and in three parts.
fn in_parts(merge: &mut dyn Merge) -> [u64; 4] {
    [(0, 1), (0, 3), (1, 3), (2, 3)].map(|(part, parts)| good(merge.diagrams(part, parts)))
}

/// Expands the first third of the parents in one call and the others in steps, and returns the successors that pass the filter, in the order of
/// their bytes.
fn kept(merge: &mut dyn Merge, room: usize, kept: Filter) -> Vec<WeightedPosition> {
    good(merge.reserve(room as u64, kept));
    let middle = merge.parents() / 3;
    let steps = (middle..middle + 3).map(|first| good(merge.expand_every(3, first..merge.parents())));
    let paths = steps.sum::<u128>() + good(merge.expand(0..middle));
    assert_eq!(good(merge.perft(0..merge.successors(), 0)), paths, "paths to the successors of {kept:?}");
    sorted(merge)
}

/// Checks tables that are too small, sums that are too large, and entries with different sides to move.
pub fn merging_without_room(backend: &mut dyn Backend) {
    let start = Fen::start();
    let position = Quad48::from(&start.position);
    let rules = start.rules;
    let black = good(backend.expand(&rules, &[position])).positions[0];
    let mut merge = good(backend.merge(&rules, &MergeOptions::with_memory(MEMORY)));
    assert_eq!(
        merge.add(&[WeightedPosition { position, multiplicity: 1 }]),
        Err(MergeError::Full),
        "there is no room yet"
    );
    let too_many = merge.sizes().capacity + 1;
    assert_eq!(merge.reserve(too_many, Filter::All), Err(MergeError::Full));
    good(merge.reserve(100, Filter::All));
    let mixed = [WeightedPosition { position, multiplicity: 1 }, WeightedPosition { position: black, multiplicity: 1 }];
    assert_eq!(merge.add(&mixed), Err(MergeError::MixedTurns));

    // A list of 20 successors, first with room for 19, then for 20.
    good(merge.reserve(1, Filter::All));
    good(merge.add(&[WeightedPosition { position, multiplicity: 1 << 70 }]));
    good(merge.descend(false));
    good(merge.reserve(19, Filter::All));
    assert_eq!(merge.expand(0..1), Err(MergeError::Full));
    good(merge.reserve(20, Filter::All));
    good(merge.expand(0..1));
    assert_eq!(merge.successors(), 20);
    assert_eq!(good(merge.perft(0..20, 3)), 197_281 << 70);
    assert_eq!(good(merge.perft(20..20, 3)), 0);
    assert_eq!(good(merge.perft(0..20, 0)), 20 << 70);

    // Sums that do not fit.
    good(merge.reserve(1, Filter::All));
    good(merge.add(&[WeightedPosition { position, multiplicity: u128::MAX }]));
    assert_eq!(merge.add(&[WeightedPosition { position, multiplicity: 1 }]), Err(MergeError::Overflow));
    good(merge.reserve(1, Filter::All));
    good(merge.add(&[WeightedPosition { position, multiplicity: u128::MAX / 20 }]));
    assert_eq!(good(merge.perft(0..1, 1)), u128::MAX / 20 * 20);
    assert_eq!(merge.perft(0..1, 2), Err(MergeError::Overflow));
    good(merge.reserve(1, Filter::All));
    good(merge.add(&[WeightedPosition { position, multiplicity: u128::MAX / 20 }]));
    good(merge.descend(false));
    good(merge.reserve(20, Filter::All));
    good(merge.expand(0..1));
    assert_eq!(good(merge.perft(0..20, 0)), u128::MAX / 20 * 20);
    assert_eq!(merge.perft(0..20, 1), Err(MergeError::Overflow));

    // A tree without leaves.
    let mate: Fen = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1".parse().unwrap_or_else(|error| panic!("{error}"));
    good(merge.reserve(1, Filter::All));
    good(merge.add(&[WeightedPosition { position: Quad48::from(&mate.position), multiplicity: 5 }]));
    assert_eq!((good(merge.perft(0..1, 1)), good(merge.perft(0..1, 0))), (0, 5));
    good(merge.descend(false));
    good(merge.reserve(1, Filter::All));
    good(merge.expand(0..1));
    assert_eq!(merge.successors(), 0);
    assert_eq!(good(merge.perft(0..0, 4)), 0);
}
