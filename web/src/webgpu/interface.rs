//! WebGPU as an interface of the GPU host. `browser.js` calls the browser.

use std::time::Duration;

use js_sys::{Array, Error, Uint8Array};
use kogge_backend_wgpu::{SCALARS, SCALARS_BINDING, binding_of, source};
use kogge_gpu::interface::{Compilation, Launch};
use kogge_gpu::kernels::{Kernel, Module, Scalar, Signature};
use kogge_gpu::{Failure, GpuSettings, Interface, Parameter};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_time::Instant;

#[wasm_bindgen(module = "/src/webgpu/browser.js")]
extern "C" {
    /// An adapter.
    pub(super) type Adapter;

    #[wasm_bindgen(static_method_of = Adapter, catch)]
    pub(super) async fn find() -> Result<Adapter, JsValue>;

    #[wasm_bindgen(method)]
    pub(super) fn describe(this: &Adapter) -> String;

    #[wasm_bindgen(method, catch)]
    async fn open(this: &Adapter, subgroups: bool, slot: u32) -> Result<Device, JsValue>;

    /// An open device.
    type Device;

    #[wasm_bindgen(method, catch)]
    async fn make(this: &Device, label: &str, bytes: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn write(this: &Device, buffer: &JsValue, bytes: &[u8]) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn clear(this: &Device, buffer: &JsValue, bytes: f64) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn read(this: &Device, buffer: &JsValue, offset: f64, length: u32) -> Result<Uint8Array, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn finish(this: &Device) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn compile(this: &Device, code: &str, kernels: &str, scalars: u32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method)]
    fn forget(this: &Device, name: &str);

    #[wasm_bindgen(method, catch)]
    fn launch(this: &Device, name: &str, groups: u32, buffers: Array, scalars: &[u32]) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn submit(this: &Device) -> Result<(), JsValue>;
}

/// Returns the failure that an Error of `browser.js` represents.
pub(super) fn failure(error: JsValue) -> Failure {
    let error = Error::from(error);
    let message = String::from(error.message());
    match String::from(error.name()).as_str() {
        "OutOfMemory" => Failure::OutOfMemory,
        "Lost" => Failure::Lost(message),
        _ => Failure::Other(message),
    }
}

/// A kernel for `browser.js`.
#[derive(Serialize)]
struct KernelText {
    name: &'static str,
    buffers: Vec<BufferText>,
}

/// A buffer of a kernel for `browser.js`.
#[derive(Serialize)]
struct BufferText {
    binding: u32,
    written: bool,
}

impl KernelText {
    fn of(&Signature { name, buffers, .. }: &Signature) -> Self {
        let text = |&buffer| BufferText { binding: binding_of(buffer), written: buffer.is_written() };
        Self { name, buffers: buffers.iter().map(text).collect() }
    }
}

/// An open device of the browser.
pub struct WebGpu {
    device: Device,
    settings: GpuSettings,
}

impl WebGpu {
    /// Opens a device.
    pub(super) async fn open(adapter: &Adapter, settings: &GpuSettings) -> Result<Self, Failure> {
        let device = adapter.open(settings.uses(Parameter::Subgroups), SCALARS as u32).await.map_err(failure)?;
        Ok(Self { device, settings: settings.clone() })
    }
}

impl Interface for WebGpu {
    type Buffer = JsValue;

    async fn make(&mut self, name: &'static str, bytes: u64) -> Result<JsValue, Failure> {
        self.device.make(name, bytes as f64).await.map_err(failure)
    }

    fn write(&mut self, buffer: &JsValue, bytes: &[u8]) -> Result<(), Failure> {
        self.device.write(buffer, bytes).map_err(failure)
    }

    async fn read(&mut self, buffer: &JsValue, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        let read = self.device.read(buffer, offset as f64, bytes.len() as u32).await.map_err(failure)?;
        if read.length() as usize != bytes.len() {
            return Err(Failure::Other("too few bytes were read.".into()));
        }
        read.copy_to(bytes);
        Ok(())
    }

    fn clear(&mut self, buffer: &JsValue, bytes: u64) -> Result<(), Failure> {
        self.device.clear(buffer, bytes as f64).map_err(failure)
    }

    async fn compile(&mut self, modules: &[Module]) -> Result<Compilation, Failure> {
        let mut compiled = Compilation::default();
        for &module in modules {
            let start = Instant::now();
            let enable = if self.settings.uses(Parameter::Subgroups) { "enable subgroups;\n" } else { "" };
            let code = enable.to_owned() + &source(&self.settings, module);
            let kernels: Vec<_> = Kernel::of(&[module]).map(|kernel| KernelText::of(kernel.signature())).collect();
            let kernels = serde_json::to_string(&kernels).map_err(|error| Failure::Other(format!("{error}.")))?;
            compiled.source += start.elapsed();
            let start = Instant::now();
            self.device.compile(&code, &kernels, SCALARS_BINDING).await.map_err(failure)?;
            compiled.kernels += start.elapsed();
        }
        Ok(compiled)
    }

    fn forget(&mut self, module: Module) {
        Kernel::of(&[module]).for_each(|kernel| self.device.forget(kernel.signature().name));
    }

    /// Launches a kernel. The caller's promise is not needed, because browsers check every access of a kernel.
    unsafe fn launch(&mut self, launch: &Launch<'_, JsValue>) -> Result<(), Failure> {
        let Signature { name, scalars, .. } = launch.kernel.signature();
        let mut slot = [0_u32; Scalar::ALL.len()];
        for (&name, &number) in scalars.iter().zip(launch.scalars) {
            slot[name as usize] = number;
        }
        let buffers: Array = launch.buffers.iter().copied().collect();
        self.device.launch(name, launch.groups as u32, buffers, &slot).map_err(failure)?;
        // These kernels take longest, so they are submitted at once, and the device does not wait for further work.
        if launch.kernel == Kernel::CountReplies { self.device.submit().map_err(failure) } else { Ok(()) }
    }

    async fn finish(&mut self) -> Result<Option<Duration>, Failure> {
        self.device.finish().await.map_err(failure)?;
        Ok(None)
    }
}
