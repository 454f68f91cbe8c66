/** Language models: log p(word | the words before), by n-grams and n-grams of classes of words. */
import { bitWidth, bitsAt } from "./bits.js";
import { S } from "./words.js";

const UNKNOWN = 0, END = 1;
const gaps = new RegExp(`[${S}]+`, "u");
const FIELDS = ["label", "gain", "weight", "children", "gains", "weights"];

/** Strings that lie one after the other in an array of bytes. */
export function decodeStrings(data, ends) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let begin = 0;
  return ends.map((end) => {
    const found = decoder.decode(data.subarray(begin, end));
    begin = end;
    return found;
  });
}

/**
 * N-grams of one order, below those of one word less: the newest word is the nearest to the root.
 * Numbers of log probabilities and of back-off weights mean values of small tables.
 */
class Level {
  constructor(arrays, k, size, below, labelBits) {
    const found = Object.fromEntries(FIELDS.map((name) => [name, arrays[`${k}.${name}`]?.data]));
    Object.assign(this, found, { size, labelBits });
    this.gainBits = bitWidth(this.gains.length - 1);
    this.weightBits = bitWidth(this.weights.length - 1);
    if (found.children) this.first = Level.firstChildren(found.children, size, below);
  }
  /** The children of node i are first[i] .. first[i + 1] - 1: a one for each, then a zero. */
  static firstChildren(bits, size, below) {
    const first = new Uint32Array(size + 1);
    let node = 0, child = 0;
    for (let bit = 0; bit < size + below; ++bit)
      if ((bits[bit >>> 5] >>> (bit & 31)) & 1) ++child;
      else first[++node] = child;
    if (node !== size || child !== below) throw new Error("n-grams and their children do not agree");
    return first;
  }
  value(table, i) {
    return table[Math.min(i, table.length - 1)];
  }
  gainOf(node) {
    return this.value(this.gains, bitsAt(this.gain, node * this.gainBits, this.gainBits));
  }
  weightOf(node) {
    return this.value(this.weights, bitsAt(this.weight, node * this.weightBits, this.weightBits));
  }
  /** The node among first .. last - 1 with this label, -1 if there is none. */
  find(first, last, label) {
    while (first < last) {
      const middle = (first + last) >>> 1;
      const its = bitsAt(this.label, middle * this.labelBits, this.labelBits);
      if (its === label) return middle;
      if (its < label) first = middle + 1;
      else last = middle;
    }
    return -1;
  }
}

/** What was said: words, the newest first, and the back-off weights of these contexts. */
/** @typedef {{words: number[], weights: number[]}} History */

class Trie {
  constructor(arrays, sizes, nWords) {
    const labelBits = bitWidth(nWords);
    this.levels = sizes.map((size, k) => new Level(arrays, k + 1, size, sizes[k + 1], labelBits));
    this.nWords = nWords;
  }
  /** @returns {History} */
  start() {
    return { words: [this.nWords], weights: [this.levels[0].weightOf(this.nWords)] };
  }
  /**
   * log p(word | history) = gain of the longest n-gram that ends with it + the weights of all
   * contexts that are longer than its own.
   */
  step({ words, weights }, word, next) {
    const { levels } = this, most = Math.min(words.length + 1, levels.length);
    if (next) {
      next.words = [word];
      next.weights = [levels[0].weightOf(word)];
    }
    let node = word, k = 1;
    for (; k < most; ++k) {
      const { first } = levels[k - 1];
      const child = levels[k].find(first[node], first[node + 1], words[k - 1]);
      if (child < 0) break;
      node = child;
      if (!next || k + 1 === levels.length) continue;
      next.words.push(words[k - 1]);
      next.weights.push(levels[k].weightOf(node));
    }
    let logProb = levels[k - 1].gainOf(node);
    for (let j = k - 1; j < weights.length; ++j) logProb += weights[j];
    return logProb;
  }
}

const sumOfLogs = (a, b) => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));

export class LanguageModel {
  /** @param {import("./container.js").ModelFile} file */
  static async read({ arrays, meta }) {
    return new LanguageModel(arrays, meta);
  }

  constructor(arrays, { weights, order }) {
    let end = 0;
    this.order = order;
    this.words = decodeStrings(
      arrays.word_data.data,
      Array.from(arrays.word_size.data, (size) => (end += size)),
    );
    this.numbers = new Map(this.words.map((word, number) => [word, number]));
    this.numbers.set("<s>", this.words.length);
    const first = 1 - weights.reduce((a, b) => a + b, 0);
    this.parts = [first, ...weights].map((weight, m) => {
      const own = {}, prefix = `${m}.`;
      for (const [name, array] of Object.entries(arrays))
        if (name.startsWith(prefix)) own[name.slice(prefix.length)] = array;
      const sizes = Array.from(own.sizes.data, Number);
      return {
        trie: new Trie(own, sizes, sizes[0] - 1),
        classes: own.classes?.data,
        // Older files have the logarithms of shares as they are.
        logShare: own.share
          ? Float64Array.from(own.share.data, (number) => own.shares.data[number])
          : own.log_share?.data,
        logWeight: Math.log(Math.max(weight, 1e-12)),
      };
    });
  }

  /** The number of a word; all unknown ones have the same. */
  id(word) {
    if (word === "<s>") throw new Error("<s> is the start of a sentence, which is never predicted");
    return this.numbers.get(word) ?? UNKNOWN;
  }

  /** The state at the start of a sentence. */
  start() {
    return this.parts.map(({ trie }) => trie.start());
  }

  /** log p(word | state), and the state after it. */
  step(state, word) {
    const next = [];
    let total = 0;
    this.parts.forEach((part, m) => {
      const own = {}, { trie, classes, logShare, logWeight } = part;
      const one = trie.step(state[m], classes ? classes[word] : word, own) + logWeight;
      const shared = logShare ? one + logShare[word] : one;
      total = m ? sumOfLogs(total, shared) : shared;
      next.push(own);
    });
    return { logProb: total, state: next };
  }

  /** The state after the first words of a sentence. */
  after(words) {
    return words.reduce((state, word) => this.step(state, this.id(word)).state, this.start());
  }

  /** Words of a text, which blanks separate. */
  split(text) {
    return text.split(gaps).filter((word) => word);
  }

  /**
   * Log probabilities (natural) of the words of a sentence and of its end.
   * @param {string | string[]} sentence
   * @returns {number[]}
   */
  scores(sentence) {
    const words = typeof sentence === "string" ? this.split(sentence) : sentence;
    let state = this.start();
    const ids = [...words.map((word) => this.numbers.get(word) ?? UNKNOWN), END];
    return ids.map((id) => {
      const found = this.step(state, id);
      state = found.state;
      return found.logProb;
    });
  }

  logProb(sentence) {
    return this.scores(sentence).reduce((a, b) => a + b, 0);
  }

  /** Log probabilities of all words that may come next. */
  distribution(state) {
    const total = new Float64Array(this.words.length);
    this.parts.forEach(({ trie, classes, logShare, logWeight }, m) => {
      const own = Float64Array.from({ length: trie.nWords }, (_, c) => trie.step(state[m], c));
      for (let v = 0; v < total.length; ++v) {
        const one = own[classes ? classes[v] : v] + (logWeight + (logShare ? logShare[v] : 0));
        total[v] = m ? sumOfLogs(total[v], one) : one;
      }
    });
    return total;
  }

  /**
   * The most likely next words, best first.
   * @param {string | string[]} words the first ones of a sentence
   * @param {number} [k]
   * @param {string} [prefix] letters that the words begin with
   * @returns {[string, number][]} words with their log probabilities
   */
  complete(words, k = 10, prefix = "") {
    const all = this.distribution(this.after(typeof words === "string" ? this.split(words) : words));
    let ids = [...all.keys()];
    if (prefix) ids = ids.filter((id) => id > END && this.words[id].startsWith(prefix));
    ids.sort((a, b) => all[b] - all[a] || a - b);
    return ids.slice(0, k).map((id) => [this.words[id], all[id]]);
  }
}
