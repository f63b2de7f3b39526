//! A buffer in device memory with its length and the type of its elements.

use std::marker::PhantomData;

use bytemuck::Pod;

use crate::interface::{Failure, Interface};

/// Device memory for a number of elements.
pub(crate) struct Buffer<I: Interface, T> {
    pub(crate) raw: I::Buffer,
    len: usize,
    element: PhantomData<T>,
}

impl<I: Interface, T: Pod> Buffer<I, T> {
    /// A buffer for `len` elements, at least one, with undefined contents.
    pub(crate) async fn new(interface: &mut I, name: &'static str, len: usize) -> Result<Self, Failure> {
        let len = len.max(1);
        let raw = interface.make(name, (len * size_of::<T>()) as u64).await?;
        Ok(Self { raw, len, element: PhantomData })
    }

    /// The number of elements that the buffer holds.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// The size in bytes.
    pub(crate) const fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }
}
