/** The parts of dependency trees, arcs and pairs of arcs, and their scores. */
import { Encoder, Features, Keys } from "./features.js";
import { mapsOf } from "./maps.js";

const ROLES = "hmsgt", DIRECTION = 1, DISTANCE = 2;
const pieceOf = /^(?:([hmsgt]|between)\.((?:[^"|[]|"[^"]*")+)(?:\[([+-]?\d+)\])?|bias|dir|dist)(?:\||$)/;

/** What the name of a template of parts says; kind 0 are arcs, 1 siblings, 2 grandchildren. */
function parsePartTemplate(name) {
  const template = { atoms: [], special: 0, between: null };
  for (let rest = name; rest; ) {
    const [all, role, view, offset] = pieceOf.exec(rest);
    if (role === "between") template.between = view;
    else if (role) template.atoms.push({ role: ROLES.indexOf(role), view, offset: Number(offset || 0) });
    else if (all.startsWith("dir")) template.special = DIRECTION;
    else if (all.startsWith("dist")) template.special = DISTANCE;
    rest = rest.slice(all.length);
  }
  const has = (role) => template.atoms.some((atom) => atom.role === role);
  template.kind = has(4) ? 4 : has(3) ? (has(2) ? 3 : 2) : has(2) ? 1 : 0;
  template.knowsShape = template.special > 0 || template.kind > 0;
  return template;
}

const distanceBin = (h, m) => {
  const length = Math.abs(h - m);
  return length <= 5 ? length : length <= 10 ? 6 : length <= 20 ? 7 : 8;
};

/** Parts of one kind: the words of their five roles, and the place of each one's score. */
class PartList {
  constructor() {
    this.words = [[], [], [], [], []];
    this.places = [];
    this.nPlaces = 0;
  }
  add(h, m, s, g, nobody, place) {
    [h, m, s, g, nobody].forEach((word, role) => this.words[role].push(word));
    this.places.push(place);
  }
}

/** The parts that arcs which may be make; numbers of words from 1, n is nobody, 0 the root. */
export class Layout {
  constructor(n, model, single, allowed) {
    Object.assign(this, { n, single, lists: [new PartList(), new PartList(), new PartList()] });
    const [arcs] = this.lists;
    this.arcOf = new Int32Array(n * n).fill(-1);
    this.first = [0];
    for (let h = 0; h < n; ++h) {
      for (let m = 1; m < n; ++m) {
        if (m === h || !allowed(h, m)) continue;
        this.arcOf[h * n + m] = arcs.places.length;
        arcs.add(h, m, n, n, n, arcs.places.length);
      }
      this.first.push(arcs.places.length);
    }
    this.nArcs = arcs.nPlaces = arcs.places.length;
    if (model !== "arcs") this.addSiblings();
    if (model === "carreras") this.addGrandchildren();
  }
  ends(arc) {
    return [this.lists[0].words[0][arc], this.lists[0].words[1][arc]];
  }
  addSiblings() {
    const { n, lists: [, list] } = this;
    this.siblingRow = new Int32Array(this.nArcs);
    for (let a = 0; a < this.nArcs; ++a) {
      const [h, m] = this.ends(a), row = (this.siblingRow[a] = list.nPlaces), step = h < m ? 1 : -1;
      list.add(h, m, n, n, n, row);
      if (h > 0 || !this.single)
        for (let s = h + step; s !== m; s += step)
          if (this.arcOf[h * n + s] >= 0) list.add(h, m, s, n, n, row + Math.abs(s - h));
      list.nPlaces += Math.abs(m - h);
    }
  }
  addGrandchildren() {
    const { n, lists: [, , list] } = this;
    for (let a = 0; a < this.nArcs; ++a) {
      const [g, h] = this.ends(a);
      list.add(h, n, n, g, n, a * n + h);
      for (let b = this.first[h]; b < this.first[h + 1]; ++b) {
        const [, m] = this.ends(b);
        if (!((g < h && m <= g) || (g > h && m >= g))) list.add(h, m, n, g, n, a * n + m);
      }
    }
    list.nPlaces = this.nArcs * n;
  }
  /** What grammars ask for: the scores of parts. */
  scores([arcs, siblings, grandchildren]) {
    const { n, single, nArcs, arcOf, siblingRow } = this, number = (h, m) => arcOf[h * n + m];
    return {
      n, single, nArcs, number,
      allowed: (h, m) => arcOf[h * n + m] >= 0,
      ends: (arc) => this.ends(arc),
      arc: (h, m) => arcs[number(h, m)],
      sibling: (h, m, s) => siblings[siblingRow[number(h, m)] + Math.abs(s - h)],
      grandchild: (h, m, c) => grandchildren[number(h, m) * n + c],
    };
  }
}

/** Templates with weights that score parts. */
export class Scorer {
  constructor(arrays, about, templates, columns) {
    this.templates = templates.map(parsePartTemplate);
    const used = this.templates.flatMap(({ atoms, between }) =>
      [...atoms.map((atom) => atom.view), ...(between ? [between] : [])]);
    const views = [...new Set(used)];
    this.encoder = new Encoder(views, columns, mapsOf(arrays, "value"), about.paths);
    const { nValues } = this.encoder;
    const radixes = this.templates.map((template) => {
      for (const atom of template.atoms) atom.row = views.indexOf(atom.view);
      const radix = template.atoms.map(({ row, offset }) => nValues[row] + 2 + Math.abs(offset));
      if (template.knowsShape) radix.push(this.nDirections(template) * (template.special === DISTANCE ? 8 : 1));
      if (template.between) {
        template.betweenRow = views.indexOf(template.between);
        radix.push(Math.max(1, nValues[template.betweenRow]));
      }
      return radix;
    });
    this.features = new Features(arrays, about, radixes, 1);
    this.keys = new Keys(4096);
  }
  nDirections({ kind }) {
    return kind >= 2 ? 4 : 2;
  }

  /** The scores of the parts of a sentence, kind by kind. */
  score(columns, layout) {
    const { n } = layout, encoded = this.encoder.encode(columns, 0);
    const scores = layout.lists.map((list) => new Float64Array(list.nPlaces));
    this.templates.forEach((template, k) => {
      const list = layout.lists[template.kind];
      const parts = template.between ? this.between(encoded[template.betweenRow], list) : { list };
      const count = (parts.part || list.places).length, picked = new Int32Array(count);
      const { row, of } = this.found(k, template, encoded, n, list, parts.part, parts.value, picked);
      const { value } = this.features.rows, out = scores[template.kind];
      for (let j = 0; j < count; ++j) if (row[j] >= 0) out[list.places[of(j)]] += value[row[j]];
    });
    return scores;
  }

  /** The rows of one template's features at parts: all of a list, or those of the numbers `part`. */
  found(k, template, encoded, n, list, part, between, picked) {
    const count = picked.length, of = part ? (j) => part[j] : (j) => j;
    if (this.keys.rows.length < count) this.keys = new Keys(2 * count);
    const { keys } = this;
    keys.open(this.features.radix[k], count);
    template.atoms.forEach((atom, a) => {
      const values = this.atomValues(atom, encoded[atom.row], n), words = list.words[atom.role];
      for (let j = 0; j < count; ++j) picked[j] = values[words[of(j)]];
      keys.add(a, picked, 0);
    });
    let a = template.atoms.length;
    if (template.knowsShape) {
      const { words: [hs, ms, , gs] } = list, grand = template.kind >= 2;
      const distance = template.special === DISTANCE;
      for (let j = 0; j < count; ++j) {
        const h = hs[of(j)], m = ms[of(j)];
        const side = grand ? (h < m) * 2 + (gs[of(j)] < h) : Number(h < m);
        picked[j] = (distance ? distanceBin(h, m) - 1 : 0) * this.nDirections(template) + side;
      }
      keys.add(a++, picked, 0);
    }
    if (between) keys.add(a, Int32Array.from(between), 0);
    keys.close();
    return { row: this.features.find(k, keys), of };
  }

  /** The value of an atom at words 0 (the root) .. n (nobody). */
  atomValues({ row, offset }, values, n) {
    const nValues = this.encoder.nValues[row];
    return Int32Array.from({ length: n + 1 }, (_, p) => {
      if (p === n) return nValues + 1;
      const at = p + offset;
      if (at < 0) return nValues + 1 - at;
      if (at >= n) return nValues + 1 + (at - n + 1);
      return at === 0 ? nValues : values[at - 1];
    });
  }

  /** Every distinct value between the words of every arc: the number of the arc, and the value. */
  between(values, list) {
    const part = [], value = [];
    list.places.forEach((_, i) => {
      const h = list.words[0][i], m = list.words[1][i], seen = new Set();
      for (let p = Math.min(h, m) + 1; p < Math.max(h, m); ++p) {
        const one = values[p - 1];
        if (one < 0 || seen.has(one)) continue;
        seen.add(one);
        part.push(i);
        value.push(one);
      }
    });
    return { part, value };
  }
}
