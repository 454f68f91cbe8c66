/** Classifiers of texts: argmax_k x W_k + b_k, x the weighted bag of words of a document. */
import { unpackJson } from "./container.js";
import { Documents } from "./documents.js";
import { mapsOf } from "./maps.js";
import { Rows } from "./rows.js";

/**
 * @typedef {Object} Prediction
 * @property {any} label the label, or the list of labels where a document may have several
 * @property {Float64Array} scores one per label; a single one, of the second label, for two labels
 * @property {number[]} probabilities one per label
 */

export class Classifier {
  /** @param {import("./container.js").ModelFile} file */
  static async read({ arrays }) {
    const about = await unpackJson(arrays.about);
    if (about.columns) throw new Error("the model reads columns beside the text");
    return new Classifier(arrays, about);
  }

  constructor(arrays, about) {
    this.labels = about.labels;
    this.weighting = about.settings.weighting;
    this.tfidf = this.weighting.endsWith("tfidf");
    this.unitRows = about.unit_rows ?? this.tfidf;
    this.documents = new Documents(about);
    this.intercept = arrays.intercept.data;
    this.thresholds = arrays.threshold ? arrays.threshold.data : null;
    [this.map] = mapsOf(arrays, "word");
    this.rowOf = arrays.code_row.data; // 0: none, k: row k - 1
    this.idfOf = this.tfidf ? arrays.code_idf.data : null;
    this.idf = this.tfidf ? arrays.idf.data : null;
    this.rows = new Rows(arrays, about, this.intercept.length);
  }

  /**
   * The features of a text: how often each occurs, its value, and where.
   * @param {string} text
   */
  features(text) {
    const units = this.documents.units(text), found = new Map();
    let length = 0;
    units.forEach(({ words }, unit) => {
      length += words.length;
      this.documents.features(words, (name, first, last) => {
        const number = this.map.number(name);
        if (number < 0) return;
        let feature = found.get(number);
        if (!feature) found.set(number, (feature = { name, code: this.map.code(number), at: [] }));
        feature.at.push([unit, first, last]);
      });
    });
    const root = Math.sqrt(Math.max(length, 1));
    let squares = 0;
    for (const feature of found.values()) {
      const { weighting } = this;
      let value = weighting === "binary" ? 1 : feature.at.length;
      if (weighting.startsWith("log")) value = 1 + Math.log(value);
      if (this.tfidf) value *= this.idf[this.idfOf[feature.code]];
      feature.value = value;
      squares += value * value;
    }
    const divisor = this.unitRows ? Math.sqrt(squares) || 1 : root;
    if (this.tfidf || this.weighting === "log")
      for (const feature of found.values()) feature.value /= divisor;
    return { units, found: [...found.values()] };
  }

  /** Calls body(output, weight) for the weights of a feature. */
  weights(code, body) {
    const row = this.rowOf[code] - 1, { ptr, label, value } = this.rows;
    if (row < 0) return;
    for (let cell = ptr[row]; cell < ptr[row + 1]; ++cell) body(label[cell], value[cell]);
  }

  /**
   * @param {string} text
   * @returns {Float64Array}
   */
  scores(text) {
    return this.scoresOf(this.features(text).found);
  }

  scoresOf(found) {
    const scores = new Float64Array(this.intercept.length);
    for (const { code, value } of found)
      this.weights(code, (output, weight) => (scores[output] += value * weight));
    return scores.map((score, k) => score + this.intercept[k]);
  }

  /** @returns {Prediction} */
  predict(text) {
    return this.decide(this.scores(text));
  }

  decide(scores) {
    const { labels, thresholds } = this;
    const probabilities = this.probabilities(scores);
    let label;
    if (thresholds) label = labels.filter((_, k) => scores[k] > thresholds[k]);
    else if (scores.length === 1) label = labels[scores[0] > 0 ? 1 : 0];
    else label = labels[scores.indexOf(Math.max(...scores))];
    return { label, scores, probabilities };
  }

  probabilities(scores) {
    if (this.thresholds) return Array.from(scores, (s) => 1 / (1 + Math.exp(-s)));
    const all = scores.length === 1 ? [0, scores[0]] : [...scores];
    const top = Math.max(...all), shares = all.map((s) => Math.exp(s - top));
    const sum = shares.reduce((a, b) => a + b);
    return shares.map((share) => share / sum);
  }

  /**
   * What each word adds to the scores: its own part and those of phrases and prefixes.
   * @param {string} text
   * @returns {{units: import("./documents.js").Unit[], words: Float64Array[][],
   *   prediction: Prediction}} words[unit][word][output]
   */
  explain(text) {
    const { units, found } = this.features(text);
    const words = units.map((unit) => unit.words.map(() => new Float64Array(this.intercept.length)));
    for (const { code, value, at } of found)
      for (const [unit, first, last] of at)
        this.weights(code, (output, weight) => {
          const part = (value * weight) / at.length / (last - first);
          for (let i = first; i < last; ++i) words[unit][i][output] += part;
        });
    return { units, words, prediction: this.decide(this.scoresOf(found)) };
  }
}
