// The worker that counts through WebGPU, as the page sees it.

/** Whether the browser's adapter is an emulator: right, but slower than the CPU. Also true if there is no adapter. */
export async function isSoftware() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) return true;
  const { isFallbackAdapter, description, device, architecture } = adapter.info;
  return isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|basic render/i.test(`${description} ${device} ${architecture}`);
}

/** A GPU in a worker of its own. */
export class Gpu {
  #worker;
  #call = null;
  #number = 0;
  /** Whether the device failed. It is not used again. */
  lost = false;
  /** The device's name, once it is open. */
  name = "WebGPU";

  /** Opens the device and tests it. Throws an error if there is none, or if it fails or counts wrong. */
  async open() {
    if (!navigator.gpu) throw new Error("This browser does not offer WebGPU here; choose the CPU.");
    this.#worker = new Worker(new URL("./gpu-worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#heard(data);
    this.#worker.onerror = (event) => this.#fail(`The worker for WebGPU failed: ${event.message ?? "it could not be loaded"}.`);
    this.name = await this.#ask({ open: true, software: await isSoftware() }, () => {});
  }

  /**
   * Returns the leaves `depth` plies below each position, as BigInts; with `kinds`, an array by the kinds of moves for each position.
   * `progress` gets the share that is done. Throws an `AbortError` if the signal stops the count.
   */
  async count(positions, depth, progress, signal, kinds = false) {
    // The worker does one thing at a time. A count that was stopped ends soon.
    while (this.#call) await this.#call.settled;
    signal?.throwIfAborted();
    if (this.lost) throw new Error("WebGPU has failed; count again to open it anew.");
    signal?.addEventListener("abort", () => this.#worker.postMessage({ stop: true }), { once: true });
    const numbers = await this.#ask({ positions, depth, kinds }, progress);
    const each = numbers.length / positions.length;
    return kinds ? positions.map((_, index) => numbers.slice(index * each, (index + 1) * each)) : numbers;
  }

  #ask(question, progress) {
    const call = Promise.withResolvers();
    this.#call = { ...call, progress, settled: call.promise.catch(() => {}) };
    this.#worker.postMessage({ ...question, call: ++this.#number });
    return call.promise;
  }

  #heard({ call, share, answer, problem, stopped }) {
    if (call !== this.#number || !this.#call) return;
    if (share !== undefined) return this.#call.progress(share);
    const { resolve, reject } = this.#call;
    this.#call = null;
    if (stopped) reject(new DOMException("The count was stopped.", "AbortError"));
    else if (problem !== undefined) {
      this.#fail(problem);
      reject(new Error(problem));
    } else resolve(answer);
  }

  #fail(problem) {
    this.lost = true;
    this.#worker.terminate();
    this.#call?.reject(new Error(problem));
    this.#call = null;
  }
}
