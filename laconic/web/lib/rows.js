/** Rows of weights: lists of (label, value), stored in a few bits per weight. */
import { bitWidth, bitsAt } from "./bits.js";

export class Rows {
  /**
   * @param {Object<string, {data: any}>} arrays
   * @param {{n_cells: number, own_values: boolean}} about
   * @param {number} nLabels
   */
  constructor(arrays, about, nLabels) {
    const n = about.n_cells, words = arrays.cells.data, values = arrays.values.data;
    const labelBits = bitWidth(nLabels - 1);
    const codeBits = about.own_values ? 0 : bitWidth(Math.max(1, values.length) - 1);
    const width = 1 + labelBits + codeBits;
    this.ptr = new Uint32Array(n + 1);
    this.label = new Uint32Array(n);
    this.value = values instanceof Float32Array ? new Float32Array(n) : new Float64Array(n);
    this.size = 0;
    for (let i = 0; i < n; ++i) {
      this.label[i] = bitsAt(words, i * width + 1, labelBits);
      const value = about.own_values ? i : bitsAt(words, i * width + 1 + labelBits, codeBits);
      this.value[i] = values[value];
      if (bitsAt(words, i * width, 1)) this.ptr[++this.size] = i + 1;
    }
    if (this.ptr[this.size] !== n) throw new Error("the last row of weights has no end");
  }
}
