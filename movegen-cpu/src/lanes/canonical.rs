//! Canonical positions for merging: equal positions have equal planes.

use super::batch::Batch;
use super::frame::en_passant_captors;
use super::vector::Lanes;

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
