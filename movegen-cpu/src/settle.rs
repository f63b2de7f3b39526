//! Successors as merging wants them: equal positions in equal planes, and their hashes.

use crate::frame::en_passant_captors;
use crate::tree::Batch;
use crate::word::Word;

/// The lower half of a lane.
const LOW: u64 = 0xffff_ffff;

/// Takes the en-passant squares away where no capture is legal, so that equal positions have equal planes, and writes each
/// position's two hashes ([`kogge_board::merge::hashes`]) to `hashes`: the place below, the share above. What lies behind
/// the last position means nothing.
#[inline(always)]
pub(crate) fn settle<W: Word>(batch: &mut Batch, hashes: &mut Vec<u64>) {
    let mut next = 0;
    hashes.resize(batch.len() + W::LANES, 0);
    while next < batch.len() {
        let mut planes = batch.load::<W>(next);
        let frame = planes.to_frame();
        if frame.en_passant.any() {
            let [west, east] = en_passant_captors(&frame);
            planes.0[3] = planes.0[3].without(frame.en_passant.without((west | east).nonzero()));
            batch.set_own(next, planes.0[3]);
        }
        let mut boards = [0; crate::word::MOST_LANES];
        hash(&planes.0).store(&mut boards);
        hashes[next..next + W::LANES].copy_from_slice(&boards[..W::LANES]);
        next += W::LANES;
    }
    hashes.truncate(batch.len());
}

/// A product of 32 bits.
#[inline(always)]
fn times<W: Word>(word: W, factor: u32) -> W {
    (word & W::splat(LOW)).mul(W::splat(factor.into())) & W::splat(LOW)
}

/// The lower 32 bits rotated; `RIGHT` is `LEFT` - 32.
#[inline(always)]
fn rotate<W: Word, const LEFT: i32, const RIGHT: i32>(word: W) -> W {
    (word.shift::<LEFT>() | word.shift::<RIGHT>()) & W::splat(LOW)
}

/// Mixes the last bits.
#[inline(always)]
fn finish<W: Word>(hash: W) -> W {
    let hash = times(hash ^ hash.shift::<-16>(), 0x85eb_ca6b);
    let hash = times(hash ^ hash.shift::<-13>(), 0xc2b2_ae35);
    hash ^ hash.shift::<-16>()
}

/// Both hashes of the positions in all lanes.
#[inline(always)]
fn hash<W: Word>(planes: &[W; 4]) -> W {
    let mut place = W::splat(0x9747_b28c);
    let mut share = W::splat(0x3c6e_f372);
    for index in 0..8 {
        let plane = planes[index / 2];
        let word = if index % 2 == 0 { plane & W::splat(LOW) } else { plane.shift::<-32>() };
        place = place ^ times(rotate::<W, 15, -17>(times(word, 0xcc9e_2d51)), 0x1b87_3593);
        place = times(rotate::<W, 13, -19>(place), 5).add(W::splat(0xe654_6b64)) & W::splat(LOW);
        share = share ^ times(rotate::<W, 16, -16>(times(word, 0x239b_961b)), 0xab0e_9789);
        share = times(rotate::<W, 17, -15>(share), 5).add(W::splat(0x0bca_a747)) & W::splat(LOW);
    }
    finish(place) | finish(share).shift::<32>()
}

#[cfg(test)]
mod tests {
    use kogge_board::Planes32;
    use kogge_board::merge::hashes;

    use super::hash;
    use crate::code::Code;
    use crate::planes::Planes;
    use crate::tree::Batch;

    #[test]
    fn hashes_are_those_of_all_devices() {
        let positions: Vec<[u64; 4]> = (1..100_u64)
            .map(|seed| {
                [1, 2, 3, 4].map(|salt| (seed * salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(salt as u32 * 11))
            })
            // Only bits of pieces: no lone bit of the fourth plane.
            .map(|[a, b, c, own]| [a, b, c, own & (a | b | c)])
            .collect();
        for code in Code::usable() {
            let mut batch = Batch::default();
            batch.restart(positions.len());
            for position in &positions {
                batch.push(&Planes(*position), 1);
            }
            let mut found = Vec::new();
            code.settle(&mut batch, &mut found);
            assert_eq!(found.len(), positions.len(), "{}", code.name);
            for (&[a, b, c, own], found) in positions.iter().zip(found) {
                let [place, share] = hashes(&Planes32 { codes: [a, b, c], own });
                assert_eq!(found, u64::from(place) | u64::from(share) << 32, "{}", code.name);
                assert_eq!(found, hash(&[a, b, c, own]));
            }
        }
    }
}
