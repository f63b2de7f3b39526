//! Canonical positions for merging (equal positions have equal planes), and the hashes of their partitions.

use super::batch::Batch;
use super::frame::en_passant_captors;
use super::vector::{Lanes, MOST_LANES};

/// The lower half of a lane.
const LOW: u64 = 0xffff_ffff;

/// Removes the en-passant squares where no capture is legal, so that equal positions have equal planes.
#[inline(always)]
pub(crate) fn make_canonical<L: Lanes>(batch: &mut Batch) {
    let mut next = 0;
    while next < batch.len() {
        let mut planes = batch.load::<L>(next);
        let frame = planes.to_frame();
        if frame.en_passant.any() {
            let [west, east] = en_passant_captors(&frame);
            planes.0[3] = planes.0[3].without(frame.en_passant.without((west | east).nonzero()));
            batch.set_own(next, planes.0[3]);
        }
        next += L::LANES;
    }
}

/// Writes the hash that chooses each position's partition, the second of its [`kogge_board::merge::hashes`].
#[inline(always)]
pub(crate) fn partition_hashes<L: Lanes>(batch: &Batch, hashes: &mut Vec<u64>) {
    let mut next = 0;
    hashes.resize(batch.len() + L::LANES, 0);
    while next < batch.len() {
        let mut boards = [0; MOST_LANES];
        partition_hash(&batch.load::<L>(next).0).store(&mut boards);
        hashes[next..next + L::LANES].copy_from_slice(&boards[..L::LANES]);
        next += L::LANES;
    }
    hashes.truncate(batch.len());
}

/// Multiplies modulo 2^32.
#[inline(always)]
fn times<L: Lanes>(word: L, factor: u32) -> L {
    (word & L::splat(LOW)).mul(L::splat(factor.into())) & L::splat(LOW)
}

/// Rotates the lower 32 bits; `RIGHT` is `LEFT` - 32.
#[inline(always)]
fn rotate<L: Lanes, const LEFT: i32, const RIGHT: i32>(word: L) -> L {
    (word.shift::<LEFT>() | word.shift::<RIGHT>()) & L::splat(LOW)
}

/// Mixes the last bits.
#[inline(always)]
fn finish<L: Lanes>(hash: L) -> L {
    let hash = times(hash ^ hash.shift::<-16>(), 0x85eb_ca6b);
    let hash = times(hash ^ hash.shift::<-13>(), 0xc2b2_ae35);
    hash ^ hash.shift::<-16>()
}

/// Returns the partition's hash of the positions in all lanes.
#[inline(always)]
fn partition_hash<L: Lanes>(planes: &[L; 4]) -> L {
    let mut partition = L::splat(0x3c6e_f372);
    for index in 0..8 {
        let plane = planes[index / 2];
        let word = if index % 2 == 0 { plane & L::splat(LOW) } else { plane.shift::<-32>() };
        partition = partition ^ times(rotate::<L, 16, -16>(times(word, 0x239b_961b)), 0xab0e_9789);
        partition = times(rotate::<L, 17, -15>(partition), 5).add(L::splat(0x0bca_a747)) & L::splat(LOW);
    }
    finish(partition)
}

#[cfg(test)]
mod tests {
    use kogge_board::Planes32;
    use kogge_board::merge::hashes;

    use super::partition_hash;
    use crate::lanes::batch::Batch;
    use crate::lanes::code::Code;
    use crate::lanes::planes::Planes;

    #[test]
    fn hashes_are_those_of_all_devices() {
        let positions: Vec<[u64; 4]> = (1..100_u64)
            .map(|seed| {
                [1, 2, 3, 4].map(|salt| (seed * salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(salt as u32 * 11))
            })
            // Only bits of pieces; the fourth plane has no other bits.
            .map(|[a, b, c, own]| [a, b, c, own & (a | b | c)])
            .collect();
        for code in Code::usable() {
            let mut batch = Batch::default();
            batch.restart(positions.len());
            for position in &positions {
                batch.push(&Planes(*position), 1);
            }
            let mut found = Vec::new();
            code.partition_hashes(&batch, &mut found);
            assert_eq!(found.len(), positions.len(), "{}", code.name);
            for (&[a, b, c, own], found) in positions.iter().zip(found) {
                let [_, partition] = hashes(&Planes32 { codes: [a, b, c], own });
                assert_eq!(found, u64::from(partition), "{}", code.name);
                assert_eq!(found, partition_hash(&[a, b, c, own]));
            }
        }
    }
}
