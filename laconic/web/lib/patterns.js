/** Python's regular expressions as JavaScript's, where they mean the same. */
import { S, W } from "./words.js";

const inside = { w: W, d: "\\p{Nd}", s: S };
const word = `[${W}]`;
const outside = {
  w: word, W: `[^${W}]`, d: "\\p{Nd}", D: "\\P{Nd}", s: `[${S}]`, S: `[^${S}]`,
  b: `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
  B: `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
  A: "(?<![^])", Z: "(?![^])",
};
const kept = /[nrtfv0^$\\.*+?()[\]{}|/]/;
// An escape, the opening of a group, a bracket's whole content, or a character.
const pieces =
  /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^])|\(\?P?[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\{[0-9]*,?[0-9]*\}|[^]/gu;

function escaped(piece, table) {
  const letter = piece[1];
  if (letter === "U") return `\\u{${piece.slice(2)}}`;
  if (letter === "x" || letter === "u") return piece;
  if (table[letter]) return table[letter];
  if (kept.test(letter) || (table === inside && letter === "-")) return piece;
  if (/[a-zA-Z1-9]/.test(letter)) throw new Error(`the escape ${piece}`);
  return letter; // other signs stand for themselves, without a backslash
}

function bracket(piece) {
  const negated = piece[1] === "^" ? "^" : "", content = piece.slice(1 + negated.length, -1);
  const parts = content.replace(/\\(?:x..|u....|U.{8}|[^])|[[\]/^]/gsu, (part) =>
    part.length > 1 ? escaped(part, inside) : `\\${part}`,
  );
  return `[${negated}${parts}]`;
}

/**
 * The same expression in JavaScript.
 * @param {string} source
 * @param {string} [flags]
 * @returns {RegExp}
 */
export function pythonPattern(source, flags = "u") {
  try {
    const translated = source.replace(pieces, (piece) => {
      if (piece[0] === "\\") return escaped(piece, outside);
      if (piece === "(?P<") return "(?<";
      if (piece.length > 2 && piece.startsWith("(?")) {
        if (!/[:=!<]$/.test(piece)) throw new Error(`the group ${piece}`);
        return piece;
      }
      if (piece[0] === "[" && piece.length > 1) return bracket(piece);
      if (/^\{[0-9]+,?[0-9]*\}$/.test(piece)) return piece;
      if (/^\{,[0-9]+\}$/.test(piece)) return `{0${piece.slice(1)}`;
      if (piece[0] === "{" || piece === "}" || piece === "]") return piece.replace(/./g, "\\$&");
      if (piece === ".") return "[^\\n]";
      if (piece === "$") return "(?=\\n?(?![^]))";
      if (piece === "^") return "(?<![^])";
      return piece;
    });
    return new RegExp(translated, flags);
  } catch (error) {
    throw new Error(`a regular expression that JavaScript lacks: ${source} (${error.message})`);
  }
}
