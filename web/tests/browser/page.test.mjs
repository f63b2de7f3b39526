// Tests of the page in Chromium, with WebGPU on its software device. `cargo xtask web --test` makes the page, serves it, and names its
// address in KOGGE_PAGE.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const PAGE = process.env.KOGGE_PAGE ?? "http://127.0.0.1:8020/";
const EXECUTABLE = process.env.KOGGE_CHROMIUM ?? "/usr/bin/chromium";
const QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** A count may wait for the kernels to be compiled, which takes long on a busy machine without a GPU. */
const PATIENCE = { timeout: 180_000 };

const POSITION3 = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

let browser, onGpu;
before(async () => (browser = await chromium.launch({ executablePath: EXECUTABLE, args: [...QUIET, ...WEBGPU] })));
after(async () => {
  await onGpu?.close();
  await browser.close();
});

/** Opens the page in a context of its own. It must ask only its own server, and must not fail silently. */
async function open({ hash = "", options = {}, script } = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  const problems = [];
  context.on("request", (request) => request.url().startsWith(PAGE) || problems.push(`asks ${request.url()}`));
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.stack));
  page.setDefaultTimeout(PATIENCE.timeout);
  if (script) await page.addInitScript(script);
  await page.goto(PAGE + hash);
  await page.waitForSelector("body[data-ready]");
  return {
    page,
    async close() {
      await context.close();
      assert.deepEqual(problems, []);
    },
  };
}

/**
 * Shows a link in a page whose device stays open from test to test, because the software device compiles the kernels for more than ten
 * seconds. Returns the page.
 */
async function withGpu(hash) {
  if (!onGpu) {
    onGpu = await open({ hash });
    return onGpu.page;
  }
  await onGpu.page.evaluate((hash) => {
    document.querySelector("#status").textContent = "";
    location.hash = hash;
  }, hash);
  return onGpu.page;
}

/** Waits until the divide is complete, and returns its total. */
async function total(page) {
  await page.waitForFunction(() => / leaves in /.test(document.querySelector("#status").textContent), null, PATIENCE);
  return digits(await page.textContent("#total"));
}

const digits = (text) => BigInt(text.replace(/\D/g, ""));
const link = (fen, depth, rest = "") => `#fen=${fen.replaceAll(" ", "_")}&depth=${depth}${rest}`;
const text = (page, selector) => page.textContent(selector);

/** Returns the known counts of the six positions and of 200 random ones, each at the greatest depth with at most a million leaves. */
function known() {
  const data = (name) => readFileSync(new URL(`../../../board/data/${name}`, import.meta.url), "utf8").split("\n");
  const roots = new Map();
  const note = (name, fen, depth, leaves) => {
    if (leaves > 1_000_000n) return;
    const root = roots.get(name);
    if (!root || root.depth < depth) roots.set(name, { fen, depth, leaves });
  };
  for (const line of data("known-counts.tsv")) {
    const [name, fen, depth, leaves] = line.split("\t");
    if (leaves && !line.startsWith("#")) note(name, fen, Number(depth), BigInt(leaves));
  }
  for (const line of data("random.epd").slice(0, 200)) {
    const [fen, ...counts] = line.split(" ;");
    for (const count of counts) {
      const [, depth, leaves] = count.match(/D(\d+) (\d+)/);
      note(line, fen, Number(depth), BigInt(leaves));
    }
  }
  assert.equal(roots.size, 206);
  return [...roots.values()];
}

/** Compares counts of a function in the page with the known ones. */
async function agrees(page, count) {
  const roots = known();
  const found = await page.evaluate(count, roots.map(({ fen, depth }) => ({ fen, depth })));
  roots.forEach(({ fen, depth, leaves }, index) => assert.equal(found[index], String(leaves), `${fen} at depth ${depth}`));
}

test("the start position is counted without being asked", async () => {
  const { page, close } = await open();
  assert.equal(await total(page), 4_865_609n);
  const rows = await page.$$eval("#rows tr", (rows) => rows.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent)));
  assert.equal(rows.length, 20);
  const [uci, san, leaves] = rows.find(([uci]) => uci === "e2e4");
  assert.deepEqual([uci, san, digits(leaves)], ["e2e4", "e4", 405_385n]);
  await close();
});

for (const name of ["simd", "plain"]) {
  test(`known counts on the CPU, module ${name}`, PATIENCE, async () => {
    const { page, close } = await open();
    await page.evaluate(async (name) => {
      const wasm = await import(`/wasm/${name}.js?for-the-test`);
      await wasm.default();
      globalThis.counter = new wasm.Counter();
    }, name);
    assert.equal(await page.evaluate(() => counter.variant), name === "simd" ? "simd128" : "portable");
    await agrees(page, (roots) =>
      roots.map(({ fen, depth }) => {
        counter.begin([fen], depth);
        let total = 0n;
        for (let leaves; (leaves = counter.step()) !== undefined; ) total += leaves;
        return String(total);
      }),
    );
    await close();
  });
}

test("known counts through WebGPU", { timeout: 600_000 }, async () => {
  const { page, close } = await open();
  await page.evaluate(async () => {
    const { Gpu } = await import("/js/gpu.js");
    globalThis.gpu = new Gpu();
    await gpu.open();
  });
  assert.match(await page.evaluate(() => gpu.name), /^WebGPU: .*emulated words/);
  await agrees(page, async (roots) => {
    const found = [];
    for (const { fen, depth } of roots) found.push(String((await gpu.count([fen], depth, () => {}))[0]));
    return found;
  });
  await close();
});

test("a lost device is an error, never a total, and is opened again", PATIENCE, async () => {
  const page = await withGpu(link(KIWIPETE, 7, "&device=gpu"));
  await page.click("#count");
  await page.waitForFunction(() => document.querySelector("#progress").value > 0, null, PATIENCE);
  const worker = page.workers().find((worker) => worker.url().includes("gpu-worker"));
  await worker.evaluate(() => koggeDevice.destroy());
  await page.waitForSelector("#count-problem:not([hidden])", PATIENCE);
  assert.match(await text(page, "#count-problem"), /the device was lost/);
  assert.match(await text(page, "#status"), /There is no result/);
  assert.ok(!(await page.$("#total:not(.partial):not(:empty)")), "no total is shown as complete");
  await page.fill("#depth", "3");
  await page.click("#count");
  assert.equal(await total(page), 97_862n);
  assert.match(await text(page, "#status"), /WebGPU/);
});

test("a divide through WebGPU fills in row by row", PATIENCE, async () => {
  const page = await withGpu(link(KIWIPETE, 4, "&device=gpu"));
  assert.equal(await total(page), 4_085_603n);
  assert.match(await text(page, "#status"), /WebGPU/);
  assert.equal(await page.$$eval("#rows .leaves.partial", (cells) => cells.length), 0);
});

test("a count through WebGPU can be stopped", PATIENCE, async () => {
  const page = await withGpu(link(KIWIPETE, 7, "&device=gpu"));
  await page.click("#count");
  await page.waitForFunction(() => document.querySelector("#progress").value > 0, null, PATIENCE);
  await page.click("#stop");
  await page.waitForFunction(() => /Stopped/.test(document.querySelector("#status").textContent), null, PATIENCE);
  await page.fill("#depth", "3");
  await page.click("#count");
  assert.equal(await total(page), 97_862n);
  assert.match(await text(page, "#status"), /WebGPU/);
});

test("a faulty divide is followed down to the wrong move, which is explained", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(POSITION3, 3) });
  // An engine that captures en passant although this exposes its king.
  await page.evaluate(async () => {
    const { describe } = await import("/js/engine.js");
    const faulty = (fen) => {
      const { moves } = describe(fen);
      const passed = fen.split(" ")[3];
      if (passed === "e3" && !moves.some(({ uci }) => uci === "f4e3")) moves.push({ uci: "f4e3", after: null });
      return moves;
    };
    const perft = (fen, depth) => {
      if (depth === 0 || fen === null) return 1;
      return faulty(fen).reduce((sum, { after }) => sum + perft(after, depth - 1), 0);
    };
    globalThis.engine = (fen, depth) => faulty(fen).map(({ uci, after }) => `${uci}: ${perft(after, depth - 1)}`).join("\n");
  });
  const answer = async () => {
    const commands = await text(page, "#commands");
    const depth = Number(commands.match(/go perft (\d+)/)[1]);
    const fen = await page.inputValue("#fen");
    await total(page);
    await page.fill("#paste", `info string hello\n${await page.evaluate(([fen, depth]) => engine(fen, depth), [fen, depth])}\n`);
    return commands;
  };
  await answer();
  assert.match(await text(page, "#findings"), /Only the count of e2e4 differs/);
  assert.equal(await text(page, "#rows tr.differs th"), "e2e4");
  assert.equal(await text(page, "#next"), "Go to e2e4 at depth 2");
  await page.click("#next");
  assert.equal(await page.inputValue("#depth"), "2");
  assert.match(await answer(), /moves e2e4\ngo perft 2$/);
  // The page shows the illegal move at once.
  assert.match(await text(page, "#findings"), /f4e3 is illegal: it is en passant and leaves the king on h4 in check from the rook on b4, because both pawns leave rank 4\./);
  assert.equal(await text(page, "#rows tr.extra .verdict"), "illegal");
  assert.deepEqual(await page.$$eval(".board .about", (squares) => squares.map(({ dataset }) => dataset.square).sort()), ["b4", "h4"]);
  await close();
});

test("missing moves are explained, and equal divides are called equal", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(KIWIPETE, 1) });
  await total(page);
  const lines = await page.$$eval("#rows tr", (rows) => rows.map((row) => `${row.cells[0].textContent}: ${row.cells[2].textContent}`));
  await page.fill("#paste", lines.join("\n") + "\n\nNodes searched: 48");
  assert.match(await text(page, "#findings"), /All 48 moves and counts are the same/);
  await page.fill("#paste", lines.filter((line) => !line.startsWith("e1c1")).join("\n"));
  assert.match(await text(page, "#findings"), /Missing\. e1c1 is legal: white has the right to castle queenside/);
  await page.fill("#paste", "no numbers here");
  assert.match(await text(page, "#findings"), /No move with a count was found/);
  await page.click("#clear");
  assert.equal(await text(page, "#findings"), "");
  await close();
});

test("a count can be stopped, and the next one is right", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(KIWIPETE, 12, "&device=cpu") });
  assert.match(await text(page, "#status"), /Press Count/);
  await page.click("#count");
  await page.waitForFunction(() => document.querySelector("#total").textContent.length > 6);
  assert.equal(await page.isEnabled("#stop"), true);
  await page.click("#stop");
  await page.waitForFunction(() => /Stopped/.test(document.querySelector("#status").textContent));
  assert.ok(await page.$("#total.partial"), "an incomplete total looks different");
  assert.equal(await page.isDisabled("#stop"), true);
  assert.equal(await page.isDisabled("#copy"), true);
  await page.fill("#depth", "3");
  await page.click("#count");
  assert.equal(await total(page), 97_862n);
  await close();
});

test("moves go down, breadcrumbs and the browser's button go up, and the address keeps the state", PATIENCE, async () => {
  const { page, close } = await open();
  await total(page);
  await page.click("#rows button:text-is('e2e4')");
  await total(page);
  const below = digits(await text(page, "#rows tr:has(button:text-is('e7e5')) .leaves"));
  await page.click("#rows button:text-is('e7e5')");
  assert.equal(await page.inputValue("#depth"), "3");
  assert.deepEqual(await page.$$eval("#crumbs button", (all) => all.map(({ textContent }) => textContent)), ["root", "e2e4", "e7e5"]);
  const address = page.url();
  await page.goBack();
  assert.equal(await page.inputValue("#depth"), "4");
  await page.click("#crumbs button:text-is('root')");
  assert.equal(await page.inputValue("#depth"), "5");
  assert.equal(await total(page), 4_865_609n);
  await close();
  const linked = await open({ hash: address.slice(PAGE.length) });
  assert.match(await linked.page.inputValue("#fen"), /^rnbqkbnr\/pppp1ppp\/8\/4p3\/4P3\/8\/PPPP1PPP\/RNBQKBNR w KQkq - 0 2$/);
  assert.equal(await total(linked.page), below);
  await linked.close();
});

test("a position is taken by its name, and from four fields", PATIENCE, async () => {
  const { page, close } = await open({ hash: "#fen=kiwipete&depth=3" });
  assert.equal(await total(page), 97_862n);
  await page.fill("#fen", POSITION3.replace(" 0 1", ""));
  await page.press("#fen", "Enter");
  assert.equal(await total(page), 2_812n);
  assert.equal(await page.inputValue("#fen"), POSITION3);
  await close();
});

test("a bad FEN is refused with a sentence, and the position stays", PATIENCE, async () => {
  const { page, close } = await open();
  await page.fill("#fen", "8/8/8/8/8/8/8/8 w - - 0 1");
  await page.press("#fen", "Enter");
  assert.match(await text(page, "#fen-problem"), /There are 0 white kings/);
  assert.equal(await page.getAttribute("#fen", "aria-invalid"), "true");
  assert.equal(await total(page), 4_865_609n);
  await page.fill("#fen", KIWIPETE);
  await page.press("#fen", "Enter");
  assert.equal(await page.isHidden("#fen-problem"), true);
  await close();
  const linked = await open({ hash: "#fen=nonsense&depth=3" });
  assert.match(await text(linked.page, "#fen-problem"), /neither a FEN nor the name of a position/);
  await linked.close();
  const illegal = await open({ hash: `${link(POSITION3, 3)}&moves=e2e4_f4e3` });
  assert.match(await text(illegal.page, "#fen-problem"), /f4e3 is illegal: it is en passant/);
  await illegal.close();
});

test("without WebGPU the CPU counts, and asking for WebGPU is an error", PATIENCE, async () => {
  const script = () => Object.defineProperty(Navigator.prototype, "gpu", { value: undefined });
  const { page, close } = await open({ script, hash: link(KIWIPETE, 4) });
  assert.equal(await total(page), 4_085_603n);
  await page.selectOption("#device", "gpu");
  await page.click("#count");
  await page.waitForSelector("#count-problem:not([hidden])");
  assert.match(await text(page, "#count-problem"), /does not offer WebGPU/);
  assert.equal(await text(page, "#total"), "");
  await page.selectOption("#device", "auto");
  await page.click("#count");
  assert.equal(await total(page), 4_085_603n);
  await close();
});

test("a worker that fails is an error, and is replaced", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(KIWIPETE, 4, "&device=cpu") });
  await total(page);
  const worker = page.workers().find((worker) => worker.url().includes("cpu-worker"));
  await worker.evaluate(() => {
    onmessage = ({ data: { task } }) => postMessage({ task, problem: "unreachable" });
  });
  await page.click("#count");
  await page.waitForSelector("#count-problem:not([hidden])");
  assert.match(await text(page, "#status"), /There is no result/);
  await page.click("#count");
  assert.equal(await total(page), 4_085_603n);
  assert.equal(await page.isHidden("#count-problem"), true);
  await close();
});

test("moves are made on the board by mouse and keyboard; illegal ones are explained", PATIENCE, async () => {
  const { page, close } = await open();
  const square = (name) => page.locator(`[data-square=${name}]`);
  assert.equal(await square("g1").getAttribute("aria-label"), "g1, white knight");
  await square("e2").click();
  assert.equal(await page.locator(".board .target").count(), 2);
  await square("e5").click();
  assert.match(await text(page, "#reason"), /e2e5 is illegal: a pawn cannot move from e2 to e5/);
  await square("e2").focus();
  for (const key of ["Enter", "ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  assert.match(await page.inputValue("#fen"), /4P3/);
  await square("e7").dragTo(square("e5"));
  assert.match(await page.inputValue("#fen"), /4p3/);
  await page.fill("#why", "e1g1");
  await page.press("#why", "Enter");
  assert.match(await text(page, "#reason"), /stands between king and rook/);
  await page.fill("#why", "Nf3");
  await page.press("#why", "Enter");
  assert.match(await text(page, "#reason"), /g1f3 is legal/);
  await close();
});

/** Returns the leaves by kinds of moves that the page shows, without the sum of all. */
const kinds = (page) => page.$$eval("#kinds-found dd", (all) => all.map(({ textContent }) => textContent.replace(/\D/g, "")));

/** Returns the known leaves by kinds of moves, without the sum of all. */
function knownKinds(name, depth) {
  const table = readFileSync(new URL("../../../data/categories.tsv", import.meta.url), "utf8");
  return table.match(new RegExp(`^${name}\\t${depth}\\t\\d+\\t(.*)$`, "m"))[1].split("\t");
}

test("kinds of moves are counted when asked for", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(KIWIPETE, 4) });
  await total(page);
  assert.deepEqual(await kinds(page), []);
  await page.check("#kinds");
  assert.equal(await total(page), 4_085_603n);
  assert.deepEqual(await kinds(page), knownKinds("kiwipete", 4));
  await page.fill("#depth", "1");
  await page.click("#count");
  assert.equal(await total(page), 48n);
  assert.deepEqual(await kinds(page), ["8", "0", "2", "0", "0", "0", "0", "0"]);
  assert.match(page.url(), /kinds=1/);
  await close();
});

test("kinds of moves are counted through WebGPU", PATIENCE, async () => {
  const page = await withGpu(link(KIWIPETE, 3, "&device=gpu&kinds=1"));
  assert.equal(await total(page), 97_862n);
  assert.match(await text(page, "#status"), /WebGPU/);
  assert.deepEqual(await kinds(page), knownKinds("kiwipete", 3));
  await page.fill("#depth", "1");
  await page.click("#count");
  assert.equal(await total(page), 48n);
  assert.deepEqual(await kinds(page), ["8", "0", "2", "0", "0", "0", "0", "0"]);
});

test("a position is set up by moving pieces freely", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(KIWIPETE, 1) });
  await page.check("#free");
  await page.click("[data-square=e1]");
  await page.click("[data-square=g1]");
  // The king has moved, so white has no castling rights.
  assert.equal(await page.inputValue("#fen"), "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R5KR w kq - 0 1");
  await page.focus("[data-square=f3]");
  await page.keyboard.press("Delete");
  await page.click("[data-square=e5]");
  await page.click("#remove");
  await page.click("#other-turn");
  assert.match(await page.inputValue("#fen"), /\/2N4p\/PPPBBPPP\/R5KR b kq - 0 1$/);
  await page.focus("[data-square=g1]");
  await page.keyboard.press("Delete");
  assert.match(await text(page, "#fen-problem"), /0 white kings/);
  await page.uncheck("#free");
  assert.equal(await page.isHidden("#remove"), true);
  assert.equal(await page.isHidden("#other-turn"), true);
  await close();
});

test("Chess960 is counted, and castling is made by moving the king to its rook", PATIENCE, async () => {
  const fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
  const { page, close } = await open({ hash: link(fen, 1) });
  await total(page);
  assert.match(await text(page, "#commands"), /UCI_Chess960/);
  await page.click("[data-square=f1]");
  await page.click("[data-square=h1]");
  assert.match(await page.inputValue("#fen"), /5RK1 b/);
  await close();
});

/** Returns trees of Chess960, and their leaves at depth 3. */
function chess960(trees) {
  const lines = readFileSync(new URL("../../../board/data/chess960.epd", import.meta.url), "utf8").split("\n");
  return lines.slice(0, trees).map((line) => ({ fen: line.split(" ;")[0], leaves: BigInt(line.match(/;D3 (\d+)/)[1]) }));
}

test("trees of Chess960 on the CPU", PATIENCE, async () => {
  const roots = chess960(160);
  const { page, close } = await open();
  await total(page);
  const found = await page.evaluate(async (fens) => {
    const { Counter } = await import("/js/counter.js");
    const { describe } = await import("/js/engine.js");
    const counter = new Counter();
    const found = [];
    const quiet = () => {};
    for (const fen of fens) found.push((await counter.count(describe(fen), 3, "cpu", false, quiet, quiet)).total);
    return found;
  }, roots.map(({ fen }) => fen));
  assert.deepEqual(found, roots.map(({ leaves }) => leaves));
  await close();
});

test("trees of Chess960 through WebGPU", PATIENCE, async () => {
  for (const { fen, leaves } of chess960(6)) {
    const page = await withGpu(link(fen, 3, "&device=gpu"));
    assert.equal(await total(page), leaves, fen);
    assert.match(await text(page, "#status"), /WebGPU/);
  }
});

test("the divide and the link can be copied", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(POSITION3, 2), options: { permissions: ["clipboard-read", "clipboard-write"] } });
  await total(page);
  assert.equal(await text(page, ".compare [role=status]"), "");
  await page.click("#copy-commands");
  await page.waitForFunction(() => document.querySelector(".compare [role=status]").textContent === "Copied.");
  await page.click("#copy");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^a5a4: 15\na5a6: 15\nb4a4: 15\n[^]*\n\nNodes searched: 191\n$/);
  await page.click("#link");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
  await close();
});

test("automatic choice measures, and counts right", PATIENCE, async () => {
  const { page, close } = await open({ hash: link(KIWIPETE, 5) });
  await page.click("#count");
  assert.equal(await total(page), 193_690_690n);
  await close();
});

test("a phone shows everything without scrolling sideways, also in the dark", PATIENCE, async () => {
  const phone = { viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true };
  const { page, close } = await open({ options: phone, hash: link(KIWIPETE, 2) });
  await total(page);
  await page.fill("#paste", "e1g1: 43\ne1c1: 43\n");
  assert.match(await text(page, "#findings"), /The table marks 43 more moves that are wrong or missing/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it is too wide");
  const brightness = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
  assert.ok(brightness < 80, "dark means a dark background");
  await close();
});

test("every control has a name", PATIENCE, async () => {
  const { page, close } = await open();
  const nameless = await page.$$eval("button, input, select, textarea", (controls) =>
    controls.filter((control) => !(control.getAttribute("aria-label") || control.textContent.trim() || control.labels?.length)).map(({ outerHTML }) => outerHTML),
  );
  assert.deepEqual(nameless.filter((html) => !html.includes('id="next"')), []);
  await close();
});
