//! The cost of packing and unpacking, format by format.

use std::hint::black_box;
use std::time::Instant;

use kogge_board::{Circle32, Five42, Format, PackedPosition, Pieces38, Pieces64, Position, Quad48, known};

use super::Times;

/// The number of positions packed in a row: few enough to stay in the first-level cache.
const BATCH: usize = 256;

/// The duration of one measurement, in seconds.
const SPAN: f64 = 0.005;

/// The cost of a format in nanoseconds per position, on one thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// The format.
    pub format: Format,
    /// The cost of packing a [`Position`].
    pub pack: Times,
    /// The cost of unpacking to a [`Position`], without a check that it is legal.
    pub unpack: Times,
}

/// Measures all formats in turn, `repetitions` times.
pub fn measure(repetitions: usize) -> Vec<Cost> {
    let positions: Vec<Position> = known::random().iter().take(BATCH).map(|known| known.root.position).collect();
    let empty = |format| Cost { format, pack: Times::default(), unpack: Times::default() };
    let mut costs = Format::ALL.map(empty);
    // The first round fills the caches.
    for round in 0..=repetitions.max(1) {
        for cost in &mut costs {
            let [pack, unpack] = match cost.format {
                Format::Quad48 => once::<Quad48>(&positions),
                Format::Circle32 => once::<Circle32>(&positions),
                Format::Five42 => once::<Five42>(&positions),
                Format::Pieces38 => once::<Pieces38>(&positions),
                Format::Pieces64 => once::<Pieces64>(&positions),
            };
            if round > 0 {
                cost.pack.all.push(pack);
                cost.unpack.all.push(unpack);
            }
        }
    }
    costs.into()
}

/// Returns the nanoseconds to pack and to unpack a position.
fn once<T: PackedPosition>(positions: &[Position]) -> [f64; 2] {
    let mut packed: Vec<T> = positions.iter().map(T::pack).collect();
    let mut back = positions.to_vec();
    let pack = each(positions.len(), || {
        black_box(positions).iter().zip(&mut packed).for_each(|(position, packed)| *packed = T::pack(position));
        black_box(&packed);
    });
    let unpack = each(positions.len(), || {
        black_box(&packed).iter().zip(&mut back).for_each(|(packed, back)| *back = packed.unpack_unchecked());
        black_box(&back);
    });
    [pack, unpack]
}

/// Returns the nanoseconds that `work` takes per item, measured over [`SPAN`].
fn each(things: usize, mut work: impl FnMut()) -> f64 {
    let (start, mut rounds) = (Instant::now(), 0);
    loop {
        work();
        rounds += 1;
        let seconds = start.elapsed().as_secs_f64();
        if seconds >= SPAN {
            return 1e9 * seconds / (rounds * things.max(1)) as f64;
        }
    }
}
