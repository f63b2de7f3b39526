// The pieces, drawn for kogge, in a square of 100.

const BASE = '<rect x="23" y="77" width="54" height="11" rx="4"/>';

const SHAPES = {
  p: '<circle cx="50" cy="31" r="13.5"/><rect x="36" y="44" width="28" height="7" rx="3"/><path d="M43 51c0 12-8 19-13 26h40c-5-7-13-14-13-26z"/>',
  r: '<path d="M28 20h10v8h7v-8h10v8h7v-8h10v18l-7 6v24l6 9H29l6-9V44l-7-6z"/>',
  b: '<circle cx="50" cy="16" r="5"/><path d="M50 21c12 9 18 19 16 29-1 7-6 11-9 13H43c-3-2-8-6-9-13-2-10 4-20 16-29z"/><path class="detail" d="M51 34l7 12"/><rect x="37" y="63" width="26" height="6" rx="3"/><path d="M42 69l-7 8h30l-7-8z"/>',
  n: '<path d="M32 77c0-14 14-18 14-28-4 4-10 4-14 8-4 4-11 3-12-4-1-6 6-12 10-20 2-6 6-11 12-13l1-9 8 8c17 1 27 18 27 38v20z"/><circle class="eye" cx="42" cy="32" r="2.6"/>',
  q: '<path d="M22 32l13 20 1-26 10 23 4-28 4 28 10-23 1 26 13-20-8 36H30z"/><circle cx="22" cy="30" r="4.5"/><circle cx="36" cy="23" r="4.5"/><circle cx="50" cy="18" r="4.5"/><circle cx="64" cy="23" r="4.5"/><circle cx="78" cy="30" r="4.5"/><rect x="29" y="68" width="42" height="7" rx="3"/>',
  k: '<path d="M47 8h6v6h7v6h-7v9h-6v-9h-7v-6h7z"/><path d="M50 29c8 0 12 7 10 14 6-8 21-7 21 6 0 10-9 13-12 20H31c-3-7-12-10-12-20 0-13 15-14 21-6-2-7 2-14 10-14z"/><rect x="29" y="68" width="42" height="7" rx="3"/>',
};

const NAMES = { p: "pawn", r: "rook", b: "bishop", n: "knight", q: "queen", k: "king" };

/** Returns a piece of a letter of FEN as a picture without a name. */
export function picture(letter) {
  const kind = letter.toLowerCase();
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 100 100");
  picture.setAttribute("class", `piece ${letter === kind ? "black" : "white"}`);
  picture.setAttribute("aria-hidden", "true");
  picture.innerHTML = SHAPES[kind] + BASE;
  return picture;
}

/** Returns the name of a piece: `white knight`. */
export const nameOf = (letter) => `${letter === letter.toLowerCase() ? "black" : "white"} ${NAMES[letter.toLowerCase()]}`;
