// The board: 64 buttons. Pieces are moved by clicks, by dragging, or with the keyboard.

import { nameOf, picture } from "./pieces.js";

const FILES = "abcdefgh";

/** A board that shows a position and lets its pieces be moved. */
export class Board {
  #root;
  #squares = new Map();
  #position = null;
  #picked = null;
  #onMove;
  #onRemove;
  /** Whether pieces are moved without rules. */
  free = false;

  /**
   * `onMove(from, to)` is called for any two squares, also if there is no legal move between them; `onRemove(square)` when a piece is
   * to be removed.
   */
  constructor(root, onMove, onRemove) {
    this.#root = root;
    this.#onMove = onMove;
    this.#onRemove = onRemove;
    for (let rank = 8; rank >= 1; rank--) {
      const row = document.createElement("div");
      row.className = "rank";
      row.setAttribute("role", "row");
      for (const file of FILES) row.append(this.#square(file, rank));
      root.append(row);
    }
    this.#focusable("e2");
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  #square(file, rank) {
    const name = file + rank;
    const square = document.createElement("button");
    square.type = "button";
    square.tabIndex = -1;
    square.dataset.square = name;
    square.className = (FILES.indexOf(file) + rank) % 2 ? "light" : "dark";
    square.setAttribute("role", "gridcell");
    square.addEventListener("click", () => this.#click(name));
    square.addEventListener("dragstart", (event) => {
      this.#pick(name);
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", name);
    });
    square.addEventListener("dragover", (event) => event.preventDefault());
    square.addEventListener("drop", (event) => {
      event.preventDefault();
      if (this.#picked && this.#picked !== name) this.#click(name);
    });
    square.addEventListener("focus", () => this.#focusable(name));
    this.#squares.set(name, square);
    return square;
  }

  /** Shows a position. */
  show(position) {
    this.#position = position;
    this.#picked = null;
    for (const [name, square] of this.#squares) {
      const index = FILES.indexOf(name[0]) + 8 * (name[1] - 1);
      const letter = position.pieces[index];
      square.replaceChildren(...coordinates(name), ...(letter === "." ? [] : [picture(letter)]));
      square.draggable = letter !== ".";
      square.setAttribute("aria-label", letter === "." ? `${name}, empty` : `${name}, ${nameOf(letter)}`);
      square.classList.toggle("check", position.check === name);
    }
    this.#mark();
    this.highlight([], []);
  }

  /** The square of the picked piece, or null. */
  get picked() {
    return this.#picked;
  }

  /** Shows the board from the other side. */
  turn() {
    this.#root.classList.toggle("turned");
  }

  /** Marks the squares of a move, and squares that a reason is about. */
  highlight(move, about) {
    for (const [name, square] of this.#squares) {
      square.classList.toggle("moved", move.includes(name));
      square.classList.toggle("about", about.includes(name));
    }
  }

  #click(name) {
    if (this.#picked && this.#picked !== name && !this.#isOther(name)) {
      const from = this.#picked;
      this.#picked = null;
      this.#mark();
      this.#onMove(from, name);
    } else {
      this.#pick(this.#picked === name ? null : name);
    }
  }

  /** Whether a click on a square picks another piece instead of moving there: a piece of the same side, unless it is castling. */
  #isOther(name) {
    const movesThere = this.#position.moves.some(({ from, to }) => from === this.#picked && to === name);
    return !this.free && !movesThere && this.#side(name) !== null && this.#side(name) === this.#side(this.#picked);
  }

  #side(name) {
    const letter = this.#position.pieces[FILES.indexOf(name[0]) + 8 * (name[1] - 1)];
    return letter === "." ? null : letter === letter.toLowerCase();
  }

  #pick(name) {
    this.#picked = name && this.#side(name) !== null ? name : null;
    this.#mark();
  }

  /** Marks the picked piece and where it can go. */
  #mark() {
    const targets = new Set(
      (this.free ? [] : (this.#position?.moves ?? [])).filter(({ from }) => from === this.#picked).map(({ to }) => to),
    );
    for (const [name, square] of this.#squares) {
      square.classList.toggle("target", targets.has(name));
      square.setAttribute("aria-selected", String(name === this.#picked));
    }
  }

  #focusable(name) {
    for (const square of this.#squares.values()) square.tabIndex = -1;
    this.#squares.get(name).tabIndex = 0;
  }

  #key(event) {
    const at = event.target.dataset?.square;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const side = this.#root.classList.contains("turned") ? -1 : 1;
    const step = steps[event.key]?.map((distance) => distance * side);
    if (!at) return;
    if (event.key === "Escape") return this.#pick(null);
    if (event.key === "Delete" || event.key === "Backspace") return this.#onRemove(at);
    if (!step) return;
    event.preventDefault();
    const next = (FILES[FILES.indexOf(at[0]) + step[0]] ?? "") + (Number(at[1]) + step[1]);
    this.#squares.get(next)?.focus();
  }
}

/** Returns the file and the rank of a square at the edge, for the eye only. */
function coordinates(name) {
  const label = (text, className) => {
    const label = Object.assign(document.createElement("span"), { textContent: text, className });
    label.setAttribute("aria-hidden", "true");
    return label;
  };
  const labels = name[0] === "a" ? [label(name[1], "rank-label")] : [];
  return name[1] === "1" ? [...labels, label(name[0], "file-label")] : labels;
}
