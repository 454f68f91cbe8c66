/** Unpacks what a page holds: its style, its script, and the bytes of the model. */
const packed = document.getElementById("packed"), text = atob(packed.textContent);
const stream = new Blob([Uint8Array.from(text, (c) => c.charCodeAt(0))]).stream();
const bytes = await new Response(
  stream.pipeThrough(new DecompressionStream("deflate")),
).arrayBuffer();
const sizes = packed.dataset.sizes.split(" ").map(Number);
const part = (name, from, size) => {
  const element = document.createElement(name);
  if (name === "script") element.type = "module";
  element.textContent = new TextDecoder().decode(bytes.slice(from, from + size));
  document.head.append(element);
};
window.model = new Uint8Array(bytes.slice(sizes[0] + sizes[1]));
part("style", 0, sizes[0]);
part("script", sizes[0], sizes[1]);
