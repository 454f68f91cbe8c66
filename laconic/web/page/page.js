/** What all pages with a model inside share. */
import { readFile } from "../lib/container.js";

/** An element with properties and children; text stays text. */
export function h(name, properties, ...children) {
  const element = document.createElement(name), { share, ...others } = properties || {};
  Object.assign(element, others);
  if (share !== undefined) element.style.setProperty("--share", share.toFixed(3));
  element.append(...children);
  return element;
}

export const percent = (share) => `${(100 * share).toFixed(share > 0.995 || share < 0.01 ? 1 : 0)} %`;

/** A row with a name, a bar and a value. */
export function barRow(name, share, value, kind = "") {
  const bar = h("i", { className: `bar ${kind}`, share: Math.abs(share) });
  return h("tr", null, h("th", { scope: "row" }, name), h("td", null, bar), h("td", null, value));
}

/**
 * Opens the page: reads the model, whose bytes boot.js has unpacked, and shows the answer to each input.
 * @param {{read: (file: any) => Promise<any>}} Model
 * @param {(model: any) => {examples: string[], show: (text: string) => Node[]}} open
 */
export async function start(Model, open) {
  const [input, answer] = ["input", "answer"].map((id) => document.getElementById(id));
  try {
    const { example, show } = open(await Model.read(readFile(window.model)));
    const answered = () => answer.replaceChildren(...show(input.value));
    input.value = new URLSearchParams(location.hash.slice(1)).get("text") ?? (input.value || example);
    input.oninput = answered;
    answered();
    document.body.dataset.ready = performance.now().toFixed(1);
  } catch (error) {
    answer.replaceChildren(h("p", { role: "alert" }, `The model cannot be used: ${error.message}`));
    throw error;
  }
}
