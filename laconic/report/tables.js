/** Tables of a page: a click on a heading sorts, and what is typed above a long one filters. */
const LONG = 10; // rows from which a table can be searched

const number = (text) => parseFloat(text.replace("−", "-").replace(/[,%\s]/g, ""));
function order(a, b) {
  const [x, y] = [number(a), number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
}

function sortable(table, cell, column) {
  const button = document.createElement("button"), body = table.tBodies[0];
  button.type = "button";
  button.title = "sort";
  button.append(...cell.childNodes);
  cell.append(button);
  button.onclick = () => {
    const up = cell.ariaSort === "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    cell.ariaSort = up ? "ascending" : "descending";
    const text = (row) => row.cells[column]?.textContent.trim() ?? "";
    const rows = [...body.rows].sort((a, b) => order(text(a), text(b)) * (up ? 1 : -1));
    body.append(...rows);
  };
}

function searchable(table) {
  const input = document.createElement("input"), count = document.createElement("output");
  Object.assign(input, { type: "search", placeholder: "search this table" });
  input.setAttribute("aria-label", "search this table");
  input.oninput = () => {
    const wanted = input.value.toLowerCase(), rows = [...table.tBodies[0].rows];
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    count.textContent = wanted ? ` ${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  };
  const line = document.createElement("div");
  line.className = "search";
  line.append(input, count);
  table.before(line);
}

for (const table of document.querySelectorAll("table")) {
  const rows = table.tBodies[0]?.rows.length ?? 0;
  if (!table.tHead || rows < 2) continue;
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    if (cell.textContent.trim()) sortable(table, cell, column);
  });
  if (rows >= LONG) searchable(table);
}
