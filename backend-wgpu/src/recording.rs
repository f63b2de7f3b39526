//! Work that is recorded but not yet submitted.
//!
//! Consecutive launches share a compute pass: for each pass wgpu makes two command buffers, which the driver begins, ends and submits.
//! wgpu puts barriers between launches that need them.

use wgpu::{CommandBuffer, CommandEncoder, ComputePass, ComputePassDescriptor, Device};

use crate::timer::Timer;

/// Recorded work.
#[derive(Default)]
pub(crate) struct Recording {
    encoder: Option<CommandEncoder>,
    /// The pass of the most recent launches, unless other work follows them.
    pass: Option<ComputePass<'static>>,
}

impl Recording {
    pub(crate) fn encoder(&mut self, device: &Device) -> &mut CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()))
    }

    /// Returns the pass for a launch. A measured launch gets a separate pass.
    pub(crate) fn pass(&mut self, device: &Device, timer: Option<&mut Timer>) -> &mut ComputePass<'static> {
        let pass = self.pass.take().filter(|_| timer.is_none());
        let begin = || {
            let timestamp_writes = timer.map(Timer::writes);
            let descriptor = ComputePassDescriptor { label: Some("launches"), timestamp_writes };
            self.encoder(device).begin_compute_pass(&descriptor).forget_lifetime()
        };
        let pass = pass.unwrap_or_else(begin);
        self.pass.insert(pass)
    }

    /// Returns the pass of the most recent launches, or `None` if other work has followed them or the next launch is measured.
    pub(crate) fn open_pass(&mut self, is_measured: bool) -> Option<&mut ComputePass<'static>> {
        self.pass.as_mut().filter(|_| !is_measured)
    }

    /// Ends the recording. Returns `None` if nothing was recorded.
    pub(crate) fn finish(&mut self) -> Option<CommandBuffer> {
        self.pass = None;
        self.encoder.take().map(CommandEncoder::finish)
    }
}
