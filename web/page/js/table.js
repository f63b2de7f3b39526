// The table of a divide: a row for each move, with the counts of both programs if there is a comparison.

import { grouped } from "./text.js";

const VERDICTS = { same: "same", differs: "differs", missing: "missing", extra: "illegal", repeated: "repeated" };

/** The table. */
export class Table {
  #body;
  #total;
  #theirTotal;
  #verdict;
  #rows = new Map();
  #moves = [];
  #onMove;

  /** `onMove(uci)` is called when a legal move is clicked. */
  constructor(root, onMove) {
    const find = (id) => root.querySelector(id);
    [this.#body, this.#total, this.#theirTotal, this.#verdict] = ["#rows", "#total", "#their-total", "#total-verdict"].map(find);
    this.#onMove = onMove;
    this.root = root;
  }

  /** Shows the legal moves, still without counts. */
  show(moves) {
    this.#moves = moves;
    this.#rows.clear();
    this.#body.replaceChildren();
    for (const move of moves) this.#add(move.uci, move.san);
    this.#total.textContent = "";
    this.compare(null);
  }

  #add(uci, san) {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    if (san) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = uci;
      button.title = `Go down: ${san}`;
      button.addEventListener("click", () => this.#onMove(uci));
      head.append(button);
    } else {
      head.textContent = uci;
    }
    const cell = (className, text = "") => {
      const cell = document.createElement("td");
      cell.className = className;
      cell.textContent = text;
      return cell;
    };
    const cells = { leaves: cell("number leaves"), theirs: cell("number theirs"), verdict: cell("verdict") };
    row.append(head, cell("san", san ?? ""), cells.leaves, cells.theirs, cells.verdict);
    this.#body.append(row);
    this.#rows.set(san ? uci : `extra ${this.#rows.size}`, { row, ...cells });
    return { row, ...cells };
  }

  /** Shows counts as they grow. */
  update(divide) {
    this.#moves.forEach(({ uci }, index) => {
      const { leaves, done } = divide.rows[index];
      const cell = this.#rows.get(uci).leaves;
      cell.textContent = done || leaves > 0n ? grouped(leaves) : "";
      cell.classList.toggle("partial", !done);
    });
    this.#total.textContent = grouped(divide.total);
    this.#total.classList.toggle("partial", !divide.finished);
  }

  /** Shows a comparison, or none. */
  compare(comparison) {
    this.root.classList.toggle("compared", Boolean(comparison?.rows.length));
    for (const [name, { row, theirs, verdict }] of this.#rows) {
      if (name.startsWith("extra ")) {
        row.remove();
        this.#rows.delete(name);
        continue;
      }
      row.className = "";
      theirs.textContent = verdict.textContent = "";
    }
    this.#theirTotal.textContent = this.#verdict.textContent = "";
    if (!comparison) return;
    for (const found of comparison.rows) {
      const isExtra = found.ours === null;
      const { row, theirs, verdict, leaves } = isExtra ? this.#add(found.uci, null) : this.#rows.get(found.uci);
      row.className = found.verdict;
      if (isExtra) leaves.textContent = "–";
      theirs.textContent = found.theirs === null ? "–" : grouped(found.theirs);
      verdict.textContent = VERDICTS[found.verdict];
    }
    this.#theirTotal.textContent = comparison.theirs === null ? "" : grouped(comparison.theirs);
    this.#verdict.textContent = comparison.ours === comparison.theirs ? "same" : "differs";
  }
}
