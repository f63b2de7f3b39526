//! Merging on the CPU: ranges of pawns with and without room to order the parents.

use kogge_board::merge::{Entry, Merge, MergeError, MergeOptions, Partition};
use kogge_board::{Backend, Fen, Quad48};
use kogge_movegen_cpu::Cpu;

/// Distinct positions of the plies of the start position.
const PLIES: [u64; 5] = [1, 20, 400, 5_362, 72_078];

/// Makes the first plies of the start position, up to these parents.
fn parents(merge: &mut dyn Merge, ply: usize) {
    merge.reserve(1).unwrap();
    merge.add(&[Entry { position: Quad48::from(&Fen::start().position), multiplicity: 1 }]).unwrap();
    for &positions in &PLIES[1..=ply] {
        merge.descend().unwrap();
        merge.reserve(positions).unwrap();
        merge.expand(0..merge.parents(), Partition::WHOLE).unwrap();
        assert_eq!(merge.successors(), positions);
    }
    merge.descend().unwrap();
}

/// Expands the parents in parts, some empty, and returns the successors in order.
fn successors(merge: &mut dyn Merge, room: u64, parts: &[u64]) -> (u128, Vec<Entry>) {
    merge.reserve(room).unwrap();
    let paths = parts.windows(2).map(|part| merge.expand(part[0]..part[1], Partition::WHOLE).unwrap()).sum();
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
    // The parents take at least 2.88 MB, and to order them takes three times as much.
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
    assert_eq!(merge.expand(0..5_362, Partition::WHOLE), Err(MergeError::Full), "there is no room yet");
    merge.reserve(72_000).unwrap();
    for _ in 0..2 {
        assert_eq!(merge.expand(0..5_362, Partition::WHOLE), Err(MergeError::Full), "it stays full");
    }
    merge.reserve(72_078).unwrap();
    assert_eq!((merge.expand(0..5_362, Partition::WHOLE), merge.successors()), (Ok(197_281), 72_078));
}

#[test]
fn equal_hashes_change_nothing() {
    let rules = Fen::start().rules;
    let mut cpu = Cpu::new(Some(2)).unwrap();
    let found = [32, 5, 0].map(|hash_bits| {
        let mut merge = cpu.merge(&rules, &MergeOptions { memory: 1 << 30, hash_bits }).unwrap();
        parents(&mut *merge, 2);
        successors(&mut *merge, 5_362, &[0, 400])
    });
    assert_eq!((found[0].0, found[0].1.len()), (8_902, 5_362));
    assert!(found.iter().all(|other| *other == found[0]));
}
