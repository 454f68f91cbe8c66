/** Views of a token: named functions of one input column, as laconic/text/views.py has them. */
import { pythonPattern } from "./patterns.js";

const parts =
  /^([\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_.-]*?)(\d*)(?:\(([\p{L}\p{N}_.-]+)(?:,"([^"]*)")?\))?$/su;

/** The types of characters: capitals A, other letters a, digits 0; marks vanish. */
function types(string) {
  if (/^[\0-\x7f]*$/.test(string))
    return string.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/[0-9]/g, "0");
  return string.replace(/[\p{L}\p{N}\p{M}]/gu, (c) =>
    /[\p{Lu}\p{Lt}]/u.test(c) ? "A" : /\p{L}/u.test(c) ? "a" : /\p{N}/u.test(c) ? "0" : "",
  );
}

function shape(string) {
  return types(string).replace(/([^0])\1+/gsu, "$1").replace(/00+/g, "0+");
}

const count = (string, letter) => string.split(letter).length - 1;
const amount = (part, whole) => (part === 0 ? "none" : part === whole ? "all" : "some");

function letterCase(string) {
  const found = types(string), upper = count(found, "A"), lower = count(found, "a");
  if (!upper) return lower ? "lower" : "none";
  if (!lower) return "upper";
  return upper === 1 && found.indexOf("A") < found.indexOf("a") ? "title" : "mixed";
}

function punct(string) {
  const found = types(string), whole = [...found].length;
  return amount(whole - count(found, "A") - count(found, "a") - count(found, "0"), whole);
}

function digits(string) {
  const found = types(string);
  return amount(count(found, "0"), [...found].length);
}

const SIMPLE = {
  lower: (string) => string.toLowerCase(),
  shape,
  case: letterCase,
  punct,
  digit: digits,
  class: (string) => `${letterCase(string)}/${punct(string)}/${digits(string)}`,
};

/** The last letters of a string; all of it if it has no more. */
const ending = (string, n) =>
  /[\ud800-\udfff]/.test(string) ? [...string].slice(-n).join("") : string.slice(-n);
const beginning = (string, n) =>
  /[\ud800-\udfff]/.test(string) ? [...string].slice(0, n).join("") : string.slice(0, n);

/**
 * The column and the function of a view.
 * @param {string} name
 * @param {string[]} columns
 * @param {((word: string) => string | null) | null} clusterOf the bits of a word's cluster
 * @returns {{column: string, of: (string: string) => string | null}}
 */
export function makeView(name, columns, clusterOf) {
  if (columns.includes(name)) return { column: name, of: (string) => string };
  const [, kind, size, column = columns[0], regex] = parts.exec(name) || [];
  const n = Number(size);
  let of = size ? null : SIMPLE[kind];
  if (regex !== undefined) {
    const pattern = pythonPattern(regex), lower = kind === "match_lower";
    of = (string) => {
      const found = pattern.exec(string);
      if (kind === "test") return found ? "true" : "false";
      return found ? (lower ? found[0].toLowerCase() : found[0]) : "";
    };
  } else if (kind === "prefix") of = (string) => beginning(string, n);
  else if (kind === "suffix") of = (string) => ending(string, n);
  else if (kind === "cluster")
    of = (string) => {
      const bits = clusterOf(string);
      return bits === null ? null : size ? bits.slice(0, n) : bits;
    };
  if (!of) throw new Error(`there is no view ${name}`);
  return { column, of };
}
