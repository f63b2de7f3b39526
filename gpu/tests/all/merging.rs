//! Merging on the host over the twin: full lists, equal hashes, ranges.

use kogge_board::host::HostMerge;
use kogge_board::merge::{Filter, Key, KeyRange, Merge, MergeError, MergeOptions, WeightedPosition};
use kogge_board::{Backend, Fen, Planes32, Rules, unwatched};
use kogge_gpu::Parameter::{GroupSize, Positions};
use kogge_gpu::kernels::Kernel;
use kogge_gpu::{Gpu, GpuOptions, Runs, Unordered};
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::twin::TwinDevice;

use crate::{begin, entry, fen, next_ply};

fn open(device: &TwinDevice) -> Gpu<TwinDevice> {
    crate::open(device, &GpuOptions::of([(GroupSize, 2)]))
}

/// Opens a device that counts leaves two plies below at least `from` merged positions in runs.
fn open_with_runs(device: &TwinDevice, from: u64, entries: u64, positions: usize) -> Gpu<TwinDevice> {
    let runs = Some(Runs { from, depth: 2, entries });
    let options = GpuOptions::of([(GroupSize, 2), (Positions, positions)]);
    crate::open(device, &GpuOptions { profile: true, runs, ..options })
}

fn start() -> WeightedPosition {
    entry(&Fen::start(), 1)
}

fn keys(merge: &mut dyn Merge) -> Vec<Key> {
    let planes = |entry: &WeightedPosition| Planes32::pack(&Rules::STANDARD, &entry.position.unpack_unchecked());
    merge.entries(0..u64::MAX).unwrap().iter().map(|entry| Key::of(&planes(entry))).collect()
}

/// The distinct positions of some plies of the start position, and the leaves there.
const PLIES: [(u64, u128); 4] = [(20, 20), (400, 400), (5_362, 8_902), (72_078, 197_281)];

/// Merges plies of the start position; the last ply is made in `ranges` ranges. Returns the number of positions and leaves of
/// the last ply.
fn merge_plies(merge: &mut dyn Merge, plies: usize, ranges: usize) -> Result<(u64, u128), MergeError> {
    begin(merge, start())?;
    for &(positions, leaves) in &PLIES[..plies - 1] {
        assert_eq!(next_ply(merge, positions), Ok(leaves));
        assert_eq!((merge.successors(), merge.perft(0..positions, 0)), (positions, Ok(leaves)));
    }
    next_ply(merge, PLIES[plies - 1].0)?;
    let (mut positions, mut leaves) = (0, 0);
    for range in KeyRange::divide(&mut keys(merge), ranges) {
        let kept = if ranges == 1 { Filter::All } else { Filter::within(range) };
        merge.reserve(PLIES[plies - 1].0, kept)?;
        let paths = merge.expand(0..merge.parents())?;
        assert_eq!(merge.perft(0..merge.successors(), 0), Ok(paths));
        positions += merge.successors();
        leaves += paths;
    }
    Ok((positions, leaves))
}

#[test]
fn plies_are_merged_whatever_the_hash_and_the_ranges() {
    for unordered in Unordered::ALL {
        for (hash_bits, ranges, plies) in [(32, 1, 3), (32, 7, 3), (3, 2, 3), (0, 1, 2), (0, 3, 2)] {
            let device = TwinDevice { unordered, ..TwinDevice::default() };
            let mut gpu = open(&device);
            let options = MergeOptions { hash_bits, ..MergeOptions::with_memory(1 << 26) };
            let mut merge = gpu.merge(&Fen::start().rules, &options).unwrap();
            let found = merge_plies(&mut *merge, plies, ranges);
            assert_eq!(found, Ok(PLIES[plies - 1]), "{hash_bits} bits, {ranges} ranges");
        }
    }
}

/// A ply whose entries do not fit in the largest buffer is kept in several shards.
#[test]
fn a_ply_may_exceed_the_largest_buffer() {
    for unordered in Unordered::ALL {
        for (hash_bits, ranges) in [(32, 1), (32, 3), (6, 1)] {
            let device = TwinDevice { unordered, max_buffer: Some(1 << 17), ..TwinDevice::default() };
            let mut gpu = open(&device);
            let options = MergeOptions { hash_bits, ..MergeOptions::with_memory(1 << 26) };
            let mut merge = gpu.merge(&Fen::start().rules, &options).unwrap();
            assert_eq!(merge_plies(&mut *merge, 3, ranges), Ok(PLIES[2]), "{hash_bits} bits, {ranges} ranges");
            // Candidates are sorted once, and each shard inserts only its candidates.
            let launches = device.control.launches();
            let [sorts, inserts] = [Kernel::SortByShard, Kernel::InsertSorted]
                .map(|kernel| launches.iter().filter(|&&launched| launched == kernel).count());
            assert!(0 < sorts && 2 * sorts <= inserts, "{sorts} sorts, {inserts} inserts");
            if ranges > 1 {
                continue;
            }
            // Parents lie in several shards, too; batches and parts of the list may begin anywhere.
            let all = merge.entries(0..5_362).unwrap();
            assert_eq!(all.iter().map(|entry| entry.multiplicity).sum::<u128>(), 8_902);
            assert_eq!(merge.entries(1_000..4_500).unwrap(), all[1_000..4_500]);
            let deepest = if hash_bits == 32 { 2 } else { 1 };
            for depth in 1..=deepest {
                let halves = [0..2_681, 2_681..5_362].map(|half| merge.perft(half, depth).unwrap());
                assert_eq!(halves[0] + halves[1], [197_281, 4_865_609][depth as usize - 1]);
            }
            merge.descend(false).unwrap();
            merge.reserve(PLIES[3].0, Filter::All).unwrap();
            let halves = [2_681..5_362, 0..2_681].map(|half| merge.expand(half).unwrap());
            assert_eq!((halves[0] + halves[1], merge.successors()), (PLIES[3].1, PLIES[3].0));
        }
    }
}

/// The leaves below merged positions are the same in runs: for runs of any size, for a list with several shards, if all hashes
/// are equal, and for any part of the list.
#[test]
fn leaves_are_counted_in_runs() {
    for (unordered, shard_entries, entries, hash_bits) in [
        (Unordered::Always, u64::MAX, 100_000, 32),
        (Unordered::Never, u64::MAX, 3_000, 8),
        (Unordered::InMerges, 700, 3_000, 32),
    ] {
        let device = TwinDevice { unordered, shard_entries, ..TwinDevice::default() };
        let mut gpu = open_with_runs(&device, 1_000, entries, 1 << 13);
        let options = MergeOptions { hash_bits, ..MergeOptions::with_memory(1 << 26) };
        let mut merge = gpu.merge(&Fen::start().rules, &options).unwrap();
        assert_eq!(merge_plies(&mut *merge, 3, 1), Ok(PLIES[2]));
        let before = merge.entries(0..5_362).unwrap();
        let has_one_table = merge.advice(0, 0).in_one_table >= 5_362;
        assert_eq!(has_one_table, shard_entries == u64::MAX);
        assert!(merge.advice(0, 0).in_one_table <= shard_entries);
        device.control.launches();
        for (depth, expected) in [(2, 4_865_609), (1, 197_281)] {
            let parts = [0..1, 1..1_500, 1_500..3_333, 3_333..5_362].map(|part| merge.perft(part, depth).unwrap());
            assert_eq!(parts.iter().sum::<u128>(), expected);
        }
        let launches = device.control.launches();
        let launched = |kernel| launches.iter().filter(|&&launched| launched == kernel).count();
        assert!(launched(Kernel::LoadOrdered) > 3, "there were no runs");
        // The order of each shard is made only once.
        let shards = if shard_entries == u64::MAX { 1..2 } else { 8..13 };
        assert!(shards.contains(&launched(Kernel::OrderByOpponent)), "{}", launched(Kernel::OrderByOpponent));
        // The list is unchanged and can be extended.
        assert_eq!(merge.entries(0..5_362).unwrap(), before);
        assert_eq!(merge.add(&before), Ok(()));
        assert_eq!((merge.successors(), merge.perft(0..5_362, 1)), (5_362, Ok(2 * 197_281)));
        // With few bits of the hash, a search in a large list takes long.
        if hash_bits == 32 {
            assert_eq!(next_ply(&mut *merge, PLIES[3].0), Ok(2 * PLIES[3].1));
            assert_eq!(merge.successors(), PLIES[3].0);
        }
    }
}

/// In runs all successors are kept, even below the positions of a range, and leaves can also be counted by kind.
#[test]
fn leaves_below_ranges_are_counted_in_runs() {
    let device = TwinDevice { unordered: Unordered::InMerges, ..TwinDevice::default() };
    let mut gpu = open_with_runs(&device, 100, 3_000, 1 << 13);
    let options = MergeOptions { categories: true, ..MergeOptions::with_memory(1 << 26) };
    let mut merge = gpu.merge(&Fen::start().rules, &options).unwrap();
    assert_eq!(merge_plies(&mut *merge, 3, 1), Ok(PLIES[2]));
    let (mut leaves, mut kinds, mut again) = (0, [0; 4], 0);
    for range in KeyRange::divide(&mut keys(&mut *merge), 3) {
        merge.reserve(PLIES[2].0, Filter::within(range)).unwrap();
        merge.expand(0..400).unwrap();
        let len = merge.successors();
        leaves += merge.perft(0..len, 2).unwrap();
        let found = merge.categories(0..len, 2).unwrap();
        for (sum, more) in kinds.iter_mut().zip([found.nodes, found.captures, found.checks, found.mates]) {
            *sum += more;
        }
        // The range is kept again afterwards.
        merge.reserve(PLIES[2].0, Filter::within(range)).unwrap();
        merge.expand(0..400).unwrap();
        again += merge.successors();
    }
    assert!(device.control.launches().contains(&Kernel::LoadOrdered), "there were no runs");
    assert_eq!((leaves, kinds, again), (4_865_609, [4_865_609, 82_719, 27_351, 347], PLIES[2].0));
}

/// In runs, most equal successors are merged, as if the whole ply were merged: far fewer positions are left than successors.
#[test]
fn runs_find_equal_successors() {
    let device = TwinDevice::default();
    let mut gpu = open_with_runs(&device, 1_000, 100_000, 1 << 18);
    // The first merge begins with a self-test.
    drop(gpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 28)).unwrap());
    gpu.profile();
    let mut merge = gpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 28)).unwrap();
    assert_eq!(merge_plies(&mut *merge, 3, 1), Ok(PLIES[2]));
    assert_eq!(merge.perft(0..5_362, 2), Ok(4_865_609));
    drop(merge);
    let profile = gpu.profile();
    let items = |name| profile.iter().filter(|time| time.name == name).map(|time| time.items).sum::<u64>();
    // The last count counts the moves of the positions after the merged ply.
    let counted = items("count");
    assert!((72_078..80_000).contains(&counted), "{counted}: {profile:?}");
}

/// In runs, sums of leaves beyond 128 bits are errors, as they are without runs.
#[test]
fn sums_in_runs_have_128_bits() {
    let mut gpu = open_with_runs(&TwinDevice::default(), 1, 5_000, 1 << 13);
    let mut merge = gpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 26)).unwrap();
    for (multiplicity, leaves) in
        [(u128::MAX / 400, Some(u128::MAX / 400 * 400)), (u128::MAX / 20, None), (u128::MAX, None)]
    {
        begin(&mut *merge, entry(&Fen::start(), multiplicity)).unwrap();
        assert_eq!(merge.perft(0..1, 2), leaves.ok_or(MergeError::Overflow));
    }
}

/// The last run may hold a single position, which may have no moves.
#[test]
fn a_run_may_have_no_successors() {
    let mut gpu = open_with_runs(&TwinDevice::default(), 1, 5_000, 1 << 13);
    let mated = fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    let mut merge = gpu.merge(&mated.rules, &MergeOptions::with_memory(1 << 26)).unwrap();
    begin(&mut *merge, entry(&mated, 3)).unwrap();
    assert_eq!(merge.perft(0..1, 2), Ok(0));
}

/// Small plies have room for few candidates, and large plies for more. The number of added entries exceeds both.
#[test]
fn room_for_candidates_grows_with_the_plies() {
    let options = GpuOptions::of([(GroupSize, 2), (Positions, 1 << 18)]);
    let mut gpu = crate::open(&TwinDevice::default(), &options);
    let mut merge = gpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 28)).unwrap();
    assert_eq!(merge_plies(&mut *merge, 4, 1), Ok(PLIES[3]));
    let entries = merge.entries(0..PLIES[3].0).unwrap();
    merge.reserve(PLIES[3].0, Filter::All).unwrap();
    assert_eq!(merge.add(&[&entries[..], &entries[..]].concat()), Ok(()));
    assert_eq!((merge.successors(), merge.perft(0..PLIES[3].0, 0)), (PLIES[3].0, Ok(2 * PLIES[3].1)));
    merge.reserve(PLIES[3].0 - 1, Filter::All).unwrap();
    assert_eq!(merge.add(&entries), Err(MergeError::Full));
}

/// The next merge uses the buffers of a merge again. These buffers are freed when memory runs out, and when leaves are
/// counted without merging.
#[test]
fn buffers_are_kept_for_the_next_merge() {
    let device = TwinDevice::default();
    let (mut gpu, control, rules) = (open(&device), &device.control, Fen::start().rules);
    let options = MergeOptions::with_memory(1 << 28);
    let count = |gpu: &mut Gpu<TwinDevice>| {
        let mut merge = gpu.merge(&rules, &options).unwrap();
        assert_eq!(merge_plies(&mut *merge, 3, 1), Ok(PLIES[2]));
        assert_eq!(merge.perft(0..PLIES[2].0, 2), Ok(4_865_609));
    };
    count(&mut gpu);
    assert!(control.made() > 10);
    for _ in 0..2 {
        count(&mut gpu);
        assert_eq!(control.made(), 0);
    }
    assert_eq!(gpu.perft(&rules, &[start().position], 3, &mut unwatched), Ok(vec![8_902]));
    control.made();
    control.most_bytes();
    let before = control.most_bytes();
    count(&mut gpu);
    assert!(control.made() > 10);
    control.most_bytes();
    let kept = control.most_bytes();
    assert!(kept > before, "{kept} bytes with spare buffers, {before} without");
    control.occupy(device.memory - kept);
    let mut merge = gpu.merge(&rules, &options).unwrap();
    assert_eq!(begin(&mut *merge, start()), Ok(()));
    assert_eq!(merge.perft(0..1, 3), Ok(8_902));
}

/// Ranges of the last ply use the buffers of a larger range, unless runs need the memory. Plies that become the parents do not.
#[test]
fn ranges_use_the_buffers_of_larger_ranges() {
    let within = Filter::within(KeyRange::WHOLE);
    for (memory, run_entries, are_kept) in
        [(1_u64 << 26, 1 << 10, true), (1 << 22, 1 << 10, true), (1 << 22, 1 << 15, false)]
    {
        let device = TwinDevice::default();
        let (mut gpu, control) = (open_with_runs(&device, 1, run_entries, 64), &device.control);
        let options = MergeOptions::with_memory(memory);
        // The first merge begins with a self-test, which has its own memory.
        drop(gpu.merge(&Fen::start().rules, &options).unwrap());
        control.most_bytes();
        let mut merge = gpu.merge(&Fen::start().rules, &options).unwrap();
        assert_eq!(merge_plies(&mut *merge, 2, 1), Ok(PLIES[1]));
        merge.descend(false).unwrap();
        let large = merge.sizes().capacity.min(1 << 17);
        for (small, filter, uses_them) in [(large / 4, within, are_kept), (large / 4, Filter::All, false)] {
            merge.reserve(large, within).unwrap();
            control.made();
            merge.reserve(small, filter).unwrap();
            assert_eq!(control.made() == 0, uses_them, "{small} of {large} entries in {memory} bytes, {filter:?}");
            assert_eq!((merge.expand(0..PLIES[1].0), merge.successors()), (Ok(PLIES[2].1), PLIES[2].0));
            assert_eq!(merge.perft(0..PLIES[2].0, 2), Ok(4_865_609));
        }
        merge.reserve(large, within).unwrap();
        merge.reserve(PLIES[2].0 - 1, within).unwrap();
        assert_eq!(
            merge.expand(0..PLIES[1].0),
            Err(MergeError::Full),
            "a kept buffer has no more room than was asked for"
        );
        let taken = control.most_bytes();
        assert!(taken <= memory, "{taken} of {memory} bytes");
    }
}

/// The first of many batches fills the list. The batches queued behind it must end, and the answer is `Full`. With room
/// for one more entry, the list is not full.
#[test]
fn a_list_that_is_too_short_is_full_and_stays_so() {
    for unordered in Unordered::ALL {
        for hash_bits in [0, 32] {
            let device = TwinDevice { unordered, ..TwinDevice::default() };
            let mut gpu = open(&device);
            let options = MergeOptions { hash_bits, ..MergeOptions::with_memory(1 << 26) };
            let mut merge = gpu.merge(&Fen::start().rules, &options).unwrap();
            merge_plies(&mut *merge, 2, 1).unwrap();
            merge.descend(false).unwrap();
            // With equal hashes, searching a full table is slow.
            let rooms = if hash_bits == 0 { vec![1, 300] } else { vec![0, 1, 300, 5_000, 5_361] };
            for room in rooms {
                merge.reserve(room, Filter::All).unwrap();
                device.control.launches();
                assert_eq!(merge.expand(0..400), Err(MergeError::Full), "room for {room}");
                let inserts = device.control.launches().iter().filter(|&&kernel| kernel == Kernel::Insert).count();
                assert!(inserts > 5, "only {inserts} insertions");
                assert_eq!(merge.expand(0..400), Err(MergeError::Full), "it stays full");
                assert_eq!(merge.add(&[start()]), Err(MergeError::Full));
                assert_eq!(merge.descend(false), Err(MergeError::Full));
            }
            if hash_bits == 32 {
                merge.reserve(5_362, Filter::All).unwrap();
                assert_eq!(merge.expand(0..400), Ok(8_902));
                assert_eq!(merge.successors(), 5_362);
            }
        }
    }
}

/// Multiplicities are added with carries into every word, and a sum beyond 128 bits is an error.
#[test]
fn multiplicities_of_128_bits() {
    let mut gpu = open(&TwinDevice::default());
    let mut merge = gpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 26)).unwrap();
    for (numbers, sum) in [
        ([u128::from(u32::MAX), 1], Some(1 << 32)),
        ([u128::from(u64::MAX), u128::from(u64::MAX)], Some((1 << 65) - 2)),
        ([u128::MAX - 5, 5], Some(u128::MAX)),
        ([u128::MAX, 1], None),
    ] {
        merge.reserve(2, Filter::All).unwrap();
        let entries = numbers.map(|multiplicity| WeightedPosition { multiplicity, ..start() });
        let added = merge.add(&entries);
        match sum {
            Some(sum) => {
                assert_eq!(added, Ok(()));
                assert_eq!(merge.entries(0..1), Ok(vec![WeightedPosition { multiplicity: sum, ..start() }]));
                assert_eq!(merge.perft(0..1, 0), Ok(sum));
                for (depth, leaves) in [(1, 20), (2, 400)] {
                    assert_eq!(merge.perft(0..1, depth), sum.checked_mul(leaves).ok_or(MergeError::Overflow));
                }
            }
            None => assert_eq!(added, Err(MergeError::Overflow)),
        }
    }
}

/// The self-test has room for the candidates of large levels.
#[test]
fn merging_is_tested_with_large_levels() {
    let mut gpu = crate::open(&TwinDevice::default(), &GpuOptions::of([(Positions, 1 << 24)]));
    let mut merge = gpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 32)).unwrap();
    assert_eq!(merge_plies(&mut *merge, 2, 1), Ok(PLIES[1]));
}

/// The positions that one path reaches are counted on the device, in lists of one shard and of several, and in any part of a list.
#[test]
fn positions_reached_once_are_counted() {
    for max_buffer in [None, Some(1 << 17)] {
        let device = TwinDevice { max_buffer, ..TwinDevice::default() };
        let mut gpu = open(&device);
        let mut merge = gpu.merge(&Fen::start().rules, &MergeOptions::with_memory(1 << 26)).unwrap();
        assert_eq!(merge_plies(&mut *merge, 3, 1), Ok(PLIES[2]));
        let entries = merge.entries(0..5_362).unwrap();
        let mut sum = 0;
        for part in [0..1, 1..2_000, 2_000..5_361, 5_361..9_999] {
            let of_part = &entries[part.start as usize..(part.end as usize).min(5_362)];
            let once = of_part.iter().filter(|entry| entry.multiplicity == 1).count() as u64;
            assert_eq!(merge.reached_once(part), Ok(once));
            sum += once;
        }
        // OEIS A089957.
        assert_eq!(sum, 1_862);
        // The list can still be counted and extended.
        assert_eq!(merge.perft(0..5_362, 1), Ok(197_281));
        assert_eq!(merge.add(&entries[..1]), Ok(()));
        assert_eq!(merge.reached_once(0..5_362), Ok(1_862 - u64::from(entries[0].multiplicity == 1)));
    }
}

/// Returns the number of diagrams in each part.
fn in_parts(merge: &mut dyn Merge, parts: u32) -> Vec<u64> {
    (0..parts).map(|part| merge.diagrams(part, parts).unwrap()).collect()
}

/// Diagrams are counted on the device, as a whole and in parts, in lists of one shard and of several, with any number of hash
/// bits. The device counts as many diagrams as the host. Afterwards the list is unchanged, but it accepts no entries until it
/// is made again.
#[test]
fn diagrams_are_counted() {
    let kiwipete = fen("kiwipete");
    for (max_buffer, hash_bits) in [(None, 32), (Some(1 << 17), 32), (None, 4)] {
        let device = TwinDevice { max_buffer, ..TwinDevice::default() };
        let mut gpu = open(&device);
        assert!(gpu.info().counts_diagrams);
        let options = MergeOptions { hash_bits, ..MergeOptions::with_memory(1 << 26) };
        let mut merge = gpu.merge(&kiwipete.rules, &options).unwrap();
        begin(&mut *merge, entry(&kiwipete, 1)).unwrap();
        // Half of the positions of ply 3, because searches take long with few bits of the hash.
        for parents in [1, 48, if hash_bits == 32 { 1_000 } else { 50 }] {
            merge.descend(false).unwrap();
            merge.reserve(57_548, Filter::All).unwrap();
            merge.expand(0..parents).unwrap();
        }
        let len = merge.successors();
        let entries = merge.entries(0..len).unwrap();
        let mut mailbox = Mailbox::new();
        let host: &mut dyn Merge =
            &mut HostMerge::new(&mut mailbox, &kiwipete.rules, MergeOptions::with_memory(1 << 26));
        host.reserve(len, Filter::All).unwrap();
        host.add(&entries).unwrap();
        device.control.launches();
        for parts in [1, 2, 5] {
            let found = in_parts(&mut *merge, parts);
            assert_eq!(found, in_parts(host, parts), "{parts} parts");
            let sum: u64 = found.iter().sum();
            assert!(0 < sum && sum < len, "{sum} diagrams of {len} positions");
        }
        let launched = device.control.launches().iter().filter(|&&kernel| kernel == Kernel::CountDiagrams).count();
        assert!(if max_buffer.is_some() { launched > 8 } else { launched == 8 }, "{launched}");
        // The list can still be read and counted.
        assert_eq!(merge.entries(0..len).unwrap(), entries);
        assert_eq!(merge.perft(0..len, 1), host.perft(0..len, 1));
        assert_eq!(merge.reached_once(0..len), host.reached_once(0..len));
        assert_eq!(merge.add(&entries[..1]), Err(MergeError::Full));
        merge.reserve(57_548, Filter::All).unwrap();
        merge.expand(0..10).unwrap();
        assert!(merge.diagrams(0, 1).is_ok());
        assert_eq!(merge.expand(0..10), Err(MergeError::Full));
        assert_eq!(merge.descend(false), Err(MergeError::Full));
        merge.reserve(57_548, Filter::All).unwrap();
        merge.expand(0..10).unwrap();
        assert_eq!(merge.descend(false), Ok(()));
    }
}
