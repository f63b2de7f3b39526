// Numbers as text.

/** Groups the digits of a count with narrow spaces. */
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

/** Returns a rate: `384 M leaves/s`; nothing if the tree is too small to tell. */
export function rate(leaves, seconds) {
  if (leaves < 100_000n || seconds < 0.02) return "";
  let number = Number(leaves) / seconds;
  let unit = "";
  for (const next of ["k", "M", "G", "T"]) {
    if (number < 1000) break;
    number /= 1000;
    unit = next;
  }
  return `${number.toPrecision(3)} ${unit} leaves/s`.replace("  ", " ");
}

/** Returns a time: `0.31 s`, `12 min`. */
export function time(seconds) {
  if (seconds < 0.005) return "less than 0.01 s";
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
