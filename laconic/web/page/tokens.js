/** Sentences of tokens: out of running text, or of lines with the columns of a token. */
import { sentenceSpans } from "../lib/sentences.js";

// Words with what stands inside of them, numbers, and each other sign by itself.
const tokenPattern =
  /[\p{L}\p{M}\p{N}_]+(?:[-'’.,:&/][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*|[^\s\p{L}\p{N}]/gu;

/**
 * @param {string} text
 * @param {string[] | null} columns of a token, each in a line of its own; null for running text
 */
export function sentencesOf(text, columns) {
  if (!columns) {
    const spans = sentenceSpans(text).map(([a, b]) => text.slice(a, b).match(tokenPattern) || []);
    return spans.filter((tokens) => tokens.length);
  }
  const row = (line) => line.trim().split(/\s+/);
  const full = (cells) => columns.map((_, c) => cells[c] ?? "_");
  const lines = (block) => block.split("\n").filter((line) => line.trim());
  const blocks = text.split(/\n\s*\n/).map((block) => lines(block).map(row).map(full));
  return blocks.filter((tokens) => tokens.length);
}

/** A sentence with the columns of a treebank, as far as a model has them. */
export function columnsExample(columns) {
  const lines = ["The the DET DT", "cat cat NOUN NN", "sat sit VERB VBD", ". . PUNCT ."];
  const known = { word: 0, lemma: 1, coarse: 2, fine: 3, pos: 3, upos: 2, xpos: 3 };
  const cell = (cells) => (name, c) => cells[known[name] ?? (c ? -1 : 0)] ?? "_";
  return lines.map((line) => columns.map(cell(line.split(" "))).join(" ")).join("\n");
}
