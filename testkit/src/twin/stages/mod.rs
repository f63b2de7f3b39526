//! Comparing a device with the twin, kernel by kernel.

mod counting;
mod difference;
mod kept;
mod merging;
mod minimax;
mod unordered;

use std::collections::HashMap;

use kogge_board::{Quad48, Rules};
use kogge_gpu::interface::Launch;
use kogge_gpu::kernels::{Binding, Kernel, Module, Scalar};
use kogge_gpu::{Device, GpuOptions, GpuSettings, Interface, Unordered};
use pollster::block_on;

pub use self::difference::StageDifference;
use self::difference::different;
use super::{Control, Queues, Twin};

/// The spare room for successors and items, which shows excess writes.
const SPARE: usize = 3;

/// The contents of buffers, in words.
type Contents = HashMap<Binding, Vec<u32>>;

/// Runs all kernels, one by one, on a device and on the twin with equal input, and compares their output. The positions
/// must be legal under these rules; a few hundred are enough.
///
/// # Errors
/// The first kernel and element that differ.
pub fn compare_stages<D: Device>(
    device: &D,
    options: &GpuOptions,
    positions: &[Quad48],
    rules: &Rules,
) -> Result<(), StageDifference> {
    if positions.is_empty() {
        return Ok(());
    }
    if let Some(reason) = device.unusable() {
        return Err(StageDifference::Failed(reason));
    }
    let settings = device.settings(options).map_err(StageDifference::Failed)?;
    let mut interface = block_on(device.connect(&settings))?;
    let mut host = settings;
    (host.device_memory, host.max_buffer) = (u64::MAX, u64::MAX);
    let mut counting = vec![Module::Counting];
    counting.extend((host.unordered != Unordered::Never).then_some(Module::Unordered));
    counting.extend(host.variants.depth_first.is_some().then_some(Module::DepthFirst));
    let mut twin = Twin::new(host.clone(), Queues::None, Control::default());
    for modules in [&counting[..], &[Module::Merging], &[Module::Categories], &[Module::Minimax]] {
        block_on(interface.compile(modules))?;
        block_on(twin.compile(modules))?;
    }
    let lines = host.lines.iter().flatten().flat_map(|&board| [board as u32, (board >> 32) as u32]).collect();
    let mut stages =
        Stages { interface, twin, contents: HashMap::from([(Binding::lines, lines)]), scalars: HashMap::new(), host };
    stages.counting(positions, rules)?;
    stages.last_plies(positions.len())?;
    stages.categories(positions.len())?;
    stages.unordered(positions, rules)?;
    // Only this form is merged on the device.
    if !stages.host.variants.boards48 {
        stages.merging(positions, rules)?;
    }
    stages.minimax(positions.len())
}

/// Both interfaces, and the output so far.
struct Stages<I> {
    interface: I,
    twin: Twin,
    contents: Contents,
    scalars: HashMap<Scalar, u32>,
    host: GpuSettings,
}

impl<I: Interface> Stages<I> {
    /// Returns the number of 32-bit words of a position.
    fn position_words(&self) -> usize {
        self.host.variants.position_bytes() / 4
    }

    /// Returns the number of 32-bit words of an element.
    fn words_of(&self, binding: Binding) -> usize {
        match binding {
            Binding::positions | Binding::successors | Binding::entries => self.position_words(),
            Binding::items | Binding::new_items | Binding::totals | Binding::known_totals | Binding::states => 2,
            Binding::quads | Binding::successor_quads => 12,
            Binding::lines | Binding::multiplicities | Binding::root_multiplicities => 4,
            Binding::new_multiplicities | Binding::selected_multiplicities => 4,
            Binding::candidate_multiplicities | Binding::taken_multiplicities => 4,
            Binding::sums => 8,
            Binding::nodes => 16,
            _ => 1,
        }
    }

    /// Sets the input of the next kernels.
    fn set(&mut self, binding: Binding, words: Vec<u32>) {
        self.contents.insert(binding, words);
    }

    /// Sets a buffer to zeros.
    fn zeros(&mut self, binding: Binding, elements: usize) {
        self.set(binding, vec![0; elements * self.words_of(binding)]);
    }

    fn get(&self, binding: Binding) -> &[u32] {
        self.contents.get(&binding).map_or(&[], Vec::as_slice)
    }

    fn scalar(&mut self, scalar: Scalar, value: u32) {
        self.scalars.insert(scalar, value);
    }

    /// Runs a kernel on both sides with equal input, compares all its output, and keeps it under its names in
    /// `renamed`.
    fn compare(&mut self, kernel: Kernel, items: usize, renamed: &[(Binding, Binding)]) -> Result<(), StageDifference> {
        let found = self.run_device(kernel, items, &self.contents.clone())?;
        let expected = self.run_twin(kernel, items, &self.contents.clone())?;
        for &binding in kernel.signature().buffers.iter().filter(|binding| binding.is_written()) {
            self.check(kernel, binding, &found[&binding], &expected[&binding])?;
        }
        self.keep(expected, renamed);
        Ok(())
    }

    /// Keeps output as input for later kernels.
    fn keep(&mut self, mut output: Contents, renamed: &[(Binding, Binding)]) {
        for &(written, read) in renamed {
            if let Some(words) = output.remove(&written) {
                self.contents.insert(read, words);
            }
        }
        self.contents.extend(output);
    }

    /// Compares two buffers.
    fn check(&self, kernel: Kernel, binding: Binding, found: &[u32], expected: &[u32]) -> Result<(), StageDifference> {
        let words = self.words_of(binding);
        let (found, expected) = (found.chunks(words), expected.chunks(words));
        different(kernel, binding, found, expected)
    }

    /// Compares elements of several buffers, in any order.
    fn check_multiset(
        kernel: Kernel,
        binding: Binding,
        mut found: Vec<Vec<u32>>,
        mut expected: Vec<Vec<u32>>,
    ) -> Result<(), StageDifference> {
        found.sort_unstable();
        expected.sort_unstable();
        different(kernel, binding, found.iter().map(Vec::as_slice), expected.iter().map(Vec::as_slice))
    }

    fn run_device(&mut self, kernel: Kernel, items: usize, input: &Contents) -> Result<Contents, StageDifference> {
        run(&mut self.interface, &self.host, kernel, items, input, &self.scalars)
    }

    fn run_twin(&mut self, kernel: Kernel, items: usize, input: &Contents) -> Result<Contents, StageDifference> {
        run(&mut self.twin, &self.host, kernel, items, input, &self.scalars)
    }
}

/// Runs a kernel with new buffers, and returns the contents of the buffers that it writes.
fn run<I: Interface>(
    interface: &mut I,
    host: &GpuSettings,
    kernel: Kernel,
    items: usize,
    input: &Contents,
    scalars: &HashMap<Scalar, u32>,
) -> Result<Contents, StageDifference> {
    let signature = kernel.signature();
    let group_size = host.group_size_of(kernel);
    let mut buffers = Vec::new();
    for &binding in signature.buffers {
        let words = input.get(&binding).map_or(&[0][..], Vec::as_slice);
        let words = if words.is_empty() { &[0] } else { words };
        let buffer = block_on(interface.make(binding.name(), 4 * words.len() as u64))?;
        interface.write(&buffer, bytemuck::cast_slice(words))?;
        buffers.push(buffer);
    }
    let bound: Vec<_> = buffers.iter().collect();
    let scalars: Vec<_> = signature.scalars.iter().map(|scalar| scalars.get(scalar).copied().unwrap_or(0)).collect();
    let groups = items.div_ceil(group_size);
    if groups > 0 {
        let launch = Launch { kernel, groups, group_size, buffers: &bound, scalars: &scalars };
        // SAFETY: `Stages` makes all buffers as large as the kernel needs with these scalars.
        unsafe { interface.launch(&launch) }?;
    }
    let mut output = Contents::new();
    for (&binding, buffer) in signature.buffers.iter().zip(&buffers).filter(|(binding, _)| binding.is_written()) {
        let mut words = vec![0_u32; input.get(&binding).map_or(1, |words| words.len().max(1))];
        block_on(interface.read(buffer, 0, bytemuck::cast_slice_mut(&mut words)))?;
        output.insert(binding, words);
    }
    block_on(interface.finish())?;
    Ok(output)
}
