//! Buffers in device memory, and the bind groups of launches.
//!
//! A launch binds its buffers as a group, which takes several microseconds to make. Most launches bind the same buffers as
//! earlier ones, so their groups are kept as long as the buffers. A group keeps the memory of its buffers allocated, so a
//! dropped buffer also drops its groups.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kogge_gpu::kernels::Kernel;
use wgpu::BindGroup;

/// The maximum number of buffers of a launch.
pub(crate) const BUFFERS: usize = 10;

/// A buffer in device memory.
pub struct WgpuBuffer {
    pub(crate) raw: wgpu::Buffer,
    /// The number of the buffer, from 1; no other buffer ever has this number.
    number: u64,
    /// Whether nothing has been written to the buffer yet, so that all its bytes are zero.
    pub(crate) is_zero: Cell<bool>,
    groups: Groups,
}

impl Drop for WgpuBuffer {
    fn drop(&mut self) {
        self.groups.with(|table| table.by_launch.retain(|launch, _| !launch.buffers.contains(&self.number)));
    }
}

/// A kernel with its buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct LaunchKey {
    /// The kernel of the table, or `None` for the kernel that clears buffers.
    kernel: Option<Kernel>,
    /// The numbers of the buffers, then zeros.
    buffers: [u64; BUFFERS],
}

#[derive(Default)]
struct GroupTable {
    by_launch: HashMap<LaunchKey, BindGroup>,
    /// The number of buffers made so far.
    buffers: u64,
}

/// The bind groups of all launches whose buffers still exist.
#[derive(Clone, Default)]
pub(crate) struct Groups(Arc<Mutex<GroupTable>>);

impl Groups {
    fn with<T>(&self, work: impl FnOnce(&mut GroupTable) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Registers a new buffer, which is cleared before any use.
    pub(crate) fn buffer(&self, raw: wgpu::Buffer) -> WgpuBuffer {
        let number = self.with(|table| {
            table.buffers += 1;
            table.buffers
        });
        WgpuBuffer { raw, number, is_zero: Cell::new(true), groups: self.clone() }
    }

    /// Returns the group of a launch with these buffers, and calls `make` if there is no such group yet.
    pub(crate) fn of<E>(
        &self,
        kernel: Option<Kernel>,
        buffers: &[&WgpuBuffer],
        make: impl FnOnce() -> Result<BindGroup, E>,
    ) -> Result<BindGroup, E> {
        let mut bound = LaunchKey { kernel, buffers: [0; BUFFERS] };
        bound.buffers.iter_mut().zip(buffers).for_each(|(number, buffer)| *number = buffer.number);
        self.with(|table| {
            if let Some(group) = table.by_launch.get(&bound) {
                return Ok(group.clone());
            }
            let group = make()?;
            table.by_launch.insert(bound, group.clone());
            Ok(group)
        })
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.with(|table| table.by_launch.len())
    }

    pub(crate) fn forget(&self, kernel: Kernel) {
        self.with(|table| table.by_launch.retain(|launch, _| launch.kernel != Some(kernel)));
    }
}
