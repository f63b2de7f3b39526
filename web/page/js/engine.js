// The module of WebAssembly on the page's own thread. It answers within milliseconds; counting is done by workers.

import { cpuModule } from "./modules.js";

let wasm;
let counter;

/** Loads the module. Throws an error if it fails or counts wrong. */
export async function load() {
  const { name, url } = cpuModule();
  wasm = await import(url);
  await wasm.default();
  counter = new wasm.Counter();
  return { name, variant: counter.variant };
}

/** Returns the known positions: `[{name, fen}]`. */
export const standard = () => JSON.parse(wasm.standard());

/** Describes a position, perhaps of a tree of Chess960; throws an error with a sentence if the FEN is wrong. */
export const describe = (fen, chess960 = false) => JSON.parse(wasm.describe(fen, chess960));

/** Explains a move: `{legal, text, squares}`. */
export const explain = (fen, uci) => JSON.parse(wasm.explain(fen, uci));

/** Compares counts, a map from moves to BigInts, with pasted text. */
export const compare = (fen, counts, text) =>
  JSON.parse(wasm.compare(fen, JSON.stringify([...counts].map(([uci, count]) => [uci, String(count)])), text));

/** Divides the tree below a position, `describe`d before, into tasks: `[{row, depth, positions, size}]`. */
export const tasks = ({ moves }, depth, wanted) =>
  JSON.parse(wasm.tasks(counter, moves.map(({ after }) => after), depth, wanted));
