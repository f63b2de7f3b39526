//! The stages of minimax.

use kogge_gpu::Interface;
use kogge_gpu::kernels::{Binding, Kernel, Scalar};

use super::{SPARE, StageDifference, Stages};

/// The room for moves of a quiescence search.
const QUIESCENCE_ROOM: u32 = 1024;
/// The plies on the path of a quiescence search, including one above the leaf.
const QUIESCENCE_NODES: usize = 7;
const QUIESCENCE_LANES: u32 = 5;
/// Few, because lavapipe silently ends every loop after 65,536 iterations.
const QUIESCENCE_STEPS: u32 = 64;

impl<I: Interface> Stages<I> {
    /// Runs the stages of minimax.
    pub(super) fn minimax(&mut self, len: usize) -> Result<(), StageDifference> {
        let moves = self.moves();
        self.scalar(Scalar::end, len as u32);
        self.zeros(Binding::values, len + SPARE);
        self.compare(Kernel::Evaluate, len, &[])?;

        let successor_values = (0..(moves + SPARE) as u32)
            .map(|index| match index % 11 {
                0 => 31_990,
                1 => -32_000,
                _ => index.wrapping_mul(0x9e37_79b9) as i32 % 30_000,
            })
            .map(|value: i32| value as u32)
            .collect();
        self.set(Binding::successor_values, successor_values);
        self.compare(Kernel::BackUp, len, &[])?;

        self.scalar(Scalar::room, QUIESCENCE_ROOM);
        self.scalar(Scalar::lanes, QUIESCENCE_LANES);
        self.scalar(Scalar::steps, QUIESCENCE_STEPS);
        for depth in 0..2 {
            self.scalar(Scalar::depth, depth);
            self.zeros(Binding::values, len);
            self.zeros(Binding::new_items, (QUIESCENCE_LANES * QUIESCENCE_ROOM) as usize);
            self.zeros(Binding::new_item_count, 2);
            self.zeros(Binding::totals, 1);
            self.zeros(Binding::nodes, QUIESCENCE_LANES as usize * QUIESCENCE_NODES);
            self.zeros(Binding::states, QUIESCENCE_LANES as usize);
            let [found, expected] = [true, false].map(|is_device| {
                let mut output = self.contents.clone();
                loop {
                    let lanes = QUIESCENCE_LANES as usize;
                    output.insert(Binding::new_item_count, vec![output[&Binding::new_item_count][0], 0]);
                    let written = if is_device {
                        self.run_device(Kernel::Quiesce, lanes, &output)?
                    } else {
                        self.run_twin(Kernel::Quiesce, lanes, &output)?
                    };
                    output.extend(written);
                    if output[&Binding::new_item_count][1] == 0 {
                        return Ok::<_, StageDifference>(output);
                    }
                }
            });
            let (found, expected) = (found?, expected?);
            for binding in [Binding::totals, Binding::values] {
                self.check(Kernel::Quiesce, binding, &found[&binding], &expected[&binding])?;
            }
        }
        Ok(())
    }
}
