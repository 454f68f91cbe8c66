/** A tagger in a page: labels of tokens as one types, and the features that speak for them. */
import { chunks } from "../lib/labels.js";
import { Tagger } from "../lib/tag.js";
import { barRow, h, start } from "./page.js";
import { columnsExample, sentencesOf } from "./tokens.js";

const MOST_FEATURES = 12;
function open(model) {
  const several = model.columns.length > 1, plain = model.givenScheme === "plain";
  const tints = new Map(); // a colour for each type of chunk, or label
  let chosen = null;

  const tint = (type) => {
    if (!tints.has(type)) tints.set(type, (tints.size * 137) % 360);
    return tints.get(type);
  };
  const word = (token) => (several ? token[0] : token);

  function features(tokens, t, label) {
    const found = model.explain(tokens, t, label);
    const shown = found.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
    const top = Math.abs(shown[0]?.weight ?? 1);
    return [
      h("h2", null, `Why ${word(tokens[t])} is ${label}`),
      h("table", { ariaLabel: "features" }, ...shown.slice(0, MOST_FEATURES).map(({ name, weight }) =>
        barRow(name, weight / top, weight.toFixed(2).replace("-", "−"), weight > 0 ? "for" : "against"),
      )),
    ];
  }

  function show(text) {
    const sentences = sentencesOf(text, several ? model.columns : null);
    const answer = sentences.map((tokens, s) => {
      const labels = model.predict(tokens), types = labels.map(() => null);
      if (plain) labels.forEach((label, t) => (types[t] = label));
      else
        for (const { start, end, type } of chunks(labels))
          for (let t = start; t < end; ++t) types[t] = type;
      const cells = tokens.map((token, t) => {
        const pick = () => {
          chosen = chosen?.[0] === s && chosen[1] === t ? null : [s, t];
          document.getElementById("input").oninput();
        };
        const shown = plain || types[t] === null || types[t] !== types[t - 1] || labels[t][0] === "B";
        const cell = h(
          "button",
          { type: "button", className: types[t] === null ? "token" : "token lit-token", onclick: pick,
            title: labels[t], ariaPressed: chosen?.[0] === s && chosen[1] === t },
          word(token), h("small", null, types[t] !== null && shown ? types[t] : "\u00a0"),
        );
        if (types[t] !== null) cell.style.setProperty("--tint", tint(types[t]));
        return cell;
      });
      const why = chosen?.[0] === s && chosen[1] < tokens.length
        ? features(tokens, chosen[1], labels[chosen[1]]) : [];
      return h("section", null, h("p", { className: "tokens" }, ...cells), ...why);
    });
    return answer.length ? answer : [h("p", { className: "note" }, "No words yet.")];
  }
  const example = several
    ? columnsExample(model.columns)
    : "Type or paste a text here, or click a word to see why it has its label.";
  return { example, show };
}

start(Tagger, open);
