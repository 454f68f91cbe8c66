/**
 * Reads laconic's compact model files and predicts with them, in browsers and in Node.
 *
 *     import { load } from "laconic";
 *     const model = await load(bytes);
 *     model.predict("a good cast").label
 */
import { Classifier } from "./lib/classify.js";
import { readFile } from "./lib/container.js";
import { WordVectors } from "./lib/embed.js";
import { LanguageModel } from "./lib/lm.js";
import { Parser } from "./lib/parse.js";
import { Tagger } from "./lib/tag.js";

const KINDS = {
  "classify.compact": Classifier,
  "tag.compact": Tagger,
  "parse.compact": Parser,
  "lm.compact": LanguageModel,
  embed: WordVectors,
};

/**
 * Read the bytes of a model file.
 * @param {Uint8Array | ArrayBuffer} bytes
 */
export async function load(bytes) {
  const file = readFile(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
  const kind = KINDS[file.kind];
  if (!kind) {
    const known = Object.keys(KINDS).join(", ");
    throw new Error(
      `a file of the kind ${file.kind}; expected ${known}: laconic compress makes compact files`,
    );
  }
  return kind.read(file);
}
