/** Features of taggers and parsers: values of views, and maps of conjunctions with weights. */
import { hashPowers, topOfProduct } from "./bits.js";
import { mapsOf } from "./maps.js";
import { Rows } from "./rows.js";
import { makeView } from "./views.js";

const MOST_EXACT = 2n ** 62n, MOST_REMEMBERED = 100000;

/** Strings to values of views. */
export class Encoder {
  /**
   * @param {string[]} views
   * @param {string[]} columns
   * @param {import("./maps.js").StaticMap[]} maps of the views' strings, then two of clusters
   * @param {string[] | null} paths bits of clusters
   */
  constructor(views, columns, maps, paths) {
    this.columns = columns;
    this.maps = maps.slice(0, views.length);
    this.nValues = this.maps.map((map) => map.n);
    const [plain, exceptions] = maps.slice(views.length);
    const place = (word) => {
      for (const map of [exceptions, plain]) {
        const number = map.number(word);
        if (number >= 0) return map.code(number);
      }
      return -1;
    };
    const clusterOf = (word) => {
      let code = place(word);
      if (code < 0) code = place(word.toLowerCase());
      return code < 0 ? null : paths[code];
    };
    this.views = views.map((name) => makeView(name, columns, clusterOf));
    this.known = new Map(columns.map((column) => [column, new Map()]));
  }

  /** The values of the views of a column at a string. */
  valuesOf(column, string) {
    const known = this.known.get(column);
    let values = known.get(string);
    if (values) return values;
    if (known.size >= MOST_REMEMBERED) known.clear();
    values = Int32Array.from(this.views, (view, v) => {
      if (view.column !== column) return -1;
      const value = view.of(string);
      return value === null ? -1 : this.maps[v].number(value);
    });
    known.set(string, values);
    return values;
  }

  /**
   * The values of every view at every token, with `reach` places outside the sentence.
   * @param {string[][]} columns one list of strings per input column
   * @param {number} reach
   */
  encode(columns, reach) {
    const n = columns[0].length, width = n + 2 * reach;
    const rows = this.views.map((_, v) => {
      const row = new Int32Array(width);
      for (let d = 1; d <= reach; ++d) {
        row[reach - d] = row[reach + n + d - 1] = this.nValues[v] + d - 1;
      }
      return row;
    });
    this.columns.forEach((column, c) => {
      const mine = this.views.flatMap((view, v) => (view.column === column ? [v] : []));
      for (let t = 0; t < n; ++t) {
        const values = this.valuesOf(column, columns[c][t]);
        for (const v of mine) rows[v][reach + t] = values[v];
      }
    });
    return rows;
  }
}

/** Numbers that stand for values: sum_a value_a * multiplier_a. */
export class Radix {
  /** @param {number[]} radix of every value, its bound */
  constructor(radix) {
    let universe = 1n, multipliers = [];
    for (const bound of radix.map(BigInt)) {
      multipliers.push(universe);
      universe = universe < MOST_EXACT / bound ? universe * bound : 0n;
      if (universe === 0n) break;
    }
    if (universe === 0n) multipliers = hashPowers(radix.length);
    this.universe = universe;
    // Every multiplier, and its halves.
    this.factors = multipliers.map((m) => [Number(m), Number(m & 0xffffffffn), Number(m >> 32n)]);
    // Sums below 2^53 are exact in one number; larger ones are kept in two halves.
    this.plain = universe > 0n && universe <= 2n ** 53n;
  }
}

/** The numbers of one template's features at every token or part. */
export class Keys {
  /** @param {number} n the most of them */
  constructor(n) {
    this.low = new Uint32Array(n);
    this.high = new Uint32Array(n);
    this.missing = new Uint8Array(n);
    this.sums = new Float64Array(n);
    this.rows = new Int32Array(n);
  }
  /** Begins with n numbers of a template. */
  open(radix, n) {
    this.radix = radix;
    this.n = n;
    this.missing.fill(0, 0, n);
    if (radix.plain) this.sums.fill(0, 0, n);
    else this.low.fill(0, 0, n), this.high.fill(0, 0, n);
  }
  /** Adds the values at `first`, `first` + 1 .. as the values of place a; -1 is none. */
  add(a, values, first) {
    const { sums, missing, n } = this, [factor, low, h] = this.radix.factors[a];
    if (this.radix.plain) {
      for (let t = 0; t < n; ++t) {
        const value = values[first + t];
        missing[t] |= value >>> 31;
        sums[t] += value * factor;
      }
      return;
    }
    for (let t = 0; t < n; ++t) {
      const value = values[first + t];
      missing[t] |= value >>> 31;
      const sum = this.low[t] + (Math.imul(value, low) >>> 0);
      this.high[t] += topOfProduct(value, low) + Math.imul(value, h) + (sum > 0xffffffff);
      this.low[t] = sum;
    }
  }
  /** Halves of all sums. */
  close() {
    if (!this.radix.plain) return;
    for (let t = 0; t < this.n; ++t) {
      this.low[t] = this.sums[t];
      this.high[t] = this.sums[t] / 4294967296;
    }
  }
}

/** The maps of the features of every template, and their rows of weights. */
export class Features {
  /**
   * @param {Object<string, {data: any}>} arrays
   * @param {any} about
   * @param {number[][]} radixes of every template
   * @param {number} nLabels columns of rows
   */
  constructor(arrays, about, radixes, nLabels) {
    this.radix = radixes.map((radix) => new Radix(radix));
    this.maps = mapsOf(arrays, "feature", this.radix.map((radix) => radix.universe));
    this.rows = new Rows(arrays, about, nLabels);
    let first = about.n_shared;
    this.firstOwn = this.maps.map((map) => {
      first += map.nLong;
      return first - map.nLong;
    });
  }
  /** Finds the rows of template m's features, -1 for one without weights, into `keys.rows`. */
  find(m, keys) {
    const map = this.maps[m], firstOwn = this.firstOwn[m], { low, high, missing, rows, n } = keys;
    for (let t = 0; t < n; ++t) {
      const entry = missing[t] ? -1 : map.find(low[t], high[t]);
      if (entry < 0) rows[t] = -1;
      else {
        const code = map.code(entry);
        rows[t] = map.long ? firstOwn + code : code;
      }
    }
    return rows;
  }
}
