//! The stages that make successors in any order.

use kogge_board::merge::Kept;
use kogge_board::{Quad48, Rules};
use kogge_gpu::kernels::{Binding, Kernel, Scalar};
use kogge_gpu::{Interface, Unordered};

use super::kept::kept_after;
use super::{Contents, SPARE, StageDifference, Stages};

impl<I: Interface> Stages<I> {
    /// Runs the stages that make successors in any order: all successors, and successors of which some are kept.
    pub(super) fn unordered(&mut self, positions: &[Quad48], rules: &Rules) -> Result<(), StageDifference> {
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
