/** A classifier in a page: the label as one types, and the words that speak for and against it. */
import { Classifier } from "../lib/classify.js";
import { barRow, h, percent, start } from "./page.js";

const MOST_LABELS = 12, MOST_WORDS = 15;

function open(model) {
  const { labels } = model;
  let asked = null; // the label that was clicked

  /** What a word adds to the score of label k. */
  const shareOf = (outputs, k) =>
    outputs.length === 1 ? (k ? outputs[0] : -outputs[0]) : outputs[k];

  function lit(text, explained, k) {
    const parts = [], sums = new Map();
    let done = 0;
    const all = explained.words.flat().map((outputs) => Math.abs(shareOf(outputs, k)));
    const most = Math.max(1e-12, ...all);
    explained.units.forEach(({ words, spans }, u) => {
      words.forEach((word, i) => {
        const share = shareOf(explained.words[u][i], k);
        if (share) sums.set(word, (sums.get(word) || 0) + share);
        if (!spans || !share || spans[i][0] < done) return;
        const [begin, end] = spans[i], side = share > 0 ? "for" : "against";
        const title = `${word}: ${share > 0 ? "+" : "−"}${Math.abs(share).toFixed(3)}`;
        const properties = { className: side, title, share: Math.abs(share) / most };
        parts.push(text.slice(done, begin), h("mark", properties, text.slice(begin, end)));
        done = end;
      });
    });
    return [[...parts, text.slice(done)], [...sums]];
  }

  function show(text) {
    const explained = model.explain(text), { label, probabilities } = explained.prediction;
    const order = [...labels.keys()].sort((a, b) => probabilities[b] - probabilities[a]);
    const k = asked ?? order[0];
    const [parts, sums] = lit(text, explained, k);
    const found = Array.isArray(label) ? label.join(", ") || "none of the labels" : String(label);
    const rows = order.slice(0, MOST_LABELS).map((j) => {
      const name = String(labels[j]), pick = () => {
        asked = asked === j ? null : j;
        document.getElementById("input").oninput();
      };
      const button = h("button", { type: "button", onclick: pick, ariaPressed: j === k }, name);
      return barRow(button, probabilities[j], percent(probabilities[j]));
    });
    sums.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const top = Math.abs(sums[0]?.[1] ?? 1);
    const words = sums.slice(0, MOST_WORDS).map(([word, share]) =>
      barRow(word, share / top, share.toFixed(2).replace("-", "−"), share > 0 ? "for" : "against"),
    );
    return [
      h("p", { className: "found" }, found),
      h("table", { ariaLabel: "probabilities of the labels" }, ...rows),
      h("p", { className: "lit" }, ...parts),
      h("h2", null, words.length ? `Words for and against ${labels[k]}` : "No word has a weight"),
      h("table", { ariaLabel: "contributions of words" }, ...words),
    ];
  }
  return { example: "Type or paste a text here.", show };
}

start(Classifier, open);
