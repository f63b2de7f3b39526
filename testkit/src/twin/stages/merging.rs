//! The stages of merging.

use kogge_board::merge::Kept;
use kogge_board::{Quad48, Rules};
use kogge_gpu::kernels::{Binding, Kernel, Scalar};
use kogge_gpu::{Interface, Parameter, REACHED_ONCE, WEIGHTED_SUMS_GROUP, WEIGHTED_SUMS_GROUPS};

use super::kept::{kept_after, kept_later};
use super::{Contents, StageDifference, Stages};

impl<I: Interface> Stages<I> {
    /// Runs the stages of merging: the successors are inserted into an empty list, then inserted again.
    pub(super) fn merging(&mut self, positions: &[Quad48], rules: &Rules) -> Result<(), StageDifference> {
        let len = positions.len();
        let parents = self.contents.get(&Binding::positions).cloned().unwrap_or_default();
        let parents_roots = self.get(Binding::roots).to_vec();
        let moves = self.moves();
        // A few multiplicities carry into every word; others are one, or one and more in a higher word.
        let multiplicity = |root: u32| match root % 8 {
            0 => [1, 0, 0, 0],
            1 => [1, 1, 0, 0],
            2 => [1, 0, 1, 0],
            3 => [1, 0, 0, 1],
            _ => [u32::MAX - root % 3, u32::MAX, root, root % 5],
        };
        let multiplicities = (0..len as u32).flat_map(multiplicity).collect();
        self.set(Binding::root_multiplicities, multiplicities);
        // The sums note that a queue overflowed.
        let known_totals = self.contents.entry(Binding::known_totals).or_default();
        known_totals.iter_mut().take(1).for_each(|header| *header = 1);
        let others: Vec<_> = known_totals.iter().skip(2).rev().copied().collect();
        known_totals.extend(others);
        for depth in [0, 1, 2, REACHED_ONCE] {
            // Totals of another kind lie behind those of the first, and their sums, too.
            let kind = u32::from(depth == 2);
            self.scalar(Scalar::depth, depth);
            self.scalar(Scalar::kind, kind);
            self.scalar(Scalar::stride, len as u32);
            // A kernel adds to the sums.
            self.set(
                Binding::sums,
                vec![u32::MAX - depth; 8 * (1 + weighted_groups(len) + kind as usize * WEIGHTED_SUMS_GROUPS)],
            );
            self.compare(Kernel::WeightedSums, len, &[])?;
        }
        for (written, read) in [(Binding::successors, Binding::positions), (Binding::successor_roots, Binding::roots)] {
            let words = self.get(written).to_vec();
            self.set(read, words);
        }
        let slot_count = 3 * moves + 1;
        self.scalar(Scalar::end, moves as u32);
        self.scalar(Scalar::hash_mask, u32::MAX);
        self.scalar(Scalar::slot_count, slot_count as u32);
        self.scalar(Scalar::room, moves as u32);
        self.zeros(Binding::slots, slot_count);
        self.zeros(Binding::entries, moves);
        for binding in [Binding::multiplicities, Binding::candidate_multiplicities] {
            self.zeros(binding, moves);
        }
        self.set(Binding::taken, vec![NO_SLOT; moves]);
        self.zeros(Binding::merge_state, 4);
        self.zeros(Binding::kept_counts, len);
        for kept in kept_after(positions, rules) {
            self.set_kept(kept);
            self.insert(Kernel::Insert, moves)?;
            self.sort(moves, 3)?;
        }
        self.set_kept(Kept::All);
        for (shard_count, hash_mask) in [(3, u32::MAX), (2 * self.host[Parameter::GroupSize] + 1, 0xf)] {
            self.scalar(Scalar::hash_mask, hash_mask);
            self.sort(moves, shard_count)?;
            for shard in [0, shard_count - 1] {
                self.scalar(Scalar::shard_index, shard as u32);
                // The work-items take turns.
                let items = moves.div_ceil(5 * shard_count);
                let inserted = self.insert(Kernel::InsertSorted, items)?;
                let before = self.contents.clone();
                self.keep(inserted, &[]);
                self.zeros(Binding::successors, moves);
                self.append(items)?;
                self.contents = before;
            }
        }
        for hash_mask in [0xf, u32::MAX] {
            self.scalar(Scalar::hash_mask, hash_mask);
            let inserted = self.insert(Kernel::Insert, moves)?;
            if hash_mask == u32::MAX {
                self.keep(inserted, &[]);
            }
        }
        // Every candidate is known now, so nothing depends on their order.
        self.zeros(Binding::successors, moves);
        self.scalar(Scalar::shard_count, 1);
        for keeps_slots in [0, 1] {
            self.scalar(Scalar::keeps_slots, keeps_slots);
            // The work-groups take turns.
            let appended = self.append(moves.div_ceil(3))?;
            if keeps_slots == 1 {
                self.keep(appended, &[&[(Binding::successors, Binding::entries)], &APPENDED[..]].concat());
            }
        }
        self.compare(Kernel::NoteAppended, 1, &[])?;
        self.compare(Kernel::Insert, moves, &[])?;

        let entries = self.get(Binding::merge_state)[0];
        self.diagrams(entries as usize)?;
        self.scalar(Scalar::first, 1);
        self.scalar(Scalar::end, entries.saturating_sub(1));
        self.zeros(Binding::successors, moves);
        self.zeros(Binding::successor_roots, moves);
        self.compare(Kernel::LoadEntries, moves, &[])?;
        let multiplicities = std::mem::replace(
            self.contents.entry(Binding::root_multiplicities).or_default(),
            (0..4 * moves as u32).map(|word| word.wrapping_mul(0x9e37_79b9)).collect(),
        );
        for kept in kept_later(positions, rules) {
            self.set_kept(kept);
            self.select(moves)?;
        }
        self.order(entries)?;
        // Half of the entries take every second place.
        let loaded = entries.saturating_sub(2).min(moves as u32 / 2);
        self.scalar(Scalar::shard_index, 1);
        self.scalar(Scalar::shard_count, 2);
        self.scalar(Scalar::turns, loaded / 2);
        self.scalar(Scalar::at, loaded / 2 * 2);
        for binding in [Binding::successors, Binding::successor_roots, Binding::selected_multiplicities] {
            self.zeros(binding, moves);
        }
        self.scalar(Scalar::end, loaded);
        self.compare(Kernel::LoadOrdered, moves, &[])?;
        self.set(Binding::root_multiplicities, multiplicities);
        self.scalar(Scalar::first, 0);
        self.set(Binding::positions, parents);
        self.set(Binding::roots, parents_roots);
        Ok(())
    }

    /// Counts the diagrams of the entries, each of which is there twice. Which of equal diagrams takes a slot is unspecified, and so is the
    /// slot of each diagram; together they take the same slots in any order.
    fn diagrams(&mut self, entries: usize) -> Result<(), StageDifference> {
        let (before, kernel) = (self.contents.clone(), Kernel::CountDiagrams);
        let once = &self.get(Binding::entries)[..entries * self.position_words()];
        self.set(Binding::entries, [once, once].concat());
        self.scalar(Scalar::end, 2 * entries as u32);
        self.zeros(Binding::slots, self.get(Binding::slots).len());
        self.zeros(Binding::merge_state, 4);
        for (part, parts, hash_mask) in [(0, 1, 0xff), (0, 1, u32::MAX), (1, 3, u32::MAX)] {
            self.scalar(Scalar::part, part);
            self.scalar(Scalar::parts, parts);
            self.scalar(Scalar::hash_mask, hash_mask);
            // The work-items take turns.
            let items = entries.div_ceil(3);
            let found = self.run_device(kernel, items, &self.contents.clone())?;
            let expected = self.run_twin(kernel, items, &self.contents.clone())?;
            let state = Binding::merge_state;
            self.check(kernel, state, &found[&state], &expected[&state])?;
            let [found, expected] = [found, expected]
                .map(|output| output[&Binding::slots].iter().map(|&slot| slot.min(1)).collect::<Vec<_>>());
            self.check(kernel, Binding::slots, &found, &expected)?;
        }
        self.contents = before;
        Ok(())
    }

    /// Puts entries in the order of the other side's pieces. The order within a part is unspecified.
    fn order(&mut self, entries: u32) -> Result<(), StageDifference> {
        self.scalar(Scalar::end, entries);
        self.scalar(Scalar::shift, 28);
        // The pieces of the first entry are the reference.
        self.set(Binding::reference, self.get(Binding::entries)[..6].to_vec());
        self.zeros(Binding::army_counts, 1 << 4);
        self.compare(Kernel::CountArmies, entries as usize, &[])?;
        let ends = self.get(Binding::army_counts).iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        let ends: Vec<u32> = ends.collect();
        let starts = [0].iter().chain(&ends[..ends.len() - 1]).copied().collect();
        self.set(Binding::army_counts, starts);
        self.zeros(Binding::new_order, entries as usize);
        let kernel = Kernel::OrderByArmy;
        let mut found = self.run_device(kernel, entries as usize, &self.contents.clone())?;
        let mut expected = self.run_twin(kernel, entries as usize, &self.contents.clone())?;
        for output in [&mut found, &mut expected] {
            let (mut rest, mut start) = (&mut output.entry(Binding::new_order).or_default()[..], 0);
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

    /// Sorts candidates by shard. Their order within a shard is unspecified.
    fn sort(&mut self, moves: usize, shard_count: usize) -> Result<(), StageDifference> {
        self.scalar(Scalar::shard_count, shard_count as u32);
        self.zeros(Binding::candidate_shards, moves);
        self.zeros(Binding::new_sorted, shard_count + moves);
        self.compare(Kernel::CountShards, moves, &[])?;
        self.compare(Kernel::ScanShards, 1, &[])?;
        let kernel = Kernel::SortByShard;
        let mut found = self.run_device(kernel, moves, &self.contents.clone())?;
        let mut expected = self.run_twin(kernel, moves, &self.contents.clone())?;
        let written = Binding::new_sorted;
        let (ends, _) = expected[&written].split_at(shard_count);
        let ends: Vec<_> = ends.iter().map(|&end| end as usize).collect();
        for output in [&mut found, &mut expected] {
            let (_, mut rest) = output.entry(written).or_default().split_at_mut(shard_count);
            let mut start = 0;
            for &end in &ends {
                let (shard, others) = rest.split_at_mut(end - start);
                shard.sort_unstable();
                (rest, start) = (others, end);
            }
        }
        self.check(kernel, written, &found[&written], &expected[&written])?;
        let shards = Binding::candidate_shards;
        self.check(kernel, shards, &found[&shards], &expected[&shards])?;
        self.keep(expected, &[(written, Binding::sorted)]);
        Ok(())
    }

    /// Inserts candidates into the empty list, and returns the twin's output. The choice among equal candidates and the choice of
    /// slots are unspecified.
    fn insert(&mut self, kernel: Kernel, items: usize) -> Result<Contents, StageDifference> {
        let found = self.run_device(kernel, items, &self.contents.clone())?;
        let expected = self.run_twin(kernel, items, &self.contents.clone())?;
        for &written in kernel.signature().buffers.iter().filter(|binding| is_determined(**binding)) {
            self.check(kernel, written, &found[&written], &expected[&written])?;
        }
        let words = self.position_words();
        let taken = |output: &Contents| {
            let taken = output[&Binding::taken].iter().enumerate().filter(|&(_, &slot)| slot != NO_SLOT);
            let entry = |(index, &slot): (usize, &u32)| {
                let candidate = self.candidate(kernel, index);
                let slot = output[&Binding::slots].get(slot as usize);
                let mut entry = self.get(Binding::positions)[candidate * words..][..words].to_vec();
                entry.extend(&output[&Binding::candidate_multiplicities][4 * candidate..][..4]);
                entry.push(u32::from(slot == Some(&(1 << 31 | candidate as u32))));
                entry
            };
            taken.map(entry).collect()
        };
        Self::check_multiset(kernel, Binding::candidate_multiplicities, taken(&found), taken(&expected))?;
        Ok(expected)
    }

    /// Returns the candidate at this index of the slots that were taken.
    fn candidate(&self, kernel: Kernel, index: usize) -> usize {
        match kernel {
            Kernel::InsertSorted => {
                self.get(Binding::sorted)[self.scalars[&Scalar::shard_count] as usize + index] as usize
            }
            _ => index,
        }
    }

    /// Appends the candidates that took a slot, and returns the twin's output. The order of the new entries is unspecified.
    fn append(&mut self, items: usize) -> Result<Contents, StageDifference> {
        let kernel = Kernel::Append;
        for (written, read) in APPENDED {
            let words = self.get(read).to_vec();
            self.set(written, words);
        }
        let found = self.run_device(kernel, items, &self.contents.clone())?;
        let expected = self.run_twin(kernel, items, &self.contents.clone())?;
        for written in [Binding::merge_state, Binding::taken_multiplicities] {
            self.check(kernel, written, &found[&written], &expected[&written])?;
        }
        let words = self.position_words();
        let entries = |output: &Contents| {
            let positions = output[&Binding::successors].chunks(words);
            let multiplicities = output[&Binding::new_multiplicities].chunks(4);
            let entries: Vec<_> =
                positions.zip(multiplicities).map(|(position, words)| [position, words].concat()).collect();
            // Each slot refers to its entry, or stays as it was.
            let slots = output[&Binding::slots].iter().map(|&slot| match slot {
                1..0x8000_0000 => entries.get(slot as usize - 1).cloned().unwrap_or_default(),
                slot => vec![slot],
            });
            let slots: Vec<_> = slots.collect();
            (entries, slots)
        };
        let ([found_entries, expected_entries], [found_slots, expected_slots]) = {
            let ((found, found_slots), (expected, expected_slots)) = (entries(&found), entries(&expected));
            ([found, expected], [found_slots, expected_slots])
        };
        Self::check_multiset(kernel, Binding::successors, found_entries, expected_entries)?;
        Self::check_multiset(kernel, Binding::slots, found_slots, expected_slots)?;
        Ok(expected)
    }
}

/// The buffers that `append` knows by another name than other kernels.
const APPENDED: [(Binding, Binding); 2] = [
    (Binding::new_multiplicities, Binding::multiplicities),
    (Binding::taken_multiplicities, Binding::candidate_multiplicities),
];

/// What stands for the slot of a candidate that took none.
const NO_SLOT: u32 = u32::MAX;

/// Whether insertion writes the same words to a buffer in whatever order the candidates come.
fn is_determined(binding: Binding) -> bool {
    matches!(binding, Binding::merge_state | Binding::kept_counts)
}

/// Returns the number of work-groups that sum weighted leaves.
fn weighted_groups(len: usize) -> usize {
    len.div_ceil(WEIGHTED_SUMS_GROUP)
}
