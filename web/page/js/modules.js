// The modules of WebAssembly, and the one that this browser can run.

// The smallest module with a vector instruction: a function that splats a number.
const WITH_SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** Returns the module for counting on the CPU: with vector instructions if the browser has them. */
export function cpuModule() {
  const name = WebAssembly.validate(WITH_SIMD) ? "simd" : "plain";
  return { name, url: new URL(`../wasm/${name}.js`, import.meta.url).href };
}

/** Returns the module for counting through WebGPU. */
export function gpuModule() {
  return { name: "gpu", url: new URL("../wasm/gpu.js", import.meta.url).href };
}
