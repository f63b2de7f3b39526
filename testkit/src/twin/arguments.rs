//! The arguments of a kernel, with checks of every access.

use kogge_gpu::GpuSettings;
use kogge_gpu::interface::Launch;
use kogge_gpu::kernels::{Binding, Kernel, Scalar};

use super::{Queues, TwinBuffer};

/// The arguments of a launch.
pub(super) struct Arguments<'a> {
    pub(super) kernel: Kernel,
    /// The number of work-groups.
    pub(super) groups: usize,
    pub(super) group_size: usize,
    pub(super) settings: &'a GpuSettings,
    pub(super) queues: Queues,
    buffers: &'a [&'a TwinBuffer],
    scalars: &'a [u32],
}

impl<'a> Arguments<'a> {
    /// Returns the arguments.
    ///
    /// # Panics
    /// If the arguments do not match the signature, if the work-groups do not have the size in the settings, or if a buffer
    /// that the kernel writes is bound twice.
    pub(super) fn new(launch: &'a Launch<'a, TwinBuffer>, settings: &'a GpuSettings, queues: Queues) -> Self {
        let &Launch { kernel, groups, group_size, buffers, scalars } = launch;
        let signature = kernel.signature();
        let name = signature.name;
        assert_eq!(buffers.len(), signature.buffers.len(), "The kernel {name} has another number of buffers.");
        assert_eq!(scalars.len(), signature.scalars.len(), "The kernel {name} has another number of scalars.");
        assert_eq!(group_size, settings.group_size_of(kernel), "The kernel {name} has other work-groups.");
        assert!(groups > 0, "The kernel {name} is launched without work-groups.");
        for (index, (binding, buffer)) in signature.buffers.iter().zip(buffers).enumerate() {
            let is_same = |&other: &usize| other != index && std::ptr::eq(*buffer, buffers[other]);
            if let Some(other) = (0..buffers.len()).find(is_same).filter(|_| binding.is_written()) {
                let [one, other] = [binding.name(), signature.buffers[other].name()];
                panic!("The kernel {name} writes {one}, which is also {other}.");
            }
        }
        Self { kernel, groups, group_size, settings, queues, buffers, scalars }
    }

    pub(super) fn work_items(&self) -> usize {
        self.groups * self.group_size
    }

    pub(super) fn scalar(&self, scalar: Scalar) -> u32 {
        let signature = self.kernel.signature();
        let index = signature.scalars.iter().position(|&other| other == scalar);
        self.scalars[index.unwrap_or_else(|| panic!("The kernel {} has no {}.", signature.name, scalar.name()))]
    }

    /// Returns the indices of the launch's work-items that are at least `first` and less than `end`.
    pub(super) fn indices(&self, first: u32, end: u32) -> impl Iterator<Item = usize> + use<> {
        let first = first as usize;
        first..(end as usize).min(first + self.work_items())
    }

    fn buffer(&self, binding: Binding) -> &'a TwinBuffer {
        let signature = self.kernel.signature();
        let index = signature.buffers.iter().position(|&other| other == binding);
        self.buffers[index.unwrap_or_else(|| panic!("The kernel {} has no {}.", signature.name, binding.name()))]
    }

    pub(super) fn read<const WORDS: usize>(&self, binding: Binding, element: usize) -> [u32; WORDS] {
        let words = self.buffer(binding).words.borrow();
        std::array::from_fn(|word| match words.get(element * WORDS + word) {
            Some(&Some(word)) => word,
            found => {
                let (name, kernel) = (binding.name(), self.kernel.signature().name);
                match found {
                    Some(_) => {
                        panic!("The kernel {kernel} reads element {element} of {name}, which nobody has written.")
                    }
                    None => panic!("The kernel {kernel} reads element {element} beyond the end of {name}."),
                }
            }
        })
    }

    pub(super) fn write<const WORDS: usize>(&self, binding: Binding, element: usize, values: [u32; WORDS]) {
        let mut words = self.buffer(binding).words.borrow_mut();
        let (name, kernel) = (binding.name(), self.kernel.signature().name);
        assert!(binding.is_written(), "The kernel {kernel} writes {name}, which it should only read.");
        for (word, value) in values.into_iter().enumerate() {
            match words.get_mut(element * WORDS + word) {
                Some(word) => *word = Some(value),
                None => panic!("The kernel {kernel} writes element {element} beyond the end of {name}."),
            }
        }
    }

    pub(super) fn word(&self, binding: Binding, index: usize) -> u32 {
        let [word] = self.read(binding, index);
        word
    }

    pub(super) fn set(&self, binding: Binding, index: usize, word: u32) {
        self.write(binding, index, [word]);
    }

    /// Adds to a word and returns its old value, as atomic operations do.
    pub(super) fn add(&self, binding: Binding, index: usize, amount: u32) -> u32 {
        let before = self.word(binding, index);
        self.set(binding, index, before.wrapping_add(amount));
        before
    }

    /// Adds one to a word, if the word was written.
    pub(super) fn increment(&self, binding: Binding, index: usize) {
        if let Some(Some(word)) = self.buffer(binding).words.borrow_mut().get_mut(index) {
            *word = word.wrapping_add(1);
        }
    }
}
