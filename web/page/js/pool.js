// A pool of workers, one for each core.

/** Counts tasks on all cores. A worker has one task at a time. */
export class Pool {
  #workers = [];
  #number = 0;
  #run = null;

  /** Starts workers. */
  constructor(size) {
    for (let index = 0; index < size; index++) this.#workers.push(this.#start());
  }

  /** The number of workers. */
  get size() {
    return this.#workers.length;
  }

  #start() {
    const slot = { task: null };
    slot.worker = new Worker(new URL("./cpu-worker.js", import.meta.url), { type: "module" });
    slot.ready = new Promise((resolve, reject) => {
      slot.worker.onmessage = ({ data }) => {
        if (data.ready !== undefined) resolve(data.ready);
        else if (data.failed !== undefined) reject(new Error(data.failed));
        else this.#heard(slot, data);
      };
      slot.worker.onerror = (event) => {
        const error = new Error(`A worker failed: ${event.message ?? "it could not be loaded"}.`);
        reject(error);
        if (slot.task) this.#fail(slot, error);
      };
    });
    // The code that waits for the count receives the error.
    slot.ready.catch(() => {});
    return slot;
  }

  /** The name of the code's variant. */
  variant() {
    return this.#workers[0].ready;
  }

  /** Waits until all workers are ready. */
  ready() {
    return Promise.all(this.#workers.map((slot) => slot.ready));
  }

  /**
   * Counts tasks. `onLeaves(task, leaves)` gets the leaves of each step, with `kinds` an array by the kinds of moves; `onDone(task)` gets the end of each task. Resolves when all
   * tasks are counted, and rejects with an error if a worker fails or `stop` is called.
   */
  async count(tasks, onLeaves, onDone, kinds = false) {
    await this.ready();
    this.stop();
    return new Promise((resolve, reject) => {
      this.#run = { rest: tasks.toReversed(), open: tasks.length, onLeaves, onDone, kinds, resolve, reject };
      if (!tasks.length) this.#end(null);
      for (const slot of this.#workers) this.#next(slot);
    });
  }

  /** Stops counting. */
  stop() {
    if (this.#run) this.#end(new DOMException("The count was stopped.", "AbortError"));
  }

  #next(slot) {
    const task = this.#run?.rest.pop() ?? null;
    slot.task = task;
    if (!task) return;
    slot.number = ++this.#number;
    slot.worker.postMessage({ task: slot.number, positions: task.positions, depth: task.depth, kinds: this.#run.kinds });
  }

  #heard(slot, { task, leaves, problem }) {
    // Answers to stopped tasks may arrive late.
    if (!slot.task || task !== slot.number) return;
    if (problem !== undefined) {
      this.#fail(slot, new Error(problem));
    } else if (leaves !== undefined) {
      this.#run.onLeaves(slot.task, leaves);
    } else {
      this.#run.onDone(slot.task);
      this.#run.open--;
      if (this.#run.open === 0) this.#end(null);
      else this.#next(slot);
    }
  }

  /** Ends the count with an error, and replaces the worker that failed. */
  #fail(slot, error) {
    this.#end(error);
    slot.worker.terminate();
    this.#workers[this.#workers.indexOf(slot)] = this.#start();
  }

  #end(error) {
    const run = this.#run;
    this.#run = null;
    for (const slot of this.#workers) {
      if (slot.task) slot.worker.postMessage({ task: ++this.#number });
      slot.task = null;
    }
    if (error) run?.reject(error);
    else run?.resolve();
  }
}
