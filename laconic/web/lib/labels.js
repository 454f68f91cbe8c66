/** Labels of chunks: their schemes, as laconic/text/labels.py has them. */

const LETTER = { O: "O", B: "B", I: "I", E: "E", S: "S", L: "E", U: "S" };
const letterOf = (label) => LETTER[label[0]];
const typeOf = (label) => (label === "O" ? null : label.slice(2));

/** Whether each token is the first and the last of a chunk, as conlleval has it. */
function edges(labels) {
  const start = labels.map((label, t) => {
    if (label === "O") return false;
    const before = t ? labels[t - 1] : "O";
    return (
      "BS".includes(letterOf(label)) ||
      "OES".includes(letterOf(before)) ||
      typeOf(before) !== typeOf(label)
    );
  });
  const goesOn = labels.map((label, t) => label !== "O" && !start[t]);
  return { start, last: labels.map((label, t) => label !== "O" && !goesOn[t + 1]) };
}

/** The chunks of a sentence: tokens start .. end - 1 and a type. */
export function chunks(labels) {
  const { start, last } = edges(labels), found = [];
  labels.forEach((label, t) => {
    if (start[t]) found.push({ start: t, end: t + 1, type: typeOf(label) });
    if (last[t]) found.at(-1).end = t + 1;
  });
  return found;
}

/** The same chunks in another scheme. */
export function convertLabels(labels, scheme) {
  if (scheme === "plain") return labels;
  const { start, last } = edges(labels);
  return labels.map((label, t) => {
    if (label === "O") return label;
    const type = typeOf(label);
    let letter = start[t] ? "B" : "I";
    if (scheme === "IOB1") {
      const before = t ? labels[t - 1] : "O";
      letter = start[t] && before !== "O" && typeOf(before) === type ? "B" : "I";
    } else if (scheme === "BIOES" && last[t]) letter = start[t] ? "S" : "E";
    return type ? `${letter}-${type}` : letter;
  });
}

/** Whether label `b` may follow label `a`, or open a sentence where a is null. */
export function mayFollow(a, b, scheme) {
  if (scheme === "plain") return true;
  const left = a === null ? "O" : letterOf(a), here = letterOf(b);
  const same = (a === null ? null : typeOf(a)) === typeOf(b);
  if (scheme === "BIOES") {
    const goesOn = here === "I" || here === "E";
    return left === "B" || left === "I" ? goesOn && same : !goesOn;
  }
  const needs = here === (scheme === "IOB2" ? "I" : "B");
  return (!needs || (left !== "O" && same)) && here !== "E" && here !== "S";
}

/** Whether a label may close a sentence. */
export function mayEnd(label, scheme) {
  return scheme !== "BIOES" || !"BI".includes(letterOf(label));
}
