//! The method `unique` of `Positions`: exact deduplication.
//!
//! Each thread handles the positions whose hash falls into its share, and finds the first of each set of equal positions in its
//! own table. All words are compared, so the answer does not depend on the hash.

use std::sync::atomic::{AtomicUsize, Ordering};

use numpy::PyArray1;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::buffer::PackedSlice;
use crate::device;
use crate::failure::Failure;
use crate::positions::Positions;
use crate::work::FEW;

/// The maximum number of positions in one share; a small array thus uses only one thread.
const SHARE: usize = 1 << 12;

/// The distinct positions, their counts, and for each position the number of its distinct position.
type Unique<'py> = (Positions, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

#[pymethods]
impl Positions {
    /// Returns the distinct positions in the order of their first occurrence, how often each occurs, and for each position of the array
    /// the number of its distinct position.
    fn unique<'py>(&self, py: Python<'py>) -> Result<Unique<'py>, Failure> {
        let (firsts, counts, inverse) = match self.buffer.packed() {
            PackedSlice::Quads(quads) => distinct(py, bytemuck::must_cast_slice::<_, [u64; 6]>(quads))?,
            PackedSlice::Circles(circles) => distinct(py, bytemuck::must_cast_slice::<_, [u64; 4]>(circles))?,
        };
        let unique = Self::new(self.buffer.take(firsts.into_iter()), self.rules);
        Ok((unique, PyArray1::from_vec(py, counts), PyArray1::from_vec(py, inverse)))
    }

    /// Returns a 64-bit hash of each position, the same in every process. Different positions may have equal hashes.
    fn hashes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let quads = self.buffer.quads();
        PyArray1::from_vec(py, quads.iter().map(|quad| hash(bytemuck::must_cast_ref::<_, [u64; 6]>(quad))).collect())
    }

    /// Returns Polyglot's Zobrist key of each position.
    fn polyglot_keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let quads = self.buffer.quads();
        PyArray1::from_vec(py, quads.iter().map(|quad| quad.unpack_unchecked().zobrist_key()).collect())
    }
}

/// Returns a hash of some words: each is added, multiplied by a large odd number, and folded.
fn hash<const N: usize>(words: &[u64; N]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    words.iter().fold(N as u64, |hash, word| {
        let product = u128::from(hash ^ word ^ FACTOR) * u128::from(FACTOR);
        (product as u64) ^ ((product >> 64) as u64) ^ hash.rotate_left(29)
    })
}

/// The numbers of the first occurrences, their counts, and for each element the number of its distinct element.
type Numbers = (Vec<usize>, Vec<i64>, Vec<i64>);

/// Returns the numbers of the first occurrences, their counts, and for each element the number of its distinct element.
fn distinct<const N: usize>(py: Python<'_>, elements: &[[u64; N]]) -> Result<Numbers, Failure> {
    let shares = match elements.len() {
        ..=FEW => 1,
        len => len.div_ceil(SHARE).min(device::pool()?.current_num_threads()),
    };
    let firsts = if shares == 1 {
        let hashes: Vec<u64> = elements.iter().map(hash).collect();
        let firsts = vacant(elements.len())?;
        find_firsts(elements, &hashes, 0, 1, &firsts);
        firsts
    } else {
        let pool = device::pool()?;
        py.detach(|| {
            pool.install(|| {
                let hashes: Vec<u64> = elements.par_iter().map(hash).collect();
                let firsts = vacant(elements.len())?;
                (0..shares).into_par_iter().for_each(|share| find_firsts(elements, &hashes, share, shares, &firsts));
                Ok::<_, Failure>(firsts)
            })
        })?
    };
    let (mut distinct, mut counts, mut inverse) = (Vec::new(), Vec::new(), Vec::with_capacity(elements.len()));
    for (index, first) in firsts.into_iter().map(AtomicUsize::into_inner).enumerate() {
        // The first occurrence already has its number, because it comes earlier.
        let number = if first == index { distinct.len() as i64 } else { inverse[first] };
        if first == index {
            distinct.push(index);
            counts.push(0);
        }
        counts[number as usize] += 1;
        inverse.push(number);
    }
    py.check_signals()?;
    Ok((distinct, counts, inverse))
}

fn vacant(len: usize) -> Result<Vec<AtomicUsize>, Failure> {
    let mut firsts = Vec::new();
    let failure = |_| Failure::Memory(format!("There is no memory to compare {len} positions."));
    firsts.try_reserve_exact(len).map_err(failure)?;
    firsts.resize_with(len, AtomicUsize::default);
    Ok(firsts)
}

/// Finds the number of the first equal element, for the elements of one share.
fn find_firsts<const N: usize>(
    elements: &[[u64; N]],
    hashes: &[u64],
    share: usize,
    shares: usize,
    firsts: &[AtomicUsize],
) {
    const FREE: usize = usize::MAX;
    // The upper half of a hash chooses the share, the lower half the slot.
    let is_own = |hash: u64| ((hash >> 32) * shares as u64) >> 32 == share as u64;
    let own = hashes.iter().filter(|&&hash| is_own(hash)).count();
    let slots = (2 * own).next_power_of_two();
    let mut table = vec![FREE; slots];
    for (index, &hash) in hashes.iter().enumerate().filter(|&(_, &hash)| is_own(hash)) {
        let mut slot = hash as usize & (slots - 1);
        loop {
            match table[slot] {
                FREE => {
                    table[slot] = index;
                    firsts[index].store(index, Ordering::Relaxed);
                    break;
                }
                first if elements[first] == elements[index] => {
                    firsts[index].store(first, Ordering::Relaxed);
                    break;
                }
                _ => slot = (slot + 1) & (slots - 1),
            }
        }
    }
}
