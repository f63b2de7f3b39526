//! Comparing a device with the twin, kernel by kernel.

use std::collections::HashMap;
use std::fmt;

use kogge_board::merge::{Kept, Key, KeyRange};
use kogge_board::{Planes32, Quad48, Rules};
use kogge_gpu::interface::Launch;
use kogge_gpu::kernels::{Binding, Kernel, Module, Scalar};
use kogge_gpu::{Device, Failure, HostSettings, Interface, LastPlies, Unordered, WEIGHTED_SUMS_GROUP};
use pollster::block_on;

use super::generate::packed_moves;
use super::make::made;
use super::position::Seen;
use super::{Control, Queues, Twin, TwinSettings};

/// The spare room for successors and items, which shows excess writes.
const SPARE: usize = 3;
/// The maximum number of ranges with the pawns of one position.
const SINGLE_RANGES: usize = 60;
/// The room for moves of a quiescence search.
const QUIESCENCE_ROOM: u32 = 1024;
/// The plies on the path of a quiescence search, including one above the leaf.
const QUIESCENCE_NODES: usize = 7;
const QUIESCENCE_LANES: u32 = 5;
/// Few, because lavapipe silently ends every loop after 65,536 iterations.
const QUIESCENCE_STEPS: u32 = 64;
/// The size of a window that is the whole table.
const WHOLE: u32 = u32::MAX;

/// The first difference of a device from the twin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StageDifference {
    /// The device cannot be used, or a call failed; the reason is a sentence.
    Failed(String),
    /// A kernel gave different output.
    Kernel {
        /// The kernel's name.
        kernel: &'static str,
        /// The buffer's name.
        buffer: &'static str,
        /// The number of the element; if the order of elements is unspecified, its index in sorted order.
        element: usize,
        /// The words of the element on the device; none if the device has fewer elements.
        found: Vec<u32>,
        /// The words of the element on the twin.
        expected: Vec<u32>,
    },
}

impl fmt::Display for StageDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => f.write_str(reason),
            Self::Kernel { kernel, buffer, element, found, expected } => write!(
                f,
                "The kernel {kernel} differs from its twin at element {element} of {buffer}: {found:#010x?} instead of \
                 {expected:#010x?}."
            ),
        }
    }
}

impl From<Failure> for StageDifference {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.sentence())
    }
}

/// The contents of buffers, in words.
type Contents = HashMap<Binding, Vec<u32>>;

/// Runs all kernels, one by one, on a device and on the twin with equal input, and compares their output. The positions
/// must be legal under these rules; a few hundred are enough.
///
/// # Errors
/// The first kernel and element that differ.
pub fn compare_stages<D: Device>(
    device: &D,
    options: &D::Options,
    positions: &[Quad48],
    rules: &Rules,
) -> Result<(), StageDifference> {
    if positions.is_empty() {
        return Ok(());
    }
    if let Some(reason) = device.unusable() {
        return Err(StageDifference::Failed(reason));
    }
    let settings = device.settings(options).map_err(StageDifference::Failed)?;
    let mut interface = block_on(device.connect(&settings))?;
    let host = HostSettings { device_memory: u64::MAX, max_buffer: u64::MAX, ..settings.as_ref().clone() };
    let mut counting = vec![Module::Counting];
    counting.extend((host.unordered != Unordered::Never).then_some(Module::Unordered));
    counting.extend(matches!(host.last_plies, LastPlies::DepthFirst(_)).then_some(Module::DepthFirst));
    let mut twin = Twin::new(TwinSettings { host: host.clone(), queues: Queues::None }, Control::default());
    for modules in [&counting[..], &[Module::Merging], &[Module::Minimax]] {
        block_on(interface.compile(modules))?;
        block_on(twin.compile(modules))?;
    }
    let lines = host.lines.iter().flatten().flat_map(|&board| [board as u32, (board >> 32) as u32]).collect();
    let mut stages =
        Stages { interface, twin, contents: HashMap::from([(Binding::lines, lines)]), scalars: HashMap::new(), host };
    stages.counting(positions, rules)?;
    stages.last_plies(positions.len())?;
    stages.unordered(positions, rules)?;
    stages.merging(positions, rules)?;
    stages.minimax(positions.len())
}

/// Both interfaces, and the output so far.
struct Stages<I> {
    interface: I,
    twin: Twin,
    contents: Contents,
    scalars: HashMap<Scalar, u32>,
    host: HostSettings,
}

impl<I: Interface> Stages<I> {
    /// Returns the number of 32-bit words of a position.
    fn position_words(&self) -> usize {
        self.host.form.bytes() / 4
    }

    /// Returns the number of 32-bit words of an element.
    fn words_of(&self, binding: Binding) -> usize {
        match binding {
            Binding::positions | Binding::successors | Binding::entries => self.position_words(),
            Binding::items
            | Binding::new_items
            | Binding::totals
            | Binding::known_totals
            | Binding::fresh
            | Binding::states => 2,
            Binding::quads | Binding::successor_quads => 12,
            Binding::lines | Binding::multiplicities | Binding::root_multiplicities => 4,
            Binding::candidate_multiplicities | Binding::selected_multiplicities => 4,
            Binding::sums => 8,
            Binding::nodes => 16,
            _ => 1,
        }
    }

    /// Sets the input of the next kernels.
    fn set(&mut self, binding: Binding, words: Vec<u32>) {
        self.contents.insert(binding, words);
    }

    /// Sets a buffer to zeros.
    fn zeros(&mut self, binding: Binding, elements: usize) {
        self.set(binding, vec![0; elements * self.words_of(binding)]);
    }

    fn get(&self, binding: Binding) -> &[u32] {
        self.contents.get(&binding).map_or(&[], Vec::as_slice)
    }

    fn scalar(&mut self, scalar: Scalar, value: u32) {
        self.scalars.insert(scalar, value);
    }

    /// Runs a kernel on both sides with equal input, compares all its output, and keeps it under its names in
    /// `renamed`.
    fn compare(&mut self, kernel: Kernel, items: usize, renamed: &[(Binding, Binding)]) -> Result<(), StageDifference> {
        let found = self.run_device(kernel, items, &self.contents.clone())?;
        let expected = self.run_twin(kernel, items, &self.contents.clone())?;
        for &binding in kernel.signature().buffers.iter().filter(|binding| binding.is_written()) {
            self.check(kernel, binding, &found[&binding], &expected[&binding])?;
        }
        self.keep(expected, renamed);
        Ok(())
    }

    /// Keeps output as input for later kernels.
    fn keep(&mut self, mut output: Contents, renamed: &[(Binding, Binding)]) {
        for &(written, read) in renamed {
            if let Some(words) = output.remove(&written) {
                self.contents.insert(read, words);
            }
        }
        self.contents.extend(output);
    }

    /// Compares two buffers.
    fn check(&self, kernel: Kernel, binding: Binding, found: &[u32], expected: &[u32]) -> Result<(), StageDifference> {
        let words = self.words_of(binding);
        let (found, expected) = (found.chunks(words), expected.chunks(words));
        different(kernel, binding, found, expected)
    }

    /// Compares elements of several buffers, in any order.
    fn check_multiset(
        kernel: Kernel,
        binding: Binding,
        mut found: Vec<Vec<u32>>,
        mut expected: Vec<Vec<u32>>,
    ) -> Result<(), StageDifference> {
        found.sort_unstable();
        expected.sort_unstable();
        different(kernel, binding, found.iter().map(Vec::as_slice), expected.iter().map(Vec::as_slice))
    }

    fn run_device(&mut self, kernel: Kernel, items: usize, input: &Contents) -> Result<Contents, StageDifference> {
        run(&mut self.interface, &self.host, kernel, items, input, &self.scalars)
    }

    fn run_twin(&mut self, kernel: Kernel, items: usize, input: &Contents) -> Result<Contents, StageDifference> {
        run(&mut self.twin, &self.host, kernel, items, input, &self.scalars)
    }

    /// Runs the stages up to the successors in generation order, which leave items and successors of all positions.
    fn counting(&mut self, positions: &[Quad48], rules: &Rules) -> Result<(), StageDifference> {
        let len = positions.len();
        self.set(Binding::quads, bytemuck::cast_slice(positions).to_vec());
        self.scalar(Scalar::first, 0);
        self.scalar(Scalar::end, len as u32);
        self.scalar(Scalar::castling_files, u32::from_le_bytes(rules.castling_files));
        self.scalar(Scalar::halfmove_clock, rules.halfmove_clock.into());
        self.zeros(Binding::successors, len + SPARE);
        self.zeros(Binding::successor_roots, len + SPARE);
        let renamed = [(Binding::successors, Binding::positions), (Binding::successor_roots, Binding::roots)];
        self.compare(Kernel::Upload, len, &renamed)?;

        let block = self.host.group_size;
        self.zeros(Binding::new_counts, len + SPARE);
        self.compare(Kernel::Count, len, &[(Binding::new_counts, Binding::counts)])?;
        self.zeros(Binding::new_offsets, len + SPARE);
        self.zeros(Binding::block_sums, len.div_ceil(block));
        self.compare(Kernel::Scan, len, &[(Binding::new_offsets, Binding::offsets)])?;
        let mut moves = 0;
        let bases = self.get(Binding::block_sums).iter().map(|sum| (moves, moves += sum).0).collect();
        self.set(Binding::bases, bases);
        self.zeros(Binding::new_items, moves as usize + SPARE);
        self.compare(Kernel::WriteMoves, len, &[(Binding::new_items, Binding::items)])?;

        self.scalar(Scalar::end, moves);
        self.zeros(Binding::successors, moves as usize + SPARE);
        self.zeros(Binding::successor_roots, moves as usize + SPARE);
        self.compare(Kernel::Make, moves as usize, &[])?;
        self.zeros(Binding::successor_quads, moves as usize + SPARE);
        self.compare(Kernel::MakeQuads, moves as usize, &[])
    }

    /// Returns the number of moves of all positions.
    fn moves(&self) -> usize {
        self.get(Binding::block_sums).iter().map(|&sum| sum as usize).sum()
    }

    /// Runs the stages that count the last plies. Items differ from device to device; totals do not.
    fn last_plies(&mut self, len: usize) -> Result<(), StageDifference> {
        let moves = self.moves();
        self.scalar(Scalar::capacity, moves as u32);
        self.set(Binding::item_count, vec![moves as u32, 0]);
        self.zeros(Binding::totals, len + 1);
        self.compare(Kernel::CountReplies, moves, &[])?;

        self.scalar(Scalar::end, len as u32);
        self.zeros(Binding::totals, len + 1);
        self.zeros(Binding::new_items, moves);
        self.zeros(Binding::new_item_count, 2);
        let mut input = self.contents.clone();
        let mut found = self.run_device(Kernel::ClosedForm, len, &input)?;
        for (written, read) in [(Binding::new_items, Binding::items), (Binding::new_item_count, Binding::item_count)] {
            input.insert(read, found.remove(&written).unwrap_or_default());
        }
        input.extend(found);
        let found = self.run_device(Kernel::CountReplies, moves, &input)?;
        let expected = self.run_twin(Kernel::ClosedForm, len, &self.contents.clone())?;
        self.check(Kernel::ClosedForm, Binding::totals, &found[&Binding::totals], &expected[&Binding::totals])?;
        if let LastPlies::DepthFirst(_) = self.host.last_plies {
            self.scalar(Scalar::depth, 2);
            let input = self.contents.clone();
            let found = self.run_device(Kernel::DepthFirst, len, &input)?;
            self.check(Kernel::DepthFirst, Binding::totals, &found[&Binding::totals], &expected[&Binding::totals])?;
        }
        self.set(Binding::known_totals, expected[&Binding::totals].clone());
        Ok(())
    }

    /// Runs the stages that make successors in any order: all successors, and successors of which some are kept.
    fn unordered(&mut self, positions: &[Quad48], rules: &Rules) -> Result<(), StageDifference> {
        if self.host.unordered == Unordered::Never {
            return Ok(());
        }
        for kept in kept_after(positions, rules).into_iter().chain([Kept::All]) {
            self.set_kept(kept);
            self.expand_unordered(positions.len(), kept)?;
        }
        Ok(())
    }

    /// Makes successors in any order, and compares them with the output of `make`. The twin leaves out every successor that is
    /// not kept; the device may leave out none of the others.
    fn expand_unordered(&mut self, len: usize, kept: Kept) -> Result<(), StageDifference> {
        let moves = self.moves();
        self.scalar(Scalar::room, (moves + SPARE) as u32);
        self.scalar(Scalar::capacity, moves as u32);
        let mut input = self.contents.clone();
        input.insert(Binding::new_item_count, vec![0; 2]);
        input.insert(Binding::new_items, vec![0; 2 * moves.max(1)]);
        input.insert(Binding::new_counts, vec![0; len + SPARE]);
        for binding in [Binding::successors, Binding::successor_roots] {
            input.insert(binding, vec![0; (moves + SPARE) * self.words_of(binding)]);
        }
        let words = self.position_words();
        let made = |output: &Contents| successors(words, output[&Binding::new_item_count][1] as usize, output);
        let all = successors(words, moves, &self.contents);
        let expected = made(&self.run_twin(Kernel::ExpandUnordered, len, &input)?);
        let found = self.run_device(Kernel::ExpandUnordered, len, &input)?;
        if kept == Kept::All {
            let counts = self.get(Binding::counts);
            self.check(Kernel::ExpandUnordered, Binding::new_counts, &found[&Binding::new_counts], counts)?;
            let counts = &found[&Binding::new_item_count];
            if counts[0] + counts[1] != moves as u32 {
                let (kernel, buffer) = (Kernel::ExpandUnordered.signature().name, Binding::new_item_count.name());
                let (found, expected) = (counts.clone(), vec![moves as u32]);
                return Err(StageDifference::Kernel { kernel, buffer, element: 0, found, expected });
            }
        }
        // The first kernel makes some of the successors; the second one makes the others.
        check_successors(Kernel::ExpandUnordered, &made(&found), &[], &all)?;
        input.extend(found);
        let items = input[&Binding::new_items].clone();
        input.insert(Binding::items, items);
        let found = self.run_device(Kernel::ExpandItems, moves, &input)?;
        check_successors(Kernel::ExpandItems, &made(&found), &expected, &all)
    }

    /// Runs the stages of merging: the successors are inserted into an empty list, then inserted again.
    fn merging(&mut self, positions: &[Quad48], rules: &Rules) -> Result<(), StageDifference> {
        let len = positions.len();
        let parents = self.contents.get(&Binding::positions).cloned().unwrap_or_default();
        let parents_roots = self.get(Binding::roots).to_vec();
        let moves = self.moves();
        // A few multiplicities carry into every word.
        let multiplicity = |root: u32| [u32::MAX - root % 3, u32::MAX, root, root % 5];
        let multiplicities = (0..len as u32).flat_map(multiplicity).collect();
        self.set(Binding::root_multiplicities, multiplicities);
        // The sums note that a queue overflowed.
        let known_totals = self.contents.entry(Binding::known_totals).or_default();
        known_totals.iter_mut().take(1).for_each(|header| *header = 1);
        for depth in 0..3 {
            self.scalar(Scalar::depth, depth);
            // A kernel adds to the sums.
            self.set(Binding::sums, vec![u32::MAX - depth; 8 * (1 + weighted_groups(len))]);
            self.compare(Kernel::WeightedSums, len, &[])?;
        }
        for (written, read) in [(Binding::successors, Binding::positions), (Binding::successor_roots, Binding::roots)] {
            let words = self.get(written).to_vec();
            self.set(read, words);
        }
        let slot_count = 3 * moves + 1;
        self.scalar(Scalar::end, moves as u32);
        self.scalar(Scalar::shard_index, 0);
        self.scalar(Scalar::shard_count, 1);
        self.scalar(Scalar::hash_mask, u32::MAX);
        self.scalar(Scalar::slot_count, slot_count as u32);
        self.scalar(Scalar::window, WHOLE);
        self.scalar(Scalar::room, moves as u32);
        self.zeros(Binding::slots, slot_count);
        self.zeros(Binding::entries, moves);
        for binding in [Binding::multiplicities, Binding::candidate_multiplicities, Binding::fresh] {
            self.zeros(binding, moves);
        }
        self.zeros(Binding::merge_state, 4);
        self.zeros(Binding::kept_counts, len);
        for kept in kept_after(positions, rules) {
            self.set_kept(kept);
            self.insert(moves)?;
        }
        self.set_kept(Kept::All);
        // With few bits of the hash, some searches leave the window.
        for (shard_count, hash_mask, window) in
            [(1, 0xf, WHOLE), (1, 0xf, 40), (1, u32::MAX, 40), (3, u32::MAX, WHOLE), (1, u32::MAX, WHOLE)]
        {
            self.scalar(Scalar::shard_count, shard_count);
            self.scalar(Scalar::hash_mask, hash_mask);
            self.scalar(Scalar::window, window);
            self.insert(moves)?;
        }
        // Every candidate is known now, so nothing depends on their order.
        self.zeros(Binding::successors, moves);
        self.compare(Kernel::Append, moves, &[(Binding::successors, Binding::entries)])?;
        self.compare(Kernel::NoteAppended, 1, &[])?;
        self.compare(Kernel::Insert, moves, &[])?;

        self.scalar(Scalar::first, 1);
        let entries = self.get(Binding::merge_state)[0];
        self.scalar(Scalar::end, entries.saturating_sub(1));
        self.zeros(Binding::successors, moves);
        self.zeros(Binding::successor_roots, moves);
        self.compare(Kernel::LoadEntries, moves, &[])?;
        let multiplicities = std::mem::replace(
            self.contents.entry(Binding::root_multiplicities).or_default(),
            (0..4 * moves as u32).map(|word| word.wrapping_mul(0x9e37_79b9)).collect(),
        );
        self.order(entries)?;
        for kept in kept_after(positions, rules).into_iter().filter(|kept| matches!(kept, Kept::Before(_))) {
            self.set_kept(kept);
            for (kept, ordered) in [(0, 1), (1, 0), (1, 1)] {
                self.scalar(Scalar::kept, kept);
                self.scalar(Scalar::ordered, ordered);
                self.select(moves)?;
            }
        }
        self.set(Binding::root_multiplicities, multiplicities);
        self.scalar(Scalar::first, 0);
        self.set(Binding::positions, parents);
        self.set(Binding::roots, parents_roots);
        Ok(())
    }

    /// Sets the scalars that tell what is kept.
    fn set_kept(&mut self, kept: Kept) {
        let (kept, KeyRange { first, last }) = match kept {
            Kept::All => (0, KeyRange::WHOLE),
            Kept::Within(range) => (1, range),
            Kept::Before(range) => (2, range),
        };
        let low = |board: u64| board as u32;
        let high = |board: u64| (board >> 32) as u32;
        for (scalar, value) in [
            (Scalar::kept, kept),
            (Scalar::first_own_low, low(first.pawns[0])),
            (Scalar::first_own_high, high(first.pawns[0])),
            (Scalar::first_theirs_low, low(first.pawns[1])),
            (Scalar::first_theirs_high, high(first.pawns[1])),
            (Scalar::first_hash, first.hash),
            (Scalar::last_own_low, low(last.pawns[0])),
            (Scalar::last_own_high, high(last.pawns[0])),
            (Scalar::last_theirs_low, low(last.pawns[1])),
            (Scalar::last_theirs_high, high(last.pawns[1])),
            (Scalar::last_hash, last.hash),
        ] {
            self.scalar(scalar, value);
        }
    }

    /// Puts entries in the order of the other side's pieces. The order within a part is unspecified.
    fn order(&mut self, entries: u32) -> Result<(), StageDifference> {
        let end = self.scalars[&Scalar::end];
        self.scalar(Scalar::end, entries);
        self.scalar(Scalar::shift, 28);
        self.zeros(Binding::army_counts, 1 << 4);
        self.compare(Kernel::CountArmies, entries as usize, &[])?;
        let mut end_of_part = 0;
        let ends: Vec<_> = self
            .get(Binding::army_counts)
            .iter()
            .map(|count| {
                end_of_part += count;
                end_of_part
            })
            .collect();
        let starts = [0].iter().chain(&ends[..ends.len() - 1]).copied().collect();
        self.set(Binding::army_counts, starts);
        self.zeros(Binding::new_order, entries as usize);
        let kernel = Kernel::OrderByArmy;
        let mut found = self.run_device(kernel, entries as usize, &self.contents.clone())?;
        let mut expected = self.run_twin(kernel, entries as usize, &self.contents.clone())?;
        for output in [&mut found, &mut expected] {
            let mut rest = &mut output.entry(Binding::new_order).or_default()[..];
            let mut start = 0;
            for &end in &ends {
                let (part, others) = rest.split_at_mut((end - start) as usize);
                part.sort_unstable();
                (rest, start) = (others, end);
            }
        }
        for binding in [Binding::army_counts, Binding::new_order] {
            self.check(kernel, binding, &found[&binding], &expected[&binding])?;
        }
        self.set(Binding::order, expected[&Binding::new_order].clone());
        self.scalar(Scalar::end, end);
        Ok(())
    }

    /// Selects entries. Their order is unspecified.
    fn select(&mut self, moves: usize) -> Result<(), StageDifference> {
        let kernel = Kernel::SelectEntries;
        self.zeros(Binding::selected_count, 1);
        for binding in [Binding::successors, Binding::successor_roots, Binding::selected_multiplicities] {
            self.zeros(binding, moves);
        }
        let found = self.run_device(kernel, moves, &self.contents.clone())?;
        let expected = self.run_twin(kernel, moves, &self.contents.clone())?;
        let count = Binding::selected_count;
        self.check(kernel, count, &found[&count], &expected[&count])?;
        let count = expected[&count][0] as usize;
        let written = Binding::successor_roots;
        self.check(kernel, written, &found[&written], &expected[&written])?;
        let words = self.position_words();
        let selected = |output: &Contents| {
            let positions = output[&Binding::successors].chunks(words);
            let multiplicities = output[&Binding::selected_multiplicities].chunks(4);
            positions.zip(multiplicities).take(count).map(|(position, words)| [position, words].concat()).collect()
        };
        Self::check_multiset(kernel, Binding::successors, selected(&found), selected(&expected))
    }

    /// Inserts candidates into the empty list. The choice among equal candidates and the choice of slots are unspecified.
    fn insert(&mut self, moves: usize) -> Result<(), StageDifference> {
        let found = self.run_device(Kernel::Insert, moves, &self.contents.clone())?;
        let expected = self.run_twin(Kernel::Insert, moves, &self.contents.clone())?;
        self.check(
            Kernel::Insert,
            Binding::merge_state,
            &found[&Binding::merge_state],
            &expected[&Binding::merge_state],
        )?;
        let written = Binding::kept_counts;
        self.check(Kernel::Insert, written, &found[&written], &expected[&written])?;
        let words = self.position_words();
        let taken = |output: &Contents| {
            let fresh = output[&Binding::fresh].chunks(2).take(output[&Binding::merge_state][1] as usize);
            let entry = |fresh: &[u32]| {
                let candidate = (fresh[0] as usize).min(moves - 1);
                let slot = output[&Binding::slots].get(fresh[1] as usize);
                let mut entry = self.get(Binding::positions)[candidate * words..][..words].to_vec();
                entry.extend(&output[&Binding::candidate_multiplicities][4 * candidate..][..4]);
                entry.push(u32::from(slot == Some(&(1 << 31 | candidate as u32))));
                entry
            };
            fresh.map(entry).collect()
        };
        Self::check_multiset(Kernel::Insert, Binding::candidate_multiplicities, taken(&found), taken(&expected))?;
        let is_whole = self.scalars[&Scalar::shard_count] == 1
            && self.scalars[&Scalar::kept] == 0
            && self.scalars[&Scalar::window] == WHOLE;
        if is_whole && self.scalars[&Scalar::hash_mask] == u32::MAX {
            self.keep(expected, &[]);
        }
        Ok(())
    }

    /// Runs the stages of minimax.
    fn minimax(&mut self, len: usize) -> Result<(), StageDifference> {
        let moves = self.moves();
        self.scalar(Scalar::end, len as u32);
        self.zeros(Binding::values, len + SPARE);
        self.compare(Kernel::Evaluate, len, &[])?;

        let successor_values = (0..(moves + SPARE) as u32)
            .map(|index| match index % 11 {
                0 => 31_990,
                1 => -32_000,
                _ => index.wrapping_mul(0x9e37_79b9) as i32 % 30_000,
            })
            .map(|value: i32| value as u32)
            .collect();
        self.set(Binding::successor_values, successor_values);
        self.compare(Kernel::BackUp, len, &[])?;

        self.scalar(Scalar::room, QUIESCENCE_ROOM);
        self.scalar(Scalar::lanes, QUIESCENCE_LANES);
        self.scalar(Scalar::steps, QUIESCENCE_STEPS);
        for depth in 0..2 {
            self.scalar(Scalar::depth, depth);
            self.zeros(Binding::values, len);
            self.zeros(Binding::new_items, (QUIESCENCE_LANES * QUIESCENCE_ROOM) as usize);
            self.zeros(Binding::new_item_count, 2);
            self.zeros(Binding::totals, 1);
            self.zeros(Binding::nodes, QUIESCENCE_LANES as usize * QUIESCENCE_NODES);
            self.zeros(Binding::states, QUIESCENCE_LANES as usize);
            let [found, expected] = [true, false].map(|is_device| {
                let mut output = self.contents.clone();
                loop {
                    let lanes = QUIESCENCE_LANES as usize;
                    output.insert(Binding::new_item_count, vec![output[&Binding::new_item_count][0], 0]);
                    let written = if is_device {
                        self.run_device(Kernel::Quiesce, lanes, &output)?
                    } else {
                        self.run_twin(Kernel::Quiesce, lanes, &output)?
                    };
                    output.extend(written);
                    if output[&Binding::new_item_count][1] == 0 {
                        return Ok::<_, StageDifference>(output);
                    }
                }
            });
            let (found, expected) = (found?, expected?);
            for binding in [Binding::totals, Binding::values] {
                self.check(Kernel::Quiesce, binding, &found[&binding], &expected[&binding])?;
            }
        }
        Ok(())
    }
}

/// Returns what to keep: ranges among the pawns of all successors, and positions before such ranges.
fn kept_after(positions: &[Quad48], rules: &Rules) -> Vec<Kept> {
    let mut pawns: Vec<_> = positions
        .iter()
        .flat_map(|position| {
            let seen = Seen::from(&Planes32::pack(rules, &position.unpack_unchecked()));
            packed_moves(&seen).into_iter().map(move |packed| Key::of(&made(&seen, packed)).pawns)
        })
        .collect();
    // Each structure of pawns counts once, so most of them result from moves of pawns.
    pawns.sort_unstable();
    pawns.dedup();
    // After another move without pawns, the same pawns are seen upside down.
    let mut later: Vec<_> = pawns.iter().map(|&[own, theirs]| [theirs, own].map(u64::swap_bytes)).collect();
    later.sort_unstable();
    let (within, before) = (ranges_among(&pawns), ranges_among(&later));
    within.into_iter().map(Kept::Within).chain(before.into_iter().map(Kept::Before)).collect()
}

/// Returns a range from one third to two thirds of positions with these pawns, some ranges each with the pawns of one position, and
/// half of such a range.
fn ranges_among(pawns: &[[u64; 2]]) -> Vec<KeyRange> {
    let range = |first: usize, last: usize, hash| KeyRange {
        first: Key { pawns: pawns[first], hash: 0 },
        last: Key { pawns: pawns[last], hash },
    };
    let (len, Some(most)) = (pawns.len(), pawns.len().checked_sub(1)) else { return Vec::new() };
    let single = (0..len).step_by(len.div_ceil(SINGLE_RANGES)).map(|index| range(index, index, u32::MAX));
    single.chain([range(len / 3, most.min(2 * len / 3), u32::MAX), range(len / 2, len / 2, 1 << 31)]).collect()
}

/// Returns the first successors with their roots.
fn successors(position_words: usize, len: usize, output: &Contents) -> Vec<Vec<u32>> {
    let positions = output[&Binding::successors].chunks(position_words);
    let with_root = |(position, root): (&[u32], &u32)| [position, &[*root]].concat();
    positions.zip(&output[&Binding::successor_roots]).take(len).map(with_root).collect()
}

/// Checks successors with their roots, in any order: each is one of all successors, and each of the expected ones is found.
fn check_successors(
    kernel: Kernel,
    found: &[Vec<u32>],
    expected: &[Vec<u32>],
    all: &[Vec<u32>],
) -> Result<(), StageDifference> {
    let wrong = first_not_among(found, all);
    let missing = || first_not_among(expected, found).map(|[missing, nearest]| [nearest, missing]);
    match wrong.or_else(missing) {
        None => Ok(()),
        Some([found, expected]) => {
            let (kernel, buffer) = (kernel.signature().name, Binding::successors.name());
            Err(StageDifference::Kernel { kernel, buffer, element: 0, found, expected })
        }
    }
}

/// Returns the first of some elements that is not among others, as often as it occurs, and the nearest of the others that are left.
fn first_not_among(elements: &[Vec<u32>], others: &[Vec<u32>]) -> Option<[Vec<u32>; 2]> {
    let mut rest = others.to_vec();
    rest.sort_unstable();
    for element in elements {
        match rest.binary_search(element) {
            Ok(index) => drop(rest.remove(index)),
            Err(index) => {
                let nearest = rest.get(index.min(rest.len().saturating_sub(1)));
                return Some([element.clone(), nearest.cloned().unwrap_or_default()]);
            }
        }
    }
    None
}

fn different<'a>(
    kernel: Kernel,
    binding: Binding,
    found: impl Iterator<Item = &'a [u32]>,
    expected: impl Iterator<Item = &'a [u32]>,
) -> Result<(), StageDifference> {
    let (mut found, mut expected) = (found, expected);
    for element in 0.. {
        let (found, expected) = (found.next(), expected.next());
        if found != expected {
            let (kernel, buffer) = (kernel.signature().name, binding.name());
            let [found, expected] = [found, expected].map(|words| words.unwrap_or_default().to_vec());
            return Err(StageDifference::Kernel { kernel, buffer, element, found, expected });
        }
        if found.is_none() {
            break;
        }
    }
    Ok(())
}

/// Returns the number of work-groups that sum weighted leaves.
fn weighted_groups(len: usize) -> usize {
    len.div_ceil(WEIGHTED_SUMS_GROUP)
}

/// Runs a kernel with new buffers, and returns the contents of the buffers that it writes.
fn run<I: Interface>(
    interface: &mut I,
    host: &HostSettings,
    kernel: Kernel,
    items: usize,
    input: &Contents,
    scalars: &HashMap<Scalar, u32>,
) -> Result<Contents, StageDifference> {
    let signature = kernel.signature();
    let group_size = host.group_size_of(kernel);
    let mut buffers = Vec::new();
    for &binding in signature.buffers {
        let words = input.get(&binding).map_or(&[0][..], Vec::as_slice);
        let words = if words.is_empty() { &[0] } else { words };
        let buffer = block_on(interface.make(binding.name(), 4 * words.len() as u64))?;
        interface.write(&buffer, bytemuck::cast_slice(words))?;
        buffers.push(buffer);
    }
    let bound: Vec<_> = buffers.iter().collect();
    let scalars: Vec<_> = signature.scalars.iter().map(|scalar| scalars.get(scalar).copied().unwrap_or(0)).collect();
    let groups = items.div_ceil(group_size);
    if groups > 0 {
        let launch = Launch { kernel, groups, group_size, buffers: &bound, scalars: &scalars };
        // SAFETY: `Stages` makes all buffers as large as the kernel needs with these scalars.
        unsafe { interface.launch(&launch) }?;
    }
    let mut output = Contents::new();
    for (&binding, buffer) in signature.buffers.iter().zip(&buffers).filter(|(binding, _)| binding.is_written()) {
        let mut words = vec![0_u32; input.get(&binding).map_or(1, |words| words.len().max(1))];
        block_on(interface.read(buffer, 0, bytemuck::cast_slice_mut(&mut words)))?;
        output.insert(binding, words);
    }
    block_on(interface.finish())?;
    Ok(output)
}
