/**
 * Numbers of 64 bits as two halves of 32, and numbers of a few bits out of arrays of 64-bit words.
 * A function of 64 bits returns the low half; `high` holds the high one until the next call.
 */

/** The high half of the last result. */
export let high = 0;

const FIRST_LOW = 0xed558ccd, FIRST_HIGH = 0xff51afd7;
const SECOND_LOW = 0x1a85ec53, SECOND_HIGH = 0xc4ceb9fe;
const STEP_LOW = 0x7f4a7c15, STEP_HIGH = 0x9e3779b9;

/** The high half of the product of two numbers of 32 bits. */
export function topOfProduct(a, b) {
  const a0 = a & 0xffff, a1 = a >>> 16, b0 = b & 0xffff, b1 = b >>> 16;
  const t = a1 * b0 + ((a0 * b0) >>> 16);
  return (a1 * b1 + (t >>> 16) + ((a0 * b1 + (t & 0xffff)) >>> 16)) >>> 0;
}

/** (low, high) times (low2, high2), modulo 2^64. */
function times(low, h, low2, high2) {
  high = (topOfProduct(low, low2) + Math.imul(h, low2) + Math.imul(low, high2)) >>> 0;
  return Math.imul(low, low2) >>> 0;
}

/** (low, high) shifted right by 0 .. 63 bits. */
export function shifted(low, h, by) {
  if (by === 0) return (high = h), low;
  if (by > 31) return (high = 0), by === 32 ? h : h >>> (by - 32);
  high = h >>> by;
  return ((low >>> by) | (h << (32 - by))) >>> 0;
}

/** A bijection of numbers of `bits` bits. */
export class Mixer {
  constructor(bits, seed) {
    this.shift = Math.max(1, (bits + 1) >> 1);
    this.addLow = times(seed, 0, STEP_LOW, STEP_HIGH);
    this.addHigh = high;
    this.maskLow = lowBits(Math.min(32, bits));
    this.maskHigh = lowBits(Math.max(0, bits - 32));
  }
  mix(low, h) {
    const { shift, maskLow, maskHigh } = this;
    const sum = low + this.addLow;
    h = ((h + this.addHigh + (sum > 0xffffffff)) & maskHigh) >>> 0;
    low = (sum & maskLow) >>> 0;
    if (maskHigh === 0) {
      low = (Math.imul(low ^ (low >>> shift), FIRST_LOW) & maskLow) >>> 0;
      low = (Math.imul(low ^ (low >>> shift), SECOND_LOW) & maskLow) >>> 0;
      high = 0;
      return (low ^ (low >>> shift)) >>> 0;
    }
    for (let round = 0; round < 2; ++round) {
      const part = shifted(low, h, shift);
      const low1 = (low ^ part) >>> 0, high1 = (h ^ high) >>> 0;
      low = round ? times(low1, high1, SECOND_LOW, SECOND_HIGH)
                  : times(low1, high1, FIRST_LOW, FIRST_HIGH);
      low = (low & maskLow) >>> 0;
      h = (high & maskHigh) >>> 0;
    }
    low = (low ^ shifted(low, h, shift)) >>> 0;
    high = (h ^ high) >>> 0;
    return low;
  }
}

/** The powers of the second factor, modulo 2^64: multipliers of values that are hashed. */
export function hashPowers(n) {
  const factor = (BigInt(SECOND_HIGH) << 32n) | BigInt(SECOND_LOW);
  return Array.from({ length: n }, (_, a) => BigInt.asUintN(64, factor ** BigInt(a)));
}

/** A number whose lowest `width` bits are set; at most 32 of them. */
export function lowBits(width) {
  return width >= 32 ? 0xffffffff : (1 << width) - 1;
}

/** Up to 32 bits of a Uint32Array from bit `at` on. */
export function bitsAt(words, at, width) {
  if (width === 0) return 0;
  const shift = at & 31, i = (at / 32) >>> 0;
  let found = words[i] >>> shift;
  if (shift + width > 32) found |= words[i + 1] << (32 - shift);
  return (found & lowBits(width)) >>> 0;
}

export function countBits(x) {
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Number of bits of a whole number. */
export const bitWidth = (x) => (BigInt(x) > 0n ? BigInt(x).toString(2).length : 0);

let bytes = new Uint8Array(256);
const encoder = new TextEncoder();
const HALF = /\p{Surrogate}/u;

/** The hash of a string's UTF-8; -1 for half a character, which no model holds. */
export function hashOf(text) {
  let n = 0;
  if (text.length * 3 > bytes.length) bytes = new Uint8Array(text.length * 4);
  for (; n < text.length; ++n) {
    const code = text.charCodeAt(n);
    if (code > 127) break;
    bytes[n] = code;
  }
  if (n < text.length) {
    if (HALF.test(text)) return -1;
    n = encoder.encodeInto(text, bytes).written;
  }
  let low = times(n, 0, STEP_LOW, STEP_HIGH) ^ 0x85a308d3, h = high ^ 0x243f6a88;
  for (let at = 0; at < n; at += 8) {
    bytes.fill(0, n, at + 8);
    low ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    h ^= bytes[at + 4] | (bytes[at + 5] << 8) | (bytes[at + 6] << 16) | (bytes[at + 7] << 24);
    low = times(low >>> 0, h >>> 0, FIRST_LOW, FIRST_HIGH);
    h = high;
    low ^= h;
  }
  high = h >>> 0;
  return low >>> 0;
}
