// The browser's WebGPU, in the operations that the host needs. Every failure is an Error, whose name is "OutOfMemory" or "Lost"
// for these two failures.

const SLOTS = 64;
const STAGING = 4 << 20;

function failure(name, message) {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** Returns an Error for an error of WebGPU. */
function translated(error) {
  return failure(error instanceof GPUOutOfMemoryError ? "OutOfMemory" : "Other", `WebGPU says: ${error.message}`);
}

/** An adapter: a device that is not open yet. */
export class Adapter {
  /** Finds the fastest adapter. */
  static async find() {
    const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) throw failure("Other", "this browser offers no WebGPU device; choose the CPU.");
    return new Adapter(adapter);
  }

  constructor(adapter) {
    this.adapter = adapter;
  }

  /** Describes the adapter as JSON. */
  describe() {
    const { info, limits, features } = this.adapter;
    return JSON.stringify({
      name: info.description || [info.vendor, info.architecture, info.device].filter(Boolean).join(" ") || "unnamed device",
      vendor: info.vendor,
      subgroups: features.has("subgroups"),
      max_binding: Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize),
      local_memory: limits.maxComputeWorkgroupStorageSize,
      max_group: Math.min(limits.maxComputeWorkgroupSizeX, limits.maxComputeInvocationsPerWorkgroup),
      max_buffers: limits.maxStorageBuffersPerShaderStage,
    });
  }

  /** Opens the device. `slot` is the number of bytes of the scalars of a launch. */
  async open(subgroups, slot) {
    const { limits } = this.adapter;
    const wanted = [
      "maxStorageBuffersPerShaderStage",
      "maxStorageBufferBindingSize",
      "maxBufferSize",
      "maxComputeWorkgroupStorageSize",
      "maxComputeWorkgroupSizeX",
      "maxComputeInvocationsPerWorkgroup",
      "maxComputeWorkgroupsPerDimension",
    ];
    const device = await this.adapter.requestDevice({
      requiredFeatures: subgroups ? ["subgroups"] : [],
      requiredLimits: Object.fromEntries(wanted.filter((name) => name in limits).map((name) => [name, limits[name]])),
    });
    return new Device(device, slot);
  }
}

/** An open device. Launches are recorded, and submitted when the host reads or writes, or when there are many. */
class Device {
  #device;
  #kernels = new Map();
  #encoder = null;
  #scalars;
  #slots;
  #slotSize;
  #used = 0;
  #staging;
  /** The results of error scopes; each is null or an error. */
  #checks = [];
  #lost = null;

  constructor(device, slot) {
    this.#device = device;
    // Tests use this to lose the device.
    globalThis.koggeDevice = device;
    device.lost.then(({ message, reason }) => (this.#lost = failure("Lost", message || reason)));
    device.onuncapturederror = ({ error }) => this.#checks.push(Promise.resolve(error));
    const alignment = device.limits.minUniformBufferOffsetAlignment;
    this.#slotSize = Math.ceil(slot / alignment) * alignment;
    this.#slots = new Uint32Array((SLOTS * this.#slotSize) / 4);
    this.slot = slot;
    const { UNIFORM, COPY_DST, MAP_READ } = GPUBufferUsage;
    this.#scalars = device.createBuffer({ label: "scalars", size: SLOTS * this.#slotSize, usage: UNIFORM | COPY_DST });
    this.#staging = device.createBuffer({ label: "staging", size: STAGING, usage: COPY_DST | MAP_READ });
  }

  /** Does something, and notes its errors: no answer is used before they are known. */
  #checked(work) {
    if (this.#lost) throw this.#lost;
    const scopes = ["internal", "out-of-memory", "validation"];
    for (const scope of scopes) this.#device.pushErrorScope(scope);
    try {
      return work();
    } finally {
      for (const _ of scopes) this.#checks.push(this.#device.popErrorScope());
    }
  }

  /** Throws the first error of all that was done so far. */
  async #check() {
    const checks = this.#checks;
    this.#checks = [];
    let errors;
    try {
      errors = await Promise.all(checks);
    } catch (error) {
      // Scopes of a lost device have no result.
      throw this.#lost ?? failure("Lost", error.message);
    }
    if (this.#lost) throw this.#lost;
    const error = errors.find(Boolean);
    if (error) throw translated(error);
  }

  async make(label, size) {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const buffer = this.#checked(() => this.#device.createBuffer({ label, size, usage: STORAGE | COPY_SRC | COPY_DST }));
    await this.#check();
    return buffer;
  }

  write(buffer, bytes) {
    this.#submit();
    this.#checked(() => this.#device.queue.writeBuffer(buffer, 0, bytes));
  }

  clear(buffer, bytes) {
    this.#record().clearBuffer(buffer, 0, bytes);
  }

  /** Returns bytes of a buffer, after all work. */
  async read(buffer, offset, length) {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += STAGING) {
      const size = Math.min(STAGING, length - at);
      this.#record().copyBufferToBuffer(buffer, offset + at, this.#staging, 0, size);
      this.#submit();
      try {
        await this.#staging.mapAsync(GPUMapMode.READ, 0, size);
      } catch (error) {
        await this.#check();
        throw failure("Lost", error.message);
      }
      bytes.set(new Uint8Array(this.#staging.getMappedRange(0, size)), at);
      this.#staging.unmap();
      await this.#check();
    }
    return bytes;
  }

  async finish() {
    this.#submit();
    await this.#device.queue.onSubmittedWorkDone();
    await this.#check();
  }

  /** Compiles kernels: `[{name, buffers: [{binding, written}]}]` as JSON, with the binding of the scalars. */
  async compile(code, kernels, scalars) {
    if (this.#lost) throw this.#lost;
    const device = this.#device;
    const module = this.#checked(() => device.createShaderModule({ code }));
    const { messages } = await module.getCompilationInfo();
    const errors = messages.filter(({ type }) => type === "error");
    if (errors.length) {
      this.#checks = [];
      throw failure("Other", `WebGPU says: ${errors[0].message} (line ${errors[0].lineNum}).`);
    }
    const compile = async ({ name, buffers }) => {
      const visibility = GPUShaderStage.COMPUTE;
      const entries = buffers.map(({ binding, written }) => {
        return { binding, visibility, buffer: { type: written ? "storage" : "read-only-storage" } };
      });
      entries.push({ binding: scalars, visibility, buffer: { type: "uniform", hasDynamicOffset: true, minBindingSize: this.slot } });
      const layout = this.#checked(() => device.createBindGroupLayout({ label: name, entries }));
      const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
      const pipeline = await device.createComputePipelineAsync({
        label: name,
        layout: pipelineLayout,
        compute: { module, entryPoint: name },
      });
      this.#kernels.set(name, { pipeline, layout, bindings: buffers.map(({ binding }) => binding), scalars });
    };
    try {
      await Promise.all(JSON.parse(kernels).map(compile));
    } catch (error) {
      throw this.#lost ?? failure("Other", `WebGPU says: ${error.message}`);
    }
    await this.#check();
  }

  forget(name) {
    this.#kernels.delete(name);
  }

  launch(name, groups, buffers, scalars) {
    const kernel = this.#kernels.get(name);
    if (!kernel) throw failure("Other", `the kernel ${name} has not been compiled.`);
    const entries = buffers.map((buffer, index) => ({ binding: kernel.bindings[index], resource: { buffer } }));
    entries.push({ binding: kernel.scalars, resource: { buffer: this.#scalars, offset: 0, size: this.slot } });
    const offset = this.#used * this.#slotSize;
    this.#slots.set(scalars, offset / 4);
    const encoder = this.#record();
    const pass = encoder.beginComputePass({ label: name });
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, this.#device.createBindGroup({ label: name, layout: kernel.layout, entries }), [offset]);
    // Kernels ignore the few surplus groups of the rectangle.
    const rows = Math.ceil(groups / this.#device.limits.maxComputeWorkgroupsPerDimension);
    pass.dispatchWorkgroups(Math.ceil(groups / rows), rows);
    pass.end();
    if (++this.#used === SLOTS) this.#submit();
  }

  /** Submits the recorded launches. */
  submit() {
    this.#submit();
  }

  /** Returns the encoder of what is not submitted yet. Its errors are noted when it is submitted. */
  #record() {
    if (this.#lost) throw this.#lost;
    return (this.#encoder ??= this.#device.createCommandEncoder());
  }

  #submit() {
    const encoder = this.#encoder;
    if (!encoder) return;
    this.#encoder = null;
    this.#checked(() => {
      const { queue } = this.#device;
      // This write happens after all submitted launches, which may still need the slots.
      if (this.#used) queue.writeBuffer(this.#scalars, 0, this.#slots, 0, (this.#used * this.#slotSize) / 4);
      queue.submit([encoder.finish()]);
    });
    this.#used = 0;
  }
}
