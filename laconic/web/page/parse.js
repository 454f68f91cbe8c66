/** A parser in a page: the trees of sentences, drawn as one types. */
import { Parser } from "../lib/parse.js";
import { drawnTree } from "./arcs.js";
import { h, start } from "./page.js";
import { columnsExample, sentencesOf } from "./tokens.js";

function open(model) {
  const columns = model.tagger ? null : model.columns;
  const known = new Map(); // a tree takes longer than a label: only what changed is parsed again

  function tree(tokens) {
    const key = JSON.stringify(tokens);
    if (known.has(key)) return known.get(key);
    if (tokens.length > model.mostTokens)
      return h("p", { className: "note" }, `A sentence of ${tokens.length} words is too long.`);
    const { heads, labels, columns: table } = model.predict(tokens);
    const words = table[model.columns[0]], tags = table.coarse || words.map(() => "");
    const drawing = h("div", { className: "tree", tabIndex: 0, ariaLabel: words.join(" "), role: "group" },
      drawnTree(words, tags, heads, labels));
    if (known.size > 200) known.clear();
    known.set(key, drawing);
    return drawing;
  }
  const show = (text) => {
    const sentences = sentencesOf(text, columns);
    return sentences.length ? sentences.map(tree) : [h("p", { className: "note" }, "No words yet.")];
  };
  const example = columns ? columnsExample(columns) : "Type or paste a text here.";
  return { example, show };
}

start(Parser, open);
