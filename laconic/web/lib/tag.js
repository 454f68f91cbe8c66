/** Taggers: the best path through start[y_0] + sum_t unary[t][y_t] + edge[y_{t-1}][y_t]. */
import { unpackJson } from "./container.js";
import { Encoder, Features, Keys } from "./features.js";
import { convertLabels, mayEnd, mayFollow } from "./labels.js";
import { mapsOf } from "./maps.js";

const atom = /^ ?\|?((?:[^"[|]|"[^"]*")+)\[(-?\d+)\]/;

/** The views and offsets that a template's name lists. */
function parseTemplate(name) {
  const pairs = name.startsWith("pairs:"), atoms = [];
  let rest = pairs ? name.slice(6) : name;
  while (rest && rest !== "bias") {
    const [all, view, offset] = atom.exec(rest);
    atoms.push({ view, offset: Number(offset) });
    rest = rest.slice(all.length);
  }
  return { name, pairs, atoms };
}

export class Tagger {
  /** @param {import("./container.js").ModelFile} file */
  static async read({ arrays }) {
    return new Tagger(arrays, await unpackJson(arrays.about));
  }

  constructor(arrays, about) {
    this.columns = about.parameters.columns;
    this.labels = about.labels;
    this.scheme = about.scheme;
    this.givenScheme = about.given_scheme;
    this.bars = about.parameters.constrained ? barsOf(about.labels, about.scheme) : null;
    this.templates = about.kept.map((m) => parseTemplate(about.templates[m]));
    const views = [...new Set(this.templates.flatMap(({ atoms }) => atoms.map((a) => a.view)))];
    this.encoder = new Encoder(views, this.columns, mapsOf(arrays, "value"), about.paths);
    for (const template of this.templates)
      for (const one of template.atoms) one.row = views.indexOf(one.view);
    const offsets = this.templates.flatMap(({ atoms }) => atoms.map((a) => Math.abs(a.offset)));
    this.reach = Math.max(0, ...offsets);
    this.hasPairs = this.templates.some((template) => template.pairs);
    const n = this.labels.length, { nValues } = this.encoder;
    const radixes = this.templates.map(({ atoms }) =>
      atoms.map((a) => Math.max(1, nValues[a.row] + Math.abs(a.offset))),
    );
    this.features = new Features(arrays, about, radixes, this.hasPairs ? n * n : n);
    this.keys = new Keys(256);
    this.edge = arrays.edge.data;
    this.start = arrays.start.data;
  }

  /**
   * The row of weights of a template's feature at every token, -1 for none.
   * @param {number} m
   * @param {Int32Array[]} encoded
   * @param {number} n tokens
   * @returns {Int32Array}
   */
  rows(m, encoded, n) {
    if (this.keys.rows.length < n) this.keys = new Keys(2 * n);
    this.keys.open(this.features.radix[m], n);
    this.templates[m].atoms.forEach(({ row, offset }, a) =>
      this.keys.add(a, encoded[row], offset + this.reach),
    );
    this.keys.close();
    return this.features.find(m, this.keys);
  }

  /**
   * Scores of labels (n x L) and transitions into every token: one table, or one per token.
   * @param {string[][]} columns
   */
  scores(columns) {
    const n = columns[0].length, L = this.labels.length;
    const encoded = this.encoder.encode(columns, this.reach), unary = new Float32Array(n * L);
    let edges = this.edge;
    if (this.hasPairs) {
      edges = new Float32Array(n * L * L);
      for (let t = 0; t < n; ++t) edges.set(this.edge, t * L * L);
    }
    this.templates.forEach(({ pairs }, m) => {
      const step = pairs ? L * L : L;
      addRows(this.features.rows, this.rows(m, encoded, n), n, pairs ? edges : unary, step);
    });
    return { unary, edges };
  }

  /**
   * The labels of one sentence.
   * @param {string[] | string[][]} tokens words, or one list of strings per token
   * @returns {string[]}
   */
  predict(tokens) {
    if (tokens.length === 0) return [];
    return this.decode(this.scores(this.split(tokens)), tokens.length);
  }

  /** The strings of tokens, column by column. */
  split(tokens) {
    return this.columns.map((_, c) =>
      tokens.map((token) => (typeof token === "string" ? token : token[c])),
    );
  }

  /**
   * The features of a token that have a weight for a label, in the scheme of learning.
   * @param {string[] | string[][]} tokens
   * @param {number} t
   * @param {string} label
   * @returns {{name: string, weight: number}[]}
   */
  explain(tokens, t, label) {
    const columns = this.split(tokens), n = tokens.length, encoded = this.encoder.encode(columns, this.reach);
    const { ptr, label: labels, value } = this.features.rows, k = this.labels.indexOf(label);
    const found = [];
    this.templates.forEach(({ atoms, pairs }, m) => {
      const row = this.rows(m, encoded, n)[t];
      if (row < 0 || pairs) return;
      const names = atoms.map(({ view, row: v, offset }) => {
        const { column, of } = this.encoder.views[v], at = t + offset;
        const string = columns[this.columns.indexOf(column)][at];
        return `${view}[${offset}]=${string === undefined ? (at < 0 ? "start" : "end") : of(string)}`;
      });
      for (let cell = ptr[row]; cell < ptr[row + 1]; ++cell)
        if (labels[cell] === k)
          found.push({ name: names.join(" | ") || "always", weight: value[cell] });
    });
    return found;
  }

  decode({ unary, edges }, n) {
    const { labels, scheme, bars } = this, L = labels.length;
    let { start } = this;
    if (bars) {
      [unary, edges, start] = [unary, edges, start].map((scores) => Float64Array.from(scores));
      for (let j = 0; j < L; ++j) (start[j] += bars.start[j]), (unary[(n - 1) * L + j] += bars.end[j]);
      for (let i = 0; i < edges.length; ++i) edges[i] += bars.edge[i % (L * L)];
    }
    const found = Array.from(viterbi(unary, n, edges, this.hasPairs, start), (k) => labels[k]);
    return scheme === this.givenScheme ? found : convertLabels(found, this.givenScheme);
  }
}

/** Minus infinity for every start, transition and end that the scheme of labels forbids. */
function barsOf(labels, scheme) {
  const bar = (allowed) => (allowed ? 0 : -Infinity);
  return {
    start: labels.map((b) => bar(mayFollow(null, b, scheme))),
    edge: labels.flatMap((a) => labels.map((b) => bar(mayFollow(a, b, scheme)))),
    end: labels.map((b) => bar(mayEnd(b, scheme))),
  };
}

/** Adds the weights of row rows[t] to the scores from t * step on. */
function addRows({ ptr, label, value }, rows, n, scores, step) {
  for (let t = 0; t < n; ++t) {
    const row = rows[t];
    if (row < 0) continue;
    const end = ptr[row + 1], here = t * step;
    for (let cell = ptr[row]; cell < end; ++cell) scores[here + label[cell]] += value[cell];
  }
}

/** The best path; ties go to the smaller label, the last token's first. */
export function viterbi(unary, n, edges, perToken, start) {
  const L = start.length, Real = start.constructor, rows = new Real(n * L);
  const round = Real === Float32Array ? Math.fround : (x) => x;
  for (let j = 0; j < L; ++j) rows[j] = unary[j] + start[j];
  const most = new Real(L);
  for (let t = 1; t < n; ++t) {
    const before = (t - 1) * L, table = perToken ? t * L * L : 0;
    most.fill(-Infinity);
    for (let i = 0; i < L; ++i) {
      const reached = rows[before + i], row = table + i * L;
      for (let j = 0; j < L; ++j) {
        const sum = reached + edges[row + j];
        if (sum > most[j]) most[j] = sum;
      }
    }
    for (let j = 0; j < L; ++j) rows[t * L + j] = most[j] + unary[t * L + j];
  }
  const best = new Int32Array(n), end = (n - 1) * L;
  for (let j = 1; j < L; ++j) if (rows[end + j] > rows[end + best[n - 1]]) best[n - 1] = j;
  for (let t = n - 1; t > 0; --t) {
    const column = (perToken ? t * L * L : 0) + best[t], before = (t - 1) * L;
    const reached = rows[t * L + best[t]], here = unary[t * L + best[t]];
    let label = 0;
    while (
      label + 1 < L &&
      round(round(rows[before + label] + edges[column + label * L]) + here) !== reached
    )
      ++label;
    best[t - 1] = label;
  }
  return best;
}
