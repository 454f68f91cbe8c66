/** Labels of trees: what a token's place in its tree is, and trees with lifted arcs put back. */

const ROOT = "<root>", NONE = "<none>", FAR = [1, 2, 3, 4, 5, 7, 10, 15, 20], MANY = 3;
const COLUMNS = ["word", "lemma", "coarse", "fine", "morph"];

/** Columns about every token's place in its tree, as laconic/parse/relation_columns.py has them. */
export function relationColumns(table, heads) {
  const n = heads.length, root = n, up = [...heads].map((h) => (h > 0 ? h - 1 : root));
  const headOf = (t) => (t < 0 ? -1 : t === root ? root : up[t]);
  const cell = (column, t) => (t < 0 ? NONE : t >= root ? ROOT : table[column][t]);
  const children = Array.from({ length: n + 1 }, () => []);
  up.forEach((h, t) => children[h].push(t));
  const lefts = children.map((own, h) => (h === root ? [] : own.filter((t) => t < h)));
  const rights = children.map((own, h) => (h === root ? own : own.filter((t) => t > h)));
  const order = (a, b) => compare(a, b);
  const tags = (own) => [...new Set(own.map((t) => table.coarse[t]))].sort(order).join("+");
  const sets = children.map((_, h) => `${tags(lefts[h])}/${tags(rights[h])}`);
  const side = (t, h) => (h >= root ? "root" : t < h ? "left" : "right");
  const found = {};
  const add = (name, of) => (found[name] = up.map((h, t) => of(t, h)));
  for (const column of COLUMNS) {
    add(column, (t) => table[column][t]);
    add(`head.${column}`, (_, h) => cell(column, h));
  }
  const beside = (h, step) => (h < root && h + step >= 0 && h + step < n ? h + step : -1);
  add("head.before", (_, h) => cell("coarse", beside(h, -1)));
  add("head.after", (_, h) => cell("coarse", beside(h, 1)));
  const places = up.map((h, t) => children[h].indexOf(t));
  const relatives = {
    grand: (t, h) => headOf(h),
    left: (t) => lefts[t][0] ?? -1,
    right: (t) => rights[t].at(-1) ?? -1,
    inner: (t) => lefts[t].at(-1) ?? -1,
    previous: (t, h) => children[h][places[t] - 1] ?? -1,
    next: (t, h) => children[h][places[t] + 1] ?? -1,
  };
  for (const [relative, of] of Object.entries(relatives))
    for (const column of ["coarse", "lemma"])
      add(`${relative}.${column}`, (t, h) => cell(column, of(t, h)));
  add("side", side);
  add("grand.side", (t, h) => (h >= root ? NONE : side(h, headOf(h))));
  add("distance", (t, h) => {
    const apart = FAR.findLastIndex((far) => far <= Math.abs(t - h));
    return h >= root ? "root" : side(t, h) + FAR[apart];
  });
  add("rank", (t, h) => {
    const fromHead = places[t] - lefts[h].length;
    return String(Math.min(MANY, fromHead < 0 ? -fromHead - 1 : fromHead));
  });
  add("children", (t) => sets[t]);
  add("head.children", (_, h) => sets[h]);
  return found;
}

/** The order of strings by their characters, as Python and NumPy have it. */
function compare(a, b) {
  const [x, y] = [[...a], [...b]];
  for (let i = 0; i < Math.min(x.length, y.length); ++i)
    if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  return x.length - y.length;
}

const marked = /^(.*?)(↓?)(?:(↑)([0-9]{0,4}))?$/su;

/**
 * The tree that a marked one stands for, and labels without marks (Nivre and Nilsson 2005).
 * @param {number[]} heads counted from 1, 0 is the root
 * @param {string[]} labels
 */
export function sink(heads, labels) {
  const parts = labels.map((label) => marked.exec(label)), onPath = parts.map((part) => !!part[2]);
  const targets = new Map();
  parts.forEach(([, , , lifted, number], token) => {
    const found = lifted ? sinkPlaces(heads, onPath, token) : [];
    if (found.length) targets.set(token, found[Number(number || 0)] ?? found[0]);
  });
  let sunk = heads.map((head, token) => targets.get(token) ?? head);
  if (sunk.some((_, token) => !leadsTo(sunk, token + 1, -1))) {
    sunk = [...heads];
    for (const [token, target] of targets)
      if (!leadsTo(sunk, target, token)) sunk[token] = target;
  }
  return { heads: sunk, labels: parts.map((part) => part[1]) };
}

/** The marked tokens that a lifted token may sink to, the deepest below its head first. */
function sinkPlaces(heads, onPath, token) {
  const all = [...heads.keys()].filter((t) => onPath[t] && t !== token).map((t) => t + 1);
  const depth = new Map([[heads[token], 0]]);
  for (let level = [heads[token]]; level.length; ) {
    level = all.filter((other) => !depth.has(other) && level.includes(heads[other - 1]));
    for (const other of level) depth.set(other, depth.get(heads[other - 1]) + 1);
  }
  const deep = (other) => depth.get(other) ?? 0, far = (other) => Math.abs(other - token - 1);
  return all.sort((a, b) => deep(b) - deep(a) || far(a) - far(b) || a - b);
}

/** Whether `token` (from 0) lies on the way from `start` (from 1) to the root; -1 is the root. */
function leadsTo(heads, start, token) {
  for (let steps = 0; start !== 0; ++steps) {
    if (start === token + 1) return true;
    if (steps > heads.length) return false;
    start = heads[start - 1];
  }
  return token === -1;
}
