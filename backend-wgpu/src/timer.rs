//! Measures launches on the device, by the device's clock.

use std::time::Duration;

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePassTimestampWrites, QuerySet, QuerySetDescriptor,
    QueryType,
};

use crate::runtime::Runtime;

/// Notes when a launch begins and ends.
pub(crate) struct Timer {
    queries: QuerySet,
    /// The two times in ticks, after [`Timer::resolve`].
    ticks: Buffer,
    /// Nanoseconds of a tick.
    period: f32,
    /// Whether a launch was recorded since the last [`Timer::take`].
    has_launched: bool,
}

impl Timer {
    /// Makes a timer. The device must have the feature `TIMESTAMP_QUERY`.
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let descriptor = QuerySetDescriptor { label: Some("times"), ty: QueryType::Timestamp, count: 2 };
        let ticks = BufferDescriptor {
            label: Some("ticks"),
            size: 2 * size_of::<u64>() as u64,
            usage: BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        };
        Self {
            queries: runtime.device.create_query_set(&descriptor),
            ticks: runtime.device.create_buffer(&ticks),
            period: runtime.queue.get_timestamp_period(),
            has_launched: false,
        }
    }

    pub(crate) fn writes(&mut self) -> ComputePassTimestampWrites<'_> {
        self.has_launched = true;
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Returns the buffer of the times once after each launch.
    pub(crate) fn take(&mut self) -> Option<&Buffer> {
        std::mem::take(&mut self.has_launched).then_some(&self.ticks)
    }

    /// Records that the times of the last launch are written into the buffer.
    pub(crate) fn resolve(&self, encoder: &mut CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.ticks, 0);
    }

    pub(crate) fn between(&self, [start, end]: [u64; 2]) -> Duration {
        Duration::from_nanos((end.saturating_sub(start) as f64 * f64::from(self.period)) as u64)
    }
}
