// The worker that counts through WebGPU.

import { gpuModule } from "./modules.js";

let wasm;
let counter;

async function open(software) {
  wasm = await import(gpuModule().url);
  await wasm.default();
  counter = await wasm.GpuCounter.open(software);
  return `WebGPU: ${counter.name} (${counter.variant})`;
}

onmessage = async ({ data }) => {
  const { call } = data;
  if (data.stop !== undefined) return wasm?.stop();
  try {
    if (data.open) return postMessage({ call, answer: await open(data.software) });
    const progress = (share) => postMessage({ call, share });
    const { positions, depth, kinds } = data;
    const counts = await (kinds ? counter.count_by_kind(positions, depth, progress) : counter.count(positions, depth, progress));
    postMessage(counts ? { call, answer: [...counts] } : { call, stopped: true });
  } catch (error) {
    postMessage({ call, problem: error.message });
  }
};
