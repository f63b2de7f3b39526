// The page: its state, and its reactions to the visitor.

import { Board } from "./board.js";
import { Counter, KINDS } from "./counter.js";
import * as engine from "./engine.js";
import { nextStep, paragraphs } from "./findings.js";
import * as link from "./link.js";
import * as setup from "./setup.js";
import { Table } from "./table.js";
import { grouped, rate, time } from "./text.js";

/** Estimated leaves up to which a position is counted without being asked. */
const COUNTED_AT_ONCE = 2e9;

const $ = (id) => document.getElementById(id);
const board = new Board($("board"), (from, to) => moveOnBoard(from, to), (square) => board.free && setUp(setup.moved(position(), square, null)));
const table = new Table($("rows").closest("section"), (uci) => goDown(uci));
/** Finished divides by position and depth, so that going back shows them at once. */
const known = new Map();

let counter;
let state = link.read();
/** The positions from the root to the current one, and the divide of the current one. */
let path = [];
let divide = null;
let frame = 0;
/** The number of the count that was begun last. */
let runs = 0;

const position = () => path.at(-1);

/** Follows the line of the state from its root. Throws an error with a sentence if the state is wrong. */
function follow({ root, line }) {
  const path = [engine.describe(root)];
  for (const uci of line) {
    const here = path.at(-1);
    const move = here.moves.find((move) => move.uci === uci);
    if (!move) throw new Error(engine.explain(here.fen, uci).text);
    path.push(engine.describe(move.after, path[0].chess960));
  }
  return path;
}

/** Takes a new state, shows it, and counts it if that is quick. */
function go(next, { push = true } = {}) {
  let followed;
  try {
    followed = follow(next);
  } catch (error) {
    problem("fen-problem", error.message);
    return false;
  }
  problem("fen-problem", "");
  counter?.stop();
  [state, path] = [next, followed];
  const address = link.write(state);
  if (push && address !== location.hash) history.pushState(null, "", address);
  $("paste").value = "";
  show();
  begin(false);
  return true;
}

function goDown(uci) {
  go({ ...state, line: [...state.line, uci], depth: Math.max(1, state.depth - 1) });
}

function problem(id, text) {
  $(id).textContent = text;
  $(id).hidden = !text;
  if (id === "fen-problem") $("fen").setAttribute("aria-invalid", String(Boolean(text)));
}

/** Shows the position, the way to it, and the commands for an engine. */
function show() {
  const here = position();
  board.show(here);
  const last = state.line.at(-1);
  if (last) board.highlight([last.slice(0, 2), last.slice(2, 4)], []);
  const over = here.check ? "is mated" : "is stalemated";
  const side = here.turn === "white" ? "White" : "Black";
  $("turn").textContent = here.moves.length ? `${side} to move${here.check ? ", in check" : ""}` : `${side} ${over}`;
  reason("");
  $("fen").value = here.fen;
  $("depth").value = state.depth;
  $("device").value = state.device;
  $("kinds").checked = state.kinds;
  showKinds(null);
  $("commands").textContent = commands();
  crumbs();
  table.show(here.moves);
  compare();
}

/** Shows the moves from the root; each leads back, with the depth that it had. */
function crumbs() {
  const items = ["root", ...state.line].map((name, index, all) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    if (index === all.length - 1) button.setAttribute("aria-current", "location");
    button.addEventListener("click", () => {
      const depth = Math.min(30, state.depth + all.length - 1 - index);
      go({ ...state, line: state.line.slice(0, index), depth });
    });
    item.append(button);
    return item;
  });
  $("crumbs").replaceChildren(...items);
}

/** Returns the commands that make a UCI engine print the same divide. */
function commands() {
  const chess960 = path[0].chess960 ? "setoption name UCI_Chess960 value true\n" : "";
  const moves = state.line.length ? ` moves ${state.line.join(" ")}` : "";
  return `${chess960}position fen ${path[0].fen}${moves}\ngo perft ${state.depth}`;
}

/** Counts the current position; if not asked, only as far as this is quick. */
async function begin(asked) {
  const [here, { depth, device, kinds }, run] = [position(), state, ++runs];
  const isCurrent = () => run === runs;
  const key = `${here.fen} ${depth} ${kinds}`;
  divide = null;
  problem("count-problem", "");
  $("progress").value = 0;
  // An unfinished divide could be mistaken for a complete one.
  $("copy").disabled = true;
  const finished = known.get(key);
  if (finished && !asked) return finish(finished);
  if (!asked && here.moves.length ** depth > COUNTED_AT_ONCE) {
    running(false);
    return say("Press Count: this tree is large.");
  }
  running(true);
  say("Counting…");
  const update = (growing) => isCurrent() && grow(growing);
  try {
    const counted = await counter.count(here, depth, device, kinds, update, (text) => isCurrent() && say(text));
    known.set(key, counted);
    if (isCurrent()) finish(counted);
  } catch (error) {
    if (!isCurrent()) return;
    running(false);
    if (error.name === "AbortError") return say("Stopped. Counts in grey are not complete.");
    say("There is no result.");
    problem("count-problem", error.message);
  }
}

/** Shows a growing divide, at most once a frame. */
function grow(growing) {
  divide = growing;
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    if (!divide || divide.finished) return;
    table.update(divide);
    showKinds(divide);
    $("progress").value = divide.share;
  });
}

function finish(counted) {
  divide = counted;
  running(false);
  $("copy").disabled = false;
  table.update(counted);
  showKinds(counted);
  $("progress").value = 1;
  const speed = rate(counted.total, counted.seconds);
  say(`${grouped(counted.total)} leaves in ${time(counted.seconds)}${speed ? `, ${speed}` : ""}; ${counted.device}.`);
  compare();
}

/** Shows the leaves by the kinds of moves, if they were counted. */
function showKinds(divide) {
  const item = (kind, index) => {
    const item = document.createElement("div");
    const [name, number] = [document.createElement("dt"), document.createElement("dd")];
    [name.textContent, number.textContent] = [kind, grouped(divide.kinds[index])];
    item.append(name, number);
    return item;
  };
  const items = divide?.kinds ? KINDS.map(item).slice(1) : [];
  $("kinds-found").replaceChildren(...items);
  $("kinds-found").classList.toggle("partial", !divide?.finished);
}

function say(text) {
  $("status").textContent = text;
}

function running(is) {
  $("stop").disabled = !is;
  $("progress").classList.toggle("running", is);
}

/** Compares the finished divide with the pasted text. */
function compare() {
  const text = $("paste").value;
  const done = Boolean(divide?.finished);
  let next = "";
  let found = [];
  table.compare(null);
  if (text.trim() && done) {
    try {
      const counts = new Map(position().moves.map(({ uci }, index) => [uci, divide.rows[index].leaves]));
      const comparison = engine.compare(position().fen, counts, text);
      table.compare(comparison);
      found = paragraphs(comparison, state.depth);
      next = nextStep(comparison, state.depth);
      $("next").onclick = () => {
        goDown(comparison.first);
        $("paste").focus();
      };
      const about = found.find(({ squares }) => squares)?.squares;
      if (about) board.highlight(about.move, about.squares);
    } catch (error) {
      found = [{ text: error.message }];
    }
  } else if (text.trim()) {
    found = [{ text: "The comparison appears when this position is counted." }];
  }
  const paragraph = ({ text, verdict }) => {
    const paragraph = document.createElement("p");
    if (verdict) {
      paragraph.className = "problem";
      paragraph.append(Object.assign(document.createElement("strong"), { textContent: verdict }), " ");
    }
    paragraph.append(text);
    return paragraph;
  };
  $("findings").replaceChildren(...found.map(paragraph));
  $("next").textContent = next;
  $("next").hidden = !next;
}

function reason(text, move = [], squares = []) {
  $("reason").textContent = text;
  if (text) board.highlight(move, squares);
}

/** Explains a move given in UCI notation, or as it is called in the divide. */
function why(uci) {
  const bySan = position().moves.find(({ san }) => san === uci || san.replace(/[+#]$/, "") === uci);
  const { text, squares } = engine.explain(position().fen, bySan?.uci ?? uci);
  const move = bySan?.uci ?? uci;
  reason(text, [move.slice(0, 2), move.slice(2, 4)], squares);
}

/** Takes a position that was set up as the new root. */
function setUp(fen) {
  go({ ...state, root: fen, line: [] });
}

/** Plays a move that was made on the board, or explains why it is illegal. */
function moveOnBoard(from, to) {
  if (board.free) return setUp(setup.moved(position(), from, to));
  const found = position().moves.filter((move) => move.from === from && (move.to === to || (move.castling && castlingTo(move) === to)));
  // Of the four promotions, the queen is the usual one; the table has the others.
  const move = found.find(({ promotion }) => promotion === "q") ?? found[0];
  if (move) goDown(move.uci);
  else why(from + to);
}

/** Returns the square where the king ends, or its rook's, whichever the notation does not name. */
const castlingTo = ({ san, from }) => (san.startsWith("O-O-O") ? "c" : "g") + from[1];

/** Copies the text that a function returns when a button is pressed, and says so beside the button. */
function copies(id, text) {
  $(id).addEventListener("click", async () => {
    const status = $(id).parentElement.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(text());
      status.textContent = "Copied.";
    } catch {
      status.textContent = "The browser did not allow copying.";
    }
    setTimeout(() => (status.textContent = ""), 2000);
  });
}

/** Returns the finished divide in the form of Stockfish. */
function asText() {
  const lines = position().moves.map(({ uci }, index) => `${uci}: ${divide.rows[index].leaves}`);
  return `${lines.join("\n")}\n\nNodes searched: ${divide.total}\n`;
}

function wire() {
  for (const { name, fen } of engine.standard()) $("named").append(new Option(name, fen));
  $("named").addEventListener("change", ({ target }) => {
    if (target.value) go({ ...state, root: target.value, line: [] });
    target.value = "";
  });
  $("fen-form").addEventListener("submit", (event) => {
    event.preventDefault();
    go({ ...state, root: $("fen").value.trim(), line: [] });
  });
  $("why-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if ($("why").value.trim()) why($("why").value.trim());
  });
  $("count-form").addEventListener("submit", (event) => {
    event.preventDefault();
    setDepth();
    begin(true);
  });
  $("depth").addEventListener("change", () => {
    if (setDepth()) begin(false);
  });
  $("device").addEventListener("change", ({ target }) => {
    state = { ...state, device: target.value };
    history.replaceState(null, "", link.write(state));
  });
  $("kinds").addEventListener("change", ({ target }) => {
    counter.stop();
    state = { ...state, kinds: target.checked };
    history.replaceState(null, "", link.write(state));
    show();
    begin(false);
  });
  $("stop").addEventListener("click", () => counter.stop());
  $("free").addEventListener("change", ({ target }) => {
    board.free = target.checked;
    $("remove").hidden = $("other-turn").hidden = !target.checked;
  });
  $("remove").addEventListener("click", () => board.picked && setUp(setup.moved(position(), board.picked, null)));
  $("other-turn").addEventListener("click", () => setUp(setup.otherTurn(position())));
  $("turn-board").addEventListener("click", () => board.turn());
  $("paste").addEventListener("input", compare);
  $("clear").addEventListener("click", () => {
    $("paste").value = "";
    compare();
  });
  copies("copy", asText);
  copies("link", () => location.href);
  copies("copy-commands", commands);
  window.addEventListener("popstate", () => go(link.read(), { push: false }));
}

/** Takes the depth from its field. Returns whether it is valid. */
function setDepth() {
  const depth = $("depth").valueAsNumber;
  if (!$("depth").reportValidity() || !Number.isInteger(depth)) return false;
  counter.stop();
  state = { ...state, depth };
  history.replaceState(null, "", link.write(state));
  divide = null;
  $("copy").disabled = true;
  show();
  return true;
}

async function start() {
  try {
    const { variant } = await engine.load();
    $("about").textContent = `Code for the CPU: ${variant}. WebGPU: ${navigator.gpu ? "offered by this browser" : "not offered here"}.`;
  } catch (error) {
    say("kogge could not be started.");
    return problem("count-problem", error.message);
  }
  counter = new Counter();
  wire();
  if (!go(state, { push: false })) {
    const message = $("fen-problem").textContent;
    const written = state.root;
    go({ ...state, root: link.START, line: [] }, { push: false });
    $("fen").value = written;
    problem("fen-problem", message);
  }
  document.body.dataset.ready = "true";
}

start();
