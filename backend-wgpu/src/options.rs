//! The settings of a wgpu device.

use kogge_board::DeviceKind;
use kogge_gpu::Parameter::{
    ClosedFormGroupSize, ClosedFormTurns, CountGroups, Immediates, Moves, Positions, QueuedPerLane, Sliders, Subgroups,
    Word,
};
use kogge_gpu::{Capabilities, GpuOptions, GpuSettings, Parameter, Unordered, Variants};

/// The properties of a device that its settings depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Properties {
    /// The kind of processor.
    pub kind: DeviceKind,
    /// Whether NVIDIA made the device.
    pub is_nvidia: bool,
    /// The device's memory in bytes, if it is known.
    pub memory: Option<u64>,
    /// The largest buffer that a kernel can use, in bytes.
    pub max_binding: u64,
    /// Local memory of one work-group, in bytes.
    pub local_memory: usize,
    /// The maximum number of work-items in one work-group.
    pub max_work_group_size: usize,
    /// Whether kernels can use 64-bit integers.
    pub has_int64: bool,
    /// Whether kernels can sum over sub-groups.
    pub has_subgroups: bool,
    /// Whether the scalars of a launch can be immediates.
    pub has_immediates: bool,
}

/// The memory to use if the size of the device's memory is unknown.
const UNKNOWN_MEMORY: u64 = 1 << 30;

/// The maximum memory to use by default. The resulting chunks are more than large enough.
const MOST_MEMORY: u64 = 16 << 30;

/// Returns the number of positions in a level on a GPU with this amount of memory: one for each kibibyte, within limits. Larger
/// levels need fewer waits. But four levels must fit in a quarter of the memory while plies are merged.
fn positions_on_gpu(memory: u64) -> usize {
    1 << (memory / 1024).clamp(1 << 24, 1 << 26).ilog2()
}

/// The number of work-groups that count replies on a GPU. wgpu does not report the number of multiprocessors; with many
/// groups for each, all multiprocessors finish at about the same time.
const COUNT_GROUPS: usize = 8192;

/// The number of work-items that do quiescence searches on a GPU: as many as the largest GPU runs at once.
const QUIESCENCE_LANES: usize = 1 << 16;

/// The number of moves that are written together on a GPU, if memory permits.
const MOVES: u64 = 1 << 27;

/// The maximum local memory of a work-group that makes successors in any order, in bytes; every device has this amount.
const UNORDERED_MEMORY: u64 = 1 << 14;

impl Properties {
    /// Completes options for the device.
    ///
    /// # Errors
    /// A sentence that names the option that does not fit.
    pub fn settings(&self, options: &GpuOptions) -> Result<GpuSettings, String> {
        if options.variants != Variants::default() || !options.compiler.is_empty() {
            return Err("variants or options of the compiler were asked for, and only OpenCL has them.".into());
        }
        let is_gpu = self.kind != DeviceKind::Software;
        let memory = self.memory.map_or(UNKNOWN_MEMORY, |memory| MOST_MEMORY.min(memory / 2));
        let device_memory = self.memory.unwrap_or(options.memory.unwrap_or(memory));
        let mut defaults = Parameter::usual(is_gpu);
        defaults.extend([
            // NVIDIA's chips have no 64-bit integers either, and the compiler makes faster code for pairs of words.
            (Word, usize::from(self.has_int64 && !self.is_nvidia)),
            (Sliders, usize::from(is_gpu)),
            (Subgroups, usize::from(self.has_subgroups)),
            (Immediates, usize::from(self.has_immediates)),
            (QueuedPerLane, 40),
        ]);
        if is_gpu {
            // Moves take at most a quarter of the memory; positions take the rest.
            let quarter = (options.memory.unwrap_or(memory) / 4 / size_of::<[u32; 2]>() as u64).max(1);
            defaults.extend([
                (CountGroups, COUNT_GROUPS),
                (Positions, positions_on_gpu(device_memory)),
                (Moves, MOVES.min(quarter) as usize),
            ]);
        }
        if self.is_nvidia {
            // wgpu cannot limit a kernel's registers, but in a large work-group NVIDIA's compiler uses fewer registers
            // for each work-item, so that more work-items are resident. A multiprocessor with a single resident group
            // would wait for the slowest lane after each position, so a lane takes several positions.
            defaults.extend([(ClosedFormGroupSize, 512), (ClosedFormTurns, 3)]);
        }
        let has = [(Word, self.has_int64), (Subgroups, self.has_subgroups), (Immediates, self.has_immediates)];
        let mut settings = options.complete(&Capabilities {
            defaults,
            maxima: has.map(|(parameter, has)| (parameter, usize::from(has))).into(),
            max_group_size: self.max_work_group_size,
            local_memory: self.local_memory as u64,
            unordered_memory: UNORDERED_MEMORY,
            max_buffer: self.max_binding,
            device_memory,
            memory,
            unordered: if self.is_nvidia { Unordered::Always } else { Unordered::InMerges },
        })?;
        if is_gpu {
            settings.quiescence_lanes = QUIESCENCE_LANES;
        } else {
            // Lavapipe silently ends every loop of a work-item after 65,536 iterations.
            settings.quiescence_steps = 1 << 6;
        }
        settings.description += match settings.unordered {
            Unordered::Never => ", successors in generation order",
            Unordered::InMerges => "",
            Unordered::Always => ", successors in any order",
        };
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_gpus_have_large_levels() {
        let positions = [1, 4, 16, 24, 32, 64, 140].map(|gibibytes| positions_on_gpu(gibibytes << 30).ilog2());
        assert_eq!(positions, [24, 24, 24, 24, 25, 26, 26]);
    }
}
