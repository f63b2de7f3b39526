//! The difference of a device from the twin.

use std::fmt;

use kogge_gpu::Failure;
use kogge_gpu::kernels::{Binding, Kernel};

/// The first difference of a device from the twin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StageDifference {
    /// The device cannot be used, or a call failed; the reason is a sentence.
    Failed(String),
    /// A kernel gave different output.
    Kernel {
        /// The kernel's name.
        kernel: &'static str,
        /// The buffer's name.
        buffer: &'static str,
        /// The number of the element; if the order of elements is unspecified, its index in sorted order.
        element: usize,
        /// The words of the element on the device; none if the device has fewer elements.
        found: Vec<u32>,
        /// The words of the element on the twin.
        expected: Vec<u32>,
    },
}

impl fmt::Display for StageDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => f.write_str(reason),
            Self::Kernel { kernel, buffer, element, found, expected } => write!(
                f,
                "The kernel {kernel} differs from its twin at element {element} of {buffer}: {found:#010x?} instead of \
                 {expected:#010x?}."
            ),
        }
    }
}

impl From<Failure> for StageDifference {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.sentence())
    }
}

/// Compares elements in order.
pub(super) fn different<'a>(
    kernel: Kernel,
    binding: Binding,
    found: impl Iterator<Item = &'a [u32]>,
    expected: impl Iterator<Item = &'a [u32]>,
) -> Result<(), StageDifference> {
    let (mut found, mut expected) = (found, expected);
    for element in 0.. {
        let (found, expected) = (found.next(), expected.next());
        if found != expected {
            let (kernel, buffer) = (kernel.signature().name, binding.name());
            let [found, expected] = [found, expected].map(|words| words.unwrap_or_default().to_vec());
            return Err(StageDifference::Kernel { kernel, buffer, element, found, expected });
        }
        if found.is_none() {
            break;
        }
    }
    Ok(())
}
