//! A buffer in device memory with its length and the type of its elements.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use bytemuck::Pod;

use crate::interface::{Failure, Interface, Reading};
use crate::spare::Spare;

/// Device memory for a number of elements.
pub(crate) struct Buffer<I: Interface, T> {
    raw: ManuallyDrop<I::Buffer>,
    len: usize,
    /// The spare buffers that receive the memory when the buffer is dropped, if it is to be kept.
    spare: Option<Spare<I::Buffer>>,
    element: PhantomData<T>,
}

impl<I: Interface, T: Pod> Buffer<I, T> {
    /// A buffer for `len` elements, at least one, with undefined contents.
    pub(crate) async fn new(interface: &mut I, name: &'static str, len: usize) -> Result<Self, Failure> {
        let raw = interface.make(name, Self::size(len)).await?;
        Ok(Self::of(raw, len, None))
    }

    /// Returns a buffer as [`Self::new`] does, which becomes a spare buffer when it is dropped. Takes a spare buffer if there is
    /// one of the same size.
    pub(crate) async fn from_spare(
        interface: &mut I,
        spare: &Spare<I::Buffer>,
        name: &'static str,
        len: usize,
    ) -> Result<Self, Failure> {
        let bytes = Self::size(len);
        let raw = match spare.take(bytes) {
            Some(mut raw) => {
                interface.reuse(&mut raw, name);
                raw
            }
            None => match interface.make(name, bytes).await {
                Err(Failure::OutOfMemory) if spare.free() => {
                    // Memory is free only when the work that uses it is done.
                    interface.finish().await?;
                    interface.make(name, bytes).await?
                }
                made => made?,
            },
        };
        Ok(Self::of(raw, len, Some(spare.clone())))
    }

    /// Returns a request to read elements into `data`, beginning at index `first`.
    ///
    /// # Errors
    /// If the buffer has fewer elements.
    pub(crate) fn reading<'a>(&'a self, first: usize, data: &'a mut [T]) -> Result<Reading<'a, I::Buffer>, Failure> {
        let (len, size) = (data.len(), self.len);
        if first.saturating_add(len) > size {
            return Err(Failure::Other(format!("{first} and {len} elements were asked of a buffer of {size}.")));
        }
        Ok(Reading {
            buffer: &self.raw,
            offset: (first * size_of::<T>()) as u64,
            bytes: bytemuck::cast_slice_mut(data),
        })
    }

    fn size(len: usize) -> u64 {
        (len.max(1) * size_of::<T>()) as u64
    }

    fn of(raw: I::Buffer, len: usize, spare: Option<Spare<I::Buffer>>) -> Self {
        Self { raw: ManuallyDrop::new(raw), len: len.max(1), spare, element: PhantomData }
    }
}

impl<I: Interface, T> Buffer<I, T> {
    pub(crate) fn raw(&self) -> &I::Buffer {
        &self.raw
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }
}

impl<I: Interface, T> Drop for Buffer<I, T> {
    fn drop(&mut self) {
        // SAFETY: nothing uses `raw` after this.
        let raw = unsafe { ManuallyDrop::take(&mut self.raw) };
        if let Some(spare) = &self.spare {
            spare.keep(self.bytes(), raw);
        }
    }
}
