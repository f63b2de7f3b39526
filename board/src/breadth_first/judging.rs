//! Minimax on a device: what is the same for every GPU interface.
//!
//! The tree is walked as in counting, part by part, with every successor made in generation order, so that those of a
//! position lie side by side. Leaves are judged where they are, or with their parents, if that spares something; then each
//! level's values are backed up into the level above, and what stands in the next level is overwritten by the next part.
//! Only the values of the roots leave the device.

use super::{MOST_MOVES, Part, StageError, Stages, bases, cut, in_batches};
use crate::minimax::{FIFTY_MOVES, QUIESCENCE_PLIES, by_expansion, check_depth};
use crate::{Backend, BackendError, Leaves, Quad48, Rules, Score};

/// Plies above the leaves that belong to a quiescence search: alone, a leaf would not profit by the bounds that its
/// brothers are.
pub const PLIES_WITH_QUIESCENCE: u32 = 1;

/// Positions of a quiescence search that are being looked at, one on each ply.
pub const QUIESCENCE_NODES: usize = (PLIES_WITH_QUIESCENCE + QUIESCENCE_PLIES) as usize;

/// Moves of a quiescence search that there should be room for at first, and where there can be no more, whatever the
/// position.
pub const QUIESCENCE_ROOM: usize = 256;
/// See [`QUIESCENCE_ROOM`].
pub const MOST_QUIESCENCE_ROOM: usize = MOST_MOVES as usize * QUIESCENCE_NODES + 1;

/// What a device does to find values, besides [`Stages`].
///
/// Devices do not know of the fifty-move rule: it is seen to that no tree is long enough for it. Values are those of
/// [`Score::value`]. Stages may be queued, as there.
pub trait JudgeStages: Stages {
    /// Gives a level's first `len` positions, which are leaves, their evaluations; mate and stalemate are seen.
    ///
    /// # Errors
    /// If memory runs out or the device fails; so in all methods.
    fn judge(&mut self, level: usize, len: usize) -> Result<(), StageError>;

    /// Gives a level's first `len` positions the values that they have so many plies deep, at most
    /// [`PLIES_WITH_QUIESCENCE`], with quiescence at the leaves.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn quiesce(&mut self, level: usize, len: usize, depth: u32) -> Result<(), StageError>;

    /// Gives the positions of a part, whose successors are the next level and have values, their values.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn back_up(&mut self, level: usize, part: &Part) -> Result<(), StageError>;

    /// The values of the first `len` roots.
    ///
    /// # Errors
    /// If memory runs out or the device fails; [`StageError::Again`] if the values are not right yet.
    fn values(&mut self, len: usize) -> Result<Vec<i32>, StageError>;
}

/// [`Backend::minimax`] for a backend whose device can judge. `stages` says where its device is.
///
/// Positions that may come into the reach of the fifty-move rule are left to [`by_expansion`].
///
/// # Errors
/// If the device fails, or if the depth is too large.
pub fn minimax<B: Backend, S: JudgeStages>(
    backend: &mut B,
    stages: impl FnOnce(&mut B) -> &mut S,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    leaves: Leaves,
) -> Result<Vec<Score>, BackendError> {
    check_depth(depth)?;
    let is_near_fifty = |position: &&Quad48| {
        let plies = u32::from(position.state().halfmove_clock()) + depth + QUIESCENCE_PLIES;
        rules.halfmove_clock && plies >= u32::from(FIFTY_MOVES)
    };
    if !positions.iter().any(|position| is_near_fifty(&position)) {
        return values(stages(backend), rules, positions, depth, leaves);
    }
    let (near, far): (Vec<_>, Vec<_>) = positions.iter().partition(is_near_fifty);
    let mut near = by_expansion(backend, rules, &near, depth, leaves)?.into_iter();
    let mut far = values(stages(backend), rules, &far, depth, leaves)?.into_iter();
    let scores = positions.iter().map(|position| if is_near_fifty(&position) { near.next() } else { far.next() });
    Ok(scores.map(Option::unwrap_or_default).collect())
}

/// How many plies above the leaves the device looks on by itself.
const fn plies_judged(leaves: Leaves) -> u32 {
    match leaves {
        Leaves::Static => 0,
        Leaves::Quiescent => PLIES_WITH_QUIESCENCE,
    }
}

/// The values of positions far from the fifty-move rule.
pub(super) fn values<S: JudgeStages>(
    stages: &mut S,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    leaves: Leaves,
) -> Result<Vec<Score>, BackendError> {
    let mut scores = Vec::with_capacity(positions.len());
    in_batches(
        stages,
        |_| depth.saturating_sub(plies_judged(leaves)) as usize + 1,
        positions,
        |stages, batch| {
            stages.upload(rules, batch)?;
            descend(stages, 0, batch.len(), depth, leaves)?;
            scores.extend(stages.values(batch.len())?.into_iter().map(Score::from_value));
            Ok(())
        },
    )?;
    Ok(scores)
}

/// Finds the values of a level's first `len` positions.
fn descend<S: JudgeStages>(
    stages: &mut S,
    level: usize,
    len: usize,
    depth: u32,
    leaves: Leaves,
) -> Result<(), StageError> {
    if depth <= plies_judged(leaves) {
        return match leaves {
            Leaves::Static => stages.judge(level, len),
            Leaves::Quiescent => stages.quiesce(level, len, depth),
        };
    }
    let sums = stages.count(level, len)?;
    let sizes = stages.sizes();
    stages.place(level, &bases(&sums))?;
    // Positions without moves have values too.
    for part in cut(&sums, len, sizes.block, sizes.moves.min(sizes.positions)) {
        stages.expand(level, &part)?;
        if part.moves > 0 {
            descend(stages, level + 1, part.moves, depth - 1, leaves)?;
        }
        stages.back_up(level, &part)?;
    }
    Ok(())
}
