//! The functions that the worker for WebGPU calls.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use js_sys::Function;
use kogge_backend_wgpu::GpuOptions;
use kogge_board::{BackendError, Categories};
use kogge_gpu::Gpu;
use wasm_bindgen::prelude::*;

use super::device::BrowserGpu;
use crate::tree::Batch;

/// Whether the running count must stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// Stops the running count within a fraction of a second.
#[wasm_bindgen]
pub fn stop() {
    STOP.store(true, Ordering::Relaxed);
}

/// An open device.
#[wasm_bindgen]
pub struct GpuCounter {
    gpu: Gpu<BrowserGpu>,
}

#[wasm_bindgen]
impl GpuCounter {
    /// Opens the browser's fastest device, perhaps an emulator, and runs the self-test.
    pub async fn open(is_software: bool) -> Result<Self, JsError> {
        let opened = async { Gpu::open_async(&BrowserGpu::find(is_software).await?, &GpuOptions::default()).await };
        let gpu = opened.await.map_err(|error: BackendError| JsError::new(&error.to_string()))?;
        Ok(Self { gpu })
    }

    /// The device's name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.gpu.device_info().name.clone()
    }

    /// The variant of the kernels.
    #[wasm_bindgen(getter)]
    pub fn variant(&self) -> String {
        self.gpu.device_info().variant.clone()
    }

    /// Counts the leaves `depth` plies below each position; `undefined` if it was stopped. Several times a second, `progress`
    /// receives the leaves counted so far and the share that is done.
    pub async fn count(
        &mut self,
        positions: Vec<String>,
        depth: u32,
        progress: Function,
    ) -> Result<Option<Vec<u64>>, JsError> {
        let Batch { rules, positions } = Batch::of(&positions).map_err(|error| JsError::new(&error))?;
        unless_stopped(self.gpu.perft_async(&rules, &positions, depth, &mut watch(&progress)).await)
    }

    /// As `count`, by the kinds of moves that lead to the leaves: for each position all, captures, en passant, castles, promotions,
    /// checks, discovered and double ones, mates. Before the first answer, the self-test of the kinds is run.
    pub async fn count_by_kind(
        &mut self,
        positions: Vec<String>,
        depth: u32,
        progress: Function,
    ) -> Result<Option<Vec<u64>>, JsError> {
        let Batch { rules, positions } = Batch::of(&positions).map_err(|error| JsError::new(&error))?;
        let counted = self.gpu.categories_async(&rules, &positions, depth, &mut watch(&progress)).await;
        unless_stopped(counted.map(|each| each.iter().flat_map(Categories::to_array).collect()))
    }
}

/// Returns a watch that reports the share that is done, and stops when the page asks for it.
fn watch(progress: &Function) -> impl FnMut(u128, f64) -> ControlFlow<()> {
    STOP.store(false, Ordering::Relaxed);
    move |_, share| {
        // Even if the page cannot show progress, it receives the answer.
        let _ = progress.call1(&JsValue::NULL, &share.into());
        if STOP.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Returns nothing if the page has stopped the count, and an error if a number has more than 64 bits, because arrays cannot
/// hold it.
fn unless_stopped(counted: Result<Vec<u128>, BackendError>) -> Result<Option<Vec<u64>>, JsError> {
    let narrowed = counted.and_then(|numbers| {
        let narrow = numbers.into_iter().map(u64::try_from);
        narrow.collect::<Result<Vec<_>, _>>().map_err(|_| BackendError::Overflow)
    });
    match narrowed {
        Ok(numbers) => Ok(Some(numbers)),
        Err(BackendError::Stopped) => Ok(None),
        Err(error) => Err(JsError::new(&error.to_string())),
    }
}
