/** The words of a text, in any script: laconic/text/tokens.py and scripts.py, to the letter. */

/** What Python's \w and \s mean, inside of brackets. */
export const W = "\\p{L}\\p{N}_";
export const S = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const JOINERS = "\\u200c\\u200d";
// Han, kana, Thai, Lao, Burmese, Khmer: no blanks between words.
const DENSE =
  "\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029\\u3038-\\u303b\\u3400-\\u4dbf\\u4e00-\\u9fff" +
  "\\uf900-\\ufaff\\u{20000}-\\u{323af}\\u3041-\\u3096\\u3099-\\u309f\\u30a1-\\u30fa" +
  "\\u30fc-\\u30ff\\u31f0-\\u31ff\\uff66-\\uff9f\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e80-\\u0eff" +
  "\\u1000-\\u103f\\u1050-\\u108f\\ua9e0-\\ua9fe\\uaa60-\\uaa7f\\u1780-\\u17d3";
const MARKS = `\\p{Mn}\\p{Mc}${JOINERS}`;
const dense = new RegExp(`[${DENSE}]`, "u");
const character = `(?=[${W}])[${DENSE}][${MARKS}]*`;
const oneCharacter = new RegExp(character, "gu");
const plainWord = new RegExp(`[${W}]{2,}`, "gu");
const markedWord = new RegExp(`[${W}][${W}${MARKS}]+`, "gu");
const sparse = `(?![${DENSE}])[${W}]`;
const run = new RegExp(`(?<dense>(?:${character})+)|${sparse}(?:${sparse}|[${MARKS}])+`, "gu");
const beyondAscii = new RegExp(
  "[^\\0-\\u02ff\\u0370-\\u0373\\u0375-\\u0482\\u048a-\\u0588\\u2010-\\u203b\\u203d-\\u2046" +
    "\\u204a-\\u205f\\u20a0-\\u20cf\\u2100-\\u2125\\u2127-\\u2129\\u212c-\\u2bff]",
  "u",
);

/** Whether the rules for ASCII are not enough for a text. */
export const hasOwnRules = (text) => beyondAscii.test(text);

/** The places [start, end) of the words of a text as it is written. */
export function wordSpans(text) {
  const pattern = !hasOwnRules(text) ? plainWord : dense.test(text) ? run : markedWord;
  const spans = [];
  for (const match of text.matchAll(pattern)) {
    const start = match.index;
    if (!match.groups?.dense) {
      spans.push([start, start + match[0].length]);
      continue;
    }
    const parts = [...match[0].matchAll(oneCharacter)];
    const ends = parts.map((part) => start + part.index + part[0].length);
    if (parts.length === 1) spans.push([start + parts[0].index, ends[0]]);
    for (let i = 1; i < parts.length; ++i) spans.push([start + parts[i - 1].index, ends[i]]);
  }
  return spans;
}

/** The words of a text: runs of letters, digits and marks, or pairs of neighbouring characters. */
export function wordsOf(text, lowercase = true) {
  if (lowercase) text = text.toLowerCase();
  const own = hasOwnRules(text);
  if (own) text = text.normalize("NFC");
  const words = wordSpans(text).map(([start, end]) => text.slice(start, end));
  if (!own || (!dense.test(text) && !/[\u200c\u200d]/.test(text))) return words;
  return words
    .map((word) => word.replace(/^[\u200c\u200d]+|[\u200c\u200d]+$/g, ""))
    .filter((word) => [...word].length > 1 || dense.test(word));
}
