/** Documents to features: the words, n-grams and prefixes of every sentence. */
import { pythonPattern } from "./patterns.js";
import { sentenceSpans } from "./sentences.js";
import { wordSpans, wordsOf } from "./words.js";

/**
 * @typedef {Object} Unit A sentence, its place in the text, and its words.
 * @property {number} start
 * @property {number} end
 * @property {string[]} words
 * @property {number[][] | null} spans places of the words in the text, if they are known
 */

export class Documents {
  /** @param {any} about the parameters and settings of a classifier */
  constructor({ parameters, settings }) {
    this.lowercase = parameters.lowercase;
    this.boundary = parameters.boundary;
    this.ngrams = settings.ngrams;
    this.prefixes = settings.prefixes;
    this.pattern = parameters.tokenizer ? pythonPattern(parameters.tokenizer, "gu") : null;
    const stop = parameters.stop_words || [];
    if (stop === "english") throw new Error("this file names a list of stop words: export the model");
    this.stop = new Set(this.lowercase ? stop.map((word) => word.toLowerCase()) : stop);
  }

  /** @returns {Unit[]} */
  units(text) {
    return sentenceSpans(text, this.boundary).map(([start, end]) => {
      let sentence = text.slice(start, end), spans, words;
      if (this.pattern) {
        const found = [...sentence.matchAll(this.pattern)].filter((match) => match[0]);
        spans = found.map((match) => [match.index, match.index + match[0].length]);
        words = found.map((match) => (this.lowercase ? match[0].toLowerCase() : match[0]));
      } else {
        spans = wordSpans(sentence);
        words = wordsOf(sentence, this.lowercase);
      }
      if (spans.length !== words.length) spans = null;
      if (this.stop.size) {
        spans = spans && spans.filter((_, i) => !this.stop.has(words[i]));
        words = words.filter((word) => !this.stop.has(word));
      }
      return { start, end, words, spans: spans && spans.map(([a, b]) => [a + start, b + start]) };
    });
  }

  /** Calls body(feature, first word, word behind the last) for the features of a sentence. */
  features(words, body) {
    words.forEach((word, i) => body(word, i, i + 1));
    for (let n = 2; n <= Math.min(this.ngrams, words.length); ++n)
      for (let i = 0; i + n <= words.length; ++i) body(words.slice(i, i + n).join(" "), i, i + n);
    for (const length of this.prefixes)
      words.forEach((word, i) => {
        if (word.length <= length) return;
        const letters = [...word];
        if (letters.length > length) body(`${letters.slice(0, length).join("")}*`, i, i + 1);
      });
  }
}
