//! Sums over the entries of a ply, weighted by multiplicity.

use kogge_board::{BackendError, Categories};

use super::numbers::{low_halves, product, sums_of, wide_sum, words};
use super::shard::Shard;
use crate::arguments::WeightedSums;
use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::runner::{Retry, Runner};
use crate::session::Session;
use crate::settings::{REACHED_ONCE, WEIGHTED_SUMS_GROUP, WEIGHTED_SUMS_GROUPS};

/// The sums of paths, which follow the sums of all kinds.
const PATHS: usize = 2;

/// The number of entries in the self-test of sums: several for each work-item of a group, and several groups.
const SELF_TEST_ENTRIES: usize = 3000;

/// The multiplicities that the leaves below the first roots of level 0 are weighted by.
pub(crate) struct Weights<'a, I: Interface> {
    pub(super) multiplicities: &'a Buffer<I, [u32; 4]>,
    /// The place of the first root's multiplicity.
    pub(super) first: u64,
    /// The number of roots.
    pub(crate) len: usize,
}

/// The sums of leaves of each kind, and of paths.
pub(crate) struct Sums<I: Interface> {
    pub(super) buffer: Buffer<I, [u32; 8]>,
    /// The number of sums that are needed: one, or one for each kind of moves.
    kinds: usize,
}

impl<I: Interface> Sums<I> {
    pub(super) async fn new(runner: &mut Runner<I>, kinds: usize) -> Result<Self, BackendError> {
        let made = runner.list_buffer("sums", sums_of(kinds + PATHS)).await;
        let buffer = made.map_err(|failure| runner.error("to make room for positions", failure))?;
        Ok(Self { buffer, kinds })
    }

    /// The bytes of the sums of this number of kinds.
    pub(super) const fn bytes(kinds: usize) -> u64 {
        (sums_of(kinds + PATHS) * size_of::<[u32; 8]>()) as u64
    }

    pub(crate) fn clear(&self, runner: &mut Runner<I>) -> Result<(), Retry> {
        runner.clear("the sums", &self.buffer, self.buffer.len())
    }

    /// Adds the paths to the roots at depth 0, and to their successors, which level 0 has counted, at depth 1. Each depth has a sum of
    /// its own.
    pub(super) async fn add_paths(
        &self,
        session: &mut Session<I>,
        weights: &Weights<'_, I>,
        depth: u32,
    ) -> Result<(), Retry> {
        self.add_kind(session, weights, depth, None, self.kinds + depth as usize).await
    }

    /// Adds to the sums the leaves of the roots, weighted by multiplicity: one at depth 0, the count of level 0 at depth 1, and the
    /// total at other depths; at the depth [`REACHED_ONCE`], one if the multiplicity is one. Nothing waits for it, and the sums cannot
    /// overflow.
    pub(crate) async fn add(
        &self,
        session: &mut Session<I>,
        weights: &Weights<'_, I>,
        depth: u32,
    ) -> Result<(), Retry> {
        self.add_kind(session, weights, depth, None, 0).await
    }

    /// Adds to the sums the roots' successors that are kept, weighted by multiplicity. Nothing waits for it.
    pub(super) async fn add_kept(
        &self,
        session: &mut Session<I>,
        weights: &Weights<'_, I>,
        kept_counts: &Buffer<I, u32>,
    ) -> Result<(), Retry> {
        self.add_kind(session, weights, 1, Some(kept_counts), 0).await
    }

    /// Adds to the sums the leaves of each kind below the roots, weighted by multiplicity. Nothing waits for it.
    pub(super) async fn add_by_kind(&self, session: &mut Session<I>, weights: &Weights<'_, I>) -> Result<(), Retry> {
        for kind in 0..Categories::COUNT {
            // The leaves of each kind are totals, at any depth.
            self.add_kind(session, weights, 2, None, kind).await?;
        }
        Ok(())
    }

    /// Adds to the sums of a kind. See [`Sums::add`]. Without other counts, those of level 0 are taken.
    async fn add_kind(
        &self,
        session: &mut Session<I>,
        weights: &Weights<'_, I>,
        depth: u32,
        counts: Option<&Buffer<I, u32>>,
        kind: usize,
    ) -> Result<(), Retry> {
        let &Weights { multiplicities, first, len } = weights;
        let stride = session.sizes().roots_by_kind() as u32;
        let (runner, buffers) = session.work(1, if needs_roots(depth) { len } else { 0 }, 0)?;
        let arguments = WeightedSums {
            root_multiplicities: multiplicities,
            counts: counts.unwrap_or(&buffers.levels[0].counts),
            known_totals: &buffers.totals,
            sums: &self.buffer,
            first: first as u32,
            end: len as u32,
            depth,
            kind: kind as u32,
            stride,
        };
        // SAFETY: there are as many multiplicities; level 0, the totals and the numbers of kept successors have as many roots, or
        // are not read at depth 0; each group has a sum.
        unsafe { runner.launch(len, arguments) }.await
    }

    /// Returns the sum of all sums of each of the first kinds, in 256 bits.
    async fn wide(&self, session: &mut Session<I>, kinds: usize) -> Result<Vec<[u32; 8]>, Retry> {
        let sums = session.runner.read("the sums", &self.buffer, 0, sums_of(kinds)).await?;
        add_up(session, &sums)
    }

    /// Waits for all sums and returns those of the first kinds, or `None` if one exceeds 128 bits. Asks for a retry if a queue overflowed.
    pub(crate) async fn read<const KINDS: usize>(
        &self,
        session: &mut Session<I>,
    ) -> Result<Option<[u128; KINDS]>, Retry> {
        Ok(low_halves(&self.wide(session, KINDS).await?))
    }

    /// Also returns the sums of the paths from the parents of a run, and to their successors. See [`Sums::read`].
    pub(super) async fn read_with_paths<const KINDS: usize>(
        &self,
        session: &mut Session<I>,
    ) -> Result<Option<([u128; KINDS], [u128; 2])>, Retry> {
        let wide = self.wide(session, self.kinds + PATHS).await?;
        let (kinds, paths) = wide.split_at(self.kinds);
        Ok(low_halves(kinds).zip(low_halves(paths)))
    }
}

/// Whether the leaves at this depth depend on the roots in level 0, rather than on the multiplicities alone.
pub(super) const fn needs_roots(depth: u32) -> bool {
    !matches!(depth, 0 | REACHED_ONCE)
}

/// Adds up these sums of each kind, in 256 bits. Asks for a retry if their header is set, because a queue overflowed.
pub(super) fn add_up<I: Interface>(session: &mut Session<I>, sums: &[[u32; 8]]) -> Result<Vec<[u32; 8]>, Retry> {
    let Some((header, sums)) = sums.split_first() else { return Ok(Vec::new()) };
    session.check_overflow(header[0])?;
    Ok(sums.chunks(WEIGHTED_SUMS_GROUPS).map(|sums| wide_sum(sums.iter().copied())).collect())
}

/// Checks the kernel `weighted_sums` with multiplicities and leaves of all sizes, which counts would take too long to
/// reach.
///
/// # Errors
/// [`BackendError::WrongAnswer`] if a sum is wrong, or if the device fails.
pub(crate) async fn self_test<I: Interface>(session: &mut Session<I>) -> Result<(), BackendError> {
    check(session).await.map_err(|error| match error {
        Retry::Error(error) => error,
        Retry::OutOfMemory | Retry::Overflow => {
            session.runner.error("testing its sums of leaves", Failure::OutOfMemory)
        }
    })
}

async fn check<I: Interface>(session: &mut Session<I>) -> Result<(), Retry> {
    session.prepare(2).await?;
    let entries = SELF_TEST_ENTRIES.min(session.sizes().roots);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut multiplicities: Vec<u128> =
        (0..entries).map(|_| (u128::from(next()) << 64 | u128::from(next())) >> (next() % 128)).collect();
    // Several are one, or one and more in a higher word.
    for (index, multiplicity) in multiplicities.iter_mut().enumerate().step_by(7) {
        *multiplicity = if index % 2 == 0 { 1 } else { 1 << (32 * (1 + index / 2 % 3)) | 1 };
    }
    let mut totals: Vec<u64> = (0..entries).map(|_| next() >> (next() % 64)).collect();
    // Several are as great as possible, so that their sum has the highest word.
    for (multiplicity, total) in multiplicities.iter_mut().zip(&mut totals).skip(1).step_by(100) {
        (*multiplicity, *total) = (u128::MAX, u64::MAX);
    }
    // The first work-item begins with these two, and its sum then carries into words of ones only.
    for (index, multiplicity) in [(0, u128::MAX), (WEIGHTED_SUMS_GROUP, 1)] {
        if let Some(first) = multiplicities.get_mut(index) {
            *first = multiplicity;
        }
    }
    let counts: Vec<u32> = (0..entries).map(|_| next() as u32).collect();
    let (runner, buffers) = session.work(1, entries, 0)?;
    let sums = Sums::new(runner, 1).await?;
    let made = Shard::new(runner, entries as u64).await;
    let shard = made.map_err(|failure| runner.failed("to make room for positions", failure))?;
    runner.write("multiplicities", &shard.multiplicities, &multiplicities.iter().map(words).collect::<Vec<_>>())?;
    let halves = totals.iter().map(|&total| [total as u32, (total >> 32) as u32]);
    runner.write("totals", &buffers.totals, &[[0, 0]].into_iter().chain(halves).collect::<Vec<_>>())?;
    runner.write("counts", &buffers.levels[0].counts, &counts)?;
    for depth in [0, 1, 2, REACHED_ONCE] {
        let leaves = |root: usize, multiplicity: u128| match depth {
            REACHED_ONCE => (multiplicity == 1).into(),
            0 => 1,
            1 => counts[root].into(),
            _ => totals[root],
        };
        // One sum leaves out the first entry, so that sums begin elsewhere too.
        for first in 0..2 {
            let weighted = multiplicities[first..].iter().enumerate();
            let expected =
                wide_sum(weighted.map(|(root, &multiplicity)| product(multiplicity, leaves(root, multiplicity))));
            let len = entries - first;
            let weights = Weights { multiplicities: &shard.multiplicities, first: first as u64, len };
            sums.clear(&mut session.runner)?;
            // Sums are added to earlier sums.
            sums.add(session, &weights, depth).await?;
            let once = sums.wide(session, 1).await?;
            sums.add(session, &weights, depth).await?;
            let twice = sums.wide(session, 1).await?;
            if once != [expected] || twice != [wide_sum([expected; 2])] {
                let reason = format!("it summed {len} products of multiplicities and leaves wrong (depth {depth}).");
                return Err(session.runner.wrong(reason));
            }
        }
    }
    Ok(())
}
