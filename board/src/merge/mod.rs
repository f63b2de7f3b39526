//! Merging equal positions: two plies of a tree, each position once, with the number of ways that lead to it.
//!
//! A ply of a tree has far fewer positions than paths. The deepest counts therefore go ply by ply: the successors of all
//! positions of a ply are collected, equal successors become one entry whose multiplicity is the sum of their
//! multiplicities, and the leaves below each entry are counted once. Counts stay exact: two positions are merged only if
//! everything that determines the tree below them is equal, bit for bit. Hashes only find slots.
//!
//! [`Backend::merge`](crate::Backend::merge) returns a [`Merge`], which holds two plies, parents and successors. The caller
//! decides when to expand which parents. If a ply does not fit in memory, the caller makes it in parts, each a [`KeyRange`] of
//! positions with similar pawns: few parents have successors in several ranges. A [`Merge`] can also save earlier plies, so
//! that the ply after them can be made several times, each time with another range of positions.
//!
//! [`HostMerge`](crate::host::HostMerge) is the plain implementation: it merges in the host's memory and uses the `expand`
//! and `perft` of any backend. Backends without their own merging use it, and tests compare the others with it.

mod diagrams;
mod filter;
mod range;

use std::ops::Range;

pub use diagrams::{DIAGRAM_BYTES, DiagramPart};
pub use filter::Filter;
pub use range::{Key, KeyRange};
use thiserror::Error;

use crate::{BackendError, Categories, Color, Planes32, Position, Quad48, Rules, State};

/// A position and the number of paths that lead to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WeightedPosition {
    /// The position; its halfmove clock is zero.
    pub position: Quad48,
    /// The number of paths.
    pub multiplicity: u128,
}

/// Options of merging.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MergeOptions {
    /// The maximum number of bytes for both plies and the hash table together; the device may have less memory.
    pub memory: u64,
    /// The number of bits of each hash that are used, at most 32. With fewer bits, merging is slower and the answers
    /// are the same; tests use fewer bits.
    pub hash_bits: u32,
    /// Whether [`Summand::Kinds`] will be summed. A device may have to prepare for it.
    pub categories: bool,
}

impl MergeOptions {
    /// Returns options with all bits of the hash for a merge in `memory` bytes.
    pub const fn with_memory(memory: u64) -> Self {
        Self { memory, hash_bits: 32, categories: false }
    }

    /// Returns these options for a merge that will sum [`Summand::Kinds`], or will not.
    #[must_use]
    pub const fn counting_categories(self, categories: bool) -> Self {
        Self { categories, ..self }
    }
}

/// The reason why a step of merging failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MergeError {
    /// There are more distinct successors than reserved; the successors found so far are invalid. For a count: its depth needs more
    /// memory.
    #[error("There are more distinct positions than there is room for; give more memory or use more ranges.")]
    Full,
    /// The entries have different sides to move, although they belong to one ply.
    #[error("All positions of one ply must have the same side to move, but these differ.")]
    MixedTurns,
    /// A multiplicity or a total does not fit in 128 bits.
    #[error("The count exceeds 2^128 and cannot be held; choose a smaller depth.")]
    Overflow,
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// The sizes of the two plies of a [`Merge`], in positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MergeSizes {
    /// The parents.
    pub parents: u64,
    /// The distinct successors.
    pub successors: u64,
    /// The greatest number of distinct successors for which [`Merge::reserve`] could find memory now.
    pub capacity: u64,
}

/// How a device would count below successors. The advice is used only for planning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MergeAdvice {
    /// Whether the device expands successors with the same pieces of the other side together, and counts below equal positions of the
    /// next ply once. For such a device, ranges of [reversed](Key::reversed) keys are better, because few of these positions have
    /// successors in several ranges.
    pub in_runs: bool,
    /// The number of successors that are expanded together; 1 if it is unknown. A larger group has more equal successors, so a
    /// call for few successors takes longer per successor than a call for many.
    pub together: u64,
    /// The greatest number of distinct successors in one table. A device whose buffers are small needs several tables for more. Then
    /// each successor takes longer, because its table has to be found.
    pub in_one_table: u64,
}

impl Default for MergeAdvice {
    /// Returns the advice of a device with one table that counts below each successor alone.
    fn default() -> Self {
        Self { in_runs: false, together: 1, in_one_table: u64::MAX }
    }
}

/// A number that [`Merge::sum`] adds up over successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Summand {
    /// The leaves this number of plies below a successor, times its multiplicity.
    Leaves(u32),
    /// These leaves by the kinds of moves that lead to them.
    Kinds(u32),
    /// 1 for a successor that one path reaches, else 0.
    Once,
}

/// Two plies of a tree on a device, each position once: parents and their successors.
///
/// At first there are no parents and no memory for successors. The entries of a ply have no particular order, but their
/// order stays the same as long as no entry is added. After a failed step the parents are intact, but the successors are
/// invalid until [`Merge::reserve`] discards them.
///
/// Methods of `dyn Merge` return the single numbers of [`Merge::sizes`] and [`Merge::sum`].
pub trait Merge {
    /// Returns the sizes of both plies.
    fn sizes(&self) -> MergeSizes;

    /// Returns how the device would count `depth` plies below `successors` successors in one call.
    fn advice(&self, depth: u32, successors: u64) -> MergeAdvice {
        let _ = (depth, successors);
        MergeAdvice::default()
    }

    /// Discards the successors and allocates memory for this number of distinct successors. From then on, [`Merge::expand_every`] keeps the
    /// successors that pass the filter.
    ///
    /// # Errors
    /// [`MergeError::Full`] beyond the [capacity](MergeSizes::capacity); if the device fails or has less memory than it reports.
    fn reserve(&mut self, successors: u64, filter: Filter) -> Result<(), MergeError>;

    /// Adds entries to the successors, whether they pass the filter or not.
    ///
    /// # Errors
    /// [`MergeError::Full`], [`MergeError::MixedTurns`] or [`MergeError::Overflow`]; if the device fails.
    fn add(&mut self, entries: &[WeightedPosition]) -> Result<(), MergeError>;

    /// Expands every `stride`-th of some parents, beginning with the first, and adds the successors that pass the filter. The stride is at least
    /// one. Returns the number of paths to these successors before they are merged: the sum of their parents' multiplicities.
    ///
    /// # Errors
    /// [`MergeError::Full`] or [`MergeError::Overflow`]; if the device fails.
    fn expand_every(&mut self, stride: u64, parents: Range<u64>) -> Result<u128, MergeError>;

    /// Makes the successors the new parents, with no successors and no memory for any. Keeps the former parents for [`Merge::ascend`]
    /// if `keep` is set.
    ///
    /// # Errors
    /// If the device fails.
    fn descend(&mut self, keep: bool) -> Result<(), MergeError>;

    /// Discards successors and parents, and restores the most recently saved parents. Does nothing if no parents were saved.
    ///
    /// # Errors
    /// If the device fails.
    fn ascend(&mut self) -> Result<(), MergeError>;

    /// Sums a quantity over some successors. The sum is in `nodes`; the other fields are zero unless kinds of moves are counted.
    ///
    /// # Errors
    /// [`MergeError::Overflow`] if the sum exceeds 128 bits, [`BackendError::Overflow`] if the leaves below one position
    /// exceed 64 bits; [`MergeError::Full`] if the memory of the merge is too small for this depth; if the device fails. For
    /// [`Summand::Kinds`], also if the backend does not know the kinds of moves or if [`MergeOptions::categories`] was not set.
    fn sum(&mut self, successors: Range<u64>, summand: Summand) -> Result<Categories, MergeError>;

    /// Reads some successors.
    ///
    /// # Errors
    /// If the device fails.
    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<WeightedPosition>, MergeError>;

    /// Returns the number of distinct diagrams (positions without castling rights and en passant) of all successors in one of
    /// `parts` equal parts. The host's memory holds the diagrams of this part, [`DIAGRAM_BYTES`] each, unless the backend
    /// [counts diagrams](crate::DeviceInfo::counts_diagrams).
    ///
    /// A device may use its table of successors for the diagrams. Then it takes no more successors until [`Merge::reserve`] is called.
    /// All other methods work as before.
    ///
    /// The default implementation reads all entries from the device.
    ///
    /// # Errors
    /// [`MergeError::Full`] if the host's memory is too small; as for [`Merge::entries`].
    fn diagrams(&mut self, part: u32, parts: u32) -> Result<u64, MergeError> {
        let len = self.sizes().successors;
        let mut diagrams = DiagramPart::new(part, parts, len)?;
        for start in (0..len).step_by(READ_TOGETHER) {
            for WeightedPosition { position, .. } in self.entries(start..len.min(start + READ_TOGETHER as u64))? {
                let mut position = position.unpack_unchecked();
                position.state = State::default().with_turn(position.turn());
                diagrams.add(&Planes32::pack(&Rules::default(), &position))?;
            }
        }
        Ok(diagrams.len() as u64)
    }
}

impl dyn Merge + '_ {
    /// Returns the number of parents.
    pub fn parents(&self) -> u64 {
        self.sizes().parents
    }

    /// Returns the number of distinct successors.
    pub fn successors(&self) -> u64 {
        self.sizes().successors
    }

    /// Expands some parents. See [`Merge::expand_every`].
    ///
    /// # Errors
    /// As [`Merge::expand_every`].
    pub fn expand(&mut self, parents: Range<u64>) -> Result<u128, MergeError> {
        self.expand_every(1, parents)
    }

    /// Sums the leaves `depth` plies below some successors, weighted by multiplicity.
    ///
    /// # Errors
    /// As [`Merge::sum`].
    pub fn perft(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, MergeError> {
        Ok(self.sum(successors, Summand::Leaves(depth))?.nodes)
    }

    /// Sums the leaves `depth` plies below some successors by the kinds of moves that lead to them, weighted by multiplicity.
    ///
    /// # Errors
    /// As [`Merge::sum`].
    pub fn categories(&mut self, successors: Range<u64>, depth: u32) -> Result<Categories, MergeError> {
        self.sum(successors, Summand::Kinds(depth))
    }

    /// Returns how many of some successors are reached by one path only.
    ///
    /// # Errors
    /// As [`Merge::sum`].
    pub fn reached_once(&mut self, successors: Range<u64>) -> Result<u64, MergeError> {
        Ok(self.sum(successors, Summand::Once)?.nodes as u64)
    }
}

/// The number of entries that one call reads to find diagrams.
const READ_TOGETHER: usize = 1 << 20;

/// Adds a multiplicity times a number of leaves to a sum.
///
/// # Errors
/// [`MergeError::Overflow`] if the result exceeds 128 bits.
#[inline]
pub fn add_weighted(sum: u128, multiplicity: u128, leaves: u128) -> Result<u128, MergeError> {
    // Most numbers are small, and then the product cannot overflow.
    let product = match (u64::try_from(multiplicity), u64::try_from(leaves)) {
        (Ok(multiplicity), Ok(leaves)) => Some(u128::from(multiplicity) * u128::from(leaves)),
        _ => multiplicity.checked_mul(leaves),
    };
    product.and_then(|product| sum.checked_add(product)).ok_or(MergeError::Overflow)
}

/// Adds categories times a multiplicity to a sum.
///
/// # Errors
/// [`MergeError::Overflow`] if a result exceeds 128 bits.
pub fn add_categories(sum: &Categories, multiplicity: u128, categories: &Categories) -> Result<Categories, MergeError> {
    categories.times(multiplicity).and_then(|product| sum.plus(&product)).ok_or(MergeError::Overflow)
}

/// Returns the side to move of all entries; `None` if there are no entries.
///
/// # Errors
/// [`MergeError::MixedTurns`] if the entries have different sides to move, or not the expected one.
pub fn common_turn(entries: &[WeightedPosition], expected: Option<Color>) -> Result<Option<Color>, MergeError> {
    let mut turns = entries.iter().map(|entry| entry.position.state().turn());
    let turn = expected.or(turns.clone().next());
    if turns.all(|each| Some(each) == turn) { Ok(turn) } else { Err(MergeError::MixedTurns) }
}

/// Returns two hashes of a position: the first finds its slot in a table, the second is part of its [`Key`].
///
/// Each hash mixes eight 32-bit words as MurmurHash3 (Austin Appleby, 2011) does, but with other constants; every device
/// has 32-bit multiplication. The kernels compute the same hashes.
pub fn hashes(planes: &Planes32) -> [u32; 2] {
    let Planes32 { codes: [bit1, bit2, bit4], own } = *planes;
    let words = [bit1, bit2, bit4, own].map(|plane| [plane as u32, (plane >> 32) as u32]);
    let mut place = 0x9747_b28c_u32;
    let mut share = 0x3c6e_f372_u32;
    for word in words.into_iter().flatten() {
        place ^= word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        place = place.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        share ^= word.wrapping_mul(0x239b_961b).rotate_left(16).wrapping_mul(0xab0e_9789);
        share = share.rotate_left(17).wrapping_mul(5).wrapping_add(0x0bca_a747);
    }
    [place, share].map(|hash| {
        let hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
        let hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
        hash ^ hash >> 16
    })
}

/// Returns the entry of a position that is given in planes.
pub fn entry_of(planes: &Planes32, turn: Color, multiplicity: u128) -> WeightedPosition {
    let position: Position = planes.unpack_unchecked(turn);
    WeightedPosition { position: Quad48::from(&position), multiplicity }
}
