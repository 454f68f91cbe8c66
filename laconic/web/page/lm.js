/** A language model in a page: the next words, and how likely each word was. */
import { LanguageModel } from "../lib/lm.js";
import { barRow, h, percent, start } from "./page.js";

const MOST = 12;

function open(model) {
  const input = document.getElementById("input");

  function show(text) {
    const line = text.split("\n").at(-1), words = model.split(line);
    const whole = !line || /\s$/.test(line), said = whole ? words : words.slice(0, -1);
    const typed = whole ? "" : words.at(-1), known = said.filter((word) => word !== "<s>");
    const found = model.complete(known, MOST, typed);
    const top = found.length ? Math.exp(found[0][1]) : 1;
    const rows = found.map(([word, logProb]) => {
      const append = () => {
        input.value = text.slice(0, text.length - typed.length) + word + " ";
        input.oninput();
        input.focus();
      };
      const button = h("button", { type: "button", onclick: append }, word);
      return barRow(button, Math.exp(logProb) / top, percent(Math.exp(logProb)));
    });
    const scores = model.scores(known), most = Math.max(1, ...scores.map((score) => -score));
    const lit = known.flatMap((word, t) => {
      const strange = model.numbers.has(word) ? "" : ", which the model does not know";
      const title = `${word}: ${percent(Math.exp(scores[t]))}${strange}`;
      return [h("mark", { className: "against", title, share: -scores[t] / most }, word), " "];
    });
    const total = scores.slice(0, known.length).reduce((a, b) => a + b, 0);
    const perplexity = known.length ? Math.exp(-total / known.length).toFixed(1) : "";
    return [
      h("h2", null, typed ? `Words that begin with ${typed}` : "The next word"),
      h("table", { ariaLabel: "next words" }, ...rows),
      h("h2", null, "How unexpected each word was"),
      h("p", { className: "lit" }, ...lit),
      h("p", { className: "note" }, perplexity && `Perplexity of these words: ${perplexity}`),
    ];
  }
  return { example: "", show };
}

start(LanguageModel, open);
