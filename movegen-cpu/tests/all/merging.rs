//! Merging on the CPU: whole plies and ranges of positions, with and without room to order the parents.

use kogge_board::host::HostMerge;
use kogge_board::merge::{Filter, Key, KeyRange, Merge, MergeError, MergeOptions, WeightedPosition};
use kogge_board::{Backend, Fen, Planes32, Quad48, Rules};
use kogge_movegen_cpu::{Cpu, expand};
use kogge_testkit::placement;
use proptest::prelude::*;

/// Distinct positions of the plies of the start position.
const PLIES: [u64; 5] = [1, 20, 400, 5_362, 72_078];

/// Makes the first plies of the start position, up to these parents.
fn parents(merge: &mut dyn Merge, ply: usize) {
    merge.reserve(1, Filter::All).unwrap();
    merge.add(&[WeightedPosition { position: Quad48::from(&Fen::start().position), multiplicity: 1 }]).unwrap();
    for &positions in &PLIES[1..=ply] {
        merge.descend(false).unwrap();
        merge.reserve(positions, Filter::All).unwrap();
        merge.expand(0..merge.parents()).unwrap();
        assert_eq!(merge.successors(), positions);
    }
    merge.descend(false).unwrap();
}

/// Expands the parents in parts, some empty, and returns the successors in order.
fn successors(merge: &mut dyn Merge, room: u64, parts: &[u64]) -> (u128, Vec<WeightedPosition>) {
    merge.reserve(room, Filter::All).unwrap();
    let paths = parts.windows(2).map(|part| merge.expand(part[0]..part[1]).unwrap()).sum();
    let mut entries = merge.entries(0..merge.successors()).unwrap();
    entries.sort_unstable();
    (paths, entries)
}

#[test]
fn parents_that_cannot_be_ordered_have_the_same_successors() {
    let rules = Fen::start().rules;
    let mut cpu = Cpu::new(None).unwrap();
    let expected = {
        let mut ample = cpu.merge(&rules, &MergeOptions::with_memory(1 << 30)).unwrap();
        parents(&mut *ample, 4);
        successors(&mut *ample, 822_518, &[0, 10, 10, 5_000, 72_078])
    };
    assert_eq!((expected.0, expected.1.len()), (4_865_609, 822_518));
    // The parents take at least 2.88 MB, and ordering them takes three times as much.
    for memory in [1 << 30, 6 << 20] {
        let mut merge = cpu.merge(&rules, &MergeOptions::with_memory(memory)).unwrap();
        parents(&mut *merge, 4);
        let (paths, entries) = successors(&mut *merge, 12_000, &[0, 1, 400]);
        assert_eq!(entries.iter().map(|entry| entry.multiplicity).sum::<u128>(), paths);
        for entry in entries {
            let found = expected.1.binary_search_by(|other| other.position.cmp(&entry.position));
            assert!(found.is_ok_and(|index| expected.1[index].multiplicity >= entry.multiplicity), "{entry:?}");
        }
    }
}

#[test]
fn successors_without_room_are_an_error() {
    let mut cpu = Cpu::new(Some(2)).unwrap();
    let mut merge = cpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 30)).unwrap();
    parents(&mut *merge, 3);
    assert_eq!(merge.expand(0..5_362), Err(MergeError::Full), "there is no room yet");
    merge.reserve(72_000, Filter::All).unwrap();
    for _ in 0..2 {
        assert_eq!(merge.expand(0..5_362), Err(MergeError::Full), "it stays full");
    }
    merge.reserve(72_078, Filter::All).unwrap();
    assert_eq!((merge.expand(0..5_362), merge.successors()), (Ok(197_281), 72_078));
}

#[test]
fn equal_hashes_change_nothing() {
    let rules = Fen::start().rules;
    let mut cpu = Cpu::new(Some(2)).unwrap();
    let found = [32, 5, 0].map(|hash_bits| {
        let mut merge = cpu.merge(&rules, &MergeOptions { hash_bits, ..MergeOptions::with_memory(1 << 30) }).unwrap();
        parents(&mut *merge, 2);
        successors(&mut *merge, 5_362, &[0, 400])
    });
    assert_eq!((found[0].0, found[0].1.len()), (8_902, 5_362));
    assert!(found.iter().all(|other| *other == found[0]));
}

/// Three plies one after the other, each merged by the host.
struct Plies {
    rules: Rules,
    entries: [Vec<WeightedPosition>; 3],
    planes: [Vec<Planes32>; 3],
}

/// Merges the plies below a position, and returns three of them.
fn plies(fen: &str, first: u32) -> Plies {
    let Fen { rules, position, .. } = fen.parse().unwrap();
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let merge: &mut dyn Merge = &mut HostMerge::new(&mut cpu, &rules, MergeOptions::with_memory(1 << 30));
    merge.reserve(1, Filter::All).unwrap();
    merge
        .add(&[WeightedPosition { position: Quad48::from(&position).with_halfmove_clock(0), multiplicity: 1 << 62 }])
        .unwrap();
    let mut next = || {
        merge.descend(false).unwrap();
        merge.reserve(1 << 20, Filter::All).unwrap();
        merge.expand(0..u64::MAX).unwrap();
        let mut entries = merge.entries(0..u64::MAX).unwrap();
        entries.sort_unstable();
        entries
    };
    (1..first).for_each(|_| drop(next()));
    let entries = [next(), next(), next()];
    let planes = |entry: &WeightedPosition| Planes32::pack(&rules, &entry.position.unpack_unchecked());
    let planes = entries.each_ref().map(|entries| entries.iter().map(planes).collect());
    Plies { rules, entries, planes }
}

impl Plies {
    /// Returns ranges with about equally many positions of a ply.
    fn ranges(&self, ply: usize, count: usize) -> Vec<KeyRange> {
        let mut keys: Vec<_> = self.planes[ply].iter().map(Key::of).collect();
        KeyRange::divide(&mut keys, count)
    }

    fn kept(&self, ply: usize, kept: Filter) -> Vec<WeightedPosition> {
        let entries = self.entries[ply].iter().zip(&self.planes[ply]);
        entries.filter(|(_, planes)| kept.has(planes)).map(|(entry, _)| *entry).collect()
    }

    /// Returns a merge with the first of the plies as parents.
    fn start<'c>(&self, cpu: &'c mut Cpu, memory: u64) -> Box<dyn Merge + 'c> {
        let mut merge = cpu.merge(&self.rules, &MergeOptions::with_memory(memory)).unwrap();
        merge.reserve(self.entries[0].len() as u64, Filter::All).unwrap();
        merge.add(&self.entries[0]).unwrap();
        merge.descend(false).unwrap();
        merge
    }

    /// Requires that an expansion of all parents, in two calls, keeps the right positions of a ply.
    fn check(&self, merge: &mut dyn Merge, ply: usize, kept: Filter) {
        let expected = self.kept(ply, kept);
        merge.reserve(expected.len() as u64, kept).unwrap();
        let middle = merge.parents() / 3;
        let paths = merge.expand(0..middle).unwrap() + merge.expand(middle..merge.parents()).unwrap();
        let mut found = merge.entries(0..merge.successors()).unwrap();
        found.sort_unstable();
        assert!(found == expected, "{} and not {} positions of {kept:?}", found.len(), expected.len());
        assert_eq!(paths, expected.iter().map(|entry| entry.multiplicity).sum());
    }
}

/// Positions with many pawns, with pawns that promote, and without pawns.
const ROOTS: [(&str, u32); 4] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 2),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 1),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3),
    ("4k3/8/8/3n4/8/8/8/R3K2R w KQ - 0 1", 2),
];

#[test]
fn successors_in_ranges_are_those_of_the_host() {
    let mut cpu = Cpu::new(Some(2)).unwrap();
    for (fen, first) in ROOTS {
        let plies = plies(fen, first);
        let mut merge = plies.start(&mut cpu, 1 << 30);
        let parents = merge.parents();
        for count in [1, 2, 7, 40] {
            for range in plies.ranges(1, count) {
                plies.check(&mut *merge, 1, Filter::within(range));
            }
            for range in plies.ranges(2, count) {
                plies.check(&mut *merge, 1, Filter::within(range).before(1));
                merge.descend(true).unwrap();
                plies.check(&mut *merge, 2, Filter::within(range));
                merge.ascend().unwrap();
                assert_eq!((merge.parents(), merge.successors()), (parents, 0), "{fen}");
            }
        }
        merge.ascend().unwrap();
        assert_eq!(merge.parents(), parents, "nothing is kept, so nothing happens");
        plies.check(&mut *merge, 1, Filter::All);
    }
}

#[test]
fn successors_in_ranges_need_little_memory() {
    let mut cpu = Cpu::new(Some(2)).unwrap();
    let plies = plies(ROOTS[0].0, 3);
    let lens = plies.entries.each_ref().map(Vec::len);
    assert_eq!(lens, [5_362, 72_078, 822_518]);
    // The second ply takes at least 2.88 MB, so it cannot be put in order. The third ply would take 42 MB.
    let mut merge = plies.start(&mut cpu, 6 << 20);
    plies.check(&mut *merge, 1, Filter::All);
    merge.descend(true).unwrap();
    let most = merge.sizes().capacity;
    assert!((20_564..60_000).contains(&most), "{most}");
    for range in plies.ranges(2, 40) {
        plies.check(&mut *merge, 2, Filter::within(range));
    }
    assert_eq!(merge.reserve(most + 1, Filter::All), Err(MergeError::Full));
    merge.ascend().unwrap();
    assert!(merge.sizes().capacity > most);
    // The first ply still has its order, and still finds all of its successors.
    plies.check(&mut *merge, 1, Filter::All);
    for range in plies.ranges(2, 7) {
        plies.check(&mut *merge, 1, Filter::within(range).before(1));
    }
}

#[test]
fn counts_below_any_part_of_a_ply_are_those_of_its_entries() {
    let mut cpu = Cpu::new(Some(2)).unwrap();
    let mut other = Cpu::new(Some(2)).unwrap();
    for (fen, first) in ROOTS {
        let plies = plies(fen, first);
        let mut merge = plies.start(&mut cpu, 1 << 30);
        plies.check(&mut *merge, 1, Filter::All);
        let len = merge.successors();
        let parts = [0..len / 2, len / 2..len, 17..50, len - 5..len + 9, len..len];
        let entries = |merge: &mut dyn Merge| parts.clone().map(|part| merge.entries(part).unwrap());
        let before = entries(&mut *merge);
        for (part, entries) in parts.clone().into_iter().zip(&before) {
            let host: &mut dyn Merge =
                &mut HostMerge::new(&mut other, &plies.rules, MergeOptions::with_memory(1 << 30));
            host.reserve(len, Filter::All).unwrap();
            host.add(entries).unwrap();
            // Deeper trees take long, so they are counted below a few positions only.
            for depth in 0..if entries.len() < 100 { 5 } else { 4 } {
                let expected = host.perft(0..len, depth).unwrap();
                assert_eq!(merge.perft(part.clone(), depth).unwrap(), expected, "{fen}, {part:?} at depth {depth}");
            }
        }
        assert!(entries(&mut *merge) == before, "{fen}: the order stays the same");
        // Entries can still be added after they have been read.
        let again: Vec<_> = before[0].iter().map(|entry| WeightedPosition { multiplicity: 1, ..*entry }).collect();
        merge.add(&again).unwrap();
        let paths: u128 = plies.entries[1].iter().map(|entry| entry.multiplicity).sum();
        assert_eq!((merge.successors(), merge.perft(0..len, 0).unwrap()), (len, paths + again.len() as u128), "{fen}");
        merge.descend(false).unwrap();
        merge.reserve(plies.entries[2].len() as u64, Filter::All).unwrap();
        merge.expand(0..len).unwrap();
        assert_eq!(merge.successors(), plies.entries[2].len() as u64, "{fen}");
    }
}

#[test]
fn more_successors_are_expanded_together_until_a_task_is_full() {
    let mut cpu = Cpu::new(Some(2)).unwrap();
    let merge = cpu.merge(&Rules::STANDARD, &MergeOptions::with_memory(1 << 30)).unwrap();
    // Two threads have eight tasks.
    let together = |depth, successors| merge.advice(depth, successors).together;
    assert_eq!([0, 7, 80, 1 << 15, 1 << 40].map(|successors| together(3, successors)), [1, 1, 10, 4096, 4096]);
    assert_eq!([together(2, 1 << 40), together(4, 80)], [1, 10]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever line leads into a range, the filter keeps each of its positions.
    #[test]
    fn positions_that_lead_into_a_range_are_kept((rules, position) in placement(), choices: [u8; 7], width in 0..2_u64) {
        let mut line = vec![Quad48::from(&position)];
        for choice in choices {
            let mut successors = Vec::new();
            expand(&rules, &line[line.len() - 1], &mut successors);
            let Some(next) = successors.get(usize::from(choice) % successors.len().max(1)) else { break };
            line.push(*next);
        }
        let line: Vec<_> = line.iter().map(|position| Planes32::pack(&rules, &position.unpack_unchecked())).collect();
        for (index, last) in line.iter().enumerate() {
            for is_reversed in [false, true] {
                let key = if is_reversed { Key::reversed(last) } else { Key::of(last) };
                let [first, second] = key.pawns;
                let border = |pawns| Key { pawns, hash: 0 };
                for range in [
                    KeyRange { first: key, last: key },
                    KeyRange { first: key, last: border([first + width, u64::MAX]) },
                    KeyRange { first: border([first.saturating_sub(width), 0]), last: key },
                    KeyRange { first: border([first, second.saturating_sub(width)]), last: Key::MAX },
                ] {
                    for (plies, before) in line[..=index].iter().rev().enumerate() {
                        let filter = Filter::Reaching { range, plies: plies as u32, is_reversed };
                        prop_assert!(filter.has(before), "{plies} plies before {range:?}");
                    }
                }
            }
        }
    }
}
