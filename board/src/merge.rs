//! Merging equal positions: two plies of a tree, each position once, with the number of ways that lead to it.
//!
//! A tree's plies hold far fewer positions than paths. So the deepest counts are made ply by ply: the
//! successors of all positions of a ply are collected, equal ones become one entry whose multiplicity
//! is the sum of theirs, and the leaves below a ply are counted once for each entry. Counts stay exact:
//! positions are the same only if all that a tree's course depends on is the same bit for bit; a hash
//! says no more than where to look.
//!
//! [`Backend::merge`] gives a [`Merge`], which holds two plies, parents and successors. Whoever drives
//! it decides which parents are expanded when; what does not fit in memory is done in [`Partition`]s:
//! the same parents are expanded once for each, and only the successors that belong to the partition
//! are kept.
//!
//! [`HostMerge`] does this with any backend's `expand` and `perft`, plainly and in the host's memory. It
//! is what a backend has that brings nothing of its own, and what the others are held against.

use std::collections::HashMap;
use std::ops::Range;

use thiserror::Error;

use crate::{Backend, BackendError, Color, Planes32, Position, Quad48, Rules};

/// A position and in how many ways it is reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// The position; its halfmove clock is zero.
    pub position: Quad48,
    /// The number of ways.
    pub multiplicity: u128,
}

/// How positions are to be merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MergeOptions {
    /// Bytes that both plies and the tables to find positions may take together; at most what the device has.
    pub memory: u64,
    /// How many bits of the positions' hashes are used, 32 or fewer. Fewer than 32 make everything slow and change no
    /// answer: that is what tests use them for.
    pub hash_bits: u32,
}

impl MergeOptions {
    /// All bits of the hash, and so many bytes.
    pub const fn with_memory(memory: u64) -> Self {
        Self { memory, hash_bits: 32 }
    }
}

/// A share of all positions, by their hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partition {
    /// Which one, less than `of`.
    pub index: u32,
    /// How many there are.
    pub of: u32,
}

impl Partition {
    /// All positions.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// The partitions that all positions are shared out to, `of` of them.
    pub fn all(of: u32) -> impl Iterator<Item = Self> {
        (0..of).map(move |index| Self { index, of })
    }

    /// Whether a position with this hash belongs to it. The hash is one of its own: that which says where a table keeps
    /// a position would leave most of a partition's table empty.
    pub fn has(&self, hash: u32) -> bool {
        (u64::from(hash) * u64::from(self.of)) >> 32 == u64::from(self.index)
    }
}

/// Why a step was not done.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MergeError {
    /// There are more distinct successors than there is room for. Those found so far are of no use.
    #[error("There are more distinct positions than there is room for; give more memory or use more partitions.")]
    Full,
    /// The entries have not all the same side to move, which positions of one ply have.
    #[error("Positions of one ply have the same side to move, and these have not.")]
    MixedTurns,
    /// A multiplicity or a total does not fit in 128 bits.
    #[error("The count exceeds 2^128 and cannot be held; choose a smaller depth.")]
    Overflow,
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// Two plies of a tree on a device, each position once: parents, and successors of theirs.
///
/// At first there are no parents and no room for successors. Entries of a ply have no particular order,
/// but they keep it while nothing is added. A step that fails leaves successors of no use, and only
/// [`Merge::reserve`] makes them anew; the parents stay.
pub trait Merge {
    /// How many parents there are.
    fn parents(&self) -> u64;

    /// How many distinct successors there are.
    fn successors(&self) -> u64;

    /// For how many distinct successors [`Merge::reserve`] could make room now.
    fn most_successors(&self) -> u64;

    /// Forgets the successors and makes room for so many distinct ones.
    ///
    /// # Errors
    /// [`MergeError::Full`] if that is more than [`Merge::most_successors`]; if the device fails or has less memory than
    /// it says.
    fn reserve(&mut self, successors: u64) -> Result<(), MergeError>;

    /// Adds entries to the successors.
    ///
    /// # Errors
    /// [`MergeError::Full`], [`MergeError::MixedTurns`] or [`MergeError::Overflow`]; if the device fails.
    fn add(&mut self, entries: &[Entry]) -> Result<(), MergeError>;

    /// Adds those successors of some parents that belong to a partition.
    ///
    /// # Errors
    /// [`MergeError::Full`] or [`MergeError::Overflow`]; if the device fails.
    fn expand(&mut self, parents: Range<u64>, partition: Partition) -> Result<(), MergeError>;

    /// The successors become the parents, and there are no successors and no room for any.
    ///
    /// # Errors
    /// If the device fails.
    fn descend(&mut self) -> Result<(), MergeError>;

    /// The sum, over some successors, of multiplicity times leaves `depth` plies below.
    ///
    /// # Errors
    /// [`MergeError::Overflow`] if it exceeds 128 bits, and [`BackendError::Overflow`] if the leaves below one position
    /// exceed 64; if the device fails.
    fn perft(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, MergeError>;

    /// Some successors.
    ///
    /// # Errors
    /// If the device fails.
    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<Entry>, MergeError>;
}

/// The side to move that all entries have in common; `None` if there are none.
///
/// # Errors
/// [`MergeError::MixedTurns`] if they have not.
pub fn common_turn(entries: &[Entry], expected: Option<Color>) -> Result<Option<Color>, MergeError> {
    let mut turns = entries.iter().map(|entry| entry.position.state().turn());
    let turn = expected.or(turns.clone().next());
    if turns.all(|each| Some(each) == turn) { Ok(turn) } else { Err(MergeError::MixedTurns) }
}

/// Two plies in the host's memory, with any backend.
pub struct HostMerge<'a, B: Backend + ?Sized> {
    backend: &'a mut B,
    rules: Rules,
    options: MergeOptions,
    parents: Vec<Entry>,
    successors: Vec<Entry>,
    room: u64,
    /// Where the successors with a hash are. Positions are compared in full.
    places: HashMap<u32, Vec<u32>>,
}

/// What an entry takes: itself and its place in the table, with the spare room that both may have.
const HOST_BYTES: u64 = 2 * size_of::<Entry>() as u64 + 64;

/// How many parents are expanded together.
const HOST_AT_ONCE: usize = 1 << 12;

impl<'a, B: Backend + ?Sized> HostMerge<'a, B> {
    /// No parents and no successors yet.
    pub fn new(backend: &'a mut B, rules: &Rules, options: MergeOptions) -> Self {
        let rules = rules.with_halfmove_clock(false);
        let (parents, successors) = (Vec::new(), Vec::new());
        Self { backend, rules, options, parents, successors, room: 0, places: HashMap::new() }
    }

    fn insert(&mut self, position: Quad48, multiplicity: u128, partition: Partition) -> Result<(), MergeError> {
        let [place, share] = hashes(&Planes32::pack(&self.rules, &position.unpack_unchecked()));
        if !partition.has(share) {
            return Ok(());
        }
        let place = u64::from(place) & ((1 << self.options.hash_bits.min(32)) - 1);
        let places = self.places.entry(place as u32).or_default();
        for &index in &*places {
            let known = &mut self.successors[index as usize];
            if known.position == position {
                known.multiplicity = known.multiplicity.checked_add(multiplicity).ok_or(MergeError::Overflow)?;
                return Ok(());
            }
        }
        if self.successors.len() as u64 >= self.room {
            return Err(MergeError::Full);
        }
        places.push(self.successors.len() as u32);
        self.successors.push(Entry { position, multiplicity });
        Ok(())
    }
}

/// The range as one of indices; what is beyond the end is left out.
fn within(range: &Range<u64>, len: usize) -> Range<usize> {
    let [start, end] = [range.start, range.end].map(|index| index.min(len as u64) as usize);
    start.min(end)..end
}

impl<B: Backend + ?Sized> Merge for HostMerge<'_, B> {
    fn parents(&self) -> u64 {
        self.parents.len() as u64
    }

    fn successors(&self) -> u64 {
        self.successors.len() as u64
    }

    fn most_successors(&self) -> u64 {
        let parents = self.parents.len() as u64 * HOST_BYTES;
        (self.options.memory.saturating_sub(parents) / HOST_BYTES).min(u32::MAX.into())
    }

    fn reserve(&mut self, successors: u64) -> Result<(), MergeError> {
        self.successors = Vec::new();
        self.places = HashMap::new();
        self.room = 0;
        if successors > self.most_successors() {
            return Err(MergeError::Full);
        }
        self.room = successors;
        Ok(())
    }

    fn add(&mut self, entries: &[Entry]) -> Result<(), MergeError> {
        common_turn(entries, common_turn(&self.successors, None)?)?;
        entries.iter().try_for_each(|entry| {
            self.insert(entry.position.with_halfmove_clock(0), entry.multiplicity, Partition::WHOLE)
        })
    }

    fn expand(&mut self, parents: Range<u64>, partition: Partition) -> Result<(), MergeError> {
        let parents = self.parents[within(&parents, self.parents.len())].to_vec();
        for parents in parents.chunks(HOST_AT_ONCE) {
            let positions: Vec<_> = parents.iter().map(|entry| entry.position).collect();
            let successors = self.backend.expand(&self.rules, &positions)?;
            for (parent, positions) in parents.iter().zip(successors.iter()) {
                for &position in positions {
                    self.insert(position, parent.multiplicity, partition)?;
                }
            }
        }
        Ok(())
    }

    fn descend(&mut self) -> Result<(), MergeError> {
        self.parents = std::mem::take(&mut self.successors);
        self.parents.shrink_to_fit();
        self.reserve(0)
    }

    fn perft(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, MergeError> {
        let entries = &self.successors[within(&successors, self.successors.len())];
        let positions: Vec<_> = entries.iter().map(|entry| entry.position).collect();
        let leaves = self.backend.perft(&self.rules, &positions, depth)?;
        entries.iter().zip(leaves).try_fold(0_u128, |sum, (entry, leaves)| {
            let product = entry.multiplicity.checked_mul(leaves.into());
            product.and_then(|product| sum.checked_add(product)).ok_or(MergeError::Overflow)
        })
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<Entry>, MergeError> {
        Ok(self.successors[within(&successors, self.successors.len())].to_vec())
    }
}

/// Two hashes of a position: where a table keeps it, and which partition it belongs to.
///
/// Eight words of 32 bits, mixed as in MurmurHash3 (Austin Appleby, 2011), twice with other constants; every device has
/// multiplications of 32 bits. Kernels do the same.
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

/// The entry that planes stand for.
pub fn entry_of(planes: &Planes32, turn: Color, multiplicity: u128) -> Entry {
    let position: Position = planes.unpack_unchecked(turn);
    Entry { position: Quad48::from(&position), multiplicity }
}
