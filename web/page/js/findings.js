// The findings of a comparison, in sentences, and the next step of the walk to the wrong move.

import { grouped } from "./text.js";

/** The beginning of the sentence about a move that is wrong in itself. */
const WRONG = { extra: "Should not be there.", missing: "Missing.", repeated: "Listed twice." };

/** How many moves that are wrong in themselves are explained. */
const EXPLAINED = 3;

/** Returns paragraphs about a comparison at this depth: `text`, and for a wrong move the `verdict` before it, and its squares. */
export function paragraphs(comparison, depth) {
  const paragraphs = [];
  const say = (text) => paragraphs.push({ text });
  const { rows, ours, theirs, wrong, notes } = comparison;
  const mistakes = Object.keys(WRONG).flatMap((kind) => rows.filter(({ verdict }) => verdict === kind));
  for (const row of mistakes.slice(0, EXPLAINED)) paragraphs.push({ verdict: WRONG[row.verdict], text: row.reason, squares: about(row) });
  const more = mistakes.length - EXPLAINED;
  if (more > 0) say(`The table marks ${more} more ${more === 1 ? "move that is" : "moves that are"} wrong or missing.`);
  const differing = rows.filter(({ verdict }) => verdict === "differs");
  if (differing.length && depth > 1) {
    const [{ uci, ours, theirs }] = differing;
    const which = differing.length > 1 ? `${differing.length} counts differ. The first is that of ${uci}` : `Only the count of ${uci} differs`;
    say(`${which}: ${grouped(ours)} leaves here, ${grouped(theirs)} in your engine.`);
  } else if (differing.length) {
    say("At depth 1, the count of each legal move must be 1.");
  }
  if (rows.length && !wrong) {
    say(`All ${rows.length} moves and counts are the same.`);
  } else if (!rows.length) {
    say(ours === theirs ? "The totals are the same." : `The totals differ: ${grouped(ours)} here, ${grouped(theirs)} in your engine.`);
  }
  notes.forEach((note) => say(note));
  return paragraphs;
}

const about = ({ uci, squares }) => ({ move: [uci.slice(0, 2), uci.slice(2, 4)], squares });

/** Returns the label of the button that goes to the first difference; an empty text if there is none below. */
export const nextStep = ({ first }, depth) => (first && depth > 1 ? `Go to ${first} at depth ${depth - 1}` : "");
