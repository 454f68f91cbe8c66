/** Vectors of words: the nearest words, and what is to c as b is to a. */
import { decodeStrings } from "./lm.js";

export class WordVectors {
  /** @param {import("./container.js").ModelFile} file */
  static async read({ arrays, meta }) {
    return new WordVectors(arrays, meta);
  }

  constructor(arrays, { parameters: { size, scale } }) {
    const ends = Array.from(arrays.word_ptr.data, Number).slice(1);
    this.words = decodeStrings(arrays.word_data.data, ends);
    this.numbers = new Map(this.words.map((word, number) => [word, number]));
    this.size = size;
    this.units = denseCodes(arrays, this.words.length, size);
    this.scale(scale);
  }

  /** Divides dimensions by their root mean square to the power `scale`, and makes rows of length 1. */
  scale(scale) {
    const { units, size } = this, n = this.words.length, squares = new Float64Array(size);
    units.forEach((value, i) => (squares[i % size] += value * value));
    const divisor = squares.map((sum) => (sum > 0 ? Math.sqrt(sum / n) ** scale : 1));
    for (let i = 0; i < n; ++i) {
      const row = units.subarray(i * size, (i + 1) * size);
      let sum = 0;
      for (let d = 0; d < size; ++d) {
        row[d] /= Math.fround(divisor[d]);
        sum += row[d] * row[d];
      }
      const length = Math.max(Math.sqrt(sum), 1e-12);
      for (let d = 0; d < size; ++d) row[d] /= length;
    }
  }

  /** The vector of a word, of length 1; null if there is none. */
  unit(word) {
    const i = this.numbers.get(word);
    return i === undefined ? null : this.units.subarray(i * this.size, (i + 1) * this.size);
  }

  /**
   * The nearest words with their cosines.
   * @param {string} word
   * @param {number} [k]
   * @returns {[string, number][]}
   */
  mostSimilar(word, k = 10) {
    return this.nearest(this.unit(word), [word], k);
  }

  /** The words that are to c as b is to a. */
  analogy(a, b, c, k = 10) {
    const [x, y, z] = [a, b, c].map((word) => this.unit(word));
    return this.nearest(y && x && z && y.map((value, d) => value - x[d] + z[d]), [a, b, c], k);
  }

  nearest(wanted, without, k) {
    if (!wanted) return [];
    const { units, size } = this, length = Math.max(1e-12, Math.hypot(...wanted));
    const left = new Set(without), found = [];
    this.words.forEach((word, i) => {
      if (left.has(word)) return;
      let cosine = 0;
      for (let d = 0; d < size; ++d) cosine += units[i * size + d] * wanted[d];
      found.push([word, cosine / length]);
    });
    return found.sort((a, b) => b[1] - a[1]).slice(0, k);
  }
}

/** Codes by rows: values lie where a mask has a one, or in listed dimensions. */
function denseCodes({ values, mask, lengths, dimensions }, n, size) {
  const codes = new Float32Array(n * size);
  let next = 0;
  if (mask) {
    for (let i = 0; i < n * size; ++i)
      if ((mask.data[i >>> 3] >>> (7 - (i & 7))) & 1) codes[i] = values.data[next++];
    return codes;
  }
  lengths.data.forEach((length, i) => {
    for (let j = 0; j < length; ++j, ++next)
      codes[i * size + dimensions.data[next]] = values.data[next];
  });
  return codes;
}
