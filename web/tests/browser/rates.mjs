// Measures the leaves per second of one thread: natively in the portable variant, and in Chromium with and without vector
// instructions, in turns. Build `cargo build --release` first; then
//
//     KOGGE_PAGE=http://127.0.0.1:8020/ node web/tests/browser/rates.mjs target/release/kogge

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const PAGE = process.env.KOGGE_PAGE ?? "http://127.0.0.1:8020/";
const TURNS = 3;
const DEPTHS = { startpos: 6, kiwipete: 5, pos3: 7, pos4: 6, pos5: 5, pos6: 5 };

const lines = readFileSync(new URL("../../../board/data/known-counts.tsv", import.meta.url), "utf8").split("\n");
const cases = lines.map((line) => line.split("\t")).filter(([name, , depth]) => DEPTHS[name] === Number(depth));

const browser = await chromium.launch({ executablePath: process.env.KOGGE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(PAGE);
// As on the page, each module counts in its own worker.
const source = `onmessage = async ({ data: { url, fen, depth } }) => {
  const wasm = await import(url);
  await wasm.default();
  const counter = (globalThis.counter ??= new wasm.Counter());
  const start = performance.now();
  counter.begin([fen], depth);
  let total = 0n;
  for (let leaves; (leaves = counter.step()) !== undefined; ) total += leaves;
  postMessage([String(total), (performance.now() - start) / 1000]);
}`;
await page.route("**/js/rate-*.js", (route) => route.fulfill({ contentType: "text/javascript", body: source }));
await page.evaluate(() => {
  globalThis.count = (name, fen, depth) =>
    new Promise((resolve, reject) => {
      globalThis[name] ??= new Worker(`/js/rate-${name}.js`, { type: "module" });
      globalThis[name].onmessage = ({ data }) => resolve(data);
      globalThis[name].onerror = (event) => reject(new Error(event.message));
      globalThis[name].postMessage({ url: `/wasm/${name}.js`, fen, depth });
    });
});

const native = (fen, depth) => {
  const line = ["perft", String(depth), "--fen", fen, "--raw", "--backend", "cpu", "--threads", "1", "--json"];
  const { nodes, seconds } = JSON.parse(execFileSync(process.argv[2], line, { env: { ...process.env, KOGGE_CPU: "portable" } }));
  return [String(nodes), seconds];
};
const inBrowser = (name) => (fen, depth) => page.evaluate(([name, fen, depth]) => count(name, fen, depth), [name, fen, depth]);
const ways = { portable: native, simd: inBrowser("simd"), plain: inBrowser("plain") };

console.log("position  depth  native portable  wasm, vectors  wasm, without  vectors : native");
for (const [name, fen, depth, leaves] of cases) {
  const best = {};
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [way, count] of Object.entries(ways)) {
      const [total, seconds] = await count(fen, Number(depth));
      if (total !== leaves) throw new Error(`${way} counted ${total} instead of ${leaves}.`);
      best[way] = Math.max(best[way] ?? 0, Number(leaves) / seconds / 1e6);
    }
  }
  const rate = (way, width) => best[way].toFixed(0).padStart(width);
  console.log(`${name.padEnd(8)}  ${depth.padStart(5)}  ${rate("portable", 15)}  ${rate("simd", 13)}  ${rate("plain", 13)}  ${(best.simd / best.portable).toFixed(2).padStart(16)}`);
}
console.log("(millions of leaves per second, best of three)");
await browser.close();
