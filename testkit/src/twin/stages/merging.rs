//! The stages of merging.

use kogge_board::merge::Kept;
use kogge_board::{Quad48, Rules};
use kogge_gpu::kernels::{Binding, Kernel, Scalar};
use kogge_gpu::{Interface, WEIGHTED_SUMS_GROUP};

use super::kept::kept_after;
use super::{Contents, StageDifference, Stages};

/// The size of a window that is the whole table.
const WHOLE: u32 = u32::MAX;

impl<I: Interface> Stages<I> {
    /// Runs the stages of merging: the successors are inserted into an empty list, then inserted again.
    pub(super) fn merging(&mut self, positions: &[Quad48], rules: &Rules) -> Result<(), StageDifference> {
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
}

/// Returns the number of work-groups that sum weighted leaves.
fn weighted_groups(len: usize) -> usize {
    len.div_ceil(WEIGHTED_SUMS_GROUP)
}
