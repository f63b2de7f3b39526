// The state of the page in its address: everything after `#`.

/** The start position. */
export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/** Reads the state: the root, the moves from there, the depth below them, the device, whether kinds of moves are counted. */
export function read() {
  const fields = new URLSearchParams(location.hash.slice(1).replaceAll("_", " "));
  const depth = Number(fields.get("depth"));
  const device = fields.get("device");
  return {
    root: fields.get("fen") ?? START,
    line: fields.get("moves")?.split(" ").filter(Boolean) ?? [],
    depth: Number.isInteger(depth) && depth >= 1 && depth <= 30 ? depth : 5,
    device: ["cpu", "gpu"].includes(device) ? device : "auto",
    kinds: fields.get("kinds") === "1",
  };
}

/** Returns the part of the address for a state. */
export function write({ root, line, depth, device, kinds }) {
  const fields = [["fen", root], ["moves", line.join(" ")], ["depth", depth], ["device", device === "auto" ? "" : device], ["kinds", kinds ? 1 : ""]];
  // Underscores instead of spaces, and plain slashes, keep a FEN legible.
  const text = fields.filter(([, value]) => value !== "").map(([name, value]) => `${name}=${String(value).replaceAll(" ", "_")}`);
  return `#${text.join("&")}`;
}
