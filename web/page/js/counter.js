// Counts a divide on the device that the visitor chose, and reports it as it grows.

import { describe, tasks } from "./engine.js";
import { Gpu, isSoftware } from "./gpu.js";
import { Pool } from "./pool.js";

/** Tasks for each worker, so that the last workers end at about the same time. */
const TASKS_PER_WORKER = 48;

/** Seconds of work on the CPU from which it pays to try WebGPU. */
const WORTH_A_GPU = 1.5;

/** Seconds that the rows given to a GPU together should take, so that rows fill in steadily. */
const GPU_STEP = 0.3;

/** Leaves per second of a worker before any were measured. */
const FIRST_RATE = 5e7;

/** The position that measures devices, with its known counts. */
const MEASURE = {
  fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
  counts: { 4: 4_085_603n, 5: 193_690_690n },
};

/** Returns what a promise gives, or throws an `AbortError` as soon as the visitor stops. */
function unlessStopped(promise, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason));
    promise.then(resolve, reject);
  });
}

/** The kinds of moves that are counted, in the order of their numbers. */
export const KINDS = ["leaves", "captures", "en passant", "castles", "promotions", "checks", "discovered checks", "double checks", "mates"];

/** A divide as it grows: `rows` with `leaves` and `done`, and the whole. */
class Divide {
  constructor(rows) {
    this.rows = Array.from({ length: rows }, () => ({ leaves: 0n, open: 0, done: false }));
    /** The leaves by the kinds of moves, if these are counted. */
    this.kinds = null;
    this.share = 0;
    this.seconds = 0;
    this.device = "";
    this.finished = false;
    this.start = performance.now();
  }

  get total() {
    return this.rows.reduce((sum, row) => sum + row.leaves, 0n);
  }

  finish() {
    this.seconds = (performance.now() - this.start) / 1000;
    this.finished = true;
    this.share = 1;
  }
}

/** Counts divides, one at a time. */
export class Counter {
  #pool;
  #gpu = null;
  /** Leaves per second of the CPU, and of both devices where they were measured on the same tree. */
  #cpuRate;
  #measured = null;
  #stopped = null;

  constructor() {
    const cores = Math.max(1, navigator.hardwareConcurrency || 1);
    this.#pool = new Pool(cores);
    this.#cpuRate = FIRST_RATE * cores;
  }

  /** Stops the count that is running. */
  stop() {
    this.#stopped?.abort();
    this.#pool.stop();
  }

  /**
   * Counts the leaves below each move of a position, `describe`d before, perhaps by the kinds of moves. `device` is `auto`, `cpu` or `gpu`; `update(divide)` is called
   * as counts arrive, `say(text)` before the first. Returns the finished divide. Throws an error if a device fails, and an `AbortError`
   * if the count is stopped.
   */
  async count(position, depth, device, kinds, update, say) {
    this.stop();
    const stopped = new AbortController();
    this.#stopped = stopped;
    const divide = new Divide(position.moves.length);
    const work = tasks(position, depth, TASKS_PER_WORKER * this.#pool.size);
    const chosen = device === "auto" ? await unlessStopped(this.#choose(work, say, stopped.signal), stopped.signal) : device;
    if (chosen === "gpu") await this.#onGpu(divide, position, depth, kinds, update, say, stopped.signal);
    else await this.#onCpu(divide, work, kinds && { root: position.fen, depth }, update, stopped.signal);
    if (device === "auto" && this.#measured) divide.device += ` (${this.#measured.why})`;
    return divide;
  }

  async #onCpu(divide, work, kinds, update, signal) {
    const size = this.#pool.size;
    divide.device = `CPU (${size} ${size === 1 ? "worker" : "workers"}, ${await this.#pool.variant()})`;
    // The move to a leaf is below the row's move, except at depth 1, where the root's own moves are counted by kind, in
    // no row.
    const above = kinds && kinds.depth === 1;
    if (above) work = [...work, { row: -1, depth: 1, positions: [kinds.root] }];
    if (kinds) divide.kinds = KINDS.map(() => 0n);
    const spare = { leaves: 0n, open: 0 };
    const rowOf = ({ row }) => divide.rows[row] ?? spare;
    for (const task of work) rowOf(task).open++;
    await this.#pool.ready();
    signal.throwIfAborted();
    divide.start = performance.now();
    let done = 0;
    const onLeaves = (task, counted) => {
      rowOf(task).leaves += kinds ? counted[0] : counted;
      if (kinds && (!above || rowOf(task) === spare)) divide.kinds = divide.kinds.map((sum, kind) => sum + counted[kind]);
      update(divide);
    };
    const onDone = (task) => {
      const row = rowOf(task);
      row.open--;
      row.done = row.open === 0;
      divide.share = ++done / work.length;
      update(divide);
    };
    await this.#pool.count(work, onLeaves, onDone, Boolean(kinds));
    divide.finish();
    if (divide.seconds > 0.2) this.#cpuRate = Number(divide.total) / divide.seconds;
  }

  async #onGpu(divide, position, depth, kinds, update, say, signal) {
    const gpu = await unlessStopped(this.#openGpu(say), signal);
    say("Counting…");
    divide.device = gpu.name;
    divide.start = performance.now();
    const fens = position.moves.map((move) => move.after);
    const sumKinds = (counted) => (divide.kinds = divide.kinds.map((sum, kind) => sum + counted[kind]));
    if (kinds) divide.kinds = KINDS.map(() => 0n);
    // The move to a leaf is below the row's move, except at depth 1, where the root's own moves are counted by kind, in
    // no row.
    if (kinds && depth === 1) (await unlessStopped(gpu.count([position.fen], 1, () => {}, signal, true), signal)).forEach(sumKinds);
    let together = 1;
    for (let first = 0; first < fens.length; ) {
      const last = Math.min(fens.length, first + together);
      const start = performance.now();
      const progress = (share) => {
        divide.share = (first + share * (last - first)) / fens.length;
        update(divide);
      };
      const byKind = kinds && depth > 1;
      const counts = await unlessStopped(gpu.count(fens.slice(first, last), depth - 1, progress, signal, byKind), signal);
      if (byKind) counts.forEach(sumKinds);
      counts.forEach((counted, index) =>
        Object.assign(divide.rows[first + index], { leaves: byKind ? counted[0] : counted, done: true }),
      );
      const seconds = (performance.now() - start) / 1000;
      together = Math.max(1, Math.min(Math.round((GPU_STEP / seconds) * (last - first)), 2 * (last - first)));
      first = last;
      divide.share = first / fens.length;
      update(divide);
    }
    divide.finish();
  }

  /** Opens WebGPU, once. A device that has failed is opened again. */
  async #openGpu(say) {
    if (this.#gpu && (await this.#gpu.catch(() => ({ lost: true }))).lost) this.#gpu = null;
    if (!this.#gpu) {
      const gpu = new Gpu();
      this.#gpu = gpu.open().then(() => gpu);
      say("Opening WebGPU, and testing it…");
    }
    return this.#gpu;
  }

  /** Chooses the faster device: `cpu` or `gpu`. WebGPU is tried, once, for work that takes the CPU a while. */
  async #choose(work, say, signal) {
    const leaves = work.reduce((sum, { size }) => sum + size, 0);
    if (leaves / this.#cpuRate < WORTH_A_GPU || !navigator.gpu) return "cpu";
    this.#measured ??= await this.#measure(say, signal);
    say("Counting…");
    return this.#measured.device;
  }

  /** Counts the same tree on both devices, and returns the faster one with the reason. Software devices are not tried. */
  async #measure(say, signal) {
    if (await isSoftware()) return { device: "cpu", why: "WebGPU is a software device here" };
    let gpu;
    try {
      gpu = await this.#openGpu(say);
    } catch (error) {
      return { device: "cpu", why: error.message };
    }
    say("Measuring WebGPU and the CPU…");
    const timed = async (counted, depth) => {
      const start = performance.now();
      const total = await counted(depth);
      if (total !== MEASURE.counts[depth]) throw new Error(`A device counted ${total} instead of ${MEASURE.counts[depth]}.`);
      return (performance.now() - start) / 1000;
    };
    const onGpu = async (depth) => (await gpu.count([MEASURE.fen], depth, () => {}, signal))[0];
    const onCpu = async (depth) => {
      let total = 0n;
      const work = tasks(describe(MEASURE.fen), depth, TASKS_PER_WORKER * this.#pool.size);
      await this.#pool.count(work, (_, leaves) => (total += leaves), () => {});
      return total;
    };
    // The first count includes making the buffers. If even the small tree takes long, the large one is not needed.
    const small = await timed(onGpu, 4);
    const onGpuSeconds = small > 0.5 ? small * 40 : await timed(onGpu, 5);
    const onCpuSeconds = await timed(onCpu, 5);
    const factor = (slow, fast) => `${(slow / fast).toPrecision(2)} times as fast`;
    return onGpuSeconds < onCpuSeconds
      ? { device: "gpu", why: `${factor(onCpuSeconds, onGpuSeconds)} as the CPU` }
      : { device: "cpu", why: `${factor(onGpuSeconds, onCpuSeconds)} as WebGPU` };
  }
}
