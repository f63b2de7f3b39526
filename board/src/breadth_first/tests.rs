//! The walk over a device that is none: trees of numbers, tiny buffers, and failures at will.

use super::*;
use crate::{Leaves, Score};

/// The most children of a node here.
const MOST_CHILDREN: u64 = 4;

/// A node is a number in the word `white`; its number says how many children it has, and which.
fn node(number: u64) -> Quad48 {
    Quad48 { white: number, ..Quad48::default() }
}

fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ number >> 29
}

fn children(parent: Quad48) -> Vec<Quad48> {
    let many = mix(parent.white) % (MOST_CHILDREN + 1);
    (0..many).map(|index| node(mix(parent.white.wrapping_add(index + 1)))).collect()
}

fn leaves(root: Quad48, depth: u32) -> u64 {
    if depth == 0 { 1 } else { children(root).into_iter().map(|child| leaves(child, depth - 1)).sum() }
}

/// A device whose buffers must never be overfilled.
#[derive(Default)]
struct Mock {
    sizes: Option<Sizes>,
    levels: Vec<Vec<(usize, Quad48)>>,
    counts: Vec<Vec<u32>>,
    bases: Vec<Vec<u32>>,
    values: Vec<Vec<i32>>,
    totals: Vec<u64>,
    /// What a total can hold.
    total_limit: Option<u64>,
    /// How many plies it counts by itself.
    last_plies: u32,
    /// Stages done so far, and those of them that find memory exhausted.
    calls: usize,
    failing: Vec<usize>,
    /// Those that leave something out, which is found out when totals are taken.
    losing: Vec<usize>,
    lost: bool,
    shrunk: usize,
    /// Whether it makes successors in any order, of how many positions at once at most, and how often.
    spreads: bool,
    spread_most: Option<usize>,
    spread_calls: Option<usize>,
    overfilled: usize,
    parts: usize,
    collected: usize,
}

impl Mock {
    fn new(blocks: usize) -> Self {
        let block = 3;
        let least = block * MOST_CHILDREN as usize;
        let most = least * blocks;
        let sizes = Sizes { roots: most.div_ceil(2), positions: most, moves: most, successors: least, block };
        Self { sizes: Some(sizes), ..Self::default() }
    }

    fn stage(&mut self) -> Result<(), StageError> {
        self.calls += 1;
        self.lost |= self.losing.contains(&self.calls);
        if self.failing.contains(&self.calls) { Err(StageError::OutOfMemory) } else { Ok(()) }
    }

    /// The moves of a part: whose they are, root and successor.
    fn moves(&mut self, level: usize, part: &Part) -> Vec<(usize, Quad48)> {
        let Sizes { moves, block, .. } = self.sizes();
        assert_eq!(part.positions.start % block, 0, "parts begin with a block");
        assert!(part.moves <= moves, "{part:?} in a buffer of {moves}");
        let first = self.bases[level][part.positions.start / block];
        let mut written = vec![None; part.moves];
        for (blocks, chunk) in part.positions.clone().collect::<Vec<_>>().chunks(block).enumerate() {
            let mut at = self.bases[level][part.positions.start / block + blocks].wrapping_sub(first) as usize;
            for &index in chunk {
                let (root, position) = self.levels[level][index];
                for child in children(position) {
                    assert!(written[at].replace((root, child)).is_none(), "each move has its place");
                    at += 1;
                }
            }
        }
        self.parts += 1;
        written.into_iter().map(|item| item.expect("no place is left empty")).collect()
    }
}

impl Stages for Mock {
    fn sizes(&self) -> Sizes {
        self.sizes.unwrap()
    }

    fn prepare(&mut self, levels: usize) -> Result<(), StageError> {
        self.stage()?;
        let levels = levels.max(self.levels.len());
        assert!(levels > 0);
        self.levels.resize(levels, Vec::new());
        self.counts.resize(levels, Vec::new());
        self.bases.resize(levels, Vec::new());
        self.values.resize(levels, Vec::new());
        Ok(())
    }

    fn shrink(&mut self) -> Result<(), BackendError> {
        let sizes = self.sizes.as_mut().unwrap();
        let least = sizes.block * MOST_CHILDREN as usize;
        if sizes.positions == least {
            let (device, doing) = ("the mock".into(), "counting".into());
            return Err(BackendError::OutOfMemory { device, doing });
        }
        sizes.roots = sizes.roots.div_ceil(2);
        sizes.positions = least.max(sizes.positions / 2);
        sizes.moves = least.max(sizes.moves / 2);
        self.shrunk += 1;
        Ok(())
    }

    fn upload(&mut self, _: &Rules, positions: &[Quad48]) -> Result<(), StageError> {
        self.stage()?;
        assert!(positions.len() <= self.sizes().roots);
        self.levels[0] = positions.iter().copied().enumerate().collect();
        self.totals = vec![0; positions.len()];
        Ok(())
    }

    fn count(&mut self, level: usize, len: usize) -> Result<Vec<u32>, StageError> {
        self.stage()?;
        let positions = &self.levels[level][..len];
        self.counts[level] = positions.iter().map(|&(_, position)| children(position).len() as u32).collect();
        Ok(self.counts[level].chunks(self.sizes().block).map(|block| block.iter().sum()).collect())
    }

    fn counts(&mut self, len: usize) -> Result<Vec<u32>, StageError> {
        self.stage()?;
        Ok(self.counts[0][..len].to_vec())
    }

    fn place(&mut self, level: usize, bases: &[u32]) -> Result<(), StageError> {
        self.stage()?;
        self.bases[level] = bases.to_vec();
        Ok(())
    }

    fn expand(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        self.stage()?;
        assert!(part.moves <= self.sizes().positions);
        self.levels[level + 1] = self.moves(level, part);
        Ok(())
    }

    fn spread(&mut self, level: usize, positions: Range<usize>) -> Result<Option<usize>, StageError> {
        self.stage()?;
        if !self.spreads || self.spread_calls == Some(0) {
            return Ok(None);
        }
        self.spread_calls = self.spread_calls.map(|left| left - 1);
        let parents = &self.levels[level][positions];
        let mut successors: Vec<_> = parents
            .iter()
            .flat_map(|&(root, parent)| children(parent).into_iter().map(move |child| (root, child)))
            .collect();
        let too_long = self.spread_most.is_some_and(|most| parents.len() > most);
        let many = if too_long { self.sizes().positions + 1 } else { successors.len() };
        self.overfilled += usize::from(many > self.sizes().positions);
        successors.truncate(self.sizes().positions);
        successors.reverse();
        self.levels[level + 1] = successors;
        self.parts += 1;
        Ok(Some(many))
    }

    fn count_moves(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        self.stage()?;
        for (root, position) in self.moves(level, part) {
            self.totals[root] += children(position).len() as u64;
            assert!(self.total_limit.is_none_or(|limit| self.totals[root] <= limit));
        }
        Ok(())
    }

    fn last_plies(&self) -> u32 {
        self.last_plies
    }

    fn count_leaves(&mut self, level: usize, positions: Range<usize>, depth: u32) -> Result<(), StageError> {
        self.stage()?;
        assert!((2..=self.last_plies).contains(&depth));
        for &(root, position) in &self.levels[level][positions] {
            self.totals[root] += leaves(position, depth);
            assert!(self.total_limit.is_none_or(|limit| self.totals[root] <= limit));
        }
        self.parts += 1;
        Ok(())
    }

    fn take_totals(&mut self, len: usize) -> Result<Vec<u64>, StageError> {
        self.stage()?;
        self.collected += 1;
        let taken = self.totals[..len].to_vec();
        self.totals.fill(0);
        if self.lost {
            self.lost = false;
            self.last_plies = 1;
            return Err(StageError::Again);
        }
        Ok(taken)
    }

    fn successors(&mut self, _: &Rules, part: &Part, out: &mut Vec<Quad48>) -> Result<(), StageError> {
        self.stage()?;
        assert!(part.moves <= self.sizes().successors);
        out.extend(self.moves(0, part).into_iter().map(|(_, position)| position));
        Ok(())
    }
}

/// What a node is worth as a leaf, and without children.
fn judgement(node: Quad48) -> i32 {
    (mix(node.white ^ 77) % 1000) as i32
}

fn value(node: Quad48, depth: u32) -> Score {
    let values = children(node).into_iter().map(|child| value(child, depth - 1).before());
    match depth {
        0 => Score::from_value(judgement(node)),
        _ => values.max().unwrap_or(Score::DRAW),
    }
}

impl JudgeStages for Mock {
    fn judge(&mut self, level: usize, len: usize) -> Result<(), StageError> {
        self.quiesce(level, len, 0)
    }

    fn quiesce(&mut self, level: usize, len: usize, depth: u32) -> Result<(), StageError> {
        self.stage()?;
        assert!(depth <= PLIES_WITH_QUIESCENCE);
        let positions = &self.levels[level][..len];
        self.values[level] = positions.iter().map(|&(_, position)| value(position, depth).value()).collect();
        Ok(())
    }

    fn back_up(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        self.stage()?;
        // What comes after that is left over from other parts.
        let mut below = std::mem::take(&mut self.values[level + 1]).into_iter().take(part.moves);
        let parents = self.levels[level][part.positions.clone()].iter();
        let values: Vec<_> = parents
            .map(|&(_, parent)| below.by_ref().take(children(parent).len()).map(|value| -value).max().unwrap_or(0))
            .collect();
        assert_eq!(below.next(), None, "every value is backed up");
        let here = &mut self.values[level];
        here.resize(here.len().max(part.positions.end), 0);
        here[part.positions.clone()].copy_from_slice(&values);
        Ok(())
    }

    fn values(&mut self, len: usize) -> Result<Vec<i32>, StageError> {
        self.stage()?;
        if std::mem::take(&mut self.lost) {
            return Err(StageError::Again);
        }
        Ok(self.values[0][..len].to_vec())
    }
}

fn roots(many: u64) -> Vec<Quad48> {
    (0..many).map(node).collect()
}

fn expected(roots: &[Quad48], depth: u32) -> Vec<u64> {
    roots.iter().map(|&root| leaves(root, depth)).collect()
}

#[test]
fn counts_do_not_depend_on_how_much_fits() {
    let roots = roots(50);
    let mut split = 0;
    for blocks in [1, 2, 5, 1000] {
        for depth in 0..7 {
            let mut mock = Mock::new(blocks);
            assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, depth), Ok(expected(&roots, depth)));
            split += usize::from(mock.parts > depth as usize);
        }
    }
    assert!(split > 10, "small buffers take many parts");
}

#[test]
fn successors_may_come_in_any_order() {
    let roots = roots(200);
    let mut overfilled = 0;
    for blocks in [1, 2, 5, 1000] {
        for (depth, last_plies) in [(3, 1), (5, 2), (7, 2), (8, 3)] {
            let mut mock = Mock { spreads: true, last_plies, ..Mock::new(blocks) };
            assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, depth), Ok(expected(&roots, depth)));
            overfilled += mock.overfilled;
        }
    }
    assert!(overfilled > 0, "what was too much was done again");
    let mut calm = Mock { spreads: true, last_plies: 2, ..Mock::new(8) };
    perft(&mut calm, &Rules::STANDARD, &roots, 6).unwrap();
    for call in 1..=calm.calls {
        let mut mock = Mock { spreads: true, last_plies: 2, failing: vec![call], ..Mock::new(8) };
        assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, 6), Ok(expected(&roots, 6)), "stage {call}");
    }
}

#[test]
fn a_device_may_stop_spreading_at_any_time() {
    let roots = roots(60);
    for most in [1, 3, 4, 7, 50] {
        // With most 1, not even a block.
        let mut mock = Mock { spreads: true, spread_most: Some(most), last_plies: 2, ..Mock::new(9) };
        assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, 6), Ok(expected(&roots, 6)), "{most} at once");
        assert!(mock.overfilled > 0);
    }
    for calls in 0..20 {
        let mut mock = Mock { spreads: true, spread_calls: Some(calls), last_plies: 2, ..Mock::new(2) };
        assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, 6), Ok(expected(&roots, 6)), "{calls} times");
        assert_eq!(mock.spread_calls, Some(0));
    }
}

#[test]
fn a_device_may_count_its_last_plies_by_itself() {
    let roots = roots(50);
    for last_plies in 0..=MOST_LAST_PLIES {
        for depth in 0..8 {
            let mut mock = Mock { last_plies, ..Mock::new(2) };
            assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, depth), Ok(expected(&roots, depth)));
        }
    }
}

#[test]
fn what_was_left_out_is_counted_again() {
    let roots = roots(40);
    let mut calm = Mock { last_plies: 3, ..Mock::new(8) };
    perft(&mut calm, &Rules::STANDARD, &roots, 6).unwrap();
    for call in 1..calm.calls {
        let mut mock = Mock { last_plies: 3, losing: vec![call], ..Mock::new(8) };
        assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, 6), Ok(expected(&roots, 6)), "stage {call}");
        assert_eq!(mock.last_plies, 1);
    }
}

#[test]
fn values_are_backed_up_however_little_fits_and_whatever_fails() {
    let roots = roots(50);
    for blocks in [1, 2, 5, 1000] {
        for depth in 0..7 {
            let expected: Vec<_> = roots.iter().map(|&root| value(root, depth)).collect();
            for leaves in [Leaves::Static, Leaves::Quiescent] {
                let mut mock = Mock::new(blocks);
                let found = judging::values(&mut mock, &Rules::STANDARD, &roots, depth, leaves);
                assert_eq!(found.as_ref(), Ok(&expected), "{blocks} blocks, depth {depth}");
            }
        }
    }
    let expected: Vec<_> = roots.iter().map(|&root| value(root, 5)).collect();
    let mut calm = Mock::new(8);
    judging::values(&mut calm, &Rules::STANDARD, &roots, 5, Leaves::Static).unwrap();
    for call in 1..=calm.calls {
        for mut mock in [Mock { failing: vec![call], ..Mock::new(8) }, Mock { losing: vec![call], ..Mock::new(8) }] {
            let found = judging::values(&mut mock, &Rules::STANDARD, &roots, 5, Leaves::Static);
            assert_eq!(found.as_ref(), Ok(&expected), "stage {call}");
        }
    }
}

#[test]
fn no_positions_no_counts() {
    let mut mock = Mock::new(1);
    assert_eq!(perft(&mut mock, &Rules::STANDARD, &[], 5), Ok(vec![]));
    assert_eq!(expand(&mut mock, &Rules::STANDARD, &[]), Ok(Successors::default()));
}

#[test]
fn successors_come_in_order() {
    let roots = roots(100);
    for blocks in [1, 3, 1000] {
        let mut mock = Mock::new(blocks);
        let all = expand(&mut mock, &Rules::STANDARD, &roots).unwrap();
        assert_eq!(all.ends.len(), roots.len());
        for (index, &root) in roots.iter().enumerate() {
            assert_eq!(all.of(index), children(root), "root {index}");
        }
    }
}

#[test]
fn exhausted_memory_makes_buffers_smaller_and_counts_stay_right() {
    let roots = roots(40);
    let mut calm = Mock::new(64);
    perft(&mut calm, &Rules::STANDARD, &roots, 5).unwrap();
    // Whatever stage fails, the counts are the same.
    for call in 1..=calm.calls {
        let mut mock = Mock { failing: vec![call, call + 3], ..Mock::new(64) };
        assert_eq!(perft(&mut mock, &Rules::STANDARD, &roots, 5), Ok(expected(&roots, 5)), "stage {call}");
        assert!(mock.shrunk > 0);
    }
    let mut mock = Mock { failing: vec![2, 7, 9], ..Mock::new(64) };
    let all = expand(&mut mock, &Rules::STANDARD, &roots).unwrap();
    assert!(roots.iter().enumerate().all(|(index, &root)| all.of(index) == children(root)));
    assert!(mock.shrunk > 1);
}

#[test]
fn memory_that_never_suffices_is_an_error() {
    let mut mock = Mock { failing: (1..10_000).collect(), ..Mock::new(64) };
    let error = perft(&mut mock, &Rules::STANDARD, &roots(3), 4).unwrap_err();
    assert!(matches!(error, BackendError::OutOfMemory { .. }), "{error}");
}

#[test]
fn totals_are_collected_before_they_overflow() {
    let roots = roots(20);
    let limit = 20 * u64::from(MOST_MOVES);
    let mut mock = Mock { total_limit: Some(limit), ..Mock::new(1) };
    assert_eq!(perft_within(&mut mock, &Rules::STANDARD, &roots, 9, limit), Ok(expected(&roots, 9)));
    assert!(mock.collected > 10, "collected {} times", mock.collected);

    let limit = 3 * u64::from(MOST_MOVES).pow(2);
    let mut mock = Mock { last_plies: 2, total_limit: Some(limit), ..Mock::new(4) };
    assert_eq!(perft_within(&mut mock, &Rules::STANDARD, &roots, 9, limit), Ok(expected(&roots, 9)));
    assert!(mock.collected > 10, "collected {} times", mock.collected);
}

#[test]
fn a_sum_beyond_64_bits_is_an_error() {
    let mut sums = [3, u64::MAX - 1];
    assert_eq!(add(&mut sums, &[4, 1]), Ok(()));
    assert_eq!(sums, [7, u64::MAX]);
    assert_eq!(add(&mut sums, &[0, 1]), Err(BackendError::Overflow));
}

#[test]
fn parts_are_fair_and_leave_out_what_has_no_moves() {
    let part = |positions, moves| Part { positions, moves };
    assert_eq!(parts(&[5, 5, 5, 5], 40, 10, 100), [part(0..40, 20)]);
    assert_eq!(parts(&[5, 5, 5, 5], 37, 10, 16), [part(0..20, 10), part(20..37, 10)]);
    assert_eq!(parts(&[9, 9, 9], 30, 10, 10), [part(0..10, 9), part(10..20, 9), part(20..30, 9)]);
    assert_eq!(parts(&[0, 0], 20, 10, 10), []);
    assert_eq!(parts(&[10, 0, 10], 30, 10, 10), [part(0..10, 10), part(10..30, 10)]);
    assert_eq!(bases(&[3, u32::MAX, 5]), [0, 3, 2]);
}
