//! Merging equal positions.
//!
//! A slot holds 0 if it is free, else the number of an entry, counted from 1, or of a candidate with the highest bit set.

use kogge_board::Planes32;
use kogge_board::merge::Filter;
use kogge_gpu::kernels::{Binding, Scalar};
use kogge_gpu::{REACHED_ONCE, WEIGHTED_SUMS_GROUPS};

use super::arguments::Arguments;
use super::position::{load_planes, store_position};
use super::range::kept_of_scalars;

const CANDIDATE: u32 = 1 << 31;

/// The value that is stored instead of a slot for a candidate that took none.
const NO_SLOT: u32 = u32::MAX;

/// The words of `merge_state`.
const LEN: usize = 0;
pub(super) const FRESH: usize = 1;
pub(super) const FULL: usize = 2;
const OVERFLOW: usize = 3;

/// Mixes a word into a hash; after MurmurHash3 (Austin Appleby, 2011).
fn mix(hash: u32, word: u32, [first, left, second, left_hash, added]: [u32; 5]) -> u32 {
    let word = word.wrapping_mul(first).rotate_left(left).wrapping_mul(second);
    (hash ^ word).rotate_left(left_hash).wrapping_mul(5).wrapping_add(added)
}

/// Returns a hash in which every bit depends on every bit of another hash.
fn mixed(hash: u32) -> u32 {
    let hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// The factors and distances of the hash that chooses the slot.
const SLOT_MIX: [u32; 5] = [0xcc9e_2d51, 15, 0x1b87_3593, 13, 0xe654_6b64];

/// Returns two hashes: the first chooses the slot, the second is part of the key.
pub(super) fn hashes(position: &Planes32) -> [u32; 2] {
    let [bit1, bit2, bit4] = position.codes;
    let (mut slot, mut share) = (0x9747_b28c, 0x3c6e_f372);
    for word in [bit1, bit2, bit4, position.own].into_iter().flat_map(|plane| [plane as u32, (plane >> 32) as u32]) {
        slot = mix(slot, word, SLOT_MIX);
        share = mix(share, word, [0x239b_961b, 16, 0xab0e_9789, 17, 0x0bca_a747]);
    }
    [mixed(slot), mixed(share)]
}

pub(super) fn mul_hi(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

fn number(words: [u32; 4]) -> u128 {
    words.into_iter().rev().fold(0, |number, word| number << 32 | u128::from(word))
}

fn words<const WORDS: usize>(number: u128) -> [u32; WORDS] {
    std::array::from_fn(|word| number.checked_shr(32 * word as u32).unwrap_or(0) as u32)
}

/// Copies some entries to level 0; each becomes a root.
pub(super) fn load_entries(arguments: &Arguments<'_>) {
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let entry = load_planes(arguments, Binding::entries, arguments.scalar(Scalar::first) as usize + index);
        store_position(arguments, Binding::successors, index, &entry);
        arguments.set(Binding::successor_roots, index, index as u32);
    }
}

/// Copies to level 0 every `stride`-th entry that may have successors that pass the filter, with its multiplicity, as far as there is room.
pub(super) fn select_entries(arguments: &Arguments<'_>) {
    let kept = kept_of_scalars(arguments);
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let number = arguments.scalar(Scalar::first) as usize + index * arguments.scalar(Scalar::stride) as usize;
        let entry = load_planes(arguments, Binding::entries, number);
        if !kept.needs(&entry) {
            continue;
        }
        let selected = arguments.add(Binding::selected_count, 0, 1) as usize;
        if selected < arguments.scalar(Scalar::capacity) as usize {
            store_position(arguments, Binding::successors, selected, &entry);
            arguments.set(Binding::successor_roots, selected, selected as u32);
            let multiplicity = arguments.read::<4>(Binding::root_multiplicities, number);
            arguments.write(Binding::selected_multiplicities, selected, multiplicity);
        }
    }
}

/// Returns the part of the order that an entry belongs to: the upper bits of a hash of the other side's pieces, without the
/// pieces of the reference.
fn part_of(arguments: &Arguments<'_>, index: usize) -> usize {
    let Planes32 { codes, own } = load_planes(arguments, Binding::entries, index);
    let reference = |plane: usize| {
        let [low, high] = [0, 1].map(|half| arguments.word(Binding::reference, 2 * plane + half));
        u64::from(high) << 32 | u64::from(low)
    };
    let differs = (0..3).fold(0, |differs, plane| differs | codes[plane] ^ reference(plane));
    let words = codes.map(|plane| plane & differs & !own).map(|plane| [plane as u32, (plane >> 32) as u32]);
    let hash = words.as_flattened().iter().fold(0x9747_b28c, |hash, &word| mix(hash, word, SLOT_MIX));
    (mixed(hash) >> arguments.scalar(Scalar::shift)) as usize
}

/// Counts the entries of each part of the order.
pub(super) fn count_by_opponent(arguments: &Arguments<'_>) {
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        arguments.add(Binding::opponent_counts, part_of(arguments, index), 1);
    }
}

pub(super) fn order_by_opponent(arguments: &Arguments<'_>) {
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let place = arguments.add(Binding::opponent_counts, part_of(arguments, index), 1);
        arguments.set(Binding::new_order, place as usize, index as u32);
    }
}

/// Copies some entries of a shard, in order and with their multiplicities, to level 0; each becomes a root. The shards
/// contribute entries in turns. After all turns, the remaining entries of each shard follow.
pub(super) fn load_ordered(arguments: &Arguments<'_>) {
    let [shard_index, shard_count, turns, at] = [Scalar::shard_index, Scalar::shard_count, Scalar::turns, Scalar::at]
        .map(|name| arguments.scalar(name) as usize);
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let place = arguments.scalar(Scalar::first) as usize + index;
        let number = arguments.word(Binding::order, place) as usize;
        let entry = load_planes(arguments, Binding::entries, number);
        let root = if index < turns { index * shard_count + shard_index } else { at + index - turns };
        store_position(arguments, Binding::successors, root, &entry);
        arguments.set(Binding::successor_roots, root, root as u32);
        let multiplicity = arguments.read::<4>(Binding::root_multiplicities, number);
        arguments.write(Binding::selected_multiplicities, root, multiplicity);
    }
}

/// Finds the slot of each candidate that passes the filter, and adds its root's multiplicity to the slot's.
pub(super) fn insert(arguments: &Arguments<'_>) {
    let kept = kept_of_scalars(arguments);
    for candidate in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let position = load_planes(arguments, Binding::positions, candidate);
        let mut slot = NO_SLOT;
        if is_kept(arguments, kept, candidate, &position) {
            count_kept(arguments, candidate);
            slot = find_slot(arguments, candidate, &position);
        }
        arguments.set(Binding::taken, candidate, slot);
    }
}

/// The root of a candidate from which no moves may lead into the range.
const NO_ROOT: u32 = u32::MAX;

/// Takes the root from each candidate from which no moves may lead into the range.
pub(super) fn drop_others(arguments: &Arguments<'_>) {
    let kept = kept_of_scalars(arguments);
    for candidate in arguments.indices(0, arguments.scalar(Scalar::end)) {
        if !kept.has(&load_planes(arguments, Binding::positions, candidate)) {
            arguments.set(Binding::successor_roots, candidate, NO_ROOT);
        }
    }
}

pub(super) fn is_kept(arguments: &Arguments<'_>, kept: Filter, candidate: usize, position: &Planes32) -> bool {
    match kept {
        Filter::Reaching { plies: 1.., .. } => arguments.word(Binding::roots, candidate) != NO_ROOT,
        kept => kept.has(position),
    }
}

/// If there is a filter, counts a candidate that passes it.
pub(super) fn count_kept(arguments: &Arguments<'_>, candidate: usize) {
    if kept_of_scalars(arguments) != Filter::All {
        arguments.add(Binding::kept_counts, arguments.word(Binding::roots, candidate) as usize, 1);
    }
}

/// Finds the slot of each candidate of a shard; the number of candidates does not matter.
pub(super) fn insert_sorted(arguments: &Arguments<'_>) {
    let [shard, shards] = [Scalar::shard_index, Scalar::shard_count].map(|scalar| arguments.scalar(scalar) as usize);
    let start = if shard == 0 { 0 } else { arguments.word(Binding::sorted, shard - 1) };
    for index in start..arguments.word(Binding::sorted, shard) {
        let candidate = arguments.word(Binding::sorted, shards + index as usize) as usize;
        let slot = find_slot(arguments, candidate, &load_planes(arguments, Binding::positions, candidate));
        arguments.set(Binding::taken, index as usize, slot);
    }
}

/// Finds the slot of a candidate and adds the multiplicity of the candidate's root there. Returns the slot if the
/// candidate took it.
fn find_slot(arguments: &Arguments<'_>, candidate: usize, position: &Planes32) -> u32 {
    let [hash, _] = hashes(position);
    let slot_count = arguments.scalar(Scalar::slot_count);
    let first_slot = mul_hi(hash & arguments.scalar(Scalar::hash_mask), slot_count) as usize;
    let root = (arguments.scalar(Scalar::first) + arguments.word(Binding::roots, candidate)) as usize;
    let amount = number(arguments.read(Binding::root_multiplicities, root));
    for slot in (first_slot..slot_count as usize).chain(0..first_slot) {
        let found = arguments.word(Binding::slots, slot);
        if found == 0 {
            arguments.set(Binding::slots, slot, CANDIDATE | candidate as u32);
            add_multiplicity(arguments, Binding::candidate_multiplicities, candidate, amount);
            return slot as u32;
        }
        let (known, index, added_to) = match found & CANDIDATE {
            0 => (Binding::entries, found as usize - 1, Binding::multiplicities),
            _ => (Binding::positions, (found & !CANDIDATE) as usize, Binding::candidate_multiplicities),
        };
        if load_planes(arguments, known, index) == *position {
            add_multiplicity(arguments, added_to, index, amount);
            return NO_SLOT;
        }
    }
    arguments.set(Binding::merge_state, FULL, 1);
    NO_SLOT
}

fn add_multiplicity(arguments: &Arguments<'_>, binding: Binding, index: usize, amount: u128) {
    let (sum, overflows) = number(arguments.read(binding, index)).overflowing_add(amount);
    arguments.write::<4>(binding, index, words(sum));
    if overflows {
        arguments.set(Binding::merge_state, OVERFLOW, 1);
    }
}

/// Appends the candidates that took a slot to the list, as far as there is room.
pub(super) fn append(arguments: &Arguments<'_>) {
    let [shard, shards] = [Scalar::shard_index, Scalar::shard_count].map(|scalar| arguments.scalar(scalar) as usize);
    let sorted = |index: usize| arguments.word(Binding::sorted, index);
    let (start, end) = match (shards, shard) {
        (0..=1, _) => (0, arguments.scalar(Scalar::end)),
        (_, 0) => (0, sorted(0)),
        _ => (sorted(shard - 1), sorted(shard)),
    };
    let len = arguments.word(Binding::merge_state, LEN) as usize;
    for index in start as usize..end as usize {
        let slot = arguments.word(Binding::taken, index);
        if slot == NO_SLOT {
            continue;
        }
        let candidate = if shards > 1 { sorted(shards + index) as usize } else { index };
        let successor = len + arguments.add(Binding::merge_state, FRESH, 1) as usize;
        let has_room = successor < arguments.scalar(Scalar::capacity) as usize;
        if has_room {
            let position = load_planes(arguments, Binding::positions, candidate);
            store_position(arguments, Binding::successors, successor, &position);
            let multiplicity = arguments.read::<4>(Binding::taken_multiplicities, candidate);
            arguments.write(Binding::new_multiplicities, successor, multiplicity);
        }
        if arguments.scalar(Scalar::keeps_slots) != 0 {
            arguments.set(Binding::slots, slot as usize, if has_room { successor as u32 + 1 } else { 0 });
        }
        arguments.write(Binding::taken_multiplicities, candidate, [0; 4]);
    }
}

/// Adds the appended candidates to the length of the list, and records if there was no room for all.
pub(super) fn note_appended(arguments: &Arguments<'_>) {
    let (fresh, len) = (arguments.word(Binding::merge_state, FRESH), arguments.word(Binding::merge_state, LEN));
    let rest = arguments.scalar(Scalar::capacity) - len;
    if fresh > rest {
        arguments.set(Binding::merge_state, FULL, 1);
    }
    arguments.set(Binding::merge_state, LEN, len + fresh.min(rest));
    arguments.set(Binding::merge_state, FRESH, 0);
}

/// Sums leaves weighted by multiplicity, one sum per work-group, after a header; the groups take the roots in turns.
pub(super) fn weighted_sums(arguments: &Arguments<'_>) {
    let (first, end, depth) =
        (arguments.scalar(Scalar::first), arguments.scalar(Scalar::end) as usize, arguments.scalar(Scalar::depth));
    if depth > 1 && depth != REACHED_ONCE && arguments.word(Binding::known_totals, 0) != 0 {
        arguments.set(Binding::sums, 0, 1);
    }
    let (kind, stride) = (arguments.scalar(Scalar::kind) as usize, arguments.scalar(Scalar::stride) as usize);
    for group in 0..arguments.groups {
        let sum = 2 * (kind * WEIGHTED_SUMS_GROUPS + group + 1);
        // The lower and the upper half of 256 bits, modulo 2^256.
        let [mut low, mut high] = [0, 1].map(|half| number(arguments.read(Binding::sums, sum + half)));
        for lane in group * arguments.group_size..(group + 1) * arguments.group_size {
            for root in (lane..end).step_by(arguments.work_items()) {
                let multiplicity = number(arguments.read(Binding::root_multiplicities, first as usize + root));
                let leaves = match depth {
                    REACHED_ONCE => (multiplicity == 1).into(),
                    0 => 1,
                    1 => arguments.word(Binding::counts, root).into(),
                    _ => {
                        let [low, high] = arguments.read(Binding::known_totals, kind * stride + root + 1);
                        u128::from(high) << 32 | u128::from(low)
                    }
                };
                let [low_product, high_product] =
                    [multiplicity & u128::from(u64::MAX), multiplicity >> 64].map(|half| half * leaves);
                let (sum, first_carry) = low.overflowing_add(low_product);
                let (sum, second_carry) = sum.overflowing_add(high_product << 64);
                low = sum;
                let carried = (high_product >> 64) + u128::from(first_carry) + u128::from(second_carry);
                high = high.wrapping_add(carried);
            }
        }
        let [low, high] = [low, high].map(words::<4>);
        arguments.write::<4>(Binding::sums, sum, low);
        arguments.write::<4>(Binding::sums, sum + 1, high);
    }
}
