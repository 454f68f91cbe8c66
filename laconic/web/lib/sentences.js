/** Where the sentences of a text are: laconic/text/tokens.py, to the letter. */
import { S, W, hasOwnRules } from "./words.js";

const re = (source, flags = "u") => new RegExp(source, flags);
const blank = `[${S}]`, solid = `[^${S}]`;

const HEADER = `[A-Za-z][A-Za-z0-9.\\-]*:(?:[ \\t][^\\n]*)?\\n(?:[ \\t]+${solid}[^\\n]*\\n)*`;
const headerBlock = re(`^\\n*((?:${HEADER}){2,})(?=[ \\t]*\\n|$)`);
const oneHeader = re(HEADER, "gu");
const QUOTE = `[ \\t]*(?:[A-Za-z]{0,3}[ \\t]?>|[|\\}]|:(?=[ \\t>])|<(?![^${S}<>]+>))`;
const quotedLine = re(`\\n((?:${QUOTE})+)([^\\n]*)`, "gu");
const maskedLines = re(
  `\\n(?:(?<quote>${QUOTE}[^\\n]*(?:\\n${QUOTE}[^\\n]*)*)|[^${W}\\n]+(?=\\n|$))`,
  "gu",
);
const columnGap = re(
  `[ \\t](?<=${solid}[ \\t])(?:(?<=\\t)| {3}| {0,2}\\t)[ \\t]*(?=${solid})`,
  "gu",
);
const LIST_ITEM =
  `[ \\t]*(?:(?:[\\-*•·+]|o[ \\t]|[0-9]{1,3}[ \\t]+-)[ \\t]+${solid}` +
  "|\\(?(?:[0-9]{1,3}[.\\)]|[A-Za-z]\\))[ \\t\\n])";
const HEADER_INSIDE =
  "(?:From|To|Cc|Date|Subject|Newsgroups|Organi[sz]ation|Lines|Keywords|Summary|Reply-To|Sender|" +
  "Received|Status|Distribution|Mime-Version|Message-I[dD]|Archive-name|Last-modified|" +
  `X-[A-Z][${W}\\-]*|Content-[${W}\\-]+):[ \\t]`;
const CLOSING = "\"'’”»\\)\\]\\}*_>", OPENING = "\"'‘“«\\(\\[\\{*_<`\\-";
const candidates = re(
  `[\\n.!?…](?:(?<line>(?<=\\n))(?=[ \\t]*\\n|${LIST_ITEM}|${HEADER_INSIDE})` +
    `|(?<!\\n)(?<![.!?…]{2})(?<more>[.!?…]*)(?<close>[${CLOSING}]*)` +
    `(?=(?<gap>[ \\t\\n]+)[${OPENING}]*(?<next>[${W}.][${W}]*)))`,
  "gu",
);
const lastToken = re(`[^${S}\\(\\[\\{"'\\/\\-]*$`);
const initials = /^(?:[A-Za-z]\.)+[A-Za-z]$/;
const itemNumber = /\n[ \t]*\(?[0-9]{1,3}$/;
const lowercaseWord = /^[a-z]*[aeiouy][a-z]*$/;
const stops = re(
  "(?:[\\u3002\\uff01\\uff1f\\uff61\\u0964\\u0965\\u061f\\u06d4\\u0589\\u1362\\u1367\\u17d4" +
    "\\u17d5\\u104b\\u0f0d\\u203c\\u2047-\\u2049]|\\uff0e(?![0-9\\uff10-\\uff19]))+" +
    "[\"'\\)\\]\\}\\u2019\\u201d\\u00bb\\u300d\\u300f\\uff09\\u3011\\u300b\\u3015\\uff3d]*",
  "gu",
);
// What Python calls a digit: decimal ones, and these.
const digit = re(
  "[\\p{Nd}²³¹\\u1369-\\u1371\\u19da⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪\\u24f5-\\u24fd\\u24ff❶-❾➀-➈➊-➒" +
    "\\u{10a40}-\\u{10a43}\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}]",
);
const entries = (text) => new Set(text.split(" "));
// After these a capital or a digit goes on with the sentence: "Dr. Jones", "e.g. Unix".
const BEFORE_NAME = entries(
  "mr mrs ms messrs dr drs prof rev fr st gen col lt cpl sgt capt cmdr adm maj sen rep gov pres " +
    "hon supt det vs v cf viz mt ft dept univ assn bros ed eds trans e.g i.e eg ie",
);
// After these a digit goes on: "No. 5", "Jan. 3", "Rom. 8".
const BEFORE_NUMBER = entries(
  "no nos nr vol vols ver vers v p pp pg pgs ch chap sec sect art eq eqs fig figs tab ex cols " +
    "para par approx ca c jan feb mar apr jun jul aug sep sept oct nov dec ext tel ph max min est " +
    "rm apt rom ps phil cor thess tim matt avg esp orig incl misc temp",
);
// These may end a sentence: they do so when the next word looks like the opening of one.
const MAY_END = entries("etc inc ltd co corp jr sr al a.m p.m ave blvd rd");
const OPENERS = entries(
  "The This That These Those There Then They It Its If In I Is He She His Her We You Your My Our " +
    "A An And As At But By For From Has Have How However Also After Although Because Before Both " +
    "Do Does Did Can Could Would Should Not No Now On One Or Only Please Since So Some Such " +
    "Thanks To Was What When Where Which While Who Why With Yes",
);
const FIRST = re(`^${blank}+`), LAST = re(`${blank}+$`), anyWord = re(`[${W}]`);
const blanks = (text) => " ".repeat(text.length);

function* spansBetween(mask, start, cuts, shift = 0) {
  for (const end of [...cuts, mask.length]) {
    const piece = mask.slice(start, end);
    if (anyWord.test(piece)) {
      const first = start + piece.length - piece.replace(FIRST, "").length;
      yield [first - shift, start + piece.replace(LAST, "").length - shift];
    }
    start = end;
  }
}

function headerSpans(text) {
  const block = headerBlock.exec(text);
  if (!block) return [[], 0];
  const end = block[0].length, start = end - block[1].length, cuts = [];
  for (const match of text.slice(start, end).matchAll(oneHeader))
    cuts.push(start + match.index + match[0].length);
  return [[...spansBetween(text.slice(0, end), 0, cuts)], end];
}

/** The text with marks of quotation and lines without words blanked; where the depth changes. */
function masked(text) {
  const changes = [];
  const mask = text.replace(maskedLines, (whole, ...more) => {
    const { quote } = more.at(-1), start = more.at(-3);
    if (quote === undefined) return "\n" + blanks(whole.slice(1));
    changes.push(start, start + whole.length);
    let position = start, last = -1, lines = "";
    for (const [line, marks, rest] of whole.matchAll(quotedLine)) {
      const depth = marks.match(/[<>|:}]/g).length;
      if (last !== depth && last !== -1) changes.push(position);
      last = depth;
      lines += "\n" + blanks(marks) + (anyWord.test(rest) ? rest : blanks(rest));
      position += line.length;
    }
    return lines;
  });
  return [mask, changes];
}

/** Both ends of every line laid out in columns. */
function* columnCuts(mask) {
  let lineEnd = 0;
  for (const gap of mask.matchAll(columnGap)) {
    if (gap.index < lineEnd) continue;
    yield mask.lastIndexOf("\n", gap.index); // the mask begins with one
    lineEnd = mask.indexOf("\n", gap.index + gap[0].length);
    if (lineEnd < 0) return;
    yield lineEnd;
  }
}

/** The place of `n` characters before `place`, which are more than units where some are pairs. */
function back(text, place, n) {
  while (n-- > 0 && place > 0) place -= /[\udc00-\udfff]/.test(text[place - 1]) ? 2 : 1;
  return Math.max(0, place);
}

/** Whether a stop closes a sentence, judged by the token before and the word after. */
function endsSentence(mask, match) {
  const { more, close, gap, next } = match.groups, place = match.index;
  const stop = mask[place] + more, small = /^\p{Lowercase}/u.test(next);
  if (stop !== ".") {
    if (/[!?]/.test(stop)) return !(small && close);
    return !small && next[0] !== ".";
  }
  if (next[0] === ".") return false;
  const line = mask.slice(back(mask, place, 24), place);
  const before = lastToken.exec(line)[0], length = [...before].length;
  if (!before)
    return !(small && mask.slice(back(mask, place, 3), place).replace(LAST, "").endsWith("."));
  if (close && !small) return true;
  if (itemNumber.test(line)) return false; // the number of a list item
  const key = before.toLowerCase();
  const wide = gap.length > 1 && !gap.includes("\n");
  if (small) {
    const known = BEFORE_NAME.has(key) || BEFORE_NUMBER.has(key) || MAY_END.has(key);
    return (
      !known && !close && ((length >= 3 && lowercaseWord.test(before)) || (wide && length > 1))
    );
  }
  if (BEFORE_NAME.has(key)) return false;
  const first = String.fromCodePoint(next.codePointAt(0));
  if (BEFORE_NUMBER.has(key) && digit.test(first)) return false;
  if (MAY_END.has(key) || initials.test(before))
    return OPENERS.has(next) || (wide && /\p{Uppercase}/u.test(first));
  return !(length === 1 && /^\p{L}$/u.test(before) && /\p{Uppercase}/u.test(before) && before !== "I");
}

function* ruleSpans(text, start) {
  const [mask, cuts] = masked("\n" + text.slice(start));
  cuts.push(...columnCuts(mask));
  for (const match of mask.matchAll(candidates))
    if (match.groups.line !== undefined || endsSentence(mask, match))
      cuts.push(match.index + match[0].length);
  if (hasOwnRules(mask))
    for (const match of mask.matchAll(stops)) cuts.push(match.index + match[0].length);
  cuts.sort((a, b) => a - b);
  yield* spansBetween(mask, 0, cuts, 1 - start);
}

/**
 * The places [start, end) of the sentences of a text.
 * @param {string} text
 * @param {"auto" | "line" | "double-space"} boundary
 */
export function sentenceSpans(text, boundary = "auto") {
  text = text.replaceAll("\r", " ");
  if (boundary === "auto") {
    const [spans, start] = headerSpans(text);
    return [...spans, ...ruleSpans(text, start)];
  }
  const pattern = boundary === "line" ? /\n/g : re(`${blank}{2,}|\\n`, "gu");
  return [...spansBetween(text, 0, [...text.matchAll(pattern)].map((match) => match.index))];
}
