// A worker that counts on one core. It receives tasks, reports after each step, and handles messages between steps.

import { cpuModule } from "./modules.js";

let counter;
/** The number of the task that is being counted; it changes when the page wants something else. */
let current = 0;

/** Lets the worker receive messages. A channel is faster than a timer, which browsers delay. */
const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const breathe = () => new Promise((resume) => {
  waiting.push(resume);
  channel.port2.postMessage(0);
});

const ready = (async () => {
  const wasm = await import(cpuModule().url);
  await wasm.default();
  counter = new wasm.Counter();
  postMessage({ ready: counter.variant });
})();
ready.catch((error) => postMessage({ failed: error.message }));

onmessage = async ({ data: { task, positions, depth, kinds } }) => {
  current = task;
  if (!positions) return;
  try {
    await ready;
    counter.begin(positions, depth);
    while (current === task) {
      const leaves = kinds ? counter.step_by_kind() : counter.step();
      postMessage({ task, leaves });
      if (leaves === undefined) return;
      await breathe();
    }
  } catch (error) {
    postMessage({ task, problem: error.message });
  }
};
