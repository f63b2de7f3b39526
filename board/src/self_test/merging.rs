//! The self-test of merging: positions one bit apart, sums of multiplicities, expansion, diagrams, moves of pawns into
//! ranges, and lists that are too short.

use std::collections::{BTreeMap, BTreeSet};

use crate::host::HostMerge;
use crate::merge::{Filter, Key, KeyRange, Merge, MergeError, MergeOptions, WeightedPosition};
use crate::{Backend, BackendError, Color, Fen, Piece, Planes32, Position, Quad48, Rules, Square, State};

/// The memory in bytes for each merge of this test, far more than necessary.
const MEMORY: u64 = 1 << 28;

/// A root with its numbers of leaves 1, 2 and 3 plies below.
const ROOTS: [(&str, [u128; 3]); 2] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [20, 400, 8_902]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", [48, 2_039, 97_862]),
];

/// The reason why the test stops.
enum Failure {
    /// A wrong answer, as a predicate for a sentence that begins with "merging".
    Wrong(String),
    /// The device has no room for the lists of the test.
    NoRoom,
    /// The device failed.
    Backend(BackendError),
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Backend(error) => Self::Backend(error),
            error => Self::Wrong(format!("small plies ended with this error: {error}")),
        }
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

type Outcome<T = ()> = Result<T, Failure>;

/// Checks a backend's [`Backend::merge`] against known sums and against a [`HostMerge`] over the same backend. The check
/// takes milliseconds.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if an answer is wrong, or the error that the backend reports.
pub fn merging<B: Backend + ?Sized>(backend: &mut B) -> Result<(), BackendError> {
    let parts = [positions_one_bit_apart, sums, plies, pawn_moves, short_lists];
    parts.into_iter().try_for_each(|part| part(backend)).map_err(|failure| match failure {
        Failure::Backend(error) => error,
        Failure::NoRoom => {
            let doing = "testing how it merges".to_owned();
            BackendError::OutOfMemory { device: backend.info().name.clone(), doing }
        }
        Failure::Wrong(reason) => {
            BackendError::WrongAnswer { device: backend.info().name.clone(), reason: format!("merging {reason}.") }
        }
    })
}

/// Makes room for successors. The lists are small, so only a lack of memory can prevent it.
fn reserve(merge: &mut dyn Merge, successors: u64) -> Outcome {
    reserve_for(merge, successors, Filter::All)
}

fn reserve_for(merge: &mut dyn Merge, successors: u64, kept: Filter) -> Outcome {
    merge.reserve(successors, kept).map_err(|error| match error {
        MergeError::Full => Failure::NoRoom,
        error => error.into(),
    })
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T, what: &str) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(Failure::Wrong(format!("{what}: it found {found:?} instead of {expected:?}")))
}

/// Requires that the successors equal these entries, in any order.
fn holds(merge: &mut dyn Merge, expected: &[WeightedPosition], what: &str) -> Outcome {
    equal(&merge.successors(), &(expected.len() as u64), &format!("{what}, the number of positions"))?;
    let found = sum_up(&merge.entries(0..expected.len() as u64)?);
    let wrong = found.iter().zip(expected).find(|(found, expected)| found != expected);
    equal(&wrong, &None, what)?;
    equal(&found.len(), &expected.len(), what)
}

/// Merges entries on the host, in the order of their bytes.
fn sum_up<'a>(entries: impl IntoIterator<Item = &'a WeightedPosition>) -> Vec<WeightedPosition> {
    let mut sums = BTreeMap::<Quad48, u128>::new();
    for entry in entries {
        let sum = sums.entry(entry.position).or_default();
        *sum = sum.wrapping_add(entry.multiplicity);
    }
    sums.into_iter().map(|(position, multiplicity)| WeightedPosition { position, multiplicity }).collect()
}

fn diagrams_of(entries: &[WeightedPosition]) -> u64 {
    let diagram = |entry: &WeightedPosition| {
        let mut position = entry.position.unpack_unchecked();
        position.state = State(0).with_turn(position.turn());
        Quad48::from(&position)
    };
    entries.iter().map(diagram).collect::<BTreeSet<_>>().len() as u64
}

/// Requires that a merge has this number of diagrams as a whole, and in two parts together.
fn has_diagrams(merge: &mut dyn Merge, expected: u64, what: &str) -> Outcome {
    equal(&merge.diagrams(0, 1)?, &expected, what)?;
    equal(&(merge.diagrams(0, 2)? + merge.diagrams(1, 2)?), &expected, what)
}

fn bare_kings(turn: Color) -> [Position; 2] {
    [[4, 60], [24, 39]].map(|squares| {
        let mut board = Position { state: State(0).with_turn(turn), ..Position::default() };
        for (color, square) in Color::ALL.into_iter().zip(squares) {
            board.kings |= 1 << square;
            board.white |= if color == Color::White { 1 << square } else { 0 };
        }
        board
    })
}

/// Returns two groups of positions, such that for each of the 256 bits of [`Planes32`](crate::Planes32) a position of one
/// group differs from a position of the other group in that bit alone.
///
/// A man is added to a board with bare kings: the codes of an empty square, a knight, a rook and a bishop are 0, 2, 4 and 3, and
/// a knight of the side to move has the bit of the fourth plane, too. Devices may store the en-passant square separately, so for
/// each such square two positions differ in that square alone. The positions need not be legal, because no moves are made.
fn one_bit_apart(turn: Color) -> [Vec<Quad48>; 2] {
    let boards = bare_kings(turn);
    let their = turn.opposite();
    let mut groups = [boards.iter().map(Quad48::from).collect(), Vec::new()];
    for square in (0..64).filter_map(Square::new) {
        for board in boards.iter().filter(|board| board.occupied() & square.bit() == 0).take(1) {
            for (group, color, piece) in [
                (0, their, Piece::Bishop),
                (0, turn, Piece::Knight),
                (1, their, Piece::Knight),
                (1, their, Piece::Rook),
            ] {
                let mut position = *board;
                position.put(color, piece, square);
                groups[group].push(Quad48::from(&position));
            }
        }
    }
    let en_passant = |file| Position { state: boards[0].state.with_en_passant(Some(file)), ..boards[0] };
    groups[1].extend((0..8).map(|file| Quad48::from(&en_passant(file))));
    groups
}

/// Gives the positions the multiplicities 1, 2, 3 and so on.
fn numbered(positions: impl IntoIterator<Item = Quad48>) -> Vec<WeightedPosition> {
    let entries = positions.into_iter().zip(1..);
    entries.map(|(position, multiplicity)| WeightedPosition { position, multiplicity }).collect()
}

/// Checks that positions one bit apart stay separate entries and that equal positions become one entry, in one insertion
/// and in several, also with equal hashes.
fn positions_one_bit_apart<B: Backend + ?Sized>(backend: &mut B) -> Outcome {
    for (turn, hash_bits) in [(Color::White, 0), (Color::Black, 0), (Color::White, 32)] {
        let [first, second] = one_bit_apart(turn);
        let len = first.len();
        let all = numbered(first.into_iter().chain(second));
        let once = sum_up(&all);
        let twice = sum_up(all.iter().chain(&all));
        let mut merge =
            backend.merge(&Rules::STANDARD, &MergeOptions { hash_bits, ..MergeOptions::with_memory(MEMORY) })?;
        reserve(&mut *merge, all.len() as u64)?;
        merge.add(&all)?;
        holds(&mut *merge, &once, "different positions in one insertion")?;
        reserve(&mut *merge, all.len() as u64)?;
        merge.add(&all[..len])?;
        merge.add(&all[len..])?;
        holds(&mut *merge, &once, "different positions in two insertions")?;
        merge.add(&all)?;
        holds(&mut *merge, &twice, "equal positions in two insertions")?;
        reserve(&mut *merge, all.len() as u64)?;
        let doubled: Vec<_> = all.iter().chain(all.iter().rev()).copied().collect();
        merge.add(&doubled)?;
        holds(&mut *merge, &twice, "equal positions in one insertion")?;
        has_diagrams(&mut *merge, diagrams_of(&all), "the diagrams of different positions")?;
    }
    Ok(())
}

/// Checks that multiplicities carry into each of their 32-bit words and that sums beyond 128 bits are errors.
fn sums<B: Backend + ?Sized>(backend: &mut B) -> Outcome {
    const COPIES: usize = 40;
    let [positions, _] = one_bit_apart(Color::White);
    let all_ones = [32, 64, 96].map(|bits| (1_u128 << bits) - 1);
    let entries =
        positions.into_iter().zip(all_ones).map(|(position, multiplicity)| WeightedPosition { position, multiplicity });
    let entries: Vec<_> = entries.cycle().take(COPIES * all_ones.len()).collect();
    let mut merge = backend.merge(&Rules::STANDARD, &MergeOptions::with_memory(MEMORY))?;
    reserve(&mut *merge, all_ones.len() as u64)?;
    merge.add(&entries)?;
    let sums = sum_up(&entries);
    holds(&mut *merge, &sums, "sums with carries in one insertion")?;
    let complements =
        sums.iter().map(|entry| WeightedPosition { multiplicity: u128::MAX - entry.multiplicity, ..*entry });
    let complements: Vec<_> = complements.collect();
    merge.add(&complements)?;
    let greatest: Vec<_> = sums.iter().map(|entry| WeightedPosition { multiplicity: u128::MAX, ..*entry }).collect();
    holds(&mut *merge, &greatest, "the greatest multiplicities")?;
    let one_more = merge.add(&[WeightedPosition { multiplicity: 1, ..sums[0] }]);
    equal(&one_more, &Err(MergeError::Overflow), "a multiplicity beyond 128 bits")?;

    // For each word, a carry between two insertions into that word alone.
    reserve(&mut *merge, all_ones.len() as u64)?;
    merge.add(&entries[..all_ones.len()])?;
    let ones: Vec<_> =
        entries[..all_ones.len()].iter().map(|entry| WeightedPosition { multiplicity: 1, ..*entry }).collect();
    merge.add(&ones)?;
    let powers = sum_up(entries[..all_ones.len()].iter().chain(&ones));
    holds(&mut *merge, &powers, "sums with a carry across insertions")?;

    // With twenty moves per position, the sum fits one ply below the root, but not two.
    let position = Quad48::from(&Fen::start().position);
    reserve(&mut *merge, 1)?;
    merge.add(&[WeightedPosition { position, multiplicity: u128::MAX / 20 }])?;
    equal(&merge.perft(0..1, 1)?, &(u128::MAX / 20 * 20), "the greatest sum of leaves")?;
    equal(&merge.perft(0..1, 2), &Err(MergeError::Overflow), "a sum of leaves beyond 128 bits")
}

/// Two roots with equal diagrams. Most of their successors have equal diagrams, too.
const ALIKE: [&str; 2] = ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w Qk - 0 1"];

/// Returns the roots whose plies are expanded: [`ROOTS`], then boards with a rook on different squares of a file, which
/// share successors, then [`ALIKE`].
fn roots() -> Vec<WeightedPosition> {
    let parsed = |fen: &str| fen.parse::<Fen>().ok().map(|fen| fen.position);
    let known = ROOTS.iter().filter_map(|(fen, _)| parsed(fen));
    let rooks = (0..5).map(|rank| {
        let mut position = Position { state: State(0), ..Position::default() };
        for (color, piece, square) in [
            (Color::White, Piece::King, Square::at(6, 0)),
            (Color::Black, Piece::King, Square::at(7, 6)),
            (Color::White, Piece::Rook, Square::at(0, rank)),
        ] {
            position.put(color, piece, square);
        }
        position
    });
    let positions = known.chain(rooks).chain(ALIKE.into_iter().filter_map(parsed));
    let multiplicities = [3, (1 << 32) + 5, u64::MAX.into(), 1, 1 << 40, 7, (1 << 64) - 3, 2, 1 << 33];
    let entries = positions.zip(multiplicities);
    entries
        .map(|(position, multiplicity)| WeightedPosition { position: Quad48::from(&position), multiplicity })
        .collect()
}

/// The number of parts in which a ply's diagrams are counted.
const DIAGRAM_PARTS: u32 = 3;

/// A ply merged by the host, the sums of its leaves 0, 1 and 2 plies below, and the number of diagrams in each part.
struct ExpectedPly {
    entries: Vec<WeightedPosition>,
    leaves: [u128; 3],
    diagrams: [u64; DIAGRAM_PARTS as usize],
}

impl ExpectedPly {
    fn read(merge: &mut dyn Merge) -> Outcome<Self> {
        let all = 0..merge.successors();
        let mut leaves = [0; 3];
        for (depth, leaves) in (0..).zip(&mut leaves) {
            *leaves = merge.perft(all.clone(), depth)?;
        }
        let mut diagrams = [0; DIAGRAM_PARTS as usize];
        for (part, diagrams) in (0..).zip(&mut diagrams) {
            *diagrams = merge.diagrams(part, DIAGRAM_PARTS)?;
        }
        Ok(Self { entries: sum_up(&merge.entries(all)?), leaves, diagrams })
    }

    /// Requires that the successors, the sums of leaves and the diagrams are as expected.
    fn check(&self, merge: &mut dyn Merge) -> Outcome {
        holds(merge, &self.entries, "the positions of a ply")?;
        let len = merge.successors();
        for (depth, leaves) in (0..).zip(self.leaves) {
            let what = format!("the leaves {depth} plies below a ply");
            equal(&merge.perft(0..len, depth)?, &leaves, &what)?;
            let parts = merge.perft(0..len / 3, depth)?.checked_add(merge.perft(len / 3..len, depth)?);
            equal(&parts, &Some(leaves), &what)?;
        }
        has_diagrams(merge, diagrams_of(&self.entries), "the diagrams of a ply")?;
        for (part, diagrams) in (0..).zip(self.diagrams) {
            let what = format!("the diagrams of a ply in part {part} of {DIAGRAM_PARTS}");
            equal(&merge.diagrams(part, DIAGRAM_PARTS)?, &diagrams, &what)?;
        }
        // Counting diagrams leaves the successors unchanged.
        holds(merge, &self.entries, "the positions of a ply after its diagrams")
    }
}

fn merged_by_host<'a, B: Backend + ?Sized>(
    backend: &'a mut B,
    rules: &Rules,
    roots: &[WeightedPosition],
) -> Outcome<Box<dyn Merge + 'a>> {
    let mut host = Box::new(HostMerge::new(backend, rules, MergeOptions::with_memory(MEMORY)));
    host.reserve(1 << 16, Filter::All)?;
    host.add(roots)?;
    Ok(host)
}

fn next_ply(host: &mut dyn Merge) -> Outcome {
    host.descend(false)?;
    host.reserve(1 << 16, Filter::All)?;
    host.expand(0..host.parents())?;
    Ok(())
}

/// Checks two plies below the roots, whole and in three ranges, against the host and published counts.
fn plies<B: Backend + ?Sized>(backend: &mut B) -> Outcome {
    let (rules, roots) = (Rules::STANDARD, roots());
    let [known, others] = [&roots[..ROOTS.len()], &roots[ROOTS.len()..]];
    let options = MergeOptions::with_memory(MEMORY);
    let mut expected = Vec::new();
    let mut host = merged_by_host(backend, &rules, &roots)?;
    for ply in 0..3 {
        if ply > 0 {
            next_ply(&mut *host)?;
        }
        expected.push(ExpectedPly::read(&mut *host)?);
    }
    drop(host);
    let mut merge = backend.merge(&rules, &options)?;
    reserve(&mut *merge, roots.len() as u64)?;
    merge.add(known)?;
    for depth in 0..=2 {
        let leaves = known.iter().zip(ROOTS).map(|(entry, (_, leaves))| match depth {
            0 => entry.multiplicity,
            _ => entry.multiplicity * leaves[depth - 1],
        });
        let what = format!("the leaves {depth} plies below two roots");
        equal(&merge.perft(0..known.len() as u64, depth as u32)?, &leaves.sum(), &what)?;
    }
    merge.add(others)?;
    for ply in 0..3 {
        if ply > 0 {
            ranges(&mut *merge, &expected[ply])?;
            if let Some(deeper) = expected.get(ply + 1) {
                two_plies_at_once(&mut *merge, &expected[ply], deeper)?;
            }
            reserve(&mut *merge, expected[ply].entries.len() as u64)?;
            let paths = merge.expand(0..merge.parents())?;
            equal(&paths, &expected[ply].leaves[0], "the moves of parents, weighted by multiplicity")?;
        }
        expected[ply].check(&mut *merge)?;
        merge.descend(false)?;
        equal(&[merge.parents(), merge.successors()], &[expected[ply].entries.len() as u64, 0], "the next ply")?;
    }
    expected.last().map_or(Ok(()), |ply| uneven_batches(&mut *merge, &ply.entries))
}

/// Adds a ply's entries in batches that would fill work-groups of 256, 128 and 64 exactly if each of eight shards received an
/// eighth of a batch. Hashes spread positions unevenly, so a device must insert more into some shards.
///
/// Each list has different multiplicities, so that values left in memory by the previous list are wrong.
fn uneven_batches(merge: &mut dyn Merge, entries: &[WeightedPosition]) -> Outcome {
    const PARTS: usize = 8;
    for group_size in [256, 128, 64] {
        let number = |entry: &WeightedPosition| WeightedPosition { multiplicity: group_size as u128, ..*entry };
        let numbered: Vec<_> = entries.iter().map(number).collect();
        reserve(merge, entries.len() as u64)?;
        for batch in numbered.chunks(PARTS * group_size) {
            merge.add(batch)?;
        }
        holds(merge, &numbered, "positions in batches")?;
    }
    Ok(())
}

/// The number of ranges that the self-test divides a ply into.
const RANGES: usize = 3;

fn planes(entry: &WeightedPosition) -> Planes32 {
    Planes32::pack(&Rules::STANDARD, &entry.position.unpack_unchecked())
}

/// Divides the entries into ranges of about equal size by this key, and adds half of the keys of one pawn structure.
fn ranges_of(entries: &[WeightedPosition], key: fn(&Planes32) -> Key) -> Vec<KeyRange> {
    let mut keys: Vec<_> = entries.iter().map(|entry| key(&planes(entry))).collect();
    let mut ranges = KeyRange::divide(&mut keys, RANGES);
    let middle = keys.get(keys.len() / 2).map(|key| key.pawns);
    let half = |pawns| KeyRange { first: Key { pawns, hash: 0 }, last: Key { pawns, hash: 1 << 31 } };
    ranges.extend(middle.map(half));
    ranges
}

/// Requires that an expansion of all parents keeps exactly the entries that pass the filter. Two calls expand every other parent of the first
/// half, and one call expands the second half.
fn keeps(merge: &mut dyn Merge, expected: &[WeightedPosition], kept: Filter) -> Outcome {
    let expected: Vec<_> = expected.iter().filter(|entry| kept.has(&planes(entry))).copied().collect();
    reserve_for(&mut *merge, expected.len() as u64, kept)?;
    let parents = merge.parents();
    let middle = parents / 2;
    let mut paths = merge.expand_every(2, 0..middle)?;
    for more in [merge.expand_every(2, middle.min(1)..middle)?, merge.expand(middle..parents)?] {
        paths = paths.wrapping_add(more);
    }
    let sum = expected.iter().fold(0_u128, |sum, entry| sum.wrapping_add(entry.multiplicity));
    equal(&paths, &sum, "the paths to the successors in a range")?;
    holds(&mut *merge, &expected, "the successors in a range")
}

/// Checks expansions to ranges, to the possible parents of a range's positions, and to ranges of reversed keys.
fn ranges(merge: &mut dyn Merge, expected: &ExpectedPly) -> Outcome {
    keeps(&mut *merge, &expected.entries, Filter::All)?;
    for range in ranges_of(&expected.entries, Key::of) {
        keeps(&mut *merge, &expected.entries, Filter::within(range))?;
        keeps(&mut *merge, &expected.entries, Filter::within(range).before(1))?;
    }
    for range in ranges_of(&expected.entries, Key::reversed) {
        keeps(&mut *merge, &expected.entries, Filter::within_reversed(range))?;
    }
    Ok(())
}

/// Checks that a ply can be made range by range from the complete ply two plies earlier.
fn two_plies_at_once(merge: &mut dyn Merge, between: &ExpectedPly, expected: &ExpectedPly) -> Outcome {
    let parents = merge.parents();
    for range in ranges_of(&expected.entries, Key::of) {
        keeps(&mut *merge, &between.entries, Filter::within(range).before(1))?;
        merge.descend(true)?;
        keeps(&mut *merge, &expected.entries, Filter::within(range))?;
        merge.ascend()?;
        equal(&[merge.parents(), merge.successors()], &[parents, 0], "a ply that was kept")?;
    }
    Ok(())
}

/// Positions whose pawns push once and twice, capture both ways and en passant, and promote; and whose pawns each other piece may capture.
/// In the last two, a pawn may capture where another was lost, a pawn stands behind one piece or two, and an en-passant capture may follow.
const PAWN_MOVES: [&str; 5] = [
    "4k3/8/8/3p1p2/4P3/8/P7/4K3 w - - 0 1",
    "6n1/2k4P/8/3pP3/3N4/8/8/4K3 w - d6 0 1",
    "r7/1b6/6k1/6P1/3n4/8/P1P3P1/7K w - - 0 1",
    "4k3/p7/5n2/8/4P3/N2P4/8/R3K3 w - - 0 1",
    "4k3/p6p/8/8/n2p4/8/4P3/R3K3 w - - 0 1",
];

/// Positions some plies after a successor of these. A pawn would have captured nothing, or would have been pushed into a knight; a pawn has
/// moved twice, has moved twice beside a pawn that was taken, and two pawns were taken. Two plies later, a pawn captured where another was
/// lost, a rook captured what it reaches only past a piece, and a pawn was lost that only an en-passant capture before might expose.
const LATER: [(u32, &str); 9] = [
    (1, "4k3/8/8/5p2/2p1P3/P7/8/4K3 w - - 0 1"),
    (1, "6n1/2k5/8/4P3/3p4/8/8/4K3 w - - 0 1"),
    (4, "4k3/8/8/5p2/P3P3/3p4/8/4K3 b - - 0 1"),
    (4, "4k3/8/8/8/P3P3/3p4/8/4K3 b - - 0 1"),
    (4, "4k3/8/8/8/4P3/8/P7/4K3 b - - 0 1"),
    (2, "4k3/p7/8/8/4P3/8/8/4K3 b - - 0 1"),
    (2, "4k3/8/8/8/4P3/3P4/8/4K3 b - - 0 1"),
    (2, "4k3/7p/8/8/3p4/8/4P3/4K3 b - - 0 1"),
    (2, "4k3/p7/8/8/3pP3/8/8/4K3 b - - 0 1"),
];

/// Returns the ranges that have the pawns of one of these entries each.
fn ranges_of_pawns(entries: &[WeightedPosition], key: fn(&Planes32) -> Key) -> Vec<KeyRange> {
    let pawns: BTreeSet<_> = entries.iter().map(|entry| key(&planes(entry)).pawns).collect();
    let range = |pawns| KeyRange { first: Key { pawns, hash: 0 }, last: Key { pawns, hash: u32::MAX } };
    pawns.into_iter().map(range).collect()
}

/// Of the ranges two plies later, one in this number is tested: a number that has nothing in common with the numbers of kinds of ranges and
/// of plies.
const EVERY: usize = 5;

/// The most plies from a successor to a range.
const PLIES_BEFORE: u32 = 4;

/// Returns these ranges, and in turns with them ranges that begin or end there with the other side's pawns in the middle.
fn wide_and_narrow(ranges: Vec<KeyRange>) -> Vec<KeyRange> {
    let middle = |Key { pawns: [first, second], .. }| Key { pawns: [first, second], hash: 0 };
    let wide = ranges.windows(3).map(|near| KeyRange { first: middle(near[0].last), last: middle(near[2].first) });
    wide.collect::<Vec<_>>().into_iter().zip(&ranges).flat_map(|(wide, &narrow)| [wide, narrow]).collect()
}

/// Checks small ranges, so that each kind of pawn move alone leads into one of them, or to the positions before one.
fn pawn_moves<B: Backend + ?Sized>(backend: &mut B) -> Outcome {
    let (rules, options) = (Rules::STANDARD, MergeOptions::with_memory(MEMORY));
    let entries = |fens: &[&str]| {
        let fens = fens.iter().filter_map(|fen| fen.parse::<Fen>().ok());
        numbered(fens.map(|fen| Quad48::from(&fen.position)))
    };
    let roots = entries(&PAWN_MOVES);
    let latest = LATER.map(|(plies, fen)| (plies, entries(&[fen])));
    let mut host = merged_by_host(backend, &rules, &roots)?;
    let mut plies = [Vec::new(), Vec::new()];
    for ply in &mut plies {
        next_ply(&mut *host)?;
        *ply = sum_up(&host.entries(0..host.successors())?);
    }
    drop(host);
    let [next, later] = plies;
    let within = ranges_of_pawns(&next, Key::of).into_iter().map(Filter::within);
    let reversed = ranges_of_pawns(&next, Key::reversed).into_iter().map(Filter::within_reversed);
    let before = |key, within: fn(KeyRange) -> Filter| {
        let ranges = wide_and_narrow(ranges_of_pawns(&later, key)).into_iter().step_by(EVERY);
        let ranges = ranges.zip((1..=PLIES_BEFORE).cycle());
        let latest = latest
            .iter()
            .flat_map(|(plies, entries)| ranges_of_pawns(entries, key).into_iter().map(|range| (range, *plies)));
        let ranges = ranges.chain(latest.collect::<Vec<_>>());
        ranges.map(move |(range, plies)| within(range).before(plies))
    };
    let [before, before_reversed] = [before(Key::of, Filter::within), before(Key::reversed, Filter::within_reversed)];
    let one_ply_before = ranges_of_pawns(&later, Key::of).into_iter().map(|range| Filter::within(range).before(1));
    let mut merge = backend.merge(&rules, &options)?;
    reserve(&mut *merge, roots.len() as u64)?;
    merge.add(&roots)?;
    merge.descend(false)?;
    within
        .chain(one_ply_before)
        .chain(reversed)
        .chain(before)
        .chain(before_reversed)
        .try_for_each(|kept| keeps(&mut *merge, &next, kept))
}

/// Checks that a list that is too short gives an error, even if far more entries are inserted, and that the next list works.
fn short_lists<B: Backend + ?Sized>(backend: &mut B) -> Outcome {
    let start = WeightedPosition { position: Quad48::from(&Fen::start().position), multiplicity: 1 << 70 };
    let [many, _] = one_bit_apart(Color::White);
    let many = numbered(many);
    let mut merge = backend.merge(&Rules::STANDARD, &MergeOptions::with_memory(MEMORY))?;
    reserve(&mut *merge, many.len() as u64 / 2)?;
    equal(&merge.add(&many), &Err(MergeError::Full), "more positions than there is room for")?;
    reserve(&mut *merge, many.len() as u64)?;
    merge.add(&many)?;
    holds(&mut *merge, &sum_up(&many), "the same positions with room for all")?;

    reserve(&mut *merge, 1)?;
    merge.add(&[start])?;
    for ply in [20, 400] {
        merge.descend(false)?;
        let parents = merge.parents();
        for too_few in [1, ply - 1] {
            reserve(&mut *merge, too_few)?;
            let expanded = merge.expand(0..parents);
            equal(&expanded, &Err(MergeError::Full), "more successors than there is room for")?;
        }
        reserve(&mut *merge, ply)?;
        merge.expand(0..parents)?;
        equal(&merge.successors(), &ply, "successors with room for all")?;
        equal(&merge.perft(0..ply, 0)?, &(u128::from(ply) << 70), "the paths to successors with room for all")?;
    }
    Ok(())
}
