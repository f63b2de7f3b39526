// Setting up a position: pieces are moved without rules.

import { describe } from "./engine.js";

const index = (square) => "abcdefgh".indexOf(square[0]) + 8 * (square[1] - 1);

/** Returns the FEN after a piece was moved from one square to another, or removed if `to` is null. */
export function moved({ fen, pieces }, from, to) {
  const squares = [...pieces];
  const touched = [squares[index(from)], to && squares[index(to)]];
  if (to) squares[index(to)] = squares[index(from)];
  squares[index(from)] = ".";
  const [, turn, castling] = fen.split(" ");
  return legalRights(placement(squares), turn, withoutRights(castling, touched));
}

/** Removes the castling rights of the sides whose king or rook was touched. */
function withoutRights(castling, touched) {
  const isWhite = (letter) => letter !== letter.toLowerCase();
  const lost = touched.filter((letter) => letter && "KRkr".includes(letter)).map(isWhite);
  return [...castling].filter((right) => right === "-" || !lost.includes(isWhite(right))).join("") || "-";
}

/** Returns the FEN with the other side to move. */
export function otherTurn({ fen, pieces }) {
  const [, turn, castling] = fen.split(" ");
  return legalRights(placement([...pieces]), turn === "w" ? "b" : "w", castling);
}

/** Keeps the castling rights if they are still possible. */
function legalRights(board, turn, castling) {
  const fen = (rights) => `${board} ${turn} ${rights} - 0 1`;
  try {
    describe(fen(castling));
    return fen(castling);
  } catch {
    return fen("-");
  }
}

/** Writes pieces, from a1 to h8, as in a FEN. */
function placement(squares) {
  const ranks = Array.from({ length: 8 }, (_, rank) => squares.slice(8 * rank, 8 * rank + 8).join(""));
  return ranks.reverse().join("/").replace(/\.+/g, (empty) => empty.length);
}
