/** Trees as arcs over words. */
const SVG = "http://www.w3.org/2000/svg", GAP = 14, STEP = 26, BASE = 22;

function drawnShape(name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

/**
 * A drawing of a tree.
 * @param {string[]} words
 * @param {string[]} tags below the words; empty for none
 * @param {number[]} heads counted from 1, 0 is the root
 * @param {string[] | null} labels
 */
export function drawnTree(words, tags, heads, labels) {
  const width = (text, size) => [...text].length * size + GAP;
  const widths = words.map((word, t) => Math.max(width(word, 9), width(tags[t] || "", 7),
    width(labels?.[t] || "", 6.5)));
  let end = GAP;
  const centre = widths.map((one) => (end += one) - one / 2);
  const levels = levelsOf(heads), top = BASE + STEP * Math.max(1, ...levels);
  const height = top + 44, svg = drawnShape("svg", { viewBox: `0 0 ${end + GAP} ${height}`, width: end + GAP,
    height, role: "img" });
  svg.append(drawnShape("title", {}, words.map((word, t) =>
    `${word} ← ${heads[t] ? words[heads[t] - 1] : "root"}${labels ? ` (${labels[t]})` : ""}`).join(", ")));
  words.forEach((word, t) => {
    const x = centre[t], label = labels ? labels[t] : "";
    svg.append(drawnShape("text", { x, y: top + 18, class: "word" }, word));
    if (tags[t]) svg.append(drawnShape("text", { x, y: top + 36, class: "soft" }, tags[t]));
    if (!heads[t]) {
      svg.append(drawnShape("path", { d: `M ${x} 4 V ${top - 2}`, class: "root" }));
      svg.append(drawnShape("text", { x: x + 4, y: 12, class: "soft left" }, label));
      return;
    }
    const from = centre[heads[t] - 1] + (heads[t] - 1 < t ? 5 : -5), y = top - STEP * levels[t];
    const bend = Math.min(12, Math.abs(x - from) / 2) * Math.sign(x - from);
    svg.append(drawnShape("path", { d: `M ${from} ${top} Q ${from} ${y} ${from + bend} ${y} H ${x - bend} ` +
      `Q ${x} ${y} ${x} ${top - 2}` }));
    svg.append(drawnShape("path", { d: `M ${x - 3} ${top - 6} L ${x} ${top} L ${x + 3} ${top - 6} Z`, class: "tip" }));
    svg.append(drawnShape("text", { x: (from + x) / 2, y: y - 3, class: "soft" }, label));
  });
  return svg;
}

/** How high each token's arc is drawn: above all arcs that it spans. */
function levelsOf(heads) {
  const arcs = [...heads.keys()].filter((t) => heads[t]);
  const span = (t) => [Math.min(heads[t] - 1, t), Math.max(heads[t] - 1, t)];
  const length = (t) => Math.abs(heads[t] - 1 - t), levels = heads.map(() => 0), done = [];
  arcs.sort((a, b) => length(a) - length(b));
  for (const t of arcs) {
    const [low, high] = span(t);
    const under = done.filter((other) => {
      const [a, b] = span(other);
      return a < high && b > low;
    });
    levels[t] = 1 + Math.max(0, ...under.map((other) => levels[other]));
    done.push(t);
  }
  return levels;
}
