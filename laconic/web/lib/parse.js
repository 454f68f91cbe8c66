/** Dependency parsers of orders 1 and 2: the best tree, and the labels of its arcs. */
import { unpackJson } from "./container.js";
import { Layout, Scorer } from "./parts.js";
import { relationColumns, sink } from "./relations.js";
import { Tagger } from "./tag.js";
import { arcProbabilities, crossingTree, projectiveTree } from "./trees.js";

export class Parser {
  /** @param {import("./container.js").ModelFile} file */
  static async read({ arrays }) {
    const about = await unpackJson(arrays.about), parser = new Parser(arrays, about);
    const tagger = (part) => (about[part] ? Tagger.read({ arrays: partOf(arrays, part) }) : null);
    parser.labeler = await tagger("labels");
    parser.tagger = await tagger("tags");
    return parser;
  }

  constructor(arrays, about) {
    const { model, crossing, columns, prune, most_heads: mostHeads } = about.parameters;
    if (!["arcs", "siblings", "carreras"].includes(model))
      throw new Error(`parsers of order 3 (${model}) are not read here`);
    Object.assign(this, { model, crossing, columns, mostHeads });
    this.mostTokens = about.parameters.most_tokens ?? 400;
    this.single = about.single_root;
    const kept = about.kept.map((m) => about.templates[m]);
    this.scorer = new Scorer(partOf(arrays, "parser"), about.parser, kept, columns);
    const { pruner } = about;
    this.pruner = pruner
      ? new Scorer(partOf(arrays, "pruner"), pruner, pruner.templates, columns)
      : null;
    this.threshold = prune ?? (model === "arcs" ? 0 : 1e-4);
  }

  /**
   * The tree of one sentence.
   * @param {string[] | string[][]} tokens words, or one list of columns per token
   * @returns {{heads: number[], labels: string[] | null, columns: Object<string, string[]>}}
   *   heads are counted from 1, 0 is the root
   */
  predict(tokens) {
    const table = this.table(tokens), columns = this.columns.map((name) => table[name]);
    const n = tokens.length + 1;
    if (tokens.length > this.mostTokens) throw new Error("a sentence is too long: cut it");
    const allowed = this.pruner ? this.candidates(columns, n) : () => true;
    const heads = this.tree(columns, n, allowed);
    if (!this.labeler) return { heads, labels: null, columns: table };
    const about = relationColumns(table, heads);
    const labels = this.labeler.predict(
      tokens.map((_, t) => this.labeler.columns.map((name) => about[name][t])),
    );
    const found = this.crossing ? { heads, labels } : sink(heads, labels);
    return { ...found, labels: found.labels.some((label) => label) ? found.labels : null, columns: table };
  }

  /** The columns of tokens; a parser of plain text tags words by itself. */
  table(tokens) {
    const words = tokens.map((token) => (typeof token === "string" ? token : token[0]));
    if (!this.tagger)
      return Object.fromEntries(this.columns.map((name, c) => [name, tokens.map((t) => t[c])]));
    const tags = this.tagger.predict(words).map((label) => {
      const [coarse, ...fine] = label.split("|");
      return [coarse, fine.join("|")];
    });
    return {
      word: words,
      lemma: words.map((word) => word.toLowerCase()),
      coarse: tags.map(([coarse]) => coarse),
      fine: tags.map(([, fine]) => fine),
      morph: words.map(() => "_"),
    };
  }

  tree(columns, n, allowed) {
    const layout = new Layout(n, this.model, this.single, allowed);
    const scores = this.scorer.score(columns, layout);
    const heads = this.crossing
      ? crossingTree(denseArcs(layout, scores[0]), n, this.single)
      : projectiveTree(this.model, layout.scores(scores));
    return Array.from(heads.subarray(1));
  }

  /** Which arcs the pruner leaves: the likely ones, and those of its best projective tree. */
  candidates(columns, n) {
    const layout = new Layout(n, "arcs", false, () => true);
    const scores = this.pruner.score(columns, layout);
    const probability = arcProbabilities(denseArcs(layout, scores[0]), n);
    const best = projectiveTree("arcs", layout.scores(scores)), may = new Uint8Array(n * n);
    for (let m = 1; m < n; ++m) {
      const heads = [...Array(n).keys()].filter((h) => h !== m);
      const p = (h) => probability[h * n + m];
      heads.sort((a, b) => p(b) - p(a) || a - b);
      for (const h of heads.slice(0, this.mostHeads))
        if (p(h) >= this.threshold * p(heads[0])) may[h * n + m] = 1;
      may[best[m] * n + m] = 1;
    }
    return (h, m) => may[h * n + m] === 1;
  }
}

/** The scores of arcs by (head, modifier). */
function denseArcs(layout, scores) {
  return Float64Array.from(layout.arcOf, (arc) => (arc < 0 ? -Infinity : scores[arc]));
}

/** The arrays of a part under their own names. */
function partOf(arrays, part) {
  const own = Object.entries(arrays).filter(([name]) => name.startsWith(`${part}.`));
  return Object.fromEntries(own.map(([name, array]) => [name.slice(part.length + 1), array]));
}
