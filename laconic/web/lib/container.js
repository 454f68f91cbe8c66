/** Model files: named arrays and JSON, see docs/format.md. */

const TYPES = {
  F64: Float64Array, F32: Float32Array, I64: BigInt64Array, I32: Int32Array, I16: Int16Array,
  I8: Int8Array, U64: Uint32Array, U32: Uint32Array, U16: Uint16Array, U8: Uint8Array,
};

/**
 * @typedef {Object} ModelFile
 * @property {string} kind
 * @property {Object<string, {data: any, shape: number[]}>} arrays numbers of 64 bits without a sign
 *   are pairs of 32, the low one first
 * @property {any} meta
 */

/**
 * Read the bytes of a model file.
 * @param {Uint8Array} bytes
 * @returns {ModelFile}
 */
export function readFile(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytes.length < 8 ? -1 : view.getUint32(4, true) * 2 ** 32 + view.getUint32(0, true);
  if (size < 0 || size > bytes.length - 8) throw new Error("not a laconic model, or a truncated one");
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
  const { __metadata__: about = {}, ...entries } = header;
  if (about.format !== "laconic") throw new Error("not a laconic model");
  if (about.format_version !== "1")
    throw new Error(`format ${about.format_version} is newer than this reader, which knows 1`);
  const arrays = {};
  for (const [name, { dtype, shape, data_offsets: [start, stop] }] of Object.entries(entries)) {
    // A copy, since arrays must be aligned.
    const from = bytes.byteOffset + 8 + size;
    const part = bytes.buffer.slice(from + start, from + stop);
    if (size + 8 + stop > bytes.length) throw new Error("the model is truncated");
    arrays[name] = { data: new TYPES[dtype](part), shape };
  }
  return { kind: about.kind, arrays, meta: JSON.parse(about.meta) };
}

/**
 * Decompress what zlib compressed.
 * @param {Uint8Array} data
 */
export async function inflate(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The JSON of a compressed array. */
export async function unpackJson(array) {
  return JSON.parse(new TextDecoder().decode(await inflate(array.data)));
}
