//! The stages of counting.

use kogge_board::{Categories, Quad48, Rules};
use kogge_gpu::kernels::{Binding, Kernel, Scalar};
use kogge_gpu::{Interface, Parameter};

use super::{SPARE, StageDifference, Stages};

impl<I: Interface> Stages<I> {
    /// Runs the stages up to the successors in generation order, which leave items and successors of all positions.
    pub(super) fn counting(&mut self, positions: &[Quad48], rules: &Rules) -> Result<(), StageDifference> {
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

        let block = self.host[Parameter::GroupSize];
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
    pub(super) fn moves(&self) -> usize {
        self.get(Binding::block_sums).iter().map(|&sum| sum as usize).sum()
    }

    /// Runs the stages that count the last plies. Items differ from device to device; totals do not.
    pub(super) fn last_plies(&mut self, len: usize) -> Result<(), StageDifference> {
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
        if self.host.variants.depth_first.is_some() {
            self.scalar(Scalar::depth, 2);
            let input = self.contents.clone();
            let found = self.run_device(Kernel::DepthFirst, len, &input)?;
            self.check(Kernel::DepthFirst, Binding::totals, &found[&Binding::totals], &expected[&Binding::totals])?;
        }
        self.set(Binding::known_totals, expected[&Binding::totals].clone());
        Ok(())
    }

    /// Runs the stages that tell the kinds of moves. Items differ from device to device; totals do not.
    pub(super) fn categories(&mut self, len: usize) -> Result<(), StageDifference> {
        let moves = self.moves();
        // More totals than roots, so that a wrong stride shows.
        let stride = len + SPARE;
        self.scalar(Scalar::stride, stride as u32);
        self.zeros(Binding::totals, 1 + Categories::COUNT * stride);
        self.set(Binding::item_count, vec![moves as u32, 0]);
        self.compare(Kernel::ClassifyItems, moves, &[])?;

        self.zeros(Binding::totals, 1 + Categories::COUNT * stride);
        self.zeros(Binding::new_items, moves);
        self.zeros(Binding::new_item_count, 2);
        let mut input = self.contents.clone();
        let mut found = self.run_device(Kernel::ClassifyMoves, len, &input)?;
        for (written, read) in [(Binding::new_items, Binding::items), (Binding::new_item_count, Binding::item_count)] {
            input.insert(read, found.remove(&written).unwrap_or_default());
        }
        input.extend(found);
        let found = self.run_device(Kernel::ClassifyItems, moves, &input)?;
        let expected = self.run_twin(Kernel::ClassifyMoves, len, &self.contents.clone())?;
        self.check(Kernel::ClassifyMoves, Binding::totals, &found[&Binding::totals], &expected[&Binding::totals])
    }
}
