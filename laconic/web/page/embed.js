/** Word vectors in a page: the neighbours of a word, or an analogy of three words. */
import { WordVectors } from "../lib/embed.js";
import { barRow, h, start } from "./page.js";

const MOST_NEAR = 20;

function open(model) {
  const input = document.getElementById("input");
  const ask = (text) => () => {
    input.value = text;
    input.oninput();
  };
  const known = (word) => (model.numbers.has(word) ? word : word.toLowerCase());

  function show(text) {
    const words = text.split(/[^\p{L}\p{M}\p{N}_'-]+/u).filter((word) => word).map(known);
    const strange = words.filter((word) => !model.numbers.has(word));
    if (strange.length) return [h("p", { className: "note" }, `No vector for ${strange.join(", ")}.`)];
    if (!words.length || words.length === 2 || words.length > 3)
      return [
        h("p", { className: "note" }, "One word: its neighbours. Three words: what is to the third " +
          "as the second is to the first. Among the words: "),
        h("p", null, ...model.words.slice(0, 60).flatMap((word) =>
          [h("button", { type: "button", onclick: ask(word) }, word), "  "])),
      ];
    const found = words.length === 3 ? model.analogy(...words, MOST_NEAR)
      : model.mostSimilar(words[0], MOST_NEAR);
    const title = words.length === 3
      ? `${words[0]} : ${words[1]} = ${words[2]} : ?` : `Nearest to ${words[0]}`;
    const rows = found.map(([word, cosine]) =>
      barRow(h("button", { type: "button", onclick: ask(word) }, word), Math.max(0, cosine),
        cosine.toFixed(2).replace("-", "−")));
    return [h("h2", null, title), h("table", { ariaLabel: "nearest words" }, ...rows)];
  }
  return { example: model.words.find((word) => word.length > 4) || model.words[0], show };
}

start(WordVectors, open);
