/** Static maps in a few bits per entry: docs/format.md says what each bit means. */
import { Mixer, bitWidth, bitsAt, countBits, hashOf, high, lowBits, shifted } from "./bits.js";

const DIRECT = 64;

/** Number of 64-bit words that hold so many bits. */
const wordCount = (bits) => Math.ceil(bits / 64);

export class StaticMap {
  /**
   * @param {number[]} size n, n_long
   * @param {number[]} widths bucket_bits, rest_bits, short_bits, long_bits, seed
   * @param {bigint} universe keys are below it; 0 for hashes of 64 bits
   * @param {Uint32Array} words of this map and those behind it
   */
  constructor(size, widths, universe, words) {
    [this.n, this.nLong] = size;
    const [bucketBits, restBits, shortBits, longBits, seed] = widths;
    Object.assign(this, { bucketBits, restBits, shortBits, longBits, words });
    this.direct = bucketBits === DIRECT;
    const keyBits = universe === 0n ? 64 : bitWidth(universe - 1n);
    this.dropped = this.direct ? 0 : keyBits - bucketBits - restBits;
    this.wide = this.n >= 65536;
    const width = this.wide ? 32 : 16, n = this.n;
    const counts = this.direct ? wordCount(Number(universe)) : Math.max(1, 2 ** bucketBits / 16);
    const longWords = this.nLong > 0 ? wordCount(n) : 0;
    this.before = counts;
    this.rests = this.before + wordCount(counts * width);
    this.isLong = this.rests + wordCount(n * restBits);
    this.longsBefore = this.isLong + longWords;
    this.shorts = this.longsBefore + wordCount(longWords * width);
    this.longs = this.shorts + wordCount((n - this.nLong) * shortBits);
    this.nWords = this.longs + wordCount(this.nLong * longBits);
    if (2 * this.nWords > words.length) throw new Error("a map reaches beyond its words");
    this.mixer = new Mixer(keyBits, seed);
    this.restLow = lowBits(Math.min(32, restBits));
    this.restHigh = lowBits(Math.max(0, restBits - 32));
  }

  /** Entries before word i of the counts that start at word `first`. */
  running(first, i) {
    return this.wide
      ? this.words[2 * first + i]
      : (this.words[2 * first + (i >>> 1)] >>> ((i & 1) * 16)) & 0xffff;
  }

  /** The number of the entry with this key, -1 if there is none. */
  find(low, h) {
    const { words, restBits } = this;
    if (this.direct) {
      const key = h * 4294967296 + low, word = (key / 64) >>> 0, bit = key & 31;
      const half = 2 * word + ((key & 32) >>> 5), bits = words[half];
      if (!((bits >>> bit) & 1)) return -1;
      const first = this.running(this.before, word) + countBits(bits & ((1 << bit) - 1));
      return half & 1 ? first + countBits(words[half - 1]) : first;
    }
    low = this.mixer.mix(low, h);
    h = high;
    if (this.dropped) (low = shifted(low, h, this.dropped)), (h = high);
    const restLow = (low & this.restLow) >>> 0, restHigh = (h & this.restHigh) >>> 0;
    const bucket = shifted(low, h, restBits), word = bucket >>> 4, place = bucket & 15;
    const counts = place < 8 ? words[2 * word] : words[2 * word + 1];
    const count = (counts >>> ((place & 7) * 4)) & 15;
    if (count === 0) return -1;
    let first = this.running(this.before, word) + nibbles(counts & ((1 << ((place & 7) * 4)) - 1));
    if (place > 7) first += nibbles(words[2 * word]);
    let at = 64 * this.rests + first * restBits;
    for (const end = first + count; first < end; ++first, at += restBits)
      if (
        bitsAt(words, at, Math.min(32, restBits)) === restLow &&
        (restBits <= 32 || bitsAt(words, at + 32, restBits - 32) === restHigh)
      )
        return first;
    return -1;
  }

  /** The code of entry i; `long` says of which kind it is. */
  code(i) {
    if (this.nLong === 0) {
      this.long = false;
      return bitsAt(this.words, 64 * this.shorts + i * this.shortBits, this.shortBits);
    }
    const half = 2 * this.isLong + ((i / 32) >>> 0), bits = this.words[half], bit = i & 31;
    let longs = this.running(this.longsBefore, (i / 64) >>> 0) + countBits(bits & ((1 << bit) - 1));
    if (i & 32) longs += countBits(this.words[half - 1]);
    this.long = ((bits >>> bit) & 1) === 1;
    if (!this.long)
      return bitsAt(this.words, 64 * this.shorts + (i - longs) * this.shortBits, this.shortBits);
    if (this.longBits === 0) return longs;
    return bitsAt(this.words, 64 * this.longs + longs * this.longBits, this.longBits);
  }

  /** The number of a string's entry, -1 if there is none. */
  number(text) {
    const low = hashOf(text);
    return low < 0 ? -1 : this.find(low, high);
  }
}

/** The sum of eight numbers of four bits. */
function nibbles(x) {
  return Math.imul((x & 0x0f0f0f0f) + ((x >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}

/**
 * The maps that a file holds under a name, one after the other.
 * @param {Object<string, {data: any, shape: number[]}>} arrays
 * @param {string} name
 * @param {bigint[]} [universes] zeros, for maps of strings, if absent
 */
export function mapsOf(arrays, name, universes) {
  const sizes = arrays[`${name}_sizes`].data, widths = arrays[`${name}_widths`].data;
  let words = arrays[`${name}_words`].data;
  return Array.from({ length: sizes.length / 2 }, (_, m) => {
    const map = new StaticMap(
      [...sizes.subarray(2 * m, 2 * m + 2)],
      [...widths.subarray(5 * m, 5 * m + 5)],
      universes ? universes[m] : 0n,
      words,
    );
    words = words.subarray(2 * map.nWords);
    return map;
  });
}
