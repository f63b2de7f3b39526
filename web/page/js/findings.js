// What a comparison found, in sentences, and the next step of the walk to the wrong move.

import { grouped } from "./text.js";

/** The beginning of the sentence about a move that is wrong in itself. */
const WRONG = { extra: "Should not be there.", missing: "Missing.", repeated: "Listed twice." };

/** Returns paragraphs about a comparison at this depth: `text`, and for a wrong move the `verdict` before it, and its squares. */
export function paragraphs(comparison, depth) {
  const paragraphs = [];
  const say = (text) => paragraphs.push({ text });
  const { rows, ours, theirs, wrong, notes } = comparison;
  for (const [kind, verdict] of Object.entries(WRONG)) {
    for (const row of rows.filter((row) => row.verdict === kind)) paragraphs.push({ verdict, text: row.reason, squares: about(row) });
  }
  const differing = rows.filter(({ verdict }) => verdict === "differs");
  if (differing.length && depth > 1) {
    const [{ uci, ours, theirs }] = differing;
    const more = differing.length > 1 ? `${differing.length} counts differ; the first is of ${uci}` : `One count differs, of ${uci}`;
    say(`${more}: ${grouped(ours)} leaves here, ${grouped(theirs)} in your engine.`);
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
